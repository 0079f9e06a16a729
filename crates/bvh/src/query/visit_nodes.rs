//! The traversal behind every query without a ray, with a key for each box.
//!
//! It is recursive. Its depth is that of the tree, which the build bounds.

use std::ops::{ControlFlow, Range};

use crate::{
    layout::{ChildRef, WideNode},
    widths::NODE_WIDTH,
};

/// A key for each occupied slot of a node; NaN for the others.
pub(crate) fn slot_keys(node: &WideNode, mut key: impl FnMut(usize) -> f64) -> [f64; NODE_WIDTH] {
    let mut keys = [f64::NAN; NODE_WIDTH];
    for slot in node.occupied() {
        keys[slot] = key(slot);
    }
    keys
}

/// Visits the leaves whose keys, and those of all nodes above them, are at most the limit. Smaller keys
/// come first. `node` returns a node by its index. `leaf` receives the blocks of a leaf and the limit, and returns the next limit.
pub(crate) fn visit_nodes<'a, B>(
    node: impl Fn(usize) -> &'a WideNode + Copy,
    mut limit: f64,
    mut keys: impl FnMut(&WideNode) -> [f64; NODE_WIDTH],
    mut leaf: impl FnMut(Range<usize>, f64) -> ControlFlow<B, f64>,
) -> ControlFlow<B> {
    visit_node(node, ChildRef::ROOT.node_index(), &mut limit, &mut keys, &mut leaf)
}

fn visit_node<'a, B>(
    node_at: impl Fn(usize) -> &'a WideNode + Copy,
    index: usize,
    limit: &mut f64,
    keys: &mut impl FnMut(&WideNode) -> [f64; NODE_WIDTH],
    leaf: &mut impl FnMut(Range<usize>, f64) -> ControlFlow<B, f64>,
) -> ControlFlow<B> {
    let node = node_at(index);
    let keys_here = keys(node);
    let mut order = [(0.0, ChildRef::NONE); NODE_WIDTH];
    let mut n = 0;
    for slot in 0..NODE_WIDTH {
        let (key, child) = (keys_here[slot], node.child(slot));
        if child != ChildRef::NONE && key <= *limit {
            let at = order[..n].partition_point(|&(other, _)| other <= key);
            order.copy_within(at..n, at + 1);
            order[at] = (key, child);
            n += 1;
        }
    }
    for &(key, child) in &order[..n] {
        if key > *limit {
            break;
        }
        if child.is_leaf() {
            *limit = leaf(child.blocks(), *limit)?;
        } else {
            visit_node(node_at, child.node_index(), limit, keys, leaf)?;
        }
    }
    ControlFlow::Continue(())
}
