//! The closest point of a scene's surfaces, in world space.

use std::ops::ControlFlow;

use glam::DVec3;
use hitscan_primitives::{TrianglePoint, closest_point_on_triangle, distance_squared_to_box};

use crate::{InstanceId, QueryOptions, Scene, scene::Record, world_mesh::WorldMesh};

/// The closest point of a scene's surfaces to a query point; see [`Scene::closest_point`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScenePoint {
    /// The instance of the surface.
    pub instance: InstanceId,
    /// The index of the triangle in [`TriMesh::triangles`](hitscan_primitives::TriMesh::triangles).
    pub triangle: u32,
    /// The point, in world space.
    pub point: DVec3,
    /// The barycentric weight of the triangle's second corner, as in [`Hit`](hitscan_primitives::Hit).
    pub u: f64,
    /// The barycentric weight of the triangle's third corner.
    pub v: f64,
    /// The distance from the query point, in world units.
    pub distance: f64,
}

impl Scene {
    /// The point of the surfaces closest to `point`, within `max_distance` inclusive; both in world space.
    ///
    /// When to use: for snapping, brushes and distances. See also
    /// [`signed_distance`](Self::signed_distance), which adds inside and outside.
    ///
    /// The answer has the minimum `(distance, instance, triangle)`, with instances in order of first
    /// insertion. Distances are in world units, even for stretched instances. The search includes both
    /// sides of all triangles of the instances that `options` includes; it ignores `options.faces`.
    ///
    /// The point is [`closest_point_on_triangle`] of the world corners, computed in f64 relative to
    /// `point`, so the tree cannot change it. A triangle of zero area counts as its segment or point
    /// ([`TriMesh::is_degenerate`](hitscan_primitives::TriMesh::is_degenerate)). `None` if `point` is not
    /// finite, or `max_distance` is negative or NaN.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hitscan_primitives::generate;
    /// use hitscan_scene::{Instance, Mesh, QueryOptions, Scene, glam::DAffine3};
    ///
    /// let cube = Arc::new(Mesh::new(generate::cuboid(2.0, 2.0, 2.0, 0)?, &Default::default()));
    /// let mut scene = Scene::new();
    /// scene.insert(Instance::new(cube, DAffine3::from_scale([3.0, 1.0, 1.0].into())))?;
    /// let closest = scene.closest_point([5.0, 0.0, 0.0], f64::INFINITY, &QueryOptions::default());
    /// assert_eq!(closest.map(|closest| closest.distance), Some(2.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn closest_point(
        &self,
        point: impl Into<[f64; 3]>,
        max_distance: f64,
        options: &QueryOptions<'_>,
    ) -> Option<ScenePoint> {
        let point = DVec3::from_array(point.into());
        // In this form a NaN is invalid.
        let is_searched = point.is_finite() && max_distance >= 0.0;
        if !is_searched {
            return None;
        }
        // Covers the rounding of differences to the point.
        let pad = 4.0 * f64::EPSILON * point.abs().max_element();
        let mut best: Option<Candidate> = None;
        let _: ControlFlow<()> = self.visit_records(
            options,
            max_distance * max_distance,
            |bounds| distance_squared_to_box(bounds.min - pad, bounds.max + pad, point),
            |record, limit| ControlFlow::Continue(search_instance(record, point, limit, &mut best)),
        );
        best.map(|Candidate { closest, instance, key: (_, triangle) }| ScenePoint {
            instance,
            triangle,
            point: point + closest.point,
            u: closest.u,
            v: closest.v,
            distance: closest.distance_squared.sqrt(),
        })
    }
}

/// The closest point of a triangle, relative to the query point.
struct Candidate {
    closest: TrianglePoint,
    instance: InstanceId,
    /// The insertion order of the instance and the index of the triangle, which decide ties.
    key: (u64, u32),
}

/// Searches one instance within the squared distance `limit`. Replaces `best` if a point comes before it,
/// and returns the new limit.
fn search_instance(
    record: &Record,
    point: DVec3,
    mut limit: f64,
    best: &mut Option<Candidate>,
) -> f64 {
    let (Some(world), Some(mesh)) = (WorldMesh::new(record, point), &record.instance.mesh) else {
        return limit;
    };
    let _: ControlFlow<()> = mesh.bvh().visit_nearest_first(
        limit,
        |bounds| {
            let bounds = world.bounds(bounds);
            distance_squared_to_box(bounds.min, bounds.max, DVec3::ZERO)
        },
        |triangle| {
            let closest = closest_point_on_triangle(world.corners(triangle), DVec3::ZERO);
            let key = (record.insertion_order, triangle);
            let comes_first = closest.distance_squared < limit
                || closest.distance_squared == limit
                    && best.as_ref().is_none_or(|best| key < best.key);
            if comes_first {
                limit = closest.distance_squared;
                *best = Some(Candidate { closest, instance: record.id, key });
            }
            ControlFlow::Continue(limit)
        },
    );
    limit
}
