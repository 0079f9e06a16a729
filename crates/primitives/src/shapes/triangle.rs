//! Single triangles and the textbook tests of a ray against them.

use glam::{DMat3, DVec3, Vec3};

use crate::edge_function::cross_f64;
use crate::{Aabb, Faces, Ray, Side, TriangleHit, WatertightRay};

/// A triangle with corners `a`, `b`, `c`, counter-clockwise seen from its front.
///
/// There are three tests of a ray against it. They agree except in their rounding:
///
/// - [`intersect_watertight`](Self::intersect_watertight) is the definition of every answer of a
///   mesh ([`WatertightRay::intersect`]). Use it whenever triangles are parts of a surface: rays
///   through shared edges and vertices always hit.
/// - [`intersect_moller_trumbore`](Self::intersect_moller_trumbore) is for an isolated triangle. It is
///   **not watertight**: by rounding, a ray through a shared edge of two triangles may miss both. It
///   needs no preparation and rounds `t`, `u` and `v` once.
/// - [`intersect_cramer`](Self::intersect_cramer) solves the same three equations by determinants,
///   step by step. It is easy to read and serves as a check. It is not watertight either.
///
/// The last two compute in f64, so that no f32 input is too large or too small. They have no tolerance,
/// so the size of the triangle and the length of the direction do not matter.
///
/// All three miss a triangle if the ray lies in its plane, as far as rounded numbers show it (in a plane
/// along an axis, always). The last two miss a triangle of zero area wherever their determinant is
/// exactly zero. The first hits it where a closed surface needs it
/// ([`TriMesh::is_degenerate`](crate::TriMesh::is_degenerate)).
///
/// ```
/// use hitscan_primitives::{Faces, Ray, Side, Triangle};
///
/// let triangle = Triangle::new([0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]);
/// let ray = Ray::new([0.25, 0.5, 2.0], [0.0, 0.0, -1.0]);
/// let hit = triangle.intersect_moller_trumbore(&ray, Faces::Both).expect("it is aimed at it");
/// assert_eq!((hit.t, hit.u, hit.v, hit.side), (2.0, 0.25, 0.5, Side::Front));
/// assert_eq!(triangle.intersect_moller_trumbore(&ray, Faces::Back), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Triangle {
    /// The first corner.
    pub a: Vec3,
    /// The second corner, with the weight `u`.
    pub b: Vec3,
    /// The third corner, with the weight `v`.
    pub c: Vec3,
}

impl From<[Vec3; 3]> for Triangle {
    /// The triangle of three corners, as returned by [`TriMesh::corners`](crate::TriMesh::corners).
    fn from([a, b, c]: [Vec3; 3]) -> Self {
        Self { a, b, c }
    }
}

impl Triangle {
    /// The triangle with the given corners.
    pub fn new(a: impl Into<[f32; 3]>, b: impl Into<[f32; 3]>, c: impl Into<[f32; 3]>) -> Self {
        Self {
            a: Vec3::from_array(a.into()),
            b: Vec3::from_array(b.into()),
            c: Vec3::from_array(c.into()),
        }
    }

    /// The corners in order.
    pub fn corners(&self) -> [Vec3; 3] {
        [self.a, self.b, self.c]
    }

    /// The normal by the winding, with twice the area as length; zero for a triangle of zero area.
    pub fn normal(&self) -> DVec3 {
        cross_f64(self.a, self.b, self.c)
    }

    /// The normal by the winding, of length 1; `None` for a triangle of zero area.
    pub fn unit_normal(&self) -> Option<DVec3> {
        self.normal().try_normalize()
    }

    /// The area.
    pub fn area(&self) -> f64 {
        0.5 * self.normal().length()
    }

    /// The mean of the corners.
    pub fn centroid(&self) -> Vec3 {
        let [a, b, c] = self.corners().map(Vec3::as_dvec3);
        ((a + b + c) / 3.0).as_vec3()
    }

    /// The smallest box around the triangle.
    pub fn bounds(&self) -> Aabb {
        Aabb::from_points(self.corners())
    }

