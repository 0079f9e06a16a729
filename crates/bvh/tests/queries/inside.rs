//! Inside and winding numbers against the sum of solid angles: points of every kind around surfaces of every kind.

use std::sync::Arc;

use glam::{DVec3, Vec3};
use hitscan_bvh::{BuildOptions, BuildQuality, MeshBvh, WindingTree};
use hitscan_primitives::{TriMesh, brute_force::BruteForce, generate, generate::SplitMix64};

use crate::support::{effort, point, scaled_by};

/// A mesh of those triangles.
fn with_triangles(mesh: &TriMesh, triangles: Vec<[u32; 3]>) -> TriMesh {
    TriMesh::from_vecs(mesh.positions().to_vec(), triangles).expect("the vertices are there")
}

/// The mesh without a share of its triangles, in pieces of the mesh's order or one by one.
fn opened(random: &mut SplitMix64, mesh: &TriMesh, percent: u64, piece: u64) -> TriMesh {
    let n = mesh.triangles().len() as u64;
    let removed: Vec<bool> = (0..n / piece + 1).map(|_| random.below(100) < percent).collect();
    let keeps =
        |(i, triangle): (usize, &[u32; 3])| (!removed[i / piece as usize]).then_some(*triangle);
    with_triangles(mesh, mesh.triangles().iter().enumerate().filter_map(keeps).collect())
}

/// The mesh with some of its triangles again, turned over if asked.
fn repeated(random: &mut SplitMix64, mesh: &TriMesh, is_turned: bool) -> TriMesh {
    let mut triangles = mesh.triangles().to_vec();
    for i in 0..mesh.triangles().len() {
        let [a, b, c] = mesh.triangles()[i];
        if random.below(20) == 0 {
            triangles.push(if is_turned { [a, c, b] } else { [a, b, c] });
        }
    }
    with_triangles(mesh, triangles)
}

/// Every triangle apart from the others, moved by up to `distance` times the size.
fn loose(random: &mut SplitMix64, mesh: &TriMesh, distance: f32) -> TriMesh {
    let size = distance * mesh.bounds().extent().max_element();
    let (mut positions, mut triangles) = (Vec::new(), Vec::new());
    for triangle in 0..mesh.triangles().len() as u32 {
        let away = size * point(random);
        positions.extend(mesh.corners(triangle).map(|corner| corner + away));
        triangles.push([3 * triangle, 3 * triangle + 1, 3 * triangle + 2]);
    }
    TriMesh::from_vecs(positions, triangles).expect("valid")
}

/// Thirty meshes or more.
fn meshes(random: &mut SplitMix64) -> Vec<(String, TriMesh)> {
    let n = 150 + random.below(300) as usize;
    let bases = [
        ("sphere", generate::sphere(1.0, n)),
        ("torus", generate::torus(1.0, 0.4, n)),
        ("cuboid", generate::cuboid(2.0, 1.0, 0.5, 2)),
        ("terrain", generate::terrain(n, random.next_u64())),
    ];
    let mut meshes = Vec::new();
    for (name, base) in bases {
        let base = base.expect("an ordinary size");
        let triangles = base.triangles();
        let turned = triangles.iter().map(|&[a, b, c]| [a, c, b]).collect();
        let half = triangles[triangles.len() / 2..].to_vec();
        let mut flat = triangles.to_vec();
        flat.extend(triangles.iter().step_by(7).flat_map(|&[a, b, c]| [[a, b, b], [a, a, c]]));
        let made = [
            ("", base.clone()),
            (" turned", with_triangles(&base, turned)),
            (" less 1 %", opened(random, &base, 1, 1)),
            (" less 10 % in pieces", opened(random, &base, 10, 12)),
            (" less 50 %", opened(random, &base, 50, 1)),
            (" less 50 % in pieces", opened(random, &base, 50, 30)),
            ("'s half", with_triangles(&base, half)),
            (" with doubled triangles", repeated(random, &base, false)),
            (" with opposite triangles", repeated(random, &base, true)),
            (" with triangles of no area", with_triangles(&base, flat)),
            ("'s loose triangles", loose(random, &base, 0.0)),
            (", exploded", loose(random, &base, 0.1)),
        ];
        meshes.extend(made.map(|(kind, mesh)| (format!("{name}{kind}"), mesh)));
    }
    let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0; 3]];
    // Two tetrahedra at one edge.
    let at_an_edge =
        vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3], [0, 1, 4], [1, 2, 4], [2, 0, 4]];
    for triangles in [vec![], vec![[0, 1, 2]], vec![[0, 1, 1]], at_an_edge] {
        let name = format!("{} triangles", triangles.len());
        meshes.push((name, TriMesh::new(corners, triangles).expect("valid")));
    }
    meshes
}

