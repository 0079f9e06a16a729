//! How does a tree follow a brush, an extrusion and a deletion?
//!
//! `cargo run --example sculpt`

use std::error::Error;

use hitscan::primitives::glam::Vec3;
use hitscan::{BuildOptions, Faces, MeshBvh, MeshEdit, Ray, TriMesh, generate};

fn main() -> Result<(), Box<dyn Error>> {
    let mut mesh = generate::grid(10.0, 10.0, 20_000)?;
    let mut bvh = MeshBvh::build(&mesh, &BuildOptions::default());
    let down = Ray::new([0.3, 5.0, 0.2], [0.0, -1.0, 0.0]);
    let height = |mesh: &TriMesh, bvh: &MeshBvh| -> Result<f64, Box<dyn Error>> {
        let hit = bvh.closest_hit(&down, Faces::Both).ok_or("the ground is under the ray")?;
        Ok(mesh.point(&hit).y)
    };
    println!("flat: height {:.3}", height(&mesh, &bvh)?);

    // A dab of a brush. The mesh says which triangles it changed, and the tree follows.
    let before = mesh.clone();
    let dab = brush(&mut mesh, Vec3::new(0.3, 0.0, 0.2), 1.0)?;
    let report = bvh.update(&mesh, &dab)?;
    println!(
        "a hill: height {:.3}, {:.3} times the cost",
        height(&mesh, &bvh)?,
        report.degradation()
    );

    // Undo: the old mesh, and the inverse of the edit.
    mesh = before;
    bvh.update(&mesh, &dab.inverse())?;
    println!("undone: height {:.3}", height(&mesh, &bvh)?);

    // A roof over the ground, and then without it again.
    let first = mesh.positions().len() as u32;
    let corners = [[-1.0, 2.0, -1.0], [1.0, 2.0, -1.0], [1.0, 2.0, 1.0], [-1.0, 2.0, 1.0]];
    let roof = [[first, first + 1, first + 2], [first, first + 2, first + 3]];
    let n = mesh.triangles().len() as u32;
    let added = mesh.append(corners, &roof)?;
    bvh.update(&mesh, &added)?;
    println!("a roof: height {:.3}", height(&mesh, &bvh)?);
    let removed = mesh.swap_remove_triangles([n, n + 1])?;
    bvh.update(&mesh, &removed)?;
    println!("without it: height {:.3}", height(&mesh, &bvh)?);
    Ok(())
}

/// Raises the vertices around a point.
fn brush(mesh: &mut TriMesh, center: Vec3, radius: f32) -> Result<MeshEdit, Box<dyn Error>> {
    let raised = mesh.positions().iter().enumerate().filter_map(|(vertex, &position)| {
        let share = 1.0 - position.distance(center) / radius;
        (share > 0.0).then(|| (vertex as u32, position + share * Vec3::Y))
    });
    let moves: Vec<(u32, Vec3)> = raised.collect();
    Ok(mesh.move_vertices(moves)?)
}
