//! The top-level tree: a binary tree over the world boxes of instances that follows every edit.
//!
//! Insertion goes down to where the sum of box areas grows least, removal puts the sibling in the
//! parent's place, and every node whose box changes tries the rotations of Kopta, Ize, Spjut, Brunvand,
//! Davis and Kensler, "Fast, Effective BVH Updates for Animated Scenes" (2012), which keep the tree good
//! without ever building it anew. An edit costs O(depth).
//!
//! Clones share their nodes; see [`Chunks`].

use std::ops::ControlFlow;

use smallvec::SmallVec;

use crate::{chunks::Chunks, world_box::WorldBox};

/// How far down an insertion goes: several times as deep as a tree of instances gets in space.
const MAX_STEPS_DOWN: usize = 128;

/// What hangs in a place of the tree: a node, an item, or nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Child(u32);

impl Child {
    const NONE: Self = Self(u32::MAX);
    const ITEM: u32 = 1 << 31;

    fn node(index: u32) -> Self {
        Self(index)
    }

    fn item(item: u32) -> Self {
        Self(item | Self::ITEM)
    }

    fn is_item(self) -> bool {
        self.0 & Self::ITEM != 0
    }

    fn index(self) -> u32 {
        self.0 & !Self::ITEM
    }
}

/// Where a child hangs: side 0 or 1 of a node, or the root of the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place(u32);

impl Place {
    /// In no tree.
    const NOWHERE: Self = Self(u32::MAX);
    const ROOT: Self = Self(u32::MAX - 1);

    fn new(node: u32, side: usize) -> Self {
        Self(2 * node + side as u32)
    }

    fn node(self) -> u32 {
        self.0 / 2
    }

    fn side(self) -> usize {
        (self.0 % 2) as usize
    }
}

impl Default for Place {
    fn default() -> Self {
        Self::NOWHERE
    }
}

/// Two children with their boxes.
#[derive(Clone, Copy, Debug)]
struct Node {
    bounds: [WorldBox; 2],
    children: [Child; 2],
    place: Place,
}

impl Default for Node {
    fn default() -> Self {
        Self { bounds: [WorldBox::EMPTY; 2], children: [Child::NONE; 2], place: Place::NOWHERE }
    }
}

impl Node {
    fn union(&self) -> WorldBox {
        self.bounds[0].union(self.bounds[1])
    }
}

/// A binary tree over items, each a number with a box.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    nodes: Chunks<Node>,
    /// Nodes that are not in use.
    free: Vec<u32>,
    /// Where each item hangs.
    places: Chunks<Place>,
    root: Child,
    bounds: WorldBox,
}

