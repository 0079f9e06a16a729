//! Can two points see each other?
//!
//! `cargo run --example line_of_sight`

use hitscan::primitives::generate;
use hitscan::{BuildOptions, Faces, MeshBvh, Ray};

fn main() -> Result<(), generate::GenerateError> {
    let wall = generate::cuboid(4.0, 4.0, 0.5, 0)?;
    let bvh = MeshBvh::build(&wall, &BuildOptions::default());
    let eye = [0.0, 0.0, 5.0];
    for target in [[0.0, 0.0, -5.0], [0.0, 8.0, -5.0]] {
        // Cheaper than the closest hit: it ends at whatever is found first.
        let hidden = bvh.is_occluded(&Ray::segment(eye, target), Faces::Both);
        println!("{target:?} is {}", if hidden { "hidden" } else { "visible" });
    }

    // A point that lies on the surface would hide itself: leave both ends out of the interval.
    let on_surface = [1.0, 1.0, 0.25];
    let ray = Ray::segment(eye, on_surface).with_range(0.0, 0.999);
    assert!(!bvh.is_occluded(&ray, Faces::Both));
    Ok(())
}
