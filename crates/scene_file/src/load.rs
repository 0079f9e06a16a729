//! Reads scene files, glTF files and meshes into scenes.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use glam::DAffine3;
use hitscan_bvh::BuildOptions;
use hitscan_files::{InsideError, inside};
use hitscan_formats::{Format, LoadOptions, Loaded, SceneNode};
use hitscan_primitives::Material;
use hitscan_scene::{Instance, Mesh, Scene, SceneError};

use crate::error::{SceneFileError, SceneFileErrorKind};
use crate::read::{MeshResult, parse};
use crate::write::{MeshFile, save};

/// The options of [`load`].
#[derive(Clone, Debug, Default)]
pub struct SceneOptions {
    /// The limits and choices for each mesh file. [`LoadOptions::max_file_bytes`] also limits the scene file.
    pub read: LoadOptions,
    /// The trees of the meshes.
    pub build: BuildOptions,
}

/// A scene with the origin of its meshes.
#[derive(Clone, Debug, Default)]
pub struct LoadedScene {
    /// The scene.
    pub scene: Scene,
    /// Each mesh once, with its file and its materials.
    pub meshes: Vec<SceneMesh>,
    /// All files that were read, the named one first.
    pub files: Vec<PathBuf>,
    /// A sentence for each kind of part that a reader skipped or repaired, after the name of its file.
    pub remarks: Vec<String>,
}

/// A mesh with its file.
#[derive(Clone, Debug)]
pub struct SceneMesh {
    /// The mesh, shared with the instances.
    pub mesh: Arc<Mesh>,
    /// The file, relative to the folder of the scene.
    pub file: MeshFile,
    /// The materials of the file, which its meshes share.
    pub materials: Arc<[Material]>,
}

impl LoadedScene {
    /// Writes the scene as TOML; see [`save`]. Its meshes must be those of this value, so push those of new
    /// instances to [`meshes`](Self::meshes). Their files must be at or below the folder of `path`.
    ///
    /// # Errors
    /// As [`save`].
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), SceneFileError> {
        let files: HashMap<*const Mesh, &MeshFile> =
            self.meshes.iter().map(|mesh| (Arc::as_ptr(&mesh.mesh), &mesh.file)).collect();
        save(&self.scene, path, |mesh| files.get(&std::ptr::from_ref(mesh)).copied().cloned())
    }
}

/// Inserts the nodes of a file into a scene, with their parents, below `parent`. `meshes` are those of
/// [`Loaded::meshes`], built.
///
/// # Errors
/// An unknown parent, and a node whose transform a scene cannot hold.
///
/// # Panics
/// If a node refers to a mesh beyond `meshes`.
pub fn place(
    scene: &mut Scene,
    nodes: &[SceneNode],
    meshes: &[Arc<Mesh>],
    parent: Option<hitscan_scene::InstanceId>,
) -> Result<(), SceneError> {
    let mut ids = Vec::with_capacity(nodes.len());
    for node in nodes {
        ids.push(scene.insert(Instance {
            mesh: node.mesh.map(|mesh| meshes[mesh].clone()),
            transform: node.transform,
            parent: node.parent.map_or(parent, |parent| Some(ids[parent])),
            name: node.name.clone(),
            ..Instance::default()
        })?);
    }
    Ok(())
}

