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

/// A mesh with its hierarchy, borrowed for writing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MeshParts<'a> {
    pub(crate) mesh: &'a TriMesh,
    pub(crate) bvh: &'a MeshBvh,
    pub(crate) quality: BuildQuality,
    pub(crate) materials: &'a [Material],
    pub(crate) n_ignored: u64,
    pub(crate) remarks: &'a [String],
    pub(crate) source: Option<&'a Source>,
}

impl<'a> From<&'a BuiltMesh> for MeshParts<'a> {
    fn from(built: &'a BuiltMesh) -> Self {
        let BuiltMesh { mesh, bvh, quality, materials, n_ignored, remarks, source } = built;
        let (quality, n_ignored) = (*quality, *n_ignored);
        Self { mesh, bvh, quality, materials, n_ignored, remarks, source: source.as_ref() }
    }
}
