//! Puts triangles into the leaves that grow least by them.

use super::editor::{Editor, Prim};
use crate::{
    box3::Box3,
    builder::WideTarget,
    layout::{BlockBox, ChildRef, Link, link_to, node_of, slot_of, triangles_in},
    leaf_position::LeafPosition,
    widths::{BLOCK_TEST_COST, BLOCK_WIDTH, MAX_LEAF_BLOCKS, NODE_WIDTH},
};

impl Editor<'_> {
    /// Puts triangles that are in no leaf into the tree. A small tree over them finds neighbours, which go together. One by one they
    /// take nearly three times as many instructions.
    pub(super) fn put_in_all(&mut self, triangles: &[u32]) {
        let prims: Vec<Prim> = triangles
            .iter()
            .map(|&triangle| {
                let bounds = BlockBox::new(self.mesh.triangle_box(triangle));
                Prim { triangle, bounds }
            })
            .collect();
        if prims.len() < BLOCK_WIDTH {
            prims.chunks(1).for_each(|prim| self.put_in(prim));
            return;
        }
        let (wide, order) = self.shape_of(&prims);
        for child in &wide.children {
            if let WideTarget::Leaf { first, count, .. } = child.target {
                let of_leaf = &order[first as usize..(first + count) as usize];
                let leaf: Vec<Prim> = of_leaf.iter().map(|&i| prims[i as usize]).collect();
                for group in leaf.chunks(BLOCK_WIDTH) {
                    let n_together = if are_neighbours(group) { BLOCK_WIDTH } else { 1 };
                    group.chunks(n_together).for_each(|group| self.put_in(group));
                }
            }
        }
    }

    /// Puts at most a block of triangles into one place.
    fn put_in(&mut self, group: &[Prim]) {
        let bounds = group.iter().fold(BlockBox::EMPTY, |all, prim| all.union(prim.bounds));
        let own = self.widened(bounds);
        let mut at = 0;
        // Which of equal children comes first: else coincident triangles would make a chain.
        let mut turn = group[0].triangle.wrapping_mul(0x9e37_79b9);
        for depth in 1.. {
            let (best, free) = self.best_slot(at, bounds.bounds, turn as usize % NODE_WIDTH);
            turn = turn.rotate_left(5);
            let Some(slot) = best else {
                self.attach_leaf(at, free.unwrap_or(0), group);
                self.dirty.push(at);
                return;
            };
            let node = &mut self.tree.nodes[at as usize];
            let child = node.child(slot);
            if !child.is_leaf() {
                // The box grows at once, because the next triangle may go the same way.
                let around = Box3::from(node.child_bounds(slot)).union(own);
                node.set(slot, around, 0.0, child);
                at = child.node_index() as u32;
                continue;
            }
            let deepest = self.put_in_leaf(link_to(at, slot), child, free, group);
            let depth = depth + usize::from(deepest != at);
            self.tree.depth = self.tree.depth.max(depth);
            if self.is_long(depth) {
                self.shorten(deepest);
            }
            return;
        }
    }

    /// The child that takes a box at the least cost, and a free slot. The child is `None` where a new leaf in the free slot costs less.
    fn best_slot(&self, node: u32, bounds: Box3, turn: usize) -> (Option<usize>, Option<usize>) {
        let node = &self.tree.nodes[node as usize];
        let [areas, grown] = node.areas_with(bounds);
        let (mut best, mut least, mut area, mut free) = (None, f32::INFINITY, 0.0, None);
        for slot in 0..NODE_WIDTH {
            let slot = (slot + turn) % NODE_WIDTH;
            let child = node.child(slot);
            if child == ChildRef::NONE {
                free = Some(slot);
                continue;
            }
            // A leaf costs less than a node.
            let weight = if child.is_leaf() { BLOCK_TEST_COST } else { 1.0 };
            let cost = weight * (grown[slot] - areas[slot]);
            if best.is_none() || cost < least || (cost == least && areas[slot] < area) {
                (best, least, area) = (Some(slot), cost, areas[slot]);
            }
        }
        if free.is_some() && BLOCK_TEST_COST * bounds.half_area() < least {
            return (None, free);
        }
        (best, free)
    }

    /// A box as the tree would store it.
    fn widened(&self, BlockBox { bounds, reach }: BlockBox) -> Box3 {
        let widening = glam::Vec3A::splat(self.tree.reach.widening(reach));
        Box3 { min: bounds.min - widening, max: bounds.max + widening }
    }

    /// Puts triangles into a leaf, or into two that take its place. Returns the node above them, which may be new.
    fn put_in_leaf(
        &mut self,
        link: Link,
        leaf: ChildRef,
        free: Option<usize>,
        group: &[Prim],
    ) -> u32 {
        let node = node_of(link);
        let last_block = leaf.blocks().end - 1;
        let n_in_last = triangles_in(self.tree.leaves.triangles(last_block)).len();
        if n_in_last + group.len() <= BLOCK_WIDTH {
            for (lane, prim) in (n_in_last..).zip(group) {
                let at = LeafPosition::new(last_block, lane);
                self.tree.leaves.write(at, prim.triangle, self.mesh.corners(prim.triangle));
                self.links.add_place(prim.triangle, at, self.tree);
            }
            let bounds = self.leaf_box(link);
            self.set_leaf(link, leaf, bounds);
            self.dirty.push(node);
            return node;
        }
        let mut prims = self.prims_of_leaf(link);
        prims.extend(group);
        let n_left = halve(&mut prims);
        self.empty_leaf(leaf);
        let (left, right) = prims.split_at(n_left);
        let slot = slot_of(link);
        let deepest = match free {
            Some(free) => {
                self.attach_leaf(node, slot, left);
                self.attach_leaf(node, free, right);
                node
            }
            None => {
                let pair = self.links.new_node(self.tree);
                self.attach_leaf(pair, 0, left);
                self.attach_leaf(pair, 1, right);
                self.set_node(link, pair);
                pair
            }
        };
        self.dirty.push(deepest);
        deepest
    }
}

