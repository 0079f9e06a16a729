//! The promises of the definition of every answer: closed surfaces do not leak, scale and winding do not
//! matter, and numbers are finite. Seeds are fixed; a failure prints the ray.

use hitscan_primitives::brute_force::BruteForce;
use hitscan_primitives::generate::{self, SplitMix64};
use hitscan_primitives::glam::{DVec3, Vec3};
use hitscan_primitives::{
    Faces, Hit, HitMode, HitOptions, Ray, Side, TriMesh, TriangleHit, WatertightRay,
};

/// A closed mesh, and points that are certainly inside it.
struct Closed {
    name: &'static str,
    mesh: TriMesh,
    is_convex: bool,
    inside: Vec<Vec3>,
}

fn vector(rng: &mut SplitMix64, size: f64) -> DVec3 {
    DVec3::from_array(std::array::from_fn(|_| rng.range(-size, size)))
}

/// Ordinary, very flat, very long and distant shapes.
fn closed_meshes() -> Vec<Closed> {
    let mut rng = SplitMix64::new(1);
    let mut ball = |name, scale: DVec3, offset: DVec3| {
        let sphere = generate::sphere(1.0, 240).unwrap();
        let place = |p: DVec3| (offset + scale * p).as_vec3();
        let mesh = sphere.with_positions(sphere.positions().iter().map(|p| place(p.as_dvec3())));
        let inside = (0..8).map(|_| place(vector(&mut rng, 0.4))).collect();
        Closed { name, mesh: mesh.unwrap(), is_convex: true, inside }
    };
    let mut meshes = vec![
        ball("sphere", DVec3::ONE, DVec3::ZERO),
        ball("flat ellipsoid", DVec3::new(1.0, 1e-3, 1.0), DVec3::ZERO),
        ball("flatter ellipsoid", DVec3::new(1e-4, 1.0, 1.0), DVec3::ZERO),
        ball("long ellipsoid", DVec3::new(1e3, 1.0, 1.0), DVec3::ZERO),
        ball("shifted sphere", DVec3::ONE, DVec3::new(1e4, -1e4, 1e4)),
    ];
    meshes.push(Closed {
        name: "cuboid",
        mesh: generate::cuboid(10.0, 12.0, 4.0, 2).unwrap(),
        is_convex: true,
        // Including points in the planes of many edges.
        inside: [[0.0; 3], [2.5, 3.0, 1.0], [-2.5, 0.0, 0.0], [1.0, 2.0, 0.5], [4.9, 5.9, 1.9]]
            .map(Vec3::from_array)
            .to_vec(),
    });
    let mut rng = SplitMix64::new(2);
    meshes.push(Closed {
        name: "torus",
        mesh: generate::torus(3.0, 1.0, 300).unwrap(),
        is_convex: false,
        inside: (0..8)
            .map(|_| {
                let (sin, cos) = rng.range(0.0, 6.0).sin_cos();
                (DVec3::new(3.0 * cos, 0.0, 3.0 * sin) + vector(&mut rng, 0.3)).as_vec3()
            })
            .collect(),
    });
    for closed in &meshes {
        assert_eq!(closed.mesh.n_degenerate(), 0, "{}", closed.name);
    }
    meshes
}

/// Every vertex, and two points on every edge: its middle and a random one.
fn targets(mesh: &TriMesh, rng: &mut SplitMix64) -> Vec<Vec3> {
    let mut targets = mesh.positions().to_vec();
    for &[a, b, c] in mesh.triangles() {
        for (p, q) in [(a, b), (b, c), (c, a)] {
            // Two triangles share each edge, which is tested once.
            if p < q {
                let [p, q] = [p, q].map(|i| mesh.positions()[i as usize].as_dvec3());
                targets.extend([0.5, rng.unit()].map(|s| p.lerp(q, s).as_vec3()));
            }
        }
    }
    targets
}

/// Crossings into and out of the surface.
fn crossings(scan: &BruteForce<'_>, ray: &Ray) -> (usize, usize) {
    let hits =
        scan.all_hits(ray, &HitOptions { faces: Faces::Both, mode: HitMode::OncePerCrossing });
    let n_front = hits.iter().filter(|hit| hit.side == Side::Front).count();
    (n_front, hits.len() - n_front)
}

