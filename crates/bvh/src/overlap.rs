//! The triangles that touch a box, a ball or a convex region.

use std::ops::ControlFlow;

use glam::DVec3;
use hitscan_primitives::{
    Aabb, ConvexRegion, Sphere, closest_point_on_triangle, distance_squared_to_box,
    triangle_overlaps_box,
};

use crate::{
    MeshBvh,
    visit::{keys_of, triangles_of, walk},
    wide::TriangleBlock,
};

/// Overlap with regions in the mesh's own space. All regions are closed: what touches from outside
/// overlaps. A triangle of zero area counts as the segment or point that it is. Each answer equals that
/// of the function of the same name in [`brute_force`](hitscan_primitives::brute_force).
///
/// O(log n + m) for m triangles near the region.
impl MeshBvh {
    /// The triangles that have a point in common with a box, by [`triangle_overlaps_box`], in order,
    /// into a buffer, which is cleared first. The box may be flat and may reach to infinity; one
    /// without points overlaps nothing.
    pub fn overlapping_box(&self, aabb: &Aabb, triangles: &mut Vec<u32>) {
        collect(triangles, |found| self.each_in_box(aabb, found));
    }

    /// The triangles that have a point in common with a ball, in order, into a buffer, which is
    /// cleared first: those whose nearest point, by [`closest_point_on_triangle`], is within the
    /// radius. A center that is not finite, and a radius that is negative or NaN, overlap nothing.
    pub fn overlapping_sphere(&self, sphere: &Sphere, triangles: &mut Vec<u32>) {
        collect(triangles, |found| self.each_in_sphere(sphere, found));
    }

    /// The triangles that have a point in common with a convex region, such as a view frustum, by
    /// [`ConvexRegion::overlaps_triangle`], in order, into a buffer, which is cleared first.
    pub fn overlapping_convex(&self, region: &ConvexRegion, triangles: &mut Vec<u32>) {
        collect(triangles, |found| self.each_in_convex(region, found));
    }

    /// Whether any triangle has a point in common with a box. Cheaper than asking which.
    pub fn overlaps_box(&self, aabb: &Aabb) -> bool {
        self.each_in_box(aabb, &mut |_| ControlFlow::Break(())).is_break()
    }

    /// Whether any triangle has a point in common with a ball. Cheaper than asking which.
    pub fn overlaps_sphere(&self, sphere: &Sphere) -> bool {
        self.each_in_sphere(sphere, &mut |_| ControlFlow::Break(())).is_break()
    }

    /// Whether any triangle has a point in common with a convex region. Cheaper than asking which.
    pub fn overlaps_convex(&self, region: &ConvexRegion) -> bool {
        self.each_in_convex(region, &mut |_| ControlFlow::Break(())).is_break()
    }

    /// Whether every triangle lies in a convex region whole, as by
    /// [`ConvexRegion::contains`] of all corners. `true` for a mesh without triangles.
    pub fn is_within_convex(&self, region: &ConvexRegion) -> bool {
        let region = region.scaled(self.scale);
        // Whatever is in a box that lies in the region does so too, also as computed.
        let is_doubtful = |min: DVec3, max: DVec3| !region.contains_box(min, max);
        let reaches_out =
            |corners: [DVec3; 3]| corners.iter().any(|&corner| !region.contains(corner));
        self.each(is_doubtful, reaches_out, &mut |_| ControlFlow::Break(())).is_continue()
    }

    fn each_in_box(&self, aabb: &Aabb, found: Found<'_>) -> ControlFlow<()> {
        let (min, max) = (aabb.min.as_dvec3() * self.scale, aabb.max.as_dvec3() * self.scale);
        self.each(
            |node_min, node_max| (node_min.cmple(max) & min.cmple(node_max)).all(),
            |corners| triangle_overlaps_box(corners, min, max),
            found,
        )
    }

    fn each_in_sphere(&self, sphere: &Sphere, found: Found<'_>) -> ControlFlow<()> {
        let radius = f64::from(sphere.radius) * self.scale;
        let is_ball = sphere.center.is_finite() && radius >= 0.0;
        if !is_ball {
            return ControlFlow::Continue(());
        }
        let (center, limit) = (sphere.center.as_dvec3() * self.scale, radius * radius);
        self.each(
            |min, max| distance_squared_to_box(min, max, center) <= limit,
            |corners| closest_point_on_triangle(corners, center).distance_squared <= limit,
            found,
        )
    }

    fn each_in_convex(&self, region: &ConvexRegion, found: Found<'_>) -> ControlFlow<()> {
        let region = region.scaled(self.scale);
        self.each(
            |min, max| region.may_overlap_box(min, max),
            |corners| region.overlaps_triangle(corners),
            found,
        )
    }

    /// The triangles that pass `test`, which those outside of the boxes that pass `may`
    /// do not. All in the tree's scaled space.
    fn each(
        &self,
        may: impl Fn(DVec3, DVec3) -> bool,
        test: impl Fn([DVec3; 3]) -> bool,
        found: Found<'_>,
    ) -> ControlFlow<()> {
        walk(
            &self.nodes,
            0.0,
            |node| {
                keys_of(node, |place| {
                    let bounds = node.child_bounds(place);
                    let enter = may(bounds.min.as_dvec3(), bounds.max.as_dvec3());
                    if enter { 0.0 } else { f64::INFINITY }
                })
            },
            |blocks, limit| {
                let mut room = TriangleBlock::EMPTY;
                for block in blocks {
                    let block = self.leaves.block(block, &mut room);
                    for (_, triangle, corners) in triangles_of(block) {
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

/// Takes a triangle and says whether to go on.
type Found<'a> = &'a mut dyn FnMut(u32) -> ControlFlow<()>;

/// All that a search finds, sorted.
fn collect(triangles: &mut Vec<u32>, search: impl FnOnce(Found<'_>) -> ControlFlow<()>) {
    triangles.clear();
    let _ = search(&mut |triangle| {
        triangles.push(triangle);
        ControlFlow::Continue(())
    });
    triangles.sort_unstable();
}
