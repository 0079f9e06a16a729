//! The closest point against brute force.

use glam::Vec3;
use hitscan_bvh::{BuildOptions, MeshBvh};
use hitscan_primitives::{SurfacePoint, brute_force::BruteForce, generate::SplitMix64};

use crate::support::{built, effort, point_near, shapes};

fn bits(found: Option<SurfacePoint>) -> Option<(u32, [u64; 4], [u32; 2])> {
    found.map(|found| {
        let [x, y, z] = found.point.to_array().map(f64::to_bits);
        let weights = [found.u.to_bits(), found.v.to_bits()];
        (found.triangle, [x, y, z, found.distance.to_bits()], weights)
    })
}

#[test]
fn the_closest_point_equals_the_scan_to_the_last_bit() {
    let mut random = SplitMix64::new(20);
    let (mut n_found, mut n_asked) = (0, 0);
    for round in 0..effort(4) {
        for (name, mesh) in shapes(&mut random) {
            let bvh = built(&mesh, round);
            let twin = BruteForce::new(&mesh);
            let size = f64::from(mesh.bounds().max_abs_coordinate());
            for _ in 0..40 {
                let from = point_near(&mut random, &mesh);
                let share = [f64::INFINITY, 1.0, 0.1, 0.01, 0.0][random.below(5) as usize];
                let max_distance = share * size;
                let found = bvh.closest_point(from, max_distance);
                let expected = twin.closest_point(from, max_distance);
                assert_eq!(
                    bits(found),
                    bits(expected),
                    "{name}, round {round}, {from:?} within {max_distance:e}"
                );
                n_found += usize::from(found.is_some());
                n_asked += 1;
                if let Some(found) = found {
                    // Within the found distance, the query finds the point again.
                    assert!(found.distance <= max_distance);
                    assert!(found.u >= 0.0 && found.v >= 0.0 && found.u + found.v <= 1.000_001);
                }
            }
        }
    }
    assert!(3 * n_found > n_asked && n_found < n_asked, "{n_found} of {n_asked}");
}

#[test]
fn bad_points_and_distances_find_nothing() {
    let mesh = hitscan_primitives::generate::cuboid(1.0, 1.0, 1.0, 1).expect("a valid cuboid");
    let bvh = MeshBvh::build(&mesh, &BuildOptions::default());
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        assert_eq!(bvh.closest_point([0.0, bad, 0.0], f64::INFINITY), None);
    }
    for bad in [f64::NAN, -1.0] {
        assert_eq!(bvh.closest_point(Vec3::ONE, bad), None);
    }
    let on_it = bvh.closest_point([0.5, 0.1, 0.2], 0.0).expect("it is on the surface");
    assert_eq!(on_it.distance, 0.0);
}
