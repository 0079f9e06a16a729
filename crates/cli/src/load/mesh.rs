//! Loads a mesh file and builds its tree, with progress on a terminal.

use std::mem;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow, bail};
use hitscan::cache::{self, BuiltMesh, BuiltScene, CacheError, CacheErrorKind};
use hitscan::formats::Limit;
use hitscan::{Format, Loaded, MeshBvh, ReadError, ReadErrorKind, TriMesh};

use super::memory;
use super::model::{CachedTree, Model};
use super::precision;
use super::source_snapshot::{self, READER};
use super::stdin;
use crate::args::{EngineArgs, LimitArgs};
use crate::messages;

/// Reads a mesh and prints what the reader skipped. The first bytes give the format. The scene of a glTF
/// file becomes one mesh, whose objects are the nodes.
///
/// # Errors
/// A file that cannot be read as any of the formats, or a cache file whose source has changed.
pub(crate) fn load_mesh(path: &Path, limits: &LimitArgs) -> anyhow::Result<Model> {
    let model = load_mesh_quietly(path, limits)?;
    model.remarks.iter().for_each(messages::note);
    Ok(model)
}

/// [`load_mesh`] without notes.
///
/// # Errors
/// As [`load_mesh`].
pub(crate) fn load_mesh_quietly(path: &Path, limits: &LimitArgs) -> anyhow::Result<Model> {
    if cache::is_cache_file(path) {
        return load_cache(path, limits);
    }
    let mut loaded = load_file(path, limits)?;
    let files = mem::take(&mut loaded.files);
    let mut remarks = loaded.report.lines();
    if !limits.load_options().recentre {
        remarks.extend(precision::of_merged(&loaded.meshes, &loaded.instances));
    }
    let (n_ignored, materials) = (loaded.report.n_ignored(), mem::take(&mut loaded.materials));
    let mesh = loaded.into_mesh().map_err(with_flag)?;
    remarks.extend(precision::of_mesh(&mesh));
    let files = if stdin::is_stdin(path) { files } else { with_path(path, files) };
    Ok(Model { mesh, materials, n_ignored, remarks, files, built_from: vec![], tree: None })
}

/// Reads a mesh file of any format with a progress bar, and prints no notes. `-` is standard input.
fn load_file(path: &Path, limits: &LimitArgs) -> anyhow::Result<Loaded> {
    if stdin::is_stdin(path) {
        return load_stdin(limits);
    }
    let bar = messages::share_bar("reading");
    let progress = |share| {
        messages::set_share(&bar, share);
        ControlFlow::Continue(())
    };
    let loaded = hitscan::load_with_progress(path, &limits.load_options(), &progress);
    bar.finish_and_clear();
    loaded.map_err(with_flag)
}

fn stdin_bytes(limits: &LimitArgs) -> anyhow::Result<&'static [u8]> {
    stdin::bytes(limits.of_cache(), LimitArgs::flag(Limit::FileBytes))
}

fn load_stdin(limits: &LimitArgs) -> anyhow::Result<Loaded> {
    let bytes = stdin_bytes(limits)?;
    if cache::is_cache(bytes) {
        bail!(
            "{}: a cache file; expected a mesh; give its path, so that hitscan can check its source",
            stdin::NAME
        );
    }
    hitscan::parse_any(bytes, stdin::NAME, &limits.load_options()).map_err(with_flag)
}

/// Replaces the library's option in an error about a limit by the flag.
fn with_flag(error: ReadError) -> anyhow::Error {
    match error.kind {
        ReadErrorKind::TooLarge { raised_by: Some(limit), .. } => {
            let (location, flag) = (error.location(), LimitArgs::flag(limit));
            anyhow!("{location}: {}; {flag} raises the limit", error.kind)
        }
        _ => error.into(),
    }
}

/// Reads a glTF file as a scene and prints what the reader skipped; `None` for any other file.
///
/// # Errors
/// A glTF file that cannot be read.
pub(crate) fn load_gltf(path: &Path, limits: &LimitArgs) -> anyhow::Result<Option<Loaded>> {
    let format = match stdin::is_stdin(path) {
        true => Format::of_bytes(stdin_bytes(limits)?, stdin::NAME),
        false if cache::is_cache_file(path) => None,
        false => Format::of_file(path),
    };
    if format != Some(Format::Gltf) {
        return Ok(None);
    }
    let loaded = load_file(path, limits)?;
    loaded.report.lines().iter().for_each(messages::note);
    Ok(Some(loaded))
}

