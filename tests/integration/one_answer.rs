//! Every query equals the brute-force definition to the last bit: alone and in batches, for every build
//! quality, instruction set and number of threads.

use hitscan::primitives::glam::Vec3;
use hitscan::{BuildOptions, MeshBvh, Ray, TriMesh};
use hitscan_testkit::{
    RayKind, Rng, Shape, SoupKind, closed_shapes, degenerate_shapes, hard_rays, invalid_rays,
    rays_from_inside, soup, soup_of, stitched_shapes,
};

use crate::asking::{ALL_FACES, Expected, check_everything, effort, every_bvh, with_threads};

#[test]
fn small_soups_have_one_answer() {
    for seed in 0..effort(800) {
        let mut rng = Rng::new(seed);
        let shape = soup(&mut rng, 100);
        let rays = hard_rays(&shape.mesh, 200, &mut rng);
        check_everything(&shape, &rays, seed);
    }
}

#[test]
fn soups_of_every_kind_have_one_answer() {
    for kind in SoupKind::ALL {
        let mut rng = Rng::new(1_000_000);
        for n in [8, 60, 300] {
            let shape = soup_of(kind, &mut rng, n);
            let rays = hard_rays(&shape.mesh, effort(700) as usize, &mut rng);
            check_everything(&shape, &rays, 1_000_000);
        }
    }
}

#[test]
fn large_soups_have_one_answer() {
    for seed in 2_000_000..2_000_000 + effort(12) {
        let mut rng = Rng::new(seed);
        let shape = soup(&mut rng, 3000);
        let rays = hard_rays(&shape.mesh, 1500, &mut rng);
        check_everything(&shape, &rays, seed);
    }
}

#[test]
fn closed_shapes_have_one_answer() {
    for shape in closed_shapes(400) {
        let mut rng = Rng::new(3_000_000);
        let rays = hard_rays(&shape.mesh, effort(4000) as usize, &mut rng);
        check_everything(&shape, &rays, 3_000_000);
    }
}

#[test]
fn stitched_meshes_have_one_answer() {
    for seed in 11_000_000..11_000_000 + effort(2) {
        for shape in stitched_shapes(60, seed) {
            let mut rng = Rng::new(seed);
            let mut rays = hard_rays(&shape.mesh, 300, &mut rng);
            let from_inside = rays_from_inside(&shape.mesh, &mut rng);
            rays.extend((0..300).map(|_| rng.pick(&from_inside)));
            check_everything(&shape, &rays, seed);
        }
    }
}

#[test]
fn degenerate_shapes_have_one_answer() {
    for shape in degenerate_shapes(500) {
        let mut rng = Rng::new(4);
        let rays = hard_rays(&shape.mesh, 500, &mut rng);
        check_everything(&shape, &rays, 4);
    }
}

#[test]
fn every_kind_of_ray_has_one_answer() {
    // The other tests mix the kinds. Here each kind has its own batches, so none is rare.
    let mut rng = Rng::new(5);
    let shapes = [
        soup_of(SoupKind::HeightField, &mut rng, 200),
        soup_of(SoupKind::Grid, &mut rng, 60),
        soup(&mut rng, 200),
    ];
    for shape in &shapes {
        for kind in RayKind::ALL {
            let rays: Vec<Ray> =
                (0..effort(600)).map(|_| kind.ray(&shape.mesh, &mut rng)).collect();
            check_everything(shape, &rays, format!("5, {kind:?}"));
        }
    }
}

#[test]
fn any_number_of_threads_gives_one_answer() {
    let mut rng = Rng::new(7);
    for max_triangles in [1, 50, 3000] {
        let shape = soup(&mut rng, max_triangles);
        let rays = hard_rays(&shape.mesh, effort(6000) as usize, &mut rng);
        let expected = Expected::new(&shape.mesh, &rays);
        for n_threads in [1, 2, 4] {
            with_threads(n_threads, || {
                for ((name, bvh), faces) in
                    every_bvh(&shape.mesh).iter().zip(ALL_FACES.into_iter().cycle())
                {
                    let difference = expected.batch_difference(bvh, faces);
                    assert_eq!(difference, None, "{name}, {n_threads} threads, {}", shape.name);
                }
            });
        }
    }
}

#[test]
fn batches_of_every_length_have_one_answer() {
    let mut rng = Rng::new(8);
    let shape = soup_of(SoupKind::HeightField, &mut rng, 128);
    let rays = hard_rays(&shape.mesh, 1000, &mut rng);
    for length in (0..40).chain([63, 64, 65, 127, 255, 256, 257, 511, 999]) {
        check_everything(&shape, &rays[..length], format!("8, {length} rays"));
    }
}

#[test]
fn invalid_rays_miss_alone_and_among_others() {
    let mut rng = Rng::new(9);
    let shape = soup_of(SoupKind::HeightField, &mut rng, 500);
    let target = shape.mesh.corners(0)[0];
    let invalid = invalid_rays(target + Vec3::new(0.01, 0.02, 3.0), target);
    for (name, bvh) in every_bvh(&shape.mesh) {
        for (what, ray) in &invalid {
            for faces in ALL_FACES {
                assert_eq!(bvh.closest_hit(ray, faces), None, "{name}: {what}");
                assert!(!bvh.is_occluded(ray, faces), "{name}: {what}");
                assert_eq!(bvh.count_crossings(ray, faces), 0, "{name}: {what}");
            }
        }
    }
    // Each stands between valid rays, so that they share packets and chunks.
    let mixed: Vec<Ray> = invalid
        .iter()
        .flat_map(|(_, ray)| [RayKind::AtFace.ray(&shape.mesh, &mut rng), *ray])
        .collect();
    check_everything(&shape, &mixed, 9);
}

#[test]
fn a_mesh_of_one_triangle_or_none_has_one_answer() {
    let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    for triangles in [vec![], vec![[0, 1, 2]], vec![[0, 0, 0]]] {
        let name = format!("triangles {triangles:?}");
        let mesh = TriMesh::new(corners, triangles).unwrap();
        let mut rng = Rng::new(10);
        let rays = hard_rays(&mesh, 1000, &mut rng);
        check_everything(&Shape { name, mesh }, &rays, 10);
    }
}

#[test]
fn a_buffer_of_hits_is_cleared_before_it_is_filled() {
    let mesh =
        TriMesh::new([[0.0f32; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], vec![[0, 1, 2]]).unwrap();
    let bvh = MeshBvh::build(&mesh, &BuildOptions::default());
    let ray = Ray::new([0.2, 0.2, 1.0], [0.0, 0.0, -1.0]);
    let away = Ray::new([0.2, 0.2, 1.0], [0.0, 0.0, 1.0]);
    let mut hits = bvh.all_hits(&ray, &hitscan::HitOptions::default());
    assert_eq!(hits.len(), 1);
    bvh.all_hits_into(&away, &hitscan::HitOptions::default(), &mut hits);
    assert!(hits.is_empty());
    hits = bvh.all_hits(&ray, &hitscan::HitOptions::default());
    bvh.nearest_hits_into(&ray, 0, &hitscan::HitOptions::default(), &mut hits);
    assert!(hits.is_empty(), "none of the nearest 0");
}
