//! Builds parts of an edited tree anew: those that have become worse, and those that are too deep.

use super::editor::{Editor, Prim};
use crate::{
    box3::Box3,
    builder::{WideTarget, WideTree, shape_of_few},
    layout::{NO_LINK, WideNode, link_to, node_of},
    widths::{BLOCK_WIDTH, MAX_DEPTH, levels},
};

/// An edit may build this many triangles anew for each that it changes, or the blocks that they would fill.
const WORK_PER_CHANGE: usize = 2;

/// The maximum number of triangles that wait for a repair, besides those of the edit itself.
const MAX_CREDIT: usize = 1 << 12;

impl Editor<'_> {
    /// Builds the nodes anew that have become worse, as far as the work stays in proportion to the edits so far.
    pub(super) fn repair(&mut self, n_changed: usize) {
        let earned = WORK_PER_CHANGE * n_changed;
        self.links.credit = (self.links.credit + earned).min(MAX_CREDIT + earned);
        let mut degraded = std::mem::take(&mut self.degraded);
        degraded.sort_unstable();
        degraded.dedup();
        degraded.sort_by_key(|&node| std::cmp::Reverse(self.links.nodes[node as usize].n_blocks));
        for node in degraded {
            let info = self.links.nodes[node as usize];
            // It may have been built anew with a node above it, or be gone.
            let is_worse = info.is_worse(&self.tree.nodes[node as usize]);
            let n_triangles = BLOCK_WIDTH * info.n_blocks as usize;
            if is_worse && n_triangles > 0 && n_triangles <= self.links.credit {
                self.links.credit -= n_triangles;
                self.rebuild_below(node);
            }
        }
        self.settle();
    }

    /// Whether a path from the root has more nodes than a few, and twice those of a full tree.
    pub(super) fn is_long(&self, depth: usize) -> bool {
        depth > 4 + 2 * levels(self.mesh.n_triangles())
    }

    /// Builds anew the least subtree around a node at the end of a long path that has fewer blocks than 8^(height / 2).
    /// It becomes less deep. Triangles in a row come here, each of which would go below the last one. (Galperin and Rivest,
    /// "Scapegoat Trees", 1993.)
    pub(super) fn shorten(&mut self, node: u32) {
        /// The least height for which a full tree is less deep.
        const LEAST_HEIGHT: usize = 5;
        let (mut at, mut height) = (node, 1);
        loop {
            let info = self.links.nodes[at as usize];
            let is_thin = (info.n_blocks as usize) < 1 << (3 * height / 2).min(30);
            if info.parent == NO_LINK || height >= LEAST_HEIGHT && is_thin {
                self.rebuild_below(at);
                return;
            }
            (at, height) = (node_of(info.parent), height + 1);
        }
    }

    /// Builds the nodes below one anew, over the same triangles, unless that would be too deep for a traversal.
    fn rebuild_below(&mut self, node: u32) {
        let prims = self.prims_below(node);
        if prims.is_empty() {
            return;
        }
        let above = self.depth_of(node) - 1;
        let (wide, order) = self.shape_of(&prims);
        if above + wide.depth > MAX_DEPTH {
            return;
        }
        self.clear_below(node);
        self.write_nodes(node, &wide, &order, &prims);
        self.tree.depth = self.tree.depth.max(above + wide.depth);
        self.dirty.push(node);
    }

    /// The triangles below a node. One with several parts there is in the box around them.
    fn prims_below(&self, node: u32) -> Vec<Prim> {
        let (mut prims, mut pending) = (Vec::new(), vec![node]);
        while let Some(index) = pending.pop() {
            let below = &self.tree.nodes[index as usize];
            for slot in below.occupied() {
                let child = below.child(slot);
                if child.is_leaf() {
                    prims.extend(self.prims_of_leaf(link_to(index, slot)));
                } else {
                    pending.push(child.node_index() as u32);
                }
            }
        }
        if !self.tree.split.is_empty() {
            prims.sort_unstable_by_key(|prim| prim.triangle);
            prims.dedup_by(|other, kept| {
                let same = other.triangle == kept.triangle;
                if same {
                    kept.bounds = kept.bounds.union(other.bounds);
                }
                same
            });
        }
        prims
    }

    /// Gives all nodes and blocks below a node back.
    fn clear_below(&mut self, node: u32) {
        let mut pending = vec![node];
        while let Some(index) = pending.pop() {
            let below = self.tree.nodes[index as usize];
            for child in below.occupied().map(|slot| below.child(slot)) {
                if child.is_leaf() {
                    self.empty_leaf(child);
                } else {
                    pending.push(child.node_index() as u32);
                }
            }
            if index != node {
                self.links.free_node(index, self.tree);
            }
        }
        self.tree.nodes[node as usize] = WideNode::EMPTY;
    }

    /// The shape of a tree over some triangles.
    pub(super) fn shape_of(&self, prims: &[Prim]) -> (WideTree, Vec<u32>) {
        let boxes: Vec<Box3> = prims.iter().map(|prim| prim.bounds.bounds).collect();
        shape_of_few(&boxes, self.tree.reach.max, self.isa)
    }

    /// Writes the nodes of a shape, whose root has the place of an empty node.
    fn write_nodes(&mut self, root: u32, wide: &WideTree, order: &[u32], prims: &[Prim]) {
        let mut nodes = vec![root];
        nodes.extend((1..wide.n_nodes()).map(|_| self.links.new_node(self.tree)));
        let mut of_leaf = Vec::with_capacity(4 * BLOCK_WIDTH);
        // Children stand behind their parents, whose boxes are around theirs.
        for (index, &node) in nodes.iter().enumerate().rev() {
            let children = wide.starts[index] as usize..wide.starts[index + 1] as usize;
            for (slot, child) in wide.children[children].iter().enumerate() {
                match child.target {
                    WideTarget::Node(below) => {
                        self.set_node(link_to(node, slot), nodes[below as usize]);
                    }
                    WideTarget::Leaf { first, count, .. } => {
                        let range = first as usize..(first + count) as usize;
                        of_leaf.clear();
                        of_leaf.extend(order[range].iter().map(|&i| prims[i as usize]));
                        self.attach_leaf(node, slot, &of_leaf);
                    }
                }
            }
            let written = &self.tree.nodes[node as usize];
            let info = self.links.measure(node, written);
            self.links.nodes[node as usize] = info.as_built(written);
        }
    }
}
