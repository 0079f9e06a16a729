//! Reads scenes: TOML with meshes and instances, glTF, cache files of scenes, or a single mesh.

use std::collections::HashMap;
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, anyhow, bail};
use hitscan::cache::{self, BuiltScene, BuiltSceneMesh, SceneMaterials, Source};
use hitscan::glam::{DAffine3, DVec3};
use hitscan::scene::{Instance, Mesh, Scene};
use hitscan::scene_file::{self, MeshFile};
use hitscan::{Loaded, Material, TriMesh, formats};
use hitscan_files::InsideError;

use super::loaded_scene::{LoadTimes, LoadedMesh, LoadedScene};
use super::mesh::{build_tree, load_gltf, load_mesh, load_scene_cache, timed};
use super::model::{CachedTree, Model};
use super::precision;
use super::source_snapshot::{self, READER};
use super::textures::MaterialSet;
use crate::args::EngineArgs;
use crate::messages;

/// The maximum size of a scene file.
const MAX_FILE_BYTES: u64 = 64 << 20;

impl LoadedScene {
    /// Reads a glTF file with its hierarchy. Returns `false` for any other file.
    fn load_gltf(&mut self, path: &Path, engine: &EngineArgs) -> anyhow::Result<bool> {
        let (read, reading) = timed(|| load_gltf(path, &engine.limits));
        let Some(read) = read? else { return Ok(false) };
        let mesh = |mesh| Arc::new(Mesh::new(mesh, &engine.build_options()));
        let (meshes, building) = timed(|| read.meshes.into_iter().map(mesh).collect::<Vec<_>>());
        let cannot = || format!("{}: cannot place a node", path.display());
        scene_file::place(&mut self.scene, &read.nodes, &meshes, None).with_context(cannot)?;
        let materials = Arc::new(MaterialSet {
            file: path.to_owned(),
            materials: read.materials,
            embedded: read.embedded_textures,
        });
        let quality = engine.build_options().quality;
        for (index, mesh) in meshes.into_iter().enumerate() {
            let (name, materials) = (format!("mesh {index}"), materials.clone());
            self.meshes.push(LoadedMesh { mesh, name, quality, materials });
        }
        self.files.push(path.to_owned());
        self.files.extend(read.files);
        self.n_ignored = read.report.n_ignored();
        self.remarks = read.report.lines();
        self.times = LoadTimes { reading, building };
        Ok(true)
    }

    /// Reads a file as one mesh.
    fn load_mesh(
        &mut self,
        path: &Path,
        name: String,
        engine: &EngineArgs,
    ) -> anyhow::Result<Arc<Mesh>> {
        let (model, reading) = timed(|| load_mesh(path, &engine.limits));
        self.times.reading += reading;
        self.add_model(model?, path, name, engine)
    }

    /// Adds a mesh in memory, and builds its tree.
    fn add_model(
        &mut self,
        mut model: Model,
        path: &Path,
        name: String,
        engine: &EngineArgs,
    ) -> anyhow::Result<Arc<Mesh>> {
        let is_cached = model.tree.as_ref().filter(|tree| tree.suits(engine));
        let quality = is_cached.map_or(engine.build_options().quality, |tree| tree.quality);
        let (bvh, building) = timed(|| build_tree(&mut model, engine));
        let mesh = Arc::new(Mesh::from_built(model.mesh, bvh?)?);
        let (file, materials) = (path.to_owned(), model.materials);
        let materials = Arc::new(MaterialSet { file, materials, embedded: vec![] });
        self.meshes.push(LoadedMesh { mesh: mesh.clone(), name, quality, materials });
        self.files.extend(model.files);
        self.n_ignored += model.n_ignored;
        self.remarks.extend(model.remarks);
        self.times.building += building;
        Ok(mesh)
    }

