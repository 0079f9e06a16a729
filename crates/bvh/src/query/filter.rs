//! Queries that skip hits by the caller's rule: holes in a texture, an ignore list.
//!
//! A rejected hit does not shorten the ray, so the query finds the triangles behind it as if it were not
//! there. The sinks call the rule through a pointer, for candidates only and never per lane. A closure
//! compiled into the kernels would be left out of line in all of them (see `kernel::triangle_filter`).

use std::collections::HashSet;

use hitscan_primitives::{Faces, Hit, HitMode, HitOptions, Ray};

use crate::{
    kernel::{
        AllHits, AnyHit, CandidateGeometry, ClosestHit, HitSink, MeshCandidate, NearestHits, Query,
    },
    mesh_bvh::MeshBvh,
    split::TriangleSet,
};

/// The caller's rule: whether to accept a hit.
type Accept<'a> = &'a mut dyn FnMut(&Hit) -> bool;

/// The caller's rule, asked once for each hit.
struct Rule<'a> {
    accept: Accept<'a>,
    /// The triangles that stand in several leaves.
    split: &'a TriangleSet,
    /// Those among them that the rule was asked about.
    asked: HashSet<u32>,
}

impl<'a> Rule<'a> {
    fn new(bvh: &'a MeshBvh, accept: Accept<'a>) -> Self {
        Self { accept, split: &bvh.tree.split, asked: HashSet::new() }
    }

    /// Whether the rule accepts a candidate. `false` for a second copy of the same hit, which the first copy has
    /// settled: either the rule rejected it, or the query knows it.
    #[inline(never)]
    fn accepts(&mut self, candidate: &MeshCandidate) -> bool {
        let triangle = candidate.triangle;
        let is_copy = self.split.contains(triangle) && !self.asked.insert(triangle);
        !is_copy && (self.accept)(&candidate.to_hit())
    }
}

/// Queries with a filter. Each equals the query of the same name without `_where` over the triangles
/// whose hit `accept` takes, to the last bit.
///
/// `accept` must give the same answer for the same hit. The traversal calls it at most once for each
/// candidate, in an order that depends on the tree. Some of these candidates are not part of the answer.
impl MeshBvh {
    /// The accepted hit with the minimum `(t, triangle)`.
    ///
    /// For cut-out textures, hidden faces, and rays that leave a known triangle. See also
    /// [`nearest_hits_where_into`](Self::nearest_hits_where_into), for more than one.
    ///
    /// ```
    /// use hitscan_bvh::{BuildOptions, MeshBvh};
    /// use hitscan_primitives::{Faces, Ray, generate};
    ///
    /// let mesh = generate::cuboid(2.0, 2.0, 2.0, 0)?;
    /// let bvh = MeshBvh::build(&mesh, &BuildOptions::default());
    /// let ray = Ray::new([0.1, 0.2, 5.0], [0.0, 0.0, -1.0]);
    /// let first = bvh.closest_hit(&ray, Faces::Both).expect("it is aimed at the cube");
    /// // As if the triangle hit first were a hole.
    /// let behind = bvh.closest_hit_where(&ray, Faces::Both, |hit| hit.triangle != first.triangle);
    /// assert_eq!(behind.map(|hit| hit.t), Some(6.0));
    /// # Ok::<(), hitscan_primitives::generate::GenerateError>(())
    /// ```
    pub fn closest_hit_where(
        &self,
        ray: &Ray,
        faces: Faces,
        mut accept: impl FnMut(&Hit) -> bool,
    ) -> Option<Hit> {
        self.closest_accepted(ray, faces, &mut accept)
    }

    /// Whether the ray has an accepted hit.
    ///
    /// For the shadows of leaves and fences. See also [`is_occluded`](Self::is_occluded), which is faster,
    /// because a certain hit needs no test.
    pub fn is_occluded_where(
        &self,
        ray: &Ray,
        faces: Faces,
        mut accept: impl FnMut(&Hit) -> bool,
    ) -> bool {
        self.any_accepted(ray, faces, &mut accept)
    }

