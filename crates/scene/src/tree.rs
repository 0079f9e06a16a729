//! The top-level tree: a binary tree over the world boxes of instances, updated by every edit.
//!
//! Insertion descends to the sibling that adds the minimum sum of box areas. Removal replaces the parent
//! by the sibling. Every node whose box changes tries rotations, which keep the tree good without a rebuild
//! (Kopta, Ize, Spjut, Brunvand, Davis and Kensler, "Fast, Effective BVH Updates for Animated Scenes",
//! 2012). An edit costs O(depth).
//!
//! Clones share their nodes; see [`CowVec`].

use std::ops::ControlFlow;

use smallvec::SmallVec;

mod node;

use node::{Child, Node, ParentLink};

use crate::{cow_vec::CowVec, world_box::WorldBox};

/// The maximum number of steps down of an insertion. Several times the depth of trees over instances
/// that are spread in space.
const MAX_STEPS_DOWN: usize = 128;

/// A binary tree over items. An item is an index with a box.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    nodes: CowVec<Node>,
    /// Indices of the unused nodes.
    free: Vec<u32>,
    /// The parent link of each item.
    item_links: CowVec<ParentLink>,
    root: Child,
    bounds: WorldBox,
}

impl Default for Tree {
    fn default() -> Self {
        Self {
            nodes: CowVec::default(),
            free: Vec::new(),
            item_links: CowVec::default(),
            root: Child::NONE,
            bounds: WorldBox::EMPTY,
        }
    }
}

impl Tree {
    /// The box around all items.
    pub(crate) fn bounds(&self) -> WorldBox {
        self.bounds
    }

    /// Sets the box of an item. Inserts the item if it is not in the tree.
    pub(crate) fn set(&mut self, item: u32, bounds: WorldBox) {
        while self.item_links.len() <= item as usize {
            self.item_links.push(ParentLink::NONE);
        }
        let link = *self.item_links.get(item);
        if link == ParentLink::NONE {
            self.insert(item, bounds);
        } else if self.can_stay(link, &bounds) {
            self.set_bounds(link, bounds);
            self.refit_above(link);
        } else {
            self.remove(item);
            self.insert(item, bounds);
        }
    }

    /// Whether an item at `link` can stay there with new bounds: they lie within its parent's box.
    fn can_stay(&self, link: ParentLink, bounds: &WorldBox) -> bool {
        link == ParentLink::ROOT || {
            let parent = self.nodes.get(link.node()).parent;
            let within = match parent {
                ParentLink::ROOT => return true,
                parent => self.nodes.get(parent.node()).bounds[parent.side()],
            };
            within.contains_box(bounds)
        }
    }

    /// Removes an item, if it is in the tree.
    pub(crate) fn remove(&mut self, item: u32) {
        if item as usize >= self.item_links.len() {
            return;
        }
        let link = *self.item_links.get(item);
        match link {
            ParentLink::NONE => return,
            ParentLink::ROOT => {
                self.root = Child::NONE;
                self.bounds = WorldBox::EMPTY;
            }
            _ => {
                let node = *self.nodes.get(link.node());
                let other = 1 - link.side();
                self.free.push(link.node());
                self.attach(node.parent, node.children[other], node.bounds[other]);
                self.refit_above(node.parent);
            }
        }
        *self.item_links.get_mut(item) = ParentLink::NONE;
    }

    fn insert(&mut self, item: u32, bounds: WorldBox) {
        if self.root == Child::NONE {
            self.attach(ParentLink::ROOT, Child::item(item), bounds);
            return;
        }
        let (link, sibling, sibling_bounds) = self.best_sibling(&bounds);
        let new = match self.free.pop() {
            Some(node) => node,
            None => self.nodes.push(Node::default()),
        };
        self.attach(link, Child::node(new), sibling_bounds.union(bounds));
        self.attach(ParentLink::new(new, 0), sibling, sibling_bounds);
        self.attach(ParentLink::new(new, 1), Child::item(item), bounds);
        self.refit_above(link);
    }

    /// The child whose new common parent with `bounds` adds the minimum area, with its link and box. The
    /// search descends as long as a child is cheaper than the node.
    fn best_sibling(&self, bounds: &WorldBox) -> (ParentLink, Child, WorldBox) {
        let (mut link, mut child, mut child_bounds) = (ParentLink::ROOT, self.root, self.bounds);
        // Bounded, because among coincident or nested boxes the next step is always cheaper.
        for _ in 0..MAX_STEPS_DOWN {
            if child.is_item() {
                break;
            }
            let node = self.nodes.get(child.index());
            let whole = child_bounds.union(*bounds).half_area();
            // The growth of this node's box, whichever child the search descends to.
            let growth = whole - child_bounds.half_area();
            let costs = [0, 1].map(|side| {
                let with = node.bounds[side].union(*bounds).half_area();
                let before =
                    if node.children[side].is_item() { 0.0 } else { node.bounds[side].half_area() };
                growth + with - before
            });
            let side = usize::from(costs[1] < costs[0]);
            if whole <= costs[side] {
                break;
            }
            link = ParentLink::new(child.index(), side);
            (child, child_bounds) = (node.children[side], node.bounds[side]);
        }
        (link, child, child_bounds)
    }

