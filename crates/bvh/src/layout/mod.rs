//! The bytes of a tree: nodes, blocks of leaves, and how a refit moves them.
//!
//! No ray, no traversal.

mod fit;
mod indexed_block;
mod leaves;
mod link;
mod node;
mod reach;
mod tree;
mod triangle_block;

pub(crate) use fit::{BlockBox, fit};
pub(crate) use indexed_block::{IndexedBlock, IndexedBlocks};
pub(crate) use leaves::Leaves;
pub(crate) use link::{Link, NO_LINK, link_to, node_of, slot_of};
pub(crate) use node::{ChildRef, WideNode};
pub(crate) use reach::Reach;
pub(crate) use tree::Tree;
pub(crate) use triangle_block::{CornerRows, FillBlocks, TriangleBlock, bounds_of, triangles_in};
