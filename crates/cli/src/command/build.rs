//! `hitscan build`: writes a cache file.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::bail;
use hitscan::cache::{self, BuiltScene};

use crate::args::BuildArgs;
use crate::load::{build_mesh_for_cache, load_if_scene, load_scene_for_cache, stdin, timed};
use crate::messages::{self, readable};
use crate::output::Target;
use crate::process::{Outcome, set_threads};
use crate::resolved::check_cache_name;

pub(crate) fn run(args: &BuildArgs) -> anyhow::Result<Outcome> {
    check_cache_name(&args.output)?;
    set_threads(args.engine.threads)?;
    // Errors in the output show before the long read of the mesh.
    let mut target = Target::open(Some(&args.output))?.keeping(args.clobber.no_clobber)?;
    if let Some(of_scene) = scene_of(args)? {
        let (built, inputs, time) = of_scene;
        cache::write_scene(&built, &mut target)?;
        target.finish(&inputs)?;
        print_scene_summary(&built, time);
        return Ok(Outcome::Done);
    }
    let (built, time) = timed(|| build_mesh_for_cache(&args.file, &args.output, &args.engine));
    let (built, inputs) = built?;
    cache::write(&built, &mut target)?;
    target.finish(&inputs)?;
    print_summary(&built, time);
    Ok(Outcome::Done)
}

/// The scene of the file with its inputs and the time that it took; `None` for a mesh.
fn scene_of(args: &BuildArgs) -> anyhow::Result<Option<(BuiltScene, Vec<PathBuf>, Duration)>> {
    if cache::is_scene_cache_file(&args.file) {
        bail!("{}: the file is a cache file; expected a mesh or scene", args.file.display());
    }
    let (read, time) = match stdin::is_stdin(&args.file) {
        // A scene from standard input has no source that later commands could check.
        true => {
            let (read, time) = timed(|| load_if_scene(&args.file, &args.engine));
            (read?.map(|loaded| (loaded, None)), time)
        }
        false => {
            let read = || load_scene_for_cache(&args.file, &args.output, &args.engine);
            let (read, time) = timed(read);
            (read?.map(|(loaded, source)| (loaded, Some(source))), time)
        }
    };
    Ok(read.map(|(loaded, source)| {
        let files = loaded.files.clone();
        (loaded.into_built(source), files, time)
    }))
}

fn print_scene_summary(built: &BuiltScene, time: Duration) {
    let stats = built.meshes.iter().map(|built| built.mesh.bvh().stats());
    let (n_triangles, bytes) =
        stats.fold((0, 0), |(n, bytes), stats| (n + stats.n_triangles, bytes + stats.bytes));
    messages::line(format_args!(
        "{} instances of {} meshes, {n_triangles} triangles, trees of {bytes} bytes, read and built in {}",
        built.scene.len(),
        built.meshes.len(),
        readable(time)
    ));
}

fn print_summary(built: &cache::BuiltMesh, time: Duration) {
    let stats = built.bvh.stats();
    messages::line(format_args!(
        "{} triangles, a tree of {} nodes and {} bytes, read and built in {}",
        stats.n_triangles,
        stats.n_nodes,
        stats.bytes,
        readable(time)
    ));
}
