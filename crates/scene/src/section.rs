//! Where a plane cuts the instances of a scene.

use std::ops::ControlFlow;

use hitscan_primitives::{SectionPlane, SectionPolyline, SectionSegments};

use crate::{InstanceId, QueryOptions, Scene, WorldBox, scene::Record, world_mesh::WorldMesh};

/// A part of the section of a scene; see [`Scene::section`].
#[derive(Clone, Debug, PartialEq)]
pub struct ScenePolyline {
    /// The instance that the plane cuts.
    pub instance: InstanceId,
    /// The line, with points in world space and the triangles of the instance's mesh.
    pub polyline: SectionPolyline,
}

impl Scene {
    /// The polylines in which a plane cuts the instances, in world space: closed where a mesh is closed, with the triangle of
    /// every segment. Sorted by instance in order of first insertion, then by the least triangle.
    ///
    /// When to use: for outlines of a cut and clipped models. See also
    /// [`overlapping_into`](Self::overlapping_into), for regions.
    ///
    /// [`SectionSegments`] has the rules, applied to the world corners of each instance, in f64 relative to the point of the
    /// plane. A polyline runs with the inside to its left, also in a mirrored instance. Instances are not joined. The tree
    /// cannot change an answer. The query ignores [`QueryOptions::faces`].
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hitscan_primitives::{SectionPlane, generate};
    /// use hitscan_scene::{Instance, Mesh, QueryOptions, Scene, glam::DAffine3};
    ///
    /// let cube = Arc::new(Mesh::new(generate::cuboid(2.0, 2.0, 2.0, 0)?, &Default::default()));
    /// let mut scene = Scene::new();
    /// let id = scene.insert(Instance::new(cube, DAffine3::from_translation([1e7, 0.0, 0.0].into())))?;
    /// let plane = SectionPlane::new([1e7 + 0.25, 0.0, 0.0], [1.0, 0.0, 0.0])?;
    /// let section = scene.section(&plane, &QueryOptions::default());
    /// assert_eq!(section.len(), 1);
    /// assert_eq!((section[0].instance, section[0].polyline.length()), (id, 8.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn section(&self, plane: &SectionPlane, options: &QueryOptions<'_>) -> Vec<ScenePolyline> {
        // Covers the rounding of differences to the point.
        let pad = 4.0 * f64::EPSILON * plane.point().abs().max_element();
        let enter = |bounds: &WorldBox| {
            if plane.may_cut_box(bounds.min - pad, bounds.max + pad) { 0.0 } else { f64::NAN }
        };
        let mut parts = Vec::new();
        let _: ControlFlow<()> = self.visit_records(options, 0.0, enter, |record, limit| {
            parts.push((record.insertion_order, of_instance(record, plane)));
            ControlFlow::Continue(limit)
        });
        parts.sort_unstable_by_key(|&(order, _)| order);
        parts.into_iter().flat_map(|(_, polylines)| polylines).collect()
    }
}

/// The section of an instance, by the tree of its mesh.
fn of_instance(record: &Record, plane: &SectionPlane) -> Vec<ScenePolyline> {
    section_of(record, plane, |world, relative, add| {
        let Some(mesh) = &record.instance.mesh else { return };
        let enter = |bounds: WorldBox| relative.may_cut_box(bounds.min, bounds.max);
        let _: ControlFlow<()> = mesh.bvh().visit(
            |bounds| enter(world.bounds(bounds)),
            |triangle| {
                add(triangle);
                ControlFlow::Continue(())
            },
        );
    })
}

