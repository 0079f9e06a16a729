//! The edits of the upper level: each takes one path to the root.
//!
//! An item goes down to the child that grows least, and takes a free slot there or shares a new node with another item. A
//! removal empties a slot, and a node with one child gives it its place.

use hitscan_primitives::WorldBox;

use super::{
    instance_bvh::{InstanceBvh, Item, node_below},
    placed_mesh::{InstanceTag, PlacedMesh},
};
use crate::{
    box3::Box3,
    layout::{ChildRef, Link, NO_LINK, WideNode, link_to, node_of, slot_of},
    widths::{NODE_WIDTH, levels},
};

/// A move in place may let the parent's box grow by this share of its area.
const GROWTH: f32 = 0.1;

/// The number of edits below which no rebuild pays.
const FEW: usize = 64;

/// Items are moved together if they are at least this part of all.
const MANY: usize = 8;

/// Items that moved together may let the cost grow by this share. 0.1 costs random rays a fifth.
const SLOWER: f32 = 0.08;

impl InstanceBvh {
    /// Places an item, or moves it. `bounds` is not empty, and holds the mesh as `PlacedMesh` places it.
    pub fn set(&mut self, item: u32, placed: PlacedMesh, bounds: WorldBox) {
        self.replace(item, placed, bounds);
        self.follow_one(item);
    }

    /// Changes an item, or adds one. The nodes stay, and no query is right until they [`follow`](Self::follow).
    pub fn replace(&mut self, item: u32, placed: PlacedMesh, bounds: WorldBox) {
        if let Some(mesh) = placed.mesh() {
            self.isa = mesh.bvh().isa;
        }
        let end = item as usize;
        if self.items.len() <= end {
            // Not one longer, because a push takes half of the time of a default that is then replaced.
            self.items.resize(end);
            self.placed.resize(end);
            self.items.push(Item { bounds, link: NO_LINK });
            self.placed.push(placed);
        } else {
            *self.placed.get_mut(item) = placed;
            self.items.get_mut(item).bounds = bounds;
        }
    }

    /// Lets the nodes follow items that [`replace`](Self::replace) changed or added. If they are a large share of all, all
    /// boxes are fitted in one pass, or the nodes are built anew.
    pub fn follow(&mut self, items: &[u32]) {
        let is_new = |&&item: &&u32| !self.items.get(item).is_placed();
        let n_new = items.iter().filter(is_new).count();
        let many_are_new = n_new >= FEW && n_new >= self.n_items / 2;
        let many_moved = n_new == 0 && items.len() >= FEW && items.len() >= self.n_items / MANY;
        if many_are_new {
            items.iter().for_each(|&item| self.count_in(item));
            self.rebuild();
        } else if many_moved {
            self.fit(items);
        } else {
            items.iter().for_each(|&item| self.follow_one(item));
        }
    }

    /// Fits all boxes to items that moved, or builds the nodes anew.
    fn fit(&mut self, items: &[u32]) {
        for &item in items {
            let &Item { bounds, link } = self.items.get(item);
            let Some(space_box) = self.space.place(&bounds) else { return self.rebuild() };
            set_child_box(self.nodes.get_mut(node_of(link)), slot_of(link), space_box);
        }
        if self.refit() > (1.0 + SLOWER) * self.built_cost {
            self.rebuild();
        }
    }

    fn follow_one(&mut self, item: u32) {
        let &Item { bounds, link } = self.items.get(item);
        match self.space.place(&bounds) {
            Some(space_box) => {
                if link == NO_LINK {
                    self.n_items += 1;
                    self.put_in(item, space_box);
                } else {
                    self.move_item(item, link, space_box);
                }
                if self.n_moved > FEW + self.n_items / 2 {
                    self.rebuild();
                }
            }
            None => {
                self.count_in(item);
                self.rebuild();
            }
        }
    }

    /// Counts an item that [`rebuild`](Self::rebuild) is to place. It takes the items with a link.
    fn count_in(&mut self, item: u32) {
        let link = &mut self.items.get_mut(item).link;
        if *link == NO_LINK {
            *link = 0;
            self.n_items += 1;
        }
    }

    /// Fits all boxes above the items, and returns the [cost](Self::cost).
    fn refit(&mut self) -> f32 {
        let order = self.reachable();
        for &index in order.iter().skip(1).rev() {
            let node = self.nodes.get(index);
            let (link, bounds) = (node.spare[0], node.whole_box());
            set_child_box(self.nodes.get_mut(node_of(link)), slot_of(link), bounds);
        }
        self.cost(&order)
    }

