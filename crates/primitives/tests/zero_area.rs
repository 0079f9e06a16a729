//! The answers of queries for a triangle of zero area, and for a ray that starts in a face.

use hitscan_primitives::generate::SplitMix64;
use hitscan_primitives::glam::{DVec3, Vec3};
use hitscan_primitives::{
    Aabb, Faces, HitOptions, Ray, Sphere, TriMesh, Triangle, WatertightRay, brute_force,
};

/// A tetrahedron with a vertex in the exact middle of an edge on one side: triangle 5, a segment,
/// closes it.
fn stitched_tetrahedron() -> TriMesh {
    let corners = [[0.1, 0.2, 0.3], [1.3, 0.7, 0.1], [0.4, 1.1, 0.2], [0.6, 0.5, 1.2]];
    let [a, b, c, d] = corners.map(Vec3::from_array);
    // Sums of two such f32, and their halves, need one more bit than f32 has, so this removes a bit.
    let [a, b] = [a, b].map(|p| (p * 4194304.0).round() / 4194304.0);
    let triangles = vec![[0, 2, 4], [4, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3], [0, 4, 1]];
    TriMesh::new([a, b, c, d, 0.5 * (a + b)], triangles).expect("a valid mesh")
}

#[test]
fn rays_hit_the_triangle_of_zero_area_where_it_closes_the_mesh() {
    let mesh = stitched_tetrahedron();
    assert_eq!(mesh.n_degenerate(), 1);
    assert_eq!((mesh.unit_normal(5), mesh.is_degenerate(5)), (None, true));
    let [a, b, _, d, _] = mesh.positions().try_into().expect("five vertices");
    let (mut random, mut n_needed) = (SplitMix64::new(1), 0);
    for _ in 0..50_000 {
        let inside = mesh.positions()[2].lerp(d, random.unit() as f32 * 0.6 + 0.2);
        let origin = inside.lerp(0.5 * (a + b), 0.2 + 0.3 * random.unit() as f32);
        let ray = Ray::new(origin, a.lerp(b, random.unit() as f32) - origin);
        let hits = brute_force::all_hits(&mesh, &ray, &HitOptions::default());
        assert!(!hits.is_empty(), "{ray:?} leaves the mesh");
        let crossings = brute_force::count_crossings(&mesh, &ray, Faces::Both);
        assert_eq!(crossings % 2, 1, "{ray:?}");
        let Some(hit) = hits.iter().find(|hit| hit.triangle == 5) else { continue };
        n_needed += usize::from(hits.len() == 1);
        let on_ray = ray.origin.as_dvec3() + f64::from(hit.t) * ray.direction.as_dvec3();
        assert!(mesh.point(hit).distance(on_ray) < 1e-5, "{ray:?}: {hit:?}");
        assert!(hit.t > 0.0 && hit.u >= 0.0 && hit.v >= 0.0 && hit.u + hit.v <= 1.000_001);
    }
    assert!(n_needed > 20, "{n_needed}");
}

#[test]
fn a_triangle_of_zero_area_is_near_and_overlaps_and_winds_around_nothing() {
    let mesh = stitched_tetrahedron();
    // Alone, so that no other triangle has the same points.
    let segment = TriMesh::new(mesh.positions().iter().copied(), vec![[0, 4, 1]]).expect("valid");
    let [a, b, middle] = [0, 1, 4].map(|vertex| mesh.positions()[vertex]);
    let across = (b - a).cross(Vec3::X).normalize();
    let beside = middle + 0.25 * across;
    let found = brute_force::closest_point(&segment, beside, 1.0).expect("it is near");
    assert!((found.distance - 0.25).abs() < 1e-6, "{found:?}");
    assert!(found.point.distance(middle.as_dvec3()) < 1e-6, "{found:?}");
    assert_eq!(brute_force::overlapping_sphere(&segment, &Sphere::new(beside, 0.251)), [0]);
    assert!(brute_force::overlapping_sphere(&segment, &Sphere::new(beside, 0.249)).is_empty());
    assert_eq!(brute_force::overlapping_box(&segment, &Aabb::new(middle, middle)), [0]);
    assert!(brute_force::overlapping_box(&segment, &Aabb::new(beside, beside)).is_empty());

    let inside = (mesh.positions()[2] + mesh.positions()[3] + a + b) / 4.0;
    assert!((brute_force::winding_number(&mesh, inside) - 1.0).abs() < 1e-12);
    for point in [inside, middle, beside, a] {
        assert_eq!(brute_force::winding_number(&segment, point), 0.0, "{point}");
    }
}

