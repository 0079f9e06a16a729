//! The dimensions of a tree: children of a node, triangles of a block, maximum depth, cost of a block.
//!
//! A kernel tests a whole node or a whole block in one set of [`LANES`], so both widths equal the number
//! of lanes. Code that depends on one of them names the one it means.

use crate::simd::{LANES, ShallowStack, Stack};

/// The children of a node.
pub(crate) const NODE_WIDTH: usize = LANES;

/// The triangles of a block.
pub(crate) const BLOCK_WIDTH: usize = LANES;

/// The maximum number of blocks of a leaf. A `ChildRef` stores it in two bits.
pub(crate) const MAX_LEAF_BLOCKS: usize = 4;

/// The maximum depth of a tree, so that the traversal stack cannot overflow. Each level leaves all
/// children but one behind, and a node writes all of its children before the nearest is taken.
pub(crate) const MAX_DEPTH: usize = depth_within(Stack::CAPACITY);

/// The maximum depth of a tree for which a [`ShallowStack`] is enough.
pub(crate) const SHALLOW_DEPTH: usize = depth_within(ShallowStack::CAPACITY);

const fn depth_within(capacity: usize) -> usize {
    (capacity - NODE_WIDTH) / (NODE_WIDTH - 1)
}

/// The cost of the test of a block, in node visits.
pub(crate) const BLOCK_TEST_COST: f32 = 0.3;

/// The levels of a full tree over some items.
pub(crate) fn levels(n_items: usize) -> usize {
    (n_items.max(1).ilog2() as usize + 1).div_ceil(NODE_WIDTH.ilog2() as usize)
}
