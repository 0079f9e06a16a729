//! Which instances touch an instance, and how far the others are.

use std::ops::ControlFlow;

use glam::DVec3;
use hitscan_bvh::MeshPair;
use hitscan_primitives::{MeshDistance, MeshPairError};

use crate::{InstanceId, QueryOptions, Scene, WorldBox, scene::Record};

/// The distance from one instance to another; see [`Scene::instances_near`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InstanceDistance {
    /// The other instance.
    pub instance: InstanceId,
    /// The nearest points, in world space: first of the instance that was asked about, second of the other.
    pub nearest: MeshDistance,
}

/// Pairs of instances.
///
/// All are about the world corners of triangles, as region queries are: the f64 images of the f32 corners by the world transform.
/// Surfaces are closed, so instances that touch in a point overlap. Groups touch nothing.
impl Scene {
    /// The meshes of two instances in world space; `None` if a handle is unknown, or names a group.
    ///
    /// When to use: for the triangles that overlap, the segments in which they cross, and the distance of two given instances. See
    /// also [`instances_touching`](Self::instances_touching), which finds the second one.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hitscan_primitives::generate;
    /// use hitscan_scene::{Instance, Mesh, QueryOptions, Scene, glam::DAffine3};
    ///
    /// let cube = Arc::new(Mesh::new(generate::cuboid(2.0, 2.0, 2.0, 0)?, &Default::default()));
    /// let mut scene = Scene::new();
    /// let [one, touching, apart] = [0.0, 2.0, 5.5].map(|x| {
    ///     scene.insert(Instance::new(cube.clone(), DAffine3::from_translation([x, 0.0, 0.0].into()))).unwrap()
    /// });
    /// assert_eq!(scene.instances_touching(one, &QueryOptions::default()), [touching]);
    /// let pair = scene.mesh_pair(touching, apart).expect("both have meshes");
    /// assert_eq!(pair.distance(f64::INFINITY)?.map(|found| found.distance), Some(1.5));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn mesh_pair(&self, first: InstanceId, second: InstanceId) -> Option<MeshPair<'_>> {
        pair_of(self.record(first)?, self.record(second)?)
    }

    /// The instances whose surfaces have a point in common with that of `id`, in order of first insertion. Without `id` itself,
    /// which need not be among the instances that `options` includes. Empty for an unknown handle and for a group.
    ///
    /// When to use: for collisions and clashes. See also [`instances_near`](Self::instances_near), for clearances.
    pub fn instances_touching(
        &self,
        id: InstanceId,
        options: &QueryOptions<'_>,
    ) -> Vec<InstanceId> {
        let mut touching: Vec<(u64, InstanceId)> = Vec::new();
        self.each_pair(id, 0.0, options, |record, pair| {
            if pair.overlaps() {
                touching.push((record.insertion_order, record.id));
            }
        });
        touching.sort_unstable();
        touching.into_iter().map(|(_, id)| id).collect()
    }

    /// The instances within a distance of `id`, inclusive, nearest first, and those that are equally far in order of first insertion.
    /// Otherwise as [`instances_touching`](Self::instances_touching).
    ///
    /// When to use: for clearances. With the maximum 0 it finds the instances that touch.
    ///
    /// # Errors
    /// A `max_distance` that is negative or NaN.
    pub fn instances_near(
        &self,
        id: InstanceId,
        max_distance: f64,
        options: &QueryOptions<'_>,
    ) -> Result<Vec<InstanceDistance>, MeshPairError> {
        // In this form a NaN is an error.
        let is_valid = max_distance >= 0.0;
        if !is_valid {
            return Err(MeshPairError::MaxDistance(max_distance));
        }
        let mut near: Vec<(u64, InstanceDistance)> = Vec::new();
        self.each_pair(id, max_distance, options, |record, pair| {
            // The maximum was checked above, so there is no error.
            if let Ok(Some(nearest)) = pair.distance(max_distance) {
                let instance = record.id;
                near.push((record.insertion_order, InstanceDistance { instance, nearest }));
            }
        });
        near.sort_unstable_by(|(order, a), (other_order, b)| {
            a.nearest.distance.total_cmp(&b.nearest.distance).then(order.cmp(other_order))
        });
        Ok(near.into_iter().map(|(_, found)| found).collect())
    }

    /// Visits the instances that may be within a distance of `id`, each with its pair. `id` is the first of a pair.
    fn each_pair(
        &self,
        id: InstanceId,
        max_distance: f64,
        options: &QueryOptions<'_>,
        mut on_pair: impl FnMut(&Record, MeshPair<'_>),
    ) {
        let Some(own) = self.record(id) else { return };
        let bounds = self.tree_box(own);
        // The rounding of this sum, and that of the computed distance.
        const LESS: f64 = 1.0 - 1e-12;
        let _: ControlFlow<()> = self.visit_records(
            options,
            max_distance * max_distance,
            |other| LESS * gap(&bounds, other).length_squared(),
            |record, limit| {
                if record.id != id
                    && let Some(pair) = pair_of(own, record)
                {
                    on_pair(record, pair);
                }
                ControlFlow::Continue(limit)
            },
        );
    }
}

