//! Where an edited tree keeps each triangle, and what each node costs.

use std::collections::HashMap;

use crate::{
    layout::{
        Leaves, Link, NO_LINK, Tree, TriangleBlock, WideNode, link_to, node_of, slot_of,
        triangles_in,
    },
    leaf_position::LeafPosition,
    platform::large_pages::make_room,
    widths::{BLOCK_TEST_COST, BLOCK_WIDTH, MAX_LEAF_BLOCKS},
};

/// The place of a triangle that is in no leaf, or in several.
const NO_PLACE: u32 = u32::MAX;

/// A node is worth building anew once a ray below it costs this many times what it did.
const DEGRADED: f32 = 1.25;

/// The way from triangles, blocks and nodes back to the slots that refer to them, and the memory that is free. About five
/// bytes per triangle.
#[derive(Clone, Debug)]
pub(crate) struct Links {
    /// The position of each triangle that is in one leaf, as bits.
    places: Vec<u32>,
    /// The positions of each triangle that is in several.
    places_of_split: HashMap<u32, Vec<LeafPosition>>,
    /// The link of the leaf with each block.
    pub(super) leaf_of: Vec<Link>,
    pub(super) nodes: Vec<NodeInfo>,
    free_nodes: Vec<u32>,
    /// The first of `n + 1` free blocks in a row, for each `n`.
    free_blocks: [Vec<u32>; MAX_LEAF_BLOCKS],
    n_free_blocks: usize,
    /// The triangles that repairs may still build anew.
    pub(super) credit: usize,
    /// The triangles that came since the tree was built, and the number there were.
    pub(super) n_came: usize,
    pub(super) n_built: usize,
    /// The positions of compact blocks when they were written anew.
    pub(super) n_positions: usize,
}

/// What is known of a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct NodeInfo {
    pub(super) parent: Link,
    /// The expected cost of a ray below the node, times half the area of its box.
    pub(super) cost: f32,
    /// The cost when the nodes below were built, and the cost over the area.
    pub(super) built: [f32; 2],
    /// The blocks below.
    pub(super) n_blocks: u32,
}

impl NodeInfo {
    pub(super) const NEW: Self =
        Self { parent: NO_LINK, cost: 0.0, built: [f32::MAX; 2], n_blocks: 0 };

    /// With the cost that it has now as the one when it was built.
    pub(super) fn as_built(self, node: &WideNode) -> Self {
        Self { built: [self.cost, ratio(&self, node)], ..self }
    }

    /// Whether rays below the node cost more than when it was built, both in sum and for each ray that meets its box.
    pub(super) fn is_worse(&self, node: &WideNode) -> bool {
        self.cost > self.built[0] && ratio(self, node) > DEGRADED * self.built[1]
    }
}

impl Links {
    /// The links of a tree whose nodes follow their parents. O(n).
    pub(crate) fn new(tree: &Tree, n_triangles: usize) -> Self {
        let n_positions = match &tree.leaves {
            Leaves::Full(_) => 0,
            Leaves::Compact(indexed) => indexed.positions.len(),
        };
        let mut links = Self {
            places: vec![NO_PLACE; n_triangles],
            places_of_split: HashMap::new(),
            leaf_of: vec![NO_LINK; tree.leaves.len()],
            nodes: vec![NodeInfo::NEW; tree.nodes.len()],
            free_nodes: Vec::new(),
            free_blocks: Default::default(),
            n_free_blocks: 0,
            credit: 0,
            n_came: 0,
            n_built: n_triangles,
            n_positions,
        };
        for (index, node) in tree.nodes.iter().enumerate() {
            for slot in node.occupied() {
                let (child, link) = (node.child(slot), link_to(index as u32, slot));
                if child.is_leaf() {
                    links.leaf_of[child.blocks()].fill(link);
                } else {
                    links.nodes[child.node_index()].parent = link;
                }
            }
        }
        for block in 0..tree.leaves.len() {
            for (lane, &triangle) in triangles_in(tree.leaves.triangles(block)).iter().enumerate() {
                links.add_place(triangle, LeafPosition::new(block, lane), tree);
            }
        }
        for index in (0..tree.nodes.len()).rev() {
            let info = links.measure(index as u32, &tree.nodes[index]);
            links.nodes[index] = info.as_built(&tree.nodes[index]);
        }
        links
    }

