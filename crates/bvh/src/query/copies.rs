//! The copies of split triangles, which a sum over triangles leaves out.

use std::{collections::HashSet, ops::Range};

use glam::DVec3;

use crate::{
    layout::{Leaves, Tree},
    widths::BLOCK_WIDTH,
};

/// The blocks of a task that sums over triangles.
pub(super) const BLOCKS_OF_TASK: usize = 1024;

/// The lanes that hold a split triangle again, so that sums take each triangle once. Per block one bit for
/// each lane; empty without split triangles.
#[derive(Clone, Debug, Default)]
pub(super) struct Copies {
    lanes: Vec<u8>,
}

impl Copies {
    pub(super) fn of(tree: &Tree) -> Self {
        let split = &tree.split;
        if split.is_empty() {
            return Self::default();
        }
        let mut seen = HashSet::new();
        let copies_in = |block: usize| {
            let mut copies = 0;
            for (lane, &triangle) in tree.leaves.triangles(block).iter().enumerate() {
                let is_copy = split.contains(triangle) && !seen.insert(triangle);
                copies |= u8::from(is_copy) << lane;
            }
            copies
        };
        Self { lanes: (0..tree.leaves.len()).map(copies_in).collect() }
    }

    /// The lanes of a block that hold copies, as bits.
    #[inline(always)]
    pub(super) fn in_block(&self, index: usize) -> u8 {
        self.lanes.get(index).copied().unwrap_or(0)
    }

    /// Calls `f` with the corners of each triangle of some blocks.
    pub(super) fn each_triangle(
        &self,
        leaves: &Leaves,
        blocks: Range<usize>,
        mut f: impl FnMut([DVec3; 3]),
    ) {
        let mut index = blocks.start;
        leaves.each_block(blocks, |block| {
            let copies = self.in_block(index);
            for (lane, _, corners) in block.triangles() {
                if copies >> lane & 1 == 0 {
                    f(corners);
                }
            }
            index += 1;
        });
    }
}

const _: () = assert!(BLOCK_WIDTH <= u8::BITS as usize);
