//! A ray as the kernels take it.

use hitscan_primitives::{Axis, Faces, Ray, WatertightRay};

use super::{BoxRay, TriangleRay};
use crate::simd::Simd;

/// A ray with its constants in lanes, for one tree.
///
/// The constants are those of [`WatertightRay`], by the same operations. They are made here again,
/// because a short ray spends a third of its time on them: the ray is eight f32, so most of it is
/// eight lanes at once.
pub(crate) struct QueryRay<'a, S: Simd> {
    pub(crate) boxes: BoxRay<S>,
    pub(crate) triangles: TriangleRay<'a, S>,
}

/// What box and triangle test have in common.
pub(super) struct Constants<'a> {
    /// In the tree's space, and valid.
    pub(super) ray: &'a Ray,
    /// As [`WatertightRay::reciprocal`].
    pub(super) reciprocal: [f32; 3],
    /// As [`WatertightRay::axes`].
    pub(super) axes: [Axis; 3],
}

/// Origins farther out than this many times the mesh's largest coordinate take the kernel that
/// shifts the ray's origin; the inflation of the boxes covers the others.
pub(super) const NEAR_ORIGIN: f32 = 2.0;

/// That shift, as a share of the largest |origin| + M: 24 units in the last place, 20.1 are needed.
pub(super) const ORIGIN_SHIFT: f32 = 24.0 / (1 << 24) as f32;

/// Where a ray starts, seen from the tree.
pub(crate) enum Origin {
    Near,
    /// With the shift that [`BoxRay`] needs.
    Far(f32),
}

impl<'a, S: Simd> QueryRay<'a, S> {
    /// The ray's constants, and where it starts seen from a mesh whose largest coordinate is `reach`.
    /// `None` if it is invalid.
    #[inline(always)]
    pub(crate) fn new(simd: S, ray: &'a Ray, faces: Faces, reach: f32) -> Option<(Self, Origin)> {
        const ORIGIN: u32 = 0b000_111;
        const DIRECTION: u32 = 0b111_000;
        let s = simd;
        let (o, d) = (ray.origin.to_array(), ray.direction.to_array());
        let lanes = s.load(&[o[0], o[1], o[2], d[0], d[1], d[2], ray.t_min, ray.t_max]);
        let zero = s.splat(0.0);
        // Zero times a number is zero, times anything else NaN.
        let finite = s.bits(s.eq(s.mul(lanes, zero), zero));
        let zeros = s.bits(s.eq(lanes, zero));
        let is_valid = finite & (ORIGIN | DIRECTION) == ORIGIN | DIRECTION
            && zeros & DIRECTION != DIRECTION
            && ray.t_min <= ray.t_max;
        if !is_valid {
            return None;
        }
        let sizes = s.abs(lanes);
        let near = s.bits(s.le(sizes, s.splat(NEAR_ORIGIN * reach)));
        let origin = if near & ORIGIN == ORIGIN {
            Origin::Near
        } else {
            let farthest = o[0].abs().max(o[1].abs()).max(o[2].abs());
            Origin::Far(ORIGIN_SHIFT * (farthest + reach))
        };
        let reciprocals = s.min(s.div(s.splat(1.0), sizes), s.splat(f32::MAX));
        let r = s.store(s.flip_sign(reciprocals, lanes));
        let axes = WatertightRay::dominant_axes(ray.direction);
        let constants = Constants { ray, reciprocal: [r[3], r[4], r[5]], axes };
        let boxes = BoxRay::new(s, &constants, &origin);
        let triangles = TriangleRay::new(s, &constants, faces);
        Some((Self { boxes, triangles }, origin))
    }
}
