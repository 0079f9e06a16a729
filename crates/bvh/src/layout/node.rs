//! The node of a tree: eight child boxes, transposed, and references to the children.

use bytemuck::{Pod, Zeroable};
use hitscan_primitives::Aabb;

use crate::{
    box3::Box3,
    simd::BOTTOM,
    widths::{MAX_LEAF_BLOCKS, NODE_WIDTH},
};

/// The boxes of the children in structure-of-arrays form: four cache lines. Any-hit queries visit the
/// children in the order of their slots.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(64))]
pub(crate) struct WideNode {
    /// `bounds[axis][0]` holds the minimum coordinates of the children, `bounds[axis][1]` the maximum.
    /// The box of an empty slot is +inf to -inf, which no ray meets.
    pub(crate) bounds: [[[f32; NODE_WIDTH]; 2]; 3],
    /// The children as [`ChildRef::to_bits`].
    pub(crate) children: [u32; NODE_WIDTH],
    /// Zeros in the tree of a mesh. The upper level of instances keeps a link here.
    pub(crate) spare: [u32; NODE_WIDTH],
}

// Bounds, children and spare words.
const _: () = assert!(size_of::<WideNode>() == 8 * size_of::<[u32; NODE_WIDTH]>());

impl Default for WideNode {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl WideNode {
    pub(crate) const EMPTY: Self = Self {
        bounds: [[[f32::INFINITY; NODE_WIDTH], [f32::NEG_INFINITY; NODE_WIDTH]]; 3],
        children: [ChildRef::NONE.to_bits(); NODE_WIDTH],
        spare: [0; NODE_WIDTH],
    };

    /// Stores a child and its box, widened by `widening` on every side.
    pub(crate) fn set(&mut self, slot: usize, bounds: Box3, widening: f32, child: ChildRef) {
        for axis in 0..3 {
            self.bounds[axis][0][slot] = bounds.min[axis] - widening;
            self.bounds[axis][1][slot] = bounds.max[axis] + widening;
        }
        self.children[slot] = child.to_bits();
    }

    /// The box of a child as stored, widening included.
    pub(crate) fn child_bounds(&self, slot: usize) -> Aabb {
        let corner = |side: usize| [0, 1, 2].map(|axis| self.bounds[axis][side][slot]);
        Aabb::new(corner(0), corner(1))
    }

    /// The box around all children of a node that has at least one.
    pub(crate) fn whole_box(&self) -> Box3 {
        let mut corners = [[0.0; 3]; 2];
        for axis in 0..3 {
            let [min, max] = &self.bounds[axis];
            let (mut least, mut most) = (min[0], max[0]);
            for slot in 1..NODE_WIDTH {
                least = if min[slot] < least { min[slot] } else { least };
                most = if max[slot] > most { max[slot] } else { most };
            }
            (corners[0][axis], corners[1][axis]) = (least, most);
        }
        Box3 { min: corners[0].into(), max: corners[1].into() }
    }

    /// Half of the area of each child's box, and the same once the box takes in another. Meaningless in empty slots.
    pub(crate) fn areas_with(&self, bounds: Box3) -> [[f32; NODE_WIDTH]; 2] {
        let (low, high) = (bounds.min.to_array(), bounds.max.to_array());
        let mut extents = [[[0f32; NODE_WIDTH]; 3]; 2];
        for axis in 0..3 {
            let [min, max] = &self.bounds[axis];
            for slot in 0..NODE_WIDTH {
                let least = if low[axis] < min[slot] { low[axis] } else { min[slot] };
                let most = if high[axis] > max[slot] { high[axis] } else { max[slot] };
                extents[0][axis][slot] = max[slot] - min[slot];
                extents[1][axis][slot] = most - least;
            }
        }
        let mut areas = [[0f32; NODE_WIDTH]; 2];
        for (area, [x, y, z]) in areas.iter_mut().zip(&extents) {
            for slot in 0..NODE_WIDTH {
                area[slot] = x[slot] * y[slot] + y[slot] * z[slot] + z[slot] * x[slot];
            }
        }
        areas
    }

    #[inline(always)]
    pub(crate) fn child(&self, slot: usize) -> ChildRef {
        ChildRef::from_bits(self.children[slot])
    }

    /// The slots that hold a child, in order.
    pub(crate) fn occupied(&self) -> impl Iterator<Item = usize> {
        (0..NODE_WIDTH).filter(|&slot| self.child(slot) != ChildRef::NONE)
    }
}

/// A reference to a node, or to the blocks of a leaf.
///
/// Bit 31 marks a leaf. Its other bits hold the index of its first block, times
/// [`MAX_LEAF_BLOCKS`], plus the number of blocks less one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ChildRef(u32);

impl ChildRef {
    /// The root: every traversal starts here.
    pub(crate) const ROOT: Self = Self(0);
    /// No child.
    pub(crate) const NONE: Self = Self(u32::MAX >> 1);
    /// The bottom of the traversal stack. It counts as a leaf.
    pub(crate) const END: Self = Self(BOTTOM);
    pub(crate) const LEAF: u32 = 1 << 31;
    /// The exclusive upper bound on indices of nodes and blocks.
    const MAX_INDEX: u32 = 1 << 29;
    const BLOCK_COUNT_BITS: u32 = MAX_LEAF_BLOCKS.ilog2();

    pub(crate) fn node(index: u32) -> Self {
        assert!(index < Self::MAX_INDEX, "node {index} cannot be referred to");
        Self(index)
    }

    pub(crate) fn leaf(first_block: u32, n_blocks: u32) -> Self {
        // Which excludes `END`.
        let end = first_block.saturating_add(n_blocks);
        assert!(end <= Self::MAX_INDEX, "block {first_block} cannot be referred to");
        assert!((1..=MAX_LEAF_BLOCKS as u32).contains(&n_blocks), "a leaf of {n_blocks} blocks");
        Self(Self::LEAF | first_block << Self::BLOCK_COUNT_BITS | (n_blocks - 1))
    }

    #[inline(always)]
    pub(crate) fn is_leaf(self) -> bool {
        self.0 & Self::LEAF != 0
    }

    /// The index of the node. Only for references to nodes.
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

    /// The index of the leaf's first block. Only for references to leaves.
    #[inline(always)]
    pub(crate) fn first_block(self) -> usize {
        ((self.0 & !Self::LEAF) >> Self::BLOCK_COUNT_BITS) as usize
    }

    /// The leaf without its first block, if it has others. Only for references to leaves.
    #[inline(always)]
    pub(crate) fn other_blocks(self) -> Option<Self> {
        let others = self.0 % MAX_LEAF_BLOCKS as u32;
        // One block further, and one block less.
        if others == 0 { None } else { Some(Self(self.0 + MAX_LEAF_BLOCKS as u32 - 1)) }
    }

    /// The indices of the leaf's blocks. Only for references to leaves.
    #[inline(always)]
    pub(crate) fn blocks(self) -> std::ops::Range<usize> {
        let first = self.first_block();
        first..first + self.0 as usize % MAX_LEAF_BLOCKS + 1
    }
}
