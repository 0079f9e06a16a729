//! Takes triangles out of a tree, and writes others in their place.

use super::links::Links;
use crate::{
    box3::Box3,
    layout::{
        BlockBox, ChildRef, Leaves, Link, NO_LINK, Tree, bounds_of, link_to, node_of, slot_of,
        triangles_in,
    },
    leaf_position::LeafPosition,
    scaled_mesh::ScaledMesh,
    simd::Isa,
    split::part_box,
    widths::BLOCK_WIDTH,
};

/// The triangles or nodes to read ahead at a time. What they touch fits the second-level cache.
pub(super) const AHEAD: usize = 64;

/// A tree under edit, with the mesh as it is now.
pub(super) struct Editor<'a> {
    pub(super) tree: &'a mut Tree,
    pub(super) links: &'a mut Links,
    pub(super) mesh: ScaledMesh<'a>,
    pub(super) isa: Isa,
    /// Nodes whose children changed since [`settle`](Self::settle), some twice, some gone.
    pub(super) dirty: Vec<u32>,
    /// Nodes that have become worse.
    pub(super) degraded: Vec<u32>,
}

/// A triangle of a leaf, or the part of it there.
#[derive(Clone, Copy)]
pub(super) struct Prim {
    pub(super) triangle: u32,
    pub(super) bounds: BlockBox,
}

