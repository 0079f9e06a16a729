//! Winding numbers, inside and signed distance against brute force.

use std::sync::Arc;

use glam::{DVec3, Vec3};
use hitscan_bvh::{BuildOptions, BuildQuality, Layout, MeshBvh, WindingTree};
use hitscan_primitives::{TriMesh, brute_force::BruteForce, generate, generate::SplitMix64};
use hitscan_testkit::{Shape, closed_shapes, stitched_shapes};

use crate::support::{effort, point_near, shapes};

fn tree_of(mesh: &TriMesh, quality: BuildQuality) -> WindingTree {
    let layout = Layout::ALL[mesh.triangles().len() % 2];
    let options = BuildOptions { quality, layout, ..BuildOptions::default() };
    WindingTree::new(Arc::new(MeshBvh::build(mesh, &options)))
}

#[test]
fn winding_numbers_keep_their_bound_and_inside_equals_the_scan() {
    let mut random = SplitMix64::new(40);
    let (mut n_approximate, mut n_inside, mut n_asked) = (0, 0, 0);
    for round in 0..effort(2) {
        for (name, mesh) in shapes(&mut random) {
            let tree = tree_of(&mesh, BuildQuality::ALL[round % 3]);
            let twin = BruteForce::new(&mesh);
            for _ in 0..40 {
                let from = point_near(&mut random, &mesh);
                let context = format!("{name}, round {round}, {from:?}");
                let exact = twin.winding_sum(from);
                assert_eq!(tree.is_inside(from), exact.is_inside(), "{context}");
                let exact = exact.winding_number();
                for tolerance in [0.0, 1e-6, 1e-3, 1.0] {
                    let found = tree.winding_number(from, tolerance);
                    let error = (found.value - exact).abs();
                    assert!(error <= found.max_error, "{context}: {found:?}, exact {exact}");
                    n_approximate += usize::from(found.max_error > 1e-9);
                }
                assert!(tree.winding_number(from, 0.0).max_error < 1e-10, "{context}");
                n_inside += usize::from(tree.is_inside(from));
                n_asked += 1;
            }
        }
    }
    assert!(2 * n_approximate > n_asked, "{n_approximate} of {n_asked}");
    assert!(n_inside > n_asked / 10 && n_inside < n_asked, "{n_inside} of {n_asked}");
}

/// Closed surfaces of every kind: also inside out, around each other, through each other, twice in one
/// place, and stitched by triangles of zero area.
fn closed_meshes(seed: u64) -> Vec<(String, TriMesh)> {
    let together = |meshes: &[&TriMesh]| {
        let (mut positions, mut triangles) = (Vec::new(), Vec::new());
        for mesh in meshes {
            let first = positions.len() as u32;
            positions.extend_from_slice(mesh.positions());
            triangles.extend(mesh.triangles().iter().map(|corners| corners.map(|v| first + v)));
        }
        TriMesh::from_vecs(positions, triangles).expect("valid")
    };
    let mut meshes = Vec::new();
    for Shape { name, mesh } in closed_shapes(300) {
        let triangles = mesh.triangles().iter().map(|&[a, b, c]| [a, c, b]).collect();
        let turned = TriMesh::from_vecs(mesh.positions().to_vec(), triangles).expect("valid");
        let size = mesh.bounds().extent();
        let moved =
            mesh.with_positions(mesh.positions().iter().map(|&p| p + 0.3 * size)).expect("valid");
        let center = mesh.bounds().center();
        let small = turned
            .with_positions(turned.positions().iter().map(|&p| center + 0.5 * (p - center)))
            .expect("valid");
        meshes.push((format!("{name}, with its copy"), together(&[&mesh, &mesh])));
        meshes.push((format!("{name}, through another"), together(&[&mesh, &moved])));
        meshes.push((format!("{name}, with its turned copy"), together(&[&mesh, &turned])));
        meshes.push((format!("{name}, hollow"), together(&[&mesh, &small])));
        meshes.push((format!("{name}, inside out"), turned));
        meshes.push((name, mesh));
    }
    let stitched = stitched_shapes(300, seed);
    meshes.extend(stitched.into_iter().map(|shape| (shape.name, shape.mesh)));
    meshes
}

