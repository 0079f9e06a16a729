//! Where do I snap? To a vertex, or else the middle of an edge, an edge, a face.
//!
//! `cargo run --example snap`

use std::sync::Arc;

use hitscan::BuildOptions;
use hitscan::glam::{DAffine3, DVec3};
use hitscan::picking::{Camera, Picker, Polylines, SnapOptions, Viewport};
use hitscan::primitives::generate;
use hitscan::scene::{Instance, Mesh, QueryOptions, Scene};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cube = generate::cuboid(2.0, 2.0, 2.0, 0)?;
    let cube = Arc::new(Mesh::new(cube, &BuildOptions::default()));
    let mut scene = Scene::new();
    scene.insert(Instance::new(cube.clone(), DAffine3::IDENTITY))?;
    let dragged = DAffine3::from_translation(DVec3::new(0.2, 0.2, 3.0));
    let dragged = scene.insert(Instance::new(cube, dragged))?;

    let camera = Camera::look_at([4.0, 3.0, 10.0], [0.0, 0.0, 0.0]);
    let view = camera.view(Viewport::from_size(800.0, 600.0))?;
    let picker = Picker::new(&scene, &view);

    // The dragged instance must not snap to itself.
    let query = QueryOptions { ignore: &[dragged], ..QueryOptions::default() };
    let options = SnapOptions { query, radius: 10.0, ..SnapOptions::default() };
    for corner in [[1.0, 1.0, 1.0], [1.0, 0.05, 1.0], [1.0, 0.5, 1.0], [0.4, 0.3, 1.0]] {
        let cursor = view.project(corner).ok_or("the camera sees it")?.pixel + 3.0;
        match picker.snap(cursor, &options) {
            Some(snap) => println!(
                "{:?} {:?}: {:.3}, {:.1} pixels away",
                snap.target, snap.pick.element, snap.pick.point, snap.pick.pixel_distance
            ),
            None => println!("nothing within {} pixels of {cursor}", options.radius),
        }
    }

    // A curve has no surface: it is picked by its distance on the screen, if nothing hides it.
    let helix: Vec<[f32; 3]> = (0..200u8)
        .map(|i| {
            let angle = f32::from(i) * 0.1;
            [1.6 * angle.cos(), f32::from(i) * 0.01 - 1.0, 1.6 * angle.sin()]
        })
        .collect();
    let wires = Polylines::new([helix])?;
    let cursor = view.project([1.6, -1.0, 0.0]).ok_or("the camera sees it")?.pixel + 2.0;
    let pick = wires.pick_where(&view, &DAffine3::IDENTITY, cursor, 8.0, |pick| {
        picker.is_visible(pick.point, &query)
    });
    if let Some(pick) = pick {
        println!("segment {} of the curve at {:.3}", pick.segment, pick.point);
    }
    Ok(())
}
