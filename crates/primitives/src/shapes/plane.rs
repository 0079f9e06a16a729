//! Planes.

use glam::{DVec3, Vec3};

use crate::Ray;

/// A plane: the points `x` with `normal . (x - point) = 0`. The normal points to its front.
///
/// The normal may have any length but zero. The plane stores f64, so that the conversion between the
/// point form and the coefficients keeps all digits of f32.
///
/// ```
/// use hitscan_primitives::{Plane, Ray};
///
/// let plane = Plane::from_coefficients([0.0, 0.0, 2.0, -6.0]).expect("the normal is not zero");
/// assert_eq!(plane.point().to_array(), [0.0, 0.0, 3.0]);
/// let ray = Ray::new([1.0, 1.0, 0.0], [0.0, 0.0, 2.0]);
/// assert_eq!(plane.intersect(&ray), Some(1.5));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    point: DVec3,
    normal: DVec3,
}

impl Plane {
    /// The plane through `point` with a normal of any length; `None` if the normal is zero or a
    /// number is not finite.
    pub fn new(point: impl Into<[f32; 3]>, normal: impl Into<[f32; 3]>) -> Option<Self> {
        let (point, normal) = (Vec3::from_array(point.into()), Vec3::from_array(normal.into()));
        Self::from_f64(point.as_dvec3(), normal.as_dvec3())
    }

    /// The plane `a x + b y + c z + d = 0`, given as `[a, b, c, d]`; `None` if `a`, `b` and `c` are
    /// zero or a number is not finite.
    ///
    /// Its point is the one nearest to the coordinate origin.
    pub fn from_coefficients([a, b, c, d]: [f32; 4]) -> Option<Self> {
        let normal = Vec3::new(a, b, c).as_dvec3();
        // Squares of f32 neither overflow nor vanish in f64; a zero normal gives NaN, which is
        // rejected below.
        let point = -f64::from(d) / normal.length_squared() * normal;
        Self::from_f64(point, normal)
    }

    /// The plane through three points, counter-clockwise seen from its front; `None` if they lie on
    /// a line or are not finite.
    pub fn from_points(
        a: impl Into<[f32; 3]>,
        b: impl Into<[f32; 3]>,
        c: impl Into<[f32; 3]>,
    ) -> Option<Self> {
        let a = Vec3::from_array(a.into()).as_dvec3();
        let b = Vec3::from_array(b.into()).as_dvec3();
        let c = Vec3::from_array(c.into()).as_dvec3();
        Self::from_f64(a, (b - a).cross(c - a))
    }

    /// A plane from f64 numbers of the size that f32 input gives.
    pub(crate) fn from_f64(point: DVec3, normal: DVec3) -> Option<Self> {
        let is_plane = point.is_finite() && normal.is_finite() && normal != DVec3::ZERO;
        is_plane.then_some(Self { point, normal })
    }

    /// A point of the plane.
    pub fn point(&self) -> DVec3 {
        self.point
    }

    /// The normal, as given.
    pub fn normal(&self) -> DVec3 {
        self.normal
    }

    /// The normal with length 1.
    pub fn unit_normal(&self) -> DVec3 {
        self.normal / self.normal.length()
    }

    /// The four numbers `[a, b, c, d]` of `a x + b y + c z + d = 0`: the normal as given and
    /// `-normal . point`.
    pub fn coefficients(&self) -> [f64; 4] {
        let DVec3 { x, y, z } = self.normal;
        [x, y, z, -self.normal.dot(self.point)]
    }

    /// The distance of a point from the plane, positive in front of it and negative behind it.
    pub fn signed_distance(&self, point: impl Into<[f32; 3]>) -> f64 {
        let point = Vec3::from_array(point.into()).as_dvec3();
        self.normal.dot(point - self.point) / self.normal.length()
    }

    /// The `t` at which the ray meets the plane, within its closed interval: an origin on the plane is a
    /// hit.
    ///
    /// A parallel ray is a miss, even if it lies in the plane, because it has no single point in common
    /// with it. The lengths of the normal and the direction do not matter; there is no tolerance.
    pub fn intersect(&self, ray: &Ray) -> Option<f32> {
        if !ray.is_valid() {
            return None;
        }
        self.t_on_line(ray).and_then(|t| ray.accept(t))
    }

