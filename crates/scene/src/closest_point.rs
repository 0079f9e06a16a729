//! The point of the surfaces nearest to a given one, in world space.

use std::ops::ControlFlow;

use glam::DVec3;
use hitscan_primitives::{TrianglePoint, closest_point_on_triangle, distance_squared_to_box};

use crate::{InstanceId, QueryOptions, Scene, scene::Record, world_mesh::WorldMesh};

/// The point of a scene's surfaces nearest to a given one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScenePoint {
    /// The instance.
    pub instance: InstanceId,
    /// The triangle, by its place in the mesh.
    pub triangle: u32,
    /// The point, in world space.
    pub point: DVec3,
    /// Weight of the triangle's second corner, as in [`Hit`](hitscan_primitives::Hit).
    pub u: f64,
    /// Weight of the triangle's third corner.
    pub v: f64,
    /// How far the point is, in world units.
    pub distance: f64,
}

impl Scene {
    /// The point of the surfaces nearest to `point` in world space, if it is within `max_distance`,
    /// inclusive: of all triangles that are seen with these options (both their sides) the one with the
    /// least `(distance, instance, triangle)`, instances in the order of first insertion. Distances are
    /// those in the world, whatever stretches the instances.
    ///
    /// It is [`closest_point_on_triangle`] of the corners in the world, taken in f64 relative to
    /// `point`, and the same for every tree. A triangle of zero area is found as the segment or point
    /// that it is ([`TriMesh::is_degenerate`]). From a point that is not finite, and within a distance
    /// that is negative or NaN, nothing is found.
    pub fn closest_point(
        &self,
        point: impl Into<[f64; 3]>,
        max_distance: f64,
        options: &QueryOptions<'_>,
    ) -> Option<ScenePoint> {
        let point = DVec3::from_array(point.into());
        // In this form a NaN is rejected.
        let is_searched = point.is_finite() && max_distance >= 0.0;
        if !is_searched {
            return None;
        }
        // For the rounding of differences to the point.
        let pad = 4.0 * f64::EPSILON * point.abs().max_element();
        let mut best: Option<(TrianglePoint, &Record, u32)> = None;
        let _: ControlFlow<()> = self.visit_records(
            options,
            max_distance * max_distance,
            |bounds| distance_squared_to_box(bounds.min - pad, bounds.max + pad, point),
            |record, limit| {
                let record = self.at(record.id.index);
                let (Some(world), Some(mesh)) =
                    (WorldMesh::new(record, point), &record.instance.mesh)
                else {
                    return ControlFlow::Continue(limit);
                };
                let mut limit = limit;
                let _: ControlFlow<()> = mesh.bvh().visit_nearest_first(
                    limit,
                    |bounds| {
                        let bounds = world.bounds(bounds);
                        distance_squared_to_box(bounds.min, bounds.max, DVec3::ZERO)
                    },
                    |triangle| {
                        let found = closest_point_on_triangle(world.corners(triangle), DVec3::ZERO);
                        let key = (record.insertion_order, triangle);
                        let comes_first = found.distance_squared < limit
                            || found.distance_squared == limit
                                && best.as_ref().is_none_or(|(_, other, other_triangle)| {
                                    key < (other.insertion_order, *other_triangle)
                                });
                        if comes_first {
                            limit = found.distance_squared;
                            best = Some((found, record, triangle));
                        }
                        ControlFlow::Continue(limit)
                    },
                );
                ControlFlow::Continue(limit)
            },
        );
        best.map(|(found, record, triangle)| ScenePoint {
            instance: record.id,
            triangle,
            point: point + found.point,
            u: found.u,
            v: found.v,
            distance: found.distance_squared.sqrt(),
        })
    }
}
