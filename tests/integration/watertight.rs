//! No ray leaks through a closed mesh, wherever it is aimed, however the mesh is placed and scaled.

use std::collections::BTreeSet;

use hitscan::primitives::glam::Vec3;
use hitscan::{BuildOptions, Faces, HitMode, MeshBvh, Ray, TriMesh};
use hitscan_testkit::{Rng, Twin, aimed_ray, closed_shapes, soup};

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
        let mut rng = Rng::new(seed + 1000 * repeat);
        let origins: Vec<Vec3> = (0..8).map(|_| inside_point(mesh, &mut rng)).collect();
        let mut directions: Vec<Vec3> = Vec::new();
        let rays: Vec<Ray> = surface_points(mesh, &mut rng)
            .into_iter()
            .map(|target| {
                let origin = rng.pick(&origins);
                directions.push(rng.direction() * mesh.bounds().extent().max_element());
                Ray::new(origin, target - origin)
            })
            .collect();
        let random = directions.into_iter().map(|d| Ray::new(rng.pick(&origins), d));
        let rays: Vec<Ray> = rays.into_iter().chain(random.collect::<Vec<_>>()).collect();
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

/// Every vertex that a triangle uses, and two points of every edge.
fn surface_points(mesh: &TriMesh, rng: &mut Rng) -> Vec<Vec3> {
    let (mut vertices, mut edges) = (BTreeSet::new(), BTreeSet::new());
    for &[a, b, c] in mesh.triangles() {
        vertices.extend([a, b, c]);
        edges.extend([(a, b), (b, c), (c, a)].map(|(a, b)| (a.min(b), a.max(b))));
    }
    let at = |vertex: u32| mesh.positions()[vertex as usize];
    let mut points: Vec<Vec3> = vertices.into_iter().map(at).collect();
    for (a, b) in edges {
        points.extend([0.5 * at(a) + 0.5 * at(b), at(a).lerp(at(b), rng.unit())]);
    }
    points
}

/// A point from which rays in several directions cross the surface an odd number of times, by the
/// twin.
fn inside_point(mesh: &TriMesh, rng: &mut Rng) -> Vec3 {
    let (twin, bounds) = (Twin::new(mesh), mesh.bounds());
    for _ in 0..10_000 {
        let share = 0.5 + 0.5 * rng.in_cube();
        let point = bounds.min + share * bounds.extent();
        let is_inside = (0..5).all(|_| {
            let ray = Ray::new(point, rng.direction() * bounds.extent().max_element());
            twin.answers(&ray).once.len() % 2 == 1
        });
        if is_inside {
            return point;
        }
    }
    panic!("a mesh without an inside");
}