/// The section of an instance. `triangles` passes on all triangles that a plane relative to its own point may cut.
pub(crate) fn section_of(
    record: &Record,
    plane: &SectionPlane,
    triangles: impl FnOnce(&WorldMesh<'_>, &SectionPlane, &mut dyn FnMut(u32)),
) -> Vec<ScenePolyline> {
    let Some(world) = WorldMesh::new(record, plane.point()) else { return Vec::new() };
    let relative = plane.at_origin();
    let is_mirrored = record.mesh_to_world().matrix3.determinant() < 0.0;
    let mut segments = SectionSegments::new(&relative);
    triangles(&world, &relative, &mut |triangle| {
        let mut positions = world.tri_mesh.corners(triangle);
        let mut corners = world.corners(triangle);
        if is_mirrored {
            positions.swap(1, 2);
            corners.swap(1, 2);
        }
        segments.add(triangle, positions, corners);
    });
    let mut polylines = segments.join(1.0);
    for point in polylines.iter_mut().flat_map(|polyline| &mut polyline.points) {
        *point = plane.point() + *point + 0.0;
    }
    let instance = record.id;
    polylines.into_iter().map(|polyline| ScenePolyline { instance, polyline }).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use glam::{DAffine3, DVec3};
    use hitscan_primitives::generate::{self, SplitMix64};

    use super::*;
    use crate::{Instance, Mesh, SceneBruteForce, test_scenes};

    type Bits = Vec<(InstanceId, Vec<[u64; 3]>, Vec<u32>, bool)>;

    fn bits(section: &[ScenePolyline]) -> Bits {
        let of = |part: &ScenePolyline| {
            let SectionPolyline { points, triangles, is_closed } = &part.polyline;
            let points = points.iter().map(|point| point.to_array().map(f64::to_bits)).collect();
            (part.instance, points, triangles.clone(), *is_closed)
        };
        section.iter().map(of).collect()
    }

    /// Twice the area around the normal.
    fn doubled_area(polyline: &SectionPolyline, normal: DVec3) -> f64 {
        let origin = polyline.points[0];
        let cross = |[from, to]: [DVec3; 2]| (from - origin).cross(to - origin);
        polyline.segments().map(cross).sum::<DVec3>().dot(normal)
    }

    #[test]
    fn a_section_equals_the_loop_over_all_instances_also_far_away() {
        let (mut n_closed, mut n_open) = (0, 0);
        for seed in 0..4 {
            let mut rng = SplitMix64::new(seed);
            let origin = [DVec3::ZERO, DVec3::new(1e7, -3e6, 2e7)][seed as usize % 2];
            let (scene, ids) = test_scenes::scene(&mut rng, origin);
            for _ in 0..20 {
                let point = origin + test_scenes::vector(&mut rng, 3.0);
                let normal = test_scenes::vector(&mut rng, 1.0);
                let plane = SectionPlane::new(point, normal).expect("it has a normal");
                let options =
                    QueryOptions { include_hidden: rng.below(2) == 0, ..Default::default() };
                let found = scene.section(&plane, &options);
                let expected = SceneBruteForce::new(&scene).section(&plane, &options);
                assert_eq!(bits(&found), bits(&expected), "seed {seed}, {plane:?}");
                for part in &found {
                    let mesh = scene.get(part.instance).and_then(|of| of.mesh.clone());
                    let is_solid = mesh.is_some_and(|mesh| mesh.tri_mesh().bounds().min.y < 0.0);
                    assert_eq!(part.polyline.is_closed, is_solid);
                    // Mirrored instances, too, lie to the left.
                    assert!(!is_solid || doubled_area(&part.polyline, normal) > 0.0);
                    n_closed += usize::from(is_solid);
                    n_open += usize::from(!is_solid);
                }
            }
            assert!(ids.len() == 12);
        }
        assert!(n_closed > 100 && n_open > 50, "{n_closed} {n_open}");
    }

    #[test]
    fn a_plane_through_the_top_of_an_instance_far_away_cuts_its_outline() {
        let cube = generate::cuboid(2.0, 2.0, 2.0, 0).expect("a cube");
        let cube = Arc::new(Mesh::new(cube, &Default::default()));
        let mut scene = Scene::new();
        let at = DVec3::new(0.0, 0.0, 3e9);
        scene.insert(Instance::new(cube, DAffine3::from_translation(at))).expect("finite");
        for (z, n) in [(1.0, 1), (-1.0, 0)] {
            let plane = SectionPlane::new(at + z * DVec3::Z, DVec3::Z).expect("a normal");
            let section = scene.section(&plane, &QueryOptions::default());
            assert_eq!(section.len(), n);
            assert!(section.iter().all(|part| part.polyline.length() == 8.0));
        }
    }
}
