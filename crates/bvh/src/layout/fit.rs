//! Fits the boxes of nodes to new boxes of blocks.

use super::{ChildRef, WideNode};
use crate::{box3::Box3, platform::parallel, widths::NODE_WIDTH};

/// The maximum number of nodes of a subtree that one thread fits.
const SEQUENTIAL: usize = 1 << 12;

/// Fits all nodes of a tree, with boxes widened by `inflation`, and returns the box of the root.
pub(crate) fn fit(nodes: &mut [WideNode], block_bounds: &[Box3], inflation: f32) -> Box3 {
    fit_subtree(nodes, 0, block_bounds, inflation)
}

/// Fits a subtree and returns its box. The root is `nodes[0]` and has the index `first` in the tree.
/// Nodes stand depth first: the subtrees of a node's children follow it in the order of their slots.
fn fit_subtree(
    nodes: &mut [WideNode],
    first: usize,
    block_bounds: &[Box3],
    inflation: f32,
) -> Box3 {
    if nodes.len() <= SEQUENTIAL {
        return fit_in_order(nodes, first, block_bounds, inflation);
    }
    let (node, mut below) = nodes.split_first_mut().expect("a subtree has a root");
    let roots: Vec<usize> = (0..NODE_WIDTH)
        .map(|slot| node.child(slot))
        .filter(|&child| child != ChildRef::NONE && !child.is_leaf())
        .map(ChildRef::node_index)
        .collect();
    let mut subtrees = Vec::with_capacity(roots.len());
    let mut end = first + 1 + below.len();
    for &root in roots.iter().rev() {
        let (before, subtree) = below.split_at_mut(below.len() - (end - root));
        subtrees.push((root, subtree, Box3::EMPTY));
        (below, end) = (before, root);
    }
    parallel::for_each_chunk(&mut subtrees, 1, |_, subtree| {
        for (root, nodes, bounds) in subtree {
            *bounds = fit_subtree(nodes, *root, block_bounds, inflation);
        }
    });
    fit_node(node, block_bounds, inflation, |child| {
        let of_child = subtrees.iter().find(|(root, ..)| *root == child);
        of_child.map_or(Box3::EMPTY, |(.., bounds)| *bounds)
    })
}

/// [`fit_subtree`] by one thread. Children have higher indices than their parents, so it goes backwards.
fn fit_in_order(
    nodes: &mut [WideNode],
    first: usize,
    block_bounds: &[Box3],
    inflation: f32,
) -> Box3 {
    let mut bounds = vec![Box3::EMPTY; nodes.len()];
    for index in (0..nodes.len()).rev() {
        bounds[index] =
            fit_node(&mut nodes[index], block_bounds, inflation, |child| bounds[child - first]);
    }
    bounds[0]
}

/// Fits a node to the boxes of its children and returns its own box. `node_bounds` gives the boxes of
/// children that are nodes.
fn fit_node(
    node: &mut WideNode,
    block_bounds: &[Box3],
    inflation: f32,
    node_bounds: impl Fn(usize) -> Box3,
) -> Box3 {
    let mut all = Box3::EMPTY;
    for slot in 0..NODE_WIDTH {
        let child = node.child(slot);
        if child == ChildRef::NONE {
            continue;
        }
        let bounds = if child.is_leaf() {
            block_bounds[child.blocks()].iter().copied().fold(Box3::EMPTY, Box3::union)
        } else {
            node_bounds(child.node_index())
        };
        node.set(slot, bounds, inflation, child);
        all = all.union(bounds);
    }
    all
}
