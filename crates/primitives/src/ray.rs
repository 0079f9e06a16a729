//! Rays, segments and lines.

use glam::Vec3;
use thiserror::Error;

/// A ray: the points `origin + t * direction` with `t` in the closed interval `[t_min, t_max]`.
///
/// The direction is kept as given and never normalised, so `t` is in units of its length: for a
/// segment from `a` to `b` (see [`Ray::segment`]) `t` runs from 0 at `a` to 1 at `b`.
///
/// A ray is *invalid* when its origin or direction is not finite, its direction is zero, a bound is
/// NaN, or `t_min > t_max`. An invalid ray hits nothing, in every query, and costs no more than a
/// valid one. [`Ray::checked`] returns the reason instead.
///
/// *Contact*: a ray whose origin lies exactly in a face touches it at `t = 0`, on either side. A ray
/// that starts a millionth of the mesh's size above a face does not, unless it grazes the face.
/// Between these cases rounding decides. A depth of at most `4 u D` along the direction's largest
/// component counts as zero, with `u = 2^-24` and `D` the largest component of a corner minus the
/// origin. To leave a surface, start the ray off it (`HitDetails::safe_origin` in a scene), or filter
/// out the triangle that it leaves.
///
/// *Memory*: 32 bytes, `repr(C)`, in the order of the fields, so that kernels load a ray as eight
/// lanes.
///
/// ```
/// use hitscan_primitives::Ray;
///
/// let ray = Ray::segment([4.0, -7.0, -4.0], [2.0, 3.0, 4.0]);
/// assert_eq!(ray.at(0.25).to_array(), [3.5, -4.5, -2.0]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Ray {
    /// The point at `t = 0`.
    pub origin: Vec3,
    /// The change of position per unit of `t`. Any length but zero.
    pub direction: Vec3,
    /// The smallest `t` that counts, inclusive. May be negative or -inf.
    pub t_min: f32,
    /// The largest `t` that counts, inclusive. May be +inf; the `t` of a hit is always finite.
    pub t_max: f32,
}

impl Ray {
    /// The half-line from `origin` along `direction`: `t` in `[0, +inf]`.
    pub fn new(origin: impl Into<[f32; 3]>, direction: impl Into<[f32; 3]>) -> Self {
        Self {
            origin: Vec3::from_array(origin.into()),
            direction: Vec3::from_array(direction.into()),
            t_min: 0.0,
            t_max: f32::INFINITY,
        }
    }

    /// The segment from `from` to `to`: direction `to - from`, `t` in `[0, 1]`.
    pub fn segment(from: impl Into<[f32; 3]>, to: impl Into<[f32; 3]>) -> Self {
        let from = Vec3::from_array(from.into());
        let to = Vec3::from_array(to.into());
        Self { origin: from, direction: to - from, t_min: 0.0, t_max: 1.0 }
    }

    /// The infinite line through `point` along `direction`: `t` in `[-inf, +inf]`.
    pub fn line(point: impl Into<[f32; 3]>, direction: impl Into<[f32; 3]>) -> Self {
        Self { t_min: f32::NEG_INFINITY, ..Self::new(point, direction) }
    }

    /// The same ray with `t` in `[t_min, t_max]`.
    #[must_use]
    pub fn with_range(self, t_min: f32, t_max: f32) -> Self {
        Self { t_min, t_max, ..self }
    }

    /// The ray itself if it is valid.
    ///
    /// # Errors
    /// The first reason why the ray is invalid; see [`Ray`].
    pub fn checked(self) -> Result<Self, RayError> {
        if !self.origin.is_finite() {
            Err(RayError::Origin(self.origin.to_array()))
        } else if !self.direction.is_finite() || self.direction == Vec3::ZERO {
            Err(RayError::Direction(self.direction.to_array()))
        } else if self.t_min <= self.t_max {
            Ok(self)
        } else {
            Err(RayError::Range { t_min: self.t_min, t_max: self.t_max })
        }
    }

    /// Whether the ray is valid; see [`Ray`]. An invalid ray hits nothing.
    #[inline(always)]
    pub fn is_valid(&self) -> bool {
        // Zero times a number is zero, times anything else NaN: one comparison instead of six.
        let zero = self.origin * 0.0 + self.direction * 0.0;
        zero == Vec3::ZERO && self.direction != Vec3::ZERO && self.t_min <= self.t_max
    }

    /// `t` rounded to f32 if the result is finite and in the ray's interval; never -0.0.
    #[inline]
    pub(crate) fn accept(&self, t: f64) -> Option<f32> {
        // `+ 0.0` turns -0.0 into 0.0. NaN fails both comparisons.
        let t = t as f32 + 0.0;
        (self.t_min <= t && t <= self.t_max && t.is_finite()).then_some(t)
    }

    /// The point at `t`, rounded to `f32`. For a hit, [`TriMesh::point`](crate::TriMesh::point) is
    /// more exact, because it computes the point on the triangle in f64.
    #[inline]
    pub fn at(&self, t: f32) -> Vec3 {
        self.origin + t * self.direction
    }
}

/// The reason why a ray is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum RayError {
    /// A component of the origin is NaN or infinite.
    #[error("ray origin {0:?} is not finite")]
    Origin([f32; 3]),
    /// The direction is zero, or a component of it is NaN or infinite.
    #[error("ray direction {0:?} is zero or not finite")]
    Direction([f32; 3]),
    /// A bound is NaN, or the interval is empty.
    #[error("ray interval [{t_min}, {t_max}] is empty or not a number")]
    Range {
        /// The lower bound found.
        t_min: f32,
        /// The upper bound found.
        t_max: f32,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_ends_at_its_target() {
        let ray = Ray::segment([1.0, 2.0, 3.0], [4.0, 6.0, 8.0]);
        assert_eq!(ray.at(ray.t_max).to_array(), [4.0, 6.0, 8.0]);
    }

    #[test]
    fn every_kind_of_invalid_ray_is_told_apart() {
        let good = Ray::new([0.0; 3], [0.0, 0.0, 1.0]);
        assert_eq!(good.checked(), Ok(good));
        let origin = Ray::new([f32::NAN, 0.0, 0.0], [1.0, 0.0, 0.0]);
        assert!(matches!(origin.checked(), Err(RayError::Origin(_))));
        let zero = Ray::new([0.0; 3], [0.0, -0.0, 0.0]);
        assert!(matches!(zero.checked(), Err(RayError::Direction(_))));
        for (t_min, t_max) in [(1.0, 0.5), (f32::NAN, 1.0), (0.0, f32::NAN)] {
            let ray = good.with_range(t_min, t_max);
            assert!(matches!(ray.checked(), Err(RayError::Range { .. })));
            assert!(!ray.is_valid());
        }
    }
}
