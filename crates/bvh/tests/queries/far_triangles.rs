//! Triangles far from all others: they make no ray through the others slower, in any quality, refitted or not.

use glam::Vec3;
use hitscan_bvh::{BuildOptions, BuildQuality, MeshBvh};
use hitscan_primitives::{
    Faces, Ray, TriMesh,
    generate::{self, SplitMix64},
};

use crate::support::point;

/// A mesh with more triangles, each given by its corners.
fn with_triangles(mesh: &TriMesh, more: &[[Vec3; 3]]) -> TriMesh {
    let (mut positions, mut triangles) = (mesh.positions().to_vec(), mesh.triangles().to_vec());
    for corners in more {
        let first = positions.len() as u32;
        positions.extend(corners);
        triangles.push([first, first + 1, first + 2]);
    }
    TriMesh::new(positions, triangles).expect("finite corners")
}

/// Triangles beyond the unit sphere, of about the size of their distance from zero.
fn far(random: &mut SplitMix64, n: usize, distance: f32) -> Vec<[Vec3; 3]> {
    let mut corner = |at: Vec3| distance * (at + 0.1 * point(random));
    // Above, so that no ray to the sphere meets them.
    (0..n)
        .map(|i| Vec3::new(i as f32 - 1.0, 0.5, 4.0))
        .map(|at| [corner(at), corner(at), corner(at)])
        .collect()
}

fn rays_to_the_unit_sphere(random: &mut SplitMix64, n: usize) -> Vec<Ray> {
    (0..n)
        .map(|i| {
            let from = [3.0, 0.5][i % 2] * point(random) - 0.5 * Vec3::Z;
            Ray::segment(from, 0.9 * point(random))
        })
        .collect()
}

/// The tests of nodes and blocks of a ray, on average.
fn tests_per_ray(bvh: &MeshBvh, rays: &[Ray]) -> f64 {
    let tests = rays.iter().map(|ray| {
        let (_, work) = bvh.closest_hit_with_work(ray, Faces::Both);
        work.nodes + work.blocks
    });
    f64::from(tests.sum::<u32>()) / rays.len() as f64
}

/// The most tests of rays to a sphere beside far triangles, relative to the sphere alone. The root of a small tree has few
/// children, and the far triangles take one or two of them.
fn most_tests(n_triangles: usize) -> f64 {
    if n_triangles < 10_000 { 1.25 } else { 1.1 }
}

#[test]
fn far_triangles_do_not_slow_rays_to_the_others() {
    let mut random = SplitMix64::new(42);
    let rays = rays_to_the_unit_sphere(&mut random, 2000);
    for quality in BuildQuality::ALL {
        let options = BuildOptions { quality, ..Default::default() };
        for n_near in [1000, 40_000] {
            let near = generate::sphere(1.0, n_near).expect("a valid sphere");
            let alone = tests_per_ray(&MeshBvh::build(&near, &options), &rays);
            for n_far in [1, 12] {
                for exponent in [3, 5, 8, 12, 16, 20, 25, 30, 36] {
                    let far = far(&mut random, n_far, 10f32.powi(exponent));
                    let mesh = with_triangles(&near, &far);
                    let mut bvh = MeshBvh::build(&mesh, &options);
                    let context = format!("{n_far} at 1e{exponent}, {n_near}, {quality:?}");
                    bvh.validate(&mesh).unwrap_or_else(|fault| panic!("{context}: {fault}"));
                    let built = tests_per_ray(&bvh, &rays) / alone;
                    bvh.refit(&mesh).expect("the same triangles");
                    bvh.validate(&mesh).unwrap_or_else(|fault| panic!("{context}: {fault}"));
                    let refitted = tests_per_ray(&bvh, &rays) / alone;
                    let most = most_tests(n_near);
                    assert!(built <= most && refitted <= most, "{context}: {built} {refitted}");
                }
            }
        }
    }
}

#[test]
fn a_refit_that_moves_one_triangle_far_away_does_not_slow_the_others() {
    let mut random = SplitMix64::new(43);
    let rays = rays_to_the_unit_sphere(&mut random, 2000);
    let near = generate::sphere(1.0, 40_000).expect("a valid sphere");
    let together = with_triangles(&near, &far(&mut random, 1, 0.25));
    let apart = with_triangles(&near, &far(&mut random, 1, 1e6));
    let mut bvh = MeshBvh::build(&together, &BuildOptions::default());
    let before = tests_per_ray(&bvh, &rays);
    bvh.refit(&apart).expect("the same triangles");
    bvh.validate(&apart).expect("a sound tree");
    let after = tests_per_ray(&bvh, &rays);
    // The boxes from the root to the triangle reach as far as it does, so all rays enter them.
    assert!(after <= 2.0 * before, "{before} {after}");
}

#[test]
fn a_small_object_in_a_large_place_is_asked_as_if_it_were_alone() {
    let mut random = SplitMix64::new(44);
    let object = generate::sphere(1.0, 20_000).expect("a valid sphere");
    let rays = rays_to_the_unit_sphere(&mut random, 2000);
    for quality in BuildQuality::ALL {
        let options = BuildOptions { quality, ..Default::default() };
        let alone = tests_per_ray(&MeshBvh::build(&object, &options), &rays);
        for size in [1e4, 1e7] {
            // A shell, so that the object stands in the middle, and none of the rays meets it.
            let place = generate::sphere(size, 20_000).expect("a valid sphere");
            let corners = place
                .triangles()
                .iter()
                .map(|triangle| triangle.map(|vertex| place.positions()[vertex as usize]));
            let mesh = with_triangles(&object, &corners.collect::<Vec<_>>());
            let bvh = MeshBvh::build(&mesh, &options);
            bvh.validate(&mesh).expect("a sound tree");
            let within = tests_per_ray(&bvh, &rays) / alone;
            // The levels of the place come first.
            assert!(within <= 1.5, "{quality:?}, {size}: {within}");
        }
    }
}

#[test]
fn ordinary_meshes_have_boxes_that_are_widened_alike() {
    let mut random = SplitMix64::new(45);
    let shapes = [
        generate::sphere(1.0, 20_000),
        generate::torus(3.0, 0.5, 5000),
        generate::cuboid(10.0, 12.0, 4.0, 3),
        generate::terrain(30_000, 1),
        generate::city(30_000, 2),
        generate::soup(5000, 3),
    ];
    for mesh in shapes.map(|mesh| mesh.expect("ordinary sizes")) {
        let shift = 1000.0 * point(&mut random);
        let moved = mesh.positions().iter().map(|&position| position + shift);
        let moved = mesh.with_positions(moved).expect("the same number of positions");
        for mesh in [mesh, moved] {
            let bvh = MeshBvh::build(&mesh, &BuildOptions::default());
            let near = bvh.raw_parts().near_reach;
            assert_eq!(near.to_bits(), mesh.bounds().max_abs_coordinate().to_bits());
        }
    }
}
