//! The definition of the queries with a ray or within closed meshes: a loop over all instances and all their triangles.

use std::collections::HashMap;

use glam::DVec3;
use hitscan_primitives::{Faces, HitMode, HitOptions, brute_force::BruteForce};

use crate::{InstanceId, Mesh, QueryOptions, Scene, SceneHit, WorldRay, inside::box_contains};

/// A scene without its trees. Each query tests every triangle of every instance, and gives the same bits as
/// that of the [`Scene`]. O(triangles).
///
/// ```
/// use std::sync::Arc;
/// use hitscan_primitives::generate;
/// use hitscan_scene::{Instance, Mesh, QueryOptions, Scene, SceneBruteForce, WorldRay, glam::DAffine3};
///
/// let ball = Arc::new(Mesh::new(generate::sphere(1.0, 100)?, &Default::default()));
/// let mut scene = Scene::new();
/// scene.insert(Instance::new(ball, DAffine3::from_translation([0.0, 0.0, 5.0].into())))?;
/// let (ray, options) = (WorldRay::new([0.1, 0.2, 0.0], [0.0, 0.0, 1.0]), QueryOptions::default());
/// let slow = SceneBruteForce::new(&scene).closest_hit(&ray, &options);
/// assert_eq!(slow, scene.closest_hit(&ray, &options));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct SceneBruteForce<'a> {
    pub(crate) scene: &'a Scene,
    /// By the address of the mesh, because instances share it.
    meshes: HashMap<usize, BruteForce<'a>>,
}

impl<'a> SceneBruteForce<'a> {
    /// Prepares the meshes. O(triangles).
    pub fn new(scene: &'a Scene) -> Self {
        let mut meshes = HashMap::new();
        for mesh in scene.records().filter_map(|record| record.instance.mesh.as_deref()) {
            meshes.entry(address(mesh)).or_insert_with(|| BruteForce::new(mesh.tri_mesh()));
        }
        Self { scene, meshes }
    }

    /// As [`Scene::closest_hit`].
    pub fn closest_hit(&self, ray: &WorldRay, options: &QueryOptions<'_>) -> Option<SceneHit> {
        let options = QueryOptions { mode: HitMode::EveryTriangle, ..*options };
        self.all_hits(ray, &options).into_iter().next()
    }

    /// As [`Scene::is_occluded`].
    pub fn is_occluded(&self, ray: &WorldRay, options: &QueryOptions<'_>) -> bool {
        self.closest_hit(ray, options).is_some()
    }

    /// As [`Scene::count_crossings`].
    pub fn count_crossings(&self, ray: &WorldRay, options: &QueryOptions<'_>) -> usize {
        self.all_hits(ray, &QueryOptions { mode: HitMode::OncePerCrossing, ..*options }).len()
    }

    /// As [`Scene::signed_crossings`].
    pub fn signed_crossings(&self, ray: &WorldRay, options: &QueryOptions<'_>) -> i64 {
        let n = |faces| self.count_crossings(ray, &QueryOptions { faces, ..*options }) as i64;
        n(Faces::Front) - n(Faces::Back)
    }

    /// As [`Scene::all_hits`].
    pub fn all_hits(&self, ray: &WorldRay, options: &QueryOptions<'_>) -> Vec<SceneHit> {
        let mut hits = Vec::new();
        for record in self.scene.records() {
            if !self.scene.includes(record, options) {
                continue;
            }
            let mesh = record.instance.mesh.as_deref();
            let local = self.scene.local_ray(record.id, ray);
            let (Some(mesh), Some(local)) = (mesh, local) else { continue };
            let scan = &self.meshes[&address(mesh)];
            let hit_options = HitOptions { faces: options.faces, mode: options.mode };
            hits.extend(scan.all_hits(&local.ray, &hit_options).into_iter().map(|hit| SceneHit {
                t: local.world_t(hit.t),
                instance: record.id,
                insertion_order: record.insertion_order,
                local: hit,
            }));
        }
        hits.sort_by(SceneHit::cmp_along_ray);
        hits
    }

    /// As [`Scene::instances_containing`].
    pub fn instances_containing(
        &self,
        point: impl Into<[f64; 3]>,
        options: &QueryOptions<'_>,
    ) -> Vec<InstanceId> {
        let point = DVec3::from_array(point.into());
        let mut containing = Vec::new();
        for record in self.scene.records() {
            let Some(mesh) = record.instance.mesh.as_deref() else { continue };
            let local = self.scene.frame(record).local_point(point);
            if self.scene.includes(record, options)
                && box_contains(&mesh.tri_mesh().bounds(), local)
                && self.meshes[&address(mesh)].winding_sum_f64(local).is_inside()
            {
                containing.push((record.insertion_order, record.id));
            }
        }
        containing.sort_unstable();
        containing.into_iter().map(|(_, id)| id).collect()
    }
}

fn address(mesh: &Mesh) -> usize {
    std::ptr::from_ref(mesh).addr()
}
