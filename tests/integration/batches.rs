//! Batches choose their traversal: packets for neighbours in one direction, interleaved rays for trees
//! larger than the caches, single rays elsewhere. No choice changes an answer.

use hitscan::primitives::glam::Vec3;
use hitscan::{
    BuildOptions, Faces, Hit, Isa, Layout, MeshBvh, Ray, Side, TriMesh, brute_force, generate,
};
use hitscan_testkit::{
    BUNDLE, Oracle, RayKind, Rng, SoupKind, bundle, closed_shapes, invalid_rays, soup, soup_of,
};

use crate::asking::{ALL_FACES, check_everything, effort};

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
fn bundles_at_any_target_have_one_answer() {
    for seed in 0..effort(100) {
        let mut rng = Rng::new(92_000 + seed);
        let shape = match SoupKind::ALL.get(seed as usize) {
            // On a stack every ray hits every triangle, so a few triangles are enough.
            Some(&kind) => soup_of(kind, &mut rng, 60),
            None => soup(&mut rng, 1000),
        };
        let rays: Vec<Ray> = (0..8).flat_map(|_| bundle(&shape.mesh, &mut rng)).collect();
        check_everything(&shape, &rays, seed);
    }
}

#[test]
fn bundles_with_odd_rays_have_one_answer() {
    for seed in 0..effort(60) {
        let mut rng = Rng::new(93_000 + seed);
        let shape = if seed % 2 == 0 {
            closed_shapes(300).swap_remove(rng.below(8))
        } else {
            soup(&mut rng, 300)
        };
        let oracle = Oracle::new(&shape.mesh);
        let mut rays: Vec<Ray> = (0..8).flat_map(|_| bundle(&shape.mesh, &mut rng)).collect();
        for ray in &mut rays {
            if rng.one_in(20) {
                *ray = odd(*ray, &shape.mesh, &oracle, &mut rng);
            }
        }
        check_everything(&shape, &rays, seed);
    }
}

/// Such rays are sorted by octant, because a packet has one octant.
#[test]
fn rays_of_four_octants_aimed_at_corners_and_edges_have_one_answer() {
    let mut rng = Rng::new(95);
    for (i, mut shape) in closed_shapes(300).into_iter().enumerate() {
        let bounds = shape.mesh.bounds();
        let axis = [Vec3::X, Vec3::NEG_Y, Vec3::Z][i % 3];
        let eye = bounds.center() + 3.0 * bounds.extent().length() * axis;
        let rays: Vec<Ray> = (0..300)
            .map(|_| {
                let [a, b, _] = shape.mesh.corners(rng.below(shape.mesh.triangles().len()) as u32);
                let target = if rng.one_in(2) { a } else { a.midpoint(b) };
                Ray::new(eye, target - eye)
            })
            .collect();
        shape.name = format!("{}, along {axis}", shape.name);
        check_everything(&shape, &rays, 95);
    }
}

/// Where two triangles meet, f32 cannot tell which one a ray hits, and both have the same `t`.
#[test]
fn packets_aimed_at_corners_and_edges_have_one_answer() {
    for seed in 0..effort(48) {
        let mut rng = Rng::new(96_000 + seed);
        let mut shape = if seed % 3 == 0 {
            soup(&mut rng, 200)
        } else {
            closed_shapes(200).swap_remove(rng.below(8))
        };
        if seed % 4 == 2 {
            let size = shape.mesh.bounds().extent().max_element();
            let scale = rng.pick(&[1e-25, 1e25]) / size;
            let positions: Vec<Vec3> = shape.mesh.positions().iter().map(|&p| p * scale).collect();
            // A soup may hold numbers that overflow.
            shape.mesh = shape.mesh.with_positions(positions).unwrap_or(shape.mesh);
        }
        let rays = aimed_rays(&shape.mesh, &mut rng);
        shape.name = format!("{}, aimed", shape.name);
        check_everything(&shape, &rays, seed);
    }
}

