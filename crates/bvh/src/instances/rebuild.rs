//! New nodes over the present items: all of them, or those below one that has become too deep.

use glam::Vec3A;
use hitscan_primitives::WorldBox;

use super::{
    instance_bvh::{InstanceBvh, node_below},
    space::Space,
};
use crate::{
    box3::Box3,
    builder::{WideChild, WideTarget, WideTree, shape_of_singles},
    cow_vec::CowVec,
    layout::{ChildRef, NO_LINK, link_to},
    widths::{NODE_WIDTH, levels},
};

impl InstanceBvh {
    /// Builds the upper level anew. O(n log n). No answer changes.
    pub fn rebuild(&mut self) {
        let items = (0..self.items.len() as u32).filter(|&item| self.items.get(item).is_placed());
        let present: Vec<u32> = items.collect();
        let bounds = present.iter().map(|&item| self.items.get(item).bounds);
        self.space = Space::around(&bounds.fold(WorldBox::EMPTY, WorldBox::union));
        self.n_moved = 0;
        self.nodes = CowVec::default();
        self.free_nodes = Vec::new();
        self.nodes.push(node_below(NO_LINK));
        self.fill(0, &present, self.usual_depth());
        self.built_cost = self.cost(&(0..self.nodes.len() as u32).collect::<Vec<_>>());
    }

    /// Builds the nodes below one anew, over the same items.
    pub(super) fn rebuild_below(&mut self, node: u32) {
        let (mut items, mut pending) = (Vec::new(), vec![node]);
        while let Some(index) = pending.pop() {
            let below = self.nodes.get(index);
            for child in below.occupied().map(|slot| below.child(slot)) {
                if child.is_leaf() {
                    items.push(child.first_block() as u32);
                } else {
                    pending.push(child.node_index() as u32);
                }
            }
            if index != node {
                self.free_nodes.push(index);
            }
        }
        let link = self.nodes.get(node).spare[0];
        *self.nodes.get_mut(node) = node_below(link);
        let full = levels(items.len());
        self.fill(node, &items, 1 + full + full / 2);
    }

    /// Makes a node without children that of some items, over at most `depth` levels.
    fn fill(&mut self, node: u32, items: &[u32], depth: usize) {
        if items.is_empty() {
            return;
        }
        let place = |&item: &u32| {
            // The space is around all of them.
            let placed = self.space.place(&self.items.get(item).bounds);
            placed.unwrap_or(Box3 { min: -Vec3A::ONE, max: Vec3A::ONE })
        };
        let boxes: Vec<Box3> = items.iter().map(place).collect();
        let (wide, order) = wide_tree(&boxes, depth, self.isa);
        // The nodes of the wide tree, the first of which is there.
        let mut nodes = vec![node];
        nodes.extend((1..wide.n_nodes()).map(|_| self.new_node(NO_LINK)));
        for (index, &node) in nodes.iter().enumerate() {
            let children = wide.starts[index] as usize..wide.starts[index + 1] as usize;
            // Written once, because each write asks whether a clone shares the node.
            let mut filled = *self.nodes.get(node);
            for (slot, child) in wide.children[children].iter().enumerate() {
                let reference = match child.target {
                    WideTarget::Node(below) => ChildRef::node(nodes[below as usize]),
                    WideTarget::Leaf { first, .. } => {
                        ChildRef::leaf(items[order[first as usize] as usize], 1)
                    }
                };
                filled.set(slot, child.bounds, 0.0, reference);
                self.link(reference, link_to(node, slot));
            }
            *self.nodes.get_mut(node) = filled;
        }
    }
}

/// A wide tree with one box in each leaf, of at most `depth` levels or of as few as can be, and the order of the boxes.
fn wide_tree(boxes: &[Box3], depth: usize, isa: crate::Isa) -> (WideTree, Vec<u32>) {
    let built = shape_of_singles(boxes, 1.0, isa);
    if built.0.depth <= depth { built } else { halved(boxes) }
}

/// A wide tree of the least depth: each node gives its children equal numbers of boxes, by their centres along the longest
/// axis.
fn halved(boxes: &[Box3]) -> (WideTree, Vec<u32>) {
    let mut order: Vec<u32> = (0..boxes.len() as u32).collect();
    let mut wide = WideTree::default();
    // The range of a node, the child that refers to it, and its depth.
    let mut to_write = vec![(0..order.len(), None::<usize>, 1)];
    while let Some((range, referrer, depth)) = to_write.pop() {
        let index = wide.starts.len() as u32;
        if let Some(child) = referrer {
            wide.children[child].target = WideTarget::Node(index);
        }
        wide.depth = wide.depth.max(depth);
        wide.starts.push(wide.children.len() as u32);
        let grown = |all: Box3, i: usize| all.grown(boxes[order[i] as usize].center2());
        let axis = range.clone().fold(Box3::EMPTY, grown).longest_axis();
        order[range.clone()].sort_unstable_by(|&a, &b| {
            let center = |i: u32| boxes[i as usize].center2()[axis];
            center(a).total_cmp(&center(b)).then(a.cmp(&b))
        });
        let part = range.len().div_ceil(NODE_WIDTH);
        for start in range.clone().step_by(part) {
            let below = start..range.end.min(start + part);
            let bounds =
                below.clone().fold(Box3::EMPTY, |all, i| all.union(boxes[order[i] as usize]));
            let target = if below.len() == 1 {
                WideTarget::Leaf { first: start as u32, count: 1, block: wide.n_blocks }
            } else {
                to_write.push((below.clone(), Some(wide.children.len()), depth + 1));
                WideTarget::Node(0)
            };
            wide.n_blocks += u32::from(below.len() == 1);
            wide.children.push(WideChild { bounds, target });
        }
    }
    wide.starts.push(wide.children.len() as u32);
    (wide, order)
}