#[test]
fn rays_from_inside_through_vertices_and_edges_never_leak() {
    let mut rng = SplitMix64::new(3);
    let mut n_rays = 0;
    for closed in closed_meshes() {
        let scan = BruteForce::new(&closed.mesh);
        for (target, &origin) in
            targets(&closed.mesh, &mut rng).into_iter().zip(closed.inside.iter().cycle())
        {
            let length = [1.0, 0.37, 1e-6, 3e5][rng.below(4) as usize];
            let ray = Ray::new(origin, length * (target - origin));
            let at = format!("{}: {ray:?}", closed.name);
            assert!(scan.is_occluded(&ray, Faces::Both), "leak in {at}");
            let (n_front, n_back) = crossings(&scan, &ray);
            assert_eq!(n_back, n_front + 1, "{at}");
            if closed.is_convex {
                assert_eq!(n_back, 1, "{at}");
                // And away from the target.
                let line = Ray::line(ray.origin, ray.direction);
                assert_eq!(crossings(&scan, &line), (1, 1), "{at}");
            }
            n_rays += 1;
        }
    }
    assert!(n_rays > 5000, "{n_rays}");
}

#[test]
fn rays_from_outside_cross_as_often_in_as_out() {
    let mut rng = SplitMix64::new(4);
    let (mut n_twice, mut n_beside) = (0, 0);
    for closed in closed_meshes() {
        let scan = BruteForce::new(&closed.mesh);
        let bounds = closed.mesh.bounds();
        let radius = f64::from(bounds.extent().max_element());
        for target in targets(&closed.mesh, &mut rng) {
            let distance = radius * [1.5, 4.0, 100.0][rng.below(3) as usize];
            let away = vector(&mut rng, 1.0).normalize();
            let origin = (bounds.center().as_dvec3() + distance * away).as_vec3();
            let ray = Ray::new(origin, target - origin);
            let (n_front, n_back) = crossings(&scan, &ray);
            assert_eq!(n_front, n_back, "{}: {ray:?}", closed.name);
            // None at a silhouette that is touched. More than one also on convex shapes, because
            // rounding folds the surface at its silhouette as seen from far away.
            n_twice += usize::from(n_front == 1);
            n_beside += usize::from(n_front == 0);
        }
    }
    assert!(n_twice > 4000 && n_beside > 50, "{n_twice} {n_beside}");
}

#[test]
fn rays_along_edges_and_axes_through_a_cuboid_keep_their_parity() {
    let mesh = generate::cuboid(10.0, 12.0, 4.0, 2).unwrap();
    let scan = BruteForce::new(&mesh);
    let steps = |half: f32| (-10..=10).map(move |i| half * i as f32 / 8.0);
    for (x, y) in steps(5.0).flat_map(|x| steps(6.0).map(move |y| (x, y))) {
        for (from, zero) in [(-9.0, 0.0), (9.0, -0.0)] {
            let ray = Ray::new([x, y, from], [zero, zero, -from]);
            let (n_front, n_back) = crossings(&scan, &ray);
            assert_eq!(n_front, n_back, "{ray:?}");
            let is_inside = x.abs() < 5.0 && y.abs() < 6.0;
            let is_outside = x.abs() > 5.0 || y.abs() > 6.0;
            assert!(!is_inside || n_front == 1, "{ray:?}");
            assert!(!is_outside || n_front == 0, "{ray:?}");
            assert_eq!(scan.is_occluded(&ray, Faces::Both), !is_outside || is_inside, "{ray:?}");
        }
    }
}

/// Soups of every size, and rays aimed at corners, edges and faces of one of their triangles.
fn hostile_cases(n: usize, seed: u64, mut check: impl FnMut([Vec3; 3], Ray)) {
    let mut rng = SplitMix64::new(seed);
    for case in 0..n {
        // A third on a small grid, where coordinates and zeros coincide.
        let on_grid = case % 3 == 0;
        let mut point = || {
            let p = vector(&mut rng, 4.0);
            if on_grid { p.round().as_vec3() } else { p.as_vec3() }
        };
        let (corners, origin, free) = ([point(), point(), point()], point(), point());
        let [a, b, c] = corners;
        let target = match case % 7 {
            0 => a,
            1 => 0.5 * (a + b),
            2 => b + 0.3 * (c - b),
            3 => (a + b + c) / 3.0,
            4 => a + 0.2 * (b - a) + 0.3 * (c - a),
            5 => Vec3::new(origin.x, a.y, -0.0 * a.z),
            _ => free,
        };
        check(
            corners,
            Ray::new(origin, target - origin).with_range(0.0, [1.0, f32::INFINITY][case % 2]),
        );
    }
}

