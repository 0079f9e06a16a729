//! Binary trees: the builders make them, and the collapse turns them into wide nodes.

use crate::{box3::Box3, platform::large_pages};

/// A node of a [`BinaryTree`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct BinaryNode {
    pub(crate) bounds: Box3,
    pub(crate) kind: NodeKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NodeKind {
    /// The children are the nodes `left` and `left + 1`.
    Inner { left: u32 },
    /// The primitives `order[first..first + count]`; `count` is at least 1.
    Leaf { first: u32, count: u32 },
}

impl NodeKind {
    /// Moves the children of an inner node forward.
    pub(crate) fn move_children(&mut self, by: u32) {
        if let Self::Inner { left } = self {
            *left -= by;
        }
    }
}

/// A binary tree over boxes. Node 0 is the root; the others stand in pairs of siblings, the first at
/// an odd index.
#[derive(Clone, Debug)]
pub(crate) struct BinaryTree {
    pub(crate) nodes: Vec<BinaryNode>,
    /// The indices of the primitives in leaf order.
    pub(crate) order: Vec<u32>,
}

impl BinaryTree {
    /// The other child of the same parent. Not for the root.
    #[inline]
    pub(crate) fn sibling(node: u32) -> u32 {
        if node % 2 == 1 { node + 1 } else { node - 1 }
    }

    /// The sum of the areas of inner nodes, relative to the root. Reinsertion lowers it.
    pub(crate) fn relative_inner_area(&self) -> f64 {
        let inner = self.nodes.iter().filter(|node| matches!(node.kind, NodeKind::Inner { .. }));
        let sum: f64 = inner.map(|node| f64::from(node.bounds.half_area())).sum();
        sum / f64::from(self.nodes[0].bounds.half_area()).max(f64::MIN_POSITIVE)
    }
}

/// The same tree depth first: the left child of node `i` is `i + 1`, so every subtree is a range of
/// nodes and a range of primitives.
#[derive(Clone, Debug)]
pub(crate) struct PreorderTree {
    pub(crate) nodes: Vec<PreorderNode>,
    /// The indices of the primitives, in the order of the leaves.
    pub(crate) order: Vec<u32>,
}

/// A node of a [`PreorderTree`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct PreorderNode {
    pub(crate) bounds: Box3,
    /// The first primitive of the subtree.
    pub(crate) first: u32,
    /// The number of primitives of the subtree.
    pub(crate) n_prims: u32,
    /// The number of different objects among them; 0: as many as primitives. See
    /// [`count_objects`](super::repeats::count_objects).
    pub(crate) n_objects: u32,
    /// The number of nodes of the left subtree; 0 for a leaf.
    pub(crate) left_size: u32,
}

impl PreorderNode {
    /// A node without primitives.
    pub(crate) fn leaf(bounds: Box3, first: u32) -> Self {
        Self { bounds, first, n_prims: 0, n_objects: 0, left_size: 0 }
    }

    /// The number of different objects below, as far as it is counted.
    #[inline]
    pub(crate) fn n_in_leaf(&self) -> u32 {
        if self.n_objects > 0 { self.n_objects } else { self.n_prims }
    }
}

impl PreorderTree {
    pub(crate) fn new(tree: &BinaryTree) -> Self {
        let mut nodes = large_pages::with_capacity(tree.nodes.len());
        let mut order = large_pages::with_capacity(tree.order.len());
        // An entry is a node still to be written, or an inner node whose left subtree is complete,
        // or one that is complete itself.
        enum Task {
            Enter(u32),
            LeftDone(u32, u32),
            Done(u32),
        }
        let mut stack = vec![Task::Enter(0)];
        while let Some(task) = stack.pop() {
            match task {
                Task::Enter(index) => {
                    let node = &tree.nodes[index as usize];
                    let at = nodes.len() as u32;
                    let first = order.len() as u32;
                    let mut n_prims = 0;
                    match node.kind {
                        NodeKind::Leaf { first, count } => {
                            let leaf = first as usize..(first + count) as usize;
                            order.extend_from_slice(&tree.order[leaf]);
                            n_prims = count;
                        }
                        NodeKind::Inner { left } => {
                            stack.push(Task::Done(at));
                            stack.push(Task::Enter(left + 1));
                            stack.push(Task::LeftDone(at, at + 1));
                            stack.push(Task::Enter(left));
                        }
                    }
                    let bounds = node.bounds;
                    nodes.push(PreorderNode { n_prims, ..PreorderNode::leaf(bounds, first) });
                }
                Task::LeftDone(at, left) => {
                    nodes[at as usize].left_size = nodes.len() as u32 - left;
                }
                Task::Done(at) => {
                    let node = &mut nodes[at as usize];
                    node.n_prims = order.len() as u32 - node.first;
                }
            }
        }
        Self { nodes, order }
    }

    /// The left and right child of an inner node.
    #[inline]
    pub(crate) fn children(&self, node: u32) -> Option<[u32; 2]> {
        let left_size = self.nodes[node as usize].left_size;
        (left_size > 0).then_some([node + 1, node + 1 + left_size])
    }
}