    /// Writes all accepted hits to a buffer, which it clears first, sorted by `(t, triangle)`. Calls
    /// `accept` once for every hit, in that order.
    ///
    /// See also [`nearest_hits_where_into`](Self::nearest_hits_where_into), which calls `accept` for fewer
    /// hits.
    pub fn all_hits_where_into(
        &self,
        ray: &Ray,
        options: &HitOptions,
        accept: impl FnMut(&Hit) -> bool,
        hits: &mut Vec<Hit>,
    ) {
        self.all_hits_into(ray, options, hits);
        hits.retain(accept);
    }

    /// Writes the first `n` accepted hits to a buffer, which it clears first, sorted by `(t, triangle)`.
    /// The traversal ends beyond the `n`-th accepted hit.
    ///
    /// For a click that skips hidden faces. See also [`closest_hit_where`](Self::closest_hit_where), for one.
    pub fn nearest_hits_where_into(
        &self,
        ray: &Ray,
        n: usize,
        options: &HitOptions,
        mut accept: impl FnMut(&Hit) -> bool,
        hits: &mut Vec<Hit>,
    ) {
        let &HitOptions { faces, mode } = options;
        hits.clear();
        if n > 0 {
            let nearest = NearestHits { all: AllHits { t_max: ray.t_max, mode, hits }, n };
            self.nearest_accepted(ray, faces, nearest, &mut accept);
        }
    }

    /// The number of accepted crossings: hits by [`HitMode::OncePerCrossing`].
    ///
    /// For the parity of a part of a mesh. See also [`count_crossings`](Self::count_crossings), which keeps no
    /// list.
    pub fn count_crossings_where(
        &self,
        ray: &Ray,
        faces: Faces,
        accept: impl FnMut(&Hit) -> bool,
    ) -> usize {
        let mut hits = Vec::new();
        let options = HitOptions { faces, mode: HitMode::OncePerCrossing };
        self.all_hits_where_into(ray, &options, accept, &mut hits);
        hits.len()
    }
}

/// The part that is not generic over the rule, so that the kernels are compiled once.
impl MeshBvh {
    fn closest_accepted(&self, ray: &Ray, faces: Faces, accept: Accept<'_>) -> Option<Hit> {
        let mut hits = Filtered { sink: <ClosestHit>::along(ray), rule: Rule::new(self, accept) };
        self.trace(ray, faces, &mut hits);
        hits.sink.answer()
    }

    fn any_accepted(&self, ray: &Ray, faces: Faces, accept: Accept<'_>) -> bool {
        let mut hits = Filtered { sink: AnyHit::along(ray), rule: Rule::new(self, accept) };
        self.trace(ray, faces, &mut hits);
        hits.sink.answer()
    }

    fn nearest_accepted(
        &self,
        ray: &Ray,
        faces: Faces,
        nearest: NearestHits<'_>,
        accept: Accept<'_>,
    ) {
        let mut hits = Filtered { sink: nearest, rule: Rule::new(self, accept) };
        self.trace(ray, faces, &mut hits);
    }
}

/// A sink that takes only accepted candidates.
struct Filtered<'a, H> {
    sink: H,
    rule: Rule<'a>,
}

impl<H: HitSink> HitSink for Filtered<'_, H> {
    const ORDERED: bool = H::ORDERED;

    #[inline(always)]
    fn t_max(&self) -> f32 {
        self.sink.t_max()
    }

    #[inline(always)]
    fn accept_candidate(
        &mut self,
        candidate: &MeshCandidate,
        geometry: &CandidateGeometry<'_>,
    ) -> bool {
        self.sink.is_of_use(candidate)
            && self.rule.accepts(candidate)
            && self.sink.accept_candidate(candidate, geometry)
    }
}
