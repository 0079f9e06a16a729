//! Which triangles does a ray hit along its whole way? All of them, each crossing once, the first few, or
//! one side only.
//!
//! `cargo run --example all_hits`

use hitscan::primitives::generate;
use hitscan::{BuildOptions, Faces, HitMode, HitOptions, MeshBvh, Ray};

fn main() -> Result<(), generate::GenerateError> {
    let mesh = generate::torus(3.0, 1.0, 10_000)?;
    let bvh = MeshBvh::build(&mesh, &BuildOptions::default());
    let ray = Ray::new([-6.0, 0.0, 0.0], [1.0, 0.0, 0.0]);

    // Every triangle that the ray meets: on a shared edge, both.
    let triangles = bvh.all_hits(&ray, &HitOptions::default());
    // Each crossing of the surface once: on a shared edge or vertex, one triangle.
    let each_crossing = HitOptions { faces: Faces::Both, mode: HitMode::OncePerCrossing };
    let crossings = bvh.all_hits(&ray, &each_crossing);
    println!("{} triangles in {} crossings:", triangles.len(), crossings.len());
    for hit in &crossings {
        println!("  t = {}, {:?} of triangle {}", hit.t, hit.side, hit.triangle);
    }

    // The first few, into a buffer that can be used again.
    let mut hits = Vec::new();
    bvh.nearest_hits_into(&ray, 2, &each_crossing, &mut hits);
    assert_eq!(hits, crossings[..2]);

    // Where it goes in, not where it comes out.
    let entries = bvh.all_hits(&ray, &HitOptions { faces: Faces::Front, ..each_crossing });
    println!("enters at t = {:?}", entries.iter().map(|hit| hit.t).collect::<Vec<_>>());
    Ok(())
}
