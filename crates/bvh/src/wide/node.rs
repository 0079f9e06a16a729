//! The node that queries walk over: eight boxes, transposed.

use bytemuck::{Pod, Zeroable};
use hitscan_primitives::Aabb;

use crate::build::Box3;

/// Eight child boxes in structure-of-arrays form: four cache lines. Queries for any hit go to children in
/// the order in which they stand.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(64))]
pub(crate) struct WideNode {
    /// `bounds[axis][0]` are the least coordinates of the children, `bounds[axis][1]` the greatest.
    /// The box of an empty place is +inf to -inf, which no ray meets.
    pub(crate) bounds: [[[f32; 8]; 2]; 3],
    /// The children as [`ChildRef::to_bits`].
    pub(crate) children: [u32; 8],
    _spare: [u32; 8],
}

const _: () = assert!(size_of::<WideNode>() == 256);

impl WideNode {
    pub(crate) const EMPTY: Self = Self {
        bounds: [[[f32::INFINITY; 8], [f32::NEG_INFINITY; 8]]; 3],
        children: [ChildRef::NONE.to_bits(); 8],
        _spare: [0; 8],
    };

    /// Puts a child with its box, which is widened by `inflation` on every side.
    pub(crate) fn set(&mut self, place: usize, bounds: Box3, inflation: f32, child: ChildRef) {
        for axis in 0..3 {
            self.bounds[axis][0][place] = bounds.min[axis] - inflation;
            self.bounds[axis][1][place] = bounds.max[axis] + inflation;
        }
        self.children[place] = child.to_bits();
    }

    /// The box of a child as stored, that is inflated.
    pub(crate) fn child_bounds(&self, place: usize) -> Aabb {
        let corner = |side: usize| [0, 1, 2].map(|axis| self.bounds[axis][side][place]);
        Aabb::new(corner(0), corner(1))
    }

    #[inline(always)]
    pub(crate) fn child(&self, place: usize) -> ChildRef {
        ChildRef::from_bits(self.children[place])
    }

    /// The places that hold a child.
    pub(crate) fn occupied(&self) -> impl Iterator<Item = usize> {
        (0..8).filter(|&place| self.child(place) != ChildRef::NONE)
    }
}

/// A reference to a node, or to the blocks of a leaf.
///
/// Bit 31 marks a leaf: the other bits hold its first block, times four, plus the number of blocks
/// less one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ChildRef(u32);

impl ChildRef {
    /// The node that every walk starts at.
    pub(crate) const ROOT: Self = Self(0);
    /// No child.
    pub(crate) const NONE: Self = Self(u32::MAX >> 1);
    const LEAF: u32 = 1 << 31;
    /// The most blocks of a leaf.
    pub(crate) const MAX_BLOCKS: u32 = 4;
    /// Nodes and blocks have numbers below this.
    pub(crate) const MAX_NUMBER: u32 = 1 << 29;

    pub(crate) fn node(number: u32) -> Self {
        assert!(number < Self::MAX_NUMBER, "node {number} cannot be referred to");
        Self(number)
    }

    pub(crate) fn leaf(first_block: u32, n_blocks: u32) -> Self {
        assert!(first_block < Self::MAX_NUMBER, "block {first_block} cannot be referred to");
        assert!((1..=Self::MAX_BLOCKS).contains(&n_blocks), "a leaf of {n_blocks} blocks");
        Self(Self::LEAF | first_block << 2 | (n_blocks - 1))
    }

    #[inline(always)]
    pub(crate) fn is_leaf(self) -> bool {
        self.0 & Self::LEAF != 0
    }

    /// The number of the node. Only for references to nodes.
    #[inline(always)]
    pub(crate) fn node_index(self) -> usize {
        self.0 as usize
    }

    #[inline(always)]
    pub(crate) const fn to_bits(self) -> u32 {
        self.0
    }

    #[inline(always)]
    pub(crate) fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    /// The blocks of the leaf. Only for references to leaves.
    #[inline(always)]
    pub(crate) fn blocks(self) -> std::ops::Range<usize> {
        let first = ((self.0 & !Self::LEAF) >> 2) as usize;
        first..first + (self.0 & 3) as usize + 1
    }
}
