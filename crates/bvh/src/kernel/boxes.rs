//! One ray against the eight boxes of a node.
//!
//! The slab test by subtraction and multiplication, without fused multiply-add: the same arithmetic
//! as the reference test's own box, so that rounding is monotone from a triangle's box to the boxes
//! around it. Node boxes are inflated when they are stored; see `INFLATION` in `mesh_bvh`. Measured
//! by the prototype: faster than the fused form, which needs a second reciprocal and an error term.

use hitscan_primitives::WatertightRay;

use crate::{simd::Simd, wide::WideNode};

/// A ray's constants for the box test.
pub(crate) struct BoxRay<S: Simd> {
    simd: S,
    /// Per axis, which side of a box the ray meets first: 0 for the least, 1 for the greatest.
    near: [bool; 3],
    near_origin: [S::F; 3],
    far_origin: [S::F; 3],
    reciprocal: [S::F; 3],
    t_min: S::F,
}

/// Which boxes the ray meets, and where it enters them.
pub(crate) struct BoxHits<S: Simd> {
    /// Bit `i` is child `i`.
    pub(crate) mask: u32,
    /// Where the ray enters each box, at least `t_min`.
    pub(crate) enter: S::F,
}

impl<S: Simd> BoxRay<S> {
    /// For origins near the tree the inflation of the boxes covers all rounding. For far origins,
    /// `origin_shift` moves the origin outwards by that much, per plane and in the direction that
    /// widens the interval.
    #[inline(always)]
    pub(crate) fn new(simd: S, ray: &WatertightRay, origin_shift: Option<f32>) -> Self {
        let (o, r) = (ray.origin().to_array(), ray.reciprocal().to_array());
        let near = r.map(f32::is_sign_negative);
        let origin = o.map(|o| simd.splat(o));
        let (mut near_origin, mut far_origin) = (origin, origin);
        if let Some(shift) = origin_shift {
            for axis in 0..3 {
                let shift = if near[axis] { -shift } else { shift };
                near_origin[axis] = simd.splat(o[axis] + shift);
                far_origin[axis] = simd.splat(o[axis] - shift);
            }
        }
        let reciprocal = r.map(|r| simd.splat(r));
        Self { simd, near, near_origin, far_origin, reciprocal, t_min: simd.splat(ray.t_min()) }
    }

    /// The children whose boxes the ray meets at a `t` of at most `t_max`.
    ///
    /// `FAR` says whether the ray was made with an `origin_shift`.
    #[inline(always)]
    pub(crate) fn test<const FAR: bool>(&self, node: &WideNode, t_max: f32) -> BoxHits<S> {
        let s = self.simd;
        let slab = |axis: usize| {
            let planes = &node.bounds[axis];
            let near = s.load(&planes[usize::from(self.near[axis])]);
            let far = s.load(&planes[usize::from(!self.near[axis])]);
            let near_origin = self.near_origin[axis];
            let far_origin = if FAR { self.far_origin[axis] } else { near_origin };
            let r = self.reciprocal[axis];
            (s.mul(s.sub(near, near_origin), r), s.mul(s.sub(far, far_origin), r))
        };
        let (near_x, far_x) = slab(0);
        let (near_y, far_y) = slab(1);
        let (near_z, far_z) = slab(2);
        let enter = s.max(s.max(near_x, near_y), s.max(near_z, self.t_min));
        let exit = s.min(s.min(far_x, far_y), s.min(far_z, s.splat(t_max)));
        BoxHits { mask: s.bits(s.le(enter, exit)), enter }
    }
}
