//! What a thread remembers of the last rays: how alike they were, and what stopped the last one.
//!
//! It chooses between loops that give the same answer, and names a block to test first. It decides nothing:
//! whatever a thread remembers, the answer is that of `docs/proof.md`.

use std::cell::Cell;

use hitscan_primitives::Ray;

use crate::kernel::HitSink;

/// How alike consecutive rays are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Coherence {
    /// They start and point alike, as the rays of a camera do.
    Alike,
    /// They start near each other and point anywhere, as reflections do.
    Near,
    /// They have nothing in common.
    Scattered,
}

/// The rays of one query that a thread has traced, as far as it remembers them.
pub(super) struct RecentRays {
    n: Cell<u32>,
    coherence: Cell<Coherence>,
    /// The first ray of the pair that is compared.
    first: Cell<[f32; 6]>,
    /// The share of pairs that start near each other, and of those that also point alike, recent pairs
    /// first. Of [`ALL`].
    near: Cell<u32>,
    alike: Cell<u32>,
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
            coherence: Cell::new(Coherence::Near),
            first: Cell::new([0.0; 6]),
            // So that the first pair decides.
            near: Cell::new(ALL / 2),
            alike: Cell::new(ALL / 2),
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
        let is_near = within(0..3, moved);
        let is_alike = is_near && within(3..6, turned);
        // The last four pairs decide.
        let updated = |share: u32, is: bool| (3 * share + if is { ALL } else { 0 }) / 4;
        self.near.set(updated(self.near.get(), is_near));
        self.alike.set(updated(self.alike.get(), is_alike));
        self.coherence.set(if self.alike.get() > ALL / 2 {
            Coherence::Alike
        } else if self.near.get() > ALL / 2 {
            Coherence::Near
        } else {
            Coherence::Scattered
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

/// The block that stopped the last ray, which often stops its neighbour. A hint: the tree may be another
/// one by now, or changed, so a traversal tests the block as it is in the tree at hand.
pub(super) struct Occluder {
    /// The address of the blocks, which is only compared. Zero if the last ray was free.
    blocks: Cell<usize>,
    index: Cell<usize>,
    backoff: HintBackoff,
}

impl Occluder {
    const fn new() -> Self {
        Self { blocks: Cell::new(0), index: Cell::new(0), backoff: HintBackoff::new() }
    }

    /// The index of the block, if it is one of `blocks` and should be tested.
    #[inline(always)]
    pub(super) fn index_in<B>(&self, blocks: &[B]) -> Option<usize> {
        if self.backoff.skips() {
            return None;
        }
        let index = self.index.get();
        let is_hint = self.blocks.get() == blocks.as_ptr().addr() && index < blocks.len();
        is_hint.then_some(index)
    }

    /// Learns whether the block stopped the ray.
    #[inline(always)]
    pub(super) fn was_tested(&self, stopped: bool) {
        self.backoff.was_tested(stopped);
    }

    #[inline(always)]
    pub(super) fn remember<B>(&self, blocks: &[B], index: usize) {
        self.blocks.set(blocks.as_ptr().addr());
        self.index.set(index);
    }

    #[inline(always)]
    pub(super) fn forget(&self) {
        self.blocks.set(0);
    }
}

/// How many rays, or packets of them, do without a hint after it failed.
///
/// On fine meshes neighbours are stopped by other blocks: of the bunny's shadow rays, 64 × 64 pixels, the
/// last occluder stopped 1 %. So each failure in a row doubles the number of rays that do without.
pub(super) struct HintBackoff {
    left: Cell<u32>,
    /// The number after the next failure.
    next: Cell<u32>,
}

/// The maximum number that does without.
const MAX_SKIPPED: u32 = 64;

impl HintBackoff {
    pub(super) const fn new() -> Self {
        Self { left: Cell::new(0), next: Cell::new(1) }
    }

    /// Whether the next ray or packet does without.
    #[inline(always)]
    pub(super) fn skips(&self) -> bool {
        let left = self.left.get();
        if left > 0 {
            self.left.set(left - 1);
        }
        left > 0
    }

    /// Learns whether the hint helped.
    #[inline(always)]
    pub(super) fn was_tested(&self, helped: bool) {
        let next = self.next.get();
        self.left.set(if helped { 0 } else { next });
        self.next.set(if helped { 1 } else { (2 * next).min(MAX_SKIPPED) });
    }
}
