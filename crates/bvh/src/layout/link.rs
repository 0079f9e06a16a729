//! The way back from a child to the slot that refers to it, in trees that are edited.

use crate::widths::NODE_WIDTH;

/// Eight times the index of a node, plus a slot.
pub(crate) type Link = u32;

/// Of the root, and of what is not in the tree.
pub(crate) const NO_LINK: Link = u32::MAX;

pub(crate) fn node_of(link: Link) -> u32 {
    link / NODE_WIDTH as u32
}

pub(crate) fn slot_of(link: Link) -> usize {
    link as usize % NODE_WIDTH
}

pub(crate) fn link_to(node: u32, slot: usize) -> Link {
    node * NODE_WIDTH as u32 + slot as u32
}
