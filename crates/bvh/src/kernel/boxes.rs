//! One ray against the eight boxes of a node.
//!
//! The slab test by subtraction and multiplication, without fused multiply-add. Node boxes are inflated
//! when they are stored by more than all that rounds here and in the reference test; see `INFLATION` in
//! `mesh_bvh`. The fused form takes 1 to 6 % fewer instructions and 0 to 3 % more time (AVX2).

use super::ray::{ORIGIN_SHIFT, Origin, QueryRay};
use crate::{
    simd::{Row, Simd},
    wide::WideNode,
};

/// A ray's constants for the box test.
pub(crate) struct BoxRay<S: Simd> {
    simd: S,
    /// Per axis, which side of a box the ray meets first and last: row 0 is the least coordinate.
    near: [Row<2>; 3],
    far: [Row<2>; 3],
    near_origin: [S::F; 3],
    far_origin: [S::F; 3],
    reciprocal: [S::F; 3],
    t_min: S::F,
    /// The limit on `t` counts as no less than this.
    least_limit: S::F,
}

/// Which boxes the ray meets, and where it enters them.
pub(crate) struct BoxHits<S: Simd> {
    /// Bit `i` is child `i`.
    pub(crate) mask: u32,
    /// Where the ray enters each box, at least `t_min`.
    pub(crate) enter: S::F,
}

impl<S: Simd> BoxRay<S> {
    /// For near origins the inflation of the boxes covers all rounding. Far ones are shifted outwards,
    /// per plane and in the direction that widens the interval.
    ///
    /// Seen along a stretched direction every `t` is nearer to zero than it is, with the same sign. So the
    /// interval is widened to hold zero.
    #[inline(always)]
    pub(super) fn new(ray: &QueryRay<'_, S>) -> Self {
        let simd = ray.simd;
        let (o, d) = (ray.ray.origin.to_array(), ray.ray.direction.to_array());
        let origin = [simd.splat(o[0]), simd.splat(o[1]), simd.splat(o[2])];
        let (mut near_origin, mut far_origin) = (origin, origin);
        if let Origin::Far(farthest) = ray.origin {
            let shift = ORIGIN_SHIFT * farthest;
            for axis in 0..3 {
                let shift = shift.copysign(d[axis]);
                near_origin[axis] = simd.splat(o[axis] + shift);
                far_origin[axis] = simd.splat(o[axis] - shift);
            }
        }
        let least = if ray.is_tiny { 0.0 } else { f32::INFINITY };
        let first = |axis: u32| (ray.backward >> axis & 1) as usize;
        let (x, y, z) = (first(0), first(1), first(2));
        Self {
            simd,
            near: [Row::new(x), Row::new(y), Row::new(z)],
            far: [Row::new(1 - x), Row::new(1 - y), Row::new(1 - z)],
            near_origin,
            far_origin,
            reciprocal: [
                simd.splat_lane::<3>(ray.reciprocals),
                simd.splat_lane::<4>(ray.reciprocals),
                simd.splat_lane::<5>(ray.reciprocals),
            ],
            // Every `t` is finite, and a box at a `t` of minus infinity holds none.
            t_min: simd.splat(ray.ray.t_min.max(f32::MIN).min(least)),
            least_limit: simd.splat(if ray.is_tiny { 0.0 } else { f32::NEG_INFINITY }),
        }
    }

    /// The children whose boxes the ray meets at a `t` of at most `t_max`.
    ///
    /// `CAREFUL` says whether the ray's origin may be far or its direction tiny.
    ///
    /// A far origin at the end of f32 may be infinite when it is shifted. The planes of an empty place
    /// are infinite too, so there a side may be NaN, which `max` and `min` pass over. With an interval
    /// between `f32::MIN` and `f32::MAX`, where every hit has its `t`, what is left still does not meet.
    #[inline(always)]
    pub(crate) fn test<const CAREFUL: bool>(&self, node: &WideNode, t_max: S::F) -> BoxHits<S> {
        let s = self.simd;
        let t_max =
            if CAREFUL { s.min(s.max(t_max, self.least_limit), s.splat(f32::MAX)) } else { t_max };
        let (near_x, far_x) = self.slab::<CAREFUL>(node, 0);
        let (near_y, far_y) = self.slab::<CAREFUL>(node, 1);
        let (near_z, far_z) = self.slab::<CAREFUL>(node, 2);
        let enter = s.max(s.max(near_x, near_y), s.max(near_z, self.t_min));
        let exit = s.min(s.min(far_x, far_y), s.min(far_z, t_max));
        BoxHits { mask: s.bits(s.le(enter, exit)), enter }
    }

    /// Where the ray enters and leaves the slabs of the children on one axis.
    #[inline(always)]
    fn slab<const CAREFUL: bool>(&self, node: &WideNode, axis: usize) -> (S::F, S::F) {
        let s = self.simd;
        let planes = &node.bounds[axis];
        let near = s.load(self.near[axis].of(planes));
        let far = s.load(self.far[axis].of(planes));
        let near_origin = self.near_origin[axis];
        let far_origin = if CAREFUL { self.far_origin[axis] } else { near_origin };
        let r = self.reciprocal[axis];
        (s.mul(s.sub(near, near_origin), r), s.mul(s.sub(far, far_origin), r))
    }
}
