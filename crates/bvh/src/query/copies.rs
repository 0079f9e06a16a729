//! The copies of split triangles, which a sum over triangles leaves out.

use std::{collections::HashSet, ops::Range};

use glam::DVec3;

use crate::{
    layout::{Leaves, Tree},
    widths::BLOCK_WIDTH,
};

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

    /// Whether a lane of a block is a copy.
    pub(super) fn is_copy(&self, block: usize, lane: usize) -> bool {
        self.lanes.get(block).is_some_and(|copies| copies >> lane & 1 == 1)
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
            for (lane, _, corners) in block.triangles() {
                if !self.is_copy(index, lane) {
                    f(corners);
                }
            }
            index += 1;
        });
    }
}

const _: () = assert!(BLOCK_WIDTH <= u8::BITS as usize);
