//! Candidates for another library's ray test: every triangle that it could possibly hit.
//!
//! The drop-in for three-mesh-bvh must give the intersections of three.js, digit for digit. So three.js
//! tests the triangles itself, in f64, and the tree only finds them, in two steps. A generous test in f32
//! takes eight boxes or triangles at once. Then a test in f64 keeps a triangle if the ray comes within
//! [`TOLERANCE`] of it, many orders of magnitude above the rounding of any formula in f64.
//!
//! This is a separate crate, because it is compiled for speed: the loops over eight lanes become vector
//! instructions where the module has them.
//!
//! # Modules
//!
//! A module imports only modules of its row or of rows below it. A test compares the table with the sources.
//!
//! | module | holds | imports |
//! |---|---|---|
//! | `wide` | eight boxes or triangles at once | `layout`, `line` |
//! | `layout`, `line` | the bytes of a tree; a ray in f64 | |

mod layout;
mod line;
mod wide;

use bytemuck::cast_slice;
use hitscan_bvh::{Layout, MeshBvh, RawBvh};
use hitscan_primitives::TriMesh;

use layout::{Block, IndexedBlock, Node, WIDTH};
use wide::{ALL, WideLine};

pub use layout::words;
pub use line::Line;

/// The part of a triangle's size by which a ray may miss it and still be a candidate.
const TOLERANCE: f64 = 1e-6;

/// A generous bound of relative rounding in f64.
const ROUNDING: f64 = 1e-12;

/// The longest path of any tree, times the siblings that wait at each node.
const STACK: usize = 512;

/// The memory of a search, which the next one uses again.
#[derive(Debug)]
pub struct Search {
    /// References to nodes and leaves, and the `t` at which the line enters them.
    stack: [(u32, f32); STACK],
    near: Vec<(u32, f64)>,
}

/// The `t` of a triangle that the ray may hit, and whether any formula finds a hit.
#[derive(Clone, Copy)]
struct Candidate {
    t: f64,
    is_certain: bool,
}

impl Search {
    /// An empty memory.
    pub const fn new() -> Self {
        Self { stack: [(0, 0.0); STACK], near: Vec::new() }
    }

    /// Finds the triangles that a ray may hit: with `nearest`, only those that may be its first hit. Appends
    /// them to `found`, ascending.
    // In a caller that is compiled for size, the loops would not become vector instructions.
    // Longer than 60 lines: one loop, whose steps share the line, its limits and the stack.
    #[inline(never)]
    pub fn run(
        &mut self,
        mesh: &TriMesh,
        bvh: &MeshBvh,
        mut line: Line,
        nearest: bool,
        found: &mut Vec<u32>,
    ) {
        let raw = bvh.raw_parts_in_place();
        let nodes: &[Node] = cast_slice(&raw.nodes);
        let (blocks, indexed): (&[Block], &[IndexedBlock]) = match raw.layout {
            Layout::Full => (cast_slice(&raw.blocks), &[]),
            _ => (&[], cast_slice(&raw.blocks)),
        };
        let (largest, scale) = (f64::from(mesh.bounds().max_abs_coordinate()), mesh.query_scale());
        let Some(wide) = WideLine::new(&line, largest, scale) else { return };
        let unscale = 1.0 / scale;
        let (t_min, mut t_max) = (wide.t_below(line.t_min), wide.t_above(line.t_max));
        self.near.clear();
        let Self { stack, near } = self;
        stack[0] = (0, t_min);
        let mut n = 1;
        while n > 0 {
            n -= 1;
            let (reference, entry) = stack[n];
            if entry > t_max {
                continue;
            }
            if reference & RawBvh::LEAF == 0 {
                let node = &nodes[reference as usize];
                let (enter, mask) = wide.test_boxes(&node.bounds, t_min, t_max);
                n = push_children(stack, n, &node.children, &enter, mask);
                continue;
            }
            let first = (reference & !RawBvh::LEAF) / RawBvh::MAX_LEAF_BLOCKS;
            for index in first..=first + reference % RawBvh::MAX_LEAF_BLOCKS {
                let (mut mask, triangles) = if let Some(block) = blocks.get(index as usize) {
                    (wide.test_triangles(&block.corners), &block.triangles)
                } else {
                    (ALL, &indexed[index as usize].triangles)
                };
                while mask != 0 {
                    let lane = mask.trailing_zeros() as usize % WIDTH;
                    mask &= mask - 1;
                    let triangle = triangles[lane];
                    if triangle == RawBvh::NO_TRIANGLE {
                        continue;
                    }
                    // Those of the block are in the cache.
                    let corners = match blocks.get(index as usize) {
                        Some(block) => {
                            block.corners.map(|rows| rows.map(|x| f64::from(x[lane]) * unscale))
                        }
                        None => mesh.corners(triangle).map(|corner| corner.as_dvec3().to_array()),
                    };
                    let Some(candidate) = test(corners, &line) else { continue };
                    if !nearest {
                        found.push(triangle);
                        continue;
                    }
                    near.push((triangle, candidate.t));
                    if candidate.is_certain && candidate.t < line.t_max {
                        line.t_max = line.t_max.min(beyond(candidate.t));
                        t_max = wide.t_above(line.t_max);
                    }
                }
            }
        }
        if nearest {
            let first = near.iter().filter(|(_, t)| *t <= line.t_max);
            found.extend(first.map(|(triangle, _)| *triangle));
        }
        // A split triangle stands in several leaves.
        found.sort_unstable();
        found.dedup();
    }
}

