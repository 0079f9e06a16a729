//! The closest point of the surface.

use glam::Vec3;
use hitscan_primitives::SurfacePoint;

use crate::{mesh_bvh::MeshBvh, traverse::ClosestPoint};

impl MeshBvh {
    /// The point of the surface closest to `point`, if it is within `max_distance`, inclusive. Both are
    /// in the mesh's own space.
    ///
    /// It minimizes `(distance, triangle)` over all triangles, by
    /// [`closest_point_on_triangle`](hitscan_primitives::closest_point_on_triangle), and
    /// equals [`brute_force::closest_point`](hitscan_primitives::brute_force::closest_point) to the last
    /// bit. A triangle of zero area counts as the segment or point that it is. `None` if `point` is not
    /// finite, or `max_distance` negative or NaN.
    ///
    /// O(log n) for points near the surface. Up to O(n) for points deep inside a round shape, where all
    /// of the surface is about equally far.
    ///
    /// For snapping, distances and projections. See also
    /// [`WindingTree::signed_distance`](crate::WindingTree::signed_distance), for the side of the surface, and
    /// [`overlapping_sphere_into`](Self::overlapping_sphere_into), for all triangles within a distance.
    ///
    /// ```
    /// use hitscan_bvh::{BuildOptions, MeshBvh};
    /// use hitscan_primitives::generate;
    ///
    /// let mesh = generate::cuboid(2.0, 2.0, 2.0, 3)?;
    /// let bvh = MeshBvh::build(&mesh, &BuildOptions::default());
    /// let found = bvh.closest_point([0.3, 0.1, 1.5], f64::INFINITY).expect("there is a surface");
    /// assert_eq!(found.distance, 0.5);
    /// assert_eq!(bvh.closest_point([0.3, 0.1, 1.5], 0.4), None);
    /// # Ok::<(), hitscan_primitives::generate::GenerateError>(())
    /// ```
    pub fn closest_point(
        &self,
        point: impl Into<[f32; 3]>,
        max_distance: f64,
    ) -> Option<SurfacePoint> {
        let point = Vec3::from_array(point.into());
        // In this form a NaN is rejected.
        let is_searched = point.is_finite() && max_distance >= 0.0;
        if !is_searched {
            return None;
        }
        let from = point.as_dvec3() * self.tree.scale;
        let limit = (max_distance * self.tree.scale).powi(2);
        let search = ClosestPoint { tree: &self.tree, from, max_distance_squared: limit };
        let closest = self.isa.run(search);
        closest.map(|(triangle, found)| SurfacePoint::new(triangle, &found, self.tree.scale))
    }
}
