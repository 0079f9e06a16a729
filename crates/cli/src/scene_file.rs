//! Reads scene files: TOML with meshes and instances, glTF, or a single mesh.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::mem;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use hitscan::glam::{DAffine3, DMat4, DQuat, DVec3, DVec4};
use hitscan::scene::{Instance, InstanceId, Mesh, Scene};
use hitscan_files::InsideError;
use hitscan_render::{Subject, Texture};
use serde::Deserialize;
use toml::Spanned;

use crate::args::EngineArgs;
use crate::loading;
use crate::output::Colours;
use crate::textures::{MaterialSet, TextureReader};

/// The maximum size of a scene file.
const MAX_FILE_BYTES: u64 = 64 << 20;

/// The contents of a scene file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    /// Mesh files of any format by name. Their paths are relative to the scene file, at or below its folder.
    #[serde(default)]
    meshes: BTreeMap<String, Spanned<PathBuf>>,
    /// The instances in the order of insertion. Parents precede their children.
    #[serde(default)]
    instances: Vec<Spanned<Record>>,
}

/// An instance in a scene file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    name: Option<Spanned<String>>,
    mesh: Option<Spanned<String>>,
    parent: Option<Spanned<String>>,
    translation: Option<[f64; 3]>,
    /// A quaternion x, y, z, w of any length.
    rotation: Option<[f64; 4]>,
    scale: Option<Scale>,
    /// A matrix, column by column.
    matrix: Option<Spanned<[f64; 16]>>,
    layers: Option<Spanned<Vec<u32>>>,
    #[serde(default)]
    hidden: bool,
    #[serde(default)]
    locked: bool,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(untagged)]
enum Scale {
    Uniform(f64),
    PerAxis([f64; 3]),
}

/// A scene with its materials and files.
#[derive(Debug, Default)]
pub(crate) struct LoadedScene {
    pub(crate) scene: Scene,
    /// The materials of each mesh. The meshes of one file share them.
    materials: Vec<(Arc<Mesh>, Arc<MaterialSet>)>,
    /// The files that the loader read.
    pub(crate) files: Vec<PathBuf>,
    pub(crate) times: LoadTimes,
}

/// The times of loading, summed over all meshes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LoadTimes {
    pub(crate) reading: Duration,
    pub(crate) building: Duration,
}

impl LoadedScene {
    /// The subject of a picture of the scene. Reads the textures and adds their files to `files`. Prints a
    /// note for each texture that cannot be shown. Takes the scene and the materials.
    pub(crate) fn subject(&mut self) -> Subject {
        let materials = mem::take(&mut self.materials);
        // Of equal names the last counts.
        let diffuse = |set: &MaterialSet, name: &str| {
            set.materials.iter().rfind(|material| material.name == name)?.diffuse
        };
        let of_mesh = |mesh: &Arc<Mesh>| {
            let is_of_mesh = |(other, _): &&(Arc<Mesh>, _)| Arc::ptr_eq(other, mesh);
            materials.iter().find(is_of_mesh).map(|(_, set)| set)
        };
        let scene = mem::take(&mut self.scene);
        let mut subject = Subject::new(scene, |mesh, name| diffuse(of_mesh(mesh)?, name));
        let mut reader = TextureReader::default();
        let mut textures: HashMap<*const MaterialSet, HashMap<String, Arc<Texture>>> =
            HashMap::new();
        for (_, set) in &materials {
            let of_set = || reader.textures_of(set);
            textures.entry(Arc::as_ptr(set)).or_insert_with(of_set);
        }
        subject.set_textures(|mesh, name| {
            textures.get(&Arc::as_ptr(of_mesh(mesh)?))?.get(name).cloned()
        });
        self.files.extend(reader.files().cloned());
        subject
    }

    /// The diffuse colours of the materials.
    pub(crate) fn colours(&self) -> Colours {
        let mut colours = Colours::default();
        for (mesh, set) in &self.materials {
            colours.add(mesh.tri_mesh(), &set.materials);
        }
        colours
    }

    /// Reads a glTF file with its instances. Returns `false` for any other file.
    fn load_gltf(&mut self, path: &Path, engine: &EngineArgs) -> anyhow::Result<bool> {
        let (read, reading) = loading::timed(|| loading::load_gltf(path, &engine.limits));
        let Some(read) = read? else { return Ok(false) };
        let mesh = |mesh| Arc::new(Mesh::new(mesh, &engine.build_options()));
        let (meshes, building) =
            loading::timed(|| read.meshes.into_iter().map(mesh).collect::<Vec<_>>());
        for node in read.instances {
            let mut instance = Instance::new(meshes[node.mesh].clone(), node.transform);
            instance.name = node.name;
            let cannot = || format!("{}: cannot place a node", path.display());
            self.scene.insert(instance).with_context(cannot)?;
        }
        let materials = Arc::new(MaterialSet {
            file: path.to_owned(),
            materials: read.materials,
            embedded: read.embedded_textures,
        });
        self.materials.extend(meshes.into_iter().map(|mesh| (mesh, materials.clone())));
        self.files.push(path.to_owned());
        self.files.extend(read.files);
        self.times = LoadTimes { reading, building };
        Ok(true)
    }

