//! The contents of a cache file.

use hitscan_bvh::{BuildQuality, MeshBvh};
use hitscan_primitives::{Material, TriMesh};

use crate::Source;

/// A mesh with its hierarchy, materials and origin.
#[derive(Clone, Debug)]
pub struct BuiltMesh {
    /// The mesh, with its attributes and records.
    pub mesh: TriMesh,
    /// The hierarchy of the mesh.
    pub bvh: MeshBvh,
    /// The build quality of the hierarchy.
    pub quality: BuildQuality,
    /// The materials that the records refer to.
    pub materials: Vec<Material>,
    /// The number of parts of the source that the reader skipped or repaired.
    pub n_ignored: u64,
    /// The lines of the report of the reader.
    pub remarks: Vec<String>,
    /// The files that the mesh was read from, if any.
    pub source: Option<Source>,
}

impl BuiltMesh {
    /// A mesh with its hierarchy of default quality, without materials, remarks and source.
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
