//! A thread remembers what its last rays were like and what stopped the last shadow ray. That may change
//! the speed of the next ray, and never its answer: whatever rays, trees and threads came before.

use std::thread;

use hitscan::primitives::glam::Vec3;
use hitscan::{BuildOptions, Faces, Isa, MeshBvh, Ray, TriMesh, brute_force, generate};
use hitscan_testkit::{Rng, bundle, closed_shapes, hard_rays, invalid_rays, soup};

use crate::asking::{ALL_FACES, Expected, check_everything, effort, every_bvh};

/// Enough rays of one kind for a thread to change its way of tracing, which it does within four pairs
/// of 64 rays each.
const RUN: usize = 300;

#[test]
fn streams_that_change_their_kind_have_one_answer() {
    for (seed, shape) in closed_shapes(500).into_iter().enumerate() {
        let mut rng = Rng::new(171_000 + seed as u64);
        let mesh = &shape.mesh;
        let mut rays = Vec::new();
        for _ in 0..effort(2) {
            rays.extend(alike(mesh, &mut rng));
            rays.extend(from_one_point(mesh, &mut rng));
            rays.extend(from_afar(mesh, &mut rng));
            rays.extend(hard_rays(mesh, RUN, &mut rng));
            // Within a run of neighbours come rays that cannot take the fast path.
            let odd: Vec<Ray> = (0..RUN).flat_map(|_| bundle(mesh, &mut rng)).take(RUN).collect();
            rays.extend(odd.into_iter().map(|ray| match rng.below(6) {
                0 => ray.with_range(-ray.t_max.min(1e3), ray.t_max),
                1 => Ray { origin: ray.origin - 1e6 * ray.direction, ..ray },
                _ => ray,
            }));
            let center = mesh.bounds().center();
            rays.extend(
                invalid_rays(center + mesh.bounds().extent(), center).into_iter().map(|r| r.1),
            );
        }
        check_everything(&shape, &rays, seed);
    }
}

