//! A triangle as a transform onto the unit triangle, for many tests against the same triangle.

use glam::{DAffine3, DMat3, DVec3};

use super::triangle::Triangle;
use crate::{Faces, Ray, Side, TriangleHit};

/// A triangle as the affine map that takes it onto the unit triangle: its corners to `(0, 0, 0)`,
/// `(1, 0, 0)` and `(0, 1, 0)`, its normal to the z axis.
///
/// After the map a test is one division and three comparisons. `z` gives the `t` at which a ray meets
/// the plane, and `x` and `y` of that point are `u` and `v`. The map can move with an object
/// ([`transformed`](Self::transformed)) without the triangle.
///
/// The map is f64, because the determinant is the fourth power of a length: for f32 corners it neither
/// overflows nor underflows. The method is from Arenberg ("Re: Ray/Triangle Intersection with
/// Barycentric Coordinates", Ray Tracing News, 1988) and Woop ("A Ray Tracing Hardware Architecture for
/// Dynamic Scenes", 2004).
///
/// The test is not watertight; [`Triangle::intersect_watertight`] is.
///
/// ```
/// use hitscan_primitives::{Faces, Side, UnitTriangle, glam::DAffine3, glam::DVec3};
///
/// let corners = [DVec3::ZERO, 2.0 * DVec3::X, 4.0 * DVec3::Y];
/// let triangle = UnitTriangle::new(corners).expect("it has an area");
/// let moved = triangle
///     .transformed(&DAffine3::from_translation(10.0 * DVec3::Z))
///     .expect("a translation has an inverse");
/// let hit = moved.intersect_segment([1.0, 1.0, 12.0], [1.0, 1.0, 4.0], Faces::Both);
/// let hit = hit.expect("it crosses the triangle");
/// assert_eq!((hit.t, hit.u, hit.v, hit.side), (0.25, 0.5, 0.25, Side::Front));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UnitTriangle {
    unit_from_world: DAffine3,
}

impl UnitTriangle {
    /// The map of the triangle with these corners. `None` if it has no area, or if the square of twice
    /// its area overflows or underflows f64, which f32 corners cannot cause.
    pub fn new([a, b, c]: [DVec3; 3]) -> Option<Self> {
        let (e1, e2) = (b - a, c - a);
        let n = e1.cross(e2);
        // The determinant of the matrix with columns e1, e2, n is |n|^2.
        let det = n.length_squared();
        if !(det > 0.0 && det.is_finite()) {
            return None;
        }
        let rows = DMat3::from_cols(e2.cross(n) / det, n.cross(e1) / det, n / det);
        let matrix3 = rows.transpose();
        let unit_from_world = DAffine3 { matrix3, translation: -(matrix3 * a) };
        unit_from_world.is_finite().then_some(Self { unit_from_world })
    }

    /// The map of a triangle; `None` if it has no area or is not finite.
    pub fn from_triangle(triangle: &Triangle) -> Option<Self> {
        Self::new(triangle.corners().map(|corner| corner.as_dvec3()))
    }

    /// The map itself: from the space of the triangle to the space of the unit triangle.
    pub fn unit_from_world(&self) -> &DAffine3 {
        &self.unit_from_world
    }

    /// The triangle moved by an affine transform; `None` if the transform has no inverse.
    ///
    /// Sides move with the triangle, even through a mirror: if a ray sees the front of the original,
    /// the image of the ray sees the front of the image. (The images of the corners wind the other way
    /// then, so a map made from them has its sides exchanged.)
    pub fn transformed(&self, world_from_local: &DAffine3) -> Option<Self> {
        Some(self.with_inverse(&affine_inverse(world_from_local)?))
    }

    /// [`transformed`](Self::transformed) for rotations, mirrors and translations, whose inverse is a
    /// transpose; `None` if the transform scales or shears.
    pub fn transformed_rigid(&self, world_from_local: &DAffine3) -> Option<Self> {
        Some(self.with_inverse(&rigid_inverse(world_from_local)?))
    }

    /// The triangle moved by a transform, given the transform's inverse. For many triangles of one
    /// object, compute the inverse once ([`DAffine3::inverse`]).
    #[must_use]
    pub fn with_inverse(&self, local_from_world: &DAffine3) -> Self {
        Self { unit_from_world: self.unit_from_world * *local_from_world }
    }

    /// The hit of the ray within its closed interval, if any; edges belong to the triangle.
    ///
    /// A parallel ray is a miss, even in the plane of the triangle, as far as rounded numbers show it.
    pub fn intersect(&self, ray: &Ray, faces: Faces) -> Option<TriangleHit> {
        if !ray.is_valid() {
            return None;
        }
        let o = self.unit_from_world.transform_point3(ray.origin.as_dvec3());
        let d = self.unit_from_world.transform_vector3(ray.direction.as_dvec3());
        if d.z == 0.0 {
            return None;
        }
        let side = if d.z < 0.0 { Side::Front } else { Side::Back };
        let exact_t = -o.z / d.z;
        let t = ray.accept(exact_t)?;
        hit(t, o + exact_t * d, side, faces)
    }

