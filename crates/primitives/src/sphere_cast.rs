//! A ball that moves along a ray until it touches a surface: the definition of every sphere cast.

mod sweep;

use std::cmp::Ordering;

use glam::DVec3;
use thiserror::Error;

use self::sweep::Sweep;
use crate::{Hit, Ray, RayError, WorldRay};

/// A ball whose centre moves along a ray: a swept sphere, or a thick ray.
///
/// A *contact* is the first `t` in the interval of the ray at which the closed ball and a closed triangle have a
/// point in common. A ball that touches at `t_min` has its contact there, however deep it is. A surface has no
/// front and back for a ball, because an edge or a vertex has no side; [`SphereContact::normal`] tells where
/// the ball comes from.
///
/// The first contact of a mesh is the minimum `(t, triangle)` of [`intersect`](Self::intersect) over all
/// triangles, computed in f64. It depends on no tree.
///
/// A radius of 0 is the ray: the answer has the triangle and `t` of `closest_hit` for both faces, by the ray
/// rounded to f32 in a mesh, and by the local ray of an instance in a scene.
///
/// ```
/// use hitscan_primitives::{Ray, SphereCast, TriangleFeature, glam::DVec3};
///
/// let cast = SphereCast::new(Ray::new([0.25, 0.25, 5.0], [0.0, 0.0, -1.0]), 0.5)?;
/// let corners = [DVec3::ZERO, DVec3::X, DVec3::Y];
/// let contact = cast.intersect(corners).expect("the ball falls onto the triangle");
/// assert_eq!((contact.t, contact.feature), (4.5, TriangleFeature::Face));
/// assert_eq!((contact.point, contact.normal), (DVec3::new(0.25, 0.25, 0.0), DVec3::Z));
/// # Ok::<(), hitscan_primitives::SphereCastError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct SphereCast {
    ray: WorldRay,
    radius: f64,
    /// The direction with length 1.
    unit: DVec3,
    /// The `t` of a unit of length.
    t_per_length: f64,
    /// One divided by each component of the direction.
    reciprocal: DVec3,
    /// The largest coordinate of the origin.
    origin_size: f64,
}

/// The first contact of a ball with a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SphereContact {
    /// The index of the triangle in [`TriMesh::triangles`](crate::TriMesh::triangles).
    pub triangle: u32,
    /// The position of the ball's centre on the ray, in units of its direction. Always finite, never -0.0.
    pub t: f64,
    /// The point of the triangle closest to the centre of the ball.
    pub point: DVec3,
    /// The unit vector from the point to the centre of the ball. If both coincide, it points against the direction of
    /// the ray.
    pub normal: DVec3,
    /// The part of the triangle that holds the point.
    pub feature: TriangleFeature,
    /// The weight of the triangle's second corner at the point, as in [`Hit`].
    pub u: f64,
    /// The weight of the triangle's third corner.
    pub v: f64,
}

/// The first contact of a ball with a single triangle; see [`SphereCast::intersect`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TriangleContact {
    /// As [`SphereContact::t`].
    pub t: f64,
    /// As [`SphereContact::point`].
    pub point: DVec3,
    /// As [`SphereContact::normal`].
    pub normal: DVec3,
    /// As [`SphereContact::feature`].
    pub feature: TriangleFeature,
    /// As [`SphereContact::u`].
    pub u: f64,
    /// As [`SphereContact::v`].
    pub v: f64,
}

/// A part of a triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TriangleFeature {
    /// The interior.
    Face,
    /// The edge from this corner to the next: 0, 1 or 2.
    Edge(u8),
    /// This corner: 0, 1 or 2.
    Vertex(u8),
}

/// The reason why a ball cannot be cast.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SphereCastError {
    /// The radius is negative, infinite or NaN.
    #[error("radius {0} is negative or not finite; expected 0 or more")]
    Radius(f64),
    /// The ray is invalid.
    #[error(transparent)]
    Ray(#[from] RayError),
    /// The largest component of the direction is beyond the range of the arithmetic.
    #[error("ray direction {0:?} has a largest component outside of 1e-200 to 1e200")]
    Direction([f64; 3]),
}

/// The share of all sizes by which a box is wider than the radius: 2^-40.
const PAD: f64 = 1.0 / (1u64 << 40) as f64;

/// The share of all sizes by which the distance at a contact may exceed the radius: 2^-43.
const SLACK: f64 = 1.0 / (1u64 << 43) as f64;

