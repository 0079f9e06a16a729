//! Which triangles and instances touch a region of world space, or lie within it.

use std::ops::ControlFlow;

use glam::DVec3;
use hitscan_primitives::{
    ConvexRegion, closest_point_on_triangle, distance_squared_to_box, triangle_overlaps_box,
};

use crate::{InstanceId, QueryOptions, Scene, WorldBox, scene::Record, world_mesh::WorldMesh};

/// A closed region of world space.
#[derive(Clone, Debug, PartialEq)]
pub enum WorldRegion {
    /// A box with faces across the axes.
    Box(WorldBox),
    /// A ball.
    Sphere {
        /// Its middle.
        center: DVec3,
        /// Its radius; the ball is empty if it is negative or NaN.
        radius: f64,
    },
    /// What lies behind none of some planes, such as a view frustum.
    Convex(ConvexRegion),
}

impl WorldRegion {
    /// Whether the region and a triangle have a point in common.
    fn overlaps(&self, corners: [DVec3; 3]) -> bool {
        match self {
            Self::Box(WorldBox { min, max }) => triangle_overlaps_box(corners, *min, *max),
            Self::Sphere { center, radius } => {
                let nearest = closest_point_on_triangle(corners, *center);
                *radius >= 0.0 && nearest.distance_squared <= radius * radius
            }
            Self::Convex(region) => region.overlaps_triangle(corners),
        }
    }

    /// Whether the region may touch something in a box; never `false` if it does.
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

    /// Whether a point lies in the region or on its border.
    fn contains(&self, point: DVec3) -> bool {
        match self {
            Self::Box(WorldBox { min, max }) => min.cmple(point).all() && point.cmple(*max).all(),
            Self::Sphere { center, radius } => {
                *radius >= 0.0 && (point - center).length_squared() <= radius * radius
            }
            Self::Convex(region) => region.contains(point),
        }
    }
}

/// A triangle of an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SceneTriangle {
    /// The instance.
    pub instance: InstanceId,
    /// The triangle, by its place in the mesh.
    pub triangle: u32,
}

/// WorldRegion queries. All use the corners of triangles in the world, each the f64 image of the f32 corner
/// by the world transform, and the same tests for every tree. A triangle of zero area counts as the
/// segment or point that it is ([`TriMesh::is_degenerate`](hitscan_primitives::TriMesh::is_degenerate)).
/// `faces` of the options means nothing here.
impl Scene {
    /// The triangles that touch a region, by instance in the order of first insertion and by number,
    /// into a buffer, which is cleared first.
    pub fn triangles_overlapping(
        &self,
        region: &WorldRegion,
        options: &QueryOptions<'_>,
        triangles: &mut Vec<SceneTriangle>,
    ) {
        triangles.clear();
        let mut found: Vec<(u64, SceneTriangle)> = Vec::new();
        self.for_each_touched(region, options, |record| {
            let _: ControlFlow<()> = for_each_triangle(
                record,
                |bounds| region.may_overlap(bounds),
                |triangle, corners| {
                    if region.overlaps(corners) {
                        found.push((
                            record.insertion_order,
                            SceneTriangle { instance: record.id, triangle },
                        ));
                    }
                    ControlFlow::Continue(())
                },
            );
        });
        found.sort_unstable_by_key(|&(order, found)| (order, found.triangle));
        triangles.extend(found.into_iter().map(|(_, found)| found));
    }

    /// The instances with a triangle that touches a region, in the order of first insertion.
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

    /// The instances all of whose triangles lie within a region, which is to say their corners; in the
    /// order of first insertion. Instances without triangles are not among them.
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

    /// The instances that may touch a region and fulfil a condition, in the order of first insertion.
    fn instances_where(
        &self,
        region: &WorldRegion,
        options: &QueryOptions<'_>,
        mut condition: impl FnMut(&Record) -> bool,
    ) -> Vec<InstanceId> {
        let mut found: Vec<(u64, InstanceId)> = Vec::new();
        self.for_each_touched(region, options, |record| {
            if condition(record) {
                found.push((record.insertion_order, record.id));
            }
        });
        found.sort_unstable();
        found.into_iter().map(|(_, id)| id).collect()
    }

    fn for_each_touched(
        &self,
        region: &WorldRegion,
        options: &QueryOptions<'_>,
        mut touched: impl FnMut(&Record),
    ) {
        let distance = |bounds: &WorldBox| if region.may_overlap(bounds) { 0.0 } else { f64::NAN };
        let _: ControlFlow<()> = self.visit_records(options, 0.0, distance, |record, limit| {
            touched(record);
            ControlFlow::Continue(limit)
        });
    }
}

/// The triangles of an instance, with their corners in the world: those below the boxes that `enter`
/// takes.
fn for_each_triangle<B>(
    record: &Record,
    mut enter: impl FnMut(&WorldBox) -> bool,
    mut found: impl FnMut(u32, [DVec3; 3]) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let (Some(world), Some(mesh)) =
        (WorldMesh::new(record, DVec3::ZERO), record.instance.mesh.as_ref())
    else {
        return ControlFlow::Continue(());
    };
    mesh.bvh().visit(
        |bounds| enter(&world.bounds(bounds)),
        |triangle| found(triangle, world.corners(triangle)),
    )
}
