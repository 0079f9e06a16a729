//! Which edges keep a mesh from being closed?
//!
//! `cargo run --example open_edges [FILE]`

use hitscan::primitives::generate;
use hitscan::{LoadOptions, SameVertex, Topology, TriMesh, load};

/// A box without two neighbouring triangles, with a third one turned over.
fn broken_box() -> Result<TriMesh, Box<dyn std::error::Error>> {
    let whole = generate::cuboid(2.0, 1.0, 1.0, 1)?;
    let mut triangles = whole.triangles().to_vec();
    triangles.drain(..2);
    triangles[9].swap(0, 1);
    Ok(TriMesh::new(whole.positions().to_vec(), triangles)?)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mesh = match std::env::args().nth(1) {
        Some(file) => load(file, &LoadOptions::default())?.into_mesh()?,
        None => broken_box()?,
    };
    // By position, because files repeat vertices along seams.
    let topology = Topology::new(&mesh, SameVertex::ByPosition);
    for boundary in &topology.boundary_loops {
        let kind = if boundary.is_closed { "hole or rim" } else { "chain" };
        println!("{kind} of {} open edges:", boundary.triangles.len());
        for ([from, to], triangle) in boundary.edges() {
            let [a, b] = [from, to].map(|vertex| mesh.positions()[vertex as usize]);
            println!("  {a} to {b}, of triangle {triangle}");
        }
    }
    for edge in &topology.non_manifold_edges {
        println!("edge {:?} has the triangles {:?}", edge.vertices, edge.triangles);
    }
    for edge in &topology.inconsistent_edges {
        println!("one of the triangles {:?} is turned over", edge.triangles);
    }
    let closed = if topology.is_closed() { "closed" } else { "not closed" };
    println!("{closed}, components: {}", topology.n_components);
    Ok(())
}
