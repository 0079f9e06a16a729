//! Which face did I click?
//!
//! `cargo run --example which_face [FILE.obj]`

use std::sync::Arc;

use hitscan::glam::dcamera::rh::{proj, view};
use hitscan::glam::{DAffine3, DVec3};
use hitscan::picking::{Convention, Element, ElementKind, PickOptions, Picker, View, Viewport};
use hitscan::scene::{Instance, Mesh, Scene};
use hitscan::{BuildOptions, LoadOptions, load};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = std::env::args().nth(1);
    let file = file.unwrap_or(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/house.obj").into());
    let mesh = load(file, &LoadOptions::default())?.into_mesh()?;
    let (center, extent) = (mesh.bounds().center(), mesh.bounds().extent().length());
    let mut scene = Scene::new();
    let mesh = Arc::new(Mesh::new(mesh, &BuildOptions::default()));
    scene.insert(Instance::new(mesh, DAffine3::IDENTITY))?;

    // The view is made from the very matrix that draws the picture; here as Bevy makes it, with
    // reversed depth and no far plane.
    let viewport = Viewport::from_size(1280.0, 720.0);
    let eye = center.as_dvec3() + f64::from(extent) * DVec3::new(0.6, 0.4, 1.2);
    let world_to_view = view::look_at_mat4(eye, center.as_dvec3(), DVec3::Y);
    let projection = proj::directx::perspective_infinite_reverse(0.8, viewport.aspect(), 0.1);
    let view = View::new(projection * world_to_view, viewport, Convention::BEVY)?;

    let cursor = [640.0, 370.0];
    let options = PickOptions::for_kind(ElementKind::Face);
    let Some(pick) = Picker::new(&scene, &view).pick(cursor, &options) else {
        println!("nothing is at {cursor:?}");
        return Ok(());
    };
    if let Element::Face(polygon) = pick.element {
        println!("polygon {polygon} at {}, {} from the camera", pick.point, pick.distance);
    }
    if let Some(details) = pick.hit.as_ref().and_then(|hit| scene.describe(hit)) {
        let line = details.line().unwrap_or(0);
        println!("line {line} of the file, material {:?}", details.material().unwrap_or("-"));
        println!("normal {:?}, the {:?} side", details.normal(), details.side());
    }
    Ok(())
}
