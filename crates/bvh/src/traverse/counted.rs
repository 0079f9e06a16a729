//! Counted traversal: the nodes and triangles that a ray tests.
//!
//! A second loop, so that the loop of `single` carries no counters and no compact block is expanded there.
//! It has the same parts and visits the same nodes and leaves in the same order.

use hitscan_primitives::{Faces, Hit, Ray};

use super::{
    child_order::{KeyCodec, pop_within, push_children},
    coherence::Incoherent,
};
use crate::{
    kernel::{BoxRay, ClosestHit, HitSink, Query, QueryRay, Robust, TriangleRay},
    layout::{ChildRef, Tree, TriangleBlock},
    simd::{Kernel, Simd, Stack, StackMemory},
};

/// The number of tests that [`MeshBvh::closest_hit_with_work`](crate::MeshBvh::closest_hit_with_work)
/// needed for its answer.
///
/// A node and a block cost about the same: each is one test of up to eight boxes or triangles at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TraversalStats {
    /// Nodes tested, of up to eight boxes each.
    pub nodes: u32,
    /// Blocks tested, of up to eight triangles each.
    pub blocks: u32,
    /// Triangles in these blocks.
    pub triangles: u32,
}

/// A closest-hit query that counts its tests.
pub(crate) struct CountedTraversal<'a> {
    pub(crate) tree: &'a Tree,
    /// In the tree's scaled space.
    pub(crate) ray: &'a Ray,
    pub(crate) faces: Faces,
}

impl Kernel for CountedTraversal<'_> {
    type Output = (Option<Hit>, TraversalStats);

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Self::Output {
        let Self { tree, ray, faces } = self;
        let mut closest = <ClosestHit>::along(ray);
        let mut stats = TraversalStats::default();
        let Some(query) = QueryRay::new(simd, ray, &tree.reach) else {
            return (None, stats);
        };
        // The robust kernels answer alike for rays that could take the fast path.
        let boxes = BoxRay::<S, Robust>::new(&query);
        let triangles = TriangleRay::new::<Robust>(&query, faces);
        let keys = KeyCodec::new::<Robust>(simd, ray.t_min);
        let mut memory = StackMemory::new();
        let mut stack = Stack::new(&mut memory);
        let mut scratch = TriangleBlock::EMPTY;
        let mut limit = closest.t_max();
        let mut current = ChildRef::ROOT;
        while current != ChildRef::END {
            let mut nearest = None;
            if current.is_leaf() {
                for index in current.blocks() {
                    let block = tree.leaves.block(index, &mut scratch);
                    stats.blocks += 1;
                    stats.triangles += n_triangles(block);
                    triangles.test::<Robust, _>(block, index, &mut limit, &mut closest);
                }
            } else {
                stats.nodes += 1;
                let node = &tree.nodes[current.node_index()];
                let hits = boxes.test(node, simd.splat(limit));
                nearest = push_children::<S, ClosestHit, Incoherent, _>(
                    simd, node, &hits, keys, &mut stack,
                );
            }
            current = match nearest {
                Some(nearest) => nearest,
                None => pop_within(&mut stack, boxes.limit(limit)),
            };
        }
        (closest.answer(), stats)
    }
}

/// The number of triangles in a block.
#[inline(always)]
fn n_triangles(block: &TriangleBlock) -> u32 {
    let mut n = 0;
    for triangle in block.triangles {
        n += u32::from(triangle != TriangleBlock::NO_TRIANGLE);
    }
    n
}
