//! Queries for the triangles and instances that touch a region of world space or lie within it.

use std::ops::ControlFlow;

use glam::DVec3;
use hitscan_primitives::{
    ConvexRegion, closest_point_on_triangle, distance_squared_to_box, triangle_overlaps_box,
};

use crate::{InstanceId, QueryOptions, Scene, WorldBox, scene::Record, world_mesh::WorldMesh};

/// A closed region of world space: the boundary belongs to it.
#[derive(Clone, Debug, PartialEq)]
pub enum WorldRegion {
    /// An axis-aligned box; it may be empty.
    Box(WorldBox),
    /// A ball.
    Sphere {
        /// The centre.
        center: DVec3,
        /// The radius, in world units. The ball is empty if the radius is negative or NaN.
        radius: f64,
    },
    /// The intersection of half-spaces, such as a view frustum.
    Convex(ConvexRegion),
}

impl WorldRegion {
    /// Whether the region and a triangle have a point in common.
    pub(crate) fn overlaps(&self, corners: [DVec3; 3]) -> bool {
        match self {
            Self::Box(WorldBox { min, max }) => triangle_overlaps_box(corners, *min, *max),
            Self::Sphere { center, radius } => {
                let nearest = closest_point_on_triangle(corners, *center);
                *radius >= 0.0 && nearest.distance_squared <= radius * radius
            }
            Self::Convex(region) => region.overlaps_triangle(corners),
        }
    }

    /// Whether the region may touch an object in a box. Conservative: `true` whenever it does.
    fn may_overlap(&self, bounds: &WorldBox) -> bool {
        match self {
            Self::Box(own) => own.overlaps(bounds),
            Self::Sphere { center, radius } => {
                let nearest = distance_squared_to_box(bounds.min, bounds.max, *center);
                *radius >= 0.0 && nearest <= radius * radius
            }
            Self::Convex(region) => region.may_overlap_box(bounds.min, bounds.max),
        }
    }

    /// Whether a point lies in the region or on its boundary.
    pub(crate) fn contains(&self, point: DVec3) -> bool {
        match self {
            Self::Box(WorldBox { min, max }) => min.cmple(point).all() && point.cmple(*max).all(),
            Self::Sphere { center, radius } => {
                *radius >= 0.0 && (point - center).length_squared() <= radius * radius
            }
            Self::Convex(region) => region.contains(point),
        }
    }
}

/// A triangle of an instance; see [`Scene::overlapping_into`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SceneTriangle {
    /// The instance of the triangle.
    pub instance: InstanceId,
    /// The index of the triangle in [`TriMesh::triangles`](hitscan_primitives::TriMesh::triangles).
    pub triangle: u32,
}

/// Region queries.
///
/// All test the world corners of triangles: the f64 images of the f32 corners by the world transform.
/// The tree cannot change an answer. A triangle of zero area counts as its segment or point
/// ([`TriMesh::is_degenerate`](hitscan_primitives::TriMesh::is_degenerate)). Region queries ignore
/// [`QueryOptions::faces`].
impl Scene {
    /// The triangles that touch a region, into a buffer, which the query clears first. Sorted by
    /// instance in order of first insertion, then by triangle.
    ///
    /// When to use: for brushes and cuts, which need triangles. See also
    /// [`instances_overlapping`](Self::instances_overlapping), which stops at the first triangle of each
    /// instance.
    pub fn overlapping_into(
        &self,
        region: &WorldRegion,
        options: &QueryOptions<'_>,
        triangles: &mut Vec<SceneTriangle>,
    ) {
        triangles.clear();
        let mut overlapping: Vec<(u64, SceneTriangle)> = Vec::new();
        self.for_each_overlap_candidate(region, options, |record| {
            let _: ControlFlow<()> = for_each_triangle(
                record,
                |bounds| region.may_overlap(bounds),
                |triangle, corners| {
                    if region.overlaps(corners) {
                        overlapping.push((
                            record.insertion_order,
                            SceneTriangle { instance: record.id, triangle },
                        ));
                    }
                    ControlFlow::Continue(())
                },
            );
        });
        overlapping.sort_unstable_by_key(|&(order, triangle)| (order, triangle.triangle));
        triangles.extend(overlapping.into_iter().map(|(_, triangle)| triangle));
    }

    /// The instances with a triangle that touches a region, in order of first insertion.
    ///
    /// When to use: for regions that select what they touch. See also
    /// [`instances_within`](Self::instances_within), which selects what they hold.
    pub fn instances_overlapping(
        &self,
        region: &WorldRegion,
        options: &QueryOptions<'_>,
    ) -> Vec<InstanceId> {
        self.instances_where(region, options, |record| {
            for_each_triangle(
                record,
                |bounds| region.may_overlap(bounds),
                |_, corners| match region.overlaps(corners) {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(()),
                },
            )
            .is_break()
        })
    }

    /// The instances whose triangles all have their three corners in a region, in order of first
    /// insertion. Instances without triangles are never included. For a convex region, as all are, the
    /// triangles then lie in the region as a whole.
    ///
    /// When to use: for regions that select what they hold whole. See also
    /// [`instances_overlapping`](Self::instances_overlapping).
    pub fn instances_within(
        &self,
        region: &WorldRegion,
        options: &QueryOptions<'_>,
    ) -> Vec<InstanceId> {
        self.instances_where(region, options, |record| {
            let mut has_triangles = false;
            let outside = for_each_triangle(
                record,
                |_| true,
                |_, corners| {
                    has_triangles = true;
                    match corners.iter().all(|&corner| region.contains(corner)) {
                        true => ControlFlow::Continue(()),
                        false => ControlFlow::Break(()),
                    }
                },
            );
            has_triangles && outside.is_continue()
        })
    }

    /// The instances that may touch a region and satisfy a condition, in order of first insertion.
    fn instances_where(
        &self,
        region: &WorldRegion,
        options: &QueryOptions<'_>,
        mut condition: impl FnMut(&Record) -> bool,
    ) -> Vec<InstanceId> {
        let mut accepted: Vec<(u64, InstanceId)> = Vec::new();
        self.for_each_overlap_candidate(region, options, |record| {
            if condition(record) {
                accepted.push((record.insertion_order, record.id));
            }
        });
        accepted.sort_unstable();
        accepted.into_iter().map(|(_, id)| id).collect()
    }

    fn for_each_overlap_candidate(
        &self,
        region: &WorldRegion,
        options: &QueryOptions<'_>,
        mut on_instance: impl FnMut(&Record),
    ) {
        let distance = |bounds: &WorldBox| if region.may_overlap(bounds) { 0.0 } else { f64::NAN };
        let _: ControlFlow<()> = self.visit_records(options, 0.0, distance, |record, limit| {
            on_instance(record);
            ControlFlow::Continue(limit)
        });
    }
}

/// Visits the triangles of an instance below the boxes that `enter` accepts, with their world corners.
fn for_each_triangle<B>(
    record: &Record,
    mut enter: impl FnMut(&WorldBox) -> bool,
    mut on_triangle: impl FnMut(u32, [DVec3; 3]) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let (Some(world), Some(mesh)) =
        (WorldMesh::new(record, DVec3::ZERO), record.instance.mesh.as_ref())
    else {
        return ControlFlow::Continue(());
    };
    mesh.bvh().visit(
        |bounds| enter(&world.bounds(bounds)),
        |triangle| on_triangle(triangle, world.corners(triangle)),
    )
}
