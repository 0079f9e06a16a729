//! A scene in memory, with its materials and files.

use std::collections::HashMap;
use std::mem;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hitscan::cache::{BuiltScene, BuiltSceneMesh, SceneMaterials, Source};
use hitscan::scene::{Mesh, Scene};
use hitscan::{BuildOptions, BuildQuality};
use hitscan_render::{Subject, Texture};

use super::textures::{MaterialSet, TextureReader};
use crate::output::Colours;

/// A scene with its materials and files.
#[derive(Debug, Default)]
pub(crate) struct LoadedScene {
    pub(crate) scene: Scene,
    /// Each mesh once.
    pub(crate) meshes: Vec<LoadedMesh>,
    /// The files that the loader read, the named one first.
    pub(crate) files: Vec<PathBuf>,
    /// The source files of a cache file, relative to its folder; empty for any other file.
    pub(crate) built_from: Vec<PathBuf>,
    /// The number of parts that readers skipped or found odd.
    pub(crate) n_ignored: u64,
    /// A sentence for each kind of such a part.
    pub(crate) remarks: Vec<String>,
    pub(crate) times: LoadTimes,
}

/// A mesh of a scene.
#[derive(Clone, Debug)]
pub(crate) struct LoadedMesh {
    pub(crate) mesh: Arc<Mesh>,
    /// The file, with the index of the mesh if the file has several.
    pub(crate) name: String,
    pub(crate) quality: BuildQuality,
    /// The materials, which the meshes of one file share.
    pub(crate) materials: Arc<MaterialSet>,
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
        let meshes = mem::take(&mut self.meshes);
        let sets: HashMap<*const Mesh, &Arc<MaterialSet>> =
            meshes.iter().map(|loaded| (Arc::as_ptr(&loaded.mesh), &loaded.materials)).collect();
        // Of equal names the last counts.
        let diffuse = |set: &MaterialSet, name: &str| {
            set.materials.iter().rfind(|material| material.name == name)?.diffuse
        };
        let of_mesh = |mesh: &Arc<Mesh>| {
            let found = sets.get(&Arc::as_ptr(mesh));
            found.copied()
        };
        let scene = mem::take(&mut self.scene);
        let mut subject = Subject::new(scene, |mesh, name| diffuse(of_mesh(mesh)?, name));
        let mut reader = TextureReader::default();
        let mut textures: HashMap<*const MaterialSet, HashMap<String, Arc<Texture>>> =
            HashMap::new();
        for LoadedMesh { materials: set, .. } in &meshes {
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
        for LoadedMesh { mesh, materials, .. } in &self.meshes {
            colours.add(mesh.tri_mesh(), &materials.materials);
        }
        colours
    }

    /// Replaces each mesh by the result of `replace`, in all its instances.
    ///
    /// # Errors
    /// An error of `replace`.
    pub(crate) fn replace_meshes(
        &mut self,
        mut replace: impl FnMut(&Mesh) -> anyhow::Result<Mesh>,
    ) -> anyhow::Result<()> {
        let mut new: HashMap<*const Mesh, Arc<Mesh>> = HashMap::new();
        let mut old = Vec::new();
        for loaded in &mut self.meshes {
            let mesh = Arc::new(replace(&loaded.mesh)?);
            new.insert(Arc::as_ptr(&loaded.mesh), mesh.clone());
            // Kept until the end, so that no address is used twice.
            old.push(mem::replace(&mut loaded.mesh, mesh));
        }
        for id in self.scene.depth_first() {
            let mesh = self.scene.get(id).and_then(|instance| instance.mesh.as_ref());
            if let Some(mesh) = mesh.and_then(|mesh| new.get(&Arc::as_ptr(mesh))) {
                self.scene.set_mesh(id, Some(mesh.clone()))?;
            }
        }
        drop(old);
        Ok(())
    }

    /// Builds all trees anew.
    ///
    /// # Errors
    /// None in practice: the meshes are those of the scene.
    pub(crate) fn rebuild(&mut self, options: &BuildOptions) -> anyhow::Result<()> {
        self.replace_meshes(|mesh| Ok(Mesh::new(mesh.tri_mesh().clone(), options)))?;
        self.meshes.iter_mut().for_each(|loaded| loaded.quality = options.quality);
        Ok(())
    }

    /// The scene for a cache file.
    pub(crate) fn into_built(self, source: Option<Source>) -> BuiltScene {
        let mut sets: Vec<&Arc<MaterialSet>> = vec![];
        let mut meshes = Vec::with_capacity(self.meshes.len());
        for LoadedMesh { mesh, name, quality, materials } in &self.meshes {
            let index = sets.iter().position(|set| Arc::ptr_eq(set, materials));
            let index = index.unwrap_or_else(|| {
                sets.push(materials);
                sets.len() - 1
            });
            let (mesh, name) = (mesh.clone(), name.clone());
            let materials = Some(index as u32);
            meshes.push(BuiltSceneMesh { mesh, quality: *quality, name, materials });
        }
        let materials = sets
            .into_iter()
            .map(|set| SceneMaterials {
                file: self.files.iter().position(|file| *file == set.file).map(|i| i as u32),
                materials: set.materials.clone(),
                embedded_textures: set
                    .embedded
                    .iter()
                    .map(|(index, bytes)| (*index as u32, bytes.clone()))
                    .collect(),
            })
            .collect();
        let Self { scene, n_ignored, remarks, .. } = self;
        BuiltScene { scene, meshes, materials, n_ignored, remarks, source }
    }
}
