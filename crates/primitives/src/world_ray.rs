//! Rays in world space, and their images in the space of a mesh.

use glam::{DMat3, DVec3};

use crate::{Aabb, Ray, RayError, power_of_two_below, reciprocal_of_power_of_two};

/// A ray in world space, in f64: the points `origin + t * direction` with `t` in the closed interval
/// `[t_min, t_max]`.
///
/// As with [`Ray`], the direction is never normalised, and `t` counts in units of it. The ray is invalid
/// if the origin or direction is not finite, the direction is zero, a bound is NaN, or `t_min > t_max`.
/// An invalid ray hits nothing in every query; [`checked`](Self::checked) reports the reason.
///
/// ```
/// use hitscan_primitives::WorldRay;
///
/// let ray = WorldRay::segment([1.0e7, 0.0, 0.0], [1.0e7, 0.0, 4.0]);
/// assert_eq!(ray.at(0.25).to_array(), [1.0e7, 0.0, 1.0]);
///
/// let error = WorldRay::new([0.0; 3], [0.0; 3]).checked().unwrap_err();
/// assert!(error.to_string().contains("direction"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct WorldRay {
    /// The point at `t = 0`, in world units.
    pub origin: DVec3,
    /// The change of position per unit of `t`. Any nonzero length.
    pub direction: DVec3,
    /// The minimum `t` of a hit, inclusive. May be negative.
    pub t_min: f64,
    /// The maximum `t` of a hit, inclusive. May be infinite; the `t` of a hit is always finite.
    pub t_max: f64,
}

impl WorldRay {
    /// The half-line from `origin` along `direction`: `t` in `[0, +inf]`.
    pub fn new(origin: impl Into<[f64; 3]>, direction: impl Into<[f64; 3]>) -> Self {
        Self {
            origin: DVec3::from_array(origin.into()),
            direction: DVec3::from_array(direction.into()),
            t_min: 0.0,
            t_max: f64::INFINITY,
        }
    }

    /// The segment from `from` to `to`: direction `to - from`, `t` in `[0, 1]`.
    pub fn segment(from: impl Into<[f64; 3]>, to: impl Into<[f64; 3]>) -> Self {
        let from = DVec3::from_array(from.into());
        let to = DVec3::from_array(to.into());
        Self { origin: from, direction: to - from, t_min: 0.0, t_max: 1.0 }
    }

    /// The infinite line through `point` along `direction`: `t` in `[-inf, +inf]`.
    pub fn line(point: impl Into<[f64; 3]>, direction: impl Into<[f64; 3]>) -> Self {
        Self { t_min: f64::NEG_INFINITY, ..Self::new(point, direction) }
    }

    /// The same ray with `t` in `[t_min, t_max]`.
    #[must_use]
    pub fn with_range(self, t_min: f64, t_max: f64) -> Self {
        Self { t_min, t_max, ..self }
    }

    /// Returns the ray if it is valid.
    ///
    /// # Errors
    /// The first of origin, direction and range that makes the ray invalid, with the values found.
    /// The error rounds them from f64 to f32, so a value beyond the range of f32 appears as infinite.
    pub fn checked(self) -> Result<Self, RayError> {
        if !self.origin.is_finite() {
            Err(RayError::Origin(self.origin.as_vec3().to_array()))
        } else if !self.direction.is_finite() || self.direction == DVec3::ZERO {
            Err(RayError::Direction(self.direction.as_vec3().to_array()))
        } else if self.t_min <= self.t_max {
            Ok(self)
        } else {
            Err(RayError::Range { t_min: self.t_min as f32, t_max: self.t_max as f32 })
        }
    }

    /// Whether the ray is valid. An invalid ray hits nothing.
    pub fn is_valid(&self) -> bool {
        self.checked().is_ok()
    }

    /// The point at `t`, in world space. Not clamped to the interval.
    pub fn at(&self, t: f64) -> DVec3 {
        self.origin + t * self.direction
    }
}

impl From<Ray> for WorldRay {
    fn from(ray: Ray) -> Self {
        Self {
            origin: ray.origin.as_dvec3(),
            direction: ray.direction.as_dvec3(),
            t_min: ray.t_min.into(),
            t_max: ray.t_max.into(),
        }
    }
}