impl SphereCast {
    /// The ball of a radius along a ray.
    ///
    /// # Errors
    /// A radius that is negative or not finite, or an invalid ray.
    pub fn new(ray: impl Into<WorldRay>, radius: f64) -> Result<Self, SphereCastError> {
        let ray = ray.into();
        // In this form a NaN is an error.
        let is_radius = radius >= 0.0 && radius.is_finite();
        if !is_radius {
            return Err(SphereCastError::Radius(radius));
        }
        let ray = ray.checked()?;
        if !(1e-200..=1e200).contains(&ray.direction.abs().max_element()) {
            return Err(SphereCastError::Direction(ray.direction.to_array()));
        }
        Ok(Self::prepare(ray, radius))
    }

    fn prepare(ray: WorldRay, radius: f64) -> Self {
        // Finite, so that no product with a zero is NaN. Times any pad it exceeds every `t`.
        const MAX_RECIPROCAL: f64 = 1e300;
        // Near 1 first, so that no square leaves the range of f64.
        let largest = ray.direction.abs().max_element();
        let near_one = ray.direction / largest;
        let reciprocal =
            ray.direction.to_array().map(|d| (1.0 / d).clamp(-MAX_RECIPROCAL, MAX_RECIPROCAL));
        Self {
            ray,
            // `+ 0.0` turns -0.0 into 0.0.
            radius: radius + 0.0,
            unit: near_one.normalize(),
            t_per_length: 1.0 / largest / near_one.length(),
            reciprocal: DVec3::from_array(reciprocal),
            origin_size: ray.origin.abs().max_element(),
        }
    }

    /// The same ball in a space `scale` times as large, a power of two: `t` stays the same.
    #[must_use]
    pub fn scaled(&self, scale: f64) -> Self {
        if scale == 1.0 {
            return *self;
        }
        let WorldRay { origin, direction, .. } = self.ray;
        let ray = WorldRay { origin: origin * scale, direction: direction * scale, ..self.ray };
        Self::prepare(ray, self.radius * scale)
    }

    /// The same ball seen from the origin of its ray, which becomes zero.
    #[must_use]
    pub fn from_its_origin(&self) -> Self {
        Self { ray: WorldRay { origin: DVec3::ZERO, ..self.ray }, origin_size: 0.0, ..*self }
    }

    /// The ray of the centre.
    pub fn ray(&self) -> &WorldRay {
        &self.ray
    }

    /// The radius of the ball.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// One divided by each component of the direction, as [`enter`](Self::enter) uses it: finite.
    pub fn reciprocal(&self) -> DVec3 {
        self.reciprocal
    }

    /// The `t` of a unit of length, less some rounding, as [`lower_bound`](Self::lower_bound) uses it.
    pub fn least_t_per_length(&self) -> f64 {
        (1.0 - PAD) * self.t_per_length
    }

    /// The ray of the centre rounded to f32, if the radius is 0. Its hits are the contacts.
    pub fn as_ray(&self) -> Option<Ray> {
        let WorldRay { origin, direction, t_min, t_max } = self.ray;
        (self.radius == 0.0).then(|| Ray {
            origin: origin.as_vec3(),
            direction: direction.as_vec3(),
            t_min: t_min as f32,
            t_max: t_max as f32,
        })
    }

    /// The contact at a hit of the ray at `t`, for the radius 0.
    pub fn contact_of_hit(&self, hit: &Hit, t: f64) -> SphereContact {
        let (u, v) = (hit.u.into(), hit.v.into());
        SphereContact {
            triangle: hit.triangle,
            t,
            point: self.ray.at(t) + DVec3::ZERO,
            normal: DVec3::ZERO - self.unit,
            feature: TriangleFeature::of_weights(u, v),
            u,
            v,
        }
    }

    /// The growth of boxes for [`enter`](Self::enter): the radius and a pad for rounding. `size` is the largest
    /// coordinate of everything in them, in absolute value.
    pub fn growth(&self, size: f64) -> f64 {
        self.radius + PAD * (self.radius + self.origin_size + size)
    }

    /// The `t` at which the centre enters a box grown by `growth` on every side, within the interval of the ray. NaN
    /// if it does not.
    ///
    /// Each step is monotone under rounding. So a larger box, or a larger growth, is entered no later.
    #[inline(always)]
    pub fn enter(&self, min: DVec3, max: DVec3, growth: f64) -> f64 {
        let (enter, exit) = self.crossing(min, max, growth);
        if enter <= exit { enter } else { f64::NAN }
    }

    /// A `t` before which the ball touches nothing in a box: that of [`enter`](Self::enter), and the way from there
    /// that still separates the ball from the box. NaN if it touches nothing in the box.
    ///
    /// For the whole of what the box holds, and for a part of a triangle whose size `growth` includes. docs/proof.md
    /// shows that the pad of [`growth`](Self::growth) covers all rounding.
    #[inline(always)]
    pub fn lower_bound(&self, min: DVec3, max: DVec3, growth: f64) -> f64 {
        let enter = self.enter(min, max, growth);
        let center = self.ray.at(enter);
        let gap = (min - center).max(center - max).max(DVec3::ZERO).length() - growth;
        enter + gap.max(0.0) * self.least_t_per_length()
    }

