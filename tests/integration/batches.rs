//! Batches choose how they walk: together where neighbours go the same way, by turns where the tree is
//! larger than the caches, one by one elsewhere. None of it may show in an answer.

use hitscan::primitives::glam::Vec3;
use hitscan::{BuildOptions, Faces, Hit, Isa, MeshBvh, Ray, TriMesh, brute_force, generate};
use hitscan_testkit::{RayKind, Rng, SoupKind, Twin, closed_shapes, invalid_rays, soup, soup_of};

use crate::asking::{ALL_FACES, check_everything, effort};

/// At least as many rays as go together, and a multiple of it.
const BUNDLE: usize = 64;

#[test]
fn the_picture_of_a_camera_has_one_answer() {
    let mut rng = Rng::new(91);
    for mut shape in closed_shapes(600) {
        let bounds = shape.mesh.bounds();
        for (view, distance) in [(0, 1.0), (1, 30.0), (2, 0.1)] {
            let eye = bounds.center() + rng.direction() * bounds.extent().length() * distance;
            let rays = camera_rays(eye, bounds.center() + 0.1 * bounds.extent(), 48);
            shape.name = format!("{}, view {view}", shape.name);
            check_everything(&shape, &rays, 91);
        }
    }
}

#[test]
fn bundles_at_anything_have_one_answer() {
    for seed in 0..effort(100) {
        let mut rng = Rng::new(92_000 + seed);
        let shape = match SoupKind::ALL.get(seed as usize) {
            // A stack answers every ray with every triangle; few will do.
            Some(&kind) => soup_of(kind, &mut rng, 60),
            None => soup(&mut rng, 1000),
        };
        let rays: Vec<Ray> = (0..8).flat_map(|_| bundle(&shape.mesh, &mut rng)).collect();
        check_everything(&shape, &rays, seed);
    }
}

#[test]
fn odd_rays_among_those_of_a_bundle_have_one_answer() {
    for seed in 0..effort(60) {
        let mut rng = Rng::new(93_000 + seed);
        let shape = if seed % 2 == 0 {
            closed_shapes(300).swap_remove(rng.below(8))
        } else {
            soup(&mut rng, 300)
        };
        let twin = Twin::new(&shape.mesh);
        let mut rays: Vec<Ray> = (0..8).flat_map(|_| bundle(&shape.mesh, &mut rng)).collect();
        for ray in &mut rays {
            if rng.one_in(20) {
                *ray = odd(*ray, &shape.mesh, &twin, &mut rng);
            }
        }
        check_everything(&shape, &rays, seed);
    }
}

#[test]
fn batches_on_a_tree_beyond_the_caches_equal_single_rays() {
    let mut rng = Rng::new(94);
    let terrain = generate::terrain(1_000_000, 1).expect("ordinary arguments");
    // Not from far away: such a ray visits most of a tree.
    let near =
        RayKind::ALL.map(|kind| if kind == RayKind::FarOrigin { RayKind::AtFace } else { kind });
    let mut rays = Vec::new();
    for _ in 0..24 {
        let (eye, target) =
            (RayKind::Random.ray(&terrain, &mut rng), RayKind::FromFace.ray(&terrain, &mut rng));
        let towards = |rng: &mut Rng| target.origin + 0.01 * rng.in_cube() - eye.origin;
        rays.extend((0..BUNDLE).map(|_| Ray::new(eye.origin, towards(&mut rng))));
        rays.extend((0..BUNDLE).map(|_| rng.pick(&near).ray(&terrain, &mut rng)));
    }
    rays.extend(invalid_rays(Vec3::ONE, Vec3::ZERO).into_iter().map(|(_, ray)| ray));
    let bvh = MeshBvh::build(&terrain, &BuildOptions::default());
    assert!(bvh.stats().bytes > 48 << 20, "the mesh is too small to be beyond the caches");
    let bits = |hit: Option<Hit>| hit.map(|hit| hit.to_bits());
    let mut n_hits = 0;
    for isa in Isa::available() {
        let bvh = bvh.clone().with_isa(isa);
        for faces in ALL_FACES {
            let (mut closest, mut occluded) = (vec![None; rays.len()], vec![false; rays.len()]);
            bvh.closest_hits(&rays, faces, &mut closest);
            bvh.are_occluded(&rays, faces, &mut occluded);
            for (i, ray) in rays.iter().enumerate() {
                let context = format!("{isa:?}, {faces:?}, ray {i}: {ray:?}");
                let single = bvh.closest_hit(ray, faces);
                assert_eq!(bits(closest[i]), bits(single), "{context}");
                assert_eq!(occluded[i], single.is_some(), "{context}");
                n_hits += usize::from(single.is_some());
                if i % 100 == 0 && isa == Isa::detect() {
                    let expected = brute_force::closest_hit(&terrain, ray, faces);
                    assert_eq!(bits(single), bits(expected), "{context}");
                }
            }
        }
    }
    assert!(n_hits > 1000, "{n_hits}");
}

