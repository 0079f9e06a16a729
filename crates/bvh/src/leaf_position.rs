//! Where the leaves of a tree keep a triangle.

use crate::widths::BLOCK_WIDTH;

/// A lane of a block. Positions are ordered as blocks and lanes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LeafPosition(u32);

impl LeafPosition {
    #[inline(always)]
    pub(crate) fn new(block: usize, lane: usize) -> Self {
        Self((BLOCK_WIDTH * block + lane) as u32)
    }

    #[inline(always)]
    pub(crate) const fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    #[inline(always)]
    pub(crate) fn bits(self) -> u32 {
        self.0
    }

    #[inline(always)]
    pub(crate) fn block(self) -> usize {
        self.0 as usize / BLOCK_WIDTH
    }

    #[inline(always)]
    pub(crate) fn lane(self) -> usize {
        self.0 as usize % BLOCK_WIDTH
    }
}
