//! A tree as queries see it.

use super::{Leaves, WideNode};
use crate::error_bounds::INFLATION;

/// Nodes and leaves in the mesh's scaled space. Node 0 is the root.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    /// Depth first.
    pub(crate) nodes: Vec<WideNode>,
    pub(crate) leaves: Leaves,
    /// The mesh's [`query_scale`](hitscan_primitives::TriMesh::query_scale).
    pub(crate) scale: f64,
    /// The largest coordinate of the mesh in absolute value, in scaled space.
    pub(crate) max_abs: f32,
    /// Nodes on the longest path from the root.
    pub(crate) depth: usize,
}

impl Tree {
    /// The widening of node boxes on every side.
    #[inline]
    pub(crate) fn inflation(&self) -> f32 {
        INFLATION * self.max_abs
    }

    /// Bytes of nodes and leaves.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&*self.nodes) + self.leaves.bytes()
    }
}
