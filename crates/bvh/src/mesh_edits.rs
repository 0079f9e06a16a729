//! A hierarchy that follows the edits of its mesh.

use hitscan_primitives::{MeshEdit, TriMesh};
use thiserror::Error;

use crate::{
    mesh_bvh::MeshBvh,
    options::{BuildOptions, Layout},
    platform::large_pages::make_room,
    refit::RefitReport,
    scaled_mesh::ScaledMesh,
    update::{Links, apply, must_start_over},
};

/// Edits of the mesh.
impl MeshBvh {
    /// Follows an edit of the mesh, at the cost of what it changed: some microseconds for a triangle, and no other threads. Queries give
    /// the answers of a fresh build, to the last bit. `mesh` is as it is after the edit.
    ///
    /// Moved triangles keep their leaf if it does not grow much. Others go where the tree grows least, one path from the root for
    /// each. Nodes that cost a ray a quarter more than when they were built are built anew: at most two triangles for each that changed, and
    /// 4096 that earlier edits left over. An edit of more than a quarter of the triangles is a [`refit`](Self::refit) if their number
    /// stays, else a [`build`](Self::build). A build also follows when as many triangles came as the tree was built over, when
    /// two thirds of them went, or when the mesh needs another [`query_scale`](TriMesh::query_scale).
    ///
    /// The first edit takes some 5 bytes per triangle, room for an eighth more of nodes and blocks, and O(n) time: see
    /// [`prepare_updates`](Self::prepare_updates). Split triangles that change become whole.
    ///
    /// For editors that sculpt, extrude and delete. See also [`refit`](Self::refit), which moves all triangles in less time each.
    ///
    /// ```
    /// use hitscan_bvh::{BuildOptions, MeshBvh};
    /// use hitscan_primitives::{Faces, Ray, generate};
    ///
    /// let mut mesh = generate::sphere(1.0, 2000)?;
    /// let mut bvh = MeshBvh::build(&mesh, &BuildOptions::default());
    ///
    /// let edit = mesh.append([[2.0, 0.0, -1.0], [2.0, 1.0, 1.0], [2.0, -1.0, 1.0]], &[])?;
    /// bvh.update(&mesh, &edit)?;
    /// let n = mesh.positions().len() as u32;
    /// let edit = mesh.append([[0.0; 3]; 0], &[[n - 3, n - 2, n - 1]])?;
    /// bvh.update(&mesh, &edit)?;
    ///
    /// let ray = Ray::new([3.0, 0.0, 0.0], [-1.0, 0.0, 0.0]);
    /// assert_eq!(bvh.closest_hit(&ray, Faces::Both).map(|hit| hit.t), Some(1.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// An edit from another number of triangles than the hierarchy has, or to another one than the mesh has. Nothing has changed then.
    pub fn update(&mut self, mesh: &TriMesh, edit: &MeshEdit) -> Result<RefitReport, UpdateError> {
        if edit.n_before() != self.n_triangles {
            let (found, expected) = (edit.n_before(), self.n_triangles);
            return Err(UpdateError::Before { found, expected });
        }
        if edit.n_after() != mesh.triangles().len() {
            let (found, expected) = (edit.n_after(), mesh.triangles().len());
            return Err(UpdateError::After { found, expected });
        }
        let scaled = ScaledMesh::new(mesh);
        if must_start_over(&self.tree, self.links.as_deref(), &scaled, edit) {
            return Ok(self.start_over(mesh, edit));
        }
        let mut links = self.ready_links();
        apply(&mut self.tree, &mut links, &scaled, edit, self.isa);
        (self.n_triangles, self.bounds) = (edit.n_after(), mesh.bounds());
        let cost_now = links.cost(&self.tree);
        self.links = Some(links);
        Ok(RefitReport { cost_when_built: self.built_cost, cost_now })
    }

    /// Follows an edit by a refit or a build.
    fn start_over(&mut self, mesh: &TriMesh, edit: &MeshEdit) -> RefitReport {
        if edit.n_before() == edit.n_after()
            && let Ok(report) = self.refit(mesh)
        {
            return report;
        }
        let layout = if edit.n_before() > 0 { self.layout() } else { Layout::Auto };
        let options = BuildOptions { quality: self.quality, layout, isa: self.isa };
        *self = Self::build(mesh, &options);
        RefitReport { cost_when_built: self.built_cost, cost_now: self.built_cost }
    }

    /// Makes ready for the first [`update`](Self::update), which else does so itself. O(n).
    ///
    /// For editors that know that an edit will come.
    pub fn prepare_updates(&mut self) {
        self.links = Some(self.ready_links());
    }

    /// Takes the links, or makes them, with room for edits.
    fn ready_links(&mut self) -> Box<Links> {
        if let Some(links) = self.links.take() {
            return links;
        }
        let n_nodes = self.tree.nodes.len();
        make_room(&mut self.tree.nodes, n_nodes / 8);
        self.tree.leaves.make_room_for_edits();
        Box::new(Links::new(&self.tree, self.n_triangles))
    }
}

/// The reason why a hierarchy does not follow an edit. Nothing has changed then.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum UpdateError {
    /// The edit starts with another number of triangles.
    #[error("an edit of {found} triangles for a hierarchy over {expected}")]
    Before {
        /// The number that the edit starts with.
        found: usize,
        /// The number in the hierarchy.
        expected: usize,
    },
    /// The edit ends with another number of triangles.
    #[error("an edit that leads to {found} triangles, the mesh has {expected}")]
    After {
        /// The number that the edit ends with.
        found: usize,
        /// The number in the mesh.
        expected: usize,
    },
}
