//! Spheres.

use glam::{DVec3, Vec3};

use crate::{Aabb, Ray};

/// A sphere: the points at `radius` from `center`.
///
/// No ray hits a sphere whose radius is negative, infinite or NaN. A sphere of radius zero is a point.
///
/// ```
/// use hitscan_primitives::{Ray, Sphere};
///
/// let sphere = Sphere::new([0.0, 0.0, 5.0], 1.0);
/// let ray = Ray::new([0.0; 3], [0.0, 0.0, 2.0]);
/// assert_eq!(sphere.roots(&ray), Some((2.0, 3.0)));
/// assert_eq!(sphere.intersect(&ray), Some(2.0));
/// // From inside, the exit.
/// assert_eq!(sphere.intersect(&Ray::new([0.0, 0.0, 5.0], [1.0, 0.0, 0.0])), Some(1.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    /// The centre.
    pub center: Vec3,
    /// The distance of every point of the sphere from the centre.
    pub radius: f32,
}

impl Sphere {
    /// The sphere of `radius` about `center`.
    pub fn new(center: impl Into<[f32; 3]>, radius: f32) -> Self {
        Self { center: Vec3::from_array(center.into()), radius }
    }

    /// The box around the sphere, rounded outwards. Empty for a radius that is negative or NaN, or a
    /// centre that is not finite.
    pub fn bounds(&self) -> Aabb {
        let is_sphere = self.center.is_finite() && self.radius >= 0.0;
        if !is_sphere {
            return Aabb::EMPTY;
        }
        let (center, radius) = (self.center.as_dvec3(), f64::from(self.radius));
        Aabb::around_f64(center - radius, center + radius)
    }

    /// Whether a point lies inside the sphere or on it.
    pub fn contains(&self, point: impl Into<[f32; 3]>) -> bool {
        let point = Vec3::from_array(point.into()).as_dvec3();
        point.distance(self.center.as_dvec3()) <= f64::from(self.radius)
    }

    /// The first `t` within the ray's interval at which it meets the sphere. This is the exit if the
    /// entry lies before the interval, for example if the origin is inside.
    pub fn intersect(&self, ray: &Ray) -> Option<f32> {
        let [first, second] = self.hits(ray);
        first.or(second)
    }

    /// The `t` of entry and exit, each `None` if it is outside the ray's interval.
    pub fn hits(&self, ray: &Ray) -> [Option<f32>; 2] {
        match self.roots_in_f64(ray) {
            Some((entry, exit)) => [ray.accept(entry), ray.accept(exit)],
            None => [None, None],
        }
    }

    /// The `t` at which the ray's whole line enters and leaves the sphere, without regard to the
    /// interval. Both are equal for a tangent. `None` if the line misses, or a root overflows f32.
    pub fn roots(&self, ray: &Ray) -> Option<(f32, f32)> {
        let (entry, exit) = self.roots_in_f64(ray)?;
        let line = Ray { t_min: f32::NEG_INFINITY, t_max: f32::INFINITY, ..*ray };
        Some((line.accept(entry)?, line.accept(exit)?))
    }