    /// The point `(1 - u - v) a + u b + v c`.
    pub fn point(&self, u: f32, v: f32) -> DVec3 {
        let [a, b, c] = self.corners().map(Vec3::as_dvec3);
        a + f64::from(u) * (b - a) + f64::from(v) * (c - a)
    }

    /// The test that defines the answers of meshes: [`WatertightRay::intersect`].
    ///
    /// For many triangles, prepare the [`WatertightRay`] once. This function does not scale: if
    /// coordinates lie far outside 2^±40, scale the triangle and the ray first
    /// ([`TriMesh::query_scale`](crate::TriMesh::query_scale)).
    pub fn intersect_watertight(&self, ray: &Ray, faces: Faces) -> Option<TriangleHit> {
        let hit = WatertightRay::new(ray)?.intersect(self.corners())?;
        faces.accepts(hit.side).then_some(hit)
    }

    /// The test of Möller and Trumbore, "Fast, Minimum Storage Ray/Triangle Intersection" (Journal
    /// of Graphics Tools, 1997), for an isolated triangle; [`Triangle`] says when to use it.
    ///
    /// [`Faces::Both`] takes the two-sided variant. The others take the culled variant, which rejects
    /// a triangle seen from the wrong side at once and divides only for a hit. Edges and the ray's
    /// interval are inclusive. We depart from the paper: the determinant is compared with zero instead
    /// of a tolerance, `t` is tested, and NaN is a miss.
    pub fn intersect_moller_trumbore(&self, ray: &Ray, faces: Faces) -> Option<TriangleHit> {
        match faces {
            Faces::Both => self.intersect_two_sided(ray),
            Faces::Front => self.intersect_culled(ray, Side::Front),
            Faces::Back => self.intersect_culled(ray, Side::Back),
        }
    }

    fn intersect_two_sided(&self, ray: &Ray) -> Option<TriangleHit> {
        if !ray.is_valid() {
            return None;
        }
        let MollerTrumbore { e1, e2, d, from_a, p, det } = MollerTrumbore::new(self, ray);
        if det == 0.0 {
            return None;
        }
        let u = from_a.dot(p) / det;
        if !(0.0..=1.0).contains(&u) {
            return None;
        }
        let q = from_a.cross(e1);
        let v = d.dot(q) / det;
        if !(v >= 0.0 && u + v <= 1.0) {
            return None;
        }
        let t = ray.accept(e2.dot(q) / det)?;
        Some(hit(t, u, v, side_of(det)))
    }

    fn intersect_culled(&self, ray: &Ray, side: Side) -> Option<TriangleHit> {
        if !ray.is_valid() {
            return None;
        }
        let MollerTrumbore { e1, e2, d, from_a, p, det } = MollerTrumbore::new(self, ray);
        // Seen from the back every product changes its sign.
        let sign = if side == Side::Front { 1.0 } else { -1.0 };
        let det = sign * det;
        // Also false for NaN.
        let is_seen = det > 0.0;
        if !is_seen {
            return None;
        }
        let u = sign * from_a.dot(p);
        if !(0.0..=det).contains(&u) {
            return None;
        }
        let q = from_a.cross(e1);
        let v = sign * d.dot(q);
        if !(v >= 0.0 && u + v <= det) {
            return None;
        }
        let t = ray.accept(sign * e2.dot(q) / det)?;
        Some(hit(t, u / det, v / det, side))
    }