/// An f32 above a number, or the infinite number. Without the branches of `next_up`.
#[doc(hidden)]
#[inline(always)]
pub fn rounded_up(x: f64) -> f32 {
    // Twice the rounding to f32, and seven times its least number.
    (x * (1.0 + f64::from(f32::EPSILON).copysign(x)) + 1e-44) as f32
}

/// The image of a world ray in the space of an instance's mesh. It defines the hits of the instance.
///
/// The hits of an instance are the hits of its mesh by [`ray`](Self::ray), to the last bit. A hit at `t`
/// of the local ray lies at [`world_t`](Self::world_t) of the world ray. The inverse transform takes the
/// world direction to the local one, which is rounded to f32 and not normalised. Both `t` therefore
/// count in the same unit.
///
/// A world ray that starts more than four radii from the centre of the mesh's bounding sphere gets a new
/// start. The local ray then begins two to three radii before its point nearest to the centre, at
/// [`t_offset`](Self::t_offset) of the world ray. The new start is computed in f64 and rounded near the
/// mesh, so a hit is as exact from a million units as from ten.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LocalRay {
    /// The ray in the space of the mesh, in f32.
    pub ray: Ray,
    /// The `t` of the world ray at which the local ray has `t = 0`; 0 if the ray starts near the mesh.
    pub t_offset: f64,
    t_min: f64,
    t_max: f64,
}

/// The sphere around a mesh to which its local rays refer.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LocalSphere {
    /// The centre of the mesh's box.
    pub center: DVec3,
    /// The distance from the centre to the corners of the box, and a thousandth of it.
    pub radius: f64,
}

impl LocalSphere {
    /// The sphere of a mesh with these bounds; at zero, without a radius, if they are empty.
    pub fn new(bounds: Aabb) -> Self {
        if bounds.is_empty() {
            return Self::default();
        }
        let (min, max) = (bounds.min.as_dvec3(), bounds.max.as_dvec3());
        // Slightly larger, so that rounding leaves no point outside.
        Self { center: 0.5 * (min + max), radius: 1.001 * (0.5 * (max - min)).length() }
    }
}

/// What brings a world ray into the space of a mesh: the inverse transform of an instance, and the sphere of its mesh.
#[derive(Clone, Copy, Debug)]
pub struct LocalFrame {
    /// Where the instance puts the origin of the mesh.
    pub translation: DVec3,
    /// The inverse of the linear part of its transform.
    pub inverse_linear: DMat3,
    /// That of the mesh.
    pub sphere: LocalSphere,
}

impl LocalFrame {
    /// A point of the world in the space of the mesh, in f64.
    pub fn local_point(&self, point: DVec3) -> DVec3 {
        // Subtract first, because the difference of two points far from the origin is small and exact.
        self.inverse_linear * (point - self.translation)
    }
}

/// A ray that starts farther than this many radii from the centre of a mesh gets a new start.
const NEAR_RADII: f64 = 4.0;

/// The magnitudes of a local direction's largest component for which f32 arithmetic is safe.
const DIRECTION_RANGE: std::ops::RangeInclusive<f32> = 1e-30..=1e30;

impl LocalSphere {
    /// The `t` at which the local ray starts: two to three radii before the centre; `None` for a ray from near the mesh,
    /// which starts at its origin. In the space of the mesh: from the origin to the centre, and the direction.
    #[doc(hidden)]
    #[inline(always)]
    pub fn start(&self, to_center: DVec3, direction: DVec3) -> Option<f64> {
        let near = NEAR_RADII * self.radius;
        if to_center.length_squared() <= near * near {
            return None;
        }
        let length_squared = direction.length_squared();
        let t_radius = self.radius / length_squared.sqrt();
        // The start has few bits, so that adding it to a `t` of few bits is exact.
        let grid = power_of_two_below(t_radius);
        let t_start = to_center.dot(direction) / length_squared - 2.0 * t_radius;
        Some((t_start * reciprocal_of_power_of_two(grid)).floor() * grid)
    }
}

