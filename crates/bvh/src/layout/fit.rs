//! Fits the boxes of nodes to new boxes of blocks.

use super::{ChildRef, WideNode};
use crate::{box3::Box3, platform::parallel, widths::NODE_WIDTH};

/// The maximum number of nodes of a subtree that one thread fits.
const SEQUENTIAL: usize = 1 << 12;

/// A box, and the largest coordinate of the whole triangles of which it holds parts, in absolute value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockBox {
    pub(crate) bounds: Box3,
    pub(crate) reach: f32,
}

impl BlockBox {
    pub(crate) const EMPTY: Self = Self { bounds: Box3::EMPTY, reach: 0.0 };

    /// The box of whole triangles.
    #[inline]
    pub(crate) fn new(bounds: Box3) -> Self {
        Self { bounds, reach: bounds.reach() }
    }

    pub(crate) fn union(self, other: Self) -> Self {
        Self { bounds: self.bounds.union(other.bounds), reach: self.reach.max(other.reach) }
    }
}

/// Fits all nodes of a tree and returns the box of the root. `widening` is that of a box with a reach.
pub(crate) fn fit(
    nodes: &mut [WideNode],
    blocks: &[BlockBox],
    widening: impl Fn(f32) -> f32 + Copy + Sync,
) -> Box3 {
    fit_subtree(nodes, 0, blocks, widening).bounds
}

/// Fits a subtree and returns its box. The root is `nodes[0]` and has the index `first` in the tree.
/// Nodes stand depth first: the subtrees of a node's children follow it in the order of their slots.
fn fit_subtree(
    nodes: &mut [WideNode],
    first: usize,
    blocks: &[BlockBox],
    widening: impl Fn(f32) -> f32 + Copy + Sync,
) -> BlockBox {
    if nodes.len() <= SEQUENTIAL {
        return fit_in_order(nodes, first, blocks, widening);
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
        subtrees.push((root, subtree, BlockBox::EMPTY));
        (below, end) = (before, root);
    }
    parallel::for_each_chunk(&mut subtrees, 1, |_, subtree| {
        for (root, nodes, bounds) in subtree {
            *bounds = fit_subtree(nodes, *root, blocks, widening);
        }
    });
    fit_node(node, blocks, widening, |child| {
        let of_child = subtrees.iter().find(|(root, ..)| *root == child);
        of_child.map_or(BlockBox::EMPTY, |(.., bounds)| *bounds)
    })
}

/// [`fit_subtree`] by one thread. Children have higher indices than their parents, so it goes backwards.
fn fit_in_order(
    nodes: &mut [WideNode],
    first: usize,
    blocks: &[BlockBox],
    widening: impl Fn(f32) -> f32,
) -> BlockBox {
    let mut boxes = vec![BlockBox::EMPTY; nodes.len()];
    for index in (0..nodes.len()).rev() {
        boxes[index] = fit_node(&mut nodes[index], blocks, &widening, |child| boxes[child - first]);
    }
    boxes[0]
}

/// Fits a node to the boxes of its children and returns its own box. `node_box` gives the boxes of
/// children that are nodes.
fn fit_node(
    node: &mut WideNode,
    blocks: &[BlockBox],
    widening: impl Fn(f32) -> f32,
    node_box: impl Fn(usize) -> BlockBox,
) -> BlockBox {
    let mut all = BlockBox::EMPTY;
    for slot in 0..NODE_WIDTH {
        let child = node.child(slot);
        if child == ChildRef::NONE {
            continue;
        }
        let below = if child.is_leaf() {
            blocks[child.blocks()].iter().copied().fold(BlockBox::EMPTY, BlockBox::union)
        } else {
            node_box(child.node_index())
        };
        node.set(slot, below.bounds, widening(below.reach), child);
        all = all.union(below);
    }
    all
}