    fn load_mesh(&mut self, path: &Path, engine: &EngineArgs) -> anyhow::Result<Arc<Mesh>> {
        let (model, reading) = loading::timed(|| loading::load(path, &engine.limits));
        let mut model = model?;
        let (bvh, building) = loading::timed(|| loading::build(&mut model, engine));
        let mesh = Arc::new(Mesh::from_built(model.mesh, bvh?)?);
        let (file, materials) = (path.to_owned(), model.materials);
        let set = MaterialSet { file, materials, embedded: vec![] };
        self.materials.push((mesh.clone(), Arc::new(set)));
        self.files.extend(model.files);
        self.times.reading += reading;
        self.times.building += building;
        Ok(mesh)
    }
}

/// Reads a scene file, a glTF file as a scene, or a mesh as a scene of one instance without a name.
///
/// # Errors
/// A file that cannot be read, with the line if there is one.
pub(crate) fn load(path: &Path, engine: &EngineArgs) -> anyhow::Result<LoadedScene> {
    if let Some(loaded) = load_if_scene(path, engine)? {
        return Ok(loaded);
    }
    let mut loaded = LoadedScene::default();
    let mesh = loaded.load_mesh(path, engine)?;
    loaded
        .scene
        .insert(Instance::new(mesh, DAffine3::IDENTITY))
        .with_context(|| format!("{}: cannot place the mesh", path.display()))?;
    Ok(loaded)
}

/// Reads a scene file, or a glTF file as a scene; `None` for any other file.
///
/// # Errors
/// As [`load`].
pub(crate) fn load_if_scene(
    path: &Path,
    engine: &EngineArgs,
) -> anyhow::Result<Option<LoadedScene>> {
    let mut loaded = LoadedScene::default();
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("toml")) {
        loaded.files.push(path.to_owned());
        loaded.scene = load_scene(path, engine, &mut loaded)?;
        return Ok(Some(loaded));
    }
    Ok(loaded.load_gltf(path, engine)?.then_some(loaded))
}

/// Reads a scene file. Adds its meshes and files to `loaded`.
fn load_scene(path: &Path, engine: &EngineArgs, loaded: &mut LoadedScene) -> anyhow::Result<Scene> {
    let text = read(path)?;
    let folder = path.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."));
    let mut meshes: HashMap<PathBuf, Arc<Mesh>> = HashMap::new();
    from_text(&text, &path.display().to_string(), &mut |file| {
        // Read a file with several names in the scene only once.
        let file = inside(folder, file)?;
        if let Some(mesh) = meshes.get(&file) {
            return Ok(mesh.clone());
        }
        let mesh = loaded.load_mesh(&file, engine)?;
        meshes.insert(file, mesh.clone());
        Ok(mesh)
    })
}

/// Reads the text of a scene file. Errors call the file `name`. `load` returns the mesh at a path of the
/// text.
///
/// # Errors
/// Text that is not a scene, and a mesh that cannot be loaded, with the line.
pub fn from_text(
    text: &str,
    name: &str,
    load: &mut dyn FnMut(&Path) -> anyhow::Result<Arc<Mesh>>,
) -> anyhow::Result<Scene> {
    let at = |span: Range<usize>| {
        let line = text[..span.start.min(text.len())].matches('\n').count() + 1;
        format!("{name}, line {line}")
    };
    let document: Document = toml::from_str(text).map_err(|error| {
        let location = error.span().map_or_else(|| name.to_owned(), &at);
        anyhow!("{location}: {}", error.message().trim_end().replace('\n', ", "))
    })?;
    let mut meshes = HashMap::new();
    for (name, file) in &document.meshes {
        let mesh = load(file.get_ref());
        let mesh = mesh.with_context(|| format!("{}: mesh `{name}`", at(file.span())))?;
        meshes.insert(name.as_str(), mesh);
    }

    let mut scene = Scene::new();
    let mut names: HashMap<&str, InstanceId> = HashMap::new();
    for record in &document.instances {
        let (span, record) = (record.span(), record.get_ref());
        let instance = instance(record, &meshes, &names).map_err(|(inner, error)| {
            anyhow!("{}: {error}", at(inner.unwrap_or_else(|| span.clone())))
        })?;
        let id = scene.insert(instance).with_context(|| at(span))?;
        if let Some(name) = &record.name
            && names.insert(name.get_ref(), id).is_some()
        {
            bail!(
                "{}: found a second instance `{}`; expected unique names",
                at(name.span()),
                name.get_ref()
            );
        }
    }
    Ok(scene)
}

