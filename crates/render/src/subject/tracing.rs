//! Ray queries over the visible instances, in the half of the world that a section shows.

use std::borrow::Cow;

use hitscan::Faces;
use hitscan::scene::{InstanceId, LocalRay, Mesh, QueryOptions, SceneHit, WorldRay};

use super::Subject;

/// Up to this many instances, each mesh is queried with all rays of a tile as one batch. Larger
/// scenes use the batch queries of [`Scene`](hitscan::scene::Scene).
const MAX_BATCHED_INSTANCES: usize = 8;

impl Subject {
    /// The closest hit of a ray.
    pub(crate) fn hit(&self, ray: &WorldRay) -> Option<SceneHit> {
        self.scene.closest_hit(&self.shown(ray), &self.options())
    }

    /// The `n` closest hits of a ray, in order.
    pub(crate) fn nearest_hits_into(&self, ray: &WorldRay, n: usize, hits: &mut Vec<SceneHit>) {
        self.scene.nearest_hits_into(&self.shown(ray), n, &self.options(), hits);
    }

    /// The closest hit of each ray, equal to `Scene::closest_hit`. Neighbouring rays share packets. Rays that meet the
    /// filled cut first have none.
    pub(crate) fn hits(&self, rays: &[WorldRay]) -> Vec<Option<SceneHit>> {
        let mut hits = self.hits_of_surfaces(&self.shown_rays(rays));
        if let Some(cut) = self.cut() {
            for (hit, ray) in hits.iter_mut().zip(rays) {
                if cut.t(ray, hit.map(|hit| hit.t)).is_some() {
                    *hit = None;
                }
            }
        }
        hits
    }

    fn hits_of_surfaces(&self, rays: &[WorldRay]) -> Vec<Option<SceneHit>> {
        let mut hits: Vec<Option<SceneHit>> = vec![None; rays.len()];
        if self.instances.len() > MAX_BATCHED_INSTANCES {
            self.scene.closest_hit_batch(rays, &self.options(), &mut hits);
            return hits;
        }
        for &instance in &self.instances {
            let Some((mesh, order)) = self.mesh_and_order(instance) else { continue };
            let (indices, rays) = self.local_rays(instance, rays, |_| true);
            let local_rays: Vec<_> = rays.iter().map(|local| local.ray).collect();
            let mut found = vec![None; rays.len()];
            mesh.bvh().closest_hit_batch(&local_rays, self.faces, &mut found);
            for ((index, local), found) in indices.into_iter().zip(rays).zip(found) {
                let Some(found) = found else { continue };
                let hit = SceneHit {
                    t: local.world_t(found.t),
                    instance,
                    insertion_order: order,
                    local: found,
                };
                if hits[index].is_none_or(|closest| hit.cmp_along_ray(&closest).is_lt()) {
                    hits[index] = Some(hit);
                }
            }
        }
        hits
    }

    /// Whether each ray hits anything on the given sides of the triangles.
    pub(crate) fn is_occluded_batch(&self, rays: &[WorldRay], faces: Faces) -> Vec<bool> {
        let rays = &self.shown_rays(rays);
        let mut occluded = vec![false; rays.len()];
        if self.instances.len() > MAX_BATCHED_INSTANCES {
            let options = QueryOptions { faces, ..self.options() };
            self.scene.is_occluded_batch(rays, &options, &mut occluded);
            return occluded;
        }
        for &instance in &self.instances {
            let Some((mesh, _)) = self.mesh_and_order(instance) else { continue };
            let (indices, rays) = self.local_rays(instance, rays, |index| !occluded[index]);
            let rays: Vec<_> = rays.iter().map(|local| local.ray).collect();
            let mut found = vec![false; rays.len()];
            mesh.bvh().is_occluded_batch(&rays, faces, &mut found);
            for (index, found) in indices.into_iter().zip(found) {
                occluded[index] |= found;
            }
        }
        occluded
    }

    /// The number of nodes and triangle blocks that a closest-hit query tests. For several
    /// instances the result is the sum over separate queries of each mesh. Costs one query per
    /// instance.
    pub fn work(&self, ray: &WorldRay) -> u32 {
        let ray = &self.shown(ray);
        let mut sum = 0;
        for &instance in &self.instances {
            let Some((mesh, _)) = self.mesh_and_order(instance) else { continue };
            if let Some(local) = self.scene.local_ray(instance, ray) {
                let (_, work) = mesh.bvh().closest_hit_with_work(&local.ray, self.faces);
                sum += work.nodes + work.blocks;
            }
        }
        sum
    }

    /// The part of a ray that the section does not hide.
    fn shown(&self, ray: &WorldRay) -> WorldRay {
        self.cut().map_or(*ray, |cut| cut.shown(ray))
    }

    fn shown_rays<'a>(&self, rays: &'a [WorldRay]) -> Cow<'a, [WorldRay]> {
        match self.cut() {
            Some(cut) => Cow::Owned(rays.iter().map(|ray| cut.shown(ray)).collect()),
            None => Cow::Borrowed(rays),
        }
    }

    fn mesh_and_order(&self, id: InstanceId) -> Option<(&Mesh, u64)> {
        Some((self.scene.get(id)?.mesh.as_deref()?, self.scene.insertion_order(id)?))
    }

    /// The rays whose index passes `counts`, in the space of an instance, with their indices.
    fn local_rays(
        &self,
        id: InstanceId,
        rays: &[WorldRay],
        counts: impl Fn(usize) -> bool,
    ) -> (Vec<usize>, Vec<LocalRay>) {
        let (mut indices, mut local) =
            (Vec::with_capacity(rays.len()), Vec::with_capacity(rays.len()));
        for (index, ray) in rays.iter().enumerate().filter(|&(index, _)| counts(index)) {
            if let Some(ray) = self.scene.local_ray(id, ray) {
                indices.push(index);
                local.push(ray);
            }
        }
        (indices, local)
    }
}