    /// The hit of the segment, with `t` from 0 at `from` to 1 at `to`. Both ends belong to the segment,
    /// so a segment that ends in the triangle hits it.
    ///
    /// A segment is a miss if both ends lie in the plane, or if an end is not finite.
    pub fn intersect_segment(
        &self,
        from: impl Into<[f64; 3]>,
        to: impl Into<[f64; 3]>,
        faces: Faces,
    ) -> Option<TriangleHit> {
        let j = self.unit_from_world.transform_point3(DVec3::from_array(from.into()));
        let k = self.unit_from_world.transform_point3(DVec3::from_array(to.into()));
        // Signs are compared one by one: their product may underflow to zero.
        let crosses_down = j.z >= 0.0 && k.z <= 0.0;
        let crosses_up = j.z <= 0.0 && k.z >= 0.0;
        let is_coplanar = crosses_down && crosses_up;
        if is_coplanar || !(crosses_down || crosses_up) {
            return None;
        }
        let t = j.z / (j.z - k.z);
        let side = if crosses_down { Side::Front } else { Side::Back };
        hit(t as f32, j + t * (k - j), side, faces)
    }
}

/// The hit at a point of the unit triangle's plane; `None` outside of the triangle, or for NaN.
fn hit(t: f32, at: DVec3, side: Side, faces: Faces) -> Option<TriangleHit> {
    let is_inside = at.x >= 0.0 && at.y >= 0.0 && at.x + at.y <= 1.0;
    // `+ 0.0` turns -0.0 into 0.0.
    let hit = TriangleHit { t: t + 0.0, u: at.x as f32 + 0.0, v: at.y as f32 + 0.0, side };
    (is_inside && faces.accepts(side)).then_some(hit)
}

/// The inverse of a transform; `None` if there is none or the transform is not finite.
fn affine_inverse(transform: &DAffine3) -> Option<DAffine3> {
    let det = transform.matrix3.determinant();
    if det == 0.0 {
        return None;
    }
    let inverse = transform.inverse();
    inverse.is_finite().then_some(inverse)
}

