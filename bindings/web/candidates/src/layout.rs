//! The bytes of a tree, as `MeshBvh::raw_parts` gives them. [`RawBvh`] has the numbers, this file the order of the
//! fields.

use std::mem::offset_of;

use bytemuck::{Pod, Zeroable};
use hitscan_bvh::{Layout, RawBvh};

// A tree of another version has other bytes.
const _: () = assert!(RawBvh::LAYOUT_VERSION == 4, "compare this file with crates/bvh/src/layout");

/// The children of a node, and the triangles of a block.
pub(crate) const WIDTH: usize = RawBvh::WIDTH;

/// The numbers of each child of a node, or of each triangle of a block.
pub(crate) type Lanes = [f32; WIDTH];

/// A node.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Node {
    /// Per axis the minimum coordinates of the children's boxes, then the maximum.
    pub(crate) bounds: [[Lanes; 2]; 3],
    pub(crate) children: [u32; WIDTH],
    _rest: [u32; WIDTH],
}

/// A block with corners.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Block {
    /// Per corner and axis. NaN in empty lanes.
    pub(crate) corners: [[Lanes; 3]; 3],
    _normals: [Lanes; 3],
    pub(crate) triangles: [u32; WIDTH],
}

/// A block without corners.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct IndexedBlock {
    _indices: [[u32; WIDTH]; 3],
    pub(crate) triangles: [u32; WIDTH],
}

const _: () = assert!(
    size_of::<Node>() == RawBvh::NODE_BYTES
        && size_of::<Block>() == RawBvh::FULL_BLOCK_BYTES
        && size_of::<IndexedBlock>() == RawBvh::COMPACT_BLOCK_BYTES
);

/// The layout in words of four bytes, for a reader in JavaScript: children of a node; words of a node, and the first
/// of its children; words of a block, of which the last are triangles; the maximum number of blocks of a leaf; the
/// references to no child and to no triangle.
pub fn words(layout: Layout) -> [f64; 7] {
    let block = match layout {
        Layout::Full => RawBvh::FULL_BLOCK_BYTES,
        _ => RawBvh::COMPACT_BLOCK_BYTES,
    };
    let sizes = [4 * WIDTH, RawBvh::NODE_BYTES, offset_of!(Node, children), block];
    let [width, node, children, block] = sizes.map(|bytes| (bytes / 4) as f64);
    let references = [RawBvh::MAX_LEAF_BLOCKS, RawBvh::NO_CHILD, RawBvh::NO_TRIANGLE];
    let [leaf_blocks, no_child, no_triangle] = references.map(f64::from);
    [width, node, children, block, leaf_blocks, no_child, no_triangle]
}
