//! How coherent the last rays of a thread were, and how a traversal goes on to a child in each case.
//!
//! It chooses between loops that give the same answer and visit the same boxes in the same order.

use std::cell::Cell;

use hitscan_primitives::Ray;

use super::occluder::Occluder;
use crate::kernel::HitSink;

/// How coherent consecutive rays are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Coherence {
    /// They start near each other and point alike, as the rays of a camera do.
    Coherent,
    /// They start near each other and point anywhere, as reflections do.
    CoherentOrigins,
    /// They have nothing in common.
    Incoherent,
}

/// A [`Coherence`] that is known at compile time: what a traversal may bet on.
///
/// A child is either loaded, which waits for the box test, or [`predicted`](crate::simd::predicted) by branches.
/// Coherent rays go the same way, so their predictions are mostly right.
pub(crate) trait DescentPolicy {
    /// Whether consecutive rays start near each other. Then the traversal predicts an only child, and prepares the
    /// triangle test before its first leaf. Else it branches where there are two children, to continue before the
    /// nearer is known, and prefetches the second nearest child.
    const COHERENT_ORIGINS: bool;
    /// Whether they also point alike. Then it predicts the nearest of several children, and an any-hit query tests
    /// the block first that stopped the last ray. Else it drops eight entries at once after a hit
    /// ([`cut_and_pop`](super::child_order::cut_and_pop)): 3 % less time, but 1 % more where branches are predicted.
    const COHERENT_DIRECTIONS: bool;
}

/// The policy of [`Coherence::Coherent`].
pub(crate) struct Coherent;

impl DescentPolicy for Coherent {
    const COHERENT_ORIGINS: bool = true;
    const COHERENT_DIRECTIONS: bool = true;
}

/// The policy of [`Coherence::CoherentOrigins`].
pub(super) struct CoherentOrigins;

impl DescentPolicy for CoherentOrigins {
    const COHERENT_ORIGINS: bool = true;
    const COHERENT_DIRECTIONS: bool = false;
}

/// The policy of [`Coherence::Incoherent`].
pub(crate) struct Incoherent;

impl DescentPolicy for Incoherent {
    const COHERENT_ORIGINS: bool = false;
    const COHERENT_DIRECTIONS: bool = false;
}

/// The rays of one query that a thread has traced, as far as it remembers them.
pub(super) struct RecentRays {
    n: Cell<u32>,
    coherence: Cell<Coherence>,
    /// The first ray of the pair that is compared.
    first: Cell<[f32; 6]>,
    /// The share of pairs with coherent origins, from 0 to [`ALL`]. Recent pairs weigh most.
    coherent_origins: Cell<u32>,
    /// The share of pairs with coherent directions as well.
    coherent: Cell<u32>,
    pub(super) occluder: Occluder,
}

/// A pair of rays is compared in each period.
const PERIOD: u32 = 64;

/// All pairs.
const ALL: u32 = 256;

impl RecentRays {
    pub(super) const fn new() -> Self {
        Self {
            n: Cell::new(0),
            coherence: Cell::new(Coherence::CoherentOrigins),
            first: Cell::new([0.0; 6]),
            // So that the first pair decides.
            coherent_origins: Cell::new(ALL / 2),
            coherent: Cell::new(ALL / 2),
            occluder: Occluder::new(),
        }
    }

    /// Counts a ray. Whether it is to be [compared](Self::compare).
    ///
    /// Inlined, because a call would cost 4 to 5 % of a short ray.
    #[inline(always)]
    pub(super) fn count(&self) -> bool {
        let n = self.n.get();
        self.n.set(n.wrapping_add(1));
        n % PERIOD < 2
    }

    /// The coherence to expect of the next ray.
    #[inline(always)]
    pub(super) fn coherence(&self) -> Coherence {
        self.coherence.get()
    }

    /// Keeps the first ray of a pair, or compares the second with it. `size` is that of most of
    /// the mesh.
    #[cold]
    #[inline(never)]
    pub(super) fn compare(&self, ray: &Ray, size: f32) {
        let is_second = self.n.get() % PERIOD == 2;
        let ([ox, oy, oz], [dx, dy, dz]) = (ray.origin.to_array(), ray.direction.to_array());
        let numbers = [ox, oy, oz, dx, dy, dz];
        if !is_second {
            self.first.set(numbers);
            return;
        }
        // An eighth of the mesh, and a quarter of the direction.
        let moved = 0.125 * size;
        let turned = 0.25 * dx.abs().max(dy.abs()).max(dz.abs());
        let first = self.first.get();
        let within = |axes: std::ops::Range<usize>, most: f32| {
            axes.into_iter().all(|i| (numbers[i] - first[i]).abs() <= most)
        };
        let has_coherent_origins = within(0..3, moved);
        let is_coherent = has_coherent_origins && within(3..6, turned);
        // The last four pairs decide.
        let updated = |share: u32, is: bool| (3 * share + if is { ALL } else { 0 }) / 4;
        let share = updated(self.coherent_origins.get(), has_coherent_origins);
        self.coherent_origins.set(share);
        self.coherent.set(updated(self.coherent.get(), is_coherent));
        self.coherence.set(if self.coherent.get() > ALL / 2 {
            Coherence::Coherent
        } else if share > ALL / 2 {
            Coherence::CoherentOrigins
        } else {
            Coherence::Incoherent
        });
    }
}

thread_local! {
    static CLOSEST_HIT: RecentRays = const { RecentRays::new() };
    static ANY_HIT: RecentRays = const { RecentRays::new() };
}

/// Calls `f` with the recent rays of this thread and of the query that `H` answers.
#[inline(always)]
pub(super) fn with_recent_rays<H: HitSink, T>(f: impl FnOnce(&RecentRays) -> T) -> T {
    if H::NEEDS_NO_T { ANY_HIT.with(f) } else { CLOSEST_HIT.with(f) }
}
