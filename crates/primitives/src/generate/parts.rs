//! A mesh under construction.

use glam::Vec3;

use super::error::GenerateError;
use crate::TriMesh;

/// The positions and triangles of a mesh under construction.
#[derive(Default)]
pub(super) struct Parts {
    pub(super) positions: Vec<Vec3>,
    pub(super) triangles: Vec<[u32; 3]>,
}

impl Parts {
    pub(super) fn with_capacity(n_positions: usize, n_triangles: usize) -> Self {
        Self {
            positions: Vec::with_capacity(n_positions),
            triangles: Vec::with_capacity(n_triangles),
        }
    }

    /// The index of the next vertex.
    pub(super) fn next_vertex(&self) -> u32 {
        self.positions.len() as u32
    }

    pub(super) fn into_mesh(self) -> TriMesh {
        TriMesh::from_vecs(self.positions, self.triangles)
            .expect("generators make finite positions and valid indices within the limits")
    }

    /// The mesh if all of its triangles have an area.
    pub(super) fn into_mesh_with_areas(self) -> Result<TriMesh, GenerateError> {
        with_areas(self.into_mesh())
    }
}

/// The mesh if all of its triangles have an area. O(n).
pub(super) fn with_areas(mesh: TriMesh) -> Result<TriMesh, GenerateError> {
    match mesh.n_degenerate() {
        0 => Ok(mesh),
        n_degenerate => {
            Err(GenerateError::TooFine { n_triangles: mesh.triangles().len(), n_degenerate })
        }
    }
}
