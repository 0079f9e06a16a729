//! Which objects are inside the marquee? And which faces does a lasso touch that I can see?
//!
//! `cargo run --example marquee`

use std::sync::Arc;

use hitscan::BuildOptions;
use hitscan::glam::{DAffine3, DVec3};
use hitscan::picking::{
    Camera, ElementKind, Picker, RegionMode, ScreenRegion, SelectOptions, Viewport,
};
use hitscan::primitives::generate;
use hitscan::scene::{Instance, Mesh, Scene};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let sphere = Arc::new(Mesh::new(generate::sphere(0.45, 500)?, &BuildOptions::default()));
    let mut scene = Scene::new();
    for i in 0..100 {
        let place = DVec3::new(f64::from(i % 10) - 4.5, f64::from(i / 10) - 4.5, 0.0);
        scene.insert(Instance::new(sphere.clone(), DAffine3::from_translation(place)))?;
    }
    let camera = Camera::look_at([3.0, -4.0, 14.0], [0.0, 0.0, 0.0]);
    let view = camera.view(Viewport::from_size(800.0, 600.0))?;
    let picker = Picker::new(&scene, &view);

    let marquee = ScreenRegion::rectangle([200.0, 150.0], [430.0, 380.0])?;
    for mode in [RegionMode::Touch, RegionMode::Enclose] {
        let options = SelectOptions { mode, ..SelectOptions::default() };
        let selected = picker.select(&marquee, &options);
        println!("{mode:?}: {} of {} objects", selected.len(), scene.len());
    }

    let lasso =
        ScreenRegion::lasso([[300.0, 200.0], [520.0, 240.0], [400.0, 420.0], [380.0, 280.0]])?;
    for visible_only in [false, true] {
        let options =
            SelectOptions { kind: ElementKind::Face, visible_only, ..SelectOptions::default() };
        let faces = picker.select(&lasso, &options);
        println!("{} faces, visible only: {visible_only}", faces.len());
    }
    Ok(())
}