/// Packets of one kind: rays from one point or from many, at corners and at middles of edges. Their
/// intervals may end exactly there, or begin before the origin, and some rays are invalid.
fn aimed_rays(mesh: &TriMesh, rng: &mut Rng) -> Vec<Ray> {
    let (center, size) = (mesh.bounds().center(), mesh.bounds().extent().max_element());
    let mut away = Vec3::new(1.0, rng.between(0.5, 0.8), rng.between(0.5, 0.8));
    away =
        rng.pick(&[away, Vec3::new(-away.z, away.x, away.y), Vec3::new(away.y, -away.z, away.x)]);
    let eye = center + away * size * rng.pick(&[1.5, 4.0, 100.0]);
    let scatter = size * rng.pick(&[0.0, 1e-6, 1e-2, 0.3]);
    let interval = rng.below(6);
    let n = BUNDLE * 3 - rng.below(BUNDLE);
    let mut ray = || {
        let [a, b, _] = mesh.corners(rng.below(mesh.triangles().len()) as u32);
        let target = if rng.one_in(2) { a } else { a.midpoint(b) };
        let origin = eye + scatter * rng.in_cube();
        let ray = Ray::new(origin, target - origin);
        if rng.one_in(30) {
            let invalid = invalid_rays(origin, target);
            return invalid[rng.below(invalid.len())].1;
        }
        match interval {
            0 => ray.with_range(0.0, 1.0),
            1 => ray.with_range(1.0, f32::INFINITY),
            2 => ray.with_range(-2.0, f32::INFINITY),
            3 => ray.with_range(f32::NEG_INFINITY, rng.between(-1.0, 2.0)),
            _ => ray,
        }
    };
    (0..n).map(|_| ray()).collect()
}

/// Its rows are cut into tiles. Some tiles are not whole.
#[test]
fn a_picture_in_rows_equals_single_rays() {
    let mut rng = Rng::new(97);
    let mut n_hits = 0;
    for (shape, (width, height)) in
        closed_shapes(400).into_iter().zip([(67, 80), (128, 64), (200, 41), (93, 107)])
    {
        let bounds = shape.mesh.bounds();
        let eye = bounds.center() + rng.direction() * bounds.extent().length() * 1.2;
        let mut rays = rows_of_camera(eye, bounds.center(), width, height);
        // A frame of shadow rays has no ray where the camera saw nothing.
        for i in 0..rays.len() {
            if i / width > height / 3 && i % width < width / 2 && rng.one_in(2) {
                rays[i].direction = Vec3::ZERO;
            } else if rng.one_in(100) {
                rays[i].t_max = f32::NAN;
            }
        }
        for layout in Layout::ALL {
            let bvh = MeshBvh::build(&shape.mesh, &BuildOptions { layout, ..Default::default() });
            n_hits += check_batches(&shape.mesh, &bvh, &rays, 200);
        }
    }
    assert!(n_hits > 10_000, "{n_hits}");
}

#[test]
fn batches_on_a_tree_beyond_the_caches_equal_single_rays() {
    let mut rng = Rng::new(94);
    let terrain = generate::terrain(1_000_000, 1).expect("ordinary arguments");
    // Not from far away, because such a ray visits most of a tree.
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
    let n_hits = check_batches(&terrain, &bvh, &rays, 100);
    assert!(n_hits > 1000, "{n_hits}");
}

#[test]
fn packets_that_the_last_occluder_stops_or_misses_equal_single_rays() {
    // Few large triangles, so that what stopped a packet may stop the next one: whole, at an edge, or not at all.
    let mesh = generate::cuboid(2.0, 2.0, 2.0, 0).unwrap();
    let eye = Vec3::new(0.3, 0.4, 5.0);
    let mut rays = rows_of_camera(eye, Vec3::new(0.1, 0.0, 0.0), 96, 64);
    let mut rng = Rng::new(95);
    for tile in rays.chunks_mut(32) {
        // Runs that end in front of the mesh or within it, or start behind its front.
        let (t_min, t_max) = rng.pick(&[(0.0, f32::INFINITY), (0.0, 3.9), (4.1, 4.2), (4.0, 6.1)]);
        let end = rng.below(33);
        for ray in &mut tile[..end] {
            *ray = ray.with_range(t_min, t_max);
        }
    }
    for layout in [Layout::Full, Layout::Compact] {
        let bvh = MeshBvh::build(&mesh, &BuildOptions { layout, ..BuildOptions::default() });
        let n_hits = check_batches(&mesh, &bvh, &rays, 10);
        let n_rays = ALL_FACES.len() * Isa::available().len() * rays.len();
        assert!((n_rays / 20..n_rays / 2).contains(&n_hits), "{n_hits} of {n_rays}");
    }
}

