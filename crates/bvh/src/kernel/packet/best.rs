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
    simd::{KernelOn, LANES, Lanes, Simd},
};

/// The position in the leaves of a lane without a hit. No tree has that many blocks, because its last
/// triangle would not have a number.
const NO_POSITION: u32 = u32::MAX;

/// The lanes of a part of a group, as bits.
const PART_MASK: u32 = u32::MAX >> (32 - LANES);

/// The lanes of part `part` among those of its group, as bits.
#[inline(always)]
fn lanes_of_part(lanes: u32, part: usize) -> u32 {
    lanes >> (LANES * part) & PART_MASK
}

/// The best hit so far in each lane.
#[derive(Clone, Copy)]
pub(super) struct BestLanes<L: Lanes> {
    /// Bounds on the `t` of the hit, equal where it is exact. The end of the ray if there is no hit.
    pub(super) low: L::F,
    pub(super) high: L::F,
    /// The position of the triangle in the leaves, as bits.
    pub(super) position: L::F,
}

impl<S: Simd> BestLanes<S> {
    /// The lanes with a hit, as bits.
    #[inline(always)]
    pub(super) fn found(&self, s: S) -> u32 {
        PART_MASK & !s.eq_bits(self.position, s.splat(f32::from_bits(NO_POSITION)))
    }
}

impl<L: Lanes> BestLanes<L> {
    /// No hits, for rays that end at `t_max`.
    #[inline(always)]
    pub(super) fn none_until(s: L, t_max: L::F) -> Self {
        Self { low: t_max, high: t_max, position: s.splat(f32::from_bits(NO_POSITION)) }
    }

    /// Replaces the hits in the lanes of `mask`.
    #[inline(always)]
    pub(super) fn set(&mut self, s: L, mask: L::M, [low, high]: [L::F; 2], position: u32) {
        self.low = s.select(mask, self.low, low);
        self.high = s.select(mask, self.high, high);
        self.position = s.select(mask, self.position, s.splat(f32::from_bits(position)));
    }

    /// Ends the rays in the lanes of `mask`.
    #[inline(always)]
    pub(super) fn retire(&mut self, s: L, mask: L::M) {
        self.low = s.select(mask, self.low, s.splat(f32::NEG_INFINITY));
        self.high = s.select(mask, self.high, s.splat(f32::NEG_INFINITY));
    }
}

/// One ray per lane. A lane without a ray holds the values of another ray, and no `t` is of use to it.
#[derive(Clone, Copy)]
pub(super) struct Group<L: Lanes> {
    pub(super) rays: RayLanes<L>,
    pub(super) reciprocal: [L::F; 3],
    /// The origin times `-reciprocal`.
    pub(super) scaled_origin: [L::F; 3],
    pub(super) best: BestLanes<L>,
}

/// Eight rays of a group, for what is decided in f64.
pub(super) struct Part<S: Simd> {
    pub(super) rays: RayLanes<S>,
    pub(super) best: BestLanes<S>,
}

impl<S: Simd> Part<S> {
    /// Part `part` of a group.
    #[inline(always)]
    pub(super) fn of(s: S, group: &Group<S::Rays>, part: usize) -> Self {
        let RayLanes { origin, direction, shear, t_min, slack } = group.rays;
        let BestLanes { low, high, position } = group.best;
        Self {
            rays: RayLanes {
                origin: parts(s, origin, part),
                direction: parts(s, direction, part),
                shear: [s.part(shear[0], part), s.part(shear[1], part)],
                t_min: s.part(t_min, part),
                slack: s.part(slack, part),
            },
            best: BestLanes {
                low: s.part(low, part),
                high: s.part(high, part),
                position: s.part(position, part),
            },
        }
    }

    /// Writes the best hits to a group.
    #[inline(always)]
    pub(super) fn write_best(&self, s: S, group: &mut Group<S::Rays>, part: usize) {
        let BestLanes { low, high, position } = group.best;
        group.best = BestLanes {
            low: s.with_part(low, part, self.best.low),
            high: s.with_part(high, part, self.best.high),
            position: s.with_part(position, part, self.best.position),
        };
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

/// A part of each of three registers.
#[inline(always)]
fn parts<S: Simd>(s: S, [x, y, z]: [<S::Rays as Lanes>::F; 3], part: usize) -> [S::F; 3] {
    [s.part(x, part), s.part(y, part), s.part(z, part)]
}

/// Candidates in some lanes of a group, all on one triangle, that f32 could not decide. Returns the lanes
/// that hit, with `ANY`, or whose best hit they replaced.
///
/// Out of line, because it is rare.
pub(super) struct Undecided<'a, S: Simd, const ANY: bool> {
    pub(super) group: &'a mut Group<S::Rays>,
    pub(super) shared: &'a Shared<S>,
    pub(super) leaves: &'a Leaves,
    pub(super) axes: [Axis; 3],
    pub(super) lanes: u32,
    /// The corners of the triangle relative to the origins.
    pub(super) corners: Corners<S::Rays>,
    pub(super) position: u32,
}

impl<S: Simd, const ANY: bool> KernelOn<S> for Undecided<'_, S, ANY> {
    type Output = u32;

    #[inline(always)]
    fn run_on(self, s: S) -> u32 {
        let Self { group, shared, leaves, axes, lanes, corners, position } = self;
        let mut found = 0;
        for index in 0..S::RAY_PARTS {
            let lanes = lanes_of_part(lanes, index);
            if lanes == 0 {
                continue;
            }
            let mut part = Part::of(s, group, index);
            let [a, b, c] = corners;
            let corners = [parts(s, a, index), parts(s, b, index), parts(s, c, index)];
            let hits = decide(s, &part.rays, shared, corners, lanes, part.best.high);
            let (mut lanes, t) = (hits.accepted, hits.t);
            if !ANY && lanes != 0 {
                let better =
                    Improvement { part: &mut part, shared, leaves, axes, lanes, t, position };
                lanes = better.run_on(s);
                part.write_best(s, group, index);
            }
            found |= lanes << (LANES * index);
        }
        found
    }
}

/// Exact hits in some lanes of a part, all on one triangle. Returns the lanes whose best hit they replaced.
pub(super) struct Improvement<'a, S: Simd> {
    pub(super) part: &'a mut Part<S>,
    pub(super) shared: &'a Shared<S>,
    pub(super) leaves: &'a Leaves,
    pub(super) axes: [Axis; 3],
    pub(super) lanes: u32,
    pub(super) t: S::F,
    pub(super) position: u32,
}

impl<S: Simd> KernelOn<S> for Improvement<'_, S> {
    type Output = u32;

    #[inline(always)]
    fn run_on(self, s: S) -> u32 {
        let Self { part, shared, leaves, axes, lanes, t, position } = self;
        part.make_exact(s, shared, leaves, axes, lanes);
        let best = &mut part.best;
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
