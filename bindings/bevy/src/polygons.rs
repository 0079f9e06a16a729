//! The polygons that the triangles of meshes were cut from.

use std::{collections::HashMap, sync::Arc};

use crate::bevy_api::{AssetId, Mesh, Reflect, ReflectDefault, ReflectResource, Resource};

/// The polygons of meshes, which Bevy's meshes do not record.
///
/// With them, a hit tells its quad or polygon, and picks of faces and edges skip the diagonals of the
/// triangulation. Insert the polygons before or with the mesh; a later change counts from the mesh's next
/// change.
///
/// ```
/// use bevy_asset::AssetId;
/// use hitscan_bevy::HitscanPolygons;
///
/// let mut polygons = HitscanPolygons::default();
/// // Six quads of two triangles each, in the order of the mesh's triangles.
/// polygons.insert(AssetId::default(), [2; 6]);
/// ```
#[derive(Resource, Clone, Debug, Default, Reflect)]
#[reflect(opaque)]
#[reflect(Resource, Default, Clone, Debug)]
pub struct HitscanPolygons {
    counts: HashMap<AssetId<Mesh>, Arc<[u32]>>,
}

impl HitscanPolygons {
    /// Records the number of triangles of each polygon, in the order of the mesh's triangles.
    ///
    /// The tree ignores counts that do not add up to the mesh's triangles, with a warning.
    pub fn insert(
        &mut self,
        mesh: impl Into<AssetId<Mesh>>,
        triangle_counts: impl IntoIterator<Item = u32>,
    ) {
        self.counts.insert(mesh.into(), triangle_counts.into_iter().collect());
    }

    /// Forgets the polygons of a mesh. Returns whether there were any.
    pub fn remove(&mut self, mesh: impl Into<AssetId<Mesh>>) -> bool {
        self.counts.remove(&mesh.into()).is_some()
    }

    pub(crate) fn get(&self, mesh: AssetId<Mesh>) -> Option<Arc<[u32]>> {
        self.counts.get(&mesh).cloned()
    }
}
