//! Ray queries of one instance.

use hitscan_bvh::MeshBvh;
use hitscan_primitives::{Faces, Hit};
use smallvec::SmallVec;

use crate::{
    InstanceId, LocalRay, QueryOptions, Scene, SceneHit, SlabRay, WorldRay,
    candidate::CandidateInstance,
};

/// The number of rays that enter a mesh together. [`MeshBvh::closest_hit_batch`](hitscan_bvh::MeshBvh::closest_hit_batch)
/// takes as many as one packet.
const PACKET: usize = 32;

/// The minimum number of rays that a mesh receives as a batch. Fewer rays go one by one.
const MIN_BATCH: usize = 6;

impl Scene {
    /// [`closest_hit`](Self::closest_hit) among the hits of one instance, for each ray. All misses for an unknown
    /// handle, and for an instance without a mesh or that `options` leave out.
    ///
    /// When to use: to drape or project points onto one object. See also
    /// [`closest_hit_batch`](Self::closest_hit_batch), which casts at the whole scene.
    ///
    /// Neighbours in the list should be neighbours in space, because runs of 32 rays enter the mesh together.
    ///
    /// # Panics
    /// If `hits` and `rays` differ in length.
    pub fn closest_hits_of_instance(
        &self,
        id: InstanceId,
        rays: &[WorldRay],
        options: &QueryOptions<'_>,
        hits: &mut [Option<SceneHit>],
    ) {
        assert_eq!(rays.len(), hits.len(), "one answer slot per ray");
        hits.fill(None);
        let record = self.record(id).filter(|record| self.includes(record, options));
        let Some(record) = record else { return };
        let Some(mesh) = record.instance.mesh.as_deref() else { return };
        let (frame, bounds) = (self.frame(record), self.tree_box(record));
        for (rays, hits) in rays.chunks(PACKET).zip(hits.chunks_mut(PACKET)) {
            let mut limits = [0.0; PACKET];
            let mut entering = EnteringRays::new();
            for (i, ray) in rays.iter().enumerate() {
                // In this form a NaN is a miss.
                if ray.is_valid()
                    && SlabRay::new(ray).enter(&bounds) <= ray.t_max
                    && let Some(local) = LocalRay::new(&frame, ray)
                {
                    limits[i] = ray.t_max;
                    entering.push((i, local));
                }
            }
            if entering.is_empty() {
                continue;
            }
            let mesh_hits = mesh_hits(mesh.bvh(), &entering, &limits, options.faces);
            for ((i, ray), hit) in entering.into_iter().zip(mesh_hits) {
                let candidate =
                    CandidateInstance { record, bvh: mesh.bvh(), ray, limit: limits[i] };
                hits[i] = hit.map(|hit| candidate.hit(hit));
            }
        }
    }
}

/// The rays of a packet that enter the box of an instance, with their indices in the packet.
type EnteringRays = SmallVec<[(usize, LocalRay); PACKET]>;

/// The closest hit of each entering ray with a mesh, up to the limit of the ray.
fn mesh_hits(
    bvh: &MeshBvh,
    entering: &EnteringRays,
    limits: &[f64; PACKET],
    faces: Faces,
) -> [Option<Hit>; PACKET] {
    let until = |&(i, ref local): &(usize, LocalRay)| local.until(limits[i]);
    let mut hits = [None; PACKET];
    if entering.len() < MIN_BATCH {
        for (entry, hit) in entering.iter().zip(&mut hits) {
            *hit = bvh.closest_hit(&until(entry), faces);
        }
    } else {
        // The last ray fills the rest of the packet.
        let last = entering.len() - 1;
        let batch: [_; PACKET] = std::array::from_fn(|n| until(&entering[n.min(last)]));
        bvh.closest_hit_batch(&batch, faces, &mut hits);
    }
    hits
}

#[cfg(test)]
mod tests {
    use glam::DVec3;
    use hitscan_primitives::generate::SplitMix64;

    use super::*;
    use crate::test_scenes::{scene, vector};

    #[test]
    fn an_instance_has_the_hits_that_a_scan_finds_on_it() {
        let mut n_hits = 0;
        for seed in 0..200 {
            let mut rng = SplitMix64::new(seed);
            let origin = if seed % 2 == 0 { DVec3::ZERO } else { DVec3::new(1e7, -1e7, 1e7) };
            let (scene, ids) = scene(&mut rng, origin);
            let mut rays: Vec<WorldRay> = (0..1 + rng.below(70))
                .map(|_| {
                    let eye = origin + vector(&mut rng, 8.0);
                    let target = origin + vector(&mut rng, 3.0);
                    WorldRay::new(eye, target - eye).with_range(0.0, rng.range(0.3, 3.0))
                })
                .collect();
            rays[0].direction = DVec3::ZERO;
            let ignore = [ids[rng.below(12) as usize]];
            let options = QueryOptions { ignore: &ignore, ..QueryOptions::default() };
            for &id in &ids {
                let mut hits = vec![None; rays.len()];
                scene.closest_hits_of_instance(id, &rays, &options, &mut hits);
                for (ray, hit) in rays.iter().zip(&hits) {
                    let all = scene.all_hits(ray, &options);
                    let expected = all.iter().find(|hit| hit.instance == id);
                    assert_eq!(hit.as_ref(), expected, "seed {seed}, {id}");
                }
                n_hits += hits.iter().flatten().count();
            }
            let mut hits = vec![None; rays.len()];
            let unknown = Scene::new().insert(crate::Instance::default()).expect("a group");
            Scene::new().closest_hits_of_instance(unknown, &rays, &options, &mut hits);
            assert!(hits.iter().all(Option::is_none));
        }
        assert!(n_hits > 2000, "{n_hits}");
    }
}