    /// Reads a cache file of a scene, and builds its trees anew if the flags ask for others.
    fn load_cache(&mut self, path: &Path, engine: &EngineArgs) -> anyhow::Result<()> {
        let (built, reading) = timed(|| load_scene_cache(path, &engine.limits));
        let BuiltScene { scene, meshes, materials, n_ignored, remarks, source } = built?;
        let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        if let Some(source) = &source {
            source.check(READER, path)?;
            self.built_from.extend(source.files.iter().map(|file| file.path.clone()));
        }
        remarks.iter().for_each(messages::note);
        self.files.push(path.to_owned());
        self.files.extend(self.built_from.iter().map(|file| real.with_file_name(file)));
        let sets: Vec<Arc<MaterialSet>> = materials
            .into_iter()
            .map(|SceneMaterials { file, materials, embedded_textures }| {
                let file = file.and_then(|index| self.built_from.get(index as usize));
                let file = file.map_or_else(|| real.clone(), |file| real.with_file_name(file));
                let embedded = embedded_textures.into_iter();
                let embedded = embedded.map(|(index, bytes)| (index as usize, bytes)).collect();
                Arc::new(MaterialSet { file, materials, embedded })
            })
            .collect();
        let none =
            Arc::new(MaterialSet { file: real.clone(), materials: vec![], embedded: vec![] });
        for BuiltSceneMesh { mesh, quality, name, materials } in meshes {
            let materials = materials.map_or(&none, |set| &sets[set as usize]).clone();
            self.meshes.push(LoadedMesh { mesh, name, quality, materials });
        }
        (self.scene, self.n_ignored, self.remarks) = (scene, n_ignored, remarks);
        self.times.reading = reading;
        let is_other =
            |loaded: &LoadedMesh| !CachedTree::has(engine, loaded.quality, loaded.mesh.bvh());
        if self.meshes.iter().any(is_other) {
            messages::note(
                "the cache file has trees of another quality or layout; building new trees",
            );
        }
        if engine.isa.is_some() || self.meshes.iter().any(is_other) {
            let (replaced, building) = timed(|| self.rebuild(&engine.build_options()));
            replaced?;
            self.times.building = building;
        }
        Ok(())
    }
}

/// Reads a scene file, a glTF file as a scene, or a mesh as a scene of one instance without a name.
///
/// # Errors
/// A file that cannot be read, with the line if there is one.
pub(crate) fn load_scene(path: &Path, engine: &EngineArgs) -> anyhow::Result<LoadedScene> {
    if let Some(loaded) = load_if_scene(path, engine)? {
        return Ok(loaded);
    }
    let (model, reading) = timed(|| load_mesh(path, &engine.limits));
    let mut loaded = scene_of_model(model?, path, engine)?;
    loaded.times.reading = reading;
    Ok(loaded)
}

/// A file that rays are cast at.
pub(crate) enum RayTarget {
    Mesh(Box<Model>),
    Scene(Box<LoadedScene>),
}

/// Reads a file for rays. A mesh with an offset becomes a scene, because a scene takes rays in f64.
///
/// # Errors
/// As [`load_scene`].
pub(crate) fn load_for_rays(path: &Path, engine: &EngineArgs) -> anyhow::Result<RayTarget> {
    if let Some(loaded) = load_if_scene(path, engine)? {
        return Ok(RayTarget::Scene(Box::new(loaded)));
    }
    let model = load_mesh(path, &engine.limits)?;
    Ok(match model.mesh.offset() == DVec3::ZERO {
        true => RayTarget::Mesh(Box::new(model)),
        false => RayTarget::Scene(Box::new(scene_of_model(model, path, engine)?)),
    })
}

/// A mesh as a scene of one instance without a name.
///
/// # Errors
/// A build that takes more memory than is free.
fn scene_of_model(model: Model, path: &Path, engine: &EngineArgs) -> anyhow::Result<LoadedScene> {
    let mut loaded = LoadedScene::default();
    let mesh = loaded.add_model(model, path, path.display().to_string(), engine)?;
    loaded
        .scene
        .insert(Instance::new(mesh, DAffine3::IDENTITY))
        .with_context(|| format!("{}: cannot place the mesh", path.display()))?;
    Ok(loaded)
}

/// Reads a scene file, a cache file of a scene, or a glTF file as a scene; `None` for any other file.
///
/// # Errors
/// As [`load_scene`].
pub(crate) fn load_if_scene(
    path: &Path,
    engine: &EngineArgs,
) -> anyhow::Result<Option<LoadedScene>> {
    let mut loaded = LoadedScene::default();
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("toml")) {
        loaded.files.push(path.to_owned());
        loaded.scene = load_toml(path, engine, &mut loaded)?;
        return Ok(Some(loaded));
    }
    if cache::is_scene_cache_file(path) {
        loaded.load_cache(path, engine)?;
        return Ok(Some(loaded));
    }
    Ok(loaded.load_gltf(path, engine)?.then_some(loaded))
}

