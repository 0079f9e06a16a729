//! Rays that go the same way, against the boxes of a node or a triangle.
//!
//! The rays share the octant of their direction and their dominant axis. A node is first tested for
//! all of them at once, by interval arithmetic over their origins and reciprocals (Boulos, Wald and
//! Shirley, "Geometric and Arithmetic Culling Methods for Entire Ray Packets", 2006); rounding is
//! monotone, so the interval holds what every single ray computes. Boxes and triangles are then
//! tested with the rays in the lanes.

use hitscan_primitives::{Axis, Faces, Hit, Ray, WatertightRay};

use super::{
    boxes::BoxHits,
    ray::{NEAR_ORIGIN, ORIGIN_SHIFT, TINY},
    triangles::{Found, side, slot},
    watertight::{
        Decision, HitLanes, PLANE_SLACK, Plane, RayLanes, decide, relative, weights, within_edges,
    },
};
use crate::{
    simd::{Row, Simd},
    wide::{Leaves, TriangleBlock, WideNode, set_corners},
};

/// Corners and origins farther apart than this go one by one: their products might overflow in f32.
const FARTHEST: f32 = (1u64 << 60) as f32;

/// Rays in a packet. 16 lost 9 to 20 % on camera rays (kitchen, bunny) to 32.
pub(crate) const PACKET: usize = 32;
const N_GROUPS: usize = PACKET / 8;

/// A packet of rays with their best hits so far.
pub(crate) struct Packet<S: Simd> {
    simd: S,
    faces: Faces,
    /// Whether the rays run against their dominant axis.
    backward: bool,
    axes: [Axis; 3],
    rows: [Row<3>; 3],
    /// Per rotated axis, which side of a box the rays meet first and last.
    near: [Row<2>; 3],
    far: [Row<2>; 3],
    bounds: Bounds<S>,
    /// At least the largest component of any corner minus any origin, times [`WatertightRay::CONTACT`].
    contact: f32,
    groups: [Group<S>; N_GROUPS],
}

/// What holds for all rays, per rotated axis.
#[derive(Clone, Copy)]
struct Bounds<S: Simd> {
    /// The origins farthest along the direction, for near planes, and least far, for far planes.
    near_origin: [S::F; 3],
    far_origin: [S::F; 3],
    least_reciprocal: [S::F; 3],
    greatest_reciprocal: [S::F; 3],
    t_min: S::F,
    /// The greatest `t` that is of use to any ray.
    t_max: S::F,
}

/// Eight rays.
#[derive(Clone, Copy)]
struct Group<S: Simd> {
    rays: RayLanes<S>,
    reciprocal: [S::F; 3],
    /// The origins for near and far planes: shifted, if they are far from the tree.
    near_origin: [S::F; 3],
    far_origin: [S::F; 3],
    t_max: S::F,
    /// [`Found::triangle`] and [`Found::slot`], as bits.
    triangle: S::F,
    slot: S::F,
}

