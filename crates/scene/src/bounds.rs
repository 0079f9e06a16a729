//! Exact bounds of instances: those of their vertices, for people and cameras.
//!
//! The boxes of the tree are larger, because they must hold every computed hit.

use std::ops::ControlFlow;

use glam::DVec3;
use hitscan_primitives::Aabb;

use crate::{InstanceId, QueryOptions, Scene, WorldBox, scene::Record};

/// Exact bounds.
///
/// The image of a vertex is its position by the instance's
/// [world transform](Scene::world_transform), computed in f64. The bounds are the minimum and maximum of the images
/// of all vertices that triangles use. Trees only find them faster.
impl Scene {
    /// The exact box around the instance's own mesh in world space, hidden or not. Empty for a mesh without
    /// triangles and for a group, `None` for an unknown handle.
    ///
    /// When to use: to frame or measure one instance. See also [`culling_box`](Self::culling_box), which is
    /// cheaper and larger.
    ///
    /// O(1) if the transform maps axes to axes. Otherwise a search in the mesh's hierarchy, up to O(triangles).
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hitscan_primitives::generate;
    /// use hitscan_scene::{Instance, Mesh, Scene, WorldBox, glam::DAffine3};
    ///
    /// let cube = Arc::new(Mesh::new(generate::cuboid(2.0, 2.0, 2.0, 0)?, &Default::default()));
    /// let mut scene = Scene::new();
    /// let id = scene.insert(Instance::new(cube, DAffine3::from_translation([5.0, 0.0, 0.0].into())))?;
    /// assert_eq!(scene.world_bounds(id), Some(WorldBox::new([4.0, -1.0, -1.0], [6.0, 1.0, 1.0])));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn world_bounds(&self, id: InstanceId) -> Option<WorldBox> {
        let record = self.record(id)?;
        Some(bounds_where(|side, limit| side.least_of_mesh(record, limit)))
    }

    /// The exact box around all meshes in world space, including hidden and locked ones. Empty without triangles.
    ///
    /// When to use: to frame the whole scene. See also [`bounds_of`](Self::bounds_of) for the visible part.
    ///
    /// O(log n) for n instances spread in space, plus the searches of [`world_bounds`](Self::world_bounds) in those
    /// at the edge of the scene.
    pub fn bounds(&self) -> WorldBox {
        let all = QueryOptions { include_hidden: true, include_locked: true, ..Default::default() };
        self.bounds_of(&all)
    }

    /// [`bounds`](Self::bounds) of the instances that `options` include. Ignores [`QueryOptions::faces`].
    ///
    /// When to use: to frame what a query would see. See also [`bounds`](Self::bounds).
    pub fn bounds_of(&self, options: &QueryOptions<'_>) -> WorldBox {
        bounds_where(|side, limit| {
            let mut least = limit;
            let key = |bounds: &WorldBox| side.key_of_box(bounds);
            let _: ControlFlow<()> = self.visit_records(options, limit, key, |record, limit| {
                least = side.least_of_mesh(record, limit);
                ControlFlow::Continue(least)
            });
            least
        })
    }

    /// The box by which queries skip an instance in world space: conservative, so larger than its
    /// [`world_bounds`](Self::world_bounds). It contains every point that a hit can have. Empty for a group, `None`
    /// for an unknown handle. O(1).
    ///
    /// When to use: to reject instances fast. See also [`world_bounds`](Self::world_bounds), the exact
    /// bounds.
    pub fn culling_box(&self, id: InstanceId) -> Option<WorldBox> {
        Some(self.tree_box(self.record(id)?))
    }
}

/// A side of a box. The key of a point is its coordinate across the side, negative for the side at the maximum, so
/// that the outermost point has the least key.
#[derive(Clone, Copy)]
struct Side {
    axis: usize,
    sign: f64,
}

/// The box whose sides `least` finds. It receives a side and a limit, and returns the least key up to the limit.
fn bounds_where(least: impl Fn(Side, f64) -> f64) -> WorldBox {
    // The sum turns -0.0 into 0.0.
    let side = |axis, sign| sign * least(Side { axis, sign }, f64::INFINITY) + 0.0;
    WorldBox {
        min: DVec3::from_array([0, 1, 2].map(|axis| side(axis, 1.0))),
        max: DVec3::from_array([0, 1, 2].map(|axis| side(axis, -1.0))),
    }
}

impl Side {
    fn key(self, point: DVec3) -> f64 {
        self.sign * point[self.axis]
    }

    fn key_of_box(self, bounds: &WorldBox) -> f64 {
        self.key(if self.sign > 0.0 { bounds.min } else { bounds.max })
    }

