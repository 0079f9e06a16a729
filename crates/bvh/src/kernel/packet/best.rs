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
    leaf_position::LeafPosition,
    simd::{KernelOn, LANES, Lanes, Simd},
};

/// The position in the leaves of a lane without a hit. No tree has that many blocks, because its last
/// triangle would not have a number.
const NO_POSITION: LeafPosition = LeafPosition::from_bits(u32::MAX);

/// The lanes of an octet of a group, as bits.
const OCTET_MASK: u32 = u32::MAX >> (32 - LANES);

/// The lanes of octet `octet` among those of its group, as bits.
#[inline(always)]
fn lanes_of_octet(lanes: u32, octet: usize) -> u32 {
    lanes >> (LANES * octet) & OCTET_MASK
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
        OCTET_MASK & !s.eq_bits(self.position, s.splat(f32::from_bits(NO_POSITION.bits())))
    }
}

impl<L: Lanes> BestLanes<L> {
    /// No hits, for rays that end at `t_max`.
    #[inline(always)]
    pub(super) fn none_until(s: L, t_max: L::F) -> Self {
        Self { low: t_max, high: t_max, position: s.splat(f32::from_bits(NO_POSITION.bits())) }
    }

    /// Replaces the hits in the lanes of `mask`.
    #[inline(always)]
    pub(super) fn set(&mut self, s: L, mask: L::M, [low, high]: [L::F; 2], position: LeafPosition) {
        self.low = s.select(mask, self.low, low);
        self.high = s.select(mask, self.high, high);
        self.position = s.select(mask, self.position, s.splat(f32::from_bits(position.bits())));
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
pub(super) struct Octet<S: Simd> {
    pub(super) rays: RayLanes<S>,
    pub(super) best: BestLanes<S>,
}

impl<S: Simd> Octet<S> {
    /// Octet `octet` of a group.
    #[inline(always)]
    pub(super) fn of(s: S, group: &Group<S::Rays>, octet: usize) -> Self {
        let RayLanes { origin, direction, shear, t_min, slack } = group.rays;
        let BestLanes { low, high, position } = group.best;
        Self {
            rays: RayLanes {
                origin: octets(s, origin, octet),
                direction: octets(s, direction, octet),
                shear: [s.octet(shear[0], octet), s.octet(shear[1], octet)],
                t_min: s.octet(t_min, octet),
                slack: s.octet(slack, octet),
            },
            best: BestLanes {
                low: s.octet(low, octet),
                high: s.octet(high, octet),
                position: s.octet(position, octet),
            },
        }
    }

    /// Writes the best hits to a group.
    #[inline(always)]
    pub(super) fn write_best(&self, s: S, group: &mut Group<S::Rays>, octet: usize) {
        let BestLanes { low, high, position } = group.best;
        group.best = BestLanes {
            low: s.with_octet(low, octet, self.best.low),
            high: s.with_octet(high, octet, self.best.high),
            position: s.with_octet(position, octet, self.best.position),
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

/// An octet of each of three registers.
#[inline(always)]
fn octets<S: Simd>(s: S, [x, y, z]: [<S::Rays as Lanes>::F; 3], octet: usize) -> [S::F; 3] {
    [s.octet(x, octet), s.octet(y, octet), s.octet(z, octet)]
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
    pub(super) position: LeafPosition,
}

impl<S: Simd, const ANY: bool> KernelOn<S> for Undecided<'_, S, ANY> {
    type Output = u32;

    #[inline(always)]
    fn run_on(self, s: S) -> u32 {
        let Self { group, shared, leaves, axes, lanes, corners, position } = self;
        let mut found = 0;
        for index in 0..S::OCTETS {
            let lanes = lanes_of_octet(lanes, index);
            if lanes == 0 {
                continue;
            }
            let mut octet = Octet::of(s, group, index);
            let [a, b, c] = corners;
            let corners = [octets(s, a, index), octets(s, b, index), octets(s, c, index)];
            let hits = decide(s, &octet.rays, shared, corners, lanes, octet.best.high);
            let (mut lanes, t) = (hits.accepted, hits.t);
            if !ANY && lanes != 0 {
                let better =
                    Improvement { octet: &mut octet, shared, leaves, axes, lanes, t, position };
                lanes = better.run_on(s);
                octet.write_best(s, group, index);
            }
            found |= lanes << (LANES * index);
        }
        found
    }
}

/// Exact hits in some lanes of an octet, all on one triangle. Returns the lanes whose best hit they replaced.
pub(super) struct Improvement<'a, S: Simd> {
    pub(super) octet: &'a mut Octet<S>,
    pub(super) shared: &'a Shared<S>,
    pub(super) leaves: &'a Leaves,
    pub(super) axes: [Axis; 3],
    pub(super) lanes: u32,
    pub(super) t: S::F,
    pub(super) position: LeafPosition,
}

impl<S: Simd> KernelOn<S> for Improvement<'_, S> {
    type Output = u32;

    #[inline(always)]
    fn run_on(self, s: S) -> u32 {
        let Self { octet, shared, leaves, axes, lanes, t, position } = self;
        octet.make_exact(s, shared, leaves, axes, lanes);
        let best = &mut octet.best;
        let mut accepted = lanes & s.movemask(s.le(t, best.high));
        // At equal `t` the smaller index wins. Ties are rare, so they are decided ray by ray.
        let mut ties = accepted & s.movemask(s.eq(t, best.high)) & best.found(s);
        while ties != 0 {
            let lane = ties.trailing_zeros() as usize % LANES;
            ties &= ties - 1;
            let old = LeafPosition::from_bits(s.to_bits(best.position)[lane]);
            if leaves.triangle(old) <= leaves.triangle(position) {
                accepted &= !(1 << lane);
            }
        }
        best.set(s, s.mask_from_bits(accepted), [t; 2], position);
        accepted
    }
}
