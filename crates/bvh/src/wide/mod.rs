//! The form of the tree that queries walk over.

mod block;
mod node;

pub(crate) use block::TriangleBlock;
pub(crate) use node::{ChildRef, WideNode};
