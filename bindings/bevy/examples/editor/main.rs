//! An editor in small: thousands of instances, hover outline, click and click through, marquee, snapping,
//! dragging over surfaces, and a skinned character.
//!
//! - `cargo run --release --example editor --features window` opens a window.
//! - `... --features window -- --pictures FOLDER` plays a session there and saves its pictures.
//! - `cargo run --example editor` plays the same session without a window, and prints what happens.
//!
//! In the window: click to select, click again for the object behind. Drag an object over the surfaces of
//! others; hold V to snap it to vertices. Drag from the floor, or with Shift, for a marquee. Drag with the
//! right button to orbit, turn the wheel to zoom. B shows the boxes of the instances.

#[path = "../../tests/integration/harness.rs"]
#[allow(dead_code, reason = "the tests use all of it")]
mod harness;
mod headless;
mod script;
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

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        #[cfg(feature = "window")]
        [] => window::run(None),
        #[cfg(feature = "window")]
        ["--pictures", folder] => window::run(Some(folder.into())),
        #[cfg(not(feature = "window"))]
        [] => run_headless(),
        ["--headless"] => run_headless(),
        _ => {
            eprintln!(
                "usage: editor [--headless | --pictures FOLDER], the last one with --features window"
            );
            std::process::exit(2);
        }
    }
}
