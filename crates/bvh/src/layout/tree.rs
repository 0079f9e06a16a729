//! A tree as queries see it.

use super::{Leaves, Reach, WideNode};
use crate::{
    error_bounds::{FARTHEST, LONGEST, NEAR_ORIGIN},
    simd::LANES,
    split::{Parts, TriangleSet},
    widths::{BLOCK_WIDTH, SHALLOW_DEPTH},
};

/// Nodes and leaves in the mesh's scaled space. Node 0 is the root.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    /// Depth first.
    pub(crate) nodes: Vec<WideNode>,
    pub(crate) leaves: Leaves,
    /// The mesh's [`query_scale`](hitscan_primitives::TriMesh::query_scale).
    pub(crate) scale: f64,
    /// The largest coordinates, and the widening of boxes.
    pub(crate) reach: Reach,
    /// Nodes on the longest path from the root.
    pub(crate) depth: usize,
    /// The triangles that stand in several leaves: [`Leaves::repeated`].
    pub(crate) split: TriangleSet,
    /// Their parts in the leaves, once a refit needs them.
    pub(crate) parts: Option<Parts>,
    /// The sizes that the eight numbers of a ray must not exceed to take the fast path. Negative if no ray
    /// of this tree may. [`Tree::expected_fast_limits`] has the rule.
    pub(crate) fast_limits: FastLimits,
}

/// Limits on the numbers of a ray, as eight lanes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FastLimits {
    /// For rays that start near the mesh.
    pub(crate) near: [f32; LANES],
    /// For rays that start anywhere.
    pub(crate) far: [f32; LANES],
}

impl FastLimits {
    /// No ray is within these.
    const NONE: Self = Self { near: [-1.0; LANES], far: [-1.0; LANES] };
}

impl Tree {
    /// A tree without split triangles.
    pub(crate) fn new(
        nodes: Vec<WideNode>,
        leaves: Leaves,
        scale: f64,
        reach: Reach,
        depth: usize,
    ) -> Self {
        let mut tree = Self {
            nodes,
            leaves,
            scale,
            reach,
            depth,
            split: TriangleSet::default(),
            parts: None,
            fast_limits: FastLimits::NONE,
        };
        tree.fast_limits = tree.expected_fast_limits();
        tree
    }

    /// Adopts the scale and the reach of a mesh to which the tree is refitted.
    pub(crate) fn set_space(&mut self, scale: f64, reach: Reach) {
        (self.scale, self.reach) = (scale, reach);
        self.fast_limits = self.expected_fast_limits();
    }

    /// The fast path takes all but extreme rays, on full trees that are neither scaled nor deeper than its stack.
    pub(crate) fn expected_fast_limits(&self) -> FastLimits {
        let full = matches!(self.leaves, Leaves::Full(_));
        if !full || self.scale != 1.0 || self.depth > SHALLOW_DEPTH {
            return FastLimits::NONE;
        }
        // The last two are `t_min` and `t_max`.
        let limits = |o: f32| [o, o, o, LONGEST, LONGEST, LONGEST, f32::MAX, f32::INFINITY];
        FastLimits { near: limits(NEAR_ORIGIN * self.reach.near), far: limits(FARTHEST / 2.0) }
    }

    /// Bytes of nodes, leaves and what refits need.
    pub(crate) fn bytes(&self) -> usize {
        let parts = self.parts.as_ref().map_or(0, Parts::bytes);
        size_of_val(&*self.nodes) + self.leaves.bytes() + self.split.bytes() + parts
    }

    /// The parts of all split triangles, by the boxes of their leaves.
    pub(crate) fn parts(&self) -> Parts {
        let mut parts = Parts::default();
        // Nodes and blocks stand in the same order, so positions rise.
        for node in &self.nodes {
            for slot in node.occupied().filter(|&slot| node.child(slot).is_leaf()) {
                let bounds = node.child_bounds(slot).into();
                for block in node.child(slot).blocks() {
                    for (lane, &triangle) in self.leaves.triangles(block).iter().enumerate() {
                        if self.split.contains(triangle) {
                            let position = (BLOCK_WIDTH * block + lane) as u32;
                            parts.push(position, self.leaves.corners(position), bounds);
                        }
                    }
                }
            }
        }
        parts
    }
}
