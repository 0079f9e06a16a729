//! Logical or physical pixels: which do I pass? Either, if all of them are the same.
//!
//! `cargo run --example pixels`

use std::sync::Arc;

use hitscan::BuildOptions;
use hitscan::glam::{DAffine3, DVec2};
use hitscan::picking::{Camera, ElementKind, PickOptions, Picker, Viewport};
use hitscan::primitives::generate;
use hitscan::scene::{Instance, Mesh, Scene};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cube = Arc::new(Mesh::new(generate::cuboid(2.0, 2.0, 2.0, 0)?, &BuildOptions::default()));
    let mut scene = Scene::new();
    scene.insert(Instance::new(cube, DAffine3::IDENTITY))?;
    let camera = Camera::look_at([4.0, 3.0, 10.0], [0.0; 3]);

    // A display with a scale factor of 2: a window of 1280 x 720 logical and 2560 x 1440 physical pixels.
    let scale_factor = 2.0;
    let options = PickOptions { radius: 8.0, ..PickOptions::for_kind(ElementKind::Vertex) };

    // Browsers, egui and Qt report the cursor in logical pixels: pass the logical size of the window.
    let view = camera.view(Viewport::from_size(1280.0, 720.0))?;
    // The cursor is a few pixels away from a corner of the cube.
    let corner = view.project([1.0, 1.0, 1.0]).ok_or("the camera sees the corner")?;
    let cursor = corner.pixel + DVec2::new(-3.0, 2.0);
    let logical = Picker::new(&scene, &view).pick(cursor, &options);

    // winit and SDL report it in physical pixels: pass the physical size, and scale the radius.
    let cursor = scale_factor * cursor;
    let options = PickOptions { radius: scale_factor * options.radius, ..options };
    let view = camera.view(Viewport::from_size(2560.0, 1440.0))?;
    let physical = Picker::new(&scene, &view).pick(cursor, &options);

    for (name, pick) in [("logical", logical), ("physical", physical)] {
        let pick = pick.ok_or("a vertex is near the cursor")?;
        println!("{name}: {:?}, {:.3} pixels away", pick.element, pick.pixel_distance);
    }
    let element = |pick: Option<hitscan::picking::Pick>| pick.map(|pick| pick.element);
    assert_eq!(element(logical), element(physical));
    Ok(())
}
