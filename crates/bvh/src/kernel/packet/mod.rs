//! Packets: rays that go the same way, against the boxes of a node or a triangle.
//!
//! The rays share the octant of their direction and their dominant axis. A node is first tested for
//! all of them at once, by interval arithmetic over their origins and reciprocals (Boulos, Wald and
//! Shirley, "Geometric and Arithmetic Culling Methods for Entire Ray Packets", 2006). Rounding is
//! monotone, so the interval holds every value that a single ray computes. Boxes and triangles are then
//! tested with the rays in the lanes of several groups: of sixteen with AVX-512, of eight elsewhere. What needs
//! f64 is computed for eight rays, an octet of a group.
//!
//! Most hits are never computed in f64: `best` has the bounds on `t` that tell one hit from the other.

mod best;
mod setup;
mod test;

use hitscan_primitives::{Axis, Faces, Hit};

use self::best::{BestLanes, Group, Improvement, Octet};
use super::{
    hit_sink::{MeshCandidate, side},
    triangle_decision::{Shared, exact_t, weights},
    triangle_filter::{Corners, RayLanes, relative},
};
use crate::{
    layout::Leaves,
    leaf_position::LeafPosition,
    simd::{LANES, Lanes, Row, Simd},
};

/// The maximum number of rays in a packet. With AVX2, twice as many lose 3 to 25 % on primary rays (kitchen,
/// bunny, city), because half of the groups below a child are idle. With AVX-512 they gain 6 to 9 % in the
/// kitchen and lose as much on nefertiti's shadow rays.
pub(crate) const PACKET_WIDTH: usize = 4 * LANES;

/// Rays of a packet: bit `i` is ray `i`.
pub(crate) type RaySet = u32;

const _: () = assert!(PACKET_WIDTH == RaySet::BITS as usize);

/// The maximum number of groups.
const N_GROUPS: usize = PACKET_WIDTH / LANES;

/// The number of lanes of a group.
#[inline(always)]
const fn group_width<S: Simd>() -> usize {
    S::OCTETS * LANES
}

/// The lanes of a group, as bits.
#[inline(always)]
const fn group_mask<S: Simd>() -> u32 {
    u32::MAX >> (32 - group_width::<S>())
}

/// The lanes of group `g`, as bits.
#[inline(always)]
fn lanes_of<S: Simd>(rays: RaySet, g: usize) -> u32 {
    rays >> (group_width::<S>() * g) & group_mask::<S>()
}

/// The rays in the lanes of group `g`.
#[inline(always)]
fn rays_of<S: Simd>(lanes: u32, g: usize) -> RaySet {
    lanes << (group_width::<S>() * g)
}

/// The group of a ray, the octet of the group, and the lane of the octet.
#[inline(always)]
fn place_of<S: Simd>(ray: usize) -> (usize, usize, usize) {
    let width = group_width::<S>();
    (ray / width % N_GROUPS, ray % width / LANES, ray % LANES)
}

/// A packet of rays with their best hits so far.
pub(crate) struct Packet<S: Simd> {
    simd: S,
    faces: Faces,
    /// Whether the rays run against their dominant axis.
    backward: bool,
    /// Whether all rays start at the same point.
    has_one_origin: bool,
    /// How far the origins for near and far planes are shifted away from them: zero unless a ray starts far
    /// from the mesh.
    shift: [f32; 3],
    axes: [Axis; 3],
    rows: [Row<3>; 3],
    /// Per rotated axis, the side of a box that the rays meet first and last.
    near: [Row<2>; 3],
    far: [Row<2>; 3],
    bounds: Bounds<S>,
    /// The maximum depth of a contact.
    contact: f32,
    /// The groups with rays. The others hold no values.
    n_groups: usize,
    groups: [Group<S::Rays>; N_GROUPS],
}

