//! An instance that a ray may hit.

use std::ops::ControlFlow;

use hitscan_bvh::MeshBvh;
use hitscan_primitives::Hit;

use crate::{LocalRay, SceneHit, scene::Record};

/// An instance whose box the ray meets.
pub(crate) struct CandidateInstance<'a> {
    pub(crate) record: &'a Record,
    pub(crate) bvh: &'a MeshBvh,
    pub(crate) ray: LocalRay,
    /// The query needs no hits beyond this `t` of the world ray.
    pub(crate) limit: f64,
}

impl CandidateInstance<'_> {
    #[inline]
    pub(crate) fn hit(&self, local: Hit) -> SceneHit {
        SceneHit {
            t: self.ray.world_t(local.t),
            instance: self.record.id,
            insertion_order: self.record.insertion_order,
            local,
        }
    }

    pub(crate) fn keep_closest(
        &self,
        hit: Option<Hit>,
        closest: &mut Option<SceneHit>,
    ) -> ControlFlow<(), f64> {
        if let Some(hit) = hit.map(|hit| self.hit(hit))
            && closest.is_none_or(|closest| hit.cmp_along_ray(&closest).is_lt())
        {
            *closest = Some(hit);
        }
        ControlFlow::Continue(closest.map_or(self.limit, |hit| hit.t))
    }

    pub(crate) fn continue_unless(&self, done: bool) -> ControlFlow<(), f64> {
        if done { ControlFlow::Break(()) } else { ControlFlow::Continue(self.limit) }
    }
}