    /// All nodes, each before those below it.
    pub(super) fn reachable(&self) -> Vec<u32> {
        let mut order = vec![0];
        let mut next = 0;
        while next < order.len() {
            let node = self.nodes.get(order[next]);
            let children = node.occupied().map(|slot| node.child(slot));
            let nodes = children.filter(|child| !child.is_leaf());
            order.extend(nodes.map(|child| child.node_index() as u32));
            next += 1;
        }
        order
    }

    /// The areas of all boxes as a share of that of the whole: how many boxes a random ray meets.
    pub(super) fn cost(&self, nodes: &[u32]) -> f32 {
        let area = |slots: &WideNode| -> f32 {
            slots.occupied().map(|slot| child_box(slots, slot).half_area()).sum()
        };
        let all: f64 = nodes.iter().map(|&index| f64::from(area(self.nodes.get(index)))).sum();
        (all / f64::from(self.nodes.get(0).whole_box().half_area())) as f32
    }

    /// Removes an item, if it is there.
    pub fn remove(&mut self, item: u32) {
        if item as usize >= self.items.len() {
            return;
        }
        if self.items.get(item).is_placed() {
            self.take_out(item);
            self.n_items -= 1;
        }
        if self.placed.get(item).mesh().is_some() {
            *self.placed.get_mut(item) = PlacedMesh::default();
        }
    }

    /// Gives up the share in the mesh of an item. No ray hits the item until [`set`](Self::set) places it again.
    pub fn release_mesh(&mut self, item: u32) {
        if self.placed(item).is_some() {
            *self.placed.get_mut(item) = PlacedMesh::default();
        }
    }

    /// Changes the words of an item, if it is there.
    pub fn set_tag(&mut self, item: u32, tag: InstanceTag) {
        if self.placed(item).is_some() {
            self.placed.get_mut(item).set_tag(tag);
        }
    }

    /// In place if the parent's box grows little.
    fn move_item(&mut self, item: u32, link: Link, bounds: Box3) {
        let (node, slot) = (node_of(link), slot_of(link));
        let above = self.nodes.get(node).spare[0];
        if above != NO_LINK {
            let whole = child_box(self.nodes.get(node_of(above)), slot_of(above));
            let grown = whole.union(bounds);
            if grown.half_area() > (1.0 + GROWTH) * whole.half_area() {
                self.take_out(item);
                self.put_in(item, bounds);
                return;
            }
            self.n_moved += usize::from(grown.half_area() > whole.half_area());
        }
        set_child_box(self.nodes.get_mut(node), slot, bounds);
        self.refit_above(node);
    }

    fn put_in(&mut self, item: u32, bounds: Box3) {
        self.n_moved += 1;
        let leaf = ChildRef::leaf(item, 1);
        let mut at = 0;
        // Which of equal children comes first: else coincident items would make a chain.
        let mut turn = item.wrapping_mul(0x9e37_79b9);
        for depth in 1.. {
            let node = self.nodes.get(at);
            let (slot, free) = least_growth(node, bounds, turn as usize);
            turn = turn.rotate_left(5);
            let child = node.child(slot);
            if child == ChildRef::NONE || child.is_leaf() {
                if let Some(free) = free {
                    self.attach(at, free, leaf, bounds);
                } else {
                    // A new node for both.
                    let other = child_box(node, slot);
                    let pair = self.new_node(link_to(at, slot));
                    self.attach(pair, 0, child, other);
                    self.attach(pair, 1, leaf, bounds);
                    self.attach(at, slot, ChildRef::node(pair), other.union(bounds));
                }
                self.refit_above(at);
                if depth > self.usual_depth() {
                    self.shorten(at);
                }
                return;
            }
            at = child.node_index() as u32;
        }
    }

    /// The depth beyond which a path is shortened: a few levels, and twice those of a full tree.
    pub(super) fn usual_depth(&self) -> usize {
        6 + 2 * levels(self.n_items)
    }

