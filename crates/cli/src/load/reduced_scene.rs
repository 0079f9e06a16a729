//! A scene without the faces that `--ignore-faces` names.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use anyhow::{Context, bail};
use hitscan::BuildOptions;
use hitscan::FaceRecords;
use hitscan::scene::{InstanceId, Mesh, Scene, SceneHit};

use crate::args::IgnoredFaces;

/// A scene whose meshes lack some faces.
#[derive(Debug, Default)]
pub(crate) struct ReducedScene {
    pub(crate) scene: Scene,
    /// For each changed instance the index in the file's mesh of each triangle.
    triangles: BTreeMap<InstanceId, Vec<u32>>,
}

impl ReducedScene {
    /// Removes the faces from the meshes of their instances. Other faces keep their indices.
    ///
    /// # Errors
    /// An index without an instance, without a mesh or without a polygon.
    pub(crate) fn new(
        mut scene: Scene,
        ignored: &[IgnoredFaces],
        options: &BuildOptions,
    ) -> anyhow::Result<Self> {
        let mut removed: BTreeMap<u64, BTreeSet<u32>> = BTreeMap::new();
        for IgnoredFaces { instance, polygons } in ignored {
            let Some((_, mesh)) = mesh_of(&scene, *instance) else {
                bail!(
                    "--ignore-faces: there is no mesh at instance {instance}; \
                     expected an instance with a mesh, below {}",
                    scene.len()
                );
            };
            let mesh = mesh.tri_mesh();
            let n = mesh.records().map_or(mesh.triangles().len(), FaceRecords::n_polygons) as u64;
            let of_instance = removed.entry(*instance).or_default();
            for range in polygons.iter() {
                if *range.end() >= n {
                    bail!(
                        "--ignore-faces: instance {instance} has no polygon {}; \
                         expected polygons below {n}",
                        range.end()
                    );
                }
                of_instance.extend(range.clone().map(|polygon| polygon as u32));
            }
        }
        let mut triangles = BTreeMap::new();
        for (instance, polygons) in removed {
            let Some((id, mesh)) = mesh_of(&scene, instance) else { continue };
            let part = mesh.tri_mesh().part(|polygon| !polygons.contains(&polygon));
            let mesh = Arc::new(Mesh::new(part.mesh, options));
            scene.set_mesh(id, Some(mesh)).context("--ignore-faces: cannot remove faces")?;
            triangles.insert(id, part.triangles);
        }
        Ok(Self { scene, triangles })
    }

    /// The index in the file's mesh of the triangle that was hit.
    pub(crate) fn triangle(&self, hit: &SceneHit) -> u32 {
        let triangles = self.triangles.get(&hit.instance);
        triangles.map_or(hit.triangle(), |triangles| triangles[hit.triangle() as usize])
    }
}

/// The mesh of an instance, by its index in the file.
fn mesh_of(scene: &Scene, instance: u64) -> Option<(InstanceId, Arc<Mesh>)> {
    let (id, found) = scene.iter().find(|(id, _)| scene.insertion_order(*id) == Some(instance))?;
    Some((id, found.mesh.clone()?))
}
