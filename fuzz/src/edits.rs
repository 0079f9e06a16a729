//! Edits of a mesh from bytes, and the tree that follows.

use hitscan::primitives::glam::Vec3;
use hitscan::{
    BuildOptions, BuildQuality, EditError, Layout, MeshBvh, MeshEdit, Ray, SectionPlane,
    SphereCast, TriMesh, brute_force,
};

use crate::Bytes;
use crate::asking::Expected;

/// Runs the bytes as a mesh of a few triangles and at most 32 edits of it. After each, valid or not, the mesh is as if it were
/// new, and the tree answers as brute force does.
pub fn check_edits(data: &[u8]) {
    let n_steps = (data.len() / 8).min(32);
    let mut bytes = Bytes(data);
    let mut mesh = mesh_of(&mut bytes);
    let quality = BuildQuality::ALL[bytes.below(3)];
    let layout = [Layout::Full, Layout::Compact][bytes.below(2)];
    let options = BuildOptions { quality, layout, ..BuildOptions::default() };
    let mut bvh = MeshBvh::build(&mesh, &options);
    for _ in 0..n_steps {
        let before = mesh.clone();
        let Ok(edit) = edit(&mut mesh, &mut bytes) else {
            assert_eq!(mesh, before, "a refused edit changes nothing");
            continue;
        };
        bvh.update(&mesh, &edit).expect("the edit is that of the mesh");
        check(&mesh, &bvh, &mut bytes);
        if bytes.below(4) == 0 {
            mesh = before;
            bvh.update(&mesh, &edit.inverse()).expect("the edit is undone");
            check(&mesh, &bvh, &mut bytes);
        }
    }
}

fn mesh_of(bytes: &mut Bytes<'_>) -> TriMesh {
    let n = 3 + bytes.below(32);
    let positions: Vec<Vec3> = (0..n).map(|_| bytes.position()).collect();
    let triangles = (0..bytes.below(64)).map(|_| [0; 3].map(|_| bytes.below(n) as u32)).collect();
    TriMesh::from_vecs(positions, triangles)
        .expect("finite positions, and corners below their number")
}

/// An edit that the mesh may refuse: every index may be one too large, and stand twice.
fn edit(mesh: &mut TriMesh, bytes: &mut Bytes<'_>) -> Result<MeshEdit, EditError> {
    let (n, n_vertices) = (mesh.triangles().len(), mesh.positions().len());
    let corners = |bytes: &mut Bytes<'_>, n_vertices: usize| -> Vec<[u32; 3]> {
        let vertex = |bytes: &mut Bytes<'_>| bytes.below((n_vertices + 1).min(256)) as u32;
        (0..bytes.below(12)).map(|_| [0; 3].map(|_| vertex(bytes))).collect()
    };
    match bytes.below(4) {
        0 => {
            let moves: Vec<(u32, Vec3)> = (0..bytes.below(8))
                .map(|_| (bytes.below((n_vertices + 1).min(256)) as u32, position(bytes)))
                .collect();
            mesh.move_vertices(moves)
        }
        1 => {
            let added: Vec<Vec3> = (0..bytes.below(6)).map(|_| position(bytes)).collect();
            let triangles = corners(bytes, n_vertices + added.len());
            mesh.append(added, &triangles)
        }
        2 => {
            let removed: Vec<u32> =
                (0..bytes.below(8)).map(|_| bytes.below((n + 1).min(256)) as u32).collect();
            mesh.swap_remove_triangles(removed)
        }
        _ => {
            let (start, end) = (bytes.below((n + 1).min(256)), bytes.below((n + 2).min(256)));
            let triangles = corners(bytes, n_vertices);
            mesh.replace_triangles(start as u32..end as u32, &triangles)
        }
    }
}

/// A position that is finite in most cases.
fn position(bytes: &mut Bytes<'_>) -> Vec3 {
    if bytes.below(32) == 0 { Vec3::new(bytes.number(), 0.0, 1.0) } else { bytes.position() }
}

fn check(mesh: &TriMesh, bvh: &MeshBvh, bytes: &mut Bytes<'_>) {
    let new = TriMesh::from_vecs(mesh.positions().to_vec(), mesh.triangles().to_vec());
    assert_eq!(Ok(mesh), new.as_ref());
    bvh.validate(mesh).expect("the tree is valid");
    let rays: Vec<Ray> = (0..3).map(|_| bytes.ray(mesh.positions())).collect();
    assert_eq!(Expected::new(mesh, &rays).single_difference(bvh), None);
    let from = bytes.position();
    let found = bvh.closest_point(from, f64::INFINITY);
    assert_eq!(found, brute_force::closest_point(mesh, from, f64::INFINITY));
    if let Ok(cast) = SphereCast::new(rays[0], f64::from(bytes.finite().abs())) {
        assert_eq!(bvh.sphere_cast(&cast), brute_force::sphere_cast(mesh, &cast));
    }
    let normal = bytes.position().as_dvec3();
    if let Ok(plane) = SectionPlane::new(from.as_dvec3(), normal) {
        assert_eq!(bvh.section(&plane), brute_force::section(mesh, &plane));
    }
}