fn intersect(corners: [Vec3; 3], ray: &Ray) -> Option<TriangleHit> {
    WatertightRay::new(ray)?.intersect(corners)
}

fn bits(hit: Option<TriangleHit>) -> Option<[u32; 5]> {
    hit.map(|hit| Hit::new(0, hit).to_bits())
}

#[test]
fn scaling_by_a_power_of_two_changes_no_bit() {
    let mut n_hits = 0;
    hostile_cases(30_000, 5, |corners, ray| {
        let expected = bits(intersect(corners, &ray));
        n_hits += usize::from(expected.is_some());
        for exponent in [-38, -20, -1, 1, 13, 37] {
            let scale = 2f32.powi(exponent);
            let scaled_ray =
                Ray { origin: scale * ray.origin, direction: scale * ray.direction, ..ray };
            let found = bits(intersect(corners.map(|corner| scale * corner), &scaled_ray));
            assert_eq!(found, expected, "2^{exponent}: {corners:?} {ray:?}");
        }
    });
    assert!(n_hits > 10_000, "{n_hits}");
}

#[test]
fn scaling_the_direction_alone_scales_t_alone() {
    hostile_cases(30_000, 6, |corners, ray| {
        let ray = ray.with_range(0.0, f32::INFINITY);
        let expected = intersect(corners, &ray);
        for exponent in [-40, -3, 17] {
            let scale = 2f32.powi(exponent);
            let found = intersect(corners, &Ray { direction: scale * ray.direction, ..ray });
            let found = found.map(|hit| TriangleHit { t: hit.t * scale, ..hit });
            assert_eq!(bits(found), bits(expected), "2^{exponent}: {corners:?} {ray:?}");
        }
    });
}

#[test]
fn the_other_winding_exchanges_the_sides_and_nothing_else() {
    let mut n_hits = 0;
    hostile_cases(60_000, 7, |[a, b, c], ray| {
        let hit = intersect([a, b, c], &ray);
        let expected = hit.map(|hit| TriangleHit {
            u: hit.v,
            v: hit.u,
            side: if hit.side == Side::Front { Side::Back } else { Side::Front },
            ..hit
        });
        assert_eq!(bits(intersect([a, c, b], &ray)), bits(expected), "{a} {b} {c} {ray:?}");
        n_hits += usize::from(hit.is_some());
    });
    assert!(n_hits > 20_000, "{n_hits}");
}

#[test]
fn the_side_is_that_of_the_normal() {
    let mut n_hits = 0;
    hostile_cases(60_000, 8, |corners, ray| {
        let Some(hit) = intersect(corners, &ray) else { return };
        let [a, b, c] = corners.map(Vec3::as_dvec3);
        let normal = (b - a).cross(c - a).normalize();
        let slope = normal.dot(ray.direction.as_dvec3().normalize());
        if slope.abs() > 1e-5 {
            n_hits += 1;
            assert_eq!(hit.side == Side::Front, slope < 0.0, "{corners:?} {ray:?}");
        }
    });
    assert!(n_hits > 20_000, "{n_hits}");
}

