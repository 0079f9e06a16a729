//! Pairs of triangles of one mesh against brute force.

use glam::Vec3;
use hitscan_bvh::MeshBvh;
use hitscan_primitives::{
    PairBruteForce, TriMesh,
    generate::{self, SplitMix64},
};

use crate::support::{built, effort, needles, scaled_by, shapes, soup};

/// Asserts that the tree finds what the scan finds. Returns the number of pairs.
fn compare(name: &str, bvh: &MeshBvh, mesh: &TriMesh) -> usize {
    let expected = PairBruteForce::self_intersections(mesh);
    assert_eq!(bvh.self_intersections(), expected, "{name}");
    assert_eq!(bvh.has_self_intersections(), !expected.is_empty(), "{name}");
    expected.len()
}

/// The triangles without shared indices.
fn separate(mesh: &TriMesh) -> TriMesh {
    let n = mesh.triangles().len() as u32;
    let positions: Vec<Vec3> = (0..n).flat_map(|i| mesh.corners(i)).collect();
    let triangles = (0..n).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    TriMesh::new(positions, triangles).expect("the same triangles")
}

#[test]
fn self_intersections_equal_the_scan_in_every_tree() {
    let mut random = SplitMix64::new(45);
    let (mut n_pairs, mut n_without) = (0, 0);
    for round in 0..effort(40) {
        let mesh = match random.below(3) {
            0 => needles(&mut random, 80),
            1 => soup(&mut random, 60),
            _ => generate::city(150, round as u64).expect("a usual size"),
        };
        let mesh = scaled_by(&mesh, [0, 0, -140, -60, 60, 110][random.below(6) as usize]);
        let mut bvh = built(&mesh, round);
        let n = compare(&format!("round {round}"), &bvh, &mesh);
        n_pairs += n;
        n_without += usize::from(n == 0);
        let moved = mesh.positions().iter().map(|&p| 0.5 * p + 0.25 * p.length() * Vec3::X);
        if let Ok(moved) = mesh.with_positions(moved.collect::<Vec<_>>()) {
            bvh.refit(&moved).expect("the same triangles");
            compare(&format!("round {round}, refitted"), &bvh, &moved);
        }
    }
    assert!(n_pairs > effort(40) && n_without < effort(40), "{n_pairs} {n_without}");
    for (name, mesh) in shapes(&mut random) {
        if mesh.triangles().len() <= 400 {
            compare(&name, &built(&mesh, name.len()), &mesh);
        }
    }
}

#[test]
fn surfaces_that_meet_in_their_edges_do_not_intersect_with_shared_vertices_or_without() {
    let surfaces = [
        generate::sphere(1.0, 5000),
        generate::torus(1.0, 0.4, 5000),
        generate::cuboid(2.0, 3.0, 4.0, 4),
        generate::terrain(5000, 3),
        generate::grid(10.0, 10.0, 5000),
    ];
    for (i, mesh) in surfaces.into_iter().enumerate() {
        let mesh = mesh.expect("usual sizes");
        for mesh in [separate(&mesh), mesh] {
            assert_eq!(built(&mesh, i).self_intersections(), [[0; 2]; 0], "surface {i}");
        }
    }
}

#[test]
fn doubled_folded_and_pierced_surfaces_name_their_pairs() {
    let sphere = generate::sphere(1.0, 300).expect("a usual size");
    let n = sphere.triangles().len() as u32;
    // Every triangle twice, the second time turned over: with its twin, and with no neighbour of it.
    let turned = sphere.triangles().iter().map(|&[a, b, c]| [c, b, a]);
    let both = sphere.triangles().iter().copied().chain(turned).collect();
    let doubled = TriMesh::new(sphere.positions().to_vec(), both).expect("the same vertices");
    let twins: Vec<[u32; 2]> = (0..n).map(|i| [i, i + n]).collect();
    for round in 0..6 {
        assert_eq!(built(&doubled, round).self_intersections(), twins, "round {round}");
    }
    // A vertex on the other side of the surface.
    let mut positions = sphere.positions().to_vec();
    positions[0] *= -1.5;
    let pierced = sphere.with_positions(positions).expect("as many vertices");
    let bvh = built(&pierced, 1);
    assert!(compare("pierced", &bvh, &pierced) > 3);
    let folded = [[0.0; 3], [1.0, 0.0, 0.0], [0.3, 1.0, 0.0], [0.6, 0.5, 0.0]];
    let folded = TriMesh::new(folded, vec![[0, 1, 2], [1, 0, 3]]).expect("a valid mesh");
    assert_eq!(built(&folded, 0).self_intersections(), [[0, 1]]);
    let empty = TriMesh::new([[0.0; 3]; 0], vec![]).expect("a valid mesh");
    assert!(!built(&empty, 0).has_self_intersections());
}