#[test]
fn crossings_of_closed_surfaces_agree_with_solid_angles() {
    let mut random = SplitMix64::new(43);
    let (mut n_inside, mut n_asked) = (0, 0);
    for round in 0..effort(2) {
        for (name, mesh) in closed_meshes(round as u64) {
            let tree = tree_of(&mesh, BuildQuality::ALL[round % 3]);
            let twin = BruteForce::new(&mesh);
            let bounds = mesh.bounds();
            for i in 0..60 {
                let vertex = mesh.positions()[random.below(mesh.positions().len() as u64) as usize];
                let anywhere =
                    bounds.center() + 0.55 * bounds.extent() * crate::support::point(&mut random);
                // On a line through a vertex, along an axis.
                let mut from = if i % 3 == 0 { anywhere } else { vertex };
                from[i % 3] = anywhere[i % 3];
                if i % 3 == 2 {
                    from = vertex + [1e-7, 1e-5, 1e-3][i / 3 % 3] * (anywhere - vertex);
                }
                let is_inside = twin.winding_sum(from).is_inside();
                assert_eq!(tree.is_inside(from), is_inside, "{name}, round {round}, {from:?}");
                let distance = tree.signed_distance(from).expect("there is a surface");
                let is_negative = is_inside && distance != 0.0;
                assert_eq!(
                    distance < 0.0,
                    is_negative,
                    "{name}, round {round}, {from:?}: {distance}"
                );
                n_inside += usize::from(is_inside);
                n_asked += 1;
            }
        }
    }
    assert!(n_inside > n_asked / 10 && n_inside < n_asked / 2, "{n_inside} of {n_asked}");
}

/// f32 has steps of 1/2 near 5e6, so that the point that it holds is often on the other side of the surface.
#[test]
fn points_in_f64_are_inside_where_the_sum_over_all_triangles_is() {
    let mut random = SplitMix64::new(47);
    let (mut n_inside, mut n_rounded_differ, mut n_asked) = (0, 0, 0);
    let mut meshes = closed_meshes(0);
    meshes.extend(shapes(&mut random));
    for (i, (name, mesh)) in meshes.into_iter().enumerate() {
        let away = Vec3::new(5e6, -3e5, 0.0) * [0.0, 1.0][i % 2];
        let moved = mesh.with_positions(mesh.positions().iter().map(|&p| p * 8.0 + away));
        // Some are as large as f32 allows.
        let mesh = moved.unwrap_or(mesh);
        let tree = tree_of(&mesh, BuildQuality::ALL[i % 3]);
        let (twin, bounds) = (BruteForce::new(&mesh), mesh.bounds());
        for j in 0..40 {
            let share = crate::support::point(&mut random).as_dvec3();
            let anywhere = bounds.center().as_dvec3() + 0.55 * bounds.extent().as_dvec3() * share;
            let vertex = mesh.positions()[random.below(mesh.positions().len() as u64) as usize];
            let near = vertex.as_dvec3().lerp(anywhere, [1e-12, 1e-9, 1e-6, 1e-3][j % 4]);
            let from = if j % 3 == 0 { anywhere } else { near };
            let is_inside = twin.winding_sum_f64(from).is_inside();
            assert_eq!(tree.is_inside_f64(from), is_inside, "{name}, {from:?}");
            n_rounded_differ += usize::from(is_inside != tree.is_inside(from.as_vec3()));
            n_inside += usize::from(is_inside);
            n_asked += 1;
        }
        for far in [1e39_f64, 1e99, 1e101, 1e200, f64::MAX, f64::INFINITY, f64::NAN] {
            let from = DVec3::new(0.0, -far, far);
            assert_eq!(tree.is_inside_f64(from), twin.winding_sum_f64(from).is_inside(), "{name}");
            assert!(!tree.is_inside_f64(from), "{name}, {far}");
        }
    }
    assert!(n_inside > n_asked / 10 && n_inside < n_asked, "{n_inside} of {n_asked}");
    assert!(n_rounded_differ > n_asked / 50, "{n_rounded_differ} of {n_asked}");
}

