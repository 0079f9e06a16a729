//! Candidates for another library's ray test: every triangle that it could possibly hit.
//!
//! The drop-in for three-mesh-bvh must give the intersections of three.js, digit for digit. So three.js
//! tests the triangles itself, in f64, and the tree only finds them. It is generous: a triangle counts if
//! the ray comes within [`TOLERANCE`] of it, many orders of magnitude above the rounding of any formula
//! in f64.

use hitscan_bvh::Layout;
use hitscan_primitives::TriMesh;
use hitscan_scene::Mesh;

use crate::{objects::with_built, output};

/// The part of a triangle's size by which a ray may miss it and still be a candidate.
const TOLERANCE: f64 = 1e-6;

/// A generous bound of relative rounding in f64.
const ROUNDING: f64 = 1e-12;

/// The children of a node, and the triangles of a block.
const WIDTH: usize = 8;

/// The words of a node before its children: six rows of bounds.
const CHILDREN: usize = 6 * WIDTH;
const NODE_WORDS: usize = 8 * WIDTH;

/// A reference to a child: bit 31 marks a leaf. Its other bits are the first block times [`LEAF_BLOCKS`],
/// plus the number of blocks less one.
const LEAF: u32 = 1 << 31;
const LEAF_BLOCKS: u32 = 4;
const NO_CHILD: u32 = u32::MAX >> 1;

/// The longest path of any tree, times the siblings that wait at each node.
const STACK: usize = 512;

/// A ray in the space of the mesh, in f64.
struct Line {
    origin: [f64; 3],
    direction: [f64; 3],
    t_min: f64,
    t_max: f64,
    /// The only side to hit: 1 the front, 2 the back, 0 both.
    side: u32,
    /// The distance by which the corners of the other library may differ from those of the mesh in f32.
    slack: f64,
}

/// Finds the triangles that the ray of the numbers 0 to 8 (origin, direction, range of `t`, slack) may hit. With
/// `nearest`, only those that may be its first hit. Returns 1 plus their number; the answer's words are
/// the triangles, ascending.
#[unsafe(no_mangle)]
extern "C" fn bvh_candidates(bvh: u32, side: u32, nearest: u32) -> u32 {
    let [ox, oy, oz, dx, dy, dz, t_min, t_max, slack] = std::array::from_fn(output::read);
    let line = Line { origin: [ox, oy, oz], direction: [dx, dy, dz], t_min, t_max, side, slack };
    with_built(bvh, |mesh| {
        let mut found = output::words();
        search(mesh, line, nearest != 0, &mut found);
        1 + output::put_words(found)
    })
}

/// The `t` of a triangle that the ray may hit, and whether any formula finds a hit.
#[derive(Clone, Copy)]
struct Candidate {
    t: f64,
    is_certain: bool,
}

// Longer than 60 lines: one loop, whose steps share all of its state.
fn search(mesh: &Mesh, mut line: Line, nearest: bool, found: &mut Vec<u32>) {
    let (tri_mesh, raw) = (mesh.tri_mesh(), mesh.bvh().raw_parts());
    let nodes: &[[f32; NODE_WORDS]] = bytemuck::cast_slice(raw.nodes);
    let words: &[u32] = bytemuck::cast_slice(raw.blocks);
    // The block's triangles are its last row.
    let block_words = if raw.layout == Layout::Full { 13 * WIDTH } else { 4 * WIDTH };
    let boxes = BoxTest::new(&line, tri_mesh.query_scale());
    let mut near: Vec<(u32, f64)> = Vec::new();
    let mut stack = [(0_u32, 0.0_f64); STACK];
    let mut n = 1;
    stack[0] = (0, line.t_min);
    while n > 0 {
        n -= 1;
        let (reference, entry) = stack[n];
        if entry > line.t_max {
            continue;
        }
        if reference & LEAF != 0 {
            let first = (reference & !LEAF) / LEAF_BLOCKS;
            for block in first..=first + reference % LEAF_BLOCKS {
                let end = (block as usize + 1) * block_words;
                for &triangle in &words[end - WIDTH..end] {
                    if triangle == u32::MAX {
                        continue;
                    }
                    let Some(candidate) = test(tri_mesh, triangle, &line) else { continue };
                    if !nearest {
                        found.push(triangle);
                        continue;
                    }
                    near.push((triangle, candidate.t));
                    if candidate.is_certain {
                        line.t_max = line.t_max.min(beyond(candidate.t));
                    }
                }
            }
            continue;
        }
        let node = &nodes[reference as usize];
        let entries = boxes.test(node, line.t_min, line.t_max);
        let base = n;
        for slot in 0..WIDTH {
            let child = node[CHILDREN + slot].to_bits();
            if child != NO_CHILD && entries[slot] < f64::INFINITY {
                // An insertion sort keeps the nearest on top.
                let mut place = n;
                while place > base && stack[place - 1].1 < entries[slot] {
                    stack[place] = stack[place - 1];
                    place -= 1;
                }
                stack[place] = (child, entries[slot]);
                n += 1;
            }
        }
    }
    if nearest {
        found.extend(near.iter().filter(|(_, t)| *t <= line.t_max).map(|(triangle, _)| *triangle));
    }
    found.sort_unstable();
    // A split triangle stands in several leaves.
    found.dedup();
}

