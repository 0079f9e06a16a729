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
    kernel::{BoxRay, HitSink, LeafTest, QueryRay, RobustBlocks, TriangleRay},
    layout::{ChildRef, Leaves, Tree},
    platform::IS_DOWNLOAD,
    simd::{Isa, Kernel, ShallowStack, ShallowStackMemory, Simd, Stack, StackMemory, StackOf},
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

/// The traversal in a [`Way`], for a thread that remembers its last rays.
struct Going<'a, H, W> {
    traversal: Traversal<'a, H>,
    /// For a query that only asks if there is a hit.
    occluder: Option<&'a Occluder>,
    way: PhantomData<W>,
}

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
    let traversal = Traversal { tree, ray, faces, start: ChildRef::ROOT, sink };
    if !H::TAKES_ALL_HITS {
        return isa.run(traversal);
    }
    // Each traversal but one stands outside of the closures, which the compiler may leave out of line.
    match with_recent_rays::<H, _>(|recent| recent.coherence(ray, tree.max_abs)) {
        Coherence::Alike if H::NEEDS_NO_T => with_recent_rays::<H, _>(|recent| {
            isa.run(traversal.going::<Alike>(Some(&recent.occluder)));
        }),
        Coherence::Alike => isa.run(traversal.going::<Alike>(None)),
        Coherence::Near if H::ORDERED => isa.run(traversal.going::<Near>(None)),
        _ => isa.run(traversal.going::<Scattered>(None)),
    }
}

/// [`trace`] by one loop for all rays, out of line, so that single rays and batches share it.
#[inline(never)]
fn trace_in_one_way<H: HitSink>(tree: &Tree, isa: Isa, ray: &Ray, faces: Faces, sink: &mut H) {
    isa.run(Traversal { tree, ray, faces, start: ChildRef::ROOT, sink });
}

impl<'a, H: HitSink> Traversal<'a, H> {
    #[inline(always)]
    fn going<W: Way>(self, occluder: Option<&'a Occluder>) -> Going<'a, H, W> {
        Going { traversal: self, occluder, way: PhantomData }
    }

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

    /// The loop: from node to node and from leaf to leaf, until no child on the stack is within the limit.
    // Longer than 60 lines: one loop, whose steps share the ray's constants, the limit and the stack.
    #[inline(always)]
    fn traverse<S, L, W, const ROBUST: bool, const SIZE: usize>(
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
        let mut limit = sink.t_max();
        let mut triangles = None;
        // Known at compile time, so that other queries have no code for it.
        let occluder = if H::NEEDS_NO_T && W::REMEMBERS_OCCLUDER { occluder } else { None };
        if let Some(occluder) = occluder
            && let Some(index) = occluder.index_in(leaves.blocks())
        {
            let triangles = &*triangles.insert(TriangleRay::new(query, faces));
            let stopped = leaves.test_block(index, triangles, &mut limit, sink);
            occluder.was_tested(stopped);
            if stopped {
                return;
            }
        }
        let boxes = BoxRay::<S, ROBUST>::new(query);
        let keys = KeyCodec::new::<ROBUST>(simd, query.t_min());
        loop {
            let t_max = simd.splat(limit);
            while !current.is_leaf() {
                let node = &tree.nodes[current.node_index()];
                let hits = boxes.test(node, t_max);
                let nearest = push_children::<S, H, W, _>(simd, node, &hits, keys, &mut stack);
                current = match nearest {
                    Some(nearest) => nearest,
                    None if H::ORDERED => pop_within(&mut stack, limit),
                    None => ChildRef::from_bits(stack.pop_value()),
                };
                if W::PREFETCHES && H::ORDERED && current != ChildRef::END {
                    // The nearest child is read at once, so the second nearest is the one to prefetch.
                    let next = ChildRef::from_bits(stack.last());
                    prefetch(simd, &tree.nodes, leaves, next);
                }
            }
            if current == ChildRef::END {
                break;
            }
            // Not before the first leaf, because many rays never reach one.
            if triangles.is_none() {
                triangles = Some(TriangleRay::new(query, faces));
            }
            let Some(triangles) = &triangles else { break };
            let before = limit;
            if let Some(index) = leaves.test(current.blocks(), triangles, &mut limit, sink) {
                if let Some(occluder) = occluder {
                    occluder.remember(leaves.blocks(), index);
                }
                return;
            }
            current = if !H::ORDERED {
                ChildRef::from_bits(stack.pop_value())
            } else if W::CUTS && !ROBUST && limit < before {
                cut_and_pop(simd, &mut stack, limit)
            } else {
                pop_within(&mut stack, limit)
            };
        }
        if let Some(occluder) = occluder {
            occluder.forget();
        }
    }
}

impl<H: HitSink, W: Way> Kernel for Going<'_, H, W> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self { traversal, occluder, .. } = self;
        let Traversal { tree, ray, .. } = traversal;
        if let Leaves::Full(blocks) = &tree.leaves
            && let Some(query) = QueryRay::fast(simd, ray, &tree.fast_limits, tree.max_abs)
        {
            let mut memory = ShallowStackMemory::new();
            let stack = ShallowStack::new(&mut memory);
            let blocks = &**blocks;
            traversal.traverse::<S, _, W, false, _>(simd, &query, blocks, occluder, stack);
        } else {
            simd.vectorize(Robust { traversal, is_scaled: false });
        }
    }
}