#[test]
fn far_clusters_are_summed_as_one() {
    // The moments of a whole sphere cancel from outside, so this is half of one.
    let sphere = generate::sphere(1.0, 5000).expect("a valid sphere");
    let half = sphere.triangles().iter().copied().filter(|triangle| {
        triangle.iter().all(|&vertex| sphere.positions()[vertex as usize].x >= 0.0)
    });
    let half = TriMesh::from_vecs(sphere.positions().to_vec(), half.collect()).expect("valid");
    let tree = tree_of(&half, BuildQuality::Balanced);
    let twin = BruteForce::new(&half);
    let mut random = SplitMix64::new(41);
    let mut worst = [0f64; 3];
    for _ in 0..500 {
        let from = 1.5 * crate::support::point(&mut random);
        let exact = twin.winding_sum(from).winding_number();
        for (worst, tolerance) in worst.iter_mut().zip([1e-2, 1e-3, 1e-4]) {
            *worst = worst.max((tree.winding_number(from, tolerance).value - exact).abs());
        }
    }
    assert!(worst[0] < 2e-2 && worst[1] < 4e-3 && worst[2] < 1e-3, "{worst:?}");
    assert!(worst[0] > worst[1] && worst[1] > worst[2] && worst[2] > 0.0, "{worst:?}");
}

#[test]
fn the_signed_distance_of_a_sphere_is_exact_up_to_its_facets() {
    let sphere = generate::sphere(2.0, 20_000).expect("a valid sphere");
    let tree = tree_of(&sphere, BuildQuality::Balanced);
    let mut random = SplitMix64::new(42);
    for _ in 0..300 {
        let from = 3.0 * crate::support::point(&mut random);
        let distance = tree.signed_distance(from).expect("there is a surface");
        let expected = f64::from(from.length()) - 2.0;
        assert!((distance - expected).abs() < 0.002, "{from}: {distance}, expected {expected}");
    }
    let on_it = tree.signed_distance(sphere.positions()[7]).expect("there is a surface");
    assert_eq!(on_it.to_bits(), 0);
    assert_eq!(tree.signed_distance([f32::NAN; 3]), None);
    assert!(!tree.is_inside([f32::INFINITY, 0.0, 0.0]));
    assert_eq!(tree.winding_number([f32::NAN; 3], 0.0).value, 0.0);
}

#[test]
fn a_surface_with_a_hole_has_an_inside() {
    let cuboid = generate::cuboid(2.0, 2.0, 2.0, 3).expect("a valid cuboid");
    let with_hole = cuboid.triangles()[8..].to_vec();
    let with_hole = TriMesh::from_vecs(cuboid.positions().to_vec(), with_hole).expect("valid");
    let tree = tree_of(&with_hole, BuildQuality::Balanced);
    assert!(tree.is_inside(Vec3::ZERO) && tree.is_inside([0.9, -0.9, 0.9]));
    assert!(!tree.is_inside([1.1, 0.0, 0.0]) && !tree.is_inside([0.0, -5.0, 0.0]));
}

#[test]
fn a_mesh_without_area_has_no_inside() {
    let point = TriMesh::new([[0.0; 3]; 3], vec![[0, 1, 2]]).expect("a valid mesh");
    for (mesh, distance) in [(TriMesh::default(), None), (point, Some(3.0))] {
        let tree = tree_of(&mesh, BuildQuality::Balanced);
        assert!(!tree.is_inside(Vec3::ZERO) && !tree.is_inside(3.0 * Vec3::X));
        assert_eq!(tree.winding_number(3.0 * Vec3::X, 0.0).value, 0.0);
        assert_eq!(tree.signed_distance(3.0 * Vec3::X), distance);
    }
}

#[test]
fn a_triangle_of_zero_area_changes_no_winding_number() {
    let sphere = generate::sphere(1.0, 400).expect("a valid sphere");
    let mut triangles = sphere.triangles().to_vec();
    // Each edge of each triangle as a segment, and each corner as a point.
    for &[a, b, c] in sphere.triangles() {
        triangles.extend([[a, b, b], [b, c, b], [c, c, a], [a, a, a]]);
    }
    let with_segments =
        TriMesh::from_vecs(sphere.positions().to_vec(), triangles).expect("valid indices");
    let (twin, with_twin) = (BruteForce::new(&sphere), BruteForce::new(&with_segments));
    let tree = tree_of(&with_segments, BuildQuality::Balanced);
    let mut random = SplitMix64::new(43);
    for _ in 0..300 {
        let from = point_near(&mut random, &sphere);
        let exact = twin.winding_sum(from);
        assert_eq!(with_twin.winding_sum(from), exact, "{from:?}");
        assert_eq!(tree.is_inside(from), exact.is_inside(), "{from:?}");
        let found = tree.winding_number(from, 1e-3);
        let error = (found.value - exact.winding_number()).abs();
        assert!(error <= found.max_error, "{from:?}: {found:?}");
    }
}