#[test]
fn the_normal_is_none_exactly_where_the_area_is_zero() {
    let mut random = SplitMix64::new(2);
    let mut counts = [0; 2];
    for _ in 0..20_000 {
        let scale = 2f32.powi(random.below(200) as i32 - 100);
        let mut corner = || scale * Vec3::from_array([0; 3].map(|_| random.below(3) as f32));
        let triangle = Triangle { a: corner(), b: corner(), c: corner() };
        let mesh = TriMesh::new(triangle.corners(), vec![[0, 1, 2]]).expect("valid");
        let normal = triangle.unit_normal();
        assert_eq!((normal, normal.is_none()), (mesh.unit_normal(0), mesh.is_degenerate(0)));
        assert_eq!(normal.is_none(), triangle.area() == 0.0);
        assert!(normal.is_none_or(|normal| (normal.length() - 1.0).abs() < 1e-12));
        counts[usize::from(normal.is_none())] += 1;
    }
    assert!(counts.iter().all(|&n| n > 1000), "{counts:?}");
}

/// A face of about unit size through the origin, across an axis or oblique with exact coordinates, and
/// a point exactly in it.
fn face_with_point(random: &mut SplitMix64, oblique: bool) -> ([Vec3; 3], Vec3, DVec3) {
    loop {
        let mut coordinate = |n: u64| (random.below(2 * n + 1) as f32 - n as f32) / n as f32;
        let mut in_plane = |n: u64| {
            let (x, y) = (coordinate(n), coordinate(n));
            // x + y - 2 z = 0, or z = 0.
            Vec3::new(x, y, if oblique { 0.5 * (x + y) } else { 0.0 })
        };
        let corners = [in_plane(8), in_plane(8), in_plane(8)];
        let point = in_plane(1 << 12);
        let [a, b, c] = corners.map(Vec3::as_dvec3);
        let normal = (b - a).cross(c - a);
        let p = point.as_dvec3();
        let side = |a: DVec3, b: DVec3| (b - a).cross(p - a).dot(normal) / normal.length_squared();
        if side(a, b).min(side(b, c)).min(side(c, a)) > 0.01 {
            return (corners, point, normal.normalize());
        }
    }
}

#[test]
fn a_ray_from_exactly_in_a_face_touches_it_and_one_from_a_millionth_above_does_not() {
    let mut random = SplitMix64::new(3);
    for round in 0..200_000 {
        let oblique = round % 2 == 1;
        let (corners, point, normal) = face_with_point(&mut random, oblique);
        let [a, b, c] = corners;
        let size = (b - a).abs().max((c - a).abs()).max((c - b).abs()).max_element();
        let d = DVec3::from_array([0; 3].map(|_| random.range(-1.0, 1.0))).normalize();
        let cos = d.dot(normal).abs();
        if cos < if oblique { 0.5 } else { 1e-3 } {
            continue;
        }
        let scale = 2f64.powi(random.below(60) as i32 - 30);
        let scaled = |p: DVec3| (scale * p).as_vec3();
        let corners = corners.map(|p| scaled(p.as_dvec3()));
        let hit = |origin: Vec3, d: DVec3| {
            WatertightRay::new(&Ray::new(origin, d.as_vec3()))?.intersect(corners)
        };
        let touch = hit(scaled(point.as_dvec3()), d);
        assert_eq!(touch.map(|hit| hit.t), Some(0.0), "round {round}: {corners:?} {point} {d}");
        // Away from the face.
        let side = d.dot(normal).signum();
        let above = point.as_dvec3() + 1e-6 * f64::from(size) * side * normal;
        assert_eq!(hit(scaled(above), d), None, "round {round}: {corners:?} {above} {d}");
    }
}
