//! The triangles that touch a box, a ball or a convex region.

use std::ops::ControlFlow;

use glam::DVec3;
use hitscan_primitives::{
    Aabb, ConvexRegion, Sphere, closest_point_on_triangle, distance_squared_to_box,
    triangle_overlaps_box,
};

use super::visit_nodes::{slot_keys, visit_nodes};
use crate::{layout::TriangleBlock, mesh_bvh::MeshBvh};

/// Overlap with regions in the mesh's own space. All regions are closed, so a touching triangle
/// overlaps. A triangle of zero area counts as the segment or point that it is. Each answer equals that
/// of the function of the same name, without `_into`, in
/// [`brute_force`](hitscan_primitives::brute_force).
///
/// O(log n + m) for m triangles near the region. Queries with `_into` clear the buffer, then fill it with
/// indices in ascending order.
impl MeshBvh {
    /// Finds the triangles that share a point with a box, by [`triangle_overlaps_box`]. The box may be
    /// flat or infinite. An empty box overlaps nothing.
    ///
    /// For regions along the axes. See also [`overlaps_box`](Self::overlaps_box), if any triangle will do.
    pub fn overlapping_box_into(&self, aabb: &Aabb, triangles: &mut Vec<u32>) {
        collect_sorted(triangles, |found| self.each_in_box(aabb, found));
    }

    /// Finds the triangles that share a point with a ball: their closest point, by
    /// [`closest_point_on_triangle`], is within the radius. A ball overlaps nothing if its center is not
    /// finite, or its radius negative or NaN.
    ///
    /// For brushes and everything within a distance. See also [`closest_point`](Self::closest_point), for the
    /// nearest.
    pub fn overlapping_sphere_into(&self, sphere: &Sphere, triangles: &mut Vec<u32>) {
        collect_sorted(triangles, |found| self.each_in_sphere(sphere, found));
    }

    /// Finds the triangles that share a point with a convex region, such as a view frustum, by
    /// [`ConvexRegion::overlaps_triangle`].
    ///
    /// For marquees and frustums. See also [`is_within_convex`](Self::is_within_convex), for a mesh that lies
    /// inside as a whole.
    pub fn overlapping_convex_into(&self, region: &ConvexRegion, triangles: &mut Vec<u32>) {
        collect_sorted(triangles, |found| self.each_in_convex(region, found));
    }

    /// Whether any triangle shares a point with a box. Cheaper than finding which.
    ///
    /// See also [`overlapping_box_into`](Self::overlapping_box_into).
    pub fn overlaps_box(&self, aabb: &Aabb) -> bool {
        self.each_in_box(aabb, &mut |_| ControlFlow::Break(())).is_break()
    }

    /// Whether any triangle shares a point with a ball. Cheaper than finding which.
    ///
    /// For collisions with a ball. See also [`overlapping_sphere_into`](Self::overlapping_sphere_into).
    pub fn overlaps_sphere(&self, sphere: &Sphere) -> bool {
        self.each_in_sphere(sphere, &mut |_| ControlFlow::Break(())).is_break()
    }

    /// Whether any triangle shares a point with a convex region. Cheaper than finding which.
    ///
    /// For culling that must be exact. See also [`overlapping_convex_into`](Self::overlapping_convex_into).
    pub fn overlaps_convex(&self, region: &ConvexRegion) -> bool {
        self.each_in_convex(region, &mut |_| ControlFlow::Break(())).is_break()
    }

    /// Whether a convex region contains every corner of every triangle, by [`ConvexRegion::contains`].
    /// `true` for a mesh without triangles.
    ///
    /// For a selection of whole objects. See also [`overlaps_convex`](Self::overlaps_convex), for objects that
    /// the region touches.
    pub fn is_within_convex(&self, region: &ConvexRegion) -> bool {
        let region = region.scaled(self.tree.scale);
        // A region that contains a box contains all corners in it, also after rounding.
        let is_doubtful = |min: DVec3, max: DVec3| !region.contains_box(min, max);
        let reaches_out =
            |corners: [DVec3; 3]| corners.iter().any(|&corner| !region.contains(corner));
        self.each(is_doubtful, reaches_out, &mut |_| ControlFlow::Break(())).is_continue()
    }

    fn each_in_box(&self, aabb: &Aabb, found: OnTriangle<'_>) -> ControlFlow<()> {
        let (min, max) =
            (aabb.min.as_dvec3() * self.tree.scale, aabb.max.as_dvec3() * self.tree.scale);
        self.each(
            |node_min, node_max| (node_min.cmple(max) & min.cmple(node_max)).all(),
            |corners| triangle_overlaps_box(corners, min, max),
            found,
        )
    }

    fn each_in_sphere(&self, sphere: &Sphere, found: OnTriangle<'_>) -> ControlFlow<()> {
        let radius = f64::from(sphere.radius) * self.tree.scale;
        let is_ball = sphere.center.is_finite() && radius >= 0.0;
        if !is_ball {
            return ControlFlow::Continue(());
        }
        let (center, limit) = (sphere.center.as_dvec3() * self.tree.scale, radius * radius);
        self.each(
            |min, max| distance_squared_to_box(min, max, center) <= limit,
            |corners| closest_point_on_triangle(corners, center).distance_squared <= limit,
            found,
        )
    }

    fn each_in_convex(&self, region: &ConvexRegion, found: OnTriangle<'_>) -> ControlFlow<()> {
        let region = region.scaled(self.tree.scale);
        self.each(
            |min, max| region.may_overlap_box(min, max),
            |corners| region.overlaps_triangle(corners),
            found,
        )
    }

    /// Reports every triangle that passes `test`. `may` must accept every box that contains such a
    /// triangle. Corners and boxes are in the tree's scaled space.
    fn each(
        &self,
        may: impl Fn(DVec3, DVec3) -> bool,
        test: impl Fn([DVec3; 3]) -> bool,
        found: OnTriangle<'_>,
    ) -> ControlFlow<()> {
        visit_nodes(
            |index| &self.tree.nodes[index],
            0.0,
            |node| {
                slot_keys(node, |slot| {
                    let bounds = node.child_bounds(slot);
                    let enter = may(bounds.min.as_dvec3(), bounds.max.as_dvec3());
                    if enter { 0.0 } else { f64::INFINITY }
                })
            },
            |blocks, limit| {
                let mut scratch = TriangleBlock::EMPTY;
                for block in blocks {
                    let block = self.tree.leaves.block(block, &mut scratch);
                    for (_, triangle, corners) in block.triangles() {
                        if test(corners) {
                            found(triangle)?;
                        }
                    }
                }
                ControlFlow::Continue(limit)
            },
        )
    }
}

/// Receives a triangle and returns whether to continue.
type OnTriangle<'a> = &'a mut dyn FnMut(u32) -> ControlFlow<()>;

/// Collects the triangles of a search, sorted.
fn collect_sorted(
    triangles: &mut Vec<u32>,
    search: impl FnOnce(OnTriangle<'_>) -> ControlFlow<()>,
) {
    triangles.clear();
    let _ = search(&mut |triangle| {
        triangles.push(triangle);
        ControlFlow::Continue(())
    });
    triangles.sort_unstable();
    // A split triangle stands in several leaves.
    triangles.dedup();
}
