//! What is under the cursor, through the wall? And what do repeated clicks pick?
//!
//! `cargo run --example x_ray`

use std::sync::Arc;

use hitscan::BuildOptions;
use hitscan::glam::{DAffine3, DVec3};
use hitscan::picking::{Camera, ClickCycle, PickOptions, Picker, Viewport};
use hitscan::primitives::generate;
use hitscan::scene::{Instance, InstanceId, Mesh, Scene};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cube = generate::cuboid(2.0, 2.0, 2.0, 0)?;
    let cube = Arc::new(Mesh::new(cube, &BuildOptions::default()));
    let mut scene = Scene::new();
    for (name, z) in [("wall", 3.0), ("table", 0.0), ("lamp", -3.0)] {
        let place = DAffine3::from_translation(DVec3::new(0.0, 0.0, z));
        let instance = Instance::new(cube.clone(), place);
        scene.insert(Instance { name: Some(name.into()), ..instance })?;
    }
    let name =
        |id: InstanceId| scene.get(id).and_then(|instance| instance.name.as_deref()).unwrap_or("-");
    let camera = Camera::look_at([1.0, 2.0, 12.0], [0.0, 0.0, 0.0]);
    let view = camera.view(Viewport::from_size(800.0, 600.0))?;
    let picker = Picker::new(&scene, &view);
    let (cursor, options) = ([400.0, 310.0], PickOptions::default());

    if let Some(pick) = picker.pick(cursor, &options) {
        println!("in front: {}", name(pick.instance));
    }
    for pick in picker.pick_all(cursor, &options) {
        println!("along the ray: {} at {:.3}", name(pick.instance), pick.distance);
    }

    // One of these per viewport: clicks at one place go deeper, and begin anew at the end.
    let mut clicks = ClickCycle::default();
    for click in 1..=4 {
        if let Some(pick) = clicks.click(&picker, cursor, &options) {
            println!("click {click}: {}", name(pick.instance));
        }
    }
    Ok(())
}
