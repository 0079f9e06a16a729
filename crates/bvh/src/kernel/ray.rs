//! A ray as the kernels take it.

use hitscan_primitives::{Faces, Ray};

use super::{BoxRay, TriangleRay};
use crate::simd::{Simd, as_row};

/// A valid ray, seen from a tree: what the constants of both tests are made from.
///
/// A short ray spends a fifth of its time on them. The ray is eight f32, so most constants of the box
/// test are made in eight lanes at once; those of the triangle test are made at the first leaf only.
pub(crate) struct QueryRay<'a, S: Simd> {
    pub(super) simd: S,
    /// In the tree's space.
    pub(super) ray: &'a Ray,
    /// Lanes 3 to 5 are `1 / direction`, clamped to finite values of the same sign.
    pub(super) reciprocals: S::F,
    /// Bit `i` is the sign of the direction on axis `i`.
    pub(super) backward: u32,
    pub(super) origin: Origin,
    /// Whether the walk needs no care: the ray starts near, has no negative `t_min`, and is not short.
    is_plain: bool,
    /// Whether the direction is so short that its reciprocals are those of [`STRETCH`] times it.
    pub(super) is_tiny: bool,
    /// The mesh's largest coordinate.
    reach: f32,
}

/// Origins farther out than this many times the mesh's largest coordinate take the kernel that
/// shifts the ray's origin; the inflation of the boxes covers the others.
pub(super) const NEAR_ORIGIN: f32 = 2.0;

/// That shift, as a share of the largest |origin| + M: 12 units in the last place, 9.6 are needed (docs/proof.md).
pub(super) const ORIGIN_SHIFT: f32 = 12.0 / (1 << 24) as f32;

/// Directions all of whose components are smaller need care, because the reciprocals of the others are
/// capped at 2^60: what moves less on an axis than 2^-26 of what it moves on another does not move there.
const SHORT: f32 = 1.0 / (1u64 << 34) as f32;
const LEAST_COMPONENT: f32 = 1.0 / (1u64 << 60) as f32;

/// Directions all of whose components are smaller have reciprocals that overflow.
pub(super) const TINY: f32 = 1.0 / (1u128 << 100) as f32;

/// What tiny directions are multiplied with, which is exact.
const STRETCH: f32 = (1u128 << 100) as f32;

/// Where a ray starts, seen from the tree.
#[derive(Clone, Copy)]
pub(crate) enum Origin {
    Near,
    /// With the largest |origin| + M.
    Far(f32),
}

impl<'a, S: Simd> QueryRay<'a, S> {
    /// The ray, seen from a mesh whose largest coordinate is `reach`. `None` if it is invalid.
    #[inline(always)]
    pub(crate) fn new(simd: S, ray: &'a Ray, reach: f32) -> Option<Self> {
        const ORIGIN: u32 = 0b000_111;
        const DIRECTION: u32 = 0b111_000;
        let s = simd;
        let lanes = s.load(as_row(ray));
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
        let mut sizes = s.abs(lanes);
        let near = s.bits(s.le(sizes, s.splat(NEAR_ORIGIN * reach)));
        let origin = if near & ORIGIN == ORIGIN {
            Origin::Near
        } else {
            let o = ray.origin.to_array();
            let farthest = o[0].abs().max(o[1].abs()).max(o[2].abs());
            Origin::Far(farthest + reach)
        };
        let is_long = s.bits(s.le(s.splat(SHORT), sizes)) & DIRECTION != 0;
        let is_plain = is_long && matches!(origin, Origin::Near) && ray.t_min >= 0.0;
        let is_tiny = !is_long && s.bits(s.le(s.splat(TINY), sizes)) & DIRECTION == 0;
        if is_plain {
            sizes = s.max(sizes, s.splat(LEAST_COMPONENT));
        } else if is_tiny {
            sizes = s.mul(sizes, s.splat(STRETCH));
        }
        let reciprocals = s.min(s.div(s.splat(1.0), sizes), s.splat(f32::MAX));
        let reciprocals = s.flip_sign(reciprocals, lanes);
        let backward = s.sign_bits(lanes) >> 3 & 7;
        Some(Self { simd, ray, reciprocals, backward, origin, is_plain, is_tiny, reach })
    }

    /// Whether the walk needs no care.
    #[inline(always)]
    pub(crate) fn is_plain(&self) -> bool {
        self.is_plain
    }

    /// The largest |origin| + M: no component of a corner minus the origin is larger but by rounding.
    #[inline(always)]
    pub(super) fn farthest(&self) -> f32 {
        let [x, y, z] = self.ray.origin.to_array();
        x.abs().max(y.abs()).max(z.abs()) + self.reach
    }

    /// The constants of the box test. Without `CAREFUL` the ray must be plain.
    #[inline(always)]
    pub(crate) fn boxes<const CAREFUL: bool>(&self) -> BoxRay<S, CAREFUL> {
        BoxRay::new(self)
    }

    /// The constants of the triangle test.
    #[inline(always)]
    pub(crate) fn triangles(&self, faces: Faces) -> TriangleRay<S> {
        TriangleRay::new(self, faces)
    }
}