#[test]
fn a_batch_of_other_length_than_its_answers_is_refused() {
    let bvh = MeshBvh::build(&generate::sphere(1.0, 20).unwrap(), &BuildOptions::default());
    let rays = [Ray::new([0.0, 0.0, 3.0], [0.0, 0.0, -1.0]); 3];
    let refused = |f: &dyn Fn()| std::panic::catch_unwind(std::panic::AssertUnwindSafe(f)).is_err();
    assert!(refused(&|| bvh.closest_hits(&rays, Faces::Both, &mut [None; 2])));
    assert!(refused(&|| bvh.are_occluded(&rays, Faces::Both, &mut [false; 4])));
    assert!(refused(&|| bvh.crossings_of(&rays, Faces::Both, &mut [])));
}

/// Rays that may go together: of a narrow or wide bundle, or each at its own vertex, edge or face.
fn bundle(mesh: &TriMesh, rng: &mut Rng) -> Vec<Ray> {
    let rays = if rng.one_in(2) { narrow_bundle(mesh, rng) } else { aimed_bundle(mesh, rng) };
    let window = rng.one_in(4).then(|| (rng.between(0.0, 1.0), rng.between(0.5, 2.0)));
    let in_window =
        |ray: Ray| window.map_or(ray, |(t_min, length)| ray.with_range(t_min, t_min + length));
    rays.into_iter().map(in_window).collect()
}

/// Rays from near one point to near another, which lies on the mesh, or about parallel to the ray
/// between the two: from the same origin or not, often exactly at the same target.
fn narrow_bundle(mesh: &TriMesh, rng: &mut Rng) -> Vec<Ray> {
    let aimed = [RayKind::AtVertex, RayKind::AtEdge, RayKind::AtFace, RayKind::FarOrigin];
    let first = rng.pick(&aimed).ray(mesh, rng);
    let (eye, target) = (first.origin, first.origin + first.direction);
    let size = mesh.bounds().extent().max_element();
    let spread = |rng: &mut Rng| rng.pick(&[0.0, 1e-7, 1e-4, 1e-2, 0.1, 0.4]) * size;
    let (at_eye, at_target, are_parallel) = (spread(rng), spread(rng), rng.one_in(2));
    (0..BUNDLE)
        .map(|_| {
            let origin = eye + rng.in_cube() * at_eye;
            let towards = if are_parallel { origin + first.direction } else { target };
            Ray::new(origin, towards + rng.in_cube() * at_target - origin)
        })
        .collect()
}

/// Rays at vertices, edges and faces all over the mesh, where ties and box faces are, from so far that
/// they share octant and dominant axis; some from very far. A few end exactly where they are aimed.
fn aimed_bundle(mesh: &TriMesh, rng: &mut Rng) -> Vec<Ray> {
    let size = mesh.bounds().extent().max_element();
    let mut away = Vec3::new(1.0, rng.between(0.4, 0.8), rng.between(0.4, 0.8));
    for axis in 0..3 {
        away[axis] *= rng.pick(&[1.0, -1.0]);
    }
    away = rng.pick(&[away, Vec3::new(away.y, away.z, away.x), Vec3::new(away.z, away.x, away.y)]);
    let distance = size * rng.pick(&[4.0, 4.0, 30.0, 1e3, 1e5]);
    let eye = mesh.bounds().center() + away * distance;
    let kinds = [RayKind::AtVertex, RayKind::AtVertex, RayKind::AtEdge, RayKind::AtFace];
    (0..BUNDLE)
        .map(|_| {
            let aimed = rng.pick(&kinds).ray(mesh, rng);
            let target = aimed.origin + aimed.direction;
            let ray = Ray::new(eye, target - eye);
            if rng.one_in(8) { ray.with_range(0.0, 1.0) } else { ray }
        })
        .collect()
}

/// A ray that does not fit in with its neighbours.
fn odd(ray: Ray, mesh: &TriMesh, twin: &Twin, rng: &mut Rng) -> Ray {
    let t = twin.answers(&ray).closed.first().map_or(1.0, |hit| hit.t);
    let invalid = invalid_rays(ray.origin, ray.origin + ray.direction);
    match rng.below(11) {
        0 => invalid[rng.below(invalid.len())].1,
        1 => Ray::line(ray.origin, ray.direction),
        2 => ray.with_range(-2.0 * t.abs(), ray.t_max),
        3 => ray.with_range(ray.t_min, t),
        4 => ray.with_range(t, ray.t_max),
        5 => ray.with_range(t, t),
        6 => Ray { direction: -ray.direction, ..ray },
        7 => Ray { origin: ray.origin * 1e5, ..ray },
        8 => ray.with_range(-0.0, t),
        9 => Ray { direction: ray.direction * rng.pick(&[1e-30, 1e-3, 1e3, 1e20]), ..ray },
        _ => rng.pick(&RayKind::ALL).ray(mesh, rng),
    }
}

fn camera_rays(eye: Vec3, target: Vec3, n: usize) -> Vec<Ray> {
    let forward = (target - eye).normalize();
    let right = forward.cross(Vec3::new(0.1, 1.0, 0.2)).normalize();
    let up = right.cross(forward);
    let pixel = |i: usize| (i as f32 + 0.5) / n as f32 - 0.5;
    // Rows of tiles of 4 x 4 pixels, so that neighbours in the list are neighbours in the picture.
    let pixels = (0..n * n).map(|i| {
        let (tile, within) = (i / 16, i % 16);
        (4 * (tile % (n / 4)) + within % 4, 4 * (tile / (n / 4)) + within / 4)
    });
    pixels.map(|(x, y)| Ray::new(eye, forward + right * pixel(x) + up * pixel(y))).collect()
}
