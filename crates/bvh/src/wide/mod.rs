//! The form of the tree that queries walk over.

mod block;
mod leaves;
mod node;

pub(crate) use block::{FillBlocks, TriangleBlock, set_corners};
pub(crate) use leaves::{IndexedBlock, IndexedBlocks, Leaves};
pub(crate) use node::{ChildRef, WideNode};