impl Editor<'_> {
    /// The leaf that a link refers to.
    pub(super) fn child(&self, link: Link) -> ChildRef {
        self.tree.nodes[node_of(link) as usize].child(slot_of(link))
    }

    /// The triangle at a position, as its leaf holds it. The box of a part follows from that of the leaf.
    pub(super) fn prim(&self, at: LeafPosition, leaf: Box3) -> Prim {
        let (triangle, corners) = (self.tree.leaves.triangle(at), self.tree.leaves.corners(at));
        let bounds = if self.tree.split.contains(triangle) {
            let (bounds, reach) = part_box(corners, leaf);
            BlockBox { bounds, reach }
        } else {
            let grown = |all: Box3, corner: glam::Vec3| all.grown(corner.into());
            BlockBox::new(corners.into_iter().fold(Box3::EMPTY, grown))
        };
        Prim { triangle, bounds }
    }

    /// The triangles of a leaf.
    pub(super) fn prims_of_leaf(&self, link: Link) -> Vec<Prim> {
        let node = &self.tree.nodes[node_of(link) as usize];
        let leaf = node.child_bounds(slot_of(link)).into();
        let mut prims = Vec::with_capacity(16);
        for block in node.child(slot_of(link)).blocks() {
            for lane in 0..triangles_in(self.tree.leaves.triangles(block)).len() {
                prims.push(self.prim(LeafPosition::new(block, lane), leaf));
            }
        }
        prims
    }

    /// The box of a leaf's triangles. Its box in the tree is still the old one, which bounds the parts in it.
    pub(super) fn leaf_box(&self, link: Link) -> BlockBox {
        match &self.tree.leaves {
            Leaves::Full(blocks) if self.tree.split.is_empty() => {
                let blocks = &blocks[self.child(link).blocks()];
                let boxes = blocks.iter().map(|block| bounds_of(&block.corners));
                BlockBox::new(boxes.fold(Box3::EMPTY, Box3::union))
            }
            _ => {
                let prims = self.prims_of_leaf(link);
                prims.iter().fold(BlockBox::EMPTY, |all, prim| all.union(prim.bounds))
            }
        }
    }

    /// Stores a leaf and its box in a slot.
    pub(super) fn set_leaf(&mut self, link: Link, leaf: ChildRef, bounds: BlockBox) {
        let widening = self.tree.reach.widening(bounds.reach);
        self.tree.nodes[node_of(link) as usize].set(slot_of(link), bounds.bounds, widening, leaf);
        self.links.leaf_of[leaf.blocks()].fill(link);
    }

    /// Stores a node, and the box around its children, in a slot.
    pub(super) fn set_node(&mut self, link: Link, node: u32) {
        let bounds = self.tree.nodes[node as usize].whole_box();
        let above = &mut self.tree.nodes[node_of(link) as usize];
        above.set(slot_of(link), bounds, 0.0, ChildRef::node(node));
        self.links.nodes[node as usize].parent = link;
    }

    /// Takes a triangle out of all its leaves.
    pub(super) fn take_out(&mut self, triangle: u32) {
        for at in self.links.take_places(triangle) {
            self.take_out_at(at);
        }
        self.tree.split.remove(triangle);
    }

    /// Empties a lane. The last triangle of the leaf moves there.
    fn take_out_at(&mut self, at: LeafPosition) {
        let link = self.links.leaf_of[at.block()];
        let leaf = self.child(link);
        let last_block = leaf.blocks().end - 1;
        let n_in_last = triangles_in(self.tree.leaves.triangles(last_block)).len();
        let last = LeafPosition::new(last_block, n_in_last - 1);
        if last != at {
            let triangle = self.tree.leaves.triangle(last);
            self.tree.leaves.copy_lane(last, at);
            self.links.move_place(triangle, last, at);
        }
        self.tree.leaves.clear(last);
        let first = leaf.first_block() as u32;
        let n_blocks = leaf.blocks().len() as u32;
        if n_in_last > 1 {
            let bounds = self.leaf_box(link);
            self.set_leaf(link, leaf, bounds);
        } else {
            self.links.free_blocks(last_block..last_block + 1, self.tree);
            if n_blocks == 1 {
                self.drop_child(link);
                return;
            }
            // The leaf without the block first, which the box is made from.
            let shorter = ChildRef::leaf(first, n_blocks - 1);
            let node = &mut self.tree.nodes[node_of(link) as usize];
            node.children[slot_of(link)] = shorter.to_bits();
            let bounds = self.leaf_box(link);
            self.set_leaf(link, shorter, bounds);
        }
        self.dirty.push(node_of(link));
    }

    /// Empties a slot. A node with one other child gives it its own place.
    fn drop_child(&mut self, link: Link) {
        let at = node_of(link);
        let node = &mut self.tree.nodes[at as usize];
        node.set(slot_of(link), Box3::EMPTY, 0.0, ChildRef::NONE);
        let above = self.links.nodes[at as usize].parent;
        let mut occupied = node.occupied();
        match (above, occupied.next(), occupied.next()) {
            (NO_LINK, ..) | (_, Some(_), Some(_)) => {
                drop(occupied);
                self.dirty.push(at);
            }
            (_, Some(only), None) => {
                drop(occupied);
                let (child, bounds) = (node.child(only), node.child_bounds(only).into());
                self.links.free_node(at, self.tree);
                self.tree.nodes[node_of(above) as usize].set(slot_of(above), bounds, 0.0, child);
                if child.is_leaf() {
                    self.links.leaf_of[child.blocks()].fill(above);
                } else {
                    self.links.nodes[child.node_index()].parent = above;
                }
                self.dirty.push(node_of(above));
            }
            (_, None, _) => {
                drop(occupied);
                self.links.free_node(at, self.tree);
                self.drop_child(above);
            }
        }
    }

    /// Fits the boxes above all nodes whose children changed, and notes what each of them costs now. The deepest come first, so
    /// each node is fitted once.
    pub(super) fn settle(&mut self) {
        let mut levels: Vec<Vec<u32>> = Vec::new();
        for node in std::mem::take(&mut self.dirty) {
            let is_there = node == 0 || self.links.nodes[node as usize].parent != NO_LINK;
            if is_there {
                let depth = self.depth_of(node);
                levels.resize(levels.len().max(depth), Vec::new());
                levels[depth - 1].push(node);
            }
        }
        for level in (0..levels.len()).rev() {
            let mut nodes = std::mem::take(&mut levels[level]);
            nodes.sort_unstable();
            nodes.dedup();
            for nodes in nodes.chunks(AHEAD) {
                self.read_ahead_nodes(nodes);
                for &node in nodes {
                    let above = self.fit_node(node);
                    if above != NO_LINK {
                        levels[level - 1].push(node_of(above));
                    }
                }
            }
        }
    }

    /// Notes what a node costs now, and fits its box in the node above. Returns the link to that.
    fn fit_node(&mut self, index: u32) -> Link {
        let node = &self.tree.nodes[index as usize];
        let info = self.links.measure(index, node);
        let info = if info.built[0] == f32::MAX { info.as_built(node) } else { info };
        self.links.nodes[index as usize] = info;
        if info.is_worse(node) {
            self.degraded.push(index);
        }
        if info.parent != NO_LINK {
            self.set_node(info.parent, index);
        }
        info.parent
    }

    /// The number of nodes from the root to a node.
    pub(super) fn depth_of(&self, node: u32) -> usize {
        let above = |&node: &u32| {
            let link = self.links.nodes[node as usize].parent;
            (link != NO_LINK).then(|| node_of(link))
        };
        std::iter::successors(Some(node), above).count()
    }

    /// Writes some triangles into new blocks. Returns the leaf and its box.
    pub(super) fn write_leaf(&mut self, prims: &[Prim]) -> (ChildRef, BlockBox) {
        let n_blocks = prims.len().div_ceil(BLOCK_WIDTH);
        let first = self.links.new_blocks(n_blocks, self.tree);
        let mut bounds = BlockBox::EMPTY;
        for (i, prim) in prims.iter().enumerate() {
            let at =
                LeafPosition::from_bits(LeafPosition::new(first as usize, 0).bits() + i as u32);
            self.tree.leaves.write(at, prim.triangle, self.mesh.corners(prim.triangle));
            self.links.add_place(prim.triangle, at, self.tree);
            bounds = bounds.union(prim.bounds);
        }
        (ChildRef::leaf(first, n_blocks as u32), bounds)
    }

    /// Takes all triangles of a leaf out of its blocks, and gives these back. The slot still refers to them.
    pub(super) fn empty_leaf(&mut self, leaf: ChildRef) {
        for block in leaf.blocks() {
            for lane in 0..triangles_in(self.tree.leaves.triangles(block)).len() {
                let at = LeafPosition::new(block, lane);
                self.links.forget_place(self.tree.leaves.triangle(at), at);
            }
        }
        self.links.free_blocks(leaf.blocks(), self.tree);
    }

    /// Stores a leaf in an empty slot of a node.
    pub(super) fn attach_leaf(&mut self, node: u32, slot: usize, prims: &[Prim]) {
        let (leaf, bounds) = self.write_leaf(prims);
        self.set_leaf(link_to(node, slot), leaf, bounds);
    }
}
