//! Queries for the closed meshes that contain a point.

use std::ops::ControlFlow;

use glam::DVec3;

use crate::{InstanceId, QueryOptions, Scene, WorldBox, scene::Record};

impl Scene {
    /// The instances whose closed mesh contains a point, in order of first insertion.
    ///
    /// `point` is in world space. The winding number of the mesh decides
    /// ([`WindingTree::is_inside`](hitscan_bvh::WindingTree::is_inside)), at the point in the mesh's space
    /// rounded to f32. The first query of a mesh builds its winding tree, in O(triangles). The query
    /// ignores [`QueryOptions::faces`]. A point that is not finite is in no instance.
    pub fn instances_containing(
        &self,
        point: impl Into<[f64; 3]>,
        options: &QueryOptions<'_>,
    ) -> Vec<InstanceId> {
        let point = DVec3::from_array(point.into());
        let mut containing: Vec<(u64, InstanceId)> = Vec::new();
        let distance = |bounds: &WorldBox| match bounds.contains(point) {
            true => 0.0,
            false => f64::NAN,
        };
        let _: ControlFlow<()> = self.visit_records(options, 0.0, distance, |record, limit| {
            if is_inside(record, point) {
                containing.push((record.insertion_order, record.id));
            }
            ControlFlow::Continue(limit)
        });
        containing.sort_unstable();
        containing.into_iter().map(|(_, id)| id).collect()
    }

    /// The distance from a point to the closest surface, in world units. Negative if any instance contains
    /// the point, never -0.0. `None` if no surface exists or the point is not finite.
    ///
    /// Combines [`closest_point`](Self::closest_point) and
    /// [`instances_containing`](Self::instances_containing), at their cost.
    pub fn signed_distance(
        &self,
        point: impl Into<[f64; 3]>,
        options: &QueryOptions<'_>,
    ) -> Option<f64> {
        let point = point.into();
        let distance = self.closest_point(point, f64::INFINITY, options)?.distance;
        let is_inside = distance > 0.0 && !self.instances_containing(point, options).is_empty();
        Some(if is_inside { -distance } else { distance })
    }
}

fn is_inside(record: &Record, point: DVec3) -> bool {
    let frame = &record.state.placement.frame;
    let local = frame.inverse_linear * (point - frame.translation);
    record.instance.mesh.as_ref().is_some_and(|mesh| mesh.winding_tree().is_inside(local.as_vec3()))
}
