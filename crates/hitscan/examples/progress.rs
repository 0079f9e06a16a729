//! How to show the progress of a long build, and how to stop it?
//!
//! `cargo run --release --example progress`

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use hitscan::primitives::generate;
use hitscan::{BuildOptions, MeshBvh};

fn main() -> Result<(), generate::GenerateError> {
    let mesh = generate::terrain(300_000, 1)?;
    // Set it from wherever the user presses the button.
    let stop = AtomicBool::new(false);
    let progress = |share: f32| {
        eprint!("\rbuilding: {:3.0} %", 100.0 * share);
        if stop.load(Ordering::Relaxed) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let options = BuildOptions::default();
    match MeshBvh::build_with_progress(&mesh, &options, &progress) {
        Ok(bvh) => println!("\ndone: {:?}", bvh.stats()),
        Err(cancelled) => println!("\n{cancelled}"),
    }

    stop.store(true, Ordering::Relaxed);
    assert!(MeshBvh::build_with_progress(&mesh, &options, &progress).is_err());
    println!();
    Ok(())
}
