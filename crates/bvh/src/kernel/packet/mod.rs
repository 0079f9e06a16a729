//! Packets: rays that go the same way, against the boxes of a node or a triangle.
//!
//! The rays share the octant of their direction and their dominant axis. A node is first tested for
//! all of them at once, by interval arithmetic over their origins and reciprocals (Boulos, Wald and
//! Shirley, "Geometric and Arithmetic Culling Methods for Entire Ray Packets", 2006). Rounding is
//! monotone, so the interval holds every value that a single ray computes. Boxes and triangles are then
//! tested with the rays in the lanes.

mod setup;
mod test;

use hitscan_primitives::{Axis, Faces, Hit};

use super::{
    hit_sink::{MeshCandidate, side},
    triangle_decision::{HitLanes, weights},
    triangle_filter::{RayLanes, relative},
};
use crate::{
    layout::{CornerRows, Leaves, TriangleBlock, set_corners},
    simd::{LANES, Row, Simd},
    widths::BLOCK_WIDTH,
};

/// The rays of a packet. 16 lost 9 to 20 % on camera rays (kitchen, bunny) to 32.
pub(crate) const PACKET: usize = 4 * LANES;
const N_GROUPS: usize = PACKET / LANES;

/// The lanes of a group, as bits.
const GROUP_MASK: u32 = u32::MAX >> (32 - LANES);

/// A packet of rays with their best hits so far.
pub(crate) struct Packet<S: Simd> {
    simd: S,
    faces: Faces,
    /// Whether the rays run against their dominant axis.
    backward: bool,
    axes: [Axis; 3],
    rows: [Row<3>; 3],
    /// Per rotated axis, the side of a box that the rays meet first and last.
    near: [Row<2>; 3],
    far: [Row<2>; 3],
    bounds: Bounds<S>,
    /// The maximum depth of a contact.
    contact: f32,
    groups: [Group<S>; N_GROUPS],
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

/// One ray per lane.
#[derive(Clone, Copy)]
struct Group<S: Simd> {
    rays: RayLanes<S>,
    reciprocal: [S::F; 3],
    /// The origins for near and far planes: shifted if they are far from the mesh.
    near_origin: [S::F; 3],
    far_origin: [S::F; 3],
    t_max: S::F,
    /// [`MeshCandidate::triangle`] and [`MeshCandidate::leaf_position`], as bits.
    triangle: S::F,
    leaf_position: S::F,
}

impl<S: Simd> Packet<S> {
    /// A packet without rays, for [`fill`](Self::fill).
    #[inline(always)]
    pub(crate) fn new(s: S, faces: Faces) -> Self {
        let (zero, zeros) = (s.splat(0.0), [s.splat(0.0); 3]);
        let group = Group {
            rays: RayLanes {
                origin: zeros,
                direction: zeros,
                shear: [zero; 2],
                t_min: zero,
                slack: zero,
            },
            reciprocal: zeros,
            near_origin: zeros,
            far_origin: zeros,
            t_max: zero,
            triangle: s.splat(f32::from_bits(TriangleBlock::NO_TRIANGLE)),
            leaf_position: zero,
        };
        Self {
            simd: s,
            faces,
            backward: false,
            axes: Axis::ALL,
            rows: [Row::new(0); 3],
            near: [Row::new(0); 3],
            far: [Row::new(1); 3],
            bounds: Bounds {
                near_origin: zeros,
                far_origin: zeros,
                min_reciprocal: zeros,
                max_reciprocal: zeros,
                t_min: zero,
                t_max: zero,
            },
            contact: 0.0,
            groups: [group; N_GROUPS],
        }
    }

    /// Lowers the bound on `t` to the best hits.
    #[inline(always)]
    pub(crate) fn update_t_max(&mut self) {
        let s = self.simd;
        let mut farthest = self.groups[0].t_max;
        for group in &self.groups[1..] {
            farthest = s.max(farthest, group.t_max);
        }
        self.bounds.t_max = s.splat(max_lane(s.store(farthest)));
    }

    /// The best hit of a ray so far.
    #[inline(always)]
    pub(crate) fn best(&self, ray: usize) -> MeshCandidate {
        let (s, group, lane) = (self.simd, &self.groups[ray / LANES % N_GROUPS], ray % LANES);
        let triangle = s.to_bits(group.triangle)[lane];
        let leaf_position = s.to_bits(group.leaf_position)[lane];
        MeshCandidate::without_weights(s.store(group.t_max)[lane], triangle, leaf_position)
    }