/// A bound that is safely beyond `t` for every formula.
fn beyond(t: f64) -> f64 {
    t + t.abs() * TOLERANCE + f64::MIN_POSITIVE
}

/// The slab test of eight boxes in f64.
struct BoxTest {
    origin: [f64; 3],
    inverse: [f64; 3],
    pad: [f64; 3],
}

impl BoxTest {
    /// `scale` brings the ray to the space of the boxes.
    fn new(line: &Line, scale: f64) -> Self {
        let origin = line.origin.map(|x| x * scale);
        // A direction of zero becomes tiny: a product of zero and infinity would be NaN.
        let inverse = line.direction.map(|x| {
            let x = if x.abs() < 1e-200 { 1e-200_f64.copysign(x) } else { x };
            1.0 / (x * scale)
        });
        let pad = origin.map(|x| x.abs() * ROUNDING + line.slack * scale);
        Self { origin, inverse, pad }
    }

    /// The `t` at which the ray enters each box; infinite for a miss.
    #[inline]
    fn test(&self, node: &[f32; NODE_WORDS], t_min: f64, t_max: f64) -> [f64; WIDTH] {
        let (mut enter, mut exit) = ([t_min; WIDTH], [t_max; WIDTH]);
        for axis in 0..3 {
            let (origin, inverse, pad) = (self.origin[axis], self.inverse[axis], self.pad[axis]);
            let is_backwards = inverse < 0.0;
            let (low, high) = (2 * axis * WIDTH, (2 * axis + 1) * WIDTH);
            let (near, far) = if is_backwards { (high, low) } else { (low, high) };
            let pad = if is_backwards { -pad } else { pad };
            for slot in 0..WIDTH {
                let into = (f64::from(node[near + slot]) - pad - origin) * inverse;
                let out = (f64::from(node[far + slot]) + pad - origin) * inverse;
                enter[slot] = if into > enter[slot] { into } else { enter[slot] };
                exit[slot] = if out < exit[slot] { out } else { exit[slot] };
            }
        }
        for slot in 0..WIDTH {
            // Rounding of the products.
            let exit = exit[slot] + exit[slot].abs() * ROUNDING;
            enter[slot] = if enter[slot] <= exit { enter[slot] } else { f64::INFINITY };
        }
        enter
    }
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
fn test(mesh: &TriMesh, triangle: u32, line: &Line) -> Option<Candidate> {
    let [a, b, c] = mesh.corners(triangle).map(|corner| corner.as_dvec3().to_array());
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
    let area = dot(normal, normal).sqrt();
    let rounding = (ROUNDING * dot(to_a, to_a).sqrt() + 4.0 * line.slack) * area * inverse.abs();
    let margin = TOLERANCE * t.abs() + rounding;
    let ahead = (t - line.t_min).min(line.t_max - t);
    // NaN is a candidate as well.
    if inside < -tolerance || ahead < -margin {
        return None;
    }
    let is_front = det > 0.0;
    if line.side == 1 && !is_front || line.side == 2 && is_front {
        return None;
    }
    Some(Candidate { t, is_certain: inside > tolerance && ahead > margin })
}
