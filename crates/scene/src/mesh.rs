//! The mesh that instances share.

use std::sync::{Arc, OnceLock};

use glam::{DAffine3, DVec2};
use hitscan_bvh::{BuildOptions, MeshBvh, RefitReport, WindingTree, instances::InstancedMesh};
use hitscan_primitives::{
    AlphaMask, EditError, Hit, LocalRay, MeshEditor, MeshError, TriMesh, WorldRay,
};
use thiserror::Error;

use crate::placement::{Parts, Placement, TransformError};

/// A triangle mesh with its bounding volume hierarchy. Any number of instances share it in an [`Arc`].
///
/// All positions are in the mesh's own space, in f32. The first query that needs the winding tree builds
/// it, once for all instances.
///
/// ```
/// use hitscan_primitives::generate;
/// use hitscan_scene::Mesh;
///
/// let mesh = Mesh::new(generate::cuboid(2.0, 2.0, 2.0, 0)?, &Default::default());
/// assert_eq!(mesh.bvh().n_triangles(), 12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Mesh {
    tri_mesh: TriMesh,
    bvh: Arc<MeshBvh>,
    /// The masks, by the index of the material's name in the records of the mesh.
    alpha: Vec<Option<Arc<AlphaMask>>>,
    winding: OnceLock<Arc<WindingTree>>,
    /// For the world boxes of instances.
    parts: Parts,
    /// What all instances share in the tree of a scene.
    instanced: Arc<InstancedMesh>,
}

fn parts(tri_mesh: &TriMesh, bvh: &MeshBvh) -> Parts {
    /// With twice as many, random rays take 1 to 3 % less time, but moves 14 % more.
    const N_BOXES: usize = 16;
    Parts::new(&bvh.covering_boxes(N_BOXES), tri_mesh.bounds(), tri_mesh.positions())
}

impl Default for Mesh {
    /// A mesh without triangles, which no ray hits.
    fn default() -> Self {
        Self::new(TriMesh::default(), &BuildOptions::default())
    }
}

impl Mesh {
    /// Builds the hierarchy of a mesh, which may be empty. O(n log n) for n triangles.
    pub fn new(tri_mesh: TriMesh, options: &BuildOptions) -> Self {
        let bvh = MeshBvh::build(&tri_mesh, options);
        Self::with_hierarchy(tri_mesh, bvh)
    }

    /// A mesh with an existing hierarchy, for example from a cache file. O(1).
    ///
    /// # Errors
    /// A hierarchy with another number of triangles or other bounds than the mesh. Equal counts and
    /// bounds pass unchecked; [`MeshBvh::validate`] compares every triangle.
    pub fn from_built(tri_mesh: TriMesh, bvh: MeshBvh) -> Result<Self, MeshMismatch> {
        if bvh.n_triangles() != tri_mesh.triangles().len() || bvh.bounds() != tri_mesh.bounds() {
            return Err(MeshMismatch);
        }
        Ok(Self::with_hierarchy(tri_mesh, bvh))
    }

    fn with_hierarchy(tri_mesh: TriMesh, bvh: MeshBvh) -> Self {
        let parts = parts(&tri_mesh, &bvh);
        let bvh = Arc::new(bvh);
        let instanced = Arc::new(InstancedMesh::new(bvh.clone()));
        let (alpha, winding) = (Vec::new(), OnceLock::new());
        Self { tri_mesh, bvh, alpha, winding, parts, instanced }
    }

    /// What all instances share in the tree of a scene.
    pub(crate) fn instanced(&self) -> &Arc<InstancedMesh> {
        &self.instanced
    }

    /// The placement of an instance with the transform `world` from the space of the mesh.
    pub(crate) fn placement(&self, world: DAffine3) -> Result<Placement, TransformError> {
        let mut placement = Placement::new(world, self.tri_mesh.bounds())?;
        placement.tighten(&self.parts);
        Ok(placement)
    }

    /// A placement of the mesh with the box around its parts.
    pub(crate) fn tightened(&self, mut placement: Placement) -> Placement {
        placement.tighten(&self.parts);
        placement
    }

