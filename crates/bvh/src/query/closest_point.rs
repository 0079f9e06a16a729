//! The closest point of the surface.

use std::ops::ControlFlow;

use glam::{DVec3, Vec3};
use hitscan_primitives::{SurfacePoint, TrianglePoint, closest_point_on_triangle};

use super::visit_nodes::visit_nodes;
use crate::{layout::TriangleBlock, mesh_bvh::MeshBvh, simd::LANES};

/// Boxes in lanes, transposed as in a node: minimum and maximum coordinates per axis.
type BoxLanes = [[[f32; LANES]; 2]; 3];

impl MeshBvh {
    /// The point of the surface closest to `point`, if it is within `max_distance`, inclusive. Both are
    /// in the mesh's own space.
    ///
    /// It minimizes `(distance, triangle)` over all triangles, by [`closest_point_on_triangle`], and
    /// equals [`brute_force::closest_point`](hitscan_primitives::brute_force::closest_point) to the last
    /// bit. A triangle of zero area counts as the segment or point that it is. `None` if `point` is not
    /// finite, or `max_distance` negative or NaN.
    ///
    /// O(log n) for points near the surface. Up to O(n) for points deep inside a round shape, where all
    /// of the surface is about equally far.
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
        let mut closest: Option<(u32, TrianglePoint)> = None;
        let _: ControlFlow<()> = visit_nodes(
            &self.tree.nodes,
            limit,
            |node| distances_squared(&node.bounds, from),
            |blocks, mut limit| {
                self.tree.leaves.each_block(blocks, |block| {
                    limit = search(block, from, limit, &mut closest);
                });
                ControlFlow::Continue(limit)
            },
        );
        closest.map(|(triangle, found)| SurfacePoint::new(triangle, &found, self.tree.scale))
    }
}

/// Searches a block for the closest point within `limit`, a squared distance. Returns the next limit.
fn search(
    block: &TriangleBlock,
    from: DVec3,
    mut limit: f64,
    closest: &mut Option<(u32, TrianglePoint)>,
) -> f64 {
    // A triangle is not nearer than its own box, also after rounding.
    let boxes =
        block.corners.iter().fold([[[f32::INFINITY; LANES], [f32::NEG_INFINITY; LANES]]; 3], grown);
    let distances = distances_squared(&boxes, from);
    for (lane, triangle, corners) in block.triangles() {
        if distances[lane] > limit {
            continue;
        }
        let found = closest_point_on_triangle(corners, from);
        let distance = found.distance_squared;
        let comes_first = match *closest {
            Some((other, _)) => distance < limit || (distance == limit && triangle < other),
            None => distance <= limit,
        };
        if comes_first {
            limit = distance;
            *closest = Some((triangle, found));
        }
    }
    limit
}

/// Grows each box by a point.
fn grown(mut boxes: BoxLanes, points: &[[f32; LANES]; 3]) -> BoxLanes {
    for (axis, [min, max]) in boxes.iter_mut().enumerate() {
        for lane in 0..LANES {
            let x = points[axis][lane];
            min[lane] = if x < min[lane] { x } else { min[lane] };
            max[lane] = if x > max[lane] { x } else { max[lane] };
        }
    }
    boxes
}

/// [`distance_squared_to_box`](hitscan_primitives::distance_squared_to_box) of each lane: the same
/// operations in the same order.
fn distances_squared(boxes: &BoxLanes, from: DVec3) -> [f64; LANES] {
    let mut squares = [0.0; LANES];
    for (axis, [min, max]) in boxes.iter().enumerate() {
        let from = from[axis];
        for lane in 0..LANES {
            let (before, behind) = (f64::from(min[lane]) - from, from - f64::from(max[lane]));
            // Not `f64::max`, whose handling of NaN keeps the loop from vector instructions.
            let gap = if before > behind { before } else { behind };
            let gap = if gap > 0.0 { gap } else { 0.0 };
            squares[lane] += gap * gap;
        }
    }
    squares
}