/// Reads a file as one mesh, with the visible instances of a scene.
///
/// # Errors
/// As [`load_scene`]; a scene that is too large for one mesh.
pub(crate) fn load_merged(path: &Path, engine: &EngineArgs) -> anyhow::Result<Model> {
    let is_toml = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("toml"));
    if !is_toml && !cache::is_scene_cache_file(path) {
        return load_mesh(path, &engine.limits);
    }
    let loaded = load_scene(path, engine)?;
    let meshes: Vec<TriMesh> =
        loaded.meshes.iter().map(|loaded| loaded.mesh.tri_mesh().clone()).collect();
    let positions = loaded.meshes.iter().enumerate();
    let positions: HashMap<*const Mesh, usize> =
        positions.map(|(index, loaded)| (Arc::as_ptr(&loaded.mesh), index)).collect();
    let scene = &loaded.scene;
    let mut visible: Vec<_> = scene.iter().map(|(id, _)| id).collect();
    visible.retain(|&id| scene.is_hidden(id) == Some(false));
    visible.sort_by_key(|&id| scene.insertion_order(id));
    let placed = visible.into_iter().filter_map(|id| {
        let instance = scene.get(id)?;
        Some(formats::Instance {
            mesh: positions[&Arc::as_ptr(instance.mesh.as_ref()?)],
            transform: scene.world_transform(id)?,
            name: instance.name.clone(),
        })
    });
    let instances: Vec<formats::Instance> = placed.collect();
    let options = engine.limits.load_options();
    let mesh = formats::merge(&meshes, &instances, &options)
        .map_err(|kind| anyhow!("{}: {kind}", path.display()))?;
    let remark = (!options.recentre).then(|| precision::of_merged(&meshes, &instances)).flatten();
    remark.iter().for_each(messages::note);
    let LoadedScene { meshes, files, built_from, n_ignored, mut remarks, .. } = loaded;
    remarks.extend(remark);
    let mut materials: Vec<Material> = vec![];
    let mut seen = vec![];
    for LoadedMesh { materials: set, .. } in &meshes {
        if !seen.contains(&Arc::as_ptr(set)) {
            seen.push(Arc::as_ptr(set));
            materials.extend(set.materials.iter().cloned());
        }
    }
    Ok(Model { mesh, materials, n_ignored, remarks, files, built_from, tree: None })
}

/// [`load_if_scene`] for a cache file at `output`, with the state of all files that it read.
///
/// # Errors
/// As [`load_if_scene`]; a file that changes during the read.
pub(crate) fn load_scene_for_cache(
    path: &Path,
    output: &Path,
    engine: &EngineArgs,
) -> anyhow::Result<Option<(LoadedScene, Source)>> {
    let Some(first) = load_if_scene(path, engine)? else { return Ok(None) };
    let mut first = Some(first);
    let mut read = || match first.take() {
        Some(loaded) => Ok(loaded),
        None => load_if_scene(path, engine)?.context("the file changed while hitscan read it"),
    };
    let read = source_snapshot::read_with_source(path, output, |loaded| &loaded.files, &mut read)?;
    Ok(Some(read))
}

/// Reads a scene file. Adds its meshes and files to `loaded`.
fn load_toml(path: &Path, engine: &EngineArgs, loaded: &mut LoadedScene) -> anyhow::Result<Scene> {
    let name = path.display().to_string();
    let text = hitscan_files::read(path, MAX_FILE_BYTES);
    let text = text.map_err(|error| anyhow!("{name}: cannot read the scene file: {error}"))?;
    let text = String::from_utf8(text).with_context(|| format!("{name}: the text is not UTF-8"))?;
    let folder = path.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."));
    let mut reader =
        MeshReader { folder, engine, loaded, known: HashMap::new(), files: HashMap::new() };
    let mut mesh = |file: &MeshFile| {
        // One text, because the error of a scene file prints its reason.
        reader.mesh(file).map_err(|error| format!("{error:#}").into())
    };
    Ok(scene_file::parse(&text, &name, &mut mesh)?)
}

/// Reads the meshes of a scene file, each once.
struct MeshReader<'a> {
    folder: &'a Path,
    engine: &'a EngineArgs,
    loaded: &'a mut LoadedScene,
    known: HashMap<(PathBuf, Option<usize>), Arc<Mesh>>,
    /// The files of several meshes, with their materials.
    files: HashMap<PathBuf, (Loaded, Arc<MaterialSet>)>,
}