/// Whether the triangles of a group lie beside each other: their common box has no more area than their own boxes together.
fn are_neighbours(group: &[Prim]) -> bool {
    let all = group.iter().fold(BlockBox::EMPTY, |all, prim| all.union(prim.bounds));
    let areas = group.iter().map(|prim| prim.bounds.bounds.half_area());
    all.bounds.half_area() <= areas.sum()
}

/// Orders triangles so that two leaves of the least cost have the first and the others. Returns the number of the first.
fn halve(prims: &mut [Prim]) -> usize {
    let centers =
        prims.iter().fold(Box3::EMPTY, |all, prim| all.grown(prim.bounds.bounds.center2()));
    let axis = centers.longest_axis();
    let center = |prim: &Prim| prim.bounds.bounds.center2()[axis];
    prims
        .sort_unstable_by(|a, b| center(a).total_cmp(&center(b)).then(a.triangle.cmp(&b.triangle)));
    let n = prims.len();
    let most = MAX_LEAF_BLOCKS * BLOCK_WIDTH;
    let mut behind = vec![Box3::EMPTY; n + 1];
    for i in (0..n).rev() {
        behind[i] = behind[i + 1].union(prims[i].bounds.bounds);
    }
    let (mut before, mut best, mut least) = (Box3::EMPTY, n / 2, f32::INFINITY);
    for (i, prim) in prims.iter().enumerate().take(n - 1) {
        before = before.union(prim.bounds.bounds);
        let (n_left, n_right) = (i + 1, n - i - 1);
        let cost = |bounds: &Box3, n: usize| bounds.half_area() * n.div_ceil(BLOCK_WIDTH) as f32;
        let both = cost(&before, n_left) + cost(&behind[i + 1], n_right);
        if n_left.max(n_right) <= most && both < least {
            (best, least) = (n_left, both);
        }
    }
    best
}