/// Intervals that hold the values of all rays, per rotated axis.
#[derive(Clone, Copy)]
struct Bounds<S: Simd> {
    /// The origin farthest along the direction, for near planes, and the nearest, for far planes.
    near_origin: [S::F; 3],
    far_origin: [S::F; 3],
    min_reciprocal: [S::F; 3],
    max_reciprocal: [S::F; 3],
    t_min: S::F,
    /// The maximum `t` of use to any ray.
    t_max: S::F,
}

impl<S: Simd> Packet<S> {
    /// A packet without rays, for [`fill`](Self::fill).
    #[inline(always)]
    pub(crate) fn new(s: S, faces: Faces) -> Self {
        let (zero, zeros) = (s.splat(0.0), [s.splat(0.0); 3]);
        let zero_rays = s.rays().splat(0.0);
        let rays = RayLanes {
            origin: [zero_rays; 3],
            direction: [zero_rays; 3],
            shear: [zero_rays; 2],
            t_min: zero_rays,
            slack: zero_rays,
        };
        let best = BestLanes::none_until(s.rays(), zero_rays);
        let (reciprocal, scaled_origin) = ([zero_rays; 3], [zero_rays; 3]);
        let group = Group { rays, reciprocal, scaled_origin, best };
        let bounds = Bounds {
            near_origin: zeros,
            far_origin: zeros,
            min_reciprocal: zeros,
            max_reciprocal: zeros,
            t_min: zero,
            t_max: zero,
        };
        Self {
            simd: s,
            faces,
            backward: false,
            has_one_origin: false,
            shift: [0.0; 3],
            axes: Axis::ALL,
            rows: [Row::new(0); 3],
            near: [Row::new(0); 3],
            far: [Row::new(1); 3],
            bounds,
            contact: 0.0,
            n_groups: 0,
            groups: [group; N_GROUPS],
        }
    }

    /// The groups with rays.
    #[inline(always)]
    fn groups(&self) -> &[Group<S::Rays>] {
        &self.groups[..self.n_groups]
    }

    /// The properties that all rays share.
    #[inline(always)]
    fn shared(&self) -> Shared<S> {
        let contact = self.simd.splat(self.contact);
        Shared { backward: self.backward, faces: self.faces, contact }
    }

    /// Lowers the bound on `t` to the best hits.
    #[inline(always)]
    pub(crate) fn update_t_max(&mut self) {
        let (s, r) = (self.simd, self.simd.rays());
        let mut farthest = r.splat(f32::NEG_INFINITY);
        for group in self.groups() {
            farthest = r.max(farthest, group.best.high);
        }
        self.bounds.t_max = s.splat(max_lane(s, farthest));
    }

    /// The sink of a ray that continues alone: it takes every candidate that may precede the best hit.
    #[inline(always)]
    pub(crate) fn best_bound(&self, ray: usize) -> MeshCandidate {
        let (s, (group, octet, lane)) = (self.simd, place_of::<S>(ray));
        MeshCandidate::none_until(s.store(s.octet(self.groups[group].best.high, octet))[lane])
    }

    /// Takes a candidate of a ray that continued alone, if it precedes the best hit.
    #[inline(always)]
    pub(crate) fn improve(&mut self, leaves: &Leaves, ray: usize, candidate: &MeshCandidate) {
        let s = self.simd;
        let (group, index, lane) = place_of::<S>(ray);
        let mut octet = Octet::of(s, &self.groups[group], index);
        s.vectorize(Improvement {
            octet: &mut octet,
            shared: &self.shared(),
            leaves,
            axes: self.axes,
            lanes: 1 << lane,
            t: s.splat(candidate.hit.t),
            position: candidate.position,
        });
        octet.write_best(s, &mut self.groups[group], index);
    }

    /// Removes rays: no `t` is of use to them any more.
    #[inline(always)]
    pub(crate) fn retire(&mut self, rays: RaySet) {
        let r = self.simd.rays();
        for g in 0..self.n_groups {
            self.groups[g].best.retire(r, r.mask_from_bits(lanes_of::<S>(rays, g)));
        }
    }

