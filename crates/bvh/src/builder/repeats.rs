//! Objects that several primitives stand for.
//!
//! A leaf holds each object once, so its cost is that of its different objects.

use std::ops::Range;

use super::{
    binary_tree::PreorderTree,
    collapse::{WideTarget, WideTree},
};
use crate::{
    platform::{large_pages, parallel},
    widths::{BLOCK_WIDTH, MAX_LEAF_BLOCKS},
};

/// The maximum number of primitives of a subtree whose objects are counted. Larger ones are no leaves, unless
/// half of their primitives are repeats.
const MAX_COUNTED: usize = 2 * MAX_LEAF_BLOCKS * BLOCK_WIDTH;

/// Replaces primitives by the objects that they stand for. `object` returns the object of a primitive, and
/// whether others stand for it, too. Returns how many primitives before each place are such repeats.
pub(super) fn name_objects(
    tree: &mut PreorderTree,
    object: &impl Fn(u32) -> (u32, bool),
) -> Vec<u32> {
    let mut n_repeats = large_pages::with_capacity(tree.order.len() + 1);
    let mut n = 0;
    for primitive in &mut tree.order {
        n_repeats.push(n);
        let is_repeat;
        (*primitive, is_repeat) = object(*primitive);
        n += u32::from(is_repeat);
    }
    n_repeats.push(n);
    n_repeats
}

/// Counts the different objects of each small subtree.
pub(super) fn count_objects(tree: &mut PreorderTree, n_repeats: &[u32]) {
    let order = &tree.order;
    parallel::for_each_chunk(&mut tree.nodes, 1 << 12, |_, nodes| {
        let mut objects = Vec::with_capacity(MAX_COUNTED);
        for node in nodes {
            let below = node.first as usize..(node.first + node.n_prims) as usize;
            if below.len() <= MAX_COUNTED && has_repeats(n_repeats, &below) {
                distinct(&order[below], &mut objects);
                node.n_objects = objects.len() as u32;
            }
        }
    });
}

/// Rewrites the leaves of a wide tree over counted objects, so that each holds an object once. Returns the new
/// order.
pub(super) fn drop_repeats(wide: &mut WideTree, order: &[u32], n_repeats: &[u32]) -> Vec<u32> {
    let mut kept = large_pages::with_capacity(order.len());
    let mut objects = Vec::with_capacity(MAX_COUNTED);
    for child in &mut wide.children {
        if let WideTarget::Leaf { first, count, .. } = &mut child.target {
            let leaf = *first as usize..(*first + *count) as usize;
            *first = kept.len() as u32;
            if has_repeats(n_repeats, &leaf) {
                distinct(&order[leaf], &mut objects);
                *count = objects.len() as u32;
                kept.extend_from_slice(&objects);
            } else {
                kept.extend_from_slice(&order[leaf]);
            }
        }
    }
    kept
}

/// Whether two primitives in a range of the order may be parts of one object.
#[inline]
fn has_repeats(n_repeats: &[u32], range: &Range<usize>) -> bool {
    n_repeats[range.end] - n_repeats[range.start] > 1
}

/// The different objects, sorted.
fn distinct(all: &[u32], objects: &mut Vec<u32>) {
    objects.clear();
    objects.extend_from_slice(all);
    objects.sort_unstable();
    objects.dedup();
}