/// The distances between two boxes along the axes.
fn gap(a: &WorldBox, b: &WorldBox) -> DVec3 {
    (a.min - b.max).max(b.min - a.max).max(DVec3::ZERO)
}

fn pair_of<'a>(first: &'a Record, second: &'a Record) -> Option<MeshPair<'a>> {
    let meshes = [first.instance.mesh.as_ref()?.bvh(), second.instance.mesh.as_ref()?.bvh()];
    let transforms = [first.mesh_to_world(), second.mesh_to_world()];
    Some(MeshPair::placed(meshes, transforms).expect("edits refuse such transforms"))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use glam::{DAffine3, DMat3, DQuat};
    use hitscan_primitives::generate::{self, SplitMix64};

    use super::*;
    use crate::{Instance, Mesh, SceneBruteForce, test_scenes::vector};

    fn scene(rng: &mut SplitMix64, origin: DVec3) -> (Scene, Vec<InstanceId>) {
        let mesh = |mesh| Arc::new(Mesh::new(mesh, &Default::default()));
        let meshes = [
            mesh(generate::sphere(1.0, 100).unwrap()),
            mesh(generate::cuboid(2.0, 1.0, 2.0, 1).unwrap()),
            mesh(generate::grid(6.0, 6.0, 20).unwrap()),
        ];
        let mut scene = Scene::new();
        let mut ids: Vec<InstanceId> = vec![];
        for i in 0..10 {
            let turn = DQuat::from_xyzw(rng.range(-1.0, 1.0), rng.range(-1.0, 1.0), 0.3, 1.0);
            let mut matrix3 = DMat3::from_diagonal(DVec3::new(-1.0, 1.0, 1.5));
            if rng.below(2) == 0 {
                matrix3 = DMat3::from_quat(turn.normalize()) * matrix3;
            }
            // On a grid, so that some touch exactly.
            let translation = origin + vector(rng, 4.0).round();
            let mut instance =
                Instance::new(meshes[i % 3].clone(), DAffine3 { matrix3, translation });
            instance.hidden = i == 7;
            instance.layers = if i == 4 { 2 } else { 1 };
            ids.push(scene.insert(instance).unwrap());
        }
        ids.push(scene.insert(Instance::default()).unwrap());
        (scene, ids)
    }

    #[test]
    fn touching_and_near_instances_equal_the_loop_to_the_last_bit() {
        let mut rng = SplitMix64::new(45);
        let (mut n_touching, mut n_near) = (0, 0);
        for (round, origin) in [0.0, 1e7, -1e12, 0.0].into_iter().enumerate() {
            let (scene, ids) = scene(&mut rng, DVec3::splat(origin));
            let loops = SceneBruteForce::new(&scene);
            for &id in &ids {
                for layers in [u32::MAX, 1] {
                    let options =
                        QueryOptions { layers, ignore: &ids[..1], ..QueryOptions::default() };
                    let touching = scene.instances_touching(id, &options);
                    assert_eq!(touching, loops.instances_touching(id, &options), "round {round}");
                    n_touching += touching.len();
                    for max_distance in [0.0, 1.5] {
                        let near = scene.instances_near(id, max_distance, &options);
                        let expected = loops.instances_near(id, max_distance, &options);
                        assert_eq!(near, expected, "round {round}");
                        let near = near.unwrap();
                        assert!(max_distance > 0.0 || near.len() == touching.len());
                        n_near += near.len();
                    }
                }
            }
        }
        assert!(n_touching > 50 && n_near > 2 * n_touching, "{n_touching} {n_near}");
    }

    #[test]
    fn unknown_handles_and_groups_touch_nothing_and_bad_maxima_are_errors() {
        let (mut scene, ids) = scene(&mut SplitMix64::new(46), DVec3::ZERO);
        let options = QueryOptions::default();
        let group = ids[10];
        scene.remove(ids[0]).unwrap();
        for id in [group, ids[0]] {
            assert!(scene.instances_touching(id, &options).is_empty());
            assert_eq!(scene.instances_near(id, 9.0, &options), Ok(vec![]));
            assert!(scene.mesh_pair(id, ids[1]).is_none() && scene.mesh_pair(ids[1], id).is_none());
        }
        for bad in [-1.0, f64::NAN] {
            let error = scene.instances_near(ids[1], bad, &options).unwrap_err();
            assert_eq!(
                error.to_string(),
                format!("the maximum distance is {bad}; expected 0 or more")
            );
        }
    }
}
