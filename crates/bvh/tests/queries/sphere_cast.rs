//! Balls along rays against brute force.

use hitscan_bvh::{BuildOptions, BuildQuality, MeshBvh};
use hitscan_primitives::{
    Faces, Ray, SphereCast, SphereContact, TriMesh, TriangleFeature,
    brute_force::BruteForce,
    generate::{self, SplitMix64},
    glam::{DVec3, Vec3},
};

use crate::support::{built, effort, needles, point, point_near, shapes};

/// The bits of a contact.
fn bits(contact: &SphereContact) -> (u32, TriangleFeature, [u64; 7]) {
    let [px, py, pz] = contact.point.to_array();
    let [nx, ny, nz] = contact.normal.to_array();
    (contact.triangle, contact.feature, [contact.t, px, py, pz, nx, ny, nz].map(f64::to_bits))
}

/// A ball that goes from anywhere to near the mesh, through it or along an axis, with a radius of any size.
fn ball(random: &mut SplitMix64, mesh: &TriMesh) -> SphereCast {
    let size = f64::from(mesh.bounds().max_abs_coordinate());
    loop {
        let (from, to) = (point_near(random, mesh), point_near(random, mesh));
        let along = [to - from, Vec3::AXES[random.below(3) as usize] * size as f32];
        let direction = along[usize::from(random.below(4) == 0)];
        let range =
            [(0.0, f32::INFINITY), (0.0, 1.0), (f32::NEG_INFINITY, f32::INFINITY), (-0.5, 0.75)];
        let (t_min, t_max) = range[random.below(4) as usize];
        let radius = [1e-9, 1e-4, 0.01, 0.1, 0.5, 3.0, 0.0][random.below(7) as usize] * size;
        let ray = Ray::new(from, direction).with_range(t_min, t_max);
        if let Ok(cast) = SphereCast::new(ray, radius) {
            return cast;
        }
    }
}

/// Compares all queries of some balls with the loop over all triangles. Returns the number of contacts.
fn compare(name: &str, bvh: &MeshBvh, mesh: &TriMesh, casts: &[SphereCast]) -> usize {
    let twin = BruteForce::new(mesh);
    let mut batch = vec![None; casts.len()];
    bvh.sphere_cast_batch(casts, &mut batch);
    let mut n = 0;
    for (cast, of_batch) in casts.iter().zip(batch) {
        let expected: Vec<_> = twin.sphere_cast_all(cast).iter().map(bits).collect();
        let all: Vec<_> = bvh.sphere_cast_all(cast).iter().map(bits).collect();
        assert_eq!(all, expected, "{name}, all of {cast:?}");
        let first = bvh.sphere_cast(cast).as_ref().map(bits);
        assert_eq!(first.as_ref(), expected.first(), "{name}, first of {cast:?}");
        assert_eq!(of_batch.as_ref().map(bits), first, "{name}, batch");
        assert_eq!(bvh.sphere_cast_any(cast), first.is_some(), "{name}, any of {cast:?}");
        let odd = bvh.sphere_cast_where(cast, |contact| contact.triangle % 2 == 1);
        let expected_odd = expected.iter().find(|(triangle, ..)| triangle % 2 == 1);
        assert_eq!(odd.as_ref().map(bits).as_ref(), expected_odd, "{name}, odd of {cast:?}");
        n += expected.len();
    }
    n
}

#[test]
fn every_sphere_cast_equals_the_scan_to_the_last_bit() {
    let mut random = SplitMix64::new(30);
    let mut n_contacts = 0;
    for round in 0..effort(6) {
        for (name, mesh) in shapes(&mut random) {
            let mut bvh = built(&mesh, round);
            let casts: Vec<_> = (0..12).map(|_| ball(&mut random, &mesh)).collect();
            n_contacts += compare(&format!("{name}, round {round}"), &bvh, &mesh, &casts);
            let size = 0.1 * mesh.bounds().max_abs_coordinate();
            let moved = mesh.positions().iter().map(|&p| p + size * point(&mut random));
            if let Ok(moved) = mesh.with_positions(moved.collect::<Vec<_>>()) {
                bvh.refit(&moved).expect("the same number of triangles");
                n_contacts += compare(&format!("{name}, refitted"), &bvh, &moved, &casts[..4]);
            }
        }
    }
    assert!(n_contacts > 1000, "{n_contacts}");
}

#[test]
fn split_triangles_are_touched_once_and_where_the_whole_triangle_is() {
    let mut random = SplitMix64::new(31);
    let (mut n_split, mut n_contacts) = (0, 0);
    for round in 0..effort(30) {
        let mesh = needles(&mut random, 200);
        let options = BuildOptions { quality: BuildQuality::High, ..BuildOptions::default() };
        let bvh = MeshBvh::build(&mesh, &options);
        n_split += bvh.stats().n_split;
        let casts: Vec<_> = (0..20).map(|_| ball(&mut random, &mesh)).collect();
        n_contacts += compare(&format!("needles {round}"), &bvh, &mesh, &casts);
    }
    assert!(n_split > 0 && n_contacts > 100, "{n_split} {n_contacts}");
}

#[test]
fn a_ball_without_a_radius_is_the_ray() {
    let mesh = generate::sphere(1.0, 500).expect("a valid sphere");
    let bvh = MeshBvh::build(&mesh, &BuildOptions::default());
    let mut random = SplitMix64::new(32);
    for _ in 0..100 {
        let from = 2.0 * point(&mut random);
        let ray = Ray::new(from, 0.5 * point(&mut random) - from);
        let contact = bvh.sphere_cast(&SphereCast::new(ray, 0.0).expect("a valid ball"));
        let hit = bvh.closest_hit(&ray, Faces::Both);
        let found = contact.map(|contact| (contact.triangle, contact.t));
        assert_eq!(found, hit.map(|hit| (hit.triangle, f64::from(hit.t))));
        // A small ball is near the ray.
        let small = bvh.sphere_cast(&SphereCast::new(ray, 1e-7).expect("a valid ball"));
        if let (Some(small), Some(contact)) = (small, contact) {
            assert!((small.t - contact.t).abs() < 1e-5, "{} {}", small.t, contact.t);
        }
    }
}

#[test]
fn a_ball_on_the_floor_touches_it_and_an_empty_mesh_touches_nothing() {
    let floor = generate::grid(10.0, 10.0, 200).expect("a valid grid");
    let bvh = MeshBvh::build(&floor, &BuildOptions::default());
    let bounds = floor.bounds();
    let normal = floor.unit_normal(0).expect("it has an area");
    let on_it = (0.5 * (bounds.min + bounds.max)).as_dvec3() + 0.5 * normal;
    let cast = |direction: DVec3| {
        let ray = hitscan_primitives::WorldRay::new(on_it.to_array(), direction.to_array());
        SphereCast::new(ray, 0.5).expect("a valid ball")
    };
    for direction in [-normal, normal] {
        let contact = bvh.sphere_cast(&cast(direction)).expect("it touches");
        assert_eq!((contact.t, contact.normal), (0.0, normal));
    }
    let empty = TriMesh::new(Vec::<[f32; 3]>::new(), vec![]).expect("a valid mesh");
    let empty = MeshBvh::build(&empty, &BuildOptions::default());
    assert_eq!(empty.sphere_cast(&cast(normal)), None);
    assert!(
        !empty.sphere_cast_any(&cast(normal)) && empty.sphere_cast_all(&cast(normal)).is_empty()
    );
}
