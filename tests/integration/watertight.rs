//! No ray leaks through a closed mesh, wherever it is aimed, however the mesh is placed and scaled.

use hitscan::primitives::brute_force::BruteForce;
use hitscan::primitives::glam::{Quat, Vec3};
use hitscan::{BuildOptions, Faces, HitMode, MeshBvh, Ray, TriMesh, generate};
use hitscan_testkit::{Rng, aimed_ray, closed_shapes, rays_from_inside, soup, surface_points};

use crate::asking::{effort, every_bvh};

#[test]
fn a_ray_from_inside_a_closed_mesh_always_hits() {
    for shape in closed_shapes(1000) {
        assert_no_leak(&shape.name, &shape.mesh, effort(1), 31);
    }
}

#[test]
fn a_closed_mesh_of_any_size_and_place_does_not_leak() {
    let mut n_tested = 0;
    for scale in [1e-30, 1e-6, 3e-3, 1e3, 1e7, 1e30] {
        for offset in [0.0, 3.0, 1e3] {
            for shape in closed_shapes(120) {
                let size = shape.mesh.bounds().extent().max_element();
                let moved = shape.mesh.positions().iter().map(|&p| (p + offset * size) * scale);
                let mesh = shape.mesh.with_positions(moved).unwrap();
                // Rounding may fold the thin ones; nothing is promised for a mesh with such triangles.
                if mesh.n_degenerate() == 0 {
                    n_tested += 1;
                    let name = format!("{} * {scale} + {offset}", shape.name);
                    assert_no_leak(&name, &mesh, effort(1), 32);
                }
            }
        }
    }
    assert!(n_tested > 100, "{n_tested}");
}

#[test]
fn a_line_crosses_a_closed_mesh_an_even_number_of_times() {
    for shape in closed_shapes(600) {
        let mut rng = Rng::new(33);
        let size = shape.mesh.bounds().extent().length();
        let targets = surface_points(&shape.mesh, &mut rng);
        for (name, bvh) in every_bvh(&shape.mesh) {
            for &target in &targets {
                let origin = shape.mesh.bounds().center() + rng.direction() * size;
                let line = Ray::line(origin, target - origin);
                let crossings = bvh.count_crossings(&line, Faces::Both);
                assert_eq!(crossings % 2, 0, "{name}, {}: {line:?}", shape.name);
                // What goes in comes out.
                let entries = bvh.count_crossings(&line, Faces::Front);
                assert_eq!(2 * entries, crossings, "{name}, {}: {line:?}", shape.name);
            }
        }
    }
}

#[test]
fn rays_in_the_plane_of_a_face_do_not_leak() {
    // From inside of a mesh that is not convex, in the plane of a face but not on it, along that plane.
    // Distance from the plane and slope are both noise, and if the origin is within the face's box,
    // nothing else tells whether the face is ahead or behind. The proof found what tests had not.
    let mut n_rays = 0;
    for seed in 0..effort(20) {
        let mut rng = Rng::new(36 + 1000 * seed);
        let n_triangles = rng.pick(&[18, 40, 80, 200]);
        let torus = generate::torus(1.0, 0.4, n_triangles).expect("enough triangles");
        let turn = Quat::from_axis_angle(rng.direction(), rng.between(0.0, 6.0));
        let stretch = rng.pick(&[Vec3::ONE, Vec3::new(1.0, 1.0, 5.0), Vec3::new(1.0, 0.1, 3.0)]);
        let positions = torus.positions().iter().map(|&p| turn * (p * stretch));
        let mesh = torus.with_positions(positions).expect("finite stays finite here");
        let scan = BruteForce::new(&mesh);
        let mut rays = Vec::new();
        for _ in 0..4000 {
            let [a, b, c] = mesh.corners(rng.below(mesh.triangles().len()) as u32);
            let on_plane = |s: f32, r: f32| a + s * (b - a) + r * (c - a);
            let origin = on_plane(rng.between(-3.0, 3.0), rng.between(-3.0, 3.0));
            // Nearer than 2^-14 of the reach it may lie on either side of the surface.
            if scan.closest_point(origin, 1e-2).is_some() || !scan.winding_sum(origin).is_inside() {
                continue;
            }
            rays.extend((0..5).map(|_| {
                let s = rng.unit();
                Ray::new(origin, on_plane(s, (1.0 - s) * rng.unit()) - origin)
            }));
        }
        n_rays += rays.len();
        for (name, bvh) in every_bvh(&mesh) {
            for ray in &rays {
                let crossings = bvh.count_crossings(ray, Faces::Both);
                assert_eq!(crossings % 2, 1, "{name}, {n_triangles} (seed {seed}): {ray:?}");
                assert!(bvh.closest_hit(ray, Faces::Both).is_some(), "{name}: a leak: {ray:?}");
            }
        }
    }
    assert!(n_rays as u64 > effort(10_000) / 2, "{n_rays}");
}