#[test]
fn a_batch_whose_length_differs_from_its_answers_is_refused() {
    let bvh = MeshBvh::build(&generate::sphere(1.0, 20).unwrap(), &BuildOptions::default());
    let rays = [Ray::new([0.0, 0.0, 3.0], [0.0, 0.0, -1.0]); 3];
    let refused = |f: &dyn Fn()| std::panic::catch_unwind(std::panic::AssertUnwindSafe(f)).is_err();
    assert!(refused(&|| bvh.closest_hit_batch(&rays, Faces::Both, &mut [None; 2])));
    assert!(refused(&|| bvh.is_occluded_batch(&rays, Faces::Both, &mut [false; 4])));
    assert!(refused(&|| bvh.count_crossings_batch(&rays, Faces::Both, &mut [])));
}

/// Compares batches with single rays for every instruction set, and every `step`-th ray with brute force.
/// Returns the number of hits.
fn check_batches(mesh: &TriMesh, bvh: &MeshBvh, rays: &[Ray], step: usize) -> usize {
    let bits = |hit: Option<Hit>| hit.map(|hit| hit.to_bits());
    let mut n_hits = 0;
    for isa in Isa::available() {
        let bvh = bvh.clone().with_isa(isa);
        for faces in ALL_FACES {
            let wrong = Hit { t: f32::NAN, u: 0.0, v: 0.0, triangle: 0, side: Side::Back };
            let (mut closest, mut occluded) =
                (vec![Some(wrong); rays.len()], vec![true; rays.len()]);
            bvh.closest_hit_batch(rays, faces, &mut closest);
            bvh.is_occluded_batch(rays, faces, &mut occluded);
            for (i, ray) in rays.iter().enumerate() {
                let context = format!("{isa:?}, {faces:?}, ray {i}: {ray:?}");
                let single = bvh.closest_hit(ray, faces);
                assert_eq!(bits(closest[i]), bits(single), "{context}");
                assert_eq!(occluded[i], single.is_some(), "{context}");
                n_hits += usize::from(single.is_some());
                if i % step == 0 && isa == Isa::detect() {
                    let expected = brute_force::closest_hit(mesh, ray, faces);
                    assert_eq!(bits(single), bits(expected), "{context}");
                }
            }
        }
    }
    n_hits
}

/// A ray that does not fit in with its neighbours.
fn odd(ray: Ray, mesh: &TriMesh, oracle: &Oracle, rng: &mut Rng) -> Ray {
    let t = oracle.hits(&ray).every_triangle.first().map_or(1.0, |hit| hit.t);
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

/// The rays of a picture, row by row.
fn rows_of_camera(eye: Vec3, target: Vec3, width: usize, height: usize) -> Vec<Ray> {
    let forward = (target - eye).normalize();
    let right = forward.cross(Vec3::new(0.1, 1.0, 0.2)).normalize();
    let up = right.cross(forward);
    let pixel = |i: usize| (i as f32 + 0.5) / width as f32 - 0.5;
    let pixels = (0..width * height).map(|i| (i % width, i / width));
    pixels.map(|(x, y)| Ray::new(eye, forward + right * pixel(x) + up * pixel(y))).collect()
}

/// The same in rows of tiles of 4 x 4 pixels, so that neighbours in the list are neighbours in the picture.
fn camera_rays(eye: Vec3, target: Vec3, n: usize) -> Vec<Ray> {
    let rows = rows_of_camera(eye, target, n, n);
    let pixels = (0..n * n).map(|i| {
        let (tile, within) = (i / 16, i % 16);
        (4 * (tile % (n / 4)) + within % 4, 4 * (tile / (n / 4)) + within / 4)
    });
    pixels.map(|(x, y)| rows[y * n + x]).collect()
}
