//! The boxes of all primitives, as the caller computes them.

use std::ops::Range;

use crate::box3::Box3;

/// Primitives `0..n` and their boxes. The builder asks for each box several times, because to keep boxes costs
/// more than to compute them.
#[derive(Clone, Copy)]
pub(crate) struct BoxSource<'a> {
    pub(crate) n: usize,
    /// The largest coordinate, in absolute value.
    pub(crate) max_abs: f32,
    /// Writes the boxes of some primitives, at most [`BoxSource::BATCH`] at a time. A call for each takes
    /// 2 to 4 % more time in a fast build (kitchen, bunny, Intel Xeon).
    pub(crate) write: &'a (dyn Fn(&[u32], &mut [Box3]) + Sync),
}

/// Writes the box of each primitive: a loop for [`BoxSource::write`].
#[inline(always)]
pub(crate) fn write_boxes(prims: &[u32], boxes: &mut [Box3], box_of: impl Fn(u32) -> Box3) {
    for (slot, &prim) in boxes.iter_mut().zip(prims) {
        *slot = box_of(prim);
    }
}

impl BoxSource<'_> {
    /// The primitives of one call. Their boxes fit the first-level cache.
    pub(crate) const BATCH: usize = 128;

    /// The box of one primitive.
    pub(crate) fn of(&self, prim: u32) -> Box3 {
        let mut one = [Box3::EMPTY];
        (self.write)(&[prim], &mut one);
        one[0]
    }

    /// The boxes of some primitives, in their order.
    pub(crate) fn of_each(&self, prims: &[u32]) -> Vec<Box3> {
        let mut boxes = vec![Box3::EMPTY; prims.len()];
        for (prims, boxes) in prims.chunks(Self::BATCH).zip(boxes.chunks_mut(Self::BATCH)) {
            (self.write)(prims, boxes);
        }
        boxes
    }

    /// Calls `f` with the first of some successive primitives and their boxes, until all of `range` had their turn.
    #[inline(always)]
    pub(crate) fn for_each_batch(&self, range: Range<usize>, mut f: impl FnMut(usize, &[Box3])) {
        let mut prims = [0; Self::BATCH];
        let mut boxes = [Box3::EMPTY; Self::BATCH];
        for first in range.clone().step_by(Self::BATCH) {
            let len = Self::BATCH.min(range.end - first);
            for (i, prim) in prims.iter_mut().enumerate() {
                *prim = (first + i) as u32;
            }
            (self.write)(&prims[..len], &mut boxes[..len]);
            f(first, &boxes[..len]);
        }
    }
}