    /// The `t` at which the line of a valid ray meets the plane; `None` if it is parallel.
    pub(crate) fn t_on_line(&self, ray: &Ray) -> Option<f64> {
        let slope = self.normal.dot(ray.direction.as_dvec3());
        let height = self.normal.dot(self.point - ray.origin.as_dvec3());
        (slope != 0.0).then_some(height / slope)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tilted() -> Plane {
        Plane::new([1.0, 2.0, 3.0], [2.0, -1.0, 2.0]).unwrap()
    }

    #[test]
    fn both_forms_describe_the_same_plane() {
        let [a, b, c, d] = tilted().coefficients();
        assert_eq!([a, b, c, d], [2.0, -1.0, 2.0, -6.0]);
        let again = Plane::from_coefficients([a, b, c, d].map(|x| x as f32)).unwrap();
        for point in [[1.0, 2.0, 3.0], [4.0, -1.0, 0.5], [0.0; 3]] {
            let (first, second) = (tilted().signed_distance(point), again.signed_distance(point));
            assert!((first - second).abs() < 1e-15, "{first} {second}");
        }
        assert_eq!(again.coefficients()[..3], [a, b, c]);
        assert!((again.coefficients()[3] - d).abs() < 1e-14);
    }

    #[test]
    fn distance_is_signed_and_independent_of_the_normal_length() {
        let plane = Plane::new([0.0, 0.0, 3.0], [0.0, 0.0, 1e-20]).unwrap();
        assert_eq!(plane.signed_distance([7.0, 7.0, 5.0]), 2.0);
        assert_eq!(plane.signed_distance([7.0, 7.0, -1.0]), -4.0);
        assert_eq!(plane.unit_normal(), DVec3::Z);
    }

    #[test]
    fn the_point_of_the_plane_is_subtracted_before_the_dot_product() {
        // Without the brackets, rays that do not start at the coordinate origin would be wrong.
        let ray = Ray::new([3.0, 0.0, 7.0], [-1.0, 1.0, -2.0]);
        // n.(p - o) = 2*(-2) - 2 + 2*(-4) = -14, n.d = -2 - 1 - 4 = -7.
        assert_eq!(tilted().intersect(&ray), Some(2.0));
    }

    #[test]
    fn an_origin_on_the_plane_is_a_hit_at_zero() {
        let ray = Ray::new([1.0, 2.0, 3.0], [0.0, 0.0, -5.0]);
        assert_eq!(tilted().intersect(&ray).map(f32::to_bits), Some(0));
    }

    #[test]
    fn the_interval_is_closed_at_both_ends() {
        let plane = Plane::new([0.0; 3], [0.0, 0.0, 1.0]).unwrap();
        let ray = Ray::new([0.0, 0.0, 2.0], [0.0, 0.0, -1.0]);
        assert_eq!(plane.intersect(&ray.with_range(2.0, 2.0)), Some(2.0));
        assert_eq!(plane.intersect(&ray.with_range(0.0, 2f32.next_down())), None);
        assert_eq!(plane.intersect(&ray.with_range(2f32.next_up(), 9.0)), None);
        let away = Ray::new([0.0, 0.0, 2.0], [0.0, 0.0, 1.0]);
        assert_eq!(plane.intersect(&away), None);
        assert_eq!(plane.intersect(&Ray::line([0.0, 0.0, 2.0], [0.0, 0.0, 1.0])), Some(-2.0));
        assert_eq!(plane.intersect(&Ray::segment([0.0, 0.0, 2.0], [1.0, 0.0, 0.0])), Some(1.0));
    }

    #[test]
    fn a_parallel_ray_is_a_miss_in_the_plane_and_beside_it() {
        // (1, 4, 1) is orthogonal to the normal (2, -1, 2), also after scaling by any number.
        for scale in [1.0, 0.1, 1e-30, 3e30] {
            let direction = [scale, 4.0 * scale, scale];
            assert_eq!(tilted().intersect(&Ray::new([1.0, 2.0, 3.0], direction)), None);
            assert_eq!(tilted().intersect(&Ray::new([1.0, 2.0, 4.0], direction)), None);
        }
    }

    #[test]
    fn neither_tiny_normals_nor_tiny_directions_are_taken_for_parallel() {
        for (normal, direction, t) in
            [(1e-30, 1.0, 2.0), (1.0, 1e-30, 2e30), (1e-40, 1e-7, 2e7), (1e30, 1e30, 2e-30)]
        {
            let plane = Plane::new([0.0, 0.0, 2.0], [0.0, 0.0, normal]).unwrap();
            let found = plane.intersect(&Ray::new([0.0; 3], [0.0, 0.0, direction])).unwrap();
            assert!((found / t - 1.0).abs() < 1e-6, "{normal} {direction}: {found}");
        }
    }

    #[test]
    fn bad_planes_are_rejected_and_bad_rays_miss() {
        assert_eq!(Plane::new([0.0; 3], [0.0, -0.0, 0.0]), None);
        assert_eq!(Plane::new([f32::NAN, 0.0, 0.0], [1.0, 0.0, 0.0]), None);
        assert_eq!(Plane::from_coefficients([0.0, 0.0, 0.0, 1.0]), None);
        assert_eq!(Plane::from_coefficients([f32::INFINITY, 0.0, 0.0, 1.0]), None);
        assert_eq!(Plane::from_points([0.0; 3], [1.0; 3], [2.0; 3]), None);
        assert_eq!(tilted().intersect(&Ray::new([f32::NAN; 3], [1.0; 3])), None);
        assert_eq!(tilted().intersect(&Ray::new([0.0; 3], [0.0; 3])), None);
    }

    #[test]
    fn three_points_give_the_side_they_wind_around() {
        let plane = Plane::from_points([0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]).unwrap();
        assert!(plane.signed_distance([0.0, 0.0, 1.0]) > 0.0);
    }
}
