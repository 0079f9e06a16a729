//! Files of scenes.

use std::{collections::HashMap, path::PathBuf, sync::Arc, sync::RwLock};

use hitscan::{
    BuildQuality, LoadOptions,
    cache::{self, BuiltScene, CacheError, CacheErrorKind},
    scene,
    scene_file::{self, SceneOptions},
};
use pyo3::{exceptions::PyValueError, prelude::*};

use crate::{
    batch::detached,
    bvh::Bvh,
    errors::{io_error, text_of, value_error},
    memory, options,
    scene::{Scene, to_number},
};

/// A scene, its trees, each instance with the place of its tree, and the lines of the readers' reports.
type LoadedArguments = (Scene, Vec<Bvh>, Vec<(i64, Option<usize>)>, Vec<String>);

#[pymethods]
impl Scene {
    /// Writes a cache file. `qualities` has the build quality of each instance with a tree.
    fn save(&self, py: Python<'_>, path: PathBuf, qualities: HashMap<i64, String>) -> PyResult<()> {
        let mut built = BuiltScene::new(self.snapshot());
        let by_mesh = (built.scene.iter())
            .filter_map(|(id, instance)| {
                let quality = qualities.get(&to_number(id))?;
                Some((instance.mesh.as_ref().map(Arc::as_ptr)?, quality))
            })
            .collect::<HashMap<_, _>>();
        for mesh in &mut built.meshes {
            if let Some(quality) = by_mesh.get(&Arc::as_ptr(&mesh.mesh)) {
                mesh.quality = options::quality(quality)?;
            }
        }
        let saved = detached(py, None, || cache::save_scene(&built, &path))?;
        saved.map_err(|error| match &error.kind {
            CacheErrorKind::Io(io) => io_error(io, error.to_string()),
            _ => value_error(&error),
        })
    }

    /// Reads a cache file of a scene, a scene in TOML, a glTF file with its nodes, or the mesh of another file.
    #[staticmethod]
    fn load(
        py: Python<'_>,
        path: PathBuf,
        recentre: bool,
        max_bytes: Option<u64>,
    ) -> PyResult<LoadedArguments> {
        if !cache::is_cache_file(&path) {
            let read = LoadOptions { recentre, ..LoadOptions::default() };
            let options = SceneOptions { read, ..SceneOptions::default() };
            let loaded = detached(py, None, || scene_file::load(&path, &options))?;
            let loaded = loaded.map_err(|error| value_error(&error))?;
            return Ok(with_trees(loaded.scene, loaded.remarks, &HashMap::new()));
        }
        if !cache::is_scene_cache_file(&path) {
            let name = path.display();
            let text = format!("{name}: a cache file of one mesh; Bvh.load reads it");
            return Err(PyValueError::new_err(text));
        }
        let limit = max_bytes.unwrap_or(LoadOptions::default().max_file_bytes);
        let bytes = std::fs::metadata(&path).map_or(0, |about| about.len());
        if bytes <= limit {
            memory::check(&format!("the scene of {}", path.display()), bytes.saturating_mul(2))?;
        }
        let built = detached(py, None, || cache::load_scene_within(&path, limit))?;
        let built = built.map_err(|error| cache_error(&error))?;
        let qualities =
            built.meshes.iter().map(|mesh| (Arc::as_ptr(&mesh.mesh), mesh.quality)).collect();
        Ok(with_trees(built.scene, built.remarks, &qualities))
    }
}

fn cache_error(error: &CacheError) -> PyErr {
    match &error.kind {
        CacheErrorKind::Io(io) => io_error(io, text_of(error)),
        CacheErrorKind::TooLarge { .. } => {
            PyValueError::new_err(format!("{error}; max_bytes raises the limit"))
        }
        _ => value_error(error),
    }
}

/// What Python keeps of a scene: each tree once.
fn with_trees(
    scene: scene::Scene,
    remarks: Vec<String>,
    qualities: &HashMap<*const scene::Mesh, BuildQuality>,
) -> LoadedArguments {
    let (mut trees, mut places) = (Vec::new(), HashMap::new());
    let mut instances = Vec::with_capacity(scene.len());
    for (id, instance) in scene.iter() {
        let place = instance.mesh.as_ref().map(|mesh| {
            *places.entry(Arc::as_ptr(mesh)).or_insert_with(|| {
                let quality = qualities.get(&Arc::as_ptr(mesh)).copied().unwrap_or_default();
                trees.push(Bvh::with_mesh(mesh.clone(), quality));
                trees.len() - 1
            })
        });
        instances.push((to_number(id), place));
    }
    (Scene { scene: RwLock::new(scene) }, trees, instances, remarks)
}
