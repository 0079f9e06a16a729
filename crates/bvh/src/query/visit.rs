//! Traversal by the caller's own tests of boxes.

use std::{collections::HashSet, ops::ControlFlow};

use glam::Vec3;
use hitscan_primitives::Aabb;

use super::visit_nodes::{slot_keys, visit_nodes};
use crate::{
    layout::{TriangleBlock, WideNode},
    mesh_bvh::MeshBvh,
};

impl MeshBvh {
    /// Visits the triangles in all boxes that the caller enters, in an order that depends on the tree.
    ///
    /// `enter` decides for each box whether to look below it. `found` receives each triangle below the
    /// entered boxes once and ends the traversal with [`ControlFlow::Break`]. No test rejects a
    /// triangle, and those of zero area are among them.
    ///
    /// Boxes are in the mesh's own space. A box holds all triangles below it, with a margin of some
    /// millionths of the largest coordinate. Of a split triangle ([`BvhStats::n_split`](crate::BvhStats)) it
    /// holds the part below it. `found` receives the triangle below the first entered box of a part. `enter`
    /// sees all boxes of a node before one of them is entered: about eight calls per entered node.
    ///
    /// For regions and shapes of the caller. See also
    /// [`overlapping_convex_into`](Self::overlapping_convex_into), which needs no test of the caller, and
    /// [`BoxBvh`](crate::BoxBvh), for things that are no triangles.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    ///
    /// use hitscan_bvh::{BuildOptions, MeshBvh};
    /// use hitscan_primitives::generate;
    ///
    /// let mesh = generate::grid(10.0, 10.0, 1000)?;
    /// let bvh = MeshBvh::build(&mesh, &BuildOptions::default());
    /// // Triangles with a corner left of x = -4.
    /// let mut left = vec![];
    /// let done: ControlFlow<()> = bvh.visit(
    ///     |bounds| bounds.min.x < -4.0,
    ///     |triangle| {
    ///         if mesh.corners(triangle).iter().any(|corner| corner.x < -4.0) {
    ///             left.push(triangle);
    ///         }
    ///         ControlFlow::Continue(())
    ///     },
    /// );
    /// assert!(done.is_continue() && !left.is_empty() && left.len() < 200);
    /// # Ok::<(), hitscan_primitives::generate::GenerateError>(())
    /// ```
    pub fn visit<B>(
        &self,
        mut enter: impl FnMut(&Aabb) -> bool,
        mut found: impl FnMut(u32) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        self.visit_nearest_first(
            0.0,
            |bounds| if enter(bounds) { 0.0 } else { f64::INFINITY },
            |triangle| found(triangle).map_continue(|()| 0.0),
        )
    }

    /// [`visit`](Self::visit) in the order of the caller's `distance`, for nearest-neighbour searches.
    ///
    /// A box whose `distance` is greater than the limit, or NaN, is not entered. Nearer children of a
    /// node come first. The limit starts as `limit`; each call of `found` returns the next one, which
    /// should never rise. A search is complete if the distance of a box is at most that of every point of
    /// the surface in it.
    ///
    /// See also [`closest_point`](Self::closest_point), for the distance to a point.
    pub fn visit_nearest_first<B>(
        &self,
        limit: f64,
        mut distance: impl FnMut(&Aabb) -> f64,
        mut found: impl FnMut(u32) -> ControlFlow<B, f64>,
    ) -> ControlFlow<B> {
        let split = &self.tree.split;
        let mut seen = HashSet::new();
        visit_nodes(
            |index| &self.tree.nodes[index],
            limit,
            |node| slot_keys(node, |slot| distance(&self.unscaled_bounds(node, slot))),
            |blocks, mut limit| {
                for &triangle in blocks.flat_map(|block| self.tree.leaves.triangles(block)) {
                    let is_copy = split.contains(triangle) && !seen.insert(triangle);
                    if triangle != TriangleBlock::NO_TRIANGLE && !is_copy {
                        limit = found(triangle)?;
                    }
                }
                ControlFlow::Continue(limit)
            },
        )
    }

    /// The box of a child in the mesh's own space. Rounding is monotone and returns every corner
    /// unchanged, so the box still holds them.
    pub(super) fn unscaled_bounds(&self, node: &WideNode, slot: usize) -> Aabb {
        let bounds = node.child_bounds(slot);
        if !self.tree.is_scaled() {
            return bounds;
        }
        let unscaled = |corner: Vec3| (corner.as_dvec3() / self.tree.scale).as_vec3();
        Aabb { min: unscaled(bounds.min), max: unscaled(bounds.max) }
    }
}
