//! How to follow a mesh that moves?
//!
//! `cargo run --example moving_mesh`

use std::error::Error;

use hitscan::primitives::generate;
use hitscan::{BuildOptions, BuildQuality, Faces, MeshBvh, Ray};

fn main() -> Result<(), Box<dyn Error>> {
    let flat = generate::grid(10.0, 10.0, 5000)?;
    let options = BuildOptions { quality: BuildQuality::Fast, ..Default::default() };
    let mut bvh = MeshBvh::build(&flat, &options);
    let down = Ray::new([0.3, 5.0, 0.2], [0.0, -1.0, 0.0]);
    for step in 0..5 {
        // New positions for the same triangles.
        let time = step as f32 * 0.5;
        let wave = flat.positions().iter().map(|p| [p.x, (p.x + time).sin(), p.z]);
        let mesh = flat.with_positions(wave)?;
        // Much faster than a new tree, which pays when things have moved far from where they were.
        let report = bvh.refit(&mesh)?;
        if report.rebuild_pays() {
            bvh = MeshBvh::build(&mesh, &options);
        }
        let hit = bvh.closest_hit(&down, Faces::Both).ok_or("the wave is under the ray")?;
        println!("at {time}: height {:.3}", mesh.point(&hit).y);
    }
    Ok(())
}
