//! Closest hits with the corners of their triangles.

use glam::Vec3;
use hitscan_primitives::{Faces, Hit, Ray, TriMesh};

use crate::{kernel::ClosestPlace, mesh_bvh::MeshBvh, traverse::answer};

impl MeshBvh {
    /// [`closest_hit`](Self::closest_hit) with the corners of the triangle. `mesh` is that of the tree.
    ///
    /// For a normal with each hit. The corners come from the leaf that the query has just read. Those in a large mesh
    /// would have to come from memory.
    ///
    /// ```
    /// use hitscan_bvh::{BuildOptions, MeshBvh};
    /// use hitscan_primitives::{Faces, Ray, generate};
    ///
    /// let mesh = generate::cuboid(2.0, 2.0, 2.0, 0)?;
    /// let bvh = MeshBvh::build(&mesh, &BuildOptions::default());
    /// let ray = Ray::new([0.1, 0.2, 5.0], [0.0, 0.0, -1.0]);
    /// let (hit, [a, b, c]) = bvh.closest_hit_with_corners(&mesh, &ray, Faces::Both).expect("a hit");
    /// assert_eq!([a, b, c], mesh.corners(hit.triangle));
    /// assert!((b - a).cross(c - a).z > 0.0);
    /// # Ok::<(), hitscan_primitives::generate::GenerateError>(())
    /// ```
    ///
    /// # Panics
    /// If `mesh` has fewer triangles than the tree, and is of extreme size.
    // Inlined, so that only crates that call it compile its kernels, and the corners stay in registers.
    #[inline(always)]
    pub fn closest_hit_with_corners(
        &self,
        mesh: &TriMesh,
        ray: &Ray,
        faces: Faces,
    ) -> Option<(Hit, [Vec3; 3])> {
        let (hit, position) = answer::<ClosestPlace>(&self.tree, self.isa, ray, faces)?;
        // Scaled corners may have lost their last bits.
        let corners = if self.tree.is_scaled() {
            mesh.corners(hit.triangle)
        } else {
            self.tree.leaves.corners(position)
        };
        Some((hit, corners))
    }
}
