//! From a file to a mesh and its tree, with progress on a terminal.

use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context;
use hitscan::obj::{self, LoadOptions, Loaded};
use hitscan::{MeshBvh, TriMesh};

use crate::args::EngineArgs;
use crate::messages;

/// Reads a mesh and says what was left out of it.
///
/// # Errors
/// A file that cannot be read as OBJ.
pub(crate) fn load(path: &Path) -> anyhow::Result<Loaded> {
    let bar = messages::share_bar("reading");
    let progress = |share| {
        messages::set_share(&bar, share);
        ControlFlow::Continue(())
    };
    let loaded = obj::load_with_progress(path, &LoadOptions::default(), &progress);
    bar.finish_and_clear();
    let loaded = loaded.map_err(anyhow::Error::new)?;
    for line in loaded.report.to_string().lines() {
        messages::note(line);
    }
    Ok(loaded)
}

/// Builds the tree of a mesh.
///
/// # Errors
/// None that can happen: nobody cancels the build.
pub(crate) fn build(mesh: &TriMesh, engine: &EngineArgs) -> anyhow::Result<MeshBvh> {
    let bar = messages::share_bar("building");
    let progress = |share| {
        messages::set_share(&bar, share);
        ControlFlow::Continue(())
    };
    let tree = MeshBvh::build_with_progress(mesh, &engine.build_options(), &progress);
    bar.finish_and_clear();
    tree.context("building the tree")
}

/// A result and how long it took.
pub(crate) fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed())
}
