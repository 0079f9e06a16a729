//! A whole new upper level over the present items.

use std::ops::ControlFlow;

use glam::Vec3A;
use hitscan_primitives::WorldBox;

use super::{
    instance_bvh::{InstanceBvh, NO_LINK, link_to, node_below},
    space::Space,
};
use crate::{
    box3::Box3,
    builder::{
        BoxSource, Progress, WideChild, WideTarget, WideTree, shape_of_singles, write_boxes,
    },
    cow_vec::CowVec,
    layout::ChildRef,
    widths::{MAX_DEPTH, NODE_WIDTH},
};

/// The depth of a build that leaves room for insertions. A deeper one is not kept.
const MAX_BUILT_DEPTH: usize = MAX_DEPTH / 2;

impl InstanceBvh {
    /// Builds the upper level anew. O(n log n). No answer changes.
    pub fn rebuild(&mut self) {
        let present: Vec<(u32, WorldBox)> = self
            .items
            .iter()
            .enumerate()
            .filter(|(_, item)| item.is_placed())
            .map(|(index, item)| (index as u32, item.bounds))
            .collect();
        self.n_moved = 0;
        self.nodes = CowVec::default();
        self.free_nodes = Vec::new();
        self.nodes.push(node_below(NO_LINK));
        if present.is_empty() {
            return;
        }
        let whole = present.iter().fold(WorldBox::EMPTY, |all, &(_, bounds)| all.union(bounds));
        self.space = Space::around(&whole);
        let place = |(_, bounds): &(u32, WorldBox)| {
            // The space is around all of them.
            self.space.place(bounds).unwrap_or(Box3 { min: -Vec3A::ONE, max: Vec3A::ONE })
        };
        let boxes: Vec<Box3> = present.iter().map(place).collect();
        let (wide, order) = wide_tree(&boxes, self.isa);
        self.nodes.resize(wide.n_nodes());
        for node in 0..wide.n_nodes() as u32 {
            let children = wide.starts[node as usize]..wide.starts[node as usize + 1];
            for (slot, child) in (children.start as usize..children.end as usize).enumerate() {
                let child = &wide.children[child];
                let link = link_to(node, slot);
                let reference = match child.target {
                    WideTarget::Node(index) => {
                        self.nodes.get_mut(index).spare[0] = link;
                        ChildRef::node(index)
                    }
                    WideTarget::Leaf { first, .. } => {
                        let (item, _) = present[order[first as usize] as usize];
                        self.items.get_mut(item).link = link;
                        ChildRef::leaf(item, 1)
                    }
                };
                self.nodes.get_mut(node).set(slot, child.bounds, 0.0, reference);
            }
        }
    }
}

/// A wide tree with one box in each leaf, and the order of the boxes.
fn wide_tree(boxes: &[Box3], isa: crate::Isa) -> (WideTree, Vec<u32>) {
    let write = |prims: &[u32], slots: &mut [_]| {
        write_boxes(prims, slots, |i| boxes[i as usize]);
    };
    let source = BoxSource { n: boxes.len(), max_abs: 1.0, write: &write };
    let never = |_| ControlFlow::Continue(());
    let progress = Progress::new(boxes.len(), &never);
    let built = shape_of_singles(source, isa, &progress).expect("the callback never cancels");
    if built.0.depth <= MAX_BUILT_DEPTH { built } else { halved(boxes) }
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
        let centers = Box3::EMPTY;
        let centers =
            range.clone().fold(centers, |all, i| all.grown(boxes[order[i] as usize].center2()));
        let axis = centers.longest_axis();
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