    /// Writes the hit of each ray to the answer at its index.
    #[inline(always)]
    pub(crate) fn write_hits(&self, leaves: &Leaves, indices: &[u32], answers: &mut [Option<Hit>]) {
        let (s, shared) = (self.simd, self.shared());
        for (i, indices) in indices.chunks(LANES).enumerate() {
            let (group, index, _) = place_of::<S>(LANES * i);
            let octet = Octet::of(s, &self.groups[group], index);
            let found = octet.best.found(s);
            if found == 0 {
                for &index in indices {
                    answers[index as usize] = None;
                }
                continue;
            }
            let corners = octet.corners_of_best(s, leaves, self.axes, found);
            let t = s.store(exact_t(s, &octet.rays, &shared, corners, found));
            let weights = weights(s, &octet.rays, self.backward, corners);
            let (u, v) = (s.store(weights.u), s.store(weights.v));
            let positions = s.to_bits(octet.best.position);
            for (lane, &index) in indices.iter().enumerate() {
                answers[index as usize] = (found >> lane & 1 == 1).then(|| Hit {
                    t: t[lane],
                    u: u[lane],
                    v: v[lane],
                    triangle: leaves.triangle(LeafPosition::from_bits(positions[lane])),
                    side: side(weights.front >> lane & 1 == 1),
                });
            }
        }
    }

    /// Three rows in the order of the axes.
    #[inline(always)]
    fn load(&self, rows: &[[f32; LANES]; 3]) -> [S::F; 3] {
        let (s, [x, y, z]) = (self.simd, self.rows);
        [s.load(x.of(rows)), s.load(y.of(rows)), s.load(z.of(rows))]
    }
}

impl<S: Simd> Octet<S> {
    /// The corners of the best hits in `lanes`, relative to the origins. Neighbours often hit the same
    /// triangle, so each triangle is read once.
    #[inline(always)]
    fn corners_of_best(&self, s: S, leaves: &Leaves, axes: [Axis; 3], lanes: u32) -> Corners<S> {
        let positions = s.to_bits(self.best.position);
        let mut corners = [[s.splat(0.0); 3]; 3];
        let mut left = lanes;
        while left != 0 {
            let bits = positions[left.trailing_zeros() as usize % LANES];
            let same = s.eq_bits(self.best.position, s.splat(f32::from_bits(bits)));
            left &= !same;
            let mask = s.mask_from_bits(same);
            let position = LeafPosition::from_bits(bits);
            let (block, triangle) = (position.block(), position.lane());
            match leaves {
                Leaves::Full(blocks) => {
                    for corner in 0..3 {
                        let rows = &blocks[block].corners[corner];
                        for axis in 0..3 {
                            let value = s.splat(rows[axes[axis].index()][triangle]);
                            corners[corner][axis] = s.select(mask, corners[corner][axis], value);
                        }
                    }
                }
                Leaves::Compact(blocks) => {
                    for corner in 0..3 {
                        let index = blocks.blocks[block].corners[corner][triangle];
                        let point = &blocks.positions[index as usize];
                        for axis in 0..3 {
                            let value = s.splat(point[axes[axis].index()]);
                            corners[corner][axis] = s.select(mask, corners[corner][axis], value);
                        }
                    }
                }
            }
        }
        relative(s, corners, &self.rays)
    }
}

/// The maximum lane.
#[inline(always)]
fn max_lane<S: Simd>(s: S, lanes: <S::Rays as Lanes>::F) -> f32 {
    let mut max = s.octet(lanes, 0);
    for octet in 1..S::OCTETS {
        max = s.max(max, s.octet(lanes, octet));
    }
    let [a, b, c, d, e, f, g, h] = s.store(max);
    a.max(b).max(c.max(d)).max(e.max(f).max(g.max(h)))
}