impl Default for Tree {
    fn default() -> Self {
        Self {
            nodes: Chunks::default(),
            free: Vec::new(),
            places: Chunks::default(),
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

    /// Gives an item this box: hangs it into the tree if it is not in it, or moves it.
    pub(crate) fn set(&mut self, item: u32, bounds: WorldBox) {
        while self.places.len() <= item as usize {
            self.places.push(Place::NOWHERE);
        }
        let place = *self.places.get(item);
        if place == Place::NOWHERE {
            self.insert(item, bounds);
        } else if self.stays(place, &bounds) {
            self.write(place, bounds);
            self.refit_above(place);
        } else {
            self.remove(item);
            self.insert(item, bounds);
        }
    }

    /// Whether an item in `place` is well kept there with new bounds: they lie within its parent.
    fn stays(&self, place: Place, bounds: &WorldBox) -> bool {
        place == Place::ROOT || {
            let parent = self.nodes.get(place.node()).place;
            let within = match parent {
                Place::ROOT => return true,
                parent => self.nodes.get(parent.node()).bounds[parent.side()],
            };
            within.contains_box(bounds)
        }
    }

    /// Takes an item out of the tree, if it is in it.
    pub(crate) fn remove(&mut self, item: u32) {
        if item as usize >= self.places.len() {
            return;
        }
        let place = *self.places.get(item);
        match place {
            Place::NOWHERE => return,
            Place::ROOT => {
                self.root = Child::NONE;
                self.bounds = WorldBox::EMPTY;
            }
            _ => {
                let node = *self.nodes.get(place.node());
                let other = 1 - place.side();
                self.free.push(place.node());
                self.hang(node.place, node.children[other], node.bounds[other]);
                self.refit_above(node.place);
            }
        }
        *self.places.get_mut(item) = Place::NOWHERE;
    }

    fn insert(&mut self, item: u32, bounds: WorldBox) {
        if self.root == Child::NONE {
            self.hang(Place::ROOT, Child::item(item), bounds);
            return;
        }
        let (place, sibling, sibling_bounds) = self.best_sibling(&bounds);
        let new = match self.free.pop() {
            Some(node) => node,
            None => self.nodes.push(Node::default()),
        };
        self.hang(place, Child::node(new), sibling_bounds.union(bounds));
        self.hang(Place::new(new, 0), sibling, sibling_bounds);
        self.hang(Place::new(new, 1), Child::item(item), bounds);
        self.refit_above(place);
    }

    /// Where a new node over an old child and a box costs the least area, found by going down as long
    /// as a child is cheaper than the node.
    fn best_sibling(&self, bounds: &WorldBox) -> (Place, Child, WorldBox) {
        let (mut place, mut child, mut child_bounds) = (Place::ROOT, self.root, self.bounds);
        // Boxes in one place, or one in the other, make a tree in which it always costs less to go on.
        for _ in 0..MAX_STEPS_DOWN {
            if child.is_item() {
                break;
            }
            let node = self.nodes.get(child.index());
            let whole = child_bounds.union(*bounds).half_area();
            // What all ancestors of a place below grow by here.
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
            place = Place::new(child.index(), side);
            (child, child_bounds) = (node.children[side], node.bounds[side]);
        }
        (place, child, child_bounds)
    }

    /// Puts a child into a place, and tells it so.
    fn hang(&mut self, place: Place, child: Child, bounds: WorldBox) {
        if place == Place::ROOT {
            (self.root, self.bounds) = (child, bounds);
        } else {
            let node = self.nodes.get_mut(place.node());
            node.children[place.side()] = child;
            node.bounds[place.side()] = bounds;
        }
        if child.is_item() {
            *self.places.get_mut(child.index()) = place;
        } else {
            self.nodes.get_mut(child.index()).place = place;
        }
    }

    fn write(&mut self, place: Place, bounds: WorldBox) {
        if place == Place::ROOT {
            self.bounds = bounds;
        } else {
            self.nodes.get_mut(place.node()).bounds[place.side()] = bounds;
        }
    }

    /// After a change of the box in `place`: rotates and refits the nodes above, as far as anything
    /// changes.
    fn refit_above(&mut self, place: Place) {
        let mut place = place;
        while place != Place::ROOT {
            let node = place.node();
            let rotated = self.rotate(node);
            place = self.nodes.get(node).place;
            let bounds = self.nodes.get(node).union();
            let before = match place {
                Place::ROOT => self.bounds,
                _ => self.nodes.get(place.node()).bounds[place.side()],
            };
            if bounds != before {
                self.write(place, bounds);
            } else if !rotated {
                return;
            }
        }
    }

    /// Swaps a child of `node` with a child of the other child if that makes the latter smaller: the
    /// best of four such swaps.
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
                // By more than rounding, or two swaps might undo each other for ever.
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
        self.hang(Place::new(inner_node, side), children[1 - inner], bounds[1 - inner]);
        self.hang(Place::new(node, 1 - inner), below.children[side], below.bounds[side]);
        let inner_bounds = self.nodes.get(inner_node).union();
        self.write(Place::new(node, inner), inner_bounds);
        true
    }

    /// Visits items near first. `key` says where a box begins, in any measure that does not fall from
    /// a box to a box within it; a box whose key is greater than the limit, or NaN, is left out. `visit`
    /// gets an item with the limit and answers with the new limit.
    #[inline]
    pub(crate) fn walk(
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
            // Not `>`: a NaN is left out.
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
mod tests {
    use glam::DVec3;
    use hitscan_primitives::generate::SplitMix64;

    use super::*;

    /// Checks boxes and back references below `child`, and returns the items in order.
    fn validate(tree: &Tree, child: Child, place: Place, bounds: WorldBox, items: &mut Vec<u32>) {
        if child.is_item() {
            assert_eq!(*tree.places.get(child.index()), place);
            items.push(child.index());
            return;
        }
        let node = tree.nodes.get(child.index());
        assert_eq!(node.place, place);
        assert_eq!(node.union(), bounds);
        for side in 0..2 {
            let place = Place::new(child.index(), side);
            validate(tree, node.children[side], place, node.bounds[side], items);
        }
    }

    fn random_box(rng: &mut SplitMix64) -> WorldBox {
        let mut vector = |size: f64| DVec3::new(rng.unit(), rng.unit(), rng.unit()) * size;
        let min = vector(100.0);
        WorldBox { min, max: min + vector(3.0) }
    }

    #[test]
    fn boxes_in_one_place_or_one_in_the_other_are_inserted_in_bounded_steps() {
        for shrink in [0.0, 1e-5] {
            let mut tree = Tree::default();
            for item in 0..20_000u32 {
                let size = DVec3::splat(1.0 - shrink * f64::from(item));
                tree.set(item, WorldBox { min: -size, max: size });
                let mut place = *tree.places.get(item);
                let mut depth = 0;
                while place != Place::ROOT {
                    place = tree.nodes.get(place.node()).place;
                    depth += 1;
                }
                assert!(depth <= 2 * MAX_STEPS_DOWN, "{depth}");
            }
        }
    }

    #[test]
    fn edits_keep_every_box_and_every_item() {
        let mut rng = SplitMix64::new(3);
        let mut tree = Tree::default();
        let mut boxes: Vec<Option<WorldBox>> = vec![None; 300];
        for step in 0..6000 {
            let item = rng.below(300) as usize;
            let old = boxes[item];
            boxes[item] = match (rng.below(4), old) {
                (0, _) => None,
                (1, Some(old)) => {
                    Some(WorldBox { min: old.min + DVec3::splat(0.1), max: old.max + 0.1 })
                }
                _ => Some(random_box(&mut rng)),
            };
            match boxes[item] {
                Some(bounds) => tree.set(item as u32, bounds),
                None => tree.remove(item as u32),
            }
            if step % 50 == 0 && tree.root != Child::NONE {
                let mut items = Vec::new();
                validate(&tree, tree.root, Place::ROOT, tree.bounds, &mut items);
                items.sort_unstable();
                let expected = (0..300u32).filter(|&i| boxes[i as usize].is_some());
                assert!(items.iter().copied().eq(expected), "step {step}");
                assert_eq!(tree.nodes.len(), tree.free.len() + items.len() - 1, "step {step}");
            }
        }
        for item in 0..300 {
            tree.remove(item);
        }
        assert!(tree.root == Child::NONE && tree.bounds.is_empty());
    }

    #[test]
    fn a_tree_grown_in_order_and_moved_about_stays_good() {
        let mut tree = Tree::default();
        let place = |i: u32, far: f64| {
            let min = DVec3::new(f64::from(i % 100), 0.0, f64::from(i / 100)) * 2.0 + far;
            WorldBox { min, max: min + 1.0 }
        };
        // Row by row, which is the worst order for a tree that only grows.
        let n_tests = |tree: &Tree, i: u32, far: f64| {
            let (mut n_tests, point) = (0, place(i, far).center());
            tree.walk(
                0.0,
                |bounds| {
                    n_tests += 1;
                    bounds.distance_squared(point)
                },
                |_, limit| ControlFlow::Continue(limit),
            );
            n_tests
        };
        let mean = |tree: &Tree, far: f64| {
            (0..10_000).step_by(7).map(|i| n_tests(tree, i, far)).sum::<usize>() / 1429
        };
        (0..10_000).for_each(|i| tree.set(i, place(i, 0.0)));
        assert!(mean(&tree, 0.0) < 60, "grown: {}", mean(&tree, 0.0));
        // Everything goes elsewhere, one after the other.
        (0..10_000).for_each(|i| tree.set(i, place(i, 1000.0)));
        assert!(mean(&tree, 1000.0) < 60, "moved: {}", mean(&tree, 1000.0));
    }

    #[test]
    fn a_walk_meets_what_a_scan_meets_and_near_first() {
        let mut rng = SplitMix64::new(4);
        let mut tree = Tree::default();
        let boxes: Vec<WorldBox> = (0..500).map(|_| random_box(&mut rng)).collect();
        for (item, bounds) in boxes.iter().enumerate() {
            tree.set(item as u32, *bounds);
        }
        for _ in 0..100 {
            let point = DVec3::new(rng.unit(), rng.unit(), rng.unit()) * 100.0;
            let mut best = (f64::INFINITY, u32::MAX);
            let mut n_visits = 0;
            tree.walk(
                f64::INFINITY,
                |bounds| bounds.distance_squared(point),
                |item, limit| {
                    n_visits += 1;
                    let distance = boxes[item as usize].distance_squared(point);
                    if (distance, item) < best {
                        best = (distance, item);
                    }
                    ControlFlow::Continue(limit.min(distance))
                },
            );
            let expected = (0..500u32)
                .map(|item| (boxes[item as usize].distance_squared(point), item))
                .min_by(|a, b| a.partial_cmp(b).expect("no NaN"));
            assert_eq!(Some(best), expected);
            assert!(n_visits < 100, "{n_visits} of 500");
        }
    }
}
