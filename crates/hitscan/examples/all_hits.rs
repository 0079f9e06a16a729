//! What does a ray hit along its whole way? All of it, once each, the first few, or one side only.
//!
//! `cargo run --example all_hits`

use hitscan::primitives::generate;
use hitscan::{BuildOptions, Faces, HitMode, MeshBvh, Ray};

fn main() -> Result<(), generate::GenerateError> {
    let mesh = generate::torus(3.0, 1.0, 10_000)?;
    let bvh = MeshBvh::build(&mesh, &BuildOptions::default());
    let ray = Ray::new([-6.0, 0.0, 0.0], [1.0, 0.0, 0.0]);

    // Closed: every triangle that is met, both of them where it meets their common edge.
    let closed = bvh.all_hits(&ray, Faces::Both, HitMode::Closed);
    // Once: each crossing of the surface counts for one triangle, also on edges and vertices.
    let once = bvh.all_hits(&ray, Faces::Both, HitMode::Once);
    println!("{} triangles in {} crossings:", closed.len(), once.len());
    for hit in &once {
        println!("  t = {}, {:?} of triangle {}", hit.t, hit.side, hit.triangle);
    }

    // The first few, into a buffer that can be used again.
    let mut hits = Vec::new();
    bvh.nearest_hits(&ray, Faces::Both, HitMode::Once, 2, &mut hits);
    assert_eq!(hits, once[..2]);

    // Where it goes in, not where it comes out.
    let entries = bvh.all_hits(&ray, Faces::Front, HitMode::Once);
    println!("enters at t = {:?}", entries.iter().map(|hit| hit.t).collect::<Vec<_>>());
    Ok(())
}
