//! Traversal of one ray.
//!
//! The loop enters a node if the ray's interval with its box is not empty and does not start behind the
//! best hit so far. The comparison is `<=`, so that ties survive. The same holds for an entry from the
//! stack. The interval of a box contains those of all triangles below, so this never loses a hit, in
//! whatever order it visits nodes.

use std::marker::PhantomData;

use hitscan_primitives::{Faces, Ray, brute_force::scaled_ray};

use super::{
    child_order::{
        Alike, KeyCodec, Near, Scattered, Way, cut_and_pop, pop_within, prefetch, push_children,
    },
    recent_rays::{Coherence, Occluder, RecentRays, with_recent_rays},
};
use crate::{
    kernel::{BoxRay, HitSink, LeafTest, Query, QueryRay, RobustBlocks, TriangleRay},
    layout::{ChildRef, Leaves, Tree, TriangleBlock},
    platform::IS_DOWNLOAD,
    simd::{
        Isa, Kernel, KernelFn, ShallowStack, ShallowStackMemory, Simd, Stack, StackMemory, StackOf,
    },
};

/// The traversal of one ray from `start` on.
pub(crate) struct Traversal<'a, H> {
    pub(super) tree: &'a Tree,
    /// In the mesh's space.
    pub(super) ray: &'a Ray,
    pub(super) faces: Faces,
    pub(super) start: ChildRef,
    pub(super) sink: &'a mut H,
}

/// One ray from the root to its answer, in a [`Way`].
///
/// The sink is a local variable of the kernel, so it stays in registers.
///
/// With `FAR` it takes all rays, also those that start far from the mesh. Without, it hands them on.
struct Answering<Q, W, const FAR: bool>(PhantomData<(Q, W)>);

/// The traversal of a ray that cannot take the fast path.
pub(super) struct Robust<'a, H> {
    pub(super) traversal: Traversal<'a, H>,
    /// Whether the ray is in the tree's scaled space already.
    pub(super) is_scaled: bool,
}

/// Traverses the tree along the ray and passes candidates to `sink`. An invalid ray has none.
#[inline(always)]
pub(crate) fn trace<H: HitSink>(tree: &Tree, isa: Isa, ray: &Ray, faces: Faces, sink: &mut H) {
    if IS_DOWNLOAD {
        return trace_in_one_way(tree, isa, ray, faces, sink);
    }
    isa.run(Traversal { tree, ray, faces, start: ChildRef::ROOT, sink });
}

/// Answers a ray, in the way that suits the last rays of this thread.
#[inline(always)]
pub(crate) fn answer<Q: Query>(tree: &Tree, isa: Isa, ray: &Ray, faces: Faces) -> Q::Answer {
    if IS_DOWNLOAD {
        let mut sink = Q::along(ray);
        trace_in_one_way(tree, isa, ray, faces, &mut sink);
        return sink.answer();
    }
    // The answer does not pass through `with`, which would copy it.
    let (is_compared, coherence) =
        with_recent_rays::<Q, _>(|recent| (recent.count(), recent.coherence()));
    if is_compared {
        return answer_compared::<Q>(tree, isa, ray, faces);
    }
    answer_like::<Q>(coherence, tree, isa, ray, faces)
}

/// Compares the ray first. A function that answers as well, because a caller with more to do than to call
/// another function would save registers for every ray.
#[cold]
#[inline(never)]
fn answer_compared<Q: Query>(tree: &Tree, isa: Isa, ray: &Ray, faces: Faces) -> Q::Answer {
    let coherence = with_recent_rays::<Q, _>(|recent| {
        recent.compare(ray, tree.reach.near);
        recent.coherence()
    });
    answer_like::<Q>(coherence, tree, isa, ray, faces)
}

/// Answers a ray, in the way that suits rays as coherent as the recent ones.
#[inline(always)]
fn answer_like<Q: Query>(
    coherence: Coherence,
    tree: &Tree,
    isa: Isa,
    ray: &Ray,
    faces: Faces,
) -> Q::Answer {
    match coherence {
        Coherence::Alike if Q::NEEDS_NO_T => with_recent_rays::<Q, _>(|recent| {
            let occluder = Some(&recent.occluder);
            isa.call::<Answering<Q, Alike, false>, _, _, _, _>(tree, ray, faces, occluder)
        }),
        Coherence::Alike => {
            isa.call::<Answering<Q, Alike, false>, _, _, _, _>(tree, ray, faces, None)
        }
        Coherence::Near if Q::ORDERED => {
            isa.call::<Answering<Q, Near, false>, _, _, _, _>(tree, ray, faces, None)
        }
        _ => isa.call::<Answering<Q, Scattered, false>, _, _, _, _>(tree, ray, faces, None),
    }
}