    /// Builds anew the least subtree around a node at the end of a long path that has fewer items than 8^(height / 2). It
    /// becomes at least one level less deep. Items in a row come here, each of which would go below the last one. (Galperin
    /// and Rivest, "Scapegoat Trees", 1993.)
    fn shorten(&mut self, node: u32) {
        /// The least height for which a full tree is less deep by more than the rounding of levels.
        const LEAST_HEIGHT: usize = 6;
        let (mut at, mut height) = (node, 1);
        loop {
            let link = self.nodes.get(at).spare[0];
            let few = 1 << (3 * height / 2).min(40);
            if link == NO_LINK || height >= LEAST_HEIGHT && self.has_fewer(at, few) {
                self.rebuild_below(at);
                return;
            }
            (at, height) = (node_of(link), height + 1);
        }
    }

    /// Whether there are fewer items than `limit` below a node.
    fn has_fewer(&self, node: u32, limit: usize) -> bool {
        let (mut n, mut pending) = (0, vec![node]);
        while let Some(index) = pending.pop() {
            let node = self.nodes.get(index);
            for child in node.occupied().map(|slot| node.child(slot)) {
                if child.is_leaf() {
                    n += 1;
                } else {
                    pending.push(child.node_index() as u32);
                }
            }
            if n >= limit {
                return false;
            }
        }
        n < limit
    }

    pub(super) fn new_node(&mut self, parent: Link) -> u32 {
        match self.free_nodes.pop() {
            Some(index) => {
                *self.nodes.get_mut(index) = node_below(parent);
                index
            }
            None => self.nodes.push(node_below(parent)),
        }
    }

    /// Stores a child with its box, and in the child its link.
    fn attach(&mut self, node: u32, slot: usize, child: ChildRef, bounds: Box3) {
        self.link(child, link_to(node, slot));
        self.nodes.get_mut(node).set(slot, bounds, 0.0, child);
    }

    /// Stores the link of a child in the child.
    pub(super) fn link(&mut self, child: ChildRef, link: Link) {
        if child.is_leaf() {
            self.items.get_mut(child.first_block() as u32).link = link;
        } else {
            self.nodes.get_mut(child.node_index() as u32).spare[0] = link;
        }
    }

    fn take_out(&mut self, item: u32) {
        let link = std::mem::replace(&mut self.items.get_mut(item).link, NO_LINK);
        let at = node_of(link);
        let node = self.nodes.get_mut(at);
        node.set(slot_of(link), Box3::EMPTY, 0.0, ChildRef::NONE);
        let parent = node.spare[0];
        let mut occupied = node.occupied();
        let (first, second) = (occupied.next(), occupied.next());
        drop(occupied);
        if parent == NO_LINK {
            return;
        }
        match (first, second) {
            (Some(only), None) => {
                let (child, bounds) = (node.child(only), child_box(node, only));
                self.free_nodes.push(at);
                self.attach(node_of(parent), slot_of(parent), child, bounds);
                self.refit_above(node_of(parent));
            }
            _ => self.refit_above(at),
        }
    }

    /// Fits the boxes above a node, up to the first that stays.
    fn refit_above(&mut self, node: u32) {
        let mut at = node;
        loop {
            let node = self.nodes.get(at);
            let link = node.spare[0];
            if link == NO_LINK {
                return;
            }
            let bounds = node.whole_box();
            let (parent, slot) = (node_of(link), slot_of(link));
            let before = child_box(self.nodes.get(parent), slot);
            if before.min == bounds.min && before.max == bounds.max {
                return;
            }
            set_child_box(self.nodes.get_mut(parent), slot, bounds);
            at = parent;
        }
    }
}

fn child_box(node: &WideNode, slot: usize) -> Box3 {
    node.child_bounds(slot).into()
}

fn set_child_box(node: &mut WideNode, slot: usize, bounds: Box3) {
    node.set(slot, bounds, 0.0, node.child(slot));
}

/// The child whose area a box lets grow least, and a free slot. The child is [`ChildRef::NONE`] if there is none. Among
/// equal ones the first from slot `turn` on, in a ring.
fn least_growth(node: &WideNode, bounds: Box3, turn: usize) -> (usize, Option<usize>) {
    let [areas, grown] = node.areas_with(bounds);
    let (mut best, mut least, mut free) = (0, f32::INFINITY, None);
    for slot in 0..NODE_WIDTH {
        let slot = (slot + turn) % NODE_WIDTH;
        if node.child(slot) == ChildRef::NONE {
            free = Some(slot);
        } else if grown[slot] - areas[slot] < least {
            (best, least) = (slot, grown[slot] - areas[slot]);
        }
    }
    (best, free)
}
