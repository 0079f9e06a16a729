//! Ray setup: validates a ray and prepares the constants of both tests.

use hitscan_primitives::Ray;

use crate::{
    error_bounds::{LEAST_COMPONENT, LONGEST, NEAR_ORIGIN, SHORT, STRETCH, TINY},
    simd::{Simd, as_row},
};

/// A valid ray with what the box test and the triangle test derive their constants from.
///
/// A short ray spends a fifth of its time on its setup. A ray is eight f32, so most constants of the box
/// test are computed in eight lanes at once. Those of the triangle test wait for the first leaf.
pub(crate) struct QueryRay<'a, S: Simd> {
    pub(super) simd: S,
    /// In the tree's space.
    pub(super) ray: &'a Ray,
    /// Lanes 3 to 5 are `1 / direction`, clamped to finite values of the same sign.
    pub(super) reciprocals: S::F,
    /// Bit `i` is the sign of the direction on axis `i`.
    pub(super) backward: u32,
    pub(super) origin: Origin,
    /// Whether the ray starts near the mesh, has no negative `t_min`, and is neither [`SHORT`] nor longer
    /// than [`LONGEST`].
    can_take_fast_path: bool,
    /// Whether the direction is below [`TINY`]: its reciprocals are those of [`STRETCH`] times it.
    pub(super) is_tiny: bool,
    /// The largest coordinate of the mesh in absolute value.
    max_abs: f32,
}

/// How far from the mesh a ray starts.
#[derive(Clone, Copy)]
pub(crate) enum Origin {
    /// Within [`NEAR_ORIGIN`].
    Near,
    /// With the largest |origin| + M.
    Far(f32),
}

impl<'a, S: Simd> QueryRay<'a, S> {
    /// Prepares a ray for a mesh whose largest coordinate is `max_abs`. `None` if the ray is invalid.
    #[inline(always)]
    pub(crate) fn new(simd: S, ray: &'a Ray, max_abs: f32) -> Option<Self> {
        const ORIGIN: u32 = 0b000_111;
        const DIRECTION: u32 = 0b111_000;
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
        let near = s.movemask(s.le(sizes, s.splat(NEAR_ORIGIN * max_abs)));
        let origin = if near & ORIGIN == ORIGIN {
            Origin::Near
        } else {
            let o = ray.origin.to_array();
            let farthest = o[0].abs().max(o[1].abs()).max(o[2].abs());
            Origin::Far(farthest + max_abs)
        };
        let is_long = s.movemask(s.le(s.splat(SHORT), sizes)) & DIRECTION != 0;
        let is_huge = s.movemask(s.le(sizes, s.splat(LONGEST))) & DIRECTION != DIRECTION;
        let can_take_fast_path =
            is_long && !is_huge && matches!(origin, Origin::Near) && ray.t_min >= 0.0;
        let is_tiny = !is_long && s.movemask(s.le(s.splat(TINY), sizes)) & DIRECTION == 0;
        if can_take_fast_path {
            sizes = s.max(sizes, s.splat(LEAST_COMPONENT));
        } else if is_tiny {
            sizes = s.mul(sizes, s.splat(STRETCH));
        }
        let reciprocals = s.min(s.div(s.splat(1.0), sizes), s.splat(f32::MAX));
        let reciprocals = s.xor_sign(reciprocals, lanes);
        let backward = s.sign_bits(lanes) >> 3 & 7;
        Some(Self {
            simd,
            ray,
            reciprocals,
            backward,
            origin,
            can_take_fast_path,
            is_tiny,
            max_abs,
        })
    }

    /// Whether the fast box test and triangle test are correct for this ray.
    #[inline(always)]
    pub(crate) fn can_take_fast_path(&self) -> bool {
        self.can_take_fast_path
    }

    /// The largest |origin| + M: no component of a corner minus the origin exceeds it but by rounding.
    #[inline(always)]
    pub(super) fn farthest(&self) -> f32 {
        let [x, y, z] = self.ray.origin.to_array();
        x.abs().max(y.abs()).max(z.abs()) + self.max_abs
    }
}
