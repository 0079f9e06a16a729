//! An editor in small: thousands of instances, hover outline, click and click through, marquee, snapping,
//! dragging over surfaces, and a skinned character.
//!
//! - `cargo run --release --example editor --features window` opens a window.
//! - `... --features window -- --pictures FOLDER` plays a session there and saves its pictures.
//! - `... --features window -- --sculpt [FOLDER]` changes a terrain of 200,000 triangles in each frame, while objects
//!   with new meshes appear. The box of an entity is green once its tree is current. With a folder, saves pictures.
//! - `cargo run --example editor` plays the same session without a window, and prints what happens.
//!
//! In the window: click to select, click again for the object behind. Drag an object over the surfaces of
//! others; hold V to snap it to vertices. Drag from the floor, or with Shift, for a marquee. Drag with the
//! right button to orbit, turn the wheel to zoom. B shows the boxes of the instances.

use bevy_app::AppExit;

#[path = "../../tests/integration/harness.rs"]
#[allow(dead_code, reason = "the tests use all of it")]
mod harness;
mod headless;
mod script;
#[cfg(feature = "window")]
mod sculpt;
mod tools;
#[cfg(feature = "window")]
mod window;
mod world;

/// Plays the script in an app without a window.
fn run_headless() {
    let mut harness = headless::start();
    for step in script::steps() {
        headless::perform(&mut harness, step);
        if let script::Step::Show(act) = step {
            println!("{act}: {}", script::summary(harness.app.world()));
        }
    }
}

fn main() -> AppExit {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        #[cfg(feature = "window")]
        [] => window::run(None),
        #[cfg(feature = "window")]
        ["--sculpt"] => return sculpt::run(None),
        #[cfg(feature = "window")]
        ["--sculpt", folder] => return sculpt::run(Some(folder.into())),
        #[cfg(feature = "window")]
        ["--pictures", folder] => window::run(Some(folder.into())),
        #[cfg(not(feature = "window"))]
        [] => run_headless(),
        ["--headless"] => run_headless(),
        _ => {
            eprintln!(
                "usage: editor [--headless | --pictures FOLDER | --sculpt [FOLDER]], the last two with \
                 --features window"
            );
            return AppExit::from_code(2);
        }
    }
    AppExit::Success
}