#[test]
fn shadow_rays_that_alternate_between_trees_have_one_answer() {
    let mut rng = Rng::new(172);
    let meshes: Vec<TriMesh> = (0..3)
        .map(
            |i| if i == 0 { generate::sphere(1.0, 900).unwrap() } else { soup(&mut rng, 400).mesh },
        )
        .collect();
    let streams: Vec<Vec<Ray>> = meshes.iter().map(|mesh| shadows(mesh, &mut rng)).collect();
    let trees: Vec<_> = meshes.iter().map(every_bvh).collect();
    for (faces, n) in ALL_FACES.into_iter().zip([1, 2, 7]) {
        // One thread, so the trees share what it remembers; each in turn for `n` rays.
        for which in 0..trees[0].len() {
            for start in (0..streams[0].len()).step_by(n) {
                for (mesh, (stream, trees)) in meshes.iter().zip(streams.iter().zip(&trees)) {
                    let (name, bvh) = &trees[which];
                    for ray in stream.iter().skip(start).take(n) {
                        let expected = brute_force::is_occluded(mesh, ray, faces);
                        assert_eq!(bvh.is_occluded(ray, faces), expected, "{name}, {ray:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_tree_built_where_another_was_dropped_has_one_answer() {
    // Allocators hand out the same memory again, so what the thread remembers may seem to be of the new
    // tree, which has fewer blocks or other triangles in them.
    let mut rng = Rng::new(173);
    for round in 0..effort(60) as usize {
        let (size, n) = ([1.0, 0.3][round % 2], [2000, 1990, 40, 2000][round % 4]);
        let mesh = generate::sphere(size, n).unwrap();
        let bvh = MeshBvh::build(&mesh, &BuildOptions::default());
        for ray in &shadows(&mesh, &mut rng) {
            let expected = brute_force::is_occluded(&mesh, ray, Faces::Both);
            assert_eq!(bvh.is_occluded(ray, Faces::Both), expected, "{size}, {n}, {ray:?}");
        }
        // The last ray is stopped, so that the next tree begins with something to remember.
        let through = Ray::new([0.0, 0.0, -2.0], [0.0, 0.0, 1.0]);
        assert!(bvh.is_occluded(&through, Faces::Both));
    }
}

#[test]
fn a_refit_that_removes_the_occluder_has_one_answer() {
    let mesh = generate::sphere(1.0, 3000).unwrap();
    let away = mesh.with_positions(mesh.positions().iter().map(|&p| p + Vec3::X * 5.0)).unwrap();
    for isa in Isa::available() {
        let mut bvh = MeshBvh::build(&mesh, &BuildOptions { isa, ..BuildOptions::default() });
        let rays: Vec<Ray> = (0..RUN)
            .map(|i| Ray::segment([0.0, i as f32 * 1e-3, -4.0], [0.0, i as f32 * 1e-3, 4.0]))
            .collect();
        for (mesh, is_occluded) in [(&mesh, true), (&away, false), (&mesh, true)] {
            bvh.refit(mesh).unwrap();
            for ray in &rays {
                assert_eq!(bvh.is_occluded(ray, Faces::Both), is_occluded, "{isa:?} {ray:?}");
            }
        }
    }
}

#[test]
fn threads_that_trace_other_rays_have_one_answer() {
    let mesh = generate::torus(1.0, 0.4, 3000).unwrap();
    let mut rng = Rng::new(174);
    let streams =
        [alike(&mesh, &mut rng), from_one_point(&mesh, &mut rng), hard_rays(&mesh, RUN, &mut rng)];
    let expected = streams.each_ref().map(|rays| Expected::new(&mesh, rays));
    let trees = every_bvh(&mesh);
    thread::scope(|scope| {
        for n in 0..4 {
            let (trees, expected) = (&trees, &expected);
            scope.spawn(move || {
                for (name, bvh) in trees {
                    for i in 0..3 {
                        let difference = expected[(i + n) % 3].single_difference(bvh);
                        assert_eq!(difference, None, "thread {n}, {name}");
                    }
                }
            });
        }
    });
}

/// Rays side by side, as those of a camera.
fn alike(mesh: &TriMesh, rng: &mut Rng) -> Vec<Ray> {
    let (center, size) = (mesh.bounds().center(), mesh.bounds().extent().length());
    let eye = center + rng.direction() * size;
    (0..RUN)
        .map(|i| {
            let target = Vec3::new((i % 20) as f32, (i / 20) as f32, 0.0) / 20.0 - 0.5;
            Ray::new(eye, center + target * size - eye)
        })
        .collect()
}

/// Rays from one place in all directions.
fn from_one_point(mesh: &TriMesh, rng: &mut Rng) -> Vec<Ray> {
    let origin = mesh.bounds().center() + 0.3 * mesh.bounds().extent() * rng.direction();
    (0..RUN).map(|_| Ray::new(origin, rng.direction())).collect()
}

/// Rays from one place far away to corners and edges, where boxes of the tree end. Seen from there, all point alike.
fn from_afar(mesh: &TriMesh, rng: &mut Rng) -> Vec<Ray> {
    let size = mesh.bounds().extent().length();
    let eye = mesh.bounds().center() + rng.direction() * size * 10f32.powf(rng.between(0.3, 6.0));
    (0..RUN)
        .map(|_| {
            let triangle = rng.below(mesh.triangles().len());
            let [a, b, _] = mesh.triangles()[triangle].map(|i| mesh.positions()[i as usize]);
            let weight = if rng.below(2) == 0 { 0.0 } else { rng.between(0.0, 1.0) };
            Ray::new(eye, a.lerp(b, weight) - eye)
        })
        .collect()
}

/// Segments side by side that end at a light, some of them before or behind the mesh.
fn shadows(mesh: &TriMesh, rng: &mut Rng) -> Vec<Ray> {
    let rays = alike(mesh, rng);
    rays.into_iter().map(|ray| ray.with_range(0.0, rng.between(0.2, 2.0))).collect()
}