    /// The same equations, `o + t d = a + u (b - a) + v (c - a)`, solved by Cramer's rule: each
    /// unknown is a quotient of two determinants. [`Triangle`] says when to use it.
    pub fn intersect_cramer(&self, ray: &Ray, faces: Faces) -> Option<TriangleHit> {
        if !ray.is_valid() {
            return None;
        }
        let [a, b, c] = self.corners().map(Vec3::as_dvec3);
        let (e1, e2) = (b - a, c - a);
        let minus_d = -ray.direction.as_dvec3();
        let from_a = ray.origin.as_dvec3() - a;
        let det = |x, y, z| DMat3::from_cols(x, y, z).determinant();

        // The columns are the coefficients of t, u and v.
        let whole = det(minus_d, e1, e2);
        if whole == 0.0 {
            return None;
        }
        let u = det(minus_d, from_a, e2) / whole;
        let v = det(minus_d, e1, from_a) / whole;
        if !(u >= 0.0 && v >= 0.0 && u + v <= 1.0) {
            return None;
        }
        let t = ray.accept(det(from_a, e1, e2) / whole)?;
        let side = side_of(whole);
        faces.accepts(side).then(|| hit(t, u, v, side))
    }
}

/// The terms that both variants share, in the paper's names (`from_a` is its T, `p` its P).
struct MollerTrumbore {
    e1: DVec3,
    e2: DVec3,
    d: DVec3,
    from_a: DVec3,
    p: DVec3,
    det: f64,
}

impl MollerTrumbore {
    #[inline]
    fn new(triangle: &Triangle, ray: &Ray) -> Self {
        let [a, b, c] = triangle.corners().map(Vec3::as_dvec3);
        let (e1, e2, d) = (b - a, c - a, ray.direction.as_dvec3());
        let p = d.cross(e2);
        Self { e1, e2, d, from_a: ray.origin.as_dvec3() - a, p, det: e1.dot(p) }
    }
}

/// `det` is `-d . (e1 x e2)`: positive against the normal.
fn side_of(det: f64) -> Side {
    if det > 0.0 { Side::Front } else { Side::Back }
}

