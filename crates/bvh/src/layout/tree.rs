//! A tree as queries see it.

use super::{Leaves, Reach, WideNode};
use crate::{
    error_bounds::{FARTHEST, LONGEST, NEAR_ORIGIN},
    leaf_position::LeafPosition,
    platform::large_pages,
    scaled_mesh::ScaledMesh,
    simd::LANES,
    split::{LeafParts, TriangleSet},
    widths::SHALLOW_DEPTH,
};

/// Nodes and leaves in the mesh's scaled space. Node 0 is the root.
#[derive(Debug)]
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
    pub(crate) parts: Option<LeafParts>,
    /// The sizes that the eight numbers of a ray must not exceed to take the fast path. Negative if no ray
    /// of this tree may.
    pub(crate) fast_limits: FastLimits,
}

impl Clone for Tree {
    /// In large pages, as a build makes them: else rays through an edited copy would wait for address translation.
    fn clone(&self) -> Self {
        Self {
            nodes: large_pages::copied(&self.nodes),
            leaves: self.leaves.clone(),
            split: self.split.clone(),
            parts: self.parts.clone(),
            fast_limits: self.fast_limits.clone(),
            ..*self
        }
    }
}

/// Limits on the numbers of a ray, as eight lanes.
#[derive(Clone, Debug)]
pub(crate) struct FastLimits {
    /// For rays that start near the mesh.
    pub(crate) near: [f32; LANES],
    /// For rays that start anywhere.
    pub(crate) far: [f32; LANES],
}

impl FastLimits {
    /// No ray is within these.
    const NONE: Self = Self { near: [-1.0; LANES], far: [-1.0; LANES] };

    fn of(reach: &Reach) -> Self {
        // The last two are `t_min` and `t_max`.
        let limits = |o: f32| [o, o, o, LONGEST, LONGEST, LONGEST, f32::MAX, f32::INFINITY];
        Self { near: limits(NEAR_ORIGIN * reach.near), far: limits(FARTHEST / 2.0) }
    }
}

impl Tree {
    /// The tree of a mesh with these nodes and leaves. `split` are the triangles that stand in several leaves,
    /// `depth` is that of the nodes.
    pub(crate) fn new(
        nodes: Vec<WideNode>,
        leaves: Leaves,
        split: TriangleSet,
        mesh: &ScaledMesh<'_>,
        reach: Reach,
        depth: usize,
    ) -> Self {
        let (scale, fast_limits) = (mesh.scale, FastLimits::NONE);
        let mut tree = Self { nodes, leaves, scale, reach, depth, split, parts: None, fast_limits };
        tree.set_space(mesh, reach);
        tree
    }

    /// Adopts the scale of the mesh whose nodes and leaves the tree now has, and their reach.
    ///
    /// The fast paths take all but extreme rays, on trees that are neither scaled nor deeper than its stack.
    pub(crate) fn set_space(&mut self, mesh: &ScaledMesh<'_>, reach: Reach) {
        (self.scale, self.reach) = (mesh.scale, reach);
        self.fast_limits = if !self.is_scaled() && self.depth <= SHALLOW_DEPTH {
            FastLimits::of(&reach)
        } else {
            FastLimits::NONE
        };
    }

    /// Whether the tree is in another space than its mesh. Such a tree has no fast path.
    #[inline(always)]
    pub(crate) fn is_scaled(&self) -> bool {
        self.scale != 1.0
    }

    /// Bytes of nodes, leaves and what refits need.
    pub(crate) fn bytes(&self) -> usize {
        let parts = self.parts.as_ref().map_or(0, LeafParts::bytes);
        size_of_val(&*self.nodes) + self.leaves.bytes() + self.split.bytes() + parts
    }

    /// The parts of all split triangles, by the boxes of their leaves.
    pub(crate) fn parts(&self) -> LeafParts {
        let mut parts = LeafParts::default();
        // Nodes and blocks stand in the same order, so positions rise.
        for node in &self.nodes {
            for slot in node.occupied().filter(|&slot| node.child(slot).is_leaf()) {
                let bounds = node.child_bounds(slot).into();
                for block in node.child(slot).blocks() {
                    for (lane, &triangle) in self.leaves.triangles(block).iter().enumerate() {
                        if self.split.contains(triangle) {
                            let position = LeafPosition::new(block, lane);
                            parts.push(position, self.leaves.corners(position), bounds);
                        }
                    }
                }
            }
        }
        parts
    }
}
