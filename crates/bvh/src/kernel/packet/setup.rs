//! Packet setup: which rays can go as a packet, and the constants of its tests.

use hitscan_primitives::{Axis, Ray, WatertightRay};

use super::{GROUP_MASK, N_GROUPS, PACKET, Packet, max_lane, min_lane};
use crate::{
    error_bounds::{
        FARTHEST, LONGEST, NEAR_ORIGIN, ORIGIN_SHIFT, PLANE_SLACK, TINY, contact_depth,
    },
    kernel::triangle_filter::RayLanes,
    simd::{LANES, Row, Simd},
};

/// The numbers of a ray: origin, direction, `t_min` and `t_max`.
const RAY_ROWS: usize = 8;

impl<S: Simd> Packet<S> {
    /// Makes this the packet of these rays, or returns `false`. All rays must be valid, without negative
    /// `t_min`, and share octant and dominant axis. None may start so far away that products overflow in
    /// f32, or have a tiny direction. `max_abs` is the mesh's largest coordinate.
    ///
    /// Fills in place, because a packet is too large to move. One long function, because its loop keeps
    /// its reductions over all groups in registers.
    #[inline(always)]
    pub(crate) fn fill(&mut self, rays: &[Ray; PACKET], max_abs: f32) -> bool {
        let s = self.simd;
        let axes = *WatertightRay::dominant_axes(rays[0].direction);
        let [kx, ky, kz] = axes.map(Axis::index);
        let zero = s.splat(0.0);
        let (mut valid, mut octants, mut farthest) = (u32::MAX, [0; 3], zero);
        for g in 0..N_GROUPS {
            let group = &mut self.groups[g];
            let rays = &rays[LANES * g..LANES * (g + 1)];
            let mut rows = [[0.0; LANES]; RAY_ROWS];
            for lane in 0..LANES {
                let (o, d) = (rays[lane].origin.to_array(), rays[lane].direction.to_array());
                (rows[0][lane], rows[1][lane], rows[2][lane]) = (o[kx], o[ky], o[kz]);
                (rows[3][lane], rows[4][lane], rows[5][lane]) = (d[kx], d[ky], d[kz]);
                (rows[6][lane], rows[7][lane]) = (rays[lane].t_min, rays[lane].t_max);
            }
            let origin = [s.load(&rows[0]), s.load(&rows[1]), s.load(&rows[2])];
            let direction = [s.load(&rows[3]), s.load(&rows[4]), s.load(&rows[5])];
            let (t_min, t_max) = (s.load(&rows[6]), s.load(&rows[7]));
            // Keys of rays with a negative t_min are not ordered; see `KeyCodec`.
            valid &= s.movemask(s.and(s.le(t_min, t_max), s.ge(t_min, zero)));
            for axis in 0..3 {
                // Zero times a number is zero, times anything else NaN.
                valid &= s.movemask(s.eq(s.mul(origin[axis], zero), zero));
                valid &= s.movemask(s.eq(s.mul(direction[axis], zero), zero));
                octants[axis] = (octants[axis] << LANES) | s.sign_bits(direction[axis]);
                farthest = s.max(farthest, s.abs(origin[axis]));
            }
            valid &= has_dominant_axis(s, direction, axes);
            let reciprocal = [
                reciprocal(s, direction[0]),
                reciprocal(s, direction[1]),
                reciprocal(s, direction[2]),
            ];
            let longest = s.abs(direction[2]);
            valid &=
                s.movemask(s.and(s.le(s.splat(TINY), longest), s.le(longest, s.splat(LONGEST))));
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
        if valid & GROUP_MASK != 0xff || !one_octant {
            return false;
        }
        let farthest_origin = max_lane(s.store(farthest));
        let farthest = farthest_origin + max_abs;
        if farthest > FARTHEST {
            return false;
        }
        self.contact = contact_depth(farthest);
        let slack = s.splat(PLANE_SLACK * farthest);
        for group in &mut self.groups {
            group.rays.slack = slack;
        }
        if farthest_origin > NEAR_ORIGIN * max_abs {
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

    /// Sets the bounds to those of the rays.
    #[inline(always)]
    fn bound(&mut self, forward: [bool; 3]) {
        let s = self.simd;
        let first = &self.groups[0];
        let (mut t_min, mut t_max) = (first.rays.t_min, first.t_max);
        for group in &self.groups[1..] {
            (t_min, t_max) = (s.min(t_min, group.rays.t_min), s.max(t_max, group.t_max));
        }
        self.bounds.t_min = s.splat(min_lane(s.store(t_min)));
        self.bounds.t_max = s.splat(max_lane(s.store(t_max)));
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
                (max_lane(s.store(high_near)), min_lane(s.store(low_far)))
            } else {
                (min_lane(s.store(low_near)), max_lane(s.store(high_far)))
            };
            self.bounds.near_origin[axis] = s.splat(near);
            self.bounds.far_origin[axis] = s.splat(far);
            self.bounds.min_reciprocal[axis] = s.splat(min_lane(s.store(low)));
            self.bounds.max_reciprocal[axis] = s.splat(max_lane(s.store(high)));
        }
    }
}

/// `1 / d`, clamped to finite values, with the sign of `d`.
#[inline(always)]
fn reciprocal<S: Simd>(s: S, d: S::F) -> S::F {
    let size = s.min(s.div(s.splat(1.0), s.abs(d)), s.splat(f32::MAX));
    s.xor_sign(size, d)
}

/// The lanes with the dominant axis that `axes` ends with, as bits, by the reference's rule: a tie goes
/// to the earlier axis. The components are in the order of `axes`. Never a direction of zeros.
#[inline(always)]
fn has_dominant_axis<S: Simd>(s: S, direction: [S::F; 3], axes: [Axis; 3]) -> u32 {
    let [x, y, z] = [s.abs(direction[0]), s.abs(direction[1]), s.abs(direction[2])];
    let mut lanes = !s.movemask(s.eq(z, s.splat(0.0)));
    for (other, axis) in [(x, axes[0]), (y, axes[1])] {
        lanes &= s.movemask(s.le(other, z));
        if axis.index() < axes[2].index() {
            lanes &= !s.movemask(s.eq(other, z));
        }
    }
    lanes
}