/// [`trace`] by one loop for all rays, out of line, so that single rays and batches share it.
#[inline(never)]
fn trace_in_one_way<H: HitSink>(tree: &Tree, isa: Isa, ray: &Ray, faces: Faces, sink: &mut H) {
    isa.run(Traversal { tree, ray, faces, start: ChildRef::ROOT, sink });
}

impl<'a, H: HitSink> Traversal<'a, H> {
    /// Traverses the tree along a ray that is in the tree's scaled space, not in the mesh's.
    #[inline(always)]
    pub(super) fn run_in_tree_space<S: Simd>(self, simd: S) {
        if self.tree.scale == 1.0 {
            simd.vectorize(self);
        } else {
            // A scaled tree has no fast path.
            simd.vectorize(Robust { traversal: self, is_scaled: true });
        }
    }

    /// [`traverse`](Self::traverse) on the fast path.
    #[inline(always)]
    fn traverse_fast<S: Simd, W: Way, const FAR: bool>(
        self,
        simd: S,
        query: &QueryRay<'_, S>,
        blocks: &[TriangleBlock],
        occluder: Option<&Occluder>,
    ) {
        let mut memory = ShallowStackMemory::new();
        let stack = ShallowStack::new(&mut memory);
        self.traverse::<S, _, W, false, FAR, _>(simd, query, blocks, occluder, stack);
    }

    /// The loop: from node to node and from leaf to leaf, until no child on the stack is within the limit.
    // Longer than 60 lines: one loop, whose steps share the ray's constants, the limit and the stack.
    #[inline(always)]
    fn traverse<S, L, W, const ROBUST: bool, const FAR: bool, const SIZE: usize>(
        self,
        simd: S,
        query: &QueryRay<'_, S>,
        leaves: &L,
        occluder: Option<&Occluder>,
        mut stack: StackOf<'_, SIZE>,
    ) where
        S: Simd,
        L: LeafTest + ?Sized,
        W: Way,
    {
        let Traversal { tree, faces, start: mut current, sink, .. } = self;
        let nodes = &*tree.nodes;
        let mut limit = sink.t_max();
        let mut triangles = if H::ORDERED && W::PREPARES_TRIANGLES {
            Some(TriangleRay::new::<ROBUST>(query, faces))
        } else {
            None
        };
        // Known at compile time, so that other queries have no code for it.
        let occluder = if H::NEEDS_NO_T && W::REMEMBERS_OCCLUDER { occluder } else { None };
        if let Some(occluder) = occluder
            && let Some(index) = occluder.index_in(leaves.blocks())
        {
            let triangles = &*triangles.insert(TriangleRay::new::<ROBUST>(query, faces));
            let stopped = leaves.test_block(index, triangles, &mut limit, sink);
            occluder.was_tested(stopped);
            if stopped {
                return;
            }
        }
        let boxes = BoxRay::<S, ROBUST, FAR>::new(query);
        let keys = KeyCodec::new::<ROBUST>(simd, query.t_min());
        loop {
            let t_max = simd.splat(limit);
            while !current.is_leaf() {
                let node = &nodes[current.node_index()];
                let hits = boxes.test(node, t_max);
                let nearest = push_children::<S, H, W, _>(simd, node, &hits, keys, &mut stack);
                current = match nearest {
                    Some(nearest) => nearest,
                    None if H::ORDERED => pop_within(&mut stack, boxes.limit(limit)),
                    None => ChildRef::from_bits(stack.pop_value()),
                };
                if W::PREFETCHES && H::ORDERED && current != ChildRef::END {
                    // The nearest child is read at once, so the second nearest is the one to prefetch.
                    let next = ChildRef::from_bits(stack.last());
                    prefetch(simd, nodes, leaves, next);
                }
            }
            if current == ChildRef::END {
                break;
            }
            // Else not before the first leaf, because many rays never reach one.
            if triangles.is_none() {
                triangles = Some(TriangleRay::new::<ROBUST>(query, faces));
            }
            let Some(triangles) = &triangles else { break };
            // One block at a time. In a loop over the blocks of the leaf, the compiler would broadcast the
            // ray's numbers before the loop, and store them for want of registers.
            let (index, before) = (current.first_block(), limit);
            if leaves.test_block(index, triangles, &mut limit, sink) {
                if let Some(occluder) = occluder {
                    occluder.remember(leaves.blocks(), index);
                }
                return;
            }
            current = if let Some(others) = current.other_blocks() {
                others
            } else if !H::ORDERED {
                ChildRef::from_bits(stack.pop_value())
            } else if W::CUTS && !ROBUST && limit < before {
                cut_and_pop(simd, &mut stack, limit)
            } else {
                pop_within(&mut stack, boxes.limit(limit))
            };
        }
        if let Some(occluder) = occluder {
            occluder.forget();
        }
    }
}

