//! The path of rays that cannot take a fast one: extreme rays, and scaled or deep trees. Queries with many answers for a ray take
//! it among compact leaves as well, where most rays have the fast box test.

use hitscan_primitives::brute_force::scaled_ray;

use super::{coherence::CoherentOrigins, single::Traversal};
use crate::{
    kernel::{FastFar, HitSink, QueryRay, Robust},
    layout::Leaves,
    platform::SMALL_CODE,
    simd::{Kernel, Simd, Stack, StackMemory},
};

/// [`Traversal`] of any ray. An invalid ray has no candidates.
pub(super) struct RobustTraversal<'a, H> {
    pub(super) traversal: Traversal<'a, H>,
    /// Whether the ray is in the tree's scaled space already, not in the mesh's.
    pub(super) is_in_tree_space: bool,
}

impl<H: HitSink> Kernel for RobustTraversal<'_, H> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self { traversal: Traversal { tree, ray, faces, start, sink }, is_in_tree_space } =
            self;
        let scaled;
        let ray = if is_in_tree_space || !tree.is_scaled() {
            ray
        } else {
            scaled = scaled_ray(ray, tree.scale);
            &scaled
        };
        let mut memory = StackMemory::new();
        let stack = Stack::new(&mut memory);
        let traversal = Traversal { tree, ray, faces, start, sink };
        type Policy = CoherentOrigins;
        if !SMALL_CODE
            && let Leaves::Compact(blocks) = &tree.leaves
            && let Some(query) = QueryRay::fast::<FastFar>(simd, ray, tree)
        {
            traversal.run_loop::<Policy, FastFar, S, _, _>(simd, &query, blocks, None, stack);
            return;
        }
        let Some(query) = QueryRay::new(simd, ray, &tree.reach) else { return };
        match &tree.leaves {
            leaves if SMALL_CODE => {
                traversal.run_loop::<Policy, Robust, S, _, _>(simd, &query, leaves, None, stack);
            }
            Leaves::Full(blocks) => {
                let blocks = &**blocks;
                traversal.run_loop::<Policy, Robust, S, _, _>(simd, &query, blocks, None, stack);
            }
            Leaves::Compact(blocks) => {
                traversal.run_loop::<Policy, Robust, S, _, _>(simd, &query, blocks, None, stack);
            }
        }
    }
}
