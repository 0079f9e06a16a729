//! A mesh as instances share it.

use std::sync::{Arc, OnceLock};

use glam::DVec2;
use hitscan_bvh::{BuildOptions, MeshBvh, RefitReport, WindingTree};
use hitscan_primitives::{AlphaMask, Hit, MeshError, TriMesh};
use thiserror::Error;

/// A triangle mesh with its hierarchy, to be shared by any number of instances in an [`Arc`].
///
/// What only some queries need is made when the first of them asks, once for all instances.
#[derive(Clone, Debug)]
pub struct Mesh {
    tri_mesh: TriMesh,
    bvh: Arc<MeshBvh>,
    /// By the material's place among the names of the mesh's records.
    alpha: Vec<Option<Arc<AlphaMask>>>,
    winding: OnceLock<Arc<WindingTree>>,
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
        let bvh = Arc::new(MeshBvh::build(&tri_mesh, options));
        Self { tri_mesh, bvh, alpha: Vec::new(), winding: OnceLock::new() }
    }

    /// A mesh with a hierarchy that was built before, or read from a cache file.
    ///
    /// # Errors
    /// A hierarchy of another mesh, as far as that can be told without a look at every triangle: of
    /// another number of triangles or another box. [`MeshBvh::validate`] tells all.
    pub fn from_built(tri_mesh: TriMesh, bvh: MeshBvh) -> Result<Self, MeshMismatch> {
        if bvh.n_triangles() != tri_mesh.triangles().len() || bvh.bounds() != tri_mesh.bounds() {
            return Err(MeshMismatch);
        }
        Ok(Self { tri_mesh, bvh: Arc::new(bvh), alpha: Vec::new(), winding: OnceLock::new() })
    }

    /// The same mesh with masks for holes: `mask` says which belongs to a material, by its name.
    /// Faces without records, material, mask or texture coordinates are opaque.
    #[must_use]
    pub fn with_alpha_masks(
        mut self,
        mut mask: impl FnMut(&str) -> Option<Arc<AlphaMask>>,
    ) -> Self {
        let Some(records) = self.tri_mesh.records() else { return self };
        let mut alpha = vec![None; records.names.len()];
        for (_, material) in records.materials.iter() {
            if let Some(index) = *material
                && let Some(name) = records.names.get(index as usize)
            {
                alpha[index as usize] = mask(name);
            }
        }
        self.alpha = alpha;
        self
    }

    /// The mesh, in its own space.
    pub fn tri_mesh(&self) -> &TriMesh {
        &self.tri_mesh
    }

    /// The hierarchy, in the mesh's own space.
    pub fn bvh(&self) -> &MeshBvh {
        &self.bvh
    }

    /// The tree of winding numbers, in the mesh's own space. O(n) when first asked for.
    pub fn winding_tree(&self) -> &WindingTree {
        self.winding.get_or_init(|| Arc::new(WindingTree::new(self.bvh.clone())))
    }

    /// The texture coordinates of a hit, by its weights; `None` if a corner has none.
    ///
    /// # Panics
    /// If the mesh has no such triangle.
    pub fn uv(&self, hit: &Hit) -> Option<DVec2> {
        let [a, b, c] = self.tri_mesh.attributes().uvs_of(hit.triangle)?.map(|uv| uv.as_dvec2());
        Some(a + f64::from(hit.u) * (b - a) + f64::from(hit.v) * (c - a))
    }

    /// The opacity of the surface at a hit: 0 is a hole, 255 opaque. 255 where there is no mask.
    ///
    /// # Panics
    /// If the mesh has no such triangle.
    pub fn alpha(&self, hit: &Hit) -> u8 {
        self.mask_of(hit.triangle).zip(self.uv(hit)).map_or(u8::MAX, |(mask, uv)| mask.at(uv))
    }

    fn mask_of(&self, triangle: u32) -> Option<&AlphaMask> {
        if self.alpha.is_empty() {
            return None;
        }
        let records = self.tri_mesh.records()?;
        let material = (*records.materials.get(records.polygon(triangle))?)?;
        self.alpha.get(material as usize)?.as_deref()
    }

    /// Moves the mesh to new positions of its vertices, as many as before, and the hierarchy with it:
    /// O(n), many times cheaper than a new mesh. The report says when a new one would pay.
    ///
    /// # Errors
    /// A wrong number of positions, or one that is not finite; nothing is changed then.
    pub fn refit<P: Into<[f32; 3]>>(
        &mut self,
        positions: impl IntoIterator<Item = P>,
    ) -> Result<RefitReport, MeshError> {
        let tri_mesh = self.tri_mesh.with_positions(positions)?;
        Ok(self.refit_to(tri_mesh))
    }

    /// [`refit`](Self::refit) to the same triangles over other positions.
    pub(crate) fn refit_to(&mut self, tri_mesh: TriMesh) -> RefitReport {
        self.tri_mesh = tri_mesh;
        // It shares the hierarchy, which would be copied otherwise.
        self.winding = OnceLock::new();
        let report = Arc::make_mut(&mut self.bvh).refit(&self.tri_mesh);
        report.expect("the triangles are the same")
    }
}

/// A hierarchy that is not of the mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the hierarchy is of another mesh")]
pub struct MeshMismatch;
