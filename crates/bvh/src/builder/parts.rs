//! Objects that several primitives are parts of.
//!
//! A leaf holds each object once, so its cost is that of its different objects.

use super::{
    binary_tree::PreorderTree,
    collapse::{WideTarget, WideTree},
};
use crate::{
    platform::parallel,
    widths::{BLOCK_WIDTH, MAX_LEAF_BLOCKS},
};

/// The maximum number of primitives of a subtree whose objects are counted. Larger ones are no leaves, unless
/// half of their primitives are repeats.
const MAX_COUNTED: usize = 2 * MAX_LEAF_BLOCKS * BLOCK_WIDTH;

/// Replaces primitives by the objects that they are parts of.
pub(super) fn name_objects(tree: &mut PreorderTree, object: &(impl Fn(u32) -> u32 + Sync + Send)) {
    parallel::for_each_chunk(&mut tree.order, 1 << 13, |_, order| {
        for primitive in order {
            *primitive = object(*primitive);
        }
    });
}

/// Counts the different objects of each small subtree.
pub(super) fn count_objects(tree: &mut PreorderTree) {
    let order = &tree.order;
    parallel::for_each_chunk(&mut tree.nodes, 1 << 12, |_, nodes| {
        let mut objects = Vec::with_capacity(MAX_COUNTED);
        for node in nodes {
            if node.n_prims as usize <= MAX_COUNTED {
                let below = node.first as usize..(node.first + node.n_prims) as usize;
                objects.clear();
                objects.extend_from_slice(&order[below]);
                objects.sort_unstable();
                objects.dedup();
                node.n_objects = objects.len() as u32;
            }
        }
    });
}

/// Rewrites the leaves of a wide tree over counted objects, so that each holds an object once. Returns the new
/// order.
pub(super) fn drop_repeats(wide: &mut WideTree, order: &[u32]) -> Vec<u32> {
    let mut kept = Vec::with_capacity(order.len());
    let mut objects = Vec::with_capacity(MAX_COUNTED);
    for child in &mut wide.children {
        if let WideTarget::Leaf { first, count, .. } = &mut child.target {
            objects.clear();
            objects.extend_from_slice(&order[*first as usize..(*first + *count) as usize]);
            objects.sort_unstable();
            objects.dedup();
            *first = kept.len() as u32;
            *count = objects.len() as u32;
            kept.extend_from_slice(&objects);
        }
    }
    kept
}