fn hit(t: f32, u: f64, v: f64, side: Side) -> TriangleHit {
    // `+ 0.0` turns -0.0 into 0.0.
    TriangleHit { t, u: u as f32 + 0.0, v: v as f32 + 0.0, side }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::SplitMix64;

    type Test = fn(&Triangle, &Ray, Faces) -> Option<TriangleHit>;

    const TEXTBOOK: [(&str, Test); 2] = [
        ("Moller-Trumbore", Triangle::intersect_moller_trumbore),
        ("Cramer", Triangle::intersect_cramer),
    ];
    const ALL: [(&str, Test); 3] =
        [TEXTBOOK[0], TEXTBOOK[1], ("watertight", Triangle::intersect_watertight)];
    const FACES: [Faces; 3] = [Faces::Both, Faces::Front, Faces::Back];

    fn unit() -> Triangle {
        Triangle::new([0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0])
    }

    #[test]
    fn t_u_v_and_side_are_right_from_both_sides() {
        for (name, intersect) in ALL {
            for (z, side, hidden) in
                [(3.0, Side::Front, Faces::Back), (-3.0, Side::Back, Faces::Front)]
            {
                let ray = Ray::new([0.25, 0.5, z], [0.0, 0.0, -0.5 * z]);
                for faces in FACES {
                    let expected = TriangleHit { t: 2.0, u: 0.25, v: 0.5, side };
                    let expected = (faces != hidden).then_some(expected);
                    assert_eq!(intersect(&unit(), &ray, faces), expected, "{name} {faces:?}");
                }
            }
        }
    }

    #[test]
    fn a_triangle_behind_the_origin_or_beyond_the_end_is_a_miss() {
        let ray = Ray::new([0.25, 0.25, 1.0], [0.0, 0.0, -1.0]);
        let behind = Ray::new([0.25, 0.25, -1.0], [0.0, 0.0, -1.0]);
        for ((name, intersect), faces) in ALL.iter().flat_map(|test| FACES.map(|f| (test, f))) {
            let hits = |ray: &Ray| intersect(&unit(), ray, faces).is_some();
            let seen = faces != Faces::Back;
            assert!(!hits(&behind), "{name}");
            assert!(!hits(&ray.with_range(0.0, 1f32.next_down())), "{name}");
            assert!(!hits(&ray.with_range(1f32.next_up(), 2.0)), "{name}");
            assert_eq!(hits(&ray.with_range(1.0, 1.0)), seen, "{name}");
            let line = Ray::line([0.25, 0.25, -1.0], [0.0, 0.0, -1.0]);
            assert_eq!(intersect(&unit(), &line, faces).map(|h| h.t), seen.then_some(-1.0));
        }
    }

    #[test]
    fn an_origin_on_the_triangle_is_a_hit_at_zero() {
        for (name, intersect) in ALL {
            let hit =
                intersect(&unit(), &Ray::new([0.25, 0.25, 0.0], [0.0, 0.0, -1.0]), Faces::Both);
            assert_eq!(hit.map(|hit| hit.t.to_bits()), Some(0), "{name}");
        }
    }

    #[test]
    fn edges_and_corners_belong_to_the_triangle() {
        let points = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (0.5, 0.0), (0.0, 0.5), (0.5, 0.5)];
        for ((name, intersect), (x, y)) in ALL.iter().flat_map(|test| points.map(|p| (test, p))) {
            for z in [1.0, -1.0] {
                let ray = Ray::new([x, y, z], [0.0, 0.0, -z]);
                let hit = intersect(&unit(), &ray, Faces::Both).expect(name);
                assert_eq!(
                    (hit.u.to_bits(), hit.v.to_bits()),
                    (x.to_bits(), y.to_bits()),
                    "{name}"
                );
            }
        }
        for (name, intersect) in ALL {
            for (x, y) in [(-1e-6, 0.5), (0.5, -1e-6), (0.50001, 0.5), (2.0, -0.5)] {
                let ray = Ray::new([x, y, 1.0], [0.0, 0.0, -1.0]);
                for faces in FACES {
                    assert_eq!(intersect(&unit(), &ray, faces), None, "{name} {x} {y}");
                }
            }
        }
    }

    #[test]
    fn no_triangle_is_too_small_and_no_direction_too_short() {
        for size in [1e-3, 1e-4, 1e-10, 1e-30, 1e30] {
            let triangle = Triangle::new([0.0; 3], [size, 0.0, 0.0], [0.0, size, 0.0]);
            for length in [1.0, 1e-6, 1e-30, 1e6] {
                let ray = Ray::new([0.25 * size, 0.5 * size, size], [0.0, 0.0, -length * size]);
                if !ray.is_valid() {
                    continue;
                }
                for ((name, intersect), faces) in
                    TEXTBOOK.iter().flat_map(|test| [(test, Faces::Both), (test, Faces::Front)])
                {
                    let hit = intersect(&triangle, &ray, faces);
                    let Some(hit) = hit else { panic!("{name} {faces:?} {size} {length}") };
                    assert!((hit.u - 0.25).abs() < 1e-6 && (hit.v - 0.5).abs() < 1e-6);
                }
            }
        }
    }

    #[test]
    fn a_triangle_that_the_ray_sees_edge_on_is_a_miss() {
        let point = Triangle::new([1.0; 3], [1.0; 3], [1.0; 3]);
        let line = Triangle::new([0.0; 3], [1.0; 3], [2.0; 3]);
        for ((name, intersect), faces) in ALL.iter().flat_map(|test| FACES.map(|f| (test, f))) {
            let in_plane = Ray::new([-1.0, 0.25, 0.0], [1.0, 0.0, 0.0]);
            assert_eq!(intersect(&unit(), &in_plane, faces), None, "{name}");
            for degenerate in [point, line] {
                let ray = Ray::new([0.0, 0.0, 0.0], [1.0; 3]);
                assert_eq!(intersect(&degenerate, &ray, faces), None, "{name}");
                let ray = Ray::new([1.0, 1.0, 0.0], [0.0, 0.0, 1.0]);
                assert_eq!(intersect(&degenerate, &ray, faces), None, "{name}");
            }
        }
    }

    #[test]
    fn numbers_that_are_not_finite_are_misses() {
        let ray = Ray::new([0.25, 0.25, 1.0], [0.0, 0.0, -1.0]);
        for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            for ((name, intersect), faces) in ALL.iter().flat_map(|test| FACES.map(|f| (test, f))) {
                for place in 0..9 {
                    let mut corners = unit().corners();
                    corners[place / 3][place % 3] = bad;
                    assert_eq!(intersect(&corners.into(), &ray, faces), None, "{name} {place}");
                }
                for place in 0..3 {
                    let (mut o, mut d) = (ray.origin, ray.direction);
                    o[place] = bad;
                    d[place] = bad;
                    assert_eq!(intersect(&unit(), &Ray::new(o, ray.direction), faces), None);
                    assert_eq!(intersect(&unit(), &Ray::new(ray.origin, d), faces), None);
                }
                assert_eq!(intersect(&unit(), &ray.with_range(f32::NAN, 9.0), faces), None);
                assert_eq!(intersect(&unit(), &ray.with_range(0.0, f32::NAN), faces), None);
            }
        }
    }

    #[test]
    fn all_forms_agree_on_random_triangles() {
        let mut rng = SplitMix64::new(11);
        let mut vector = || Vec3::from_array(std::array::from_fn(|_| rng.range(-1.0, 1.0) as f32));
        let mut n_hits = 0;
        for case in 0..100_000 {
            let triangle = Triangle { a: vector(), b: vector(), c: vector() };
            let ray = Ray::new(vector(), vector());
            let [two_sided, cramer, watertight] =
                ALL.map(|(_, intersect)| intersect(&triangle, &ray, Faces::Both));
            let culled = [Faces::Front, Faces::Back]
                .map(|faces| triangle.intersect_moller_trumbore(&ray, faces));
            let near_edge = two_sided.is_none_or(|h| h.u.min(h.v).min(1.0 - h.u - h.v) < 1e-4);
            let near_start = two_sided.is_none_or(|h| h.t < 1e-3);
            let normal = triangle.unit_normal().expect("chance gives it an area");
            let grazing = normal.dot(ray.direction.as_dvec3()).abs() < 0.05;
            if near_edge || near_start || grazing {
                continue;
            }
            n_hits += 1;
            let expected = two_sided.expect("it is not near an edge");
            let [front, back] = culled;
            assert_eq!(
                (front.is_some(), back.is_some()),
                match expected.side {
                    Side::Front => (true, false),
                    Side::Back => (false, true),
                }
            );
            for found in [cramer, watertight, front.or(back)] {
                let found = found.unwrap_or_else(|| panic!("case {case}: {triangle:?} {ray:?}"));
                assert_eq!(found.side, expected.side, "case {case}");
                assert!((found.t / expected.t - 1.0).abs() < 1e-3, "case {case}");
                assert!((found.u - expected.u).abs() < 1e-3, "case {case}");
                assert!((found.v - expected.v).abs() < 1e-3, "case {case}");
                let point = triangle.point(found.u, found.v);
                assert!(point.distance(ray.at(found.t).as_dvec3()) < 1e-3, "case {case}");
            }
        }
        assert!(n_hits > 2000, "{n_hits}");
    }

    #[test]
    fn area_normal_centroid_and_bounds() {
        let triangle = Triangle::new([1.0, 1.0, 1.0], [5.0, 1.0, 1.0], [1.0, 4.0, 1.0]);
        assert_eq!((triangle.area(), triangle.unit_normal()), (6.0, Some(DVec3::Z)));
        assert_eq!(triangle.centroid(), Vec3::new(7.0 / 3.0, 2.0, 1.0));
        assert_eq!(triangle.bounds(), Aabb::new([1.0; 3], [5.0, 4.0, 1.0]));
        let huge = Triangle::new([3e38, 3e38, 3e38], [-3e38, 3e38, 3e38], [3e38, -3e38, 3e38]);
        assert!(huge.area() > 1.7e77 && huge.centroid().is_finite());
        assert_eq!(Triangle::new([1.0; 3], [2.0; 3], [3.0; 3]).unit_normal(), None);
    }
}