    /// What is known of a node, from what is known of its children.
    pub(super) fn measure(&self, index: u32, node: &WideNode) -> NodeInfo {
        let mut info = NodeInfo { cost: 0.0, n_blocks: 0, ..self.nodes[index as usize] };
        for slot in node.occupied() {
            let (child, area) = (node.child(slot), node.child_bounds(slot).half_area());
            if child.is_leaf() {
                let n_blocks = child.blocks().len() as u32;
                info.cost += BLOCK_TEST_COST * n_blocks as f32 * area;
                info.n_blocks += n_blocks;
            } else {
                let below = &self.nodes[child.node_index()];
                info.cost += area + below.cost;
                info.n_blocks += below.n_blocks;
            }
        }
        info
    }

    /// The expected cost of a ray, as [`BvhStats::sah_cost`](crate::BvhStats::sah_cost).
    pub(crate) fn cost(&self, tree: &Tree) -> f32 {
        1.0 + if self.nodes[0].n_blocks > 0 { ratio(&self.nodes[0], &tree.nodes[0]) } else { 0.0 }
    }

    /// Whether they are those of the tree. The first place that is not.
    pub(crate) fn check(&self, tree: &Tree, n_triangles: usize) -> Result<(), String> {
        let mut n_used = 0;
        for block in 0..tree.leaves.len() {
            let link = self.leaf_of[block];
            let triangles = triangles_in(tree.leaves.triangles(block));
            let is_there = link != NO_LINK && {
                let child = tree.nodes[node_of(link) as usize].child(slot_of(link));
                child.is_leaf() && child.blocks().contains(&block)
            };
            if is_there == triangles.is_empty() {
                return Err(format!(
                    "block {block} with {} triangles has link {link}",
                    triangles.len()
                ));
            }
            n_used += usize::from(is_there);
            for (lane, &triangle) in triangles.iter().enumerate() {
                let at = LeafPosition::new(block, lane);
                let places = self.places_of_split.get(&triangle);
                if self.place(triangle) != Some(at) && !places.is_some_and(|all| all.contains(&at))
                {
                    return Err(format!("triangle {triangle} is not known to be in block {block}"));
                }
            }
        }
        if n_used != self.n_blocks() || self.places.len() != n_triangles {
            return Err(format!("{n_used} blocks in use, expected {}", self.n_blocks()));
        }
        for (index, node) in tree.nodes.iter().enumerate() {
            for slot in node.occupied().filter(|&slot| !node.child(slot).is_leaf()) {
                let child = node.child(slot).node_index();
                if self.nodes[child].parent != link_to(index as u32, slot) {
                    return Err(format!("node {child} does not know its parent {index}"));
                }
            }
        }
        Ok(())
    }

    /// The bytes that they take.
    pub(crate) fn bytes(&self) -> usize {
        let split = self.places_of_split.values().map(|places| 32 + size_of_val(&**places));
        let free = self.free_blocks.iter().map(|free| size_of_val(&**free));
        size_of_val(&*self.places)
            + size_of_val(&*self.leaf_of)
            + size_of_val(&*self.nodes)
            + size_of_val(&*self.free_nodes)
            + split.sum::<usize>()
            + free.sum::<usize>()
    }

    /// The blocks in use.
    pub(super) fn n_blocks(&self) -> usize {
        self.leaf_of.len() - self.n_free_blocks
    }

    /// Makes room for some number of triangles. Those beyond it are in no leaf.
    pub(super) fn set_room(&mut self, n_triangles: usize) {
        self.places.resize(n_triangles, NO_PLACE);
    }

    /// The one place of a triangle; `None` if it has none or several.
    #[inline(always)]
    pub(super) fn place(&self, triangle: u32) -> Option<LeafPosition> {
        let place = self.places[triangle as usize];
        if place == NO_PLACE { None } else { Some(LeafPosition::from_bits(place)) }
    }

