//! What a cache file holds.

use hitscan_bvh::{BuildQuality, MeshBvh};
use hitscan_primitives::{Material, TriMesh};

use crate::Source;

/// A mesh with its hierarchy, and what else is known of it.
#[derive(Clone, Debug)]
pub struct BuiltMesh {
    /// The mesh, with attributes and records if it has them.
    pub mesh: TriMesh,
    /// Its hierarchy.
    pub bvh: MeshBvh,
    /// The quality that the hierarchy was built with.
    pub quality: BuildQuality,
    /// The materials that the records name.
    pub materials: Vec<Material>,
    /// How many things of the source its reader left out or found odd.
    pub n_ignored: u64,
    /// What they are, in the words of the reader.
    pub remarks: Vec<String>,
    /// What the mesh was read from, if from files.
    pub source: Option<Source>,
}

impl BuiltMesh {
    /// A mesh with its hierarchy of the default quality, and nothing else known.
    pub fn new(mesh: TriMesh, bvh: MeshBvh) -> Self {
        Self {
            mesh,
            bvh,
            quality: BuildQuality::default(),
            materials: Vec::new(),
            n_ignored: 0,
            remarks: Vec::new(),
            source: None,
        }
    }
}
