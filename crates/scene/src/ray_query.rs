//! What a world ray hits.

use std::ops::ControlFlow;

use hitscan_bvh::MeshBvh;
use hitscan_primitives::{Hit, HitMode};

use crate::{
    InstanceId, LocalRay, QueryOptions, Scene, SceneHit, WorldRay, placement::SlabRay,
    scene::Record,
};

impl Scene {
    /// The world ray in the space of an instance's mesh, by which the instance's hits are defined:
    /// `None` for an unknown handle, an invalid ray, or one whose direction or origin does not fit f32
    /// in that space.
    pub fn local_ray(&self, id: InstanceId, ray: &WorldRay) -> Option<LocalRay> {
        let record = self.record(id).filter(|_| ray.is_valid())?;
        LocalRay::new(&record.state.placement.frame, ray)
    }

    /// Asks the instances that the ray may hit, near ones first. `visit` gets an instance with its local
    /// ray, and answers with the `t` of the world ray from which on hits are of no use.
    fn for_each_candidate(
        &self,
        ray: &WorldRay,
        options: &QueryOptions<'_>,
        mut visit: impl FnMut(CandidateInstance<'_>) -> ControlFlow<(), f64>,
    ) {
        if !ray.is_valid() {
            return;
        }
        let slabs = SlabRay::new(ray);
        self.tree.traverse(
            ray.t_max,
            |bounds| slabs.enter(bounds),
            |index, limit| {
                let record = self.at(index);
                let Some(mesh) = &record.instance.mesh else {
                    return ControlFlow::Continue(limit);
                };
                if !self.includes(record, options) {
                    return ControlFlow::Continue(limit);
                }
                match LocalRay::new(&record.state.placement.frame, ray) {
                    Some(local) => {
                        visit(CandidateInstance { record, bvh: mesh.bvh(), ray: local, limit })
                    }
                    None => ControlFlow::Continue(limit),
                }
            },
        );
    }

    /// The hit with the least `(t, instance, triangle)`, instances in the order of first insertion.
    pub fn closest_hit(&self, ray: &WorldRay, options: &QueryOptions<'_>) -> Option<SceneHit> {
        let mut closest: Option<SceneHit> = None;
        self.for_each_candidate(ray, options, |candidate| {
            let found =
                candidate.bvh.closest_hit(&candidate.ray.until(candidate.limit), options.faces);
            candidate.keep_closest(found, &mut closest)
        });
        closest
    }

    /// [`closest_hit`](Self::closest_hit) among those that `accept` takes. It is called during the walk
    /// on candidates, also on some that turn out not to be the closest, in an order that depends on the
    /// trees; it must give the same answer for the same hit.
    pub fn closest_hit_where(
        &self,
        ray: &WorldRay,
        options: &QueryOptions<'_>,
        mut accept: impl FnMut(&SceneHit) -> bool,
    ) -> Option<SceneHit> {
        let mut closest: Option<SceneHit> = None;
        self.for_each_candidate(ray, options, |candidate| {
            let local = candidate.ray.until(candidate.limit);
            let found = candidate
                .bvh
                .closest_hit_where(&local, options.faces, |hit| accept(&candidate.hit(*hit)));
            candidate.keep_closest(found, &mut closest)
        });
        closest
    }

    /// Whether the ray hits anything: cheaper than asking what.
    pub fn is_occluded(&self, ray: &WorldRay, options: &QueryOptions<'_>) -> bool {
        let mut occluded = false;
        self.for_each_candidate(ray, options, |candidate| {
            occluded = candidate.bvh.is_occluded(&candidate.ray.ray, options.faces);
            candidate.continue_unless(occluded)
        });
        occluded
    }

    /// Whether the ray has a hit that `accept` takes; see
    /// [`closest_hit_where`](Self::closest_hit_where).
    pub fn is_occluded_where(
        &self,
        ray: &WorldRay,
        options: &QueryOptions<'_>,
        mut accept: impl FnMut(&SceneHit) -> bool,
    ) -> bool {
        let mut occluded = false;
        self.for_each_candidate(ray, options, |candidate| {
            occluded = candidate.bvh.is_occluded_where(&candidate.ray.ray, options.faces, |hit| {
                accept(&candidate.hit(*hit))
            });
            candidate.continue_unless(occluded)
        });
        occluded
    }

    /// All hits, sorted by `(t, instance, triangle)`.
    pub fn all_hits(
        &self,
        ray: &WorldRay,
        options: &QueryOptions<'_>,
        mode: HitMode,
    ) -> Vec<SceneHit> {
        let mut hits = Vec::new();
        self.all_hits_into(ray, options, mode, &mut hits);
        hits
    }

    /// [`all_hits`](Self::all_hits) into a buffer, which is cleared first.
    pub fn all_hits_into(
        &self,
        ray: &WorldRay,
        options: &QueryOptions<'_>,
        mode: HitMode,
        hits: &mut Vec<SceneHit>,
    ) {
        self.all_hits_where_into(ray, options, mode, |_| true, hits);
    }

    /// [`all_hits`](Self::all_hits) that `accept` takes, into a buffer, which is cleared first.
    pub fn all_hits_where_into(
        &self,
        ray: &WorldRay,
        options: &QueryOptions<'_>,
        mode: HitMode,
        mut accept: impl FnMut(&SceneHit) -> bool,
        hits: &mut Vec<SceneHit>,
    ) {
        hits.clear();
        let mut instance_hits = Vec::new();
        self.for_each_candidate(ray, options, |candidate| {
            candidate.bvh.all_hits_into(
                &candidate.ray.ray,
                options.faces,
                mode,
                &mut instance_hits,
            );
            hits.extend(instance_hits.iter().map(|&hit| candidate.hit(hit)).filter(&mut accept));
            ControlFlow::Continue(candidate.limit)
        });
        hits.sort_unstable_by(SceneHit::cmp_along_ray);
    }

    /// The first `n` of all hits, sorted by `(t, instance, triangle)`, into a buffer, which is cleared
    /// first. Visits no more of the scene than it needs for these.
    pub fn nearest_hits(
        &self,
        ray: &WorldRay,
        options: &QueryOptions<'_>,
        mode: HitMode,
        n: usize,
        hits: &mut Vec<SceneHit>,
    ) {
        self.nearest_hits_where(ray, options, mode, n, |_| true, hits);
    }

    /// [`nearest_hits`](Self::nearest_hits) among those that `accept` takes; see
    /// [`closest_hit_where`](Self::closest_hit_where).
    pub fn nearest_hits_where(
        &self,
        ray: &WorldRay,
        options: &QueryOptions<'_>,
        mode: HitMode,
        n: usize,
        mut accept: impl FnMut(&SceneHit) -> bool,
        hits: &mut Vec<SceneHit>,
    ) {
        hits.clear();
        if n == 0 {
            return;
        }
        let mut instance_hits = Vec::new();
        self.for_each_candidate(ray, options, |candidate| {
            let local = candidate.ray.until(candidate.limit);
            let accept = |hit: &Hit| accept(&candidate.hit(*hit));
            candidate.bvh.nearest_hits_where(
                &local,
                options.faces,
                mode,
                n,
                accept,
                &mut instance_hits,
            );
            if instance_hits.is_empty() {
                return ControlFlow::Continue(candidate.limit);
            }
            hits.extend(instance_hits.iter().map(|&hit| candidate.hit(hit)));
            hits.sort_unstable_by(SceneHit::cmp_along_ray);
            hits.truncate(n);
            ControlFlow::Continue(hits.get(n - 1).map_or(candidate.limit, |last| last.t))
        });
    }

    /// The number of surface crossings: hits by [`HitMode::Once`].
    pub fn count_crossings(&self, ray: &WorldRay, options: &QueryOptions<'_>) -> usize {
        let mut crossings = 0;
        self.for_each_candidate(ray, options, |candidate| {
            crossings += candidate.bvh.count_crossings(&candidate.ray.ray, options.faces);
            ControlFlow::Continue(candidate.limit)
        });
        crossings
    }

    /// [`closest_hit`](Self::closest_hit) of each ray, on rayon's current pool with the feature
    /// `parallel`.
    ///
    /// # Panics
    /// If `hits` is not as long as `rays`.
    pub fn closest_hits(
        &self,
        rays: &[WorldRay],
        options: &QueryOptions<'_>,
        hits: &mut [Option<SceneHit>],
    ) {
        answer_batch(rays, hits, |ray| self.closest_hit(ray, options));
    }

    /// [`is_occluded`](Self::is_occluded) of each ray, on rayon's current pool with the feature
    /// `parallel`.
    ///
    /// # Panics
    /// If `occluded` is not as long as `rays`.
    pub fn are_occluded(
        &self,
        rays: &[WorldRay],
        options: &QueryOptions<'_>,
        occluded: &mut [bool],
    ) {
        answer_batch(rays, occluded, |ray| self.is_occluded(ray, options));
    }
}

/// An instance that a ray may hit.
struct CandidateInstance<'a> {
    record: &'a Record,
    bvh: &'a MeshBvh,
    ray: LocalRay,
    /// Hits beyond this `t` of the world ray are of no use.
    limit: f64,
}

