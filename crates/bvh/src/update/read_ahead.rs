//! Prefetches what an edit will touch. Edits of triangles all over a large tree wait for memory most of the time.

use super::{editor::Editor, links::Links};
use crate::{
    layout::{ChildRef, Leaves, NO_LINK, Tree, TriangleBlock, WideNode, node_of, slot_of},
    simd::{CACHE_LINE, Kernel, Simd},
};

impl Editor<'_> {
    /// Prefetches what taking triangles out of their leaves reads.
    pub(super) fn read_ahead(&self, triangles: &[u32]) {
        self.isa.run(OfTriangles { tree: self.tree, links: self.links, triangles });
    }

    /// Prefetches what fitting the boxes of nodes reads.
    pub(super) fn read_ahead_nodes(&self, nodes: &[u32]) {
        self.isa.run(OfNodes { tree: self.tree, links: self.links, nodes });
    }
}

/// The address of an item, which need not exist.
#[inline(always)]
fn address<T>(items: &[T], index: usize) -> *const u8 {
    items.as_ptr().wrapping_add(index).cast()
}

struct OfTriangles<'a> {
    tree: &'a Tree,
    links: &'a Links,
    triangles: &'a [u32],
}

impl OfTriangles<'_> {
    /// The link to the leaf of a triangle. `None` of split triangles, and of those in no leaf.
    #[inline(always)]
    fn leaf_of(&self, triangle: u32) -> Option<u32> {
        let at = self.links.place(triangle)?;
        let link = self.links.leaf_of[at.block()];
        if link == NO_LINK { None } else { Some(link) }
    }
}

impl Kernel for OfTriangles<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self { tree, links, triangles } = self;
        // Each loop reads what the one before it has prefetched.
        for &triangle in triangles {
            simd.prefetch::<1>(links.place_address(triangle));
        }
        for &triangle in triangles {
            if let Some(at) = links.place(triangle) {
                simd.prefetch::<1>(address(&links.leaf_of, at.block()));
            }
        }
        for &triangle in triangles {
            if let Some(link) = self.leaf_of(triangle) {
                prefetch_node(simd, tree, links, node_of(link));
            }
        }
        for &triangle in triangles {
            if let Some(link) = self.leaf_of(triangle) {
                for block in leaf_at(tree, link).blocks() {
                    prefetch_block(simd, tree, block);
                }
            }
        }
        for &triangle in triangles {
            if let Some(link) = self.leaf_of(triangle) {
                for block in leaf_at(tree, link).blocks() {
                    prefetch_corners(simd, tree, links, block);
                }
            }
        }
    }
}

#[inline(always)]
fn leaf_at(tree: &Tree, link: u32) -> ChildRef {
    tree.nodes[node_of(link) as usize].child(slot_of(link))
}

/// Prefetches a node and its link upward.
#[inline(always)]
fn prefetch_node<S: Simd>(simd: S, tree: &Tree, links: &Links, node: u32) {
    const LINES: usize = size_of::<WideNode>() / CACHE_LINE;
    simd.prefetch::<LINES>(address(&tree.nodes, node as usize));
    simd.prefetch::<1>(address(&links.nodes, node as usize));
}

#[inline(always)]
fn prefetch_block<S: Simd>(simd: S, tree: &Tree, block: usize) {
    match &tree.leaves {
        Leaves::Full(blocks) => {
            const LINES: usize = size_of::<TriangleBlock>().div_ceil(CACHE_LINE);
            simd.prefetch::<LINES>(address(blocks, block));
        }
        Leaves::Compact(indexed) => simd.prefetch::<2>(address(&indexed.blocks, block)),
    }
}

/// Prefetches the corners that a compact block names, and the places of the triangles, one of which moves.
#[inline(always)]
fn prefetch_corners<S: Simd>(simd: S, tree: &Tree, links: &Links, block: usize) {
    for &triangle in tree.leaves.triangles(block) {
        if triangle != TriangleBlock::NO_TRIANGLE {
            simd.prefetch::<1>(links.place_address(triangle));
        }
    }
    if let Leaves::Compact(indexed) = &tree.leaves {
        for corner in &indexed.blocks[block].corners {
            for &position in corner {
                simd.prefetch::<1>(address(&indexed.positions, position as usize));
            }
        }
    }
}

struct OfNodes<'a> {
    tree: &'a Tree,
    links: &'a Links,
    nodes: &'a [u32],
}

impl Kernel for OfNodes<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self { tree, links, nodes } = self;
        for &node in nodes {
            prefetch_node(simd, tree, links, node);
        }
        for &node in nodes {
            for &child in &tree.nodes[node as usize].children {
                let child = ChildRef::from_bits(child);
                if child != ChildRef::NONE && !child.is_leaf() {
                    simd.prefetch::<1>(address(&links.nodes, child.node_index()));
                }
            }
        }
    }
}