fn with_path(path: &Path, others: Vec<PathBuf>) -> Vec<PathBuf> {
    let mut files = vec![path.to_owned()];
    files.extend(others);
    files
}

/// Reads a cache file of a scene, without a check of its source.
///
/// # Errors
/// A file that is damaged or too long.
pub(crate) fn load_scene_cache(path: &Path, limits: &LimitArgs) -> anyhow::Result<BuiltScene> {
    cache::load_scene_within(path, limits.of_cache()).map_err(with_flag_of_cache)
}

/// Names the flag in an error about the length of a cache file.
fn with_flag_of_cache(error: CacheError) -> anyhow::Error {
    match error.kind {
        CacheErrorKind::TooLarge { .. } => {
            anyhow!("{error}; {} raises the limit", LimitArgs::flag(Limit::FileBytes))
        }
        _ => error.into(),
    }
}

fn load_cache(path: &Path, limits: &LimitArgs) -> anyhow::Result<Model> {
    let built = cache::load_within(path, limits.of_cache()).map_err(with_flag_of_cache);
    let BuiltMesh { mesh, bvh, quality, materials, n_ignored, remarks, source } = built?;
    let mut built_from = vec![];
    if let Some(source) = source {
        source.check(READER, path)?;
        built_from.extend(source.files.into_iter().map(|file| file.path));
    }
    let tree = Some(CachedTree { bvh, quality });
    let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let files = with_path(path, built_from.iter().map(|file| real.with_file_name(file)).collect());
    Ok(Model { mesh, materials, n_ignored, remarks, files, built_from, tree })
}

/// Takes the tree of the cache file if it suits the flags, or else builds a new one.
///
/// # Errors
/// A build that takes more memory than is free. A cancelled build, which cannot happen here because the
/// progress callback never cancels.
pub(crate) fn build_tree(model: &mut Model, engine: &EngineArgs) -> anyhow::Result<MeshBvh> {
    if model.tree.as_ref().is_some_and(|tree| !tree.suits(engine)) {
        messages::note(
            "the cache file has a tree of another quality or layout; building a new tree",
        );
    }
    build_tree_quietly(model, engine)
}

/// [`build_tree`] without the note about another tree.
///
/// # Errors
/// As [`build_tree`].
pub(crate) fn build_tree_quietly(
    model: &mut Model,
    engine: &EngineArgs,
) -> anyhow::Result<MeshBvh> {
    match model.tree.take_if(|tree| tree.suits(engine)) {
        Some(tree) => Ok(tree.bvh.with_isa(engine.build_options().isa)),
        None => build_anew(&model.mesh, engine),
    }
}

fn build_anew(mesh: &TriMesh, engine: &EngineArgs) -> anyhow::Result<MeshBvh> {
    let bar = messages::share_bar("building");
    let progress = |share| {
        messages::set_share(&bar, share);
        ControlFlow::Continue(())
    };
    memory::check_build(mesh.triangles().len(), &engine.build_options())?;
    let tree = MeshBvh::build_with_progress(mesh, &engine.build_options(), &progress);
    bar.finish_and_clear();
    tree.context("cannot build the tree")
}

/// Reads a mesh and builds its tree for a cache file at `output`. Also returns the files that it read.
/// A mesh from standard input has no source that later commands could check.
///
/// # Errors
/// As [`load_mesh`]; a cache file at `path`; a file that changes during the read.
pub(crate) fn build_mesh_for_cache(
    path: &Path,
    output: &Path,
    engine: &EngineArgs,
) -> anyhow::Result<(BuiltMesh, Vec<PathBuf>)> {
    if cache::is_cache_file(path) {
        bail!("{}: the file is a cache file; expected a mesh", path.display());
    }
    let read = || load_mesh_quietly(path, &engine.limits);
    let (model, source) = if stdin::is_stdin(path) {
        (read()?, None)
    } else {
        let (model, source) =
            source_snapshot::read_with_source(path, output, |model| &model.files, read)?;
        (model, Some(source))
    };
    model.remarks.iter().for_each(messages::note);
    let Model { mesh, materials, n_ignored, remarks, files, .. } = model;
    let bvh = build_anew(&mesh, engine)?;
    let quality = engine.build_options().quality;
    Ok((BuiltMesh { mesh, bvh, quality, materials, n_ignored, remarks, source }, files))
}

/// The result of `work` and its duration.
pub(crate) fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed())
}