    /// The `t` at which the centre enters and leaves a grown box.
    #[inline(always)]
    fn crossing(&self, min: DVec3, max: DVec3, growth: f64) -> (f64, f64) {
        let to_min = (min - growth - self.ray.origin) * self.reciprocal;
        let to_max = (max + growth - self.ray.origin) * self.reciprocal;
        let enter = to_min.min(to_max).max_element().max(self.ray.t_min);
        let exit = to_min.max(to_max).min_element().min(self.ray.t_max);
        (enter, exit)
    }

    /// The first contact with a triangle. Its corners are in the space of the ray, and finite.
    ///
    /// The points within the radius of a triangle are a prism around its face, cylinders around its edges and balls
    /// around its corners. The first contact is the least `t` at which the centre is in one of these seven
    /// (Ericson, "Real-Time Collision Detection", 2005, section 5.5.7). We clip all seven as solids, and relative to the
    /// point at which the centre enters the triangle's own [grown](Self::growth) box. So a ball that starts exactly
    /// on the surface touches it, no seam between two solids lets a ball through, and `t` is never less than the
    /// [entry](Self::enter) of any box around the triangle. The prism is wider at its sides by 2^-43 of all sizes.
    ///
    /// A triangle of zero area is a segment or a point. At a contact that is not at `t_min`, the distance is the radius,
    /// up to 2^-43 of the sizes of origin, radius and corners.
    pub fn intersect(&self, corners: [DVec3; 3]) -> Option<TriangleContact> {
        let [a, b, c] = corners;
        let (min, max) = (a.min(b).min(c), a.max(b).max(c));
        let size = min.abs().max(max.abs()).max_element();
        let (enter, exit) = self.crossing(min, max, self.growth(size));
        let is_near = enter <= exit;
        if !is_near {
            return None;
        }
        let start = self.ray.at(enter);
        let sweep = Sweep {
            corners: corners.map(|corner| corner - start),
            edges: [b - a, c - b, a - c],
            unit: self.unit,
            radius: self.radius,
            end: (exit - enter) / self.t_per_length,
            slack: SLACK * (self.radius + self.origin_size + size),
        };
        let mut entries = sweep.entries();
        entries.sort_unstable_by(f64::total_cmp);
        // The first but for rounding: a contact must not be far from its triangle.
        let (travel, found) = entries.into_iter().find_map(|travel| sweep.touch(travel))?;
        let to_center = travel * self.unit - found.point;
        let normal = to_center.try_normalize().unwrap_or(-self.unit);
        let feature = TriangleFeature::of_weights(found.u, found.v);
        let point = match feature {
            TriangleFeature::Vertex(corner) => corners[usize::from(corner)],
            _ => (a + found.u * (b - a) + found.v * (c - a)).clamp(min, max),
        };
        Some(TriangleContact {
            t: (enter + travel * self.t_per_length).min(self.ray.t_max) + 0.0,
            // The sum with zero turns -0.0 into 0.0.
            point: point + DVec3::ZERO,
            normal: normal + DVec3::ZERO,
            feature,
            u: found.u,
            v: found.v,
        })
    }
}

impl SphereContact {
    /// The contact of a mesh, from the index of a triangle and the contact in a space `scale` times as large as the
    /// mesh's.
    pub fn new(triangle: u32, contact: &TriangleContact, scale: f64) -> Self {
        let &TriangleContact { t, point, normal, feature, u, v } = contact;
        Self { triangle, t, point: point / scale, normal, feature, u, v }
    }

    /// Orders contacts along a ray: by `t`, then by triangle.
    #[inline]
    pub fn cmp_along_ray(&self, other: &Self) -> Ordering {
        self.t.total_cmp(&other.t).then(self.triangle.cmp(&other.triangle))
    }
}

impl TriangleFeature {
    /// The feature of a point with these weights of the second and the third corner.
    fn of_weights(u: f64, v: f64) -> Self {
        match (u == 0.0, v == 0.0, u + v == 1.0) {
            (true, true, _) => Self::Vertex(0),
            (_, true, true) => Self::Vertex(1),
            (true, _, true) => Self::Vertex(2),
            (_, true, _) => Self::Edge(0),
            (_, _, true) => Self::Edge(1),
            (true, ..) => Self::Edge(2),
            _ => Self::Face,
        }
    }
}

#[cfg(test)]
mod tests;