#[test]
fn answers_are_finite_in_range_and_never_negative_zero() {
    let check = |corners: [Vec3; 3], ray: Ray| {
        let Some(hit) = intersect(corners, &ray) else { return };
        let at = || format!("{corners:?} {ray:?}: {hit:?}");
        assert!(ray.t_min <= hit.t && hit.t <= ray.t_max && hit.t.is_finite(), "{}", at());
        assert!((0.0..=1.0).contains(&hit.u) && (0.0..=1.0).contains(&hit.v), "{}", at());
        assert!(hit.u + hit.v <= 1.0 + f32::EPSILON, "{}", at());
        for number in [hit.t, hit.u, hit.v] {
            assert!(number != 0.0 || number.is_sign_positive(), "{}", at());
        }
    };
    hostile_cases(60_000, 9, |corners, ray| {
        check(corners, ray);
        check(corners, ray.with_range(f32::NEG_INFINITY, f32::INFINITY));
        check(corners, ray.with_range(-2.0, -0.0));
        // Extreme f32 numbers may give a miss or a rounded answer, never an invalid one.
        for scale in [1e-38, 1e-44, 1e38] {
            let scaled = corners.map(|corner| scale * corner);
            check(scaled, Ray { origin: scale * ray.origin, ..ray });
            check(scaled, Ray { direction: scale * ray.direction, ..ray });
        }
        let mut corners = corners;
        corners[1].y = f32::NAN;
        assert_eq!(intersect(corners, &ray), None);
    });
}

/// Integers, with a power of two as the maximum direction component. Every product and sum of the test
/// is exact, so exact arithmetic must give the same answer.
#[test]
fn on_a_grid_the_answer_is_exact() {
    let mut rng = SplitMix64::new(10);
    let (mut n_hits, mut n_edge_hits) = (0, 0);
    for _ in 0..600_000 {
        let mut whole = |reach: i64| rng.below(2 * reach as u64 + 1) as i64 - reach;
        let mut point = |reach| [whole(reach), whole(reach), whole(reach)];
        let (a, b, c, o) = (point(3), point(3), point(3), point(6));
        let mut d = point(3);
        d[rng.below(3) as usize] = if rng.below(2) == 0 { 4 } else { -4 };

        // o + t d = a + u (b - a) + v (c - a), by determinants.
        let minus = |p: [i64; 3], q: [i64; 3]| [p[0] - q[0], p[1] - q[1], p[2] - q[2]];
        let det = |x: [i64; 3], y: [i64; 3], z: [i64; 3]| {
            x[0] * (y[1] * z[2] - y[2] * z[1]) - x[1] * (y[0] * z[2] - y[2] * z[0])
                + x[2] * (y[0] * z[1] - y[1] * z[0])
        };
        let (e1, e2, from_a, minus_d) = (minus(b, a), minus(c, a), minus(o, a), d.map(|x| -x));
        let whole_det = det(minus_d, e1, e2);
        let sign = whole_det.signum();
        let t = sign * det(from_a, e1, e2);
        let u = sign * det(minus_d, from_a, e2);
        let v = sign * det(minus_d, e1, from_a);
        let size = whole_det.abs();
        let is_hit = size > 0 && t >= 0 && u >= 0 && v >= 0 && u + v <= size;

        let f32s = |p: [i64; 3]| Vec3::from_array(p.map(|x| x as f32));
        let ray = Ray::new(f32s(o), f32s(d));
        let found = intersect([a, b, c].map(f32s), &ray);
        let side = if sign > 0 { Side::Front } else { Side::Back };
        let rounded = |x: i64| x as f32 / size as f32;
        let expected =
            is_hit.then(|| TriangleHit { t: rounded(t), u: rounded(u), v: rounded(v), side });
        assert_eq!(bits(found), bits(expected), "{a:?} {b:?} {c:?} {o:?} {d:?}");
        n_hits += usize::from(is_hit);
        n_edge_hits += usize::from(is_hit && (u == 0 || v == 0 || u + v == size));
    }
    assert!(n_hits > 10_000 && n_edge_hits > 3000, "{n_hits} {n_edge_hits}");
}

#[test]
fn rays_that_start_on_a_surface_hit_it_at_zero_unless_t_min_excludes_it() {
    let mesh = generate::cuboid(10.0, 12.0, 4.0, 2).unwrap();
    let scan = BruteForce::new(&mesh);
    let ray = Ray::new([1.1, 2.3, 2.0], [0.3, -0.4, -1.0]);
    assert_eq!(scan.closest_hit(&ray, Faces::Both).map(|hit| hit.t.to_bits()), Some(0));
    let later = ray.with_range(1e-6, f32::INFINITY);
    assert_eq!(scan.closest_hit(&later, Faces::Both).map(|hit| hit.t), Some(4.0));
}
