//! The slab test of one ray against the boxes of a node.
//!
//! Stored boxes are inflated by more than the rounding of this test and of the reference test; see
//! [`INFLATION`](crate::error_bounds::INFLATION). The fast path takes a multiplication and an addition
//! for each plane, fused where the machine can. The robust path subtracts and multiplies, because the
//! product of a far origin may overflow.

use super::ray_setup::{Origin, QueryRay};
use crate::{
    error_bounds::ORIGIN_SHIFT,
    layout::WideNode,
    simd::{Row, Simd},
};

/// A ray's constants for the box test. `ROBUST` is for rays whose origin may be far, whose direction may
/// be tiny, or whose `t_min` may be negative.
pub(crate) struct BoxRay<S: Simd, const ROBUST: bool> {
    simd: S,
    /// Per axis, the side of a box that the ray meets first and last: row 0 is the minimum.
    near: [Row<2>; 3],
    far: [Row<2>; 3],
    /// The origin for near and far planes. On the fast path both are the origin times `-reciprocal`.
    near_origin: [S::F; 3],
    far_origin: [S::F; 3],
    reciprocal: [S::F; 3],
    t_min: S::F,
    /// The lower bound on the limit on `t`.
    min_limit: S::F,
}

/// The boxes that a ray meets, and where it enters them.
pub(crate) struct BoxHits<S: Simd> {
    /// Bit `i` is child `i`.
    pub(crate) mask: u32,
    /// The `t` at which the ray enters each box, at least `t_min`.
    pub(crate) enter: S::F,
}

impl<S: Simd, const ROBUST: bool> BoxRay<S, ROBUST> {
    /// Without `ROBUST` the ray must be able to take the fast path.
    ///
    /// For near origins the inflation of the boxes covers all rounding. A far origin is shifted away from
    /// each plane, which widens the interval.
    ///
    /// Along a stretched direction every `t` comes out nearer to zero, with its sign. So the interval of a
    /// tiny direction is widened to hold zero.
    #[inline(always)]
    pub(crate) fn new(ray: &QueryRay<'_, S>) -> Self {
        let simd = ray.simd;
        let (o, d) = (ray.ray.origin.to_array(), ray.ray.direction.to_array());
        let reciprocal = [
            simd.splat_lane::<3>(ray.reciprocals),
            simd.splat_lane::<4>(ray.reciprocals),
            simd.splat_lane::<5>(ray.reciprocals),
        ];
        let mut origin = [simd.splat(o[0]), simd.splat(o[1]), simd.splat(o[2])];
        if !ROBUST {
            let minus = simd.splat(-0.0);
            for axis in 0..3 {
                origin[axis] = simd.xor_sign(simd.mul(origin[axis], reciprocal[axis]), minus);
            }
        }
        let (mut near_origin, mut far_origin) = (origin, origin);
        if let Origin::Far(farthest) = ray.origin {
            let shift = ORIGIN_SHIFT * farthest;
            for axis in 0..3 {
                let shift = shift.copysign(d[axis]);
                near_origin[axis] = simd.splat(o[axis] + shift);
                far_origin[axis] = simd.splat(o[axis] - shift);
            }
        }
        let max_t_min = if ray.is_tiny { 0.0 } else { f32::INFINITY };
        let first = |axis: u32| (ray.backward >> axis & 1) as usize;
        let (x, y, z) = (first(0), first(1), first(2));
        Self {
            simd,
            near: [Row::new(x), Row::new(y), Row::new(z)],
            far: [Row::new(1 - x), Row::new(1 - y), Row::new(1 - z)],
            near_origin,
            far_origin,
            reciprocal,
            // Every `t` is finite, and a box at a `t` of minus infinity holds none.
            t_min: simd.splat(ray.ray.t_min.max(f32::MIN).min(max_t_min)),
            min_limit: simd.splat(if ray.is_tiny { 0.0 } else { f32::NEG_INFINITY }),
        }
    }

    /// The children whose boxes the ray meets at a `t` of at most `t_max`.
    ///
    /// An origin near the end of f32 may become infinite when it is shifted. The planes of an empty slot
    /// are infinite too, so a side of it may be NaN, which `max` and `min` pass over. The interval of a ray
    /// stays between `f32::MIN` and `f32::MAX`, so the remaining sides still miss it.
    #[inline(always)]
    pub(crate) fn test(&self, node: &WideNode, t_max: S::F) -> BoxHits<S> {
        let s = self.simd;
        let t_max =
            if ROBUST { s.min(s.max(t_max, self.min_limit), s.splat(f32::MAX)) } else { t_max };
        let (near_x, far_x) = self.slab(node, 0);
        let (near_y, far_y) = self.slab(node, 1);
        let (near_z, far_z) = self.slab(node, 2);
        let enter = s.max(s.max(near_x, near_y), s.max(near_z, self.t_min));
        let exit = s.min(s.min(far_x, far_y), s.min(far_z, t_max));
        BoxHits { mask: s.movemask(s.le(enter, exit)), enter }
    }

    /// The `t` at which the ray enters and leaves the slabs of the children on one axis.
    #[inline(always)]
    fn slab(&self, node: &WideNode, axis: usize) -> (S::F, S::F) {
        let s = self.simd;
        let planes = &node.bounds[axis];
        let near = s.load(self.near[axis].of(planes));
        let far = s.load(self.far[axis].of(planes));
        let (near_origin, far_origin) = (self.near_origin[axis], self.far_origin[axis]);
        let r = self.reciprocal[axis];
        if ROBUST {
            (s.mul(s.sub(near, near_origin), r), s.mul(s.sub(far, far_origin), r))
        } else {
            (s.approx_mul_add(near, r, near_origin), s.approx_mul_add(far, r, near_origin))
        }
    }
}