    /// The least key of the corners of an instance's triangles in world space, or `limit` if that is less.
    fn least_of_mesh(self, record: &Record, limit: f64) -> f64 {
        let world = record.mesh_to_world();
        let row = world.matrix3.row(self.axis);
        // Each step of the sum rounds a monotone function of one coordinate, so no point of a box has a lesser key
        // than this corner.
        let key_of_box = |bounds: &Aabb| {
            let (min, max) = (bounds.min.as_dvec3(), bounds.max.as_dvec3());
            let corner = DVec3::select((self.sign * row).cmpge(DVec3::ZERO), min, max);
            self.key(world.transform_point3(corner))
        };
        let Some(mesh) = record.instance.mesh.as_deref() else { return limit };
        let (bounds, tri_mesh) = (mesh.tri_mesh().bounds(), mesh.tri_mesh());
        if bounds.is_empty() {
            return limit;
        }
        // A corner has each coordinate of the box, and only one matters.
        if row.to_array().iter().filter(|&&x| x != 0.0).count() <= 1 {
            return limit.min(key_of_box(&bounds));
        }
        let mut least = limit;
        let _: ControlFlow<()> = mesh.bvh().visit_nearest_first(limit, key_of_box, |triangle| {
            for corner in tri_mesh.corners(triangle) {
                least = least.min(self.key(world.transform_point3(corner.as_dvec3())));
            }
            ControlFlow::Continue(least)
        });
        least
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use glam::{DAffine3, DQuat, EulerRot};
    use hitscan_primitives::generate::{self, SplitMix64};

    use super::*;
    use crate::{
        Instance, Mesh,
        test_scenes::{scene, vector},
    };

    /// The definition: a loop over all corners.
    fn scan(scene: &Scene, id: InstanceId) -> WorldBox {
        let (record, world) = (scene.record(id), scene.world_transform(id));
        let (record, world) = (record.expect("it is there"), world.expect("it is there"));
        let Some(mesh) = &record.instance.mesh else { return WorldBox::EMPTY };
        let mesh = mesh.tri_mesh();
        (0..mesh.triangles().len() as u32).flat_map(|i| mesh.corners(i)).fold(
            WorldBox::EMPTY,
            |bounds, corner| {
                let image = world.transform_point3(corner.as_dvec3());
                bounds.union(WorldBox { min: image, max: image })
            },
        )
    }

    #[test]
    fn bounds_are_those_of_the_vertices_to_the_last_bit() {
        for seed in 0..200 {
            let mut rng = SplitMix64::new(seed);
            let origin = vector(&mut rng, [1.0, 1e7][seed as usize % 2]);
            let (mut scene, ids) = scene(&mut rng, origin);
            let mut turned = scene.get(ids[0]).expect("it is there").clone();
            turned.transform = DAffine3::from_rotation_translation(
                [DQuat::IDENTITY, DQuat::from_xyzw(0.5, 0.5, 0.5, 0.5)][seed as usize / 2 % 2],
                origin,
            );
            scene.insert(turned).expect("it fits");
            scene.insert(Instance::default()).expect("a group");
            let (mut all, mut visible) = (WorldBox::EMPTY, WorldBox::EMPTY);
            for (id, _) in scene.iter() {
                let exact = scan(&scene, id);
                assert_eq!(scene.world_bounds(id), Some(exact), "seed {seed}, {id}");
                let culling = scene.culling_box(id).expect("it is there");
                assert!(culling.contains_box(&exact), "seed {seed}, {id}");
                all = all.union(exact);
                if scene.is_hidden(id) == Some(false) {
                    visible = visible.union(exact);
                }
            }
            assert_eq!(scene.bounds(), all, "seed {seed}");
            assert_eq!(scene.bounds_of(&QueryOptions::default()), visible, "seed {seed}");
        }
    }

    #[test]
    fn a_turned_ball_has_a_box_of_its_size() {
        let ball = generate::sphere(1.0, 5000).unwrap();
        let ball = Arc::new(Mesh::new(ball, &Default::default()));
        let mut scene = Scene::new();
        let turn = DQuat::from_euler(EulerRot::XYZ, 0.7, 0.6, 0.8);
        let id = scene.insert(Instance::new(ball, DAffine3::from_quat(turn))).unwrap();
        let (exact, culling) = (scene.world_bounds(id).unwrap(), scene.culling_box(id).unwrap());
        assert!(culling.contains_box(&exact));
        // The box around the turned box of the ball is 3.3 wide.
        assert!(culling.extent().max_element() < 2.4, "{culling:?}");
        let moved = scene.get(id).unwrap().mesh.as_ref().unwrap().tri_mesh().positions().to_vec();
        scene.refit(id, moved.iter().map(|&p| 3.0 * p)).unwrap();
        let (exact, culling) = (scene.world_bounds(id).unwrap(), scene.culling_box(id).unwrap());
        assert!(culling.contains_box(&exact));
        assert!(culling.extent().max_element() < 7.2, "{culling:?}");
    }
}
