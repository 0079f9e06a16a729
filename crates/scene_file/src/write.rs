//! Writes scenes as TOML.

use std::collections::{BTreeMap, HashMap};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::ptr;

use glam::{DAffine3, DMat4};
use hitscan_scene::{Mesh, Scene, SceneError};
use serde::Serialize;

use crate::error::{SceneFileError, SceneFileErrorKind};

/// The place of a mesh: a file, and the index of the mesh if the file has several.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MeshFile {
    /// The path relative to the folder of the scene file, at or below it.
    pub path: PathBuf,
    /// The index in [`Loaded::meshes`](hitscan_formats::Loaded::meshes); `None` for the file as one mesh.
    pub mesh: Option<usize>,
}

impl MeshFile {
    /// A file as one mesh.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), mesh: None }
    }
}

/// A scene file as the writer makes it.
#[derive(Serialize)]
struct Document<'a> {
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    meshes: BTreeMap<String, Entry<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    instances: Vec<Record<'a>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Entry<'a> {
    File(&'a str),
    MeshOf { file: &'a str, mesh: usize },
}

#[derive(Serialize)]
struct Record<'a> {
    id: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mesh: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    matrix: Option<[f64; 16]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    layers: Option<Vec<u32>>,
    #[serde(skip_serializing_if = "is_false")]
    hidden: bool,
    #[serde(skip_serializing_if = "is_false")]
    locked: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(flag: &bool) -> bool {
    !flag
}

/// The text of a scene file. `file_of` returns the file of each mesh. The id of an instance is its
/// [insertion order](Scene::insertion_order).
///
/// # Errors
/// A mesh without a file, a path that is not UTF-8, and an insertion order beyond
/// [`Scene::MAX_INSERTION_ORDER`].
pub fn to_text(
    scene: &Scene,
    file_of: impl Fn(&Mesh) -> Option<MeshFile>,
) -> Result<String, SceneFileErrorKind> {
    // Every id below is one of the scene, so that it has an order.
    let order = |id| scene.insertion_order(id).unwrap_or_default();
    let mut files: Vec<MeshFile> = Vec::new();
    let mut names: HashMap<*const Mesh, usize> = HashMap::new();
    let ids = scene.depth_first();
    if let Some(&instance) = ids.iter().find(|&&id| order(id) > Scene::MAX_INSERTION_ORDER) {
        return Err(SceneError::LargeOrder { instance, order: order(instance) }.into());
    }
    let with_mesh = ids.iter().filter_map(|&id| Some((id, scene.get(id)?.mesh.as_deref()?)));
    for (id, mesh) in with_mesh {
        if names.contains_key(&ptr::from_ref(mesh)) {
            continue;
        }
        let file = file_of(mesh).ok_or_else(|| {
            let text = format!(
                "the mesh of instance {} has no file; write it to one, or save a cache file",
                order(id)
            );
            SceneFileErrorKind::Text(text)
        })?;
        let index = files.iter().position(|other| *other == file).unwrap_or_else(|| {
            files.push(file);
            files.len() - 1
        });
        names.insert(ptr::from_ref(mesh), index);
    }
    let mesh_names = unique_names(&files);
    let mut meshes = BTreeMap::new();
    for (file, name) in files.iter().zip(&mesh_names) {
        let path = file.path.to_str().ok_or_else(|| {
            let text = format!("the path {:?} is not UTF-8; rename the file", file.path);
            SceneFileErrorKind::Text(text)
        })?;
        let entry = match file.mesh {
            None => Entry::File(path),
            Some(mesh) => Entry::MeshOf { file: path, mesh },
        };
        meshes.insert(name.clone(), entry);
    }
    let record = |&id| {
        let instance = scene.get(id)?;
        let mesh = instance.mesh.as_deref().map(|mesh| names[&ptr::from_ref(mesh)]);
        Some(Record {
            id: order(id),
            name: instance.name.as_deref(),
            mesh: mesh.map(|index| mesh_names[index].clone()),
            parent: instance.parent.map(order),
            matrix: matrix(&instance.transform),
            layers: layers(instance.layers),
            hidden: instance.hidden,
            locked: instance.locked,
        })
    };
    let document = Document { meshes, instances: ids.iter().filter_map(record).collect() };
    toml::to_string(&document).map_err(|error| SceneFileErrorKind::Text(error.to_string()))
}

/// A matrix column by column; `None` for the identity.
fn matrix(transform: &DAffine3) -> Option<[f64; 16]> {
    let columns = DMat4::from(*transform).to_cols_array();
    // By bits, because -0.0 equals 0.0.
    let bits = |columns: [f64; 16]| columns.map(f64::to_bits);
    (bits(columns) != bits(DMat4::IDENTITY.to_cols_array())).then_some(columns)
}

/// The numbers of the layers; `None` for the first alone.
fn layers(bits: u32) -> Option<Vec<u32>> {
    (bits != 1).then(|| (0..u32::BITS).filter(|layer| bits >> layer & 1 == 1).collect())
}

/// A name per file: its stem, with a number where two are equal.
fn unique_names(files: &[MeshFile]) -> Vec<String> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut names: Vec<String> = Vec::new();
    for file in files {
        let stem = file.path.file_stem().unwrap_or_default().to_string_lossy();
        let stem = match file.mesh {
            None => stem.into_owned(),
            Some(mesh) => format!("{stem} {mesh}"),
        };
        let mut name = stem.clone();
        while names.contains(&name) {
            let n = seen.entry(stem.clone()).or_insert(1);
            *n += 1;
            name = format!("{stem} {n}");
        }
        names.push(name);
    }
    names
}

/// Writes a scene file atomically: a reader sees the old file or the complete new one. See [`to_text`].
///
/// # Errors
/// As [`to_text`]; a path that cannot be written.
pub fn save(
    scene: &Scene,
    path: impl AsRef<Path>,
    file_of: impl Fn(&Mesh) -> Option<MeshFile>,
) -> Result<(), SceneFileError> {
    let path = path.as_ref();
    let write = || -> Result<(), SceneFileErrorKind> {
        let text = to_text(scene, file_of)?;
        let real = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let folder = real.parent().filter(|parent| *parent != Path::new(""));
        let mut builder = tempfile::Builder::new();
        builder.prefix(".hitscan-");
        #[cfg(unix)]
        {
            // The permissions of any new file, which the umask of the user restricts.
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(std::fs::Permissions::from_mode(0o666));
        }
        let mut file = builder.tempfile_in(folder.unwrap_or(Path::new(".")))?;
        file.write_all(text.as_bytes())?;
        file.persist(&real).map_err(|error| error.error)?;
        Ok(())
    };
    write().map_err(|kind| kind.at(path.display().to_string()))
}