impl MeshReader<'_> {
    fn mesh(&mut self, file: &MeshFile) -> anyhow::Result<Arc<Mesh>> {
        // Read a file with several names in the scene only once.
        let path = inside(self.folder, &file.path)?;
        let key = (path.clone(), file.mesh);
        if let Some(mesh) = self.known.get(&key) {
            return Ok(mesh.clone());
        }
        let name = file.path.display();
        let mesh = match file.mesh {
            None => self.loaded.load_mesh(&path, name.to_string(), self.engine)?,
            Some(index) => self.mesh_of(&path, index, format!("{name}, mesh {index}"))?,
        };
        self.known.insert(key, mesh.clone());
        Ok(mesh)
    }

    /// The mesh at an index of a file of several.
    fn mesh_of(&mut self, path: &Path, index: usize, name: String) -> anyhow::Result<Arc<Mesh>> {
        if !self.files.contains_key(path) {
            let (read, reading) = timed(|| load_gltf(path, &self.engine.limits));
            let Some(mut read) = read? else {
                bail!(
                    "{}: is no glTF file, so it has no mesh {index}; expected the path alone",
                    path.display()
                );
            };
            self.loaded.times.reading += reading;
            self.loaded.files.push(path.to_owned());
            self.loaded.files.append(&mut read.files);
            self.loaded.n_ignored += read.report.n_ignored();
            self.loaded.remarks.extend(read.report.lines());
            let materials = Arc::new(MaterialSet {
                file: path.to_owned(),
                materials: mem::take(&mut read.materials),
                embedded: mem::take(&mut read.embedded_textures),
            });
            self.files.insert(path.to_owned(), (read, materials));
        }
        let (read, materials) = &self.files[path];
        let Some(mesh) = read.meshes.get(index) else {
            let n = read.meshes.len();
            bail!("{}: there is no mesh {index}; expected an index below {n}", path.display());
        };
        let options = self.engine.build_options();
        let (mesh, building) = timed(|| Arc::new(Mesh::new(mesh.clone(), &options)));
        self.loaded.times.building += building;
        let (quality, materials) = (options.quality, materials.clone());
        self.loaded.meshes.push(LoadedMesh { mesh: mesh.clone(), name, quality, materials });
        Ok(mesh)
    }
}

/// The path of a file at or below the folder, after following links.
fn inside(folder: &Path, relative: &Path) -> anyhow::Result<PathBuf> {
    hitscan_files::inside(folder, relative).map_err(|error| match error {
        InsideError::Outside => {
            anyhow!(
                "`{}` is outside of the scene's folder; expected a file at or below it",
                relative.display()
            )
        }
        InsideError::Io(error) => anyhow::Error::new(error)
            .context(format!("{}: cannot read the file", relative.display())),
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Flags {
        #[command(flatten)]
        engine: EngineArgs,
    }

    /// Copies would need memory for meshes times materials.
    #[test]
    fn meshes_of_a_gltf_file_share_their_materials() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("two.gltf");
        let mesh = r#"{"primitives": []}"#;
        // Equal meshes would be one.
        let other = r#"{"primitives": [], "name": "b"}"#;
        let text = format!(
            r#"{{"asset": {{"version": "2.0"}}, "meshes": [{mesh}, {other}], "materials": [{{}}]}}"#
        );
        fs::write(&path, text).expect("the folder is writable");
        let engine = Flags::parse_from(["hitscan"]).engine;
        let loaded = load_scene(&path, &engine).expect("a valid file");
        let [a, b] = &loaded.meshes[..] else { panic!("not two meshes") };
        assert_eq!(a.materials.materials.len(), 1);
        assert!(Arc::ptr_eq(&a.materials, &b.materials));
    }

    #[test]
    fn a_file_with_two_names_is_read_once() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let triangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
        fs::write(folder.path().join("t.obj"), triangle).expect("the folder is writable");
        let path = folder.path().join("two.toml");
        let text = "meshes = { a = \"t.obj\", b = \"./t.obj\" }\n\
                    instances = [{ mesh = \"a\" }, { mesh = \"b\" }]\n";
        fs::write(&path, text).expect("the folder is writable");
        let engine = Flags::parse_from(["hitscan"]).engine;
        let loaded = load_scene(&path, &engine).expect("a valid file");
        assert_eq!((loaded.meshes.len(), loaded.files.len()), (1, 2));
        assert_eq!(loaded.scene.len(), 2);
    }
}
