//! Hit sinks: what a query does with the candidates of its ray.

use std::marker::PhantomData;

use hitscan_primitives::{Candidate, Hit, HitMode, Ray, Side, TriangleHit, WatertightRay};

use crate::{layout::TriangleBlock, leaf_position::LeafPosition};

/// A sink of a query that has one answer for a ray.
pub(crate) trait Query: HitSink {
    type Answer;
    fn along(ray: &Ray) -> Self;
    fn answer(self) -> Self::Answer;
}

/// Receives the candidates of a ray and bounds how far the traversal goes.
pub(crate) trait HitSink {
    /// Whether the traversal visits near children first.
    const ORDERED: bool;
    /// Whether the sink accepts every candidate. Then a certain hit counts before it is decided.
    const TAKES_ALL_HITS: bool = false;
    /// Whether the sink only asks if there is a hit.
    const NEEDS_NO_T: bool = false;
    /// The `t` beyond which no candidate changes the answer. It falls only when the sink accepts a candidate.
    fn t_max(&self) -> f32;
    /// Takes a candidate within the ray's interval, which may lie beyond `t_max`. `true` ends the
    /// traversal.
    fn accept_candidate(
        &mut self,
        candidate: &MeshCandidate,
        geometry: &CandidateGeometry<'_>,
    ) -> bool;
    /// Whether a candidate can change the answer, as far as this is known before it is accepted.
    #[inline(always)]
    fn is_of_use(&self, candidate: &MeshCandidate) -> bool {
        let _ = candidate;
        true
    }
    /// Learns that there is a hit, if [`NEEDS_NO_T`](Self::NEEDS_NO_T).
    #[inline(always)]
    fn accept_certain_hit(&mut self) -> bool {
        false
    }
}

/// A candidate hit without barycentrics.
///
/// Most candidates are discarded, so `u` and `v` are computed only for the final ones.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MeshCandidate {
    pub(crate) hit: Candidate,
    pub(crate) triangle: u32,
    pub(crate) position: LeafPosition,
}

impl MeshCandidate {
    /// The placeholder for a ray without a hit: every candidate up to `t_max` comes before it.
    #[inline(always)]
    pub(crate) fn none_until(t_max: f32) -> Self {
        Self {
            hit: Candidate::without_weights(t_max),
            triangle: TriangleBlock::NO_TRIANGLE,
            position: LeafPosition::new(0, 0),
        }
    }

    /// Whether this candidate precedes the other by `(t, triangle)`.
    #[inline(always)]
    pub(crate) fn is_before(&self, other: &Self) -> bool {
        let (t, other_t) = (self.hit.t, other.hit.t);
        t < other_t || (t == other_t && self.triangle < other.triangle)
    }

    /// Whether this is a hit, not a placeholder.
    #[inline(always)]
    pub(crate) fn is_hit(&self) -> bool {
        self.triangle != TriangleBlock::NO_TRIANGLE
    }

    /// The hit with its barycentrics.
    #[inline(always)]
    pub(crate) fn to_hit(self) -> Hit {
        let TriangleHit { t, u, v, side } = self.hit.hit();
        Hit { t, u, v, triangle: self.triangle, side }
    }
}

impl From<MeshCandidate> for Hit {
    #[inline(always)]
    fn from(candidate: MeshCandidate) -> Self {
        candidate.to_hit()
    }
}

impl From<MeshCandidate> for (Hit, LeafPosition) {
    #[inline(always)]
    fn from(candidate: MeshCandidate) -> Self {
        (candidate.to_hit(), candidate.position)
    }
}

/// The side that a ray sees of a front or back face.
#[inline(always)]
pub(super) fn side(is_front: bool) -> Side {
    if is_front { Side::Front } else { Side::Back }
}

/// The ray and the corners of a candidate, for tests that few candidates need.
pub(crate) struct CandidateGeometry<'a> {
    pub(super) ray: &'a WatertightRay,
    pub(super) corners: [[f32; 3]; 3],
}

impl CandidateGeometry<'_> {
    /// [`WatertightRay::owns_crossing`].
    fn owns_crossing(&self, candidate: &Candidate) -> bool {
        candidate.is_inside_edges() || self.ray.owns_crossing_in_order(self.corners)
    }
}

/// Whether a candidate counts in this mode.
#[inline(always)]
fn counts(mode: HitMode, candidate: &MeshCandidate, geometry: &CandidateGeometry<'_>) -> bool {
    mode == HitMode::EveryTriangle || geometry.owns_crossing(&candidate.hit)
}

/// Keeps the hit with the minimum `(t, triangle)`, and answers what `A` has of it.
pub(crate) struct ClosestHit<A = Hit> {
    pub(crate) best: MeshCandidate,
    answer: PhantomData<A>,
}

impl ClosestHit {
    /// Takes only what comes before `best`.
    #[inline(always)]
    pub(crate) fn before(best: MeshCandidate) -> Self {
        Self { best, answer: PhantomData }
    }
}