    /// The roots of the quadratic equation, in order, for a valid ray.
    ///
    /// Haines, Günther and Akenine-Möller, "Precision Improvements for Ray/Sphere Intersection" (Ray
    /// Tracing Gems, 2019). The discriminant comes from the distance between the centre and the ray,
    /// which does not cancel for small spheres far away. The root that would cancel is computed from
    /// the other one. All in f64, where squares of f32 neither overflow nor vanish.
    fn roots_in_f64(&self, ray: &Ray) -> Option<(f64, f64)> {
        let radius = f64::from(self.radius);
        if !(ray.is_valid() && self.center.is_finite() && radius >= 0.0 && radius.is_finite()) {
            return None;
        }
        let d = ray.direction.as_dvec3();
        let to_center = self.center.as_dvec3() - ray.origin.as_dvec3();
        let dd = d.length_squared();
        let middle = to_center.dot(d) / dd;
        let beside: DVec3 = to_center - middle * d;
        let discriminant = radius * radius - beside.length_squared();
        if discriminant < 0.0 {
            return None;
        }
        let half_chord = (discriminant / dd).sqrt();
        let farther = middle + half_chord.copysign(middle);
        // The product of the roots is (|to_center|^2 - radius^2) / dd.
        let distance = to_center.length();
        let product = (distance - radius) * (distance + radius) / dd;
        let nearer = if farther == 0.0 { 0.0 } else { product / farther };
        Some((nearer.min(farther), nearer.max(farther)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNIT: Sphere = Sphere { center: Vec3::ZERO, radius: 1.0 };

    #[test]
    fn the_box_of_a_sphere_holds_its_poles() {
        let sphere = Sphere::new([0.1, 1e7, -3.0], 0.3);
        let bounds = sphere.bounds();
        for axis in DVec3::AXES {
            for pole in [0.3f32, -0.3].map(|r| sphere.center.as_dvec3() + f64::from(r) * axis) {
                let (min, max) = (bounds.min.as_dvec3(), bounds.max.as_dvec3());
                assert!(min.cmple(pole).all() && pole.cmple(max).all(), "{pole}");
            }
        }
        assert_eq!(UNIT.bounds(), Aabb::new([-1.0; 3], [1.0; 3]));
        assert!(Sphere::new([0.0; 3], -1.0).bounds().is_empty());
        assert!(Sphere::new([0.0; 3], f32::NAN).bounds().is_empty());
    }

    #[test]
    fn a_sphere_in_front_is_hit_and_one_behind_is_not() {
        let ahead = Ray::new([-3.0, 0.0, 0.0], [1.0, 0.0, 0.0]);
        assert_eq!(UNIT.intersect(&ahead), Some(2.0));
        assert_eq!(UNIT.hits(&ahead), [Some(2.0), Some(4.0)]);
        let away = Ray::new([-3.0, 0.0, 0.0], [-1.0, 0.0, 0.0]);
        assert_eq!(UNIT.intersect(&away), None);
        assert_eq!(UNIT.roots(&away), Some((-4.0, -2.0)));
    }

    #[test]
    fn an_origin_inside_gets_the_exit_also_when_it_looks_away_from_the_centre() {
        let outward = Ray::new([0.5, 0.0, 0.0], [1.0, 0.0, 0.0]);
        assert_eq!(UNIT.intersect(&outward), Some(0.5));
        let inward = Ray::new([0.5, 0.0, 0.0], [-1.0, 0.0, 0.0]);
        assert_eq!(UNIT.intersect(&inward), Some(1.5));
        assert_eq!(UNIT.intersect(&Ray::new([0.0; 3], [0.0, 4.0, 0.0])), Some(0.25));
    }

    #[test]
    fn the_length_of_the_direction_scales_t_and_nothing_else() {
        for length in [1e-30, 0.5, 3.0, 1e30] {
            let ray = Ray::new([-3.0, 0.6, 0.0], [length, 0.0, 0.0]);
            let (entry, exit) = UNIT.roots(&ray).unwrap();
            assert!((entry * length - 2.2).abs() < 1e-6 && (exit * length - 3.8).abs() < 1e-6);
        }
    }

    #[test]
    fn a_small_sphere_far_away_keeps_its_size() {
        // |to_center|^2 - t^2 is 0 here even in f64; it should be 0.25.
        let sphere = Sphere::new([1e9, 0.5, 0.0], 1.0);
        let (entry, exit) = sphere.roots_in_f64(&Ray::new([0.0; 3], [1.0, 0.0, 0.0])).unwrap();
        assert!((exit - entry - 3f64.sqrt()).abs() < 1e-6, "{entry} {exit}");
        let passing = |y: f32| sphere.roots(&Ray::new([0.0, y, 0.0], [1.0, 0.0, 0.0]));
        assert!(passing(1.499).is_some() && passing(-0.499).is_some());
        assert!(passing(1.501).is_none() && passing(-0.501).is_none());
    }

    #[test]
    fn the_near_root_of_a_huge_sphere_does_not_cancel() {
        let radius = 2f32.powi(40);
        let sphere = Sphere::new([0.0, 0.0, -radius], radius);
        // A thousandth above the surface, which is as good as the plane z = 0.
        let ray = Ray::new([0.0, 0.0, 1.0 / 1024.0], [0.3, 0.1, -0.7]);
        let t = sphere.intersect(&ray).unwrap();
        assert!((t * 0.7 * 1024.0 - 1.0).abs() < 1e-6, "{t}");
        let on_it = Ray::new([0.0; 3], [0.0, 0.0, -1.0]);
        assert_eq!(sphere.roots(&on_it), Some((0.0, 2.0 * radius)));
    }

    #[test]
    fn a_tangent_touches_once_and_the_interval_is_closed() {
        let tangent = Ray::new([-2.0, 1.0, 0.0], [1.0, 0.0, 0.0]);
        assert_eq!(UNIT.roots(&tangent), Some((2.0, 2.0)));
        let ahead = Ray::new([-3.0, 0.0, 0.0], [1.0, 0.0, 0.0]);
        assert_eq!(UNIT.hits(&ahead.with_range(2.0, 3.0)), [Some(2.0), None]);
        assert_eq!(UNIT.hits(&ahead.with_range(2.5, 4.0)), [None, Some(4.0)]);
        assert_eq!(UNIT.hits(&ahead.with_range(2.5, 3.5)), [None, None]);
        assert_eq!(UNIT.intersect(&ahead.with_range(2.5, 4.0)), Some(4.0));
    }

    #[test]
    fn an_origin_on_the_sphere_is_a_hit_at_zero() {
        let inward = Ray::new([1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]);
        assert_eq!(
            UNIT.hits(&inward).map(|t| t.map(f32::to_bits)),
            [Some(0), Some(2f32.to_bits())]
        );
        let outward = Ray::new([1.0, 0.0, 0.0], [1.0, 0.0, 0.0]);
        assert_eq!(UNIT.hits(&outward).map(|t| t.map(f32::to_bits)), [None, Some(0)]);
    }

    #[test]
    fn bad_spheres_and_bad_rays_miss() {
        let ray = Ray::new([-3.0, 0.0, 0.0], [1.0, 0.0, 0.0]);
        for radius in [-1.0, f32::NAN, f32::INFINITY] {
            assert_eq!(Sphere::new([0.0; 3], radius).hits(&ray), [None, None]);
        }
        assert_eq!(Sphere::new([f32::NAN; 3], 1.0).intersect(&ray), None);
        assert_eq!(UNIT.intersect(&Ray::new([0.0; 3], [0.0; 3])), None);
        assert_eq!(Sphere::new([0.0; 3], 0.0).roots(&ray), Some((3.0, 3.0)));
        assert!(UNIT.contains([0.0, -1.0, 0.0]) && !UNIT.contains([0.0, -1.001, 0.0]));
    }
}
