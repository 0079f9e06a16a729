//! The block that stopped the last shadow ray, which the next one may test first.

use std::cell::Cell;

/// The block that stopped the last ray, which often stops its neighbour. A hint: the tree may be another
/// one by now, or changed, so a traversal tests the block as it is in the tree at hand.
pub(crate) struct Occluder {
    /// The address of the blocks, which is only compared. Zero if the last ray was free.
    blocks: Cell<usize>,
    index: Cell<usize>,
    backoff: HintBackoff,
}

impl Occluder {
    pub(super) const fn new() -> Self {
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