/// A point somewhere: around the mesh, on its surface, on edges and their extensions, on chords between vertices, at
/// vertices, on lines through them along an axis, far away, and close to zero.
fn place(random: &mut SplitMix64, mesh: &TriMesh) -> Vec3 {
    let (center, size) = (mesh.bounds().center(), mesh.bounds().extent());
    if mesh.triangles().is_empty() {
        return point(random);
    }
    let [a, b, c] = mesh.corners(random.below(mesh.triangles().len() as u64) as u32);
    let other = mesh.corners(random.below(mesh.triangles().len() as u64) as u32)[0];
    let anywhere = center + 0.6 * size * point(random);
    let along = [-1.0, -0.5, 0.5, 0.25, 1.5, 3.0][random.below(6) as usize];
    let mut on_line = a;
    let axis = random.below(3) as usize;
    on_line[axis] = anywhere[axis];
    match random.below(16) {
        0..6 => anywhere,
        6 => a,
        7 => a + along * (b - a),
        8 => a.lerp(b, random.unit() as f32).lerp(c, random.unit() as f32),
        9 => a.lerp(other, 0.5),
        10 => on_line,
        11 => a.midpoint(b) + [1e-7, 1e-6, 1e-5, 1e-3][random.below(4) as usize] * (anywhere - a),
        12 => 3.0 * size * point(random),
        13 => 1e18 * size.max_element() * point(random),
        14 => 1e-30 * size.max_element() * point(random),
        _ => anywhere.midpoint(other),
    }
}

#[test]
fn inside_is_that_of_the_sum_and_winding_numbers_keep_their_tolerance() {
    let mut random = SplitMix64::new(46);
    let (mut n_inside, mut n_approximate, mut n_asked) = (0, 0, 0);
    for round in 0..effort(9) {
        for (name, mesh) in meshes(&mut random) {
            let exponent = [0, -60, 20, -41, 60, -20, 39, -39, 45][round % 9];
            let mesh = scaled_by(&mesh, exponent);
            let options =
                BuildOptions { quality: BuildQuality::ALL[round % 3], ..Default::default() };
            let tree = WindingTree::new(Arc::new(MeshBvh::build(&mesh, &options)));
            let twin = BruteForce::new(&mesh);
            for _ in 0..60 {
                let from = place(&mut random, &mesh);
                let context = format!("{name}, 2^{exponent}, round {round}, {from:?}");
                let exact = twin.winding_sum(from);
                assert_eq!(tree.is_inside(from), exact.is_inside(), "{context}");
                let distance = tree.signed_distance(from);
                let is_negative = exact.is_inside() && distance != Some(0.0);
                assert_eq!(distance.is_some_and(|d| d < 0.0), is_negative, "{context}");
                let exact = exact.winding_number();
                for tolerance in [0.0, 1e-12, 1e-6, 1e-3, 0.1, f64::INFINITY] {
                    let found = tree.winding_number(from, tolerance);
                    let error = (found.value - exact).abs();
                    assert!(error <= found.max_error, "{context}: {found:?}, exact {exact}");
                    assert!(found.max_error <= tolerance, "{context}: {found:?}, {tolerance}");
                    n_approximate += usize::from(found.max_error > 0.0);
                }
                let moved = from.as_dvec3() * (1.0 + 1e-9 * random.unit());
                let exact = twin.winding_sum_f64(moved);
                assert_eq!(tree.is_inside_f64(moved), exact.is_inside(), "{context}, {moved:?}");
                n_inside += usize::from(tree.is_inside(from));
                n_asked += 1;
            }
            for x in [f32::NAN, f32::INFINITY, -f32::INFINITY] {
                let from = Vec3::new(x, 0.0, 0.0);
                assert!(!tree.is_inside(from) && !tree.is_inside_f64(from.as_dvec3()), "{name}");
                assert_eq!(tree.signed_distance(from), None, "{name}");
                let number = tree.winding_number(from, 1e-3);
                assert_eq!((number.value, number.max_error), (0.0, 0.0), "{name}");
            }
        }
    }
    assert!(n_inside > n_asked / 10 && n_inside < n_asked / 2, "{n_inside} of {n_asked}");
    assert!(n_approximate > n_asked, "{n_approximate} of {n_asked}");
}

#[test]
fn a_surface_that_is_inside_out_has_an_inside_and_a_negative_winding_number() {
    let sphere = generate::sphere(1.0, 500).expect("an ordinary size");
    let turned = sphere.triangles().iter().map(|&[a, b, c]| [a, c, b]).collect();
    let turned = with_triangles(&sphere, turned);
    let small = turned.with_positions(turned.positions().iter().map(|&p| 0.5 * p)).expect("valid");
    let n = sphere.positions().len() as u32;
    let shell = small.triangles().iter().map(|corners| corners.map(|corner| n + corner));
    let hollow = TriMesh::from_vecs(
        [sphere.positions(), small.positions()].concat(),
        sphere.triangles().iter().copied().chain(shell).collect(),
    );
    let tree =
        |mesh: &TriMesh| WindingTree::new(Arc::new(MeshBvh::build(mesh, &BuildOptions::default())));
    let [turned, hollow] = [tree(&turned), tree(&hollow.expect("valid"))];
    assert!(turned.is_inside(Vec3::ZERO) && !turned.is_inside(2.0 * Vec3::X));
    assert_eq!(turned.winding_number(0.1 * Vec3::ONE, 1e-3).value, -1.0);
    assert!(turned.signed_distance(0.5 * Vec3::X).is_some_and(|distance| distance < -0.4));
    assert!(!hollow.is_inside(Vec3::ZERO) && hollow.is_inside(0.7 * Vec3::X));
    assert!(hollow.is_inside_f64(DVec3::new(-0.7, 0.1, 0.1)));
}
