//! How do I leave out some hits: holes in a texture, a part that is hidden?
//!
//! `cargo run --example filter`

use hitscan::primitives::generate;
use hitscan::{BuildOptions, Faces, Hit, HitOptions, MeshBvh, Ray};

/// A chequered fence: half of every triangle's texture is transparent.
fn is_opaque(hit: &Hit) -> bool {
    let squares = (4.0 * hit.u) as u32 + (4.0 * hit.v) as u32;
    squares % 2 == 1
}

fn main() -> Result<(), generate::GenerateError> {
    let mesh = generate::cuboid(2.0, 2.0, 2.0, 0)?;
    let bvh = MeshBvh::build(&mesh, &BuildOptions::default());
    let ray = Ray::new([0.3, 0.2, 5.0], [0.04, 0.0, -1.0]);

    let first = bvh.closest_hit(&ray, Faces::Both);
    println!("the first triangle is at {:?}", first.map(|hit| hit.t));
    let opaque = bvh.closest_hit_where(&ray, Faces::Both, is_opaque);
    println!("the first that is opaque there, at {:?}", opaque.map(|hit| hit.t));

    // An ignore list is a filter too. What was picked before is looked through.
    let mut ignored = vec![];
    while let Some(hit) =
        bvh.closest_hit_where(&ray, Faces::Both, |hit| !ignored.contains(&hit.triangle))
    {
        println!("behind {ignored:?}: triangle {} at {}", hit.triangle, hit.t);
        ignored.push(hit.triangle);
    }
    let all = bvh.all_hits(&ray, &HitOptions::default());
    assert_eq!(ignored, all.iter().map(|hit| hit.triangle).collect::<Vec<_>>());
    assert_eq!(opaque, all.into_iter().find(is_opaque));
    Ok(())
}