/// The inverse of a transform that preserves distances, by transposing its rotation or mirror. `None` if
/// the transform scales or shears by more than rounding, or is not finite.
fn rigid_inverse(transform: &DAffine3) -> Option<DAffine3> {
    // A few hundred roundings of f32, because rotations are often composed or come from f32.
    const TOLERANCE: f64 = 1e-5;
    let transpose = transform.matrix3.transpose();
    let rest = transform.matrix3 * transpose - DMat3::IDENTITY;
    let is_rigid = rest.to_cols_array().iter().all(|x| x.abs() <= TOLERANCE);
    let inverse =
        DAffine3 { matrix3: transpose, translation: -(transpose * transform.translation) };
    (is_rigid && inverse.is_finite()).then_some(inverse)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::SplitMix64;
    use glam::{DQuat, Vec3};

    fn right_angled() -> Triangle {
        Triangle::new([1.0, 1.0, 1.0], [3.0, 1.0, 1.0], [1.0, 5.0, 1.0])
    }

    fn map() -> UnitTriangle {
        UnitTriangle::from_triangle(&right_angled()).unwrap()
    }

    fn point(rng: &mut SplitMix64) -> DVec3 {
        DVec3::from_array(std::array::from_fn(|_| rng.range(-1.0, 1.0)))
    }

    #[test]
    fn the_corners_map_to_the_unit_triangle() {
        let triangle = Triangle::new([0.3, 1.7, -2.0], [4.1, 0.2, 0.9], [-1.0, 2.2, 3.3]);
        let map = *UnitTriangle::from_triangle(&triangle).unwrap().unit_from_world();
        let images = triangle.corners().map(|corner| map.transform_point3(corner.as_dvec3()));
        for (image, expected) in images.iter().zip([DVec3::ZERO, DVec3::X, DVec3::Y]) {
            assert!(image.abs_diff_eq(expected, 1e-14), "{image}");
        }
        let above = triangle.corners()[0].as_dvec3() + triangle.normal();
        assert!(map.transform_point3(above).abs_diff_eq(DVec3::Z, 1e-14));
    }

    #[test]
    fn rays_get_t_u_v_and_side() {
        let front = Ray::new([1.5, 2.0, 5.0], [0.0, 0.0, -2.0]);
        let expected = TriangleHit { t: 2.0, u: 0.25, v: 0.25, side: Side::Front };
        assert_eq!(map().intersect(&front, Faces::Both), Some(expected));
        assert_eq!(map().intersect(&front, Faces::Back), None);
        let back = Ray::new([1.5, 2.0, -1.0], [0.0, 0.0, 0.5]);
        let expected = TriangleHit { t: 4.0, side: Side::Back, ..expected };
        assert_eq!(map().intersect(&back, Faces::Both), Some(expected));
        assert_eq!(map().intersect(&back, Faces::Front), None);
        // A ray is not a segment: it ends nowhere, and does not start before its origin.
        assert_eq!(map().intersect(&back.with_range(0.0, 3.9), Faces::Both), None);
        let away = Ray::new([1.5, 2.0, 5.0], [0.0, 0.0, 2.0]);
        assert_eq!(map().intersect(&away, Faces::Both), None);
    }

    #[test]
    fn a_segment_that_touches_the_plane_with_either_end_is_a_hit() {
        let (above, on, below) = ([1.5, 2.0, 3.0], [1.5, 2.0, 1.0], [1.5, 2.0, -1.0]);
        for (from, to, t, side) in [
            (above, on, 1.0, Side::Front),
            (on, above, 0.0, Side::Back),
            (below, on, 1.0, Side::Back),
            (on, below, 0.0, Side::Front),
            (above, below, 0.5, Side::Front),
            (below, above, 0.5, Side::Back),
        ] {
            let hit = map().intersect_segment(from, to, Faces::Both).unwrap();
            assert_eq!((hit.t, hit.u, hit.v, hit.side), (t, 0.25, 0.25, side), "{from:?} {to:?}");
            assert!(hit.t.is_sign_positive());
        }
        assert_eq!(map().intersect_segment(above, [1.5, 2.0, 1.1], Faces::Both), None);
        assert_eq!(map().intersect_segment(below, [1.5, 2.0, 0.9], Faces::Both), None);
    }

    #[test]
    fn ends_on_one_side_stay_a_miss_when_their_product_underflows() {
        // The product of the two heights is 0 in f64, the heights are not.
        let unit = UnitTriangle::new([DVec3::ZERO, DVec3::X, DVec3::Y]).unwrap();
        let (near, nearer) = ([0.25, 0.25, 2e-200], [0.25, 0.25, 1e-200]);
        assert_eq!(unit.intersect_segment(near, nearer, Faces::Both), None);
        let other_side = [0.25, 0.25, -1e-200];
        assert!(unit.intersect_segment(nearer, other_side, Faces::Both).is_some());
    }

    #[test]
    fn segments_and_rays_in_the_plane_are_misses() {
        let in_plane = ([0.0, 2.0, 1.0], [5.0, 2.0, 1.0]);
        assert_eq!(map().intersect_segment(in_plane.0, in_plane.1, Faces::Both), None);
        let ray = Ray::new([0.0, 2.0, 1.0], [1.0, 0.0, 0.0]);
        assert_eq!(map().intersect(&ray, Faces::Both), None);
        let parallel = Ray::new([0.0, 2.0, 1.5], [1.0, 0.0, 0.0]);
        assert_eq!(map().intersect(&parallel, Faces::Both), None);
    }

    #[test]
    fn edges_and_corners_belong_to_the_triangle() {
        for (x, y) in [(1.0, 1.0), (3.0, 1.0), (1.0, 5.0), (2.0, 1.0), (1.0, 3.0), (2.0, 3.0)] {
            let ray = Ray::new([x, y, 2.0], [0.0, 0.0, -1.0]);
            assert!(map().intersect(&ray, Faces::Both).is_some(), "{x} {y}");
        }
        for (x, y) in [(0.999, 1.5), (2.0, 0.999), (2.001, 3.001), (3.0, 5.0)] {
            let ray = Ray::new([x, y, 2.0], [0.0, 0.0, -1.0]);
            assert_eq!(map().intersect(&ray, Faces::Both), None, "{x} {y}");
        }
    }

    #[test]
    fn a_triangle_without_area_has_no_map() {
        let x = Vec3::X;
        for corners in [[x, x, x], [Vec3::ZERO, x, 2.0 * x], [x, x, Vec3::Y]] {
            assert_eq!(UnitTriangle::from_triangle(&corners.into()), None);
        }
        let bad = Triangle::new([f32::NAN, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]);
        assert_eq!(UnitTriangle::from_triangle(&bad), None);
        assert_eq!(UnitTriangle::new([DVec3::ZERO, 1e90 * DVec3::X, 1e90 * DVec3::Y]), None);
    }

    #[test]
    fn triangles_of_every_f32_size_have_a_map() {
        for size in [1e-37, 1e-20, 1e-5, 1e5, 1e20, 1e38] {
            let triangle = Triangle::new([0.0; 3], [size, 0.0, 0.0], [0.0, size, 0.0]);
            let map = UnitTriangle::from_triangle(&triangle).unwrap();
            let ray = Ray::new([0.25 * size, 0.5 * size, size], [0.0, 0.0, -0.5 * size]);
            let hit = map.intersect(&ray, Faces::Both).unwrap();
            assert!((hit.t - 2.0).abs() < 1e-6 && (hit.u - 0.25).abs() < 1e-6, "{size} {hit:?}");
        }
    }

    #[test]
    fn numbers_that_are_not_finite_are_misses() {
        for bad in [f64::NAN, f64::INFINITY] {
            let (from, to) = ([1.5, 2.0, bad], [1.5, 2.0, -1.0]);
            assert_eq!(map().intersect_segment(from, to, Faces::Both), None);
            assert_eq!(map().intersect_segment(to, from, Faces::Both), None);
        }
        let ray = Ray::new([1.5, f32::NAN, 2.0], [0.0, 0.0, -1.0]);
        assert_eq!(map().intersect(&ray, Faces::Both), None);
    }

    /// The hit on the moved triangle of the moved segment is the hit of the original.
    fn assert_moves_along(transform: &DAffine3, moved: &UnitTriangle, rng: &mut SplitMix64) {
        let mut n_hits = 0;
        for _ in 0..2000 {
            let (from, to) = (3.0 * point(rng) + 2.0, 3.0 * point(rng) + 2.0);
            let original = map().intersect_segment(from, to, Faces::Both);
            let [from, to] = [from, to].map(|p| transform.transform_point3(p));
            let Some(hit) = moved.intersect_segment(from, to, Faces::Both) else {
                assert_eq!(original, None);
                continue;
            };
            n_hits += 1;
            let original = original.expect("the image is hit");
            assert_eq!(hit.side, original.side);
            for (found, expected) in [(hit.t, original.t), (hit.u, original.u), (hit.v, original.v)]
            {
                assert!((found - expected).abs() < 1e-6, "{hit:?} {original:?}");
            }
        }
        assert!(n_hits > 50, "{n_hits}");
    }

    #[test]
    fn a_rigid_transform_moves_the_triangle_by_either_inverse() {
        let mut rng = SplitMix64::new(3);
        for _ in 0..20 {
            let axis = point(&mut rng).normalize();
            let rotation = DQuat::from_axis_angle(axis, rng.range(-3.0, 3.0));
            let transform = DAffine3::from_rotation_translation(rotation, 10.0 * point(&mut rng));
            assert_moves_along(&transform, &map().transformed(&transform).unwrap(), &mut rng);
            assert_moves_along(&transform, &map().transformed_rigid(&transform).unwrap(), &mut rng);
        }
    }

    #[test]
    fn a_general_affine_transform_moves_the_triangle() {
        let mut rng = SplitMix64::new(4);
        for _ in 0..20 {
            let columns = [point(&mut rng), point(&mut rng), point(&mut rng)];
            let [x, y, z] = columns;
            let transform = DAffine3::from_cols(x, y, z, 10.0 * point(&mut rng));
            if transform.matrix3.determinant().abs() < 0.05 {
                continue;
            }
            assert_moves_along(&transform, &map().transformed(&transform).unwrap(), &mut rng);
            assert_eq!(map().transformed_rigid(&transform), None);
        }
    }

    #[test]
    fn a_mirrored_triangle_keeps_its_sides() {
        let mut rng = SplitMix64::new(5);
        let mirror = DAffine3::from_scale(DVec3::new(-1.0, 1.0, 1.0));
        assert_moves_along(&mirror, &map().transformed(&mirror).unwrap(), &mut rng);
        assert_moves_along(&mirror, &map().transformed_rigid(&mirror).unwrap(), &mut rng);
        let ray = Ray::new([-1.5, 2.0, 5.0], [0.0, 0.0, -1.0]);
        let moved = map().transformed(&mirror).unwrap();
        assert_eq!(moved.intersect(&ray, Faces::Front).map(|hit| hit.t), Some(4.0));
        // The images of the corners wind the other way round.
        let corners = right_angled().corners().map(|c| mirror.transform_point3(c.as_dvec3()));
        let rewound = UnitTriangle::new(corners).unwrap();
        assert_eq!(rewound.intersect(&ray, Faces::Both).map(|hit| hit.side), Some(Side::Back));
    }

    #[test]
    fn a_transform_without_inverse_moves_nothing() {
        let flat = DAffine3::from_scale(DVec3::new(1.0, 0.0, 1.0));
        assert_eq!(map().transformed(&flat), None);
        assert_eq!(map().transformed(&DAffine3::from_scale(DVec3::splat(f64::NAN))), None);
        assert_eq!(map().transformed_rigid(&DAffine3::from_scale(DVec3::splat(2.0))), None);
        assert_eq!(map().transformed_rigid(&DAffine3::from_scale(DVec3::splat(f64::NAN))), None);
    }
}
