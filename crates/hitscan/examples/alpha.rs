//! How to see through the holes of a texture?
//!
//! `cargo run --example alpha`. For the textures of a file's materials there is `obj::load_alpha_masks`
//! with the feature `images`.

use std::error::Error;
use std::sync::Arc;

use hitscan::glam::DAffine3;
use hitscan::scene::{Instance, Mesh, QueryOptions, Scene, WorldRay};
use hitscan::{AlphaMask, BuildOptions, Format, LoadOptions, parse};

/// A fence of one square: four posts, with holes between them.
const FENCE: &[u8] = b"
v 0 0 0\nv 4 0 0\nv 4 1 0\nv 0 1 0
vt 0 0\nvt 4 0\nvt 4 1\nvt 0 1
usemtl fence
f 1/1 2/2 3/3 4/4
";

fn main() -> Result<(), Box<dyn Error>> {
    let fence = parse(FENCE, "fence.obj", Format::Obj, &LoadOptions::default())?.into_mesh()?;
    // Two texels, opaque on the left; the texture repeats four times along the fence.
    let posts = Arc::new(AlphaMask::new(2, 1, vec![255, 0])?);
    let fence = Mesh::new(fence, &BuildOptions::default())
        .with_alpha_masks(|material| (material == "fence").then(|| posts.clone()));
    let fence = Arc::new(fence);

    let mut scene = Scene::new();
    scene.insert(Instance::new(fence, DAffine3::IDENTITY))?;
    let options = QueryOptions::default();
    for x in [0.25, 0.75, 1.25, 1.75] {
        let ray = WorldRay::new([x, 0.5, 3.0], [0.0, 0.0, -1.0]);
        let solid = scene.closest_hit(&ray, &options).is_some();
        // At least half opaque counts as there.
        let seen = scene.closest_hit_where(&ray, &options, |hit| scene.is_opaque(hit, 128));
        println!("at {x}: fence hit {solid}, post hit {}", seen.is_some());
    }
    Ok(())
}
