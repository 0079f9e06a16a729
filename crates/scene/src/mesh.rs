//! A mesh as instances share it.

use hitscan_bvh::{BuildOptions, MeshBvh};
use hitscan_primitives::TriMesh;

/// A triangle mesh with its hierarchy, to be shared by any number of instances in an
/// [`Arc`](std::sync::Arc).
#[derive(Clone, Debug)]
pub struct Mesh {
    tri_mesh: TriMesh,
    bvh: MeshBvh,
}

impl Default for Mesh {
    /// A mesh without triangles.
    fn default() -> Self {
        Self::new(TriMesh::default(), &BuildOptions::default())
    }
}

impl Mesh {
    /// Builds the hierarchy of a mesh, which may be empty. O(n log n).
    pub fn new(tri_mesh: TriMesh, options: &BuildOptions) -> Self {
        let bvh = MeshBvh::build(&tri_mesh, options);
        Self { tri_mesh, bvh }
    }

    /// The mesh, in its own space.
    pub fn tri_mesh(&self) -> &TriMesh {
        &self.tri_mesh
    }

    /// The hierarchy, in the mesh's own space.
    pub fn bvh(&self) -> &MeshBvh {
        &self.bvh
    }
}