#[test]
fn scaling_mesh_and_ray_by_a_power_of_two_changes_no_bit_of_an_answer() {
    for seed in 0..effort(60) {
        let mut rng = Rng::new(34 + seed);
        let shape = closed_shapes(60).swap_remove(rng.below(8));
        let rays: Vec<Ray> = (0..300).map(|_| aimed_ray(&shape.mesh, &mut rng)).collect();
        let answers = |mesh: &TriMesh, scale: f32| -> Vec<Vec<[u32; 5]>> {
            let bvh = MeshBvh::build(mesh, &BuildOptions::default());
            let scaled = |ray: &Ray| Ray {
                origin: ray.origin * scale,
                direction: ray.direction * scale,
                ..*ray
            };
            let hits = |ray| bvh.all_hits(&scaled(ray), Faces::Both, HitMode::Closed);
            rays.iter().map(|ray| hits(ray).iter().map(hitscan::Hit::to_bits).collect()).collect()
        };
        let expected = answers(&shape.mesh, 1.0);
        assert!(expected.iter().any(|hits| !hits.is_empty()));
        for exponent in [-60, -41, -39, -7, 7, 27, 45, 60] {
            let scale = 2f32.powi(exponent);
            let positions = shape.mesh.positions().iter().map(|&p| p * scale);
            let mesh = shape.mesh.with_positions(positions).unwrap();
            let found = answers(&mesh, scale);
            for ((ray, found), expected) in rays.iter().zip(found).zip(&expected) {
                assert_eq!(
                    &found, expected,
                    "{} * 2^{exponent}: {ray:?} (seed {seed})",
                    shape.name
                );
            }
        }
    }
}

#[test]
fn a_hit_lies_in_the_interval_and_on_its_triangle() {
    // The other tests compare with the definition; this one asks the definition itself what a user
    // relies on, in f64.
    for seed in 0..effort(300) {
        let mut rng = Rng::new(35 + seed);
        let shape = soup(&mut rng, 100);
        let bvh = MeshBvh::build(&shape.mesh, &BuildOptions::default());
        for _ in 0..100 {
            let ray = aimed_ray(&shape.mesh, &mut rng);
            for hit in bvh.all_hits(&ray, Faces::Both, HitMode::Closed) {
                let context = format!("{hit:?} of {ray:?} on {} (seed {seed})", shape.name);
                assert!(hit.t.is_finite() && hit.t >= ray.t_min && hit.t <= ray.t_max, "{context}");
                assert!(hit.u >= 0.0 && hit.v >= 0.0 && hit.u + hit.v <= 1.000_001, "{context}");
                assert!(!shape.mesh.is_degenerate(hit.triangle), "{context}");
            }
        }
    }
}

/// Casts rays from inside at every vertex, every edge's middle, a random point of every edge, and in
/// random directions: each must hit, and cross the surface an odd number of times.
pub(crate) fn assert_no_leak(name: &str, mesh: &TriMesh, repeats: u64, seed: u64) {
    for repeat in 0..repeats {
        let rays = rays_from_inside(mesh, &mut Rng::new(seed + 1000 * repeat));
        for (bvh_name, bvh) in every_bvh(mesh) {
            for ray in &rays {
                let context = || format!("{bvh_name}, {name} (seed {seed}, {repeat}): {ray:?}");
                assert!(bvh.is_occluded(ray, Faces::Both), "a leak: {}", context());
                assert!(bvh.closest_hit(ray, Faces::Both).is_some(), "a leak: {}", context());
                let crossings = bvh.count_crossings(ray, Faces::Both);
                assert_eq!(crossings % 2, 1, "{}", context());
            }
        }
    }
}
