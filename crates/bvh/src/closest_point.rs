//! The point of the surface nearest to a given one.

use std::ops::ControlFlow;

use glam::{DVec3, Vec3};
use hitscan_primitives::{SurfacePoint, TrianglePoint, closest_point_on_triangle};

use crate::{
    MeshBvh,
    visit::{triangles_of, walk},
    wide::TriangleBlock,
};

/// Eight boxes, transposed as in a node: least and greatest coordinates per axis.
type EightBoxes = [[[f32; 8]; 2]; 3];

impl MeshBvh {
    /// The point of the surface nearest to `point`, if it is within `max_distance`, inclusive; both in
    /// the mesh's own space.
    ///
    /// It has the least `(distance, triangle)` over all triangles of one function,
    /// [`closest_point_on_triangle`], and equals
    /// [`brute_force::closest_point`](hitscan_primitives::brute_force::closest_point) to the last bit.
    /// A triangle of zero area is found as the segment or point that it is. A point that is not finite,
    /// and a distance that is negative or NaN, give `None`.
    ///
    /// O(log n) for points near the surface; for those far inside a round shape, which are about as
    /// far from all of it, up to O(n).
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
        let from = point.as_dvec3() * self.scale;
        let limit = (max_distance * self.scale).powi(2);
        let mut closest: Option<(u32, TrianglePoint)> = None;
        let _: ControlFlow<()> = walk(
            &self.nodes,
            limit,
            |node| distances_squared(&node.bounds, from),
            |blocks, mut limit| {
                self.leaves.each_block(blocks, |block| {
                    limit = search(block, from, limit, &mut closest);
                });
                ControlFlow::Continue(limit)
            },
        );
        closest.map(|(triangle, found)| SurfacePoint::new(triangle, &found, self.scale))
    }
}

/// Looks for the closest point in a block, within the limit on the square of its distance; the limit
/// from there on.
fn search(
    block: &TriangleBlock,
    from: DVec3,
    mut limit: f64,
    closest: &mut Option<(u32, TrianglePoint)>,
) -> f64 {
    // A triangle is not nearer than its own box, also as computed.
    let boxes = block.corners.iter().fold([[[f32::INFINITY; 8], [f32::NEG_INFINITY; 8]]; 3], grown);
    let distances = distances_squared(&boxes, from);
    for (lane, triangle, corners) in triangles_of(block) {
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

/// The boxes grown by one point each.
fn grown(mut boxes: EightBoxes, points: &[[f32; 8]; 3]) -> EightBoxes {
    for (axis, [min, max]) in boxes.iter_mut().enumerate() {
        for lane in 0..8 {
            let x = points[axis][lane];
            min[lane] = if x < min[lane] { x } else { min[lane] };
            max[lane] = if x > max[lane] { x } else { max[lane] };
        }
    }
    boxes
}

/// [`distance_squared_to_box`](hitscan_primitives::distance_squared_to_box) of eight boxes: the same
/// operations in the same order.
fn distances_squared(boxes: &EightBoxes, from: DVec3) -> [f64; 8] {
    let mut squares = [0.0; 8];
    for (axis, [min, max]) in boxes.iter().enumerate() {
        let from = from[axis];
        for lane in 0..8 {
            let (before, behind) = (f64::from(min[lane]) - from, from - f64::from(max[lane]));
            // Not `f64::max`, whose care for NaN keeps the loop from vector instructions.
            let gap = if before > behind { before } else { behind };
            let gap = if gap > 0.0 { gap } else { 0.0 };
            squares[lane] += gap * gap;
        }
    }
    squares
}