impl<A: From<MeshCandidate>> Query for ClosestHit<A> {
    type Answer = Option<A>;

    #[inline(always)]
    fn along(ray: &Ray) -> Self {
        Self { best: MeshCandidate::none_until(ray.t_max), answer: PhantomData }
    }

    #[inline(always)]
    fn answer(self) -> Option<A> {
        // Not `then`, whose closure might be compiled for the baseline.
        if self.best.is_hit() { Some(A::from(self.best)) } else { None }
    }
}

impl<A> HitSink for ClosestHit<A> {
    const ORDERED: bool = true;
    const TAKES_ALL_HITS: bool = true;

    #[inline(always)]
    fn t_max(&self) -> f32 {
        self.best.hit.t
    }

    #[inline(always)]
    fn is_of_use(&self, candidate: &MeshCandidate) -> bool {
        candidate.is_before(&self.best)
    }

    #[inline(always)]
    fn accept_candidate(&mut self, candidate: &MeshCandidate, _: &CandidateGeometry<'_>) -> bool {
        if self.is_of_use(candidate) {
            self.best = *candidate;
        }
        false
    }
}

/// [`ClosestHit`] that also answers where the leaves keep the triangle.
pub(crate) type ClosestPlace = ClosestHit<(Hit, LeafPosition)>;

/// Ends the traversal at the first hit.
pub(crate) struct AnyHit {
    t_max: f32,
    is_hit: bool,
}

impl Query for AnyHit {
    type Answer = bool;

    #[inline(always)]
    fn along(ray: &Ray) -> Self {
        Self { t_max: ray.t_max, is_hit: false }
    }

    #[inline(always)]
    fn answer(self) -> bool {
        self.is_hit
    }
}

impl HitSink for AnyHit {
    const ORDERED: bool = false;
    const TAKES_ALL_HITS: bool = true;
    const NEEDS_NO_T: bool = true;

    #[inline(always)]
    fn t_max(&self) -> f32 {
        self.t_max
    }

    #[inline(always)]
    fn accept_candidate(&mut self, _: &MeshCandidate, _: &CandidateGeometry<'_>) -> bool {
        self.accept_certain_hit()
    }

    #[inline(always)]
    fn accept_certain_hit(&mut self) -> bool {
        self.is_hit = true;
        true
    }
}

/// Keeps all hits, unsorted.
pub(crate) struct AllHits<'a> {
    pub(crate) t_max: f32,
    pub(crate) mode: HitMode,
    pub(crate) hits: &'a mut Vec<Hit>,
}

impl HitSink for AllHits<'_> {
    const ORDERED: bool = false;

    #[inline(always)]
    fn t_max(&self) -> f32 {
        self.t_max
    }

    #[inline(always)]
    fn accept_candidate(
        &mut self,
        candidate: &MeshCandidate,
        geometry: &CandidateGeometry<'_>,
    ) -> bool {
        if counts(self.mode, candidate, geometry) {
            self.hits.push(candidate.to_hit());
        }
        false
    }
}

/// Counts the crossings of the surface by their sides.
pub(crate) struct CountCrossings {
    pub(crate) t_max: f32,
    pub(crate) n_front: usize,
    pub(crate) n_back: usize,
}

impl HitSink for CountCrossings {
    const ORDERED: bool = false;

    #[inline(always)]
    fn t_max(&self) -> f32 {
        self.t_max
    }

    #[inline(always)]
    fn accept_candidate(
        &mut self,
        candidate: &MeshCandidate,
        geometry: &CandidateGeometry<'_>,
    ) -> bool {
        let n = usize::from(counts(HitMode::OncePerCrossing, candidate, geometry));
        let is_front = candidate.hit.side == Side::Front;
        *(if is_front { &mut self.n_front } else { &mut self.n_back }) += n;
        false
    }
}

/// Keeps the first `n` hits by `(t, triangle)`, sorted.
pub(crate) struct NearestHits<'a> {
    pub(crate) all: AllHits<'a>,
    /// At least 1.
    pub(crate) n: usize,
}

impl HitSink for NearestHits<'_> {
    const ORDERED: bool = true;

    #[inline(always)]
    fn t_max(&self) -> f32 {
        self.all.hits.get(self.n - 1).map_or(self.all.t_max, |last| last.t)
    }

    #[inline(always)]
    fn accept_candidate(
        &mut self,
        candidate: &MeshCandidate,
        geometry: &CandidateGeometry<'_>,
    ) -> bool {
        if counts(self.all.mode, candidate, geometry) {
            let (hit, hits) = (candidate.to_hit(), &mut *self.all.hits);
            let index = hits.partition_point(|other| other.cmp_along_ray(&hit).is_lt());
            // A split triangle comes more than once, with the same hit.
            let is_new = hits.get(index).is_none_or(|other| other.triangle != hit.triangle);
            if index < self.n && is_new {
                hits.truncate(self.n - 1);
                hits.insert(index, hit);
            }
        }
        false
    }
}
