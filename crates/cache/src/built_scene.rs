//! A scene as a cache file holds it: each mesh once, and the instances.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use hitscan_bvh::BuildQuality;
use hitscan_primitives::Material;
use hitscan_scene::{Mesh, Scene};

use crate::Source;

/// A scene with its meshes, materials and origin.
#[derive(Clone, Debug, Default)]
pub struct BuiltScene {
    /// The instances.
    pub scene: Scene,
    /// Each mesh of the scene once.
    pub meshes: Vec<BuiltSceneMesh>,
    /// The materials of each file that the meshes come from.
    pub materials: Vec<SceneMaterials>,
    /// The number of parts of the source that the readers skipped or repaired.
    pub n_ignored: u64,
    /// The lines of the reports of the readers.
    pub remarks: Vec<String>,
    /// The files that the scene was read from, if any.
    pub source: Option<Source>,
}

/// A mesh of a [`BuiltScene`].
#[derive(Clone, Debug)]
pub struct BuiltSceneMesh {
    /// The mesh, shared with the instances.
    pub mesh: Arc<Mesh>,
    /// The build quality of its hierarchy.
    pub quality: BuildQuality,
    /// A name for people, such as that of its file.
    pub name: String,
    /// The index of its materials in [`BuiltScene::materials`].
    pub materials: Option<u32>,
}

/// The materials of a file.
#[derive(Clone, Debug, Default)]
pub struct SceneMaterials {
    /// The index in [`Source::files`] of the file that texture names are relative to.
    pub file: Option<u32>,
    /// The materials, to which the records of meshes refer by name.
    pub materials: Vec<Material>,
    /// The base-colour textures inside the file: the index of the material, and a PNG or JPEG file.
    pub embedded_textures: Vec<(u32, Arc<[u8]>)>,
}

impl BuiltScene {
    /// A scene with its meshes, which have the default quality, without materials, remarks and source.
    pub fn new(scene: Scene) -> Self {
        let mut built = Self { scene, ..Self::default() };
        let mut seen = HashSet::new();
        for id in built.scene.depth_first() {
            let mesh = built.scene.get(id).and_then(|instance| instance.mesh.clone());
            if let Some(mesh) = mesh
                && seen.insert(Arc::as_ptr(&mesh))
            {
                let quality = BuildQuality::default();
                built.meshes.push(BuiltSceneMesh {
                    mesh,
                    quality,
                    name: String::new(),
                    materials: None,
                });
            }
        }
        built
    }
}

/// The index of each mesh of a scene in [`BuiltScene::meshes`].
pub(crate) fn indices(meshes: &[BuiltSceneMesh]) -> HashMap<*const Mesh, u32> {
    (0..).zip(meshes).map(|(index, mesh)| (Arc::as_ptr(&mesh.mesh), index)).collect()
}
