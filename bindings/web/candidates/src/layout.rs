//! The bytes of a tree, as `MeshBvh::raw_parts` gives them: the only description of them in this package.

use std::mem::offset_of;

use bytemuck::{Pod, Zeroable};
use hitscan_bvh::{Layout, RawBvh};

// A tree of another version has other bytes.
const _: () = assert!(RawBvh::LAYOUT_VERSION == 4, "compare this file with crates/bvh/src/layout");

/// The children of a node, and the triangles of a block.
pub(crate) const WIDTH: usize = 8;

/// The numbers of each child of a node, or of each triangle of a block.
pub(crate) type Lanes = [f32; WIDTH];

/// A reference to a child: bit 31 marks a leaf. Its other bits are the first block times [`LEAF_BLOCKS`],
/// plus the number of blocks less one.
pub(crate) const LEAF: u32 = 1 << 31;
pub(crate) const LEAF_BLOCKS: u32 = 4;
pub(crate) const NO_CHILD: u32 = u32::MAX >> 1;
pub(crate) const NO_TRIANGLE: u32 = u32::MAX;

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

/// The layout in words of four bytes, for a reader in JavaScript: children of a node; words of a node, and the first
/// of its children; words of a block, of which the last are triangles; [`LEAF_BLOCKS`], the references to no child
/// and to no triangle.
pub fn words(layout: Layout) -> [f64; 7] {
    let block = match layout {
        Layout::Full => size_of::<Block>(),
        _ => size_of::<IndexedBlock>(),
    };
    let sizes = [WIDTH, size_of::<Node>() / 4, offset_of!(Node, children) / 4, block / 4];
    let [width, node, children, block] = sizes.map(|words| words as f64);
    [width, node, children, block, LEAF_BLOCKS.into(), NO_CHILD.into(), NO_TRIANGLE.into()]
}