    /// The same mesh with alpha masks. `mask` returns the mask of a material, given its name.
    ///
    /// A face without records, material, mask or texture coordinates is opaque.
    #[must_use]
    pub fn with_alpha_masks(
        mut self,
        mut mask: impl FnMut(&str) -> Option<Arc<AlphaMask>>,
    ) -> Self {
        let Some(records) = self.tri_mesh.records() else { return self };
        let mut alpha = vec![None; records.names().len()];
        for (_, material) in records.materials().iter() {
            if let Some(index) = *material {
                alpha[index as usize] = mask(&records.names()[index as usize]);
            }
        }
        self.alpha = alpha;
        self
    }

    /// The triangles, in the mesh's own space.
    pub fn tri_mesh(&self) -> &TriMesh {
        &self.tri_mesh
    }

    /// The hierarchy, in the mesh's own space.
    pub fn bvh(&self) -> &MeshBvh {
        &self.bvh
    }

    /// The tree of winding numbers, in the mesh's own space. The first call builds it in O(n). Calls of several
    /// threads at once may build it several times, and keep one.
    pub fn winding_tree(&self) -> &WindingTree {
        if let Some(tree) = self.winding.get() {
            return tree;
        }
        // Not within the cell: a thread of a pool that builds takes up other work meanwhile, and that may ask for this
        // tree. It would wait for itself.
        let tree = Arc::new(WindingTree::new(self.bvh.clone()));
        self.winding.get_or_init(|| tree)
    }

    /// A ray in the coordinates of the mesh's file, in f64, as a ray in the mesh's own space; `None` if it is
    /// invalid or cannot be expressed in f32.
    ///
    /// The difference to the [offset](TriMesh::offset) is taken in f64, and the result is rounded once, near
    /// the mesh. An instance without a transform has the same hits. A hit lies at
    /// `mesh.tri_mesh().offset() + mesh.tri_mesh().point(&hit)`, and at [`LocalRay::world_t`] of the ray.
    ///
    /// ```
    /// use hitscan_primitives::{Faces, TriMesh};
    /// use hitscan_scene::{Mesh, WorldRay};
    ///
    /// let corners = [[5e5 + 0.1, 5e6, 0.0], [5e5 + 1.1, 5e6, 0.0], [5e5 + 0.1, 5e6 + 1.0, 0.0]];
    /// let mesh = Mesh::new(TriMesh::from_f64(corners, vec![[0, 1, 2]], true)?.value, &Default::default());
    /// let ray = WorldRay::new([5e5 + 0.35, 5e6 + 0.25, 2.0], [0.0, 0.0, -1.0]);
    /// let local = mesh.local_ray(&ray).expect("a valid ray");
    /// let hit = mesh.bvh().closest_hit(&local.ray, Faces::Both).expect("it meets the triangle");
    /// assert_eq!(local.world_t(hit.t), 2.0);
    /// let point = mesh.tri_mesh().offset() + mesh.tri_mesh().point(&hit);
    /// assert!(point.distance(ray.at(2.0)) < 1e-7);
    /// # Ok::<(), hitscan_primitives::MeshError>(())
    /// ```
    pub fn local_ray(&self, ray: &WorldRay) -> Option<LocalRay> {
        let ray = ray.checked().ok()?;
        let world = DAffine3::from_translation(self.tri_mesh.offset());
        let placement = Placement::new(world, self.tri_mesh.bounds()).ok()?;
        LocalRay::new(&placement.frame, &ray)
    }

    /// The texture coordinates of a hit, interpolated by its barycentric weights; `None` if a corner has
    /// none.
    ///
    /// # Panics
    /// If `hit.triangle` is not a triangle of the mesh.
    pub fn uv(&self, hit: &Hit) -> Option<DVec2> {
        let [a, b, c] = self.tri_mesh.attributes().uvs_of(hit.triangle)?.map(|uv| uv.as_dvec2());
        Some(a + f64::from(hit.u) * (b - a) + f64::from(hit.v) * (c - a))
    }

    /// The opacity of the surface at a hit: 0 is transparent, 255 is opaque or has no mask.
    ///
    /// # Panics
    /// If `hit.triangle` is not a triangle of the mesh.
    pub fn alpha(&self, hit: &Hit) -> u8 {
        self.mask_of(hit.triangle).zip(self.uv(hit)).map_or(u8::MAX, |(mask, uv)| mask.at(uv))
    }