impl CandidateInstance<'_> {
    #[inline]
    fn hit(&self, local: Hit) -> SceneHit {
        SceneHit {
            t: self.ray.world_t(local.t),
            instance: self.record.id,
            insertion_order: self.record.insertion_order,
            local,
        }
    }

    fn keep_closest(
        &self,
        found: Option<Hit>,
        closest: &mut Option<SceneHit>,
    ) -> ControlFlow<(), f64> {
        if let Some(hit) = found.map(|hit| self.hit(hit))
            && closest.is_none_or(|closest| hit.cmp_along_ray(&closest).is_lt())
        {
            *closest = Some(hit);
        }
        ControlFlow::Continue(closest.map_or(self.limit, |hit| hit.t))
    }

    fn continue_unless(&self, found: bool) -> ControlFlow<(), f64> {
        if found { ControlFlow::Break(()) } else { ControlFlow::Continue(self.limit) }
    }
}

fn answer_batch<T: Send>(
    rays: &[WorldRay],
    answers: &mut [T],
    answer: impl Fn(&WorldRay) -> T + Sync + Send,
) {
    assert_eq!(rays.len(), answers.len(), "there must be one answer slot per ray");
    #[cfg(feature = "parallel")]
    {
        use rayon::prelude::*;
        let pairs = rays.par_iter().zip(answers).with_min_len(256);
        pairs.for_each(|(ray, slot)| *slot = answer(ray));
    }
    #[cfg(not(feature = "parallel"))]
    for (ray, slot) in rays.iter().zip(answers) {
        *slot = answer(ray);
    }
}
