//! How to pick a skinned character in its pose?
//!
//! `cargo run --example skinned`

use std::error::Error;
use std::sync::Arc;

use hitscan::BuildOptions;
use hitscan::glam::{DAffine3, DVec3};
use hitscan::primitives::generate;
use hitscan::scene::{Instance, Mesh, QueryOptions, Scene, VertexWeights, WorldRay, skin};

fn main() -> Result<(), Box<dyn Error>> {
    // An arm along y from 0 to 4, that bends at y = 2: the lower half follows joint 0, the upper half
    // joint 1, and a stretch between them both.
    let mut arm = generate::cuboid(0.6, 4.0, 0.6, 4)?;
    arm = arm.with_positions(arm.positions().iter().map(|p| [p.x, p.y + 2.0, p.z]))?;
    let bind = arm.positions().to_vec();
    let weights: Vec<VertexWeights> = bind
        .iter()
        .map(|p| {
            let upper = (p.y - 1.5).clamp(0.0, 1.0);
            VertexWeights { joints: [0, 1, 0, 0], weights: [1.0 - upper, upper, 0.0, 0.0] }
        })
        .collect();

    let mut scene = Scene::new();
    let mesh = Arc::new(Mesh::new(arm, &BuildOptions::default()));
    let left = scene.insert(Instance::new(mesh.clone(), DAffine3::IDENTITY))?;
    let away = DAffine3::from_translation(DVec3::new(10.0, 0.0, 0.0));
    let right = scene.insert(Instance::new(mesh, away))?;

    let elbow = DAffine3::from_translation(DVec3::new(0.0, 2.0, 0.0));
    for angle in [0.0_f64, 30.0, 60.0, 90.0] {
        let bend = elbow * DAffine3::from_rotation_z(-angle.to_radians()) * elbow.inverse();
        let pose = skin(&bind, &weights, &[DAffine3::IDENTITY, bend])?;
        // Only this arm bends; the other one shares the mesh no longer.
        scene.refit(left, pose)?;
        let from_above = WorldRay::new([1.2, 10.0, 0.0], [0.0, -1.0, 0.0]);
        match scene.closest_hit(&from_above, &QueryOptions::default()) {
            Some(hit) => println!("bent by {angle}°: hit at height {:.2}", 10.0 - hit.t),
            None => println!("bent by {angle}°: the ray passes"),
        }
    }
    let still = WorldRay::new([10.0, 10.0, 0.0], [0.0, -1.0, 0.0]);
    let hit = scene.closest_hit(&still, &QueryOptions::default()).ok_or("it stands there")?;
    println!("the other arm is as it was: {}", hit.instance == right && hit.t == 6.0);
    Ok(())
}
