//! The nodes of the top-level tree, and the links between them.

use crate::world_box::WorldBox;

/// A child of a node: a node, an item, or nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Child(u32);

impl Child {
    pub(super) const NONE: Self = Self(u32::MAX);
    const ITEM: u32 = 1 << 31;

    pub(super) fn node(index: u32) -> Self {
        Self(index)
    }

    pub(super) fn item(item: u32) -> Self {
        Self(item | Self::ITEM)
    }

    pub(super) fn is_item(self) -> bool {
        self.0 & Self::ITEM != 0
    }

    pub(super) fn index(self) -> u32 {
        self.0 & !Self::ITEM
    }
}

/// The link of a child to its parent: side 0 or 1 of a node, or the root of the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ParentLink(u32);

impl ParentLink {
    /// Not in the tree.
    pub(super) const NONE: Self = Self(u32::MAX);
    pub(super) const ROOT: Self = Self(u32::MAX - 1);

    pub(super) fn new(node: u32, side: usize) -> Self {
        Self(2 * node + side as u32)
    }

    pub(super) fn node(self) -> u32 {
        self.0 / 2
    }

    pub(super) fn side(self) -> usize {
        (self.0 % 2) as usize
    }
}

impl Default for ParentLink {
    fn default() -> Self {
        Self::NONE
    }
}

/// Two children with their boxes, and the link to the parent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) bounds: [WorldBox; 2],
    pub(super) children: [Child; 2],
    pub(super) parent: ParentLink,
}

impl Default for Node {
    fn default() -> Self {
        Self { bounds: [WorldBox::EMPTY; 2], children: [Child::NONE; 2], parent: ParentLink::NONE }
    }
}

impl Node {
    pub(super) fn union(&self) -> WorldBox {
        self.bounds[0].union(self.bounds[1])
    }
}