impl<S: Simd> Packet<S> {
    /// A packet of no rays, to be [filled](Self::fill).
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
            slot: zero,
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
                least_reciprocal: zeros,
                greatest_reciprocal: zeros,
                t_min: zero,
                t_max: zero,
            },
            contact: 0.0,
            groups: [group; N_GROUPS],
        }
    }

    /// Makes this the packet of these rays. `false`, and no packet, unless all are valid, have no
    /// negative `t_min`, share octant and dominant axis, and neither start so far away that sums overflow
    /// in f32 nor have a tiny direction. `reach` is the mesh's largest coordinate.
    ///
    /// Filled in place: it is too large to be moved about.
    #[inline(always)]
    pub(crate) fn fill(&mut self, rays: &[Ray; PACKET], reach: f32) -> bool {
        let s = self.simd;
        let axes = *WatertightRay::dominant_axes(rays[0].direction);
        let [kx, ky, kz] = axes.map(Axis::index);
        let zero = s.splat(0.0);
        let (mut valid, mut octants, mut farthest) = (u32::MAX, [0; 3], zero);
        for g in 0..N_GROUPS {
            let group = &mut self.groups[g];
            let rays = &rays[8 * g..8 * g + 8];
            let mut rows = [[0.0; 8]; 8];
            for lane in 0..8 {
                let (o, d) = (rays[lane].origin.to_array(), rays[lane].direction.to_array());
                (rows[0][lane], rows[1][lane], rows[2][lane]) = (o[kx], o[ky], o[kz]);
                (rows[3][lane], rows[4][lane], rows[5][lane]) = (d[kx], d[ky], d[kz]);
                (rows[6][lane], rows[7][lane]) = (rays[lane].t_min, rays[lane].t_max);
            }
            let origin = [s.load(&rows[0]), s.load(&rows[1]), s.load(&rows[2])];
            let direction = [s.load(&rows[3]), s.load(&rows[4]), s.load(&rows[5])];
            let (t_min, t_max) = (s.load(&rows[6]), s.load(&rows[7]));
            // Keys of rays with a negative t_min are not ordered; see `traverse::keys`.
            valid &= s.bits(s.and(s.le(t_min, t_max), s.ge(t_min, zero)));
            for axis in 0..3 {
                // Zero times a number is zero, times anything else NaN.
                valid &= s.bits(s.eq(s.mul(origin[axis], zero), zero));
                valid &= s.bits(s.eq(s.mul(direction[axis], zero), zero));
                octants[axis] = (octants[axis] << 8) | s.sign_bits(direction[axis]);
                farthest = s.max(farthest, s.abs(origin[axis]));
            }
            valid &= has_dominant_axis(s, direction, axes);
            let reciprocal = [
                reciprocal(s, direction[0]),
                reciprocal(s, direction[1]),
                reciprocal(s, direction[2]),
            ];
            valid &= s.bits(s.le(s.splat(TINY), s.abs(direction[2])));
            group.rays = RayLanes {
                origin,
                direction,
                shear: [s.div(direction[0], direction[2]), s.div(direction[1], direction[2])],
                t_min,
                slack: zero,
            };
            group.reciprocal = reciprocal;
            (group.near_origin, group.far_origin, group.t_max) = (origin, origin, t_max);
        }
        let forward = [octants[0] == 0, octants[1] == 0, octants[2] == 0];
        const ALL: u32 = u32::MAX >> (32 - PACKET);
        let one_octant = (forward[0] || octants[0] == ALL)
            && (forward[1] || octants[1] == ALL)
            && (forward[2] || octants[2] == ALL);
        if valid & 0xff != 0xff || !one_octant {
            return false;
        }
        let farthest_origin = greatest(s.store(farthest));
        let farthest = farthest_origin + reach;
        if farthest > FARTHEST {
            return false;
        }
        self.contact = WatertightRay::CONTACT as f32 * farthest;
        let slack = s.splat(PLANE_SLACK * farthest);
        for group in &mut self.groups {
            group.rays.slack = slack;
        }
        if farthest_origin > NEAR_ORIGIN * reach {
            let shift = ORIGIN_SHIFT * farthest;
            for group in &mut self.groups {
                for axis in 0..3 {
                    let shift = s.splat(if forward[axis] { shift } else { -shift });
                    group.near_origin[axis] = s.add(group.rays.origin[axis], shift);
                    group.far_origin[axis] = s.sub(group.rays.origin[axis], shift);
                }
            }
        }
        self.axes = axes;
        self.rows = [Row::new(kx), Row::new(ky), Row::new(kz)];
        self.backward = !forward[2];
        for axis in 0..3 {
            self.near[axis] = Row::new(usize::from(!forward[axis]));
            self.far[axis] = Row::new(usize::from(forward[axis]));
        }
        self.bound(forward);
        true
    }

    /// Sets the bounds after the rays.
    #[inline(always)]
    fn bound(&mut self, forward: [bool; 3]) {
        let s = self.simd;
        let first = &self.groups[0];
        let (mut t_min, mut t_max) = (first.rays.t_min, first.t_max);
        for group in &self.groups[1..] {
            (t_min, t_max) = (s.min(t_min, group.rays.t_min), s.max(t_max, group.t_max));
        }
        self.bounds.t_min = s.splat(least(s.store(t_min)));
        self.bounds.t_max = s.splat(greatest(s.store(t_max)));
        for axis in 0..3 {
            let (mut low_near, mut high_near) = (first.near_origin[axis], first.near_origin[axis]);
            let (mut low_far, mut high_far) = (first.far_origin[axis], first.far_origin[axis]);
            let (mut low, mut high) = (first.reciprocal[axis], first.reciprocal[axis]);
            for group in &self.groups[1..] {
                low_near = s.min(low_near, group.near_origin[axis]);
                high_near = s.max(high_near, group.near_origin[axis]);
                low_far = s.min(low_far, group.far_origin[axis]);
                high_far = s.max(high_far, group.far_origin[axis]);
                low = s.min(low, group.reciprocal[axis]);
                high = s.max(high, group.reciprocal[axis]);
            }
            let (near, far) = if forward[axis] {
                (greatest(s.store(high_near)), least(s.store(low_far)))
            } else {
                (least(s.store(low_near)), greatest(s.store(high_far)))
            };
            self.bounds.near_origin[axis] = s.splat(near);
            self.bounds.far_origin[axis] = s.splat(far);
            self.bounds.least_reciprocal[axis] = s.splat(least(s.store(low)));
            self.bounds.greatest_reciprocal[axis] = s.splat(greatest(s.store(high)));
        }
    }

    /// The children whose boxes any ray may meet; a superset of those that one does.
    #[inline(always)]
    pub(crate) fn test_node(&self, node: &WideNode) -> BoxHits<S> {
        let s = self.simd;
        let (near_x, far_x) = self.slab(node, 0);
        let (near_y, far_y) = self.slab(node, 1);
        let (near_z, far_z) = self.slab(node, 2);
        let enter = s.max(s.max(near_x, near_y), s.max(near_z, self.bounds.t_min));
        let exit = s.min(s.min(far_x, far_y), s.min(far_z, self.bounds.t_max));
        BoxHits { mask: s.bits(s.le(enter, exit)), enter }
    }

    #[inline(always)]
    fn slab(&self, node: &WideNode, axis: usize) -> (S::F, S::F) {
        let s = self.simd;
        let planes = &node.bounds[self.axes[axis].index()];
        let near = s.load(self.near[axis].of(planes));
        let far = s.load(self.far[axis].of(planes));
        self.slab_between(axis, near, far)
    }

    /// Where the first ray may enter and the last one leave the slabs between two planes.
    #[inline(always)]
    fn slab_between(&self, axis: usize, near: S::F, far: S::F) -> (S::F, S::F) {
        let (s, bounds) = (self.simd, &self.bounds);
        let (least, greatest) = (bounds.least_reciprocal[axis], bounds.greatest_reciprocal[axis]);
        let near = s.sub(near, bounds.near_origin[axis]);
        let far = s.sub(far, bounds.far_origin[axis]);
        (
            s.min(s.mul(near, least), s.mul(near, greatest)),
            s.max(s.mul(far, least), s.mul(far, greatest)),
        )
    }

    /// The triangles of a block whose boxes any ray may meet, as bits; a superset. `inflation` is that
    /// of the node boxes.
    #[inline(always)]
    fn test_boxes(&self, block: &TriangleBlock, inflation: f32) -> u32 {
        let s = self.simd;
        let inflation = s.splat(inflation);
        let (mut enter, mut exit) = (self.bounds.t_min, self.bounds.t_max);
        for axis in 0..3 {
            let row = self.rows[axis];
            let a = s.load(row.of(&block.corners[0]));
            let b = s.load(row.of(&block.corners[1]));
            let c = s.load(row.of(&block.corners[2]));
            let low = s.sub(s.min(a, s.min(b, c)), inflation);
            let high = s.add(s.max(a, s.max(b, c)), inflation);
            let forward = self.near[axis].is_first();
            let (near, far) = if forward { (low, high) } else { (high, low) };
            let (near, far) = self.slab_between(axis, near, far);
            (enter, exit) = (s.max(enter, near), s.min(exit, far));
        }
        s.bits(s.le(enter, exit))
    }

    /// The rays that meet the box of a child, as bits.
    #[inline(always)]
    pub(crate) fn test_child(&self, node: &WideNode, place: usize) -> u32 {
        let s = self.simd;
        let place = place % 8;
        let mut near = [s.splat(0.0); 3];
        let mut far = near;
        for axis in 0..3 {
            let planes = &node.bounds[self.axes[axis].index()];
            near[axis] = s.splat(self.near[axis].of(planes)[place]);
            far[axis] = s.splat(self.far[axis].of(planes)[place]);
        }
        let mut active = 0;
        for (g, group) in self.groups.iter().enumerate() {
            let reciprocal = group.reciprocal;
            let (mut enter, mut exit) = (group.rays.t_min, group.t_max);
            for axis in 0..3 {
                let to_near = s.mul(s.sub(near[axis], group.near_origin[axis]), reciprocal[axis]);
                let to_far = s.mul(s.sub(far[axis], group.far_origin[axis]), reciprocal[axis]);
                (enter, exit) = (s.max(enter, to_near), s.min(exit, to_far));
            }
            active |= s.bits(s.le(enter, exit)) << (8 * g);
        }
        active
    }

    /// Tests the active rays against the triangles of a block, and returns those that hit any. With
    /// `ANY`, hits are not recorded.
    #[inline(always)]
    pub(crate) fn test_block<const ANY: bool>(
        &mut self,
        block: &TriangleBlock,
        number: usize,
        active: u32,
        inflation: f32,
    ) -> u32 {
        let s = self.simd;
        // The contact is rounded up, as is its product.
        let contact = s.widen(s.splat(self.contact * (1.0 + 4.0 * f32::EPSILON)));
        let decision = Decision { backward: self.backward, farthest: contact };
        let mut hit_any = 0;
        let mut lanes = self.test_boxes(block, inflation);
        while lanes != 0 {
            let lane = lanes.trailing_zeros() as usize % 8;
            lanes &= lanes - 1;
            let [a, b, c] = &block.corners;
            let corners = [self.splat(a, lane), self.splat(b, lane), self.splat(c, lane)];
            let normal = self.splat(&block.normal, lane);
            for g in 0..N_GROUPS {
                let wanted = active >> (8 * g) & 0xff;
                if wanted == 0 {
                    continue;
                }
                let group = &mut self.groups[g];
                let corners = relative(s, corners, &group.rays);
                let plane = Plane::new(s, &group.rays, normal, corners[0]);
                let within_edges = within_edges(s, &group.rays, corners);
                let candidates = within_edges & plane.in_range(s, &group.rays, group.t_max);
                if candidates == 0 {
                    continue;
                }
                // A ray that is not active cannot hit: no hit is outside of the boxes around it.
                let hits =
                    decide(s, &group.rays, &decision, corners, candidates, group.t_max, self.faces);
                hit_any |= hits.accepted << (8 * g);
                if !ANY && hits.accepted != 0 {
                    group.take(s, &hits, block.triangles[lane], slot(number, lane));
                }
            }
        }
        hit_any
    }

    /// Lets the bounds follow the best hits, for rays that are still of interest.
    #[inline(always)]
    pub(crate) fn update_t_max(&mut self) {
        let s = self.simd;
        let mut farthest = self.groups[0].t_max;
        for group in &self.groups[1..] {
            farthest = s.max(farthest, group.t_max);
        }
        self.bounds.t_max = s.splat(greatest(s.store(farthest)));
    }

    /// The best hit of a ray so far.
    #[inline(always)]
    pub(crate) fn best(&self, ray: usize) -> Found {
        let (s, group, lane) = (self.simd, &self.groups[ray / 8 % N_GROUPS], ray % 8);
        let (triangle, slot) = (s.all_bits(group.triangle)[lane], s.all_bits(group.slot)[lane]);
        Found::without_weights(s.store(group.t_max)[lane], triangle, slot)
    }

    /// Replaces the best hit of a ray.
    #[inline(always)]
    pub(crate) fn set_best(&mut self, ray: usize, best: &Found) {
        let s = self.simd;
        let hits = HitLanes { accepted: 1 << (ray % 8), t: s.splat(best.candidate.t) };
        self.groups[ray / 8 % N_GROUPS].set(s, &hits, best.triangle, best.slot);
    }

    /// Takes rays out: nothing is of interest to them any more.
    #[inline(always)]
    pub(crate) fn retire(&mut self, rays: u32) {
        let s = self.simd;
        for (g, group) in self.groups.iter_mut().enumerate() {
            let mask = s.mask_from_bits(rays >> (8 * g) & 0xff);
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
            let (triangle, slot) = (s.all_bits(group.triangle), s.all_bits(group.slot));
            let mut corners = [[[0.0; 8]; 3]; 3];
            for lane in 0..8 {
                if triangle[lane] != TriangleBlock::NO_TRIANGLE {
                    set_corners(&mut corners, lane, leaves.corners(slot[lane]));
                }
            }
            let [a, b, c] = &corners;
            let corners = relative(s, [self.load(a), self.load(b), self.load(c)], &group.rays);
            let weights = weights(s, &group.rays, self.backward, corners);
            let (u, v) = (s.store(weights.u), s.store(weights.v));
            for lane in 0..8 {
                all[8 * g + lane] = (triangle[lane] != TriangleBlock::NO_TRIANGLE).then(|| Hit {
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
    fn load(&self, rows: &[[f32; 8]; 3]) -> [S::F; 3] {
        let (s, [x, y, z]) = (self.simd, self.rows);
        [s.load(x.of(rows)), s.load(y.of(rows)), s.load(z.of(rows))]
    }

    /// One triangle's row values, each in all lanes, in the order of the axes.
    #[inline(always)]
    fn splat(&self, rows: &[[f32; 8]; 3], lane: usize) -> [S::F; 3] {
        let (s, [x, y, z]) = (self.simd, self.rows);
        [s.splat(x.of(rows)[lane]), s.splat(y.of(rows)[lane]), s.splat(z.of(rows)[lane])]
    }
}

impl<S: Simd> Group<S> {
    /// Makes hits on one triangle the best of their rays. They are not behind those.
    #[inline(always)]
    fn take(&mut self, s: S, hits: &HitLanes<S>, triangle: u32, slot: u32) {
        // Equal t goes to the lesser triangle, which is decided ray by ray: it is rare.
        let mut accepted = hits.accepted;
        let mut ties = accepted & s.bits(s.eq(hits.t, self.t_max));
        while ties != 0 {
            let ray = ties.trailing_zeros() as usize % 8;
            ties &= ties - 1;
            if s.all_bits(self.triangle)[ray] < triangle {
                accepted &= !(1 << ray);
            }
        }
        self.set(s, &HitLanes { accepted, t: hits.t }, triangle, slot);
    }

    #[inline(always)]
    fn set(&mut self, s: S, hits: &HitLanes<S>, triangle: u32, slot: u32) {
        let mask = s.mask_from_bits(hits.accepted);
        let [triangle, slot] = [triangle, slot].map(|n| s.splat(f32::from_bits(n)));
        self.t_max = s.select(mask, self.t_max, hits.t);
        self.triangle = s.select(mask, self.triangle, triangle);
        self.slot = s.select(mask, self.slot, slot);
    }
}

/// `1 / d`, clamped to finite values, with the sign of `d`.
#[inline(always)]
fn reciprocal<S: Simd>(s: S, d: S::F) -> S::F {
    let size = s.min(s.div(s.splat(1.0), s.abs(d)), s.splat(f32::MAX));
    s.flip_sign(size, d)
}

/// The lanes with the dominant axis that `axes` ends with, as bits, by the reference's rule: a tie goes
/// to the earlier axis. The components are in the order of `axes`. Never a direction of zeros.
#[inline(always)]
fn has_dominant_axis<S: Simd>(s: S, direction: [S::F; 3], axes: [Axis; 3]) -> u32 {
    let [x, y, z] = [s.abs(direction[0]), s.abs(direction[1]), s.abs(direction[2])];
    let mut lanes = !s.bits(s.eq(z, s.splat(0.0)));
    for (other, axis) in [(x, axes[0]), (y, axes[1])] {
        lanes &= s.bits(s.le(other, z));
        if axis.index() < axes[2].index() {
            lanes &= !s.bits(s.eq(other, z));
        }
    }
    lanes
}

#[inline(always)]
fn least(values: [f32; 8]) -> f32 {
    let [a, b, c, d, e, f, g, h] = values;
    a.min(b).min(c.min(d)).min(e.min(f).min(g.min(h)))
}

#[inline(always)]
fn greatest(values: [f32; 8]) -> f32 {
    let [a, b, c, d, e, f, g, h] = values;
    a.max(b).max(c.max(d)).max(e.max(f).max(g.max(h)))
}
