//! What a world ray hits.

use std::ops::ControlFlow;

use hitscan_bvh::MeshBvh;
use hitscan_primitives::{Faces, Hit, HitMode};

use crate::{InstanceId, LocalRay, Scene, SceneHit, WorldRay, placement::SlabRay, scene::Record};

/// Which triangles of which instances a query sees.
///
/// ```
/// use hitscan_primitives::Faces;
/// use hitscan_scene::QueryOptions;
///
/// let options = QueryOptions { faces: Faces::Front, layers: 1 << 3, ..QueryOptions::default() };
/// assert!(!options.include_hidden);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct QueryOptions<'a> {
    /// Which sides of the triangles. Front is the side that is front in the mesh's own space: what is
    /// outside of a closed mesh stays outside in a mirrored instance.
    pub faces: Faces,
    /// Instances on none of these layers are left out.
    pub layers: u32,
    /// Instances to leave out, each with everything below it.
    pub ignore: &'a [InstanceId],
    /// Whether hidden instances count.
    pub include_hidden: bool,
    /// Whether locked instances count.
    pub include_locked: bool,
}

impl Default for QueryOptions<'_> {
    /// Both sides of everything that is neither hidden nor locked, on all layers.
    fn default() -> Self {
        Self {
            faces: Faces::Both,
            layers: u32::MAX,
            ignore: &[],
            include_hidden: false,
            include_locked: false,
        }
    }
}

impl Scene {
    /// Whether a query with these options sees the instance.
    pub(crate) fn sees(&self, record: &Record, options: &QueryOptions<'_>) -> bool {
        let instance = &record.instance;
        (options.include_hidden || !record.place.hidden)
            && (options.include_locked || !instance.locked)
            && instance.layers & options.layers != 0
            && (options.ignore.is_empty()
                || !self.ancestors(record.id).any(|record| options.ignore.contains(&record.id)))
    }

    /// The world ray in the space of an instance's mesh, by which the instance's hits are defined:
    /// `None` for an unknown handle, an invalid ray, or one whose direction or origin does not fit f32
    /// in that space.
    pub fn local_ray(&self, id: InstanceId, ray: &WorldRay) -> Option<LocalRay> {
        let record = self.record(id).filter(|_| ray.is_valid())?;
        LocalRay::new(&record.place.placement.frame, ray)
    }