impl LocalRay {
    /// The local ray of a valid world ray; `None` if it cannot be expressed in f32.
    #[inline]
    pub fn new(frame: &LocalFrame, ray: &WorldRay) -> Option<Self> {
        // Subtract first, because the difference of two points far from the origin is small and exact.
        let to_ray = ray.origin - frame.translation;
        let direction = frame.inverse_linear * ray.direction;
        let origin = frame.inverse_linear * to_ray;
        let start = frame.sphere.start(frame.sphere.center - origin, direction);
        let origin = match start {
            None => origin,
            Some(t) => frame.inverse_linear * (to_ray + t * ray.direction),
        };
        let local = Self::rounded(ray, start, ray.t_max, |t_min, t_max| Ray {
            origin: origin.as_vec3(),
            direction: direction.as_vec3(),
            t_min,
            t_max,
        });
        local.is_in_range().then_some(local)
    }

    /// The local ray of a world ray up to a `t` of that, from its `start`, and from its f32 ray for an interval.
    #[doc(hidden)]
    #[inline(always)]
    pub fn rounded(
        ray: &WorldRay,
        start: Option<f64>,
        world_t: f64,
        in_f32: impl FnOnce(f32, f32) -> Ray,
    ) -> Self {
        let (t_offset, t_min, t_max) = match start {
            None => (0.0, ray.t_min, ray.t_max),
            // No part of the mesh lies before the new start.
            Some(start) => (start, (ray.t_min - start).max(0.0), ray.t_max - start),
        };
        let t_max = until(t_max as f32, world_t, t_offset);
        let ray_in_f32 = in_f32(t_min as f32, t_max);
        Self { ray: ray_in_f32, t_offset, t_min: ray.t_min, t_max: ray.t_max }
    }

    /// Whether f32 can express the ray. Others hit nothing.
    #[inline]
    pub fn is_in_range(&self) -> bool {
        DIRECTION_RANGE.contains(&self.ray.direction.abs().max_element()) && self.ray.is_valid()
    }

    /// The `t` of the world ray for a `t` of the local ray: `t_offset + t`, clamped to the interval of
    /// the world ray.
    #[inline(always)]
    pub fn world_t(&self, t: f32) -> f64 {
        // `+ 0.0` turns -0.0 into 0.0.
        (self.t_offset + f64::from(t)).max(self.t_min).min(self.t_max) + 0.0
    }

    /// The local ray shortened to a `t` of the world ray. It keeps every hit whose
    /// [`world_t`](Self::world_t) is at most `world_t`.
    #[inline(always)]
    pub fn until(&self, world_t: f64) -> Ray {
        Ray { t_max: until(self.ray.t_max, world_t, self.t_offset), ..self.ray }
    }
}

/// The smaller of the `t_max` of a local ray and that of hits whose `t` of the world ray is at most `world_t`.
#[inline(always)]
fn until(t_max: f32, world_t: f64, t_offset: f64) -> f32 {
    // Exceeds the rounding of the sum in `LocalRay::world_t`.
    let slack = f64::EPSILON * (world_t.abs() + t_offset.abs());
    let limit = rounded_up(world_t - t_offset + slack);
    if limit < t_max { limit } else { t_max }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_rounded_up_is_above_it_and_hardly_larger() {
        for exponent in -160..=128 {
            for fraction in [1.0, 1.000_000_06, 1.37, 1.999_999_97] {
                let x = fraction * 2f64.powi(exponent);
                for x in [x, -x] {
                    let up = f64::from(rounded_up(x));
                    assert!(up > x || up == f64::NEG_INFINITY && x < f64::from(f32::MIN), "{x:e}");
                    let most = f64::from((x as f32).next_up().next_up().next_up());
                    assert!(up <= most + 2e-44, "{x:e}: {up:e}");
                }
            }
        }
        assert!(rounded_up(0.0) > 0.0 && rounded_up(-0.0) > 0.0);
        assert_eq!(
            [f64::INFINITY, f64::NEG_INFINITY].map(rounded_up),
            [f32::INFINITY, f32::NEG_INFINITY]
        );
        assert!(rounded_up(f64::NAN).is_nan());
    }
}
