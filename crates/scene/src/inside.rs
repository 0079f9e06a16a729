//! Which closed meshes hold a point.

use std::ops::ControlFlow;

use glam::DVec3;

use crate::{InstanceId, QueryOptions, Scene, WorldBox, scene::Record};

impl Scene {
    /// The instances whose surface winds around a point of the world: for closed meshes, those that it
    /// is inside of. In the order of first insertion.
    ///
    /// Decided by the mesh's own winding number
    /// ([`WindingTree::is_inside`](hitscan_bvh::WindingTree::is_inside)) at the point in the mesh's
    /// space, rounded to f32: no transform changes on which side of a surface a point is. The first
    /// question to a mesh makes its tree of winding numbers, O(its triangles). `faces` of the options
    /// means nothing here.
    pub fn instances_containing(
        &self,
        point: impl Into<[f64; 3]>,
        options: &QueryOptions<'_>,
    ) -> Vec<InstanceId> {
        let point = DVec3::from_array(point.into());
        let mut around: Vec<(u64, InstanceId)> = Vec::new();
        let distance = |bounds: &WorldBox| match bounds.contains(point) {
            true => 0.0,
            false => f64::NAN,
        };
        let _: ControlFlow<()> = self.visit_records(options, 0.0, distance, |record, limit| {
            if is_inside(record, point) {
                around.push((record.insertion_order, record.id));
            }
            ControlFlow::Continue(limit)
        });
        around.sort_unstable();
        around.into_iter().map(|(_, id)| id).collect()
    }

    /// The distance of a point from the nearest surface in world units: negative if the point is inside
    /// of any instance, never -0.0. `None` if there is no surface, or the point is not finite.
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