    /// Attaches a child at a link, and stores the link in the child.
    fn attach(&mut self, link: ParentLink, child: Child, bounds: WorldBox) {
        if link == ParentLink::ROOT {
            (self.root, self.bounds) = (child, bounds);
        } else {
            let node = self.nodes.get_mut(link.node());
            node.children[link.side()] = child;
            node.bounds[link.side()] = bounds;
        }
        if child.is_item() {
            *self.item_links.get_mut(child.index()) = link;
        } else {
            self.nodes.get_mut(child.index()).parent = link;
        }
    }

    fn set_bounds(&mut self, link: ParentLink, bounds: WorldBox) {
        if link == ParentLink::ROOT {
            self.bounds = bounds;
        } else {
            self.nodes.get_mut(link.node()).bounds[link.side()] = bounds;
        }
    }

    /// Rotates and refits the nodes above a changed box, up to the first unchanged one.
    fn refit_above(&mut self, link: ParentLink) {
        let mut link = link;
        while link != ParentLink::ROOT {
            let node = link.node();
            let rotated = self.rotate(node);
            link = self.nodes.get(node).parent;
            let bounds = self.nodes.get(node).union();
            let before = match link {
                ParentLink::ROOT => self.bounds,
                _ => self.nodes.get(link.node()).bounds[link.side()],
            };
            if bounds != before {
                self.set_bounds(link, bounds);
            } else if !rotated {
                return;
            }
        }
    }

    /// Swaps a child of `node` with a grandchild under the other child, if that shrinks the other child.
    /// Chooses the best of the four swaps. Returns whether it swapped.
    fn rotate(&mut self, node: u32) -> bool {
        let Node { bounds, children, .. } = *self.nodes.get(node);
        let mut best = (0.0, 0, 0);
        for inner in 0..2 {
            if children[inner].is_item() {
                continue;
            }
            let below = self.nodes.get(children[inner].index());
            let area = bounds[inner].half_area();
            for side in 0..2 {
                let after = below.bounds[1 - side].union(bounds[1 - inner]).half_area();
                // By more than rounding, because otherwise two swaps might undo each other for ever.
                if area - after > best.0 + 1e-9 * area {
                    best = (area - after, inner, side);
                }
            }
        }
        let (gain, inner, side) = best;
        if gain <= 0.0 {
            return false;
        }
        let inner_node = children[inner].index();
        let below = *self.nodes.get(inner_node);
        self.attach(ParentLink::new(inner_node, side), children[1 - inner], bounds[1 - inner]);
        self.attach(ParentLink::new(node, 1 - inner), below.children[side], below.bounds[side]);
        let inner_bounds = self.nodes.get(inner_node).union();
        self.set_bounds(ParentLink::new(node, inner), inner_bounds);
        true
    }

    /// Visits items, nearest first. `key` is the entry distance of a box, in any measure for which a box
    /// within another has no smaller key. The traversal skips a box whose key exceeds the limit or is NaN.
    /// `visit` receives an item with the limit, and returns the new limit.
    #[inline]
    pub(crate) fn traverse(
        &self,
        mut limit: f64,
        mut key: impl FnMut(&WorldBox) -> f64,
        mut visit: impl FnMut(u32, f64) -> ControlFlow<(), f64>,
    ) {
        let mut stack: SmallVec<[(f64, Child); 64]> = SmallVec::new();
        if self.root != Child::NONE {
            stack.push((key(&self.bounds), self.root));
        }
        while let Some((entry, mut current)) = stack.pop() {
            // Not `>`, because a NaN must be skipped.
            let is_within = entry <= limit;
            if !is_within {
                continue;
            }
            while !current.is_item() {
                let node = self.nodes.get(current.index());
                let [a, b] = [key(&node.bounds[0]), key(&node.bounds[1])];
                let near = match (a <= limit, b <= limit) {
                    (true, true) => {
                        let near = usize::from(b < a);
                        stack.push((a.max(b), node.children[1 - near]));
                        near
                    }
                    (true, false) => 0,
                    (false, true) => 1,
                    (false, false) => break,
                };
                current = node.children[near];
            }
            if current.is_item() {
                match visit(current.index(), limit) {
                    ControlFlow::Continue(new_limit) => limit = new_limit,
                    ControlFlow::Break(()) => return,
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