impl<Q: Query, W: Way, const FAR: bool> KernelFn<&Tree, &Ray, Faces, Option<&Occluder>>
    for Answering<Q, W, FAR>
{
    type Output = Q::Answer;

    #[inline(always)]
    fn run<S: Simd>(
        simd: S,
        tree: &Tree,
        ray: &Ray,
        faces: Faces,
        occluder: Option<&Occluder>,
    ) -> Q::Answer {
        let mut sink = Q::along(ray);
        if let Some((query, blocks)) = fast::<S, FAR>(simd, tree, ray) {
            let traversal = Traversal { tree, ray, faces, start: ChildRef::ROOT, sink: &mut sink };
            traversal.traverse_fast::<S, W, FAR>(simd, &query, blocks, occluder);
            return sink.answer();
        }
        if !FAR {
            return simd.call::<Answering<Q, W, true>, _, _, _, _>(tree, ray, faces, occluder);
        }
        // Another sink, because a sink that goes out of line stays in memory.
        let mut sink = Q::along(ray);
        let traversal = Traversal { tree, ray, faces, start: ChildRef::ROOT, sink: &mut sink };
        simd.vectorize(Robust { traversal, is_scaled: false });
        sink.answer()
    }
}

/// The ray prepared for the fast path, and the blocks of the tree, if the ray is within the limits of the tree for
/// near rays or, with `FAR`, for all.
#[inline(always)]
fn fast<'a, S: Simd, const FAR: bool>(
    simd: S,
    tree: &'a Tree,
    ray: &'a Ray,
) -> Option<(QueryRay<'a, S>, &'a [TriangleBlock])> {
    let Leaves::Full(blocks) = &tree.leaves else { return None };
    let limits = if FAR { &tree.fast_limits.far } else { &tree.fast_limits.near };
    let query = QueryRay::fast(simd, ray, limits, &tree.reach)?;
    Some((query, blocks))
}

impl<H: HitSink> Kernel for Traversal<'_, H> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        if let Some((query, blocks)) = fast::<S, true>(simd, self.tree, self.ray) {
            self.traverse_fast::<S, Near, true>(simd, &query, blocks, None);
        } else {
            simd.vectorize(Robust { traversal: self, is_scaled: false });
        }
    }
}

impl<H: HitSink> Kernel for Robust<'_, H> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self { traversal: Traversal { tree, ray, faces, start, sink }, is_scaled } = self;
        let scaled;
        let ray = if is_scaled || tree.scale == 1.0 {
            ray
        } else {
            scaled = scaled_ray(ray, tree.scale);
            &scaled
        };
        let Some(query) = QueryRay::new(simd, ray, &tree.reach) else { return };
        let mut memory = StackMemory::new();
        let stack = Stack::new(&mut memory);
        let traversal = Traversal { tree, ray, faces, start, sink };
        match &tree.leaves {
            leaves if IS_DOWNLOAD => {
                traversal.traverse::<S, _, Near, true, true, _>(simd, &query, leaves, None, stack);
            }
            Leaves::Full(blocks) => {
                let blocks = &RobustBlocks(blocks);
                traversal.traverse::<S, _, Near, true, true, _>(simd, &query, blocks, None, stack);
            }
            Leaves::Compact(blocks) => {
                traversal.traverse::<S, _, Near, true, true, _>(simd, &query, blocks, None, stack);
            }
        }
    }
}