impl<H: HitSink> Kernel for Traversal<'_, H> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        Going::<_, Near> { traversal: self, occluder: None, way: PhantomData }.run(simd);
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
        let Some(query) = QueryRay::new(simd, ray, tree.max_abs) else { return };
        let mut memory = StackMemory::new();
        let stack = Stack::new(&mut memory);
        let traversal = Traversal { tree, ray, faces, start, sink };
        match &tree.leaves {
            leaves if IS_DOWNLOAD => {
                traversal.traverse::<S, _, Near, true, _>(simd, &query, leaves, None, stack);
            }
            Leaves::Full(blocks) => {
                let blocks = &RobustBlocks(blocks);
                traversal.traverse::<S, _, Near, true, _>(simd, &query, blocks, None, stack);
            }
            Leaves::Compact(blocks) => {
                traversal.traverse::<S, _, Near, true, _>(simd, &query, blocks, None, stack);
            }
        }
    }
}

/// Traces the rays at `indices`, each with a fresh sink; `finish` converts the sink to the answer.
#[expect(clippy::too_many_arguments, reason = "a batch in plain arguments, used once")]
pub(crate) fn trace_each<T, H: HitSink>(
    tree: &Tree,
    isa: Isa,
    rays: &[Ray],
    indices: &[u32],
    answers: &mut [T],
    faces: Faces,
    start: impl Fn(&Ray) -> H,
    finish: impl Fn(H) -> T,
) {
    if IS_DOWNLOAD {
        for &index in indices {
            let ray = &rays[index as usize];
            let mut sink = start(ray);
            trace_in_one_way(tree, isa, ray, faces, &mut sink);
            answers[index as usize] = finish(sink);
        }
        return;
    }
    isa.run(Each { tree, rays, indices, answers, faces, start, finish });
}

/// Traces rays one after the other, for an instruction set that is chosen once for all of them.
struct Each<'a, T, Start, Finish> {
    tree: &'a Tree,
    rays: &'a [Ray],
    indices: &'a [u32],
    answers: &'a mut [T],
    faces: Faces,
    start: Start,
    finish: Finish,
}

impl<T, H: HitSink, Start: Fn(&Ray) -> H, Finish: Fn(H) -> T> Kernel
    for Each<'_, T, Start, Finish>
{
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self { tree, rays, indices, answers, faces, start, finish } = self;
        let recent = RecentRays::new();
        for &index in indices {
            let (ray, answer) = (&rays[index as usize], &mut answers[index as usize]);
            let mut sink = start(ray);
            let traversal = Traversal { tree, ray, faces, start: ChildRef::ROOT, sink: &mut sink };
            // A separate function. Inlined here, this loop keeps values in registers that the
            // traversal lacks, and takes 3 to 5 % more time.
            match recent.coherence(ray, tree.max_abs) {
                Coherence::Alike => {
                    simd.vectorize(traversal.going::<Alike>(Some(&recent.occluder)));
                }
                Coherence::Near if H::ORDERED => simd.vectorize(traversal.going::<Near>(None)),
                _ => simd.vectorize(traversal.going::<Scattered>(None)),
            }
            *answer = finish(sink);
        }
    }
}