impl Default for Search {
    fn default() -> Self {
        Self::new()
    }
}

/// Pushes the children of a mask on a stack of `n`, the nearest last. Returns the new length.
#[inline]
fn push_children(
    stack: &mut [(u32, f32); STACK],
    mut n: usize,
    children: &[u32; WIDTH],
    enter: &[f32; WIDTH],
    mut mask: u32,
) -> usize {
    let base = n;
    while mask != 0 {
        let slot = mask.trailing_zeros() as usize % WIDTH;
        mask &= mask - 1;
        let (child, enter) = (children[slot], enter[slot]);
        if child == RawBvh::NO_CHILD {
            continue;
        }
        // An insertion sort.
        let mut place = n;
        while place > base && stack[place - 1].1 < enter {
            stack[place] = stack[place - 1];
            place -= 1;
        }
        stack[place] = (child, enter);
        n += 1;
    }
    n
}

/// A bound that is safely beyond `t` for every formula.
fn beyond(t: f64) -> f64 {
    t + t.abs() * TOLERANCE + f64::MIN_POSITIVE
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn sub(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// The triangle as a candidate of the ray, if it may be one.
#[inline]
fn test([a, b, c]: [[f64; 3]; 3], line: &Line) -> Option<Candidate> {
    let (ab, ac) = (sub(b, a), sub(c, a));
    let normal = cross(ab, ac);
    let det = -dot(line.direction, normal);
    let lengths = dot(line.direction, line.direction) * dot(normal, normal);
    if det * det <= 1e-20 * lengths {
        // The ray is parallel to the triangle to ten digits, so no margin is safe: the other library
        // decides, about any part of the ray.
        return Some(Candidate { t: line.t_min, is_certain: false });
    }
    let to_a = sub(line.origin, a);
    let inverse = 1.0 / det;
    let t = dot(to_a, normal) * inverse;
    let moment = cross(to_a, line.direction);
    let (u, v) = (dot(ac, moment) * inverse, -dot(ab, moment) * inverse);
    let inside = u.min(v).min(1.0 - u - v);
    // A weight is a ratio of areas as seen along the ray: corners that move change them by their sides.
    let tolerance = if line.slack == 0.0 {
        TOLERANCE
    } else {
        let sides = dot(ab, ab).sqrt() + dot(ac, ac).sqrt();
        let length = dot(line.direction, line.direction).sqrt();
        TOLERANCE + 8.0 * line.slack * sides * length * inverse.abs()
    };
    // NaN is a candidate as well.
    if inside < -tolerance {
        return None;
    }
    let area = dot(normal, normal).sqrt();
    let rounding = (ROUNDING * dot(to_a, to_a).sqrt() + 4.0 * line.slack) * area * inverse.abs();
    let margin = TOLERANCE * t.abs() + rounding;
    let ahead = (t - line.t_min).min(line.t_max - t);
    if ahead < -margin {
        return None;
    }
    let is_front = det > 0.0;
    if line.side == 1 && !is_front || line.side == 2 && is_front {
        return None;
    }
    Some(Candidate { t, is_certain: inside > tolerance && ahead > margin })
}
