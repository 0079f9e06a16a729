//! Files of scenes.

use std::{ffi::c_char, fmt::Display};

use engine::{
    cache::{self, BuiltScene},
    scene::Scene,
    scene_file::{self, SceneOptions},
};

use crate::{
    call::entry,
    mesh::{hitscan_load_options, load_options},
    scene::hitscan_scene,
    status::{Failure, HITSCAN_READ, HITSCAN_WRITE, failure, hitscan_status},
};

/// Writes a scene with its trees to a cache file, whole or not at all. path is UTF-8.
///
/// HITSCAN_WRITE: a path that cannot be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_scene_save(
    scene: *const hitscan_scene,
    path: *const c_char,
) -> hitscan_status {
    entry!("hitscan_scene_save", |caller| {
        let built = BuiltScene::new(caller.get(scene, "scene")?.clone());
        let path = caller.text(path, "path")?;
        cache::save_scene(&built, path)
            .map_err(|error| failure(HITSCAN_WRITE, format_args!("path: {error}")))
    })
}

/// Reads a scene: a cache file of hitscan_scene_save or of the program hitscan, a glTF file with its nodes, a scene in
/// TOML, or any mesh file as one instance. Instances keep names, parents, layers and order, and share their trees.
///
/// path is UTF-8. options may be NULL; of those, a cache file heeds max_file_bytes alone. The caller releases the scene
/// with hitscan_scene_release.
///
/// HITSCAN_READ: a file that cannot be read; a cache file of a single mesh, which hitscan_bvh_load reads.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_scene_load(
    path: *const c_char,
    options: *const hitscan_load_options,
    scene: *mut *mut hitscan_scene,
) -> hitscan_status {
    entry!("hitscan_scene_load", |caller| {
        let scene = caller.out_handle(scene, "scene")?;
        let path = caller.text(path, "path")?;
        let read = load_options(caller, options)?;
        scene.write(load(path, SceneOptions { read, ..SceneOptions::default() })?);
        Ok(())
    })
}

fn load(path: &str, options: SceneOptions) -> Result<Scene, Failure> {
    let failed = |error: &dyn Display| failure(HITSCAN_READ, format_args!("path: {error}"));
    if !cache::is_cache_file(path) {
        let loaded = scene_file::load(path, &options).map_err(|error| failed(&error))?;
        return Ok(loaded.scene);
    }
    if !cache::is_scene_cache_file(path) {
        let text = format!("{path}: a cache file of one mesh; hitscan_bvh_load reads it");
        return Err(failed(&text));
    }
    let limit = options.read.max_file_bytes;
    let built = cache::load_scene_within(path, limit).map_err(|error| failed(&error))?;
    Ok(built.scene)
}