    fn mask_of(&self, triangle: u32) -> Option<&AlphaMask> {
        if self.alpha.is_empty() {
            return None;
        }
        let records = self.tri_mesh.records()?;
        let material = (*records.materials().get(records.polygon(triangle))?)?;
        self.alpha.get(material as usize)?.as_deref()
    }

    /// Moves the vertices to new positions and refits the hierarchy. `positions` has one entry per vertex,
    /// in the mesh's own space.
    ///
    /// O(n), cheaper than a new build. [`RefitReport::rebuild_pays`] says whether a rebuild would pay off.
    ///
    /// # Errors
    /// A wrong number of positions, or a position that is not finite. The mesh is then unchanged.
    pub fn refit<P: Into<[f32; 3]>>(
        &mut self,
        positions: impl IntoIterator<Item = P>,
    ) -> Result<RefitReport, MeshError> {
        let tri_mesh = self.tri_mesh.with_positions(positions)?;
        Ok(self.refit_to(tri_mesh))
    }

    /// [`refit`](Self::refit) to a mesh with the same triangles and other positions.
    pub(crate) fn refit_to(&mut self, tri_mesh: TriMesh) -> RefitReport {
        self.tri_mesh = tri_mesh;
        self.follow(|bvh, tri_mesh| bvh.refit(tri_mesh).expect("the triangles are the same"))
    }

    /// Edits the mesh, and lets the hierarchy [follow](MeshBvh::update).
    ///
    /// The hierarchy follows at the cost of what changed. A shared hierarchy is copied first, and the parts for world boxes are found anew:
    /// O(n) over the vertices, a millisecond for a million.
    ///
    /// # Errors
    /// Those of `change`. What it edited before the error stays edited, and the hierarchy follows.
    #[expect(clippy::missing_panics_doc, reason = "the editor knows what it changed")]
    pub fn edit(
        &mut self,
        change: impl FnOnce(&mut MeshEditor<'_>) -> Result<(), EditError>,
    ) -> Result<RefitReport, EditError> {
        let mut editor = MeshEditor::new(&mut self.tri_mesh);
        let result = change(&mut editor);
        let edit = editor.finish();
        if edit.is_empty() {
            result?;
        }
        let report = self.follow(|bvh, tri_mesh| {
            bvh.update(tri_mesh, &edit).expect("the editor knows what it changed")
        });
        result.map(|()| report)
    }

    /// Lets the hierarchy follow the mesh, and all that follows from it.
    fn follow(
        &mut self,
        update: impl FnOnce(&mut MeshBvh, &TriMesh) -> RefitReport,
    ) -> RefitReport {
        // Drop first what shares the hierarchy, which `make_mut` would then copy.
        self.winding = OnceLock::new();
        self.instanced = Arc::default();
        let bvh = Arc::make_mut(&mut self.bvh);
        let report = update(bvh, &self.tri_mesh);
        self.parts = parts(&self.tri_mesh, bvh);
        self.instanced = Arc::new(InstancedMesh::new(self.bvh.clone()));
        report
    }
}

/// The hierarchy was not built from the mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the hierarchy belongs to another mesh; build it from this mesh")]
pub struct MeshMismatch;

#[cfg(test)]
mod tests {
    /// Threads that build a tree take up other work of their pool meanwhile, which must not wait for that tree.
    #[test]
    #[cfg(feature = "parallel")]
    fn threads_of_a_pool_may_all_ask_first_for_the_winding_tree() {
        use hitscan_primitives::generate;
        use rayon::prelude::*;

        use super::*;

        let ball = generate::sphere(1.0, 20_000).expect("an ordinary size");
        let mesh = Mesh::new(ball, &BuildOptions::default());
        let pool = rayon::ThreadPoolBuilder::new().num_threads(8).build().expect("eight threads");
        for _ in 0..30 {
            let fresh = Mesh { winding: OnceLock::new(), ..mesh.clone() };
            let addresses: Vec<usize> = pool.install(|| {
                let all = (0..64).into_par_iter();
                all.map(|_| std::ptr::from_ref(fresh.winding_tree()).addr()).collect()
            });
            assert!(addresses.iter().all(|&address| address == addresses[0]));
        }
    }
}
