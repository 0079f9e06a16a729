//! How to make a mesh from your own numbers?
//!
//! `cargo run --example own_mesh`

use hitscan::{BuildOptions, Faces, MeshBvh, MeshError, Ray, TriMesh};

fn main() -> Result<(), MeshError> {
    // Whatever converts to [f32; 3] is a position: arrays, vectors of any maths crate. Triangles are
    // three indices each, counter-clockwise seen from their front.
    let corners = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [2.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    let mesh = TriMesh::new(corners, vec![[0, 1, 2], [0, 2, 3]])?;
    let bvh = MeshBvh::build(&mesh, &BuildOptions::default());

    let ray = Ray::new([1.5, 0.25, 3.0], [0.0, 0.0, -1.0]);
    let Some(hit) = bvh.closest_hit(&ray, Faces::Both) else { return Ok(()) };
    // The ids are yours: the place in the list of triangles. u and v weigh the second and the third
    // corner, for whatever you keep at the corners.
    let weights = [1.0 - hit.u - hit.v, hit.u, hit.v];
    println!("triangle {} with weights {weights:?}", hit.triangle);
    assert_eq!(hit.triangle, 0);

    // Input that makes no mesh is an error that says where.
    let error = TriMesh::new(corners, vec![[0, 1, 4]]).unwrap_err();
    println!("{error}");
    Ok(())
}
