//! Traversal of one ray.
//!
//! The loop enters a node if the ray's interval with its box is not empty and does not start behind the
//! best hit so far. The comparison is `<=`, so that ties survive. The same holds for an entry from the
//! stack. The interval of a box contains those of all triangles below, so this never loses a hit, in
//! whatever order it visits nodes.

use hitscan_primitives::{Faces, Ray, brute_force::scaled_ray};

use super::child_order::{KeyCodec, pop_within, prefetch, push_children};
use crate::{
    kernel::{BoxRay, HitSink, LeafTest, QueryRay, RobustBlocks, TriangleRay},
    layout::{ChildRef, Leaves, Tree, WideNode},
    simd::{Isa, Kernel, Simd, Stack, StackMemory},
};

/// The traversal of one ray, ready to run under an instruction set.
pub(crate) struct Traversal<'a, H> {
    pub(super) tree: &'a Tree,
    /// In the tree's scaled space.
    pub(super) ray: &'a Ray,
    pub(super) faces: Faces,
    pub(super) start: ChildRef,
    pub(super) sink: &'a mut H,
}

impl<H: HitSink> Traversal<'_, H> {
    /// The loop: from leaf to leaf, until no child on the stack is within the limit.
    #[inline(always)]
    fn traverse<S: Simd, L: LeafTest + ?Sized, const ROBUST: bool>(
        self,
        simd: S,
        ray: &QueryRay<'_, S>,
        leaves: &L,
    ) {
        let Traversal { tree, faces, start, sink, .. } = self;
        let mut limit = sink.t_max();
        let mut memory = StackMemory::new();
        let mut descent = Descent::<S, L, ROBUST> {
            simd,
            nodes: &tree.nodes,
            leaves,
            boxes: BoxRay::new(ray),
            keys: KeyCodec::new::<ROBUST>(simd, self.ray.t_min),
            stack: Stack::new(&mut memory),
        };
        let Some(mut leaf) = descent.descend::<H>(start, limit) else { return };
        // Not before the first leaf, because many rays never reach one.
        let triangles = TriangleRay::new(ray, faces);
        loop {
            if leaves.test(leaf.blocks(), &triangles, &mut limit, sink) {
                break;
            }
            let Some(next) = pop_within(&mut descent.stack, limit) else { break };
            let Some(next) = descent.descend::<H>(next, limit) else { break };
            leaf = next;
        }
    }
}

/// The way from leaf to leaf.
struct Descent<'a, S: Simd, L: LeafTest + ?Sized, const ROBUST: bool> {
    simd: S,
    nodes: &'a [WideNode],
    leaves: &'a L,
    boxes: BoxRay<S, ROBUST>,
    keys: KeyCodec<S>,
    stack: Stack<'a>,
}

impl<S: Simd, L: LeafTest + ?Sized, const ROBUST: bool> Descent<'_, S, L, ROBUST> {
    /// The next leaf, from `current` on, that the ray enters at a `t` of at most `limit`.
    #[inline(always)]
    fn descend<H: HitSink>(&mut self, mut current: ChildRef, limit: f32) -> Option<ChildRef> {
        let t_max = self.simd.splat(limit);
        while !current.is_leaf() {
            let node = &self.nodes[current.node_index()];
            let hits = self.boxes.test(node, t_max);
            let nearest = push_children::<S, H>(self.simd, node, &hits, self.keys, &mut self.stack);
            current = match nearest {
                Some(nearest) => {
                    // Prefetches the second nearest child, because the nearest is read at once.
                    // Prefetching both gained nothing.
                    if H::ORDERED && hits.mask & (hits.mask - 1) != 0 {
                        self.prefetch_top();
                    }
                    nearest
                }
                None => {
                    let next = pop_within(&mut self.stack, limit)?;
                    if H::ORDERED {
                        self.prefetch_top();
                    }
                    next
                }
            };
        }
        Some(current)
    }

    /// Prefetches the entry on top of the stack.
    #[inline(always)]
    fn prefetch_top(&self) {
        let next = ChildRef::from_bits(self.stack.last());
        prefetch(self.simd, self.nodes, self.leaves, next);
    }
}

/// Traverses the tree along the ray and passes candidates to `sink`. An invalid ray has none.
#[inline(always)]
pub(crate) fn trace<H: HitSink>(tree: &Tree, isa: Isa, ray: &Ray, faces: Faces, sink: &mut H) {
    // Out here, so that inside there is one ray in memory, which is loaded at once.
    let scaled;
    let ray = if tree.scale == 1.0 {
        ray
    } else {
        scaled = scaled_ray(ray, tree.scale);
        &scaled
    };
    isa.run(Traversal { tree, ray, faces, start: ChildRef::ROOT, sink });
}

impl<H: HitSink> Kernel for Traversal<'_, H> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Some(ray) = QueryRay::new(simd, self.ray, self.tree.max_abs) else { return };
        match &self.tree.leaves {
            Leaves::Full(blocks) if ray.can_take_fast_path() => {
                self.traverse::<S, _, false>(simd, &ray, &**blocks);
            }
            Leaves::Full(blocks) => self.traverse::<S, _, true>(simd, &ray, &RobustBlocks(blocks)),
            Leaves::Compact(blocks) => self.traverse::<S, _, true>(simd, &ray, blocks),
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
        for &index in indices {
            let (ray, answer) = (&rays[index as usize], &mut answers[index as usize]);
            let scaled;
            let ray = if tree.scale == 1.0 {
                ray
            } else {
                scaled = scaled_ray(ray, tree.scale);
                &scaled
            };
            let mut sink = start(ray);
            // A separate function. Inlined here, this loop keeps values in registers that the
            // traversal lacks, and takes 3 to 5 % more time.
            let start = ChildRef::ROOT;
            simd.vectorize(Traversal { tree, ray, faces, start, sink: &mut sink });
            *answer = finish(sink);
        }
    }
}
