//! Batches of points against single queries.

use std::sync::Arc;

use glam::Vec3;
use hitscan_bvh::{MeshBvh, WindingNumber, WindingTree};
use hitscan_primitives::{TriMesh, generate, generate::SplitMix64};

use crate::support::{built, effort, point_near, shapes};

/// Points around a mesh, some of them twice, and some not finite.
fn points_around(random: &mut SplitMix64, mesh: &TriMesh, n: usize) -> Vec<[f32; 3]> {
    let mut points: Vec<Vec3> = (0..n).map(|_| point_near(random, mesh)).collect();
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        points[random.below(n as u64) as usize][random.below(3) as usize] = bad;
    }
    points.extend_from_within(..n / 10);
    points.into_iter().map(|point| point.to_array()).collect()
}

fn closest_points_are_those_of_single_queries(
    random: &mut SplitMix64,
    name: &str,
    mesh: &TriMesh,
    bvh: &MeshBvh,
    points: &[[f32; 3]],
) {
    let size = f64::from(mesh.bounds().max_abs_coordinate());
    let limits = [f64::INFINITY, size, 0.01 * size, 0.0, -1.0, f64::NAN];
    let of_each: Vec<f64> = points.iter().map(|_| limits[random.below(6) as usize]).collect();
    for max_distances in [&[f64::INFINITY][..], &[0.1 * size], &of_each] {
        let mut found = vec![None; points.len()];
        bvh.closest_point_batch(points, max_distances, &mut found);
        for (i, &point) in points.iter().enumerate() {
            let expected = bvh.closest_point(point, max_distances[i % max_distances.len()]);
            assert_eq!(found[i], expected, "{name}, point {i}, {point:?}");
        }
        assert!(found.iter().any(Option::is_some) && found.iter().any(Option::is_none), "{name}");
    }
}

fn insides_are_those_of_single_queries(name: &str, bvh: MeshBvh, points: &[[f32; 3]]) {
    let tree = WindingTree::new(Arc::new(bvh));
    let (mut distances, mut inside) = (vec![None; points.len()], vec![false; points.len()]);
    let mut numbers = vec![WindingNumber::default(); points.len()];
    tree.signed_distance_batch(points, &mut distances);
    tree.is_inside_batch(points, &mut inside);
    tree.winding_number_batch(points, 1e-3, &mut numbers);
    for (i, &point) in points.iter().enumerate() {
        let found = (distances[i].map(f64::to_bits), inside[i], numbers[i]);
        let distance = tree.signed_distance(point).map(f64::to_bits);
        let expected = (distance, tree.is_inside(point), tree.winding_number(point, 1e-3));
        assert_eq!(found, expected, "{name}, point {i}, {point:?}");
    }
}

#[test]
fn a_batch_gives_the_answers_of_single_queries() {
    let mut random = SplitMix64::new(60);
    for round in 0..effort(6) {
        for (name, mesh) in shapes(&mut random) {
            let points = points_around(&mut random, &mesh, 60);
            let bvh = built(&mesh, round);
            closest_points_are_those_of_single_queries(&mut random, &name, &mesh, &bvh, &points);
            insides_are_those_of_single_queries(&name, bvh, &points);
        }
    }
}

#[test]
fn a_batch_of_several_chunks_gives_the_answers_of_single_queries() {
    let mut random = SplitMix64::new(61);
    let mesh = generate::torus(1.0, 0.3, 2000).expect("a usual size");
    let points = points_around(&mut random, &mesh, 9000);
    let bvh = built(&mesh, 0);
    closest_points_are_those_of_single_queries(&mut random, "torus", &mesh, &bvh, &points);
    insides_are_those_of_single_queries("torus", bvh, &points);
}

#[test]
fn a_batch_of_no_points_or_of_no_triangles_finds_nothing() {
    let empty = TriMesh::new([[0.0; 3]; 0], vec![]).expect("a mesh without triangles");
    let bvh = built(&empty, 0);
    let mut found = [None; 2];
    bvh.closest_point_batch(&[[0.0; 3], [1.0; 3]], &[f64::INFINITY], &mut found);
    assert_eq!(found, [None; 2]);
    bvh.closest_point_batch::<Vec3>(&[], &[f64::INFINITY], &mut []);
    bvh.closest_point_batch::<Vec3>(&[], &[], &mut []);
}

#[test]
#[should_panic(expected = "expected one maximum distance, or one per point, not 3")]
fn a_wrong_number_of_distances_is_named() {
    let bvh = built(&generate::cuboid(1.0, 1.0, 1.0, 0).expect("a cuboid"), 0);
    bvh.closest_point_batch(&[[0.0; 3]; 2], &[1.0; 3], &mut [None; 2]);
}
