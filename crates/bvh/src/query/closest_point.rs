//! The closest point of the surface.

use glam::{DVec3, Vec3};
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
        self.closest_point_near(Vec3::from_array(point.into()), max_distance, &mut None)
    }

    /// [`closest_point`](Self::closest_point), given a point of the surface that is likely to be close, in the tree's space.
    /// Leaves the answer there.
    pub(super) fn closest_point_near(
        &self,
        point: Vec3,
        max_distance: f64,
        near: &mut Option<DVec3>,
    ) -> Option<SurfacePoint> {
        // In this form a NaN is rejected.
        let is_searched = point.is_finite() && max_distance >= 0.0;
        if !is_searched {
            return None;
        }
        let (tree, from) = (&self.tree, point.as_dvec3() * self.tree.scale);
        let within =
            |max_distance_squared| self.isa.run(ClosestPoint { tree, from, max_distance_squared });
        let limit = (max_distance * tree.scale).powi(2);
        // A little more, for the rounding of the point.
        let bound = near.map_or(f64::INFINITY, |near| 1.000_001 * from.distance_squared(near));
        // If rounding moved the point by more than that, nothing may be as close.
        let nearest =
            if bound < limit { within(bound).or_else(|| within(limit)) } else { within(limit) };
        let (triangle, found) = nearest?;
        *near = Some(found.point);
        Some(SurfacePoint::new(triangle, &found, tree.scale))
    }
}
