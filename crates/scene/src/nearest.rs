//! The point of the surfaces nearest to a given one, in world space.

use std::ops::ControlFlow;

use glam::{DMat3, DVec3};
use hitscan_primitives::{
    Aabb, TriMesh, TrianglePoint, closest_point_on_triangle, distance_squared_to_box,
};

use crate::{InstanceId, QueryOptions, Scene, WorldBox, scene::Record};

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

/// A mesh in world space, relative to a point: small numbers are exact however far the scene is.
pub(crate) struct WorldMesh<'a> {
    pub(crate) tri_mesh: &'a TriMesh,
    linear: DMat3,
    abs_linear: DMat3,
    offset: DVec3,
}

impl<'a> WorldMesh<'a> {
    /// The mesh of an instance relative to `point`; `None` for a group.
    pub(crate) fn new(record: &'a Record, point: DVec3) -> Option<Self> {
        let world = &record.place.placement.world;
        Some(Self {
            tri_mesh: record.instance.mesh.as_ref()?.tri_mesh(),
            linear: world.matrix3,
            abs_linear: world.matrix3.abs(),
            offset: world.translation - point,
        })
    }

    /// The corners of a triangle.
    pub(crate) fn corners(&self, triangle: u32) -> [DVec3; 3] {
        let corners = self.tri_mesh.corners(triangle);
        corners.map(|corner| self.linear * corner.as_dvec3() + self.offset)
    }

    /// A box around all [`corners`](Self::corners) of triangles in a box of the mesh's own space, as
    /// they are computed.
    pub(crate) fn bounds(&self, local: &Aabb) -> WorldBox {
        // Fifteen roundings at most, of numbers that are at most `reach`.
        const SHARE: f64 = 32.0 * f64::EPSILON;
        let (min, max) = (local.min.as_dvec3(), local.max.as_dvec3());
        let (center, half) = (0.5 * (min + max), 0.5 * (max - min));
        let reach = self.abs_linear * (center.abs() + half) + self.offset.abs();
        let center = self.linear * center + self.offset;
        let half = self.abs_linear * half + SHARE * reach;
        WorldBox { min: center - half, max: center + half }
    }
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
                        let place = (record.order, triangle);
                        let comes_first = found.distance_squared < limit
                            || found.distance_squared == limit
                                && best.as_ref().is_none_or(|(_, other, of_other)| {
                                    place < (other.order, *of_other)
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
