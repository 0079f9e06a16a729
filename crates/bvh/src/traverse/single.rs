//! The traversal of one ray: the loop.
//!
//! The loop enters a node if the ray's interval with its box is not empty and does not start behind the
//! best hit so far. The comparison is `<=`, so that ties survive. The same holds for an entry from the
//! stack. The interval of a box contains those of all triangles below, so this never loses a hit, in
//! whatever order it visits nodes.

use hitscan_primitives::{Faces, Ray};

use super::{
    child_order::{KeyCodec, cut_and_pop, pop_within, prefetch, push_children},
    coherence::DescentPolicy,
    occluder::Occluder,
};
use crate::{
    kernel::{BoxRay, HitSink, LeafTest, QueryRay, RayMode, TriangleRay},
    layout::{ChildRef, Leaves, Tree, TriangleBlock},
    simd::{ShallowStack, ShallowStackMemory, Simd, StackOf},
};

/// The traversal of one ray from `start` on.
pub(crate) struct Traversal<'a, H> {
    pub(crate) tree: &'a Tree,
    /// In the mesh's space.
    pub(crate) ray: &'a Ray,
    pub(crate) faces: Faces,
    pub(crate) start: ChildRef,
    pub(crate) sink: &'a mut H,
}

impl<H: HitSink> Traversal<'_, H> {
    /// The loop: from node to node and from leaf to leaf, until no child on the stack is within the limit.
    // Longer than 60 lines: one loop, whose steps share the ray's constants, the limit and the stack.
    #[inline(always)]
    pub(crate) fn run_loop<P, M, S, L, const SIZE: usize>(
        self,
        simd: S,
        query: &QueryRay<'_, S>,
        leaves: &L,
        occluder: Option<&Occluder>,
        mut stack: StackOf<'_, SIZE>,
    ) where
        P: DescentPolicy,
        M: RayMode,
        S: Simd,
        L: LeafTest + ?Sized,
    {
        let Traversal { tree, faces, start: mut current, sink, .. } = self;
        let nodes = &*tree.nodes;
        let mut limit = sink.t_max();
        let mut triangles = if H::ORDERED && P::COHERENT_ORIGINS {
            Some(TriangleRay::new::<M>(query, faces))
        } else {
            None
        };
        // Known at compile time, so that other queries have no code for it.
        let occluder = if H::NEEDS_NO_T && P::COHERENT_DIRECTIONS { occluder } else { None };
        if let Some(occluder) = occluder
            && let Some(index) = occluder.index_in(leaves.blocks())
        {
            let triangles = &*triangles.insert(TriangleRay::new::<M>(query, faces));
            let stopped = leaves.test_block::<M, _, _>(index, triangles, &mut limit, sink);
            occluder.was_tested(stopped);
            if stopped {
                return;
            }
        }
        let boxes = BoxRay::<S, M>::new(query);
        let keys = KeyCodec::new::<M>(simd, query.t_min());
        loop {
            let t_max = simd.splat(limit);
            while !current.is_leaf() {
                let node = &nodes[current.node_index()];
                let hits = boxes.test(node, t_max);
                let nearest = push_children::<S, H, P, _>(simd, node, &hits, keys, &mut stack);
                current = match nearest {
                    Some(nearest) => nearest,
                    None if H::ORDERED => pop_within(&mut stack, boxes.limit(limit)),
                    None => ChildRef::from_bits(stack.pop_value()),
                };
                if !P::COHERENT_ORIGINS && H::ORDERED && current != ChildRef::END {
                    // The nearest child is read at once, so the second nearest is the one to prefetch.
                    let next = ChildRef::from_bits(stack.last());
                    prefetch(simd, nodes, leaves.blocks(), next);
                }
            }
            if current == ChildRef::END {
                break;
            }
            // Else not before the first leaf, because many rays never reach one.
            if triangles.is_none() {
                triangles = Some(TriangleRay::new::<M>(query, faces));
            }
            let Some(triangles) = &triangles else { break };
            // One block at a time. In a loop over the blocks of the leaf, the compiler would broadcast the
            // ray's numbers before the loop, and store them for want of registers.
            let (index, before) = (current.first_block(), limit);
            if leaves.test_block::<M, _, _>(index, triangles, &mut limit, sink) {
                if let Some(occluder) = occluder {
                    occluder.remember(leaves.blocks(), index);
                }
                return;
            }
            current = if let Some(others) = current.other_blocks() {
                others
            } else if !H::ORDERED {
                ChildRef::from_bits(stack.pop_value())
            } else if !P::COHERENT_DIRECTIONS && !M::ROBUST && limit < before {
                cut_and_pop(simd, &mut stack, limit)
            } else {
                pop_within(&mut stack, boxes.limit(limit))
            };
        }
        if let Some(occluder) = occluder {
            occluder.forget();
        }
    }

    /// [`run_loop`](Self::run_loop) with a stack that is enough for the trees of fast rays.
    #[inline(always)]
    pub(crate) fn run_fast<P: DescentPolicy, M: RayMode, S: Simd, L: LeafTest + ?Sized>(
        self,
        simd: S,
        query: &QueryRay<'_, S>,
        blocks: &L,
        occluder: Option<&Occluder>,
    ) {
        let mut memory = ShallowStackMemory::new();
        let stack = ShallowStack::new(&mut memory);
        self.run_loop::<P, M, S, L, _>(simd, query, blocks, occluder, stack);
    }
}

/// The ray prepared for a fast mode, and the blocks of the tree; `None` if it must take the robust path.
#[inline(always)]
pub(crate) fn fast_query<'t, 'r, M: RayMode, S: Simd>(
    simd: S,
    tree: &'t Tree,
    ray: &'r Ray,
) -> Option<(QueryRay<'r, S>, &'t [TriangleBlock])> {
    let Leaves::Full(blocks) = &tree.leaves else { return None };
    let query = QueryRay::fast::<M>(simd, ray, tree)?;
    Some((query, blocks))
}