    /// Where the place of a triangle stands in memory.
    #[inline(always)]
    pub(super) fn place_address(&self, triangle: u32) -> *const u8 {
        self.places.as_ptr().wrapping_add(triangle as usize).cast()
    }

    /// Whether a triangle is in some leaf.
    pub(super) fn has_place(&self, triangle: u32) -> bool {
        self.places[triangle as usize] != NO_PLACE || self.places_of_split.contains_key(&triangle)
    }

    /// Forgets one place of a triangle.
    pub(super) fn forget_place(&mut self, triangle: u32, at: LeafPosition) {
        match self.places_of_split.get_mut(&triangle) {
            Some(places) => places.retain(|&place| place != at),
            None => self.places[triangle as usize] = NO_PLACE,
        }
    }

    /// Forgets the places of a triangle and returns them.
    pub(super) fn take_places(&mut self, triangle: u32) -> Vec<LeafPosition> {
        let place = self.place(triangle);
        self.places[triangle as usize] = NO_PLACE;
        let several = self.places_of_split.remove(&triangle).unwrap_or_default();
        place.into_iter().chain(several).collect()
    }

    /// Notes a place of a triangle, which may have others if it is split.
    pub(super) fn add_place(&mut self, triangle: u32, at: LeafPosition, tree: &Tree) {
        if tree.split.contains(triangle) {
            self.places_of_split.entry(triangle).or_default().push(at);
        } else {
            self.places[triangle as usize] = at.bits();
        }
    }

    /// Notes that a triangle moved from one place to another.
    pub(super) fn move_place(&mut self, triangle: u32, from: LeafPosition, to: LeafPosition) {
        match self.places_of_split.get_mut(&triangle) {
            Some(places) => {
                for place in places.iter_mut().filter(|place| **place == from) {
                    *place = to;
                }
            }
            None => self.places[triangle as usize] = to.bits(),
        }
    }

    /// An unused node, which is empty.
    pub(super) fn new_node(&mut self, tree: &mut Tree) -> u32 {
        self.free_nodes.pop().unwrap_or_else(|| {
            make_room(&mut tree.nodes, 1);
            tree.nodes.push(WideNode::EMPTY);
            self.nodes.push(NodeInfo::NEW);
            (tree.nodes.len() - 1) as u32
        })
    }

    /// Gives a node back.
    pub(super) fn free_node(&mut self, node: u32, tree: &mut Tree) {
        tree.nodes[node as usize] = WideNode::EMPTY;
        self.nodes[node as usize] = NodeInfo::NEW;
        self.free_nodes.push(node);
    }

    /// The first of `n` unused blocks in a row, which are empty.
    pub(super) fn new_blocks(&mut self, n: usize, tree: &mut Tree) -> u32 {
        for len in n..=MAX_LEAF_BLOCKS {
            if let Some(first) = self.free_blocks[len - 1].pop() {
                if len > n {
                    self.free_blocks[len - n - 1].push(first + n as u32);
                }
                self.n_free_blocks -= n;
                return first;
            }
        }
        let first = tree.leaves.len();
        tree.leaves.make_room(n);
        tree.leaves.resize(first + n);
        self.leaf_of.resize(first + n, NO_LINK);
        first as u32
    }

    /// Gives blocks in a row back.
    pub(super) fn free_blocks(&mut self, blocks: std::ops::Range<usize>, tree: &mut Tree) {
        for block in blocks.clone() {
            for lane in 0..BLOCK_WIDTH {
                if tree.leaves.triangles(block)[lane] != TriangleBlock::NO_TRIANGLE {
                    tree.leaves.clear(LeafPosition::new(block, lane));
                }
            }
        }
        self.leaf_of[blocks.clone()].fill(NO_LINK);
        self.n_free_blocks += blocks.len();
        self.free_blocks[blocks.len() - 1].push(blocks.start as u32);
    }
}

/// The cost of a node over its area, which the build makes as small as it can; 0 for a node without area.
pub(super) fn ratio(info: &NodeInfo, node: &WideNode) -> f32 {
    let area = node.whole_box().half_area();
    if area > 0.0 && area.is_finite() { info.cost / area } else { 0.0 }
}
