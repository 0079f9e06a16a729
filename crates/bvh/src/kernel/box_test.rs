//! The slab test of one ray against the boxes of a node.
//!
//! Stored boxes are inflated by more than the rounding of this test and of the reference test; see
//! [`INFLATION`](crate::error_bounds::INFLATION). The fast path takes a multiplication and an addition
//! for each plane, fused where the machine can. The robust path subtracts and multiplies, because the
//! product of a huge origin may overflow.

use std::marker::PhantomData;

use super::{ray_mode::RayMode, ray_setup::QueryRay};
use crate::{
    error_bounds::STRETCH,
    layout::WideNode,
    simd::{OctantRows, Simd, as_row},
};

/// A ray's constants for the box test in a mode.
pub(crate) struct BoxRay<S: Simd, M: RayMode> {
    simd: S,
    mode: PhantomData<M>,
    rows: OctantRows,
    /// The origin for near and far planes, on the fast path times `-reciprocal`. Of near rays they are
    /// equal, which saves three registers: with six, near rays would be 3 to 4 % slower.
    near_origin: [S::F; 3],
    far_origin: [S::F; 3],
    reciprocal: [S::F; 3],
    t_min: S::F,
    /// What brings a limit on `t` to the units of the reciprocals: 1, or less along a stretched direction.
    limit_scale: f32,
    /// What the product may lose by rounding: 0, or the least number along a stretched direction.
    limit_slack: f32,
}

/// The boxes that a ray meets, and where it enters them.
pub(crate) struct BoxHits<S: Simd> {
    /// Bit `i` is child `i`.
    pub(crate) mask: u32,
    /// The same as lanes.
    pub(crate) lanes: S::M,
    /// The `t` at which the ray enters each box, at least `t_min`.
    pub(crate) enter: S::F,
}

impl<S: Simd, M: RayMode> BoxRay<S, M> {
    /// The ray must come from [`QueryRay::fast`] in the same mode, or from [`QueryRay::new`] if that is robust.
    ///
    /// For near origins the inflation of the boxes covers all rounding. A far origin is shifted away from
    /// each plane, which widens the interval.
    ///
    /// Along a stretched direction every `t` is divided by [`STRETCH`], and so are the bounds. Such a quotient may be
    /// subnormal, so the interval is widened by the least number.
    #[inline(always)]
    pub(crate) fn new(ray: &QueryRay<'_, S>) -> Self {
        let simd = ray.simd;
        let reciprocal = splat_three(simd, ray.reciprocals);
        let (near_origin, far_origin) = if M::ROBUST {
            let (o, d) = (ray.ray.origin.to_array(), ray.ray.direction.to_array());
            let (mut near, mut far) = ([simd.splat(0.0); 3], [simd.splat(0.0); 3]);
            for axis in 0..3 {
                let shift = ray.shift.copysign(d[axis]);
                near[axis] = simd.splat(o[axis] + shift);
                far[axis] = simd.splat(o[axis] - shift);
            }
            (near, far)
        } else {
            let products = simd.mul(simd.load(as_row(ray.ray)), ray.reciprocals);
            let minus = simd.splat(-0.0);
            if M::FAR {
                let shifts = simd.mul(simd.splat(ray.shift), simd.abs(ray.reciprocals));
                let near = simd.xor_sign(simd.add(products, shifts), minus);
                (splat_three(simd, near), splat_three(simd, simd.sub(shifts, products)))
            } else {
                let origin = splat_three(simd, simd.xor_sign(products, minus));
                (origin, origin)
            }
        };
        let (limit_scale, limit_slack) =
            if ray.is_tiny { (1.0 / STRETCH, f32::from_bits(1)) } else { (1.0, 0.0) };
        Self {
            simd,
            mode: PhantomData,
            rows: OctantRows::new(ray.backward),
            near_origin,
            far_origin,
            reciprocal,
            // Every `t` is finite, and a box at a `t` of minus infinity holds none.
            t_min: simd.splat(if M::ROBUST {
                let t_min = ray.ray.t_min.max(f32::MIN);
                let widened = t_min * limit_scale - limit_slack;
                // The keys of the traversal stack need a sign that is that of the ray.
                if t_min < 0.0 { widened } else { widened.max(t_min.min(0.0)) }
            } else {
                ray.ray.t_min
            }),
            limit_scale,
            limit_slack,
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
        let t_max = if M::ROBUST {
            let t_max = s.mul(s.min(t_max, s.splat(f32::MAX)), s.splat(self.limit_scale));
            s.add(t_max, s.splat(self.limit_slack))
        } else {
            t_max
        };
        let (near_x, far_x) = self.slab(node, 0);
        let (near_y, far_y) = self.slab(node, 1);
        let (near_z, far_z) = self.slab(node, 2);
        let enter = s.max(s.max(near_x, near_y), s.max(near_z, self.t_min));
        let exit = s.min(s.min(far_x, far_y), s.min(far_z, t_max));
        let lanes = s.le(enter, exit);
        BoxHits { mask: s.movemask(lanes), lanes, enter }
    }

    /// A limit on `t` in the units in which the ray enters boxes, or a little more.
    #[inline(always)]
    pub(crate) fn limit(&self, t_max: f32) -> f32 {
        if M::ROBUST { t_max.min(f32::MAX) * self.limit_scale + self.limit_slack } else { t_max }
    }

    /// The `t` at which the ray enters and leaves the slabs of the children on one axis.
    #[inline(always)]
    fn slab(&self, node: &WideNode, axis: usize) -> (S::F, S::F) {
        let s = self.simd;
        let near = s.load(self.rows.near(&node.bounds, axis));
        let far = s.load(self.rows.far(&node.bounds, axis));
        let near_origin = self.near_origin[axis];
        let far_origin = if M::FAR { self.far_origin[axis] } else { near_origin };
        let r = self.reciprocal[axis];
        if M::ROBUST {
            (s.mul(s.sub(near, near_origin), r), s.mul(s.sub(far, far_origin), r))
        } else {
            (s.approx_mul_add(near, r, near_origin), s.approx_mul_add(far, r, far_origin))
        }
    }
}

/// Each of the first three lanes in all lanes.
#[inline(always)]
fn splat_three<S: Simd>(simd: S, lanes: S::F) -> [S::F; 3] {
    [simd.splat_lane::<0>(lanes), simd.splat_lane::<1>(lanes), simd.splat_lane::<2>(lanes)]
}