/// Reads a scene file, a glTF file with its hierarchy, or any other mesh file as a scene of one instance.
/// A file whose name ends in `.toml` is a scene file.
///
/// # Errors
/// A file that cannot be read, with the line if there is one.
pub fn load(path: impl AsRef<Path>, options: &SceneOptions) -> Result<LoadedScene, SceneFileError> {
    let path = path.as_ref();
    let mut loaded = LoadedScene::default();
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("toml")) {
        let name = path.display().to_string();
        let text = hitscan_files::read(path, options.read.max_file_bytes);
        let text = text.map_err(|error| SceneFileErrorKind::Text(error.to_string()).at(&*name))?;
        let text = String::from_utf8(text)
            .map_err(|error| SceneFileErrorKind::Text(error.to_string()).at(&*name))?;
        loaded.files.push(path.to_owned());
        let folder = path.parent().filter(|parent| *parent != Path::new(""));
        let mut reader = MeshReader {
            folder: folder.unwrap_or(Path::new(".")),
            options,
            read: HashMap::new(),
            loaded: &mut loaded,
        };
        loaded.scene = parse(&text, &name, &mut |file| reader.mesh(file))?;
        return Ok(loaded);
    }
    let cannot = |kind: SceneFileErrorKind| kind.at(path.display().to_string());
    let read = hitscan_formats::load(path, &options.read).map_err(|error| {
        SceneFileErrorKind::Text(error.kind.to_string()).at(error.location().to_string())
    })?;
    loaded.files.push(path.to_owned());
    loaded.files.extend(read.files.iter().cloned());
    loaded.remarks = read.report.lines();
    let materials: Arc<[Material]> = read.materials.clone().into();
    let has_index = read.format == Format::Gltf;
    let name: PathBuf = path.file_name().unwrap_or_default().into();
    let build = |mesh| Arc::new(Mesh::new(mesh, &options.build));
    let meshes: Vec<Arc<Mesh>> = read.meshes.into_iter().map(build).collect();
    place(&mut loaded.scene, &read.nodes, &meshes, None).map_err(|error| cannot(error.into()))?;
    loaded.meshes = meshes
        .into_iter()
        .enumerate()
        .map(|(index, mesh)| SceneMesh {
            mesh,
            file: MeshFile { path: name.clone(), mesh: has_index.then_some(index) },
            materials: materials.clone(),
        })
        .collect();
    Ok(loaded)
}

/// Reads the mesh files of a scene file, each once.
struct MeshReader<'a> {
    folder: &'a Path,
    options: &'a SceneOptions,
    read: HashMap<PathBuf, (Loaded, Arc<[Material]>)>,
    loaded: &'a mut LoadedScene,
}

impl MeshReader<'_> {
    fn mesh(&mut self, file: &MeshFile) -> MeshResult {
        if let Some(known) = self.loaded.meshes.iter().find(|known| known.file == *file) {
            return Ok(known.mesh.clone());
        }
        let path = inside(self.folder, &file.path).map_err(|error| match error {
            InsideError::Outside => format!(
                "`{}` is outside of the scene's folder; expected a file at or below it",
                file.path.display()
            ),
            InsideError::Io(error) => {
                format!("{}: cannot read the file: {error}", file.path.display())
            }
        })?;
        if !self.read.contains_key(&path) {
            let read = hitscan_formats::load(&path, &self.options.read)?;
            let name = file.path.display();
            let remarks = read.report.lines().into_iter().map(|line| format!("{name}: {line}"));
            self.loaded.remarks.extend(remarks);
            self.loaded.files.push(path.clone());
            self.loaded.files.extend(read.files.iter().cloned());
            let materials = read.materials.clone().into();
            self.read.insert(path.clone(), (read, materials));
        }
        let (read, materials) = &self.read[&path];
        let mesh = match file.mesh {
            None => read.clone().into_mesh()?,
            Some(index) => read.meshes.get(index).cloned().ok_or_else(|| {
                format!(
                    "{}: there is no mesh {index}; expected an index below {}",
                    file.path.display(),
                    read.meshes.len()
                )
            })?,
        };
        let mesh = Arc::new(Mesh::new(mesh, &self.options.build));
        let (file, materials) = (file.clone(), materials.clone());
        self.loaded.meshes.push(SceneMesh { mesh: mesh.clone(), file, materials });
        Ok(mesh)
    }
}

/// A scene of one mesh at the origin.
impl From<Arc<Mesh>> for LoadedScene {
    fn from(mesh: Arc<Mesh>) -> Self {
        let mut scene = Scene::new();
        let instance = Instance::new(mesh, DAffine3::IDENTITY);
        scene.insert(instance).expect("the identity is a transform of every mesh");
        Self { scene, ..Self::default() }
    }
}
