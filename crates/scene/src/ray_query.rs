//! Ray queries in world space.

use std::ops::ControlFlow;

use hitscan_bvh::instances::InstanceHit;
use hitscan_primitives::Hit;

use crate::{
    InstanceId, LocalRay, QueryOptions, Scene, SceneHit, WorldRay, candidate::CandidateInstance,
};

impl Scene {
    /// The image of a world ray in the space of an instance's mesh, which defines the instance's hits.
    ///
    /// When to use: to continue a query on the mesh of one instance by hand. See also
    /// [`closest_hits_of_instance`](Self::closest_hits_of_instance), which casts many rays at one instance.
    ///
    /// `None` for an unknown handle, an invalid ray, or a ray whose local origin or direction exceeds the
    /// range of f32.
    pub fn local_ray(&self, id: InstanceId, ray: &WorldRay) -> Option<LocalRay> {
        let record = self.record(id).filter(|_| ray.is_valid())?;
        LocalRay::new(&self.frame(record), ray)
    }

    /// Traverses the instances whose box the ray meets, nearest first. `visit` gets an instance with its
    /// local ray, and returns the new maximum `t` of the world ray.
    fn for_each_candidate(
        &self,
        ray: &WorldRay,
        options: &QueryOptions<'_>,
        mut visit: impl FnMut(CandidateInstance<'_>) -> ControlFlow<(), f64>,
    ) {
        self.tree.visit_ray(ray, options.filter(), &mut |index, &local, limit| {
            let record = self.at(index);
            match &record.instance.mesh {
                Some(mesh) if !self.is_ignored(record, options) => {
                    visit(CandidateInstance { record, bvh: mesh.bvh(), ray: local, limit })
                }
                _ => ControlFlow::Continue(limit),
            }
        });
    }

    /// The hit with the minimum `(t, instance, triangle)`, with instances in order of first insertion.
    ///
    /// When to use: for the surface under a pointer, or the first thing that a beam meets. See also
    /// [`is_occluded`](Self::is_occluded) if the hit itself does not matter,
    /// [`closest_hit_batch`](Self::closest_hit_batch) for many rays, and [`describe`](Self::describe) for
    /// the facts about the hit.
    ///
    /// `t` counts in units of the ray's direction. An invalid ray returns `None`. The cost is a nearest-first
    /// traversal of the top-level tree and of the meshes whose box the ray meets before the hit.
    ///
    /// ```
    /// use hitscan_scene::{QueryOptions, Scene, WorldRay};
    ///
    /// let ray = WorldRay::segment([0.0; 3], [0.0, 0.0, 4.0]);
    /// assert_eq!(Scene::new().closest_hit(&ray, &QueryOptions::default()), None);
    /// ```
    pub fn closest_hit(&self, ray: &WorldRay, options: &QueryOptions<'_>) -> Option<SceneHit> {
        if options.ignore.is_empty() {
            let hit = self.tree.closest_hit(ray, options.faces, options.filter())?;
            return Some(scene_hit(&hit));
        }
        let mut closest: Option<SceneHit> = None;
        self.for_each_candidate(ray, options, |candidate| {
            let hit =
                candidate.bvh.closest_hit(&candidate.ray.until(candidate.limit), options.faces);
            candidate.keep_closest(hit, &mut closest)
        });
        closest
    }

    /// [`closest_hit`](Self::closest_hit) among the hits for which `accept` returns `true`.
    ///
    /// When to use: for a rule that [`QueryOptions`] cannot state, such as transparent texels. See also
    /// [`nearest_hits_into`](Self::nearest_hits_into), which leaves the choice to the caller.
    ///
    /// The traversal calls `accept` on candidates, including some that are not the closest, in an order
    /// that depends on the trees. `accept` must return the same value for the same hit.
    pub fn closest_hit_where(
        &self,
        ray: &WorldRay,
        options: &QueryOptions<'_>,
        mut accept: impl FnMut(&SceneHit) -> bool,
    ) -> Option<SceneHit> {
        let mut closest: Option<SceneHit> = None;
        self.for_each_candidate(ray, options, |candidate| {
            let local = candidate.ray.until(candidate.limit);
            let hit = candidate
                .bvh
                .closest_hit_where(&local, options.faces, |hit| accept(&candidate.hit(*hit)));
            candidate.keep_closest(hit, &mut closest)
        });
        closest
    }

    /// Whether the ray hits anything. Cheaper than [`closest_hit`](Self::closest_hit), because the
    /// traversal ends at the first hit. `false` for an invalid ray.
    ///
    /// When to use: for shadows and lines of sight. See also [`is_occluded_batch`](Self::is_occluded_batch)
    /// for many rays.
    pub fn is_occluded(&self, ray: &WorldRay, options: &QueryOptions<'_>) -> bool {
        if options.ignore.is_empty() {
            return self.tree.is_occluded(ray, options.faces, options.filter());
        }
        let mut occluded = false;
        self.for_each_candidate(ray, options, |candidate| {
            occluded = candidate.bvh.is_occluded(&candidate.ray.ray, options.faces);
            candidate.continue_unless(occluded)
        });
        occluded
    }

    /// Whether the ray has a hit for which `accept` returns `true`; see
    /// [`closest_hit_where`](Self::closest_hit_where).
    ///
    /// When to use: for shadows that leave out some hits, such as those of the object that casts the ray.
    /// See also [`HitDetails::safe_origin`](crate::HitDetails::safe_origin), which needs no rule.
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

    /// All hits, sorted by `(t, instance, triangle)`. Empty for an invalid ray.
    ///
    /// When to use: for everything behind a pixel, thicknesses, and sections along a line. See also
    /// [`nearest_hits_into`](Self::nearest_hits_into) if the first few are enough, and
    /// [`count_crossings`](Self::count_crossings) if their number is.
    ///
    /// [`QueryOptions::mode`] decides how a ray through a shared edge counts. Allocates the list; use
    /// [`all_hits_into`](Self::all_hits_into) to reuse one.
    pub fn all_hits(&self, ray: &WorldRay, options: &QueryOptions<'_>) -> Vec<SceneHit> {
        let mut hits = Vec::new();
        self.all_hits_into(ray, options, &mut hits);
        hits
    }

    /// [`all_hits`](Self::all_hits) into a buffer, which the query clears first.
    ///
    /// When to use: in loops, which then allocate nothing.
    pub fn all_hits_into(
        &self,
        ray: &WorldRay,
        options: &QueryOptions<'_>,
        hits: &mut Vec<SceneHit>,
    ) {
        self.all_hits_where_into(ray, options, |_| true, hits);
    }

    /// [`all_hits`](Self::all_hits) for which `accept` returns `true`, into a buffer, which the query clears
    /// first. The query calls `accept` once per hit.
    ///
    /// When to use: for a rule that [`QueryOptions`] cannot state. See also
    /// [`nearest_hits_where_into`](Self::nearest_hits_where_into).
    pub fn all_hits_where_into(
        &self,
        ray: &WorldRay,
        options: &QueryOptions<'_>,
        mut accept: impl FnMut(&SceneHit) -> bool,
        hits: &mut Vec<SceneHit>,
    ) {
        hits.clear();
        let mut instance_hits = Vec::new();
        self.for_each_candidate(ray, options, |candidate| {
            candidate.bvh.all_hits_into(
                &candidate.ray.ray,
                &options.hit_options(),
                &mut instance_hits,
            );
            hits.extend(instance_hits.iter().map(|&hit| candidate.hit(hit)).filter(&mut accept));
            ControlFlow::Continue(candidate.limit)
        });
        hits.sort_unstable_by(SceneHit::cmp_along_ray);
    }

    /// The first `n` of [`all_hits`](Self::all_hits), sorted by `(t, instance, triangle)`, into a buffer,
    /// which the query clears first. The traversal stops beyond the `n`-th hit.
    ///
    /// When to use: for clicking through what lies behind the first hit. See also
    /// [`all_hits`](Self::all_hits).
    pub fn nearest_hits_into(
        &self,
        ray: &WorldRay,
        n: usize,
        options: &QueryOptions<'_>,
        hits: &mut Vec<SceneHit>,
    ) {
        self.nearest_hits_where_into(ray, n, options, |_| true, hits);
    }

    /// [`nearest_hits_into`](Self::nearest_hits_into) among the hits for which `accept` returns `true`; see
    /// [`closest_hit_where`](Self::closest_hit_where).
    ///
    /// When to use: to stop at the `n`-th hit that counts. See also
    /// [`all_hits_where_into`](Self::all_hits_where_into).
    pub fn nearest_hits_where_into(
        &self,
        ray: &WorldRay,
        n: usize,
        options: &QueryOptions<'_>,
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
            candidate.bvh.nearest_hits_where_into(
                &local,
                n,
                &options.hit_options(),
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

    /// The number of surface crossings: the number of hits with
    /// [`HitMode::OncePerCrossing`](hitscan_primitives::HitMode::OncePerCrossing). 0 for an invalid ray.
    ///
    /// When to use: to count walls between two points. See also
    /// [`instances_containing`](Self::instances_containing), which tells whether a point is inside.
    pub fn count_crossings(&self, ray: &WorldRay, options: &QueryOptions<'_>) -> usize {
        let mut crossings = 0;
        self.for_each_candidate(ray, options, |candidate| {
            crossings += candidate.bvh.count_crossings(&candidate.ray.ray, options.faces);
            ControlFlow::Continue(candidate.limit)
        });
        crossings
    }

    /// The number of crossings from the front to the back of surfaces, less that from the back to the front. 0 for
    /// an invalid ray. The query ignores [`QueryOptions::faces`].
    ///
    /// When to use: to count the solids that end, less those that begin, between two points. See also
    /// [`count_crossings`](Self::count_crossings), which counts the same crossings without a sign.
    pub fn signed_crossings(&self, ray: &WorldRay, options: &QueryOptions<'_>) -> i64 {
        let mut crossings = 0;
        self.for_each_candidate(ray, options, |candidate| {
            crossings += candidate.bvh.signed_crossings(&candidate.ray.ray);
            ControlFlow::Continue(candidate.limit)
        });
        crossings
    }

    /// [`closest_hit`](Self::closest_hit) of each ray, in the order of `rays`. The feature `parallel` runs
    /// it on rayon's current pool.
    ///
    /// When to use: for pictures, sensors and bakes. See also [`closest_hit`](Self::closest_hit) for one
    /// ray, with the same answer.
    ///
    /// Neighbours in the list should be neighbours in space, because they then find the same memory in the caches. Rays
    /// that have nothing in common are interleaved if the scene is larger than the caches.
    ///
    /// # Panics
    /// If `hits` and `rays` differ in length.
    pub fn closest_hit_batch(
        &self,
        rays: &[WorldRay],
        options: &QueryOptions<'_>,
        hits: &mut [Option<SceneHit>],
    ) {
        if options.ignore.is_empty() {
            let (faces, filter) = (options.faces, options.filter());
            return self.tree.closest_hit_batch(rays, faces, filter, hits, scene_hit);
        }
        answer_batch(rays, hits, |rays, hits| {
            for (ray, hit) in rays.iter().zip(hits) {
                *hit = self.closest_hit(ray, options);
            }
        });
    }

    /// [`is_occluded`](Self::is_occluded) of each ray, in the order of `rays`. The feature `parallel` runs
    /// it on rayon's current pool.
    ///
    /// When to use: for shadow maps and ambient occlusion. See also [`is_occluded`](Self::is_occluded) for
    /// one ray, with the same answer, and [`closest_hit_batch`](Self::closest_hit_batch) for the order of rays.
    ///
    /// # Panics
    /// If `occluded` and `rays` differ in length.
    pub fn is_occluded_batch(
        &self,
        rays: &[WorldRay],
        options: &QueryOptions<'_>,
        occluded: &mut [bool],
    ) {
        if options.ignore.is_empty() {
            let (faces, filter) = (options.faces, options.filter());
            return self.tree.is_occluded_batch(rays, faces, filter, occluded);
        }
        answer_batch(rays, occluded, |rays, occluded| {
            for (ray, occluded) in rays.iter().zip(occluded) {
                *occluded = self.is_occluded(ray, options);
            }
        });
    }
}

#[inline]
fn scene_hit(hit: &InstanceHit) -> SceneHit {
    SceneHit {
        t: hit.t,
        instance: InstanceId { index: hit.item, generation: hit.tag.generation },
        insertion_order: hit.tag.order,
        local: hit.hit,
    }
}

/// Calls `answer` with runs of rays and their answer slots.
pub(crate) fn answer_batch<R: Sync, T: Send>(
    rays: &[R],
    answers: &mut [T],
    answer: impl Fn(&[R], &mut [T]) + Sync + Send,
) {
    /// The rays of a run.
    const RUN: usize = 32;
    assert_eq!(rays.len(), answers.len(), "one answer slot per ray");
    #[cfg(feature = "parallel")]
    {
        use rayon::prelude::*;
        let runs = rays.par_chunks(RUN).zip(answers.par_chunks_mut(RUN)).with_min_len(8);
        runs.for_each(|(rays, answers)| answer(rays, answers));
    }
    #[cfg(not(feature = "parallel"))]
    for (rays, answers) in rays.chunks(RUN).zip(answers.chunks_mut(RUN)) {
        answer(rays, answers);
    }
}
