//! The rays of a group and their best hits, exact only where that matters.
//!
//! In f32 the `t` of a hit is known up to an interval. If that of a new hit lies wholly before that of the
//! best hit so far, the new one replaces it. Only where both overlap, or where an edge function is zero,
//! the reference's operations decide in f64. The `t` of the final hits is computed at the end.

use hitscan_primitives::Axis;

use crate::{
    kernel::{
        triangle_decision::{Shared, decide, exact_t},
        triangle_filter::{Corners, RayLanes},
    },
    layout::Leaves,
    simd::{KernelOn, LANES, Simd},
};

/// The position in the leaves of a lane without a hit. No tree has that many blocks, because its last
/// triangle would not have a number.
const NO_POSITION: u32 = u32::MAX;

/// The best hit so far in each lane.
#[derive(Clone, Copy)]
pub(super) struct BestLanes<S: Simd> {
    /// Bounds on the `t` of the hit, equal where it is exact. The end of the ray if there is no hit.
    pub(super) low: S::F,
    pub(super) high: S::F,
    /// The position of the triangle in the leaves, as bits.
    pub(super) position: S::F,
}

impl<S: Simd> BestLanes<S> {
    /// No hits, for rays that end at `t_max`.
    #[inline(always)]
    pub(super) fn none_until(s: S, t_max: S::F) -> Self {
        Self { low: t_max, high: t_max, position: s.splat(f32::from_bits(NO_POSITION)) }
    }

    /// The lanes with a hit, as bits.
    #[inline(always)]
    pub(super) fn found(&self, s: S) -> u32 {
        let positions = s.to_bits(self.position);
        let mut found = 0;
        for lane in 0..LANES {
            found |= u32::from(positions[lane] != NO_POSITION) << lane;
        }
        found
    }

    /// Replaces the hits in the lanes of `mask`.
    #[inline(always)]
    pub(super) fn set(&mut self, s: S, mask: S::M, [low, high]: [S::F; 2], position: u32) {
        self.low = s.select(mask, self.low, low);
        self.high = s.select(mask, self.high, high);
        self.position = s.select(mask, self.position, s.splat(f32::from_bits(position)));
    }

    /// Ends the rays in the lanes of `mask`.
    #[inline(always)]
    pub(super) fn retire(&mut self, s: S, mask: S::M) {
        self.low = s.select(mask, self.low, s.splat(f32::NEG_INFINITY));
        self.high = s.select(mask, self.high, s.splat(f32::NEG_INFINITY));
    }
}

/// One ray per lane. A lane without a ray holds the values of another ray, and no `t` is of use to it.
#[derive(Clone, Copy)]
pub(super) struct Group<S: Simd> {
    pub(super) rays: RayLanes<S>,
    pub(super) reciprocal: [S::F; 3],
    /// The origin times `-reciprocal`.
    pub(super) scaled_origin: [S::F; 3],
    pub(super) best: BestLanes<S>,
}

impl<S: Simd> Group<S> {
    /// The replacement of the best hits in `lanes` by hits at `t`, where those precede them.
    #[inline(always)]
    pub(super) fn improvement<'a>(
        &'a mut self,
        shared: &'a Shared<S>,
        leaves: &'a Leaves,
        axes: [Axis; 3],
        lanes: u32,
        t: S::F,
        position: u32,
    ) -> Improvement<'a, S> {
        Improvement { group: self, shared, leaves, axes, lanes, t, position }
    }

    /// Computes the `t` of the best hits in `lanes` where it is not exact.
    #[inline(always)]
    fn make_exact(
        &mut self,
        s: S,
        shared: &Shared<S>,
        leaves: &Leaves,
        axes: [Axis; 3],
        lanes: u32,
    ) {
        let loose = lanes & !s.movemask(s.eq(self.best.low, self.best.high));
        if loose != 0 {
            let corners = self.corners_of_best(s, leaves, axes, loose);
            let t = exact_t(s, &self.rays, shared, corners, loose);
            let mask = s.mask_from_bits(loose);
            self.best.low = s.select(mask, self.best.low, t);
            self.best.high = s.select(mask, self.best.high, t);
        }
    }
}

/// Candidates in some lanes of a group, all on one triangle, that f32 could not decide. Returns the lanes
/// that hit, with `ANY`, or whose best hit they replaced.
///
/// Out of line, because it is rare.
pub(super) struct Undecided<'a, S: Simd, const ANY: bool> {
    pub(super) group: &'a mut Group<S>,
    pub(super) shared: &'a Shared<S>,
    pub(super) leaves: &'a Leaves,
    pub(super) axes: [Axis; 3],
    pub(super) lanes: u32,
    /// The corners of the triangle relative to the origins.
    pub(super) corners: Corners<S>,
    pub(super) position: u32,
}

impl<S: Simd, const ANY: bool> KernelOn<S> for Undecided<'_, S, ANY> {
    type Output = u32;

    #[inline(always)]
    fn run_on(self, s: S) -> u32 {
        let Self { group, shared, leaves, axes, lanes, corners, position } = self;
        let hits = decide(s, &group.rays, shared, corners, lanes, group.best.high);
        if ANY || hits.accepted == 0 {
            return hits.accepted;
        }
        let (lanes, t) = (hits.accepted, hits.t);
        Improvement { group, shared, leaves, axes, lanes, t, position }.run_on(s)
    }
}

/// Exact hits in some lanes, all on one triangle. Returns the lanes whose best hit they replaced.
pub(super) struct Improvement<'a, S: Simd> {
    group: &'a mut Group<S>,
    shared: &'a Shared<S>,
    leaves: &'a Leaves,
    axes: [Axis; 3],
    lanes: u32,
    t: S::F,
    position: u32,
}

impl<S: Simd> KernelOn<S> for Improvement<'_, S> {
    type Output = u32;

    #[inline(always)]
    fn run_on(self, s: S) -> u32 {
        let Self { group, shared, leaves, axes, lanes, t, position } = self;
        group.make_exact(s, shared, leaves, axes, lanes);
        let best = &mut group.best;
        let mut accepted = lanes & s.movemask(s.le(t, best.high));
        // At equal `t` the smaller index wins. Ties are rare, so they are decided ray by ray.
        let mut ties = accepted & s.movemask(s.eq(t, best.high)) & best.found(s);
        while ties != 0 {
            let lane = ties.trailing_zeros() as usize % LANES;
            ties &= ties - 1;
            let old = s.to_bits(best.position)[lane];
            if leaves.triangle(old) <= leaves.triangle(position) {
                accepted &= !(1 << lane);
            }
        }
        best.set(s, s.mask_from_bits(accepted), [t; 2], position);
        accepted
    }
}