/// Answers the rays at `indices` one after the other.
pub(crate) fn answer_each<Q: Query>(
    tree: &Tree,
    isa: Isa,
    rays: &[Ray],
    indices: &[u32],
    faces: Faces,
    answers: &mut [Q::Answer],
) {
    if IS_DOWNLOAD {
        for &index in indices {
            answers[index as usize] = answer::<Q>(tree, isa, &rays[index as usize], faces);
        }
        return;
    }
    isa.run(Each::<Q> { tree, rays, indices, faces, answers });
}

/// Rays one after the other, for an instruction set that is chosen once for all of them.
struct Each<'a, Q: Query> {
    tree: &'a Tree,
    rays: &'a [Ray],
    indices: &'a [u32],
    faces: Faces,
    answers: &'a mut [Q::Answer],
}

impl<Q: Query> Kernel for Each<'_, Q> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self { tree, rays, indices, faces, answers } = self;
        let recent = RecentRays::new();
        for &index in indices {
            let ray = &rays[index as usize];
            if recent.count() {
                recent.compare(ray, tree.reach.near);
            }
            // A separate function. Inlined here, this loop keeps values in registers that the
            // traversal lacks, and takes 3 to 5 % more time.
            answers[index as usize] = match recent.coherence() {
                Coherence::Alike => {
                    let occluder = if Q::NEEDS_NO_T { Some(&recent.occluder) } else { None };
                    simd.call::<Answering<Q, Alike, false>, _, _, _, _>(tree, ray, faces, occluder)
                }
                Coherence::Near if Q::ORDERED => {
                    simd.call::<Answering<Q, Near, false>, _, _, _, _>(tree, ray, faces, None)
                }
                _ => {
                    simd.call::<Answering<Q, Scattered, false>, _, _, _, _>(tree, ray, faces, None)
                }
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use hitscan_primitives::generate;

    use super::*;
    use crate::{BuildOptions, MeshBvh, kernel::AnyHit};

    fn segment(x: f32) -> Ray {
        Ray::segment([x, 0.0, -2.0], [x, 0.0, 2.0])
    }

    /// A tree of a sphere of radius 1, whose last shadow rays on this thread were alike and stopped.
    fn tree_of_rays_alike() -> MeshBvh {
        let mesh = generate::sphere(1.0, 2000).expect("an ordinary size");
        let bvh = MeshBvh::build(&mesh, &BuildOptions::default());
        // As many as it takes to notice that the rays are alike.
        for i in 0..600 {
            assert!(bvh.is_occluded(&segment(1e-4 * i as f32), Faces::Both));
        }
        bvh
    }

    fn full_blocks(bvh: &MeshBvh) -> &[TriangleBlock] {
        let Leaves::Full(blocks) = &bvh.tree.leaves else { panic!("the mesh is small") };
        blocks
    }

    #[test]
    fn a_thread_remembers_the_block_that_stopped_its_last_shadow_ray() {
        let bvh = tree_of_rays_alike();
        let blocks = full_blocks(&bvh);
        let index = || with_recent_rays::<AnyHit, _>(|recent| recent.occluder.index_in(blocks));
        assert!((0..=64).any(|_| index().is_some()), "it remembers no block");
        assert!(!bvh.is_occluded(&segment(1.5), Faces::Both));
        assert!((0..=64).all(|_| index().is_none()), "a free ray has no occluder");
    }

    #[test]
    fn a_block_remembered_of_a_tree_that_was_here_before_changes_no_answer() {
        // An allocator may build a tree where another one was, with more blocks or with others.
        let bvh = tree_of_rays_alike();
        let blocks = full_blocks(&bvh);
        let n = blocks.len();
        // One ray for all blocks, because a thread remembers blocks for neighbours.
        for (x, is_occluded) in [(0.01, true), (1.5, false)] {
            for index in (0..n).chain([n, n + 1, 2 * n, 1000 * n, usize::MAX]) {
                with_recent_rays::<AnyHit, _>(|recent| {
                    recent.occluder.was_tested(true);
                    recent.occluder.remember(blocks, index);
                });
                assert_eq!(bvh.is_occluded(&segment(x), Faces::Both), is_occluded, "block {index}");
            }
        }
    }
}