/// Reads the text of a scene file.
fn read(path: &Path) -> anyhow::Result<String> {
    let cannot = || format!("{}: cannot read the file", path.display());
    let found = fs::metadata(path).with_context(cannot)?;
    if !found.is_file() {
        bail!("{}: not a regular file; expected a scene file", path.display());
    }
    if found.len() > MAX_FILE_BYTES {
        bail!("{}: {} bytes; expected at most {MAX_FILE_BYTES}", path.display(), found.len());
    }
    fs::read_to_string(path).with_context(cannot)
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

/// A mistake in a record, with its span if it is in one field.
type Mistake = (Option<Range<usize>>, String);

fn instance(
    record: &Record,
    meshes: &HashMap<&str, Arc<Mesh>>,
    names: &HashMap<&str, InstanceId>,
) -> Result<Instance, Mistake> {
    let mesh = record.mesh.as_ref().map(|name| {
        let mesh = meshes.get(name.get_ref().as_str()).cloned();
        mesh.ok_or_else(|| {
            (
                Some(name.span()),
                format!("there is no mesh `{}`; name one under [meshes]", name.get_ref()),
            )
        })
    });
    let parent = record.parent.as_ref().map(|name| {
        let parent = names.get(name.get_ref().as_str()).copied();
        parent.ok_or_else(|| {
            (
                Some(name.span()),
                format!(
                    "there is no instance `{}` before this one; expected parents first",
                    name.get_ref()
                ),
            )
        })
    });
    let layers = record.layers.as_ref().map_or(Ok(1), |layers| {
        layers.get_ref().iter().try_fold(0u32, |bits, &layer| match layer {
            0..32 => Ok(bits | 1 << layer),
            _ => Err((Some(layers.span()), format!("found layer {layer}; expected 0 to 31"))),
        })
    })?;
    Ok(Instance {
        mesh: mesh.transpose()?,
        transform: transform(record)?,
        parent: parent.transpose()?,
        name: record.name.as_ref().map(|name| name.get_ref().as_str().into()),
        layers,
        hidden: record.hidden,
        locked: record.locked,
    })
}

fn transform(record: &Record) -> Result<DAffine3, Mistake> {
    if let Some(matrix) = &record.matrix {
        let mistake = |error: &str| (Some(matrix.span()), error.to_owned());
        if record.translation.is_some() || record.rotation.is_some() || record.scale.is_some() {
            let error =
                "found a matrix beside translation, rotation or scale; expected one or the other";
            return Err(mistake(error));
        }
        let matrix = DMat4::from_cols_array(matrix.get_ref());
        if matrix.row(3) != DVec4::W {
            let error =
                "the last row of the matrix is not 0, 0, 0, 1; expected a matrix column by column";
            return Err(mistake(error));
        }
        return Ok(DAffine3::from_mat4(matrix));
    }
    let rotation = DVec4::from(record.rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]));
    // The square of a very large or small length overflows or underflows.
    let scaled = || (rotation / rotation.abs().max_element()).try_normalize();
    let Some(rotation) = rotation.try_normalize().or_else(scaled) else {
        let error = "the rotation is zero or not finite; expected a quaternion";
        return Err((None, error.to_owned()));
    };
    let scale = match record.scale {
        None => DVec3::ONE,
        Some(Scale::Uniform(scale)) => DVec3::splat(scale),
        Some(Scale::PerAxis(scale)) => scale.into(),
    };
    let translation = record.translation.unwrap_or_default().into();
    let rotation = DQuat::from_vec4(rotation);
    Ok(DAffine3::from_scale_rotation_translation(scale, rotation, translation))
}

#[cfg(test)]
mod tests {
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
        let loaded = load(&path, &engine).expect("a valid file");
        let [(_, a), (_, b)] = &loaded.materials[..] else { panic!("not two meshes") };
        assert_eq!(a.materials.len(), 1);
        assert!(Arc::ptr_eq(a, b));
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
        let loaded = load(&path, &engine).expect("a valid file");
        assert_eq!((loaded.materials.len(), loaded.files.len()), (1, 2));
        assert_eq!(loaded.scene.len(), 2);
    }

    #[test]
    fn a_rotation_may_have_any_length() {
        let transform = |rotation| {
            let text = format!("[[instances]]\nrotation = {rotation}\n");
            let scene = from_text(&text, "test", &mut |_| bail!("there is no mesh"))?;
            let (_, instance) = scene.iter().next().expect("one instance");
            anyhow::Ok(instance.transform)
        };
        let expected = transform("[0, 3, 0, 4]").expect("ordinary numbers");
        for rotation in ["[0, 3e200, 0, 4e200]", "[0, 3e-200, 0, 4e-200]"] {
            let found = transform(rotation).expect("a valid rotation");
            assert!(found.abs_diff_eq(expected, 1e-15), "{rotation}: {found}");
        }
        for rotation in ["[0, 0, 0, 0]", "[0, inf, 0, 1]", "[0, nan, 0, 1]"] {
            assert!(transform(rotation).is_err(), "{rotation}");
        }
    }
}
