//! Ray setup: validates a ray and prepares the constants of both tests.

use hitscan_primitives::{Axis, Ray, WatertightRay};

use super::ray_mode::RayMode;
use crate::{
    error_bounds::{LEAST_COMPONENT, SHORT, STRETCH, TINY, origin_shift},
    layout::{Reach, Tree},
    simd::{LANES, Simd, as_row},
};

/// A valid ray with what the box test and the triangle test derive their constants from.
///
/// A short ray spends a fifth of its time on its setup. A ray is eight f32, so most constants of the box
/// test are computed in eight lanes at once. Those of the triangle test wait for the first leaf.
pub(crate) struct QueryRay<'a, S: Simd> {
    pub(super) simd: S,
    /// In the tree's space.
    pub(super) ray: &'a Ray,
    /// Lanes 0 to 2 are `1 / direction`, clamped to finite values of the same sign.
    pub(super) reciprocals: S::F,
    /// Bit `i` is the sign of the direction on axis `i`.
    pub(super) backward: u32,
    /// Lanes 3 to 5 are the sizes of the direction's components, or a multiple of them.
    sizes: S::F,
    /// [`origin_shift`] of the origin.
    pub(super) shift: f32,
    /// Whether the direction is below [`TINY`]: its reciprocals are those of [`STRETCH`] times it.
    pub(super) is_tiny: bool,
    /// The largest |origin| + M or more: no component of a corner minus the origin exceeds it but by
    /// rounding.
    pub(super) farthest: f32,
}

/// The lanes of a ray's origin and direction.
const ORIGIN: u32 = 0b000_111;
pub(crate) const DIRECTION: u32 = 0b111_000;

impl<'a, S: Simd> QueryRay<'a, S> {
    /// Prepares a ray for a fast mode in a tree. `None` if the ray must not take it.
    ///
    /// One comparison finds huge origins, long directions, and everything that is not finite. The rest of
    /// an invalid ray hits nothing by itself: a direction of zeros is [`SHORT`], and no box begins after
    /// `t_min` and before a smaller `t_max`.
    #[inline(always)]
    pub(crate) fn fast<M: RayMode>(simd: S, ray: &'a Ray, tree: &Tree) -> Option<Self> {
        const T_MIN: u32 = 1 << 6;
        let (s, reach) = (simd, &tree.reach);
        let limits = if M::FAR { &tree.fast_limits.far } else { &tree.fast_limits.near };
        let lanes = s.load(as_row(ray));
        let sizes = s.abs(lanes);
        let signs = s.sign_bits(lanes);
        let within = s.movemask(s.le(sizes, s.load(limits)));
        let long = s.movemask(s.le(s.splat(SHORT), sizes));
        if within != u32::MAX >> (32 - LANES) || signs & T_MIN != 0 || long & DIRECTION == 0 {
            return None;
        }
        let reciprocals = s.div(s.splat(1.0), s.max(sizes, s.splat(LEAST_COMPONENT)));
        let [y, z] = [s.splat_lane::<1>(sizes), s.splat_lane::<2>(sizes)];
        let farthest_coordinate = s.store(s.max(sizes, s.max(y, z)))[0];
        Some(Self {
            simd,
            ray,
            reciprocals: direction_first(s, s.xor_sign(reciprocals, lanes)),
            backward: signs >> 3 & 7,
            sizes,
            shift: origin_shift(farthest_coordinate, reach.near),
            is_tiny: false,
            farthest: farthest_coordinate + reach.max,
        })
    }

    /// Prepares a ray of the upper level of instances, which is valid, near and of ordinary length, for box tests alone.
    #[inline(always)]
    pub(crate) fn in_space(simd: S, ray: &'a Ray) -> Self {
        let s = simd;
        let lanes = s.load(as_row(ray));
        let sizes = s.abs(lanes);
        let reciprocals = s.div(s.splat(1.0), s.max(sizes, s.splat(LEAST_COMPONENT)));
        Self {
            simd,
            ray,
            reciprocals: direction_first(s, s.xor_sign(reciprocals, lanes)),
            backward: s.sign_bits(lanes) >> 3 & 7,
            sizes,
            shift: 0.0,
            is_tiny: false,
            farthest: 0.0,
        }
    }

    /// Prepares a ray for the robust path. `None` if the ray is invalid.
    #[inline(always)]
    pub(crate) fn new(simd: S, ray: &'a Ray, reach: &Reach) -> Option<Self> {
        let s = simd;
        let lanes = s.load(as_row(ray));
        let zero = s.splat(0.0);
        // Zero times a number is zero, times anything else NaN.
        let finite = s.movemask(s.eq(s.mul(lanes, zero), zero));
        let zeros = s.movemask(s.eq(lanes, zero));
        let is_valid = finite & (ORIGIN | DIRECTION) == ORIGIN | DIRECTION
            && zeros & DIRECTION != DIRECTION
            && ray.t_min <= ray.t_max;
        if !is_valid {
            return None;
        }
        let mut sizes = s.abs(lanes);
        let o = ray.origin.to_array();
        let farthest_coordinate = o[0].abs().max(o[1].abs()).max(o[2].abs());
        let shift = origin_shift(farthest_coordinate, reach.near);
        let farthest = farthest_coordinate + reach.max;
        let is_long = s.movemask(s.le(s.splat(SHORT), sizes)) & DIRECTION != 0;
        let is_tiny = !is_long && s.movemask(s.le(s.splat(TINY), sizes)) & DIRECTION == 0;
        if is_tiny {
            sizes = s.mul(sizes, s.splat(STRETCH));
        }
        let reciprocals = s.min(s.div(s.splat(1.0), sizes), s.splat(f32::MAX));
        let reciprocals = direction_first(s, s.xor_sign(reciprocals, lanes));
        let backward = s.sign_bits(lanes) >> 3 & 7;
        Some(Self { simd, ray, reciprocals, backward, sizes, shift, is_tiny, farthest })
    }

    /// The [dominant axes](WatertightRay::dominant_axes) of the direction.
    #[inline(always)]
    pub(super) fn axes(&self) -> &'static [Axis; 3] {
        let s = self.simd;
        let greater = s.permute(self.sizes, s.load_bits(&[4, 5, 5, 4, 5, 5, 4, 5]));
        let smaller = s.permute(self.sizes, s.load_bits(&[3, 3, 4, 3, 3, 4, 3, 3]));
        WatertightRay::axes_by_order(!s.movemask(s.not_lt(smaller, greater)))
    }

    #[inline(always)]
    pub(crate) fn t_min(&self) -> f32 {
        self.ray.t_min
    }
}

/// The lanes of the direction in the place of those of the origin.
#[inline(always)]
fn direction_first<S: Simd>(simd: S, lanes: S::F) -> S::F {
    simd.permute(lanes, simd.load_bits(&[3, 4, 5, 3, 4, 5, 3, 4]))
}