    /// Asks the instances that the ray may hit, near ones first. `ask` gets an instance with its local
    /// ray, and answers with the `t` of the world ray from which on hits are of no use.
    fn for_each_instance(
        &self,
        ray: &WorldRay,
        options: &QueryOptions<'_>,
        mut ask: impl FnMut(Asked<'_>) -> ControlFlow<(), f64>,
    ) {
        if !ray.is_valid() {
            return;
        }
        let slabs = SlabRay::new(ray);
        self.tree.walk(
            ray.t_max,
            |bounds| slabs.enter(bounds),
            |index, limit| {
                let record = self.at(index);
                let Some(mesh) = &record.instance.mesh else {
                    return ControlFlow::Continue(limit);
                };
                if !self.sees(record, options) {
                    return ControlFlow::Continue(limit);
                }
                match LocalRay::new(&record.place.placement.frame, ray) {
                    Some(local) => ask(Asked { record, bvh: mesh.bvh(), ray: local, limit }),
                    None => ControlFlow::Continue(limit),
                }
            },
        );
    }

    /// The hit with the least `(t, instance, triangle)`, instances in the order of first insertion.
    pub fn closest_hit(&self, ray: &WorldRay, options: &QueryOptions<'_>) -> Option<SceneHit> {
        let mut closest: Option<SceneHit> = None;
        self.for_each_instance(ray, options, |asked| {
            let found = asked.bvh.closest_hit(&asked.ray.until(asked.limit), options.faces);
            asked.keep_closer(found, &mut closest)
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
        self.for_each_instance(ray, options, |asked| {
            let local = asked.ray.until(asked.limit);
            let found =
                asked.bvh.closest_hit_where(&local, options.faces, |hit| accept(&asked.hit(*hit)));
            asked.keep_closer(found, &mut closest)
        });
        closest
    }

    /// Whether the ray hits anything: cheaper than asking what.
    pub fn is_occluded(&self, ray: &WorldRay, options: &QueryOptions<'_>) -> bool {
        let mut occluded = false;
        self.for_each_instance(ray, options, |asked| {
            occluded = asked.bvh.is_occluded(&asked.ray.ray, options.faces);
            asked.go_on_unless(occluded)
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
        self.for_each_instance(ray, options, |asked| {
            occluded = asked
                .bvh
                .is_occluded_where(&asked.ray.ray, options.faces, |hit| accept(&asked.hit(*hit)));
            asked.go_on_unless(occluded)
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
        let mut of_instance = Vec::new();
        self.for_each_instance(ray, options, |asked| {
            asked.bvh.all_hits_into(&asked.ray.ray, options.faces, mode, &mut of_instance);
            hits.extend(of_instance.iter().map(|&hit| asked.hit(hit)).filter(&mut accept));
            ControlFlow::Continue(asked.limit)
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
        let mut of_instance = Vec::new();
        self.for_each_instance(ray, options, |asked| {
            let local = asked.ray.until(asked.limit);
            let accept = |hit: &Hit| accept(&asked.hit(*hit));
            asked.bvh.nearest_hits_where(&local, options.faces, mode, n, accept, &mut of_instance);
            if of_instance.is_empty() {
                return ControlFlow::Continue(asked.limit);
            }
            hits.extend(of_instance.iter().map(|&hit| asked.hit(hit)));
            hits.sort_unstable_by(SceneHit::cmp_along_ray);
            hits.truncate(n);
            ControlFlow::Continue(hits.get(n - 1).map_or(asked.limit, |last| last.t))
        });
    }

    /// The number of surface crossings: hits by [`HitMode::Once`].
    pub fn count_crossings(&self, ray: &WorldRay, options: &QueryOptions<'_>) -> usize {
        let mut crossings = 0;
        self.for_each_instance(ray, options, |asked| {
            crossings += asked.bvh.count_crossings(&asked.ray.ray, options.faces);
            ControlFlow::Continue(asked.limit)
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
        for_each(rays, hits, |ray| self.closest_hit(ray, options));
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
        for_each(rays, occluded, |ray| self.is_occluded(ray, options));
    }
}

/// An instance that a ray may hit.
struct Asked<'a> {
    record: &'a Record,
    bvh: &'a MeshBvh,
    ray: LocalRay,
    /// Hits beyond this `t` of the world ray are of no use.
    limit: f64,
}

impl Asked<'_> {
    #[inline]
    fn hit(&self, local: Hit) -> SceneHit {
        SceneHit {
            t: self.ray.world_t(local.t),
            instance: self.record.id,
            insertion_order: self.record.order,
            local,
        }
    }

    fn keep_closer(
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

    fn go_on_unless(&self, found: bool) -> ControlFlow<(), f64> {
        if found { ControlFlow::Break(()) } else { ControlFlow::Continue(self.limit) }
    }
}

fn for_each<T: Send>(
    rays: &[WorldRay],
    answers: &mut [T],
    answer: impl Fn(&WorldRay) -> T + Sync + Send,
) {
    assert_eq!(rays.len(), answers.len(), "there must be one place for an answer per ray");
    #[cfg(feature = "parallel")]
    {
        use rayon::prelude::*;
        let pairs = rays.par_iter().zip(answers).with_min_len(256);
        pairs.for_each(|(ray, place)| *place = answer(ray));
    }
    #[cfg(not(feature = "parallel"))]
    for (ray, place) in rays.iter().zip(answers) {
        *place = answer(ray);
    }
}
