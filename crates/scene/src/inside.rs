//! Queries for the closed meshes that contain a point.

use std::ops::ControlFlow;

use glam::DVec3;
use hitscan_primitives::Aabb;

use crate::{InstanceId, QueryOptions, Scene, WorldBox, scene::Record};

impl Scene {
    /// The instances whose closed mesh contains a point, in order of first insertion.
    ///
    /// When to use: to find the solids around a point. See also [`signed_distance`](Self::signed_distance).
    ///
    /// `point` is in world space. The inverse transform takes it to the mesh's space in f64, without rounding to
    /// f32. There an instance contains it if the exact box of the mesh does, and the winding number is greater than
    /// 1/2 or less than -1/2 ([`WindingTree::is_inside_f64`](hitscan_bvh::WindingTree::is_inside_f64)). The box leaves out points
    /// around a surface with holes. The first query of a mesh builds its winding tree, in O(triangles). The query
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
            if is_inside(record, self.frame(record).local_point(point)) {
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
    /// When to use: for clearances and offsets. See also [`closest_point`](Self::closest_point), which
    /// needs no closed mesh.
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

fn is_inside(record: &Record, local: DVec3) -> bool {
    record.instance.mesh.as_ref().is_some_and(|mesh| {
        box_contains(&mesh.tri_mesh().bounds(), local) && mesh.winding_tree().is_inside_f64(local)
    })
}

/// Whether a box in f32 contains a point in f64.
pub(crate) fn box_contains(bounds: &Aabb, point: DVec3) -> bool {
    let (min, max) = (bounds.min.as_dvec3(), bounds.max.as_dvec3());
    min.cmple(point).all() && point.cmple(max).all()
}