    /// Replaces the best hit of a ray.
    #[inline(always)]
    pub(crate) fn set_best(&mut self, ray: usize, best: &MeshCandidate) {
        let s = self.simd;
        let hits = HitLanes { accepted: 1 << (ray % LANES), t: s.splat(best.hit.t) };
        self.groups[ray / LANES % N_GROUPS].set(s, &hits, best.triangle, best.leaf_position);
    }

    /// Removes rays: no `t` is of use to them any more.
    #[inline(always)]
    pub(crate) fn retire(&mut self, rays: u32) {
        let s = self.simd;
        for (g, group) in self.groups.iter_mut().enumerate() {
            let mask = s.mask_from_bits(rays >> (LANES * g) & GROUP_MASK);
            group.t_max = s.select(mask, group.t_max, s.splat(f32::NEG_INFINITY));
        }
    }

    /// The hits of all rays.
    #[inline(always)]
    pub(crate) fn hits(&self, leaves: &Leaves) -> [Option<Hit>; PACKET] {
        let s = self.simd;
        let mut all = [None; PACKET];
        for (g, group) in self.groups.iter().enumerate() {
            let t = s.store(group.t_max);
            let triangle = s.to_bits(group.triangle);
            let leaf_position = s.to_bits(group.leaf_position);
            let mut corners: CornerRows = [[[0.0; BLOCK_WIDTH]; 3]; 3];
            for lane in 0..LANES {
                if triangle[lane] != TriangleBlock::NO_TRIANGLE {
                    set_corners(&mut corners, lane, leaves.corners(leaf_position[lane]));
                }
            }
            let [a, b, c] = &corners;
            let corners = relative(s, [self.load(a), self.load(b), self.load(c)], &group.rays);
            let weights = weights(s, &group.rays, self.backward, corners);
            let (u, v) = (s.store(weights.u), s.store(weights.v));
            for lane in 0..LANES {
                all[LANES * g + lane] =
                    (triangle[lane] != TriangleBlock::NO_TRIANGLE).then(|| Hit {
                        t: t[lane],
                        u: u[lane],
                        v: v[lane],
                        triangle: triangle[lane],
                        side: side(weights.front >> lane & 1 == 1),
                    });
            }
        }
        all
    }

    /// Three rows in the order of the axes.
    #[inline(always)]
    fn load(&self, rows: &[[f32; LANES]; 3]) -> [S::F; 3] {
        let (s, [x, y, z]) = (self.simd, self.rows);
        [s.load(x.of(rows)), s.load(y.of(rows)), s.load(z.of(rows))]
    }
}

impl<S: Simd> Group<S> {
    /// Records hits on one triangle. None of them lies behind the best hit of its ray.
    #[inline(always)]
    fn record(&mut self, s: S, hits: &HitLanes<S>, triangle: u32, leaf_position: u32) {
        // At equal `t` the smaller index wins. Ties are rare, so they are decided ray by ray.
        let mut accepted = hits.accepted;
        let mut ties = accepted & s.movemask(s.eq(hits.t, self.t_max));
        while ties != 0 {
            let ray = ties.trailing_zeros() as usize % LANES;
            ties &= ties - 1;
            if s.to_bits(self.triangle)[ray] < triangle {
                accepted &= !(1 << ray);
            }
        }
        self.set(s, &HitLanes { accepted, t: hits.t }, triangle, leaf_position);
    }

    #[inline(always)]
    fn set(&mut self, s: S, hits: &HitLanes<S>, triangle: u32, leaf_position: u32) {
        let mask = s.mask_from_bits(hits.accepted);
        let [triangle, leaf_position] =
            [triangle, leaf_position].map(|n| s.splat(f32::from_bits(n)));
        self.t_max = s.select(mask, self.t_max, hits.t);
        self.triangle = s.select(mask, self.triangle, triangle);
        self.leaf_position = s.select(mask, self.leaf_position, leaf_position);
    }
}

#[inline(always)]
fn min_lane(values: [f32; LANES]) -> f32 {
    let [a, b, c, d, e, f, g, h] = values;
    a.min(b).min(c.min(d)).min(e.min(f).min(g.min(h)))
}

#[inline(always)]
fn max_lane(values: [f32; LANES]) -> f32 {
    let [a, b, c, d, e, f, g, h] = values;
    a.max(b).max(c.max(d)).max(e.max(f).max(g.max(h)))
}
