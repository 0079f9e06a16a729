//! Interleaved traversal of incoherent rays, for trees larger than the cache.
//!
//! Such a ray waits for memory most of the time. Each step of a ray, a node or a leaf, ends with a
//! prefetch of the next one, and other rays step until the memory arrives. On trees that fit the caches
//! this loses 10 to 25 %, because mixed rays spoil branch prediction. WebAssembly, NEON
//! and scalar code have no prefetch. They read the next memory of all rays before each round: WebAssembly takes
//! a sixth less time on a terrain of a million triangles (Node 20, Intel Xeon).

use hitscan_primitives::{Faces, Ray};

use super::{
    child_order::{KeyCodec, pop_within, prefetch, push_children},
    coherence::Incoherent,
    robust::RobustTraversal,
    single::Traversal,
};
use crate::{
    kernel::{BoxRay, FastFar, HitSink, LeafTest, Query, QueryRay, RayMode, TriangleRay},
    layout::{ChildRef, Leaves, Tree, TriangleBlock},
    simd::{CACHE_LINE, Isa, Kernel, Simd, Stack, StackMemory, StackOf},
};

/// The number of rays in flight. On four million triangles 10 and 16 take up to 3 % more time.
pub(crate) const IN_FLIGHT: usize = 12;

/// The minimum size in bytes of a tree that is traversed interleaved.
const BEYOND_CACHES: usize = 48 << 20;

/// The leaves, if incoherent rays should be interleaved: the tree is large, full and not scaled.
pub(crate) fn leaves_beyond_caches(tree: &Tree) -> Option<&[TriangleBlock]> {
    match &tree.leaves {
        Leaves::Full(blocks) if !tree.is_scaled() => {
            let bytes = size_of_val(&*tree.nodes) + size_of_val(&**blocks);
            (bytes >= BEYOND_CACHES).then_some(blocks)
        }
        _ => None,
    }
}

/// Answers the rays at `indices`. The tree must not be scaled.
pub(crate) fn answer_interleaved<Q: Query>(
    tree: &Tree,
    isa: Isa,
    leaves: &[TriangleBlock],
    rays: &[Ray],
    indices: &[u32],
    faces: Faces,
    answers: &mut [Q::Answer],
) {
    isa.run(Interleaved::<Q> { tree, leaves, rays, indices, faces, answers });
}

struct Interleaved<'a, Q: Query> {
    tree: &'a Tree,
    leaves: &'a [TriangleBlock],
    rays: &'a [Ray],
    indices: &'a [u32],
    faces: Faces,
    answers: &'a mut [Q::Answer],
}

/// A ray in flight.
pub(crate) struct InFlight<S: Simd, M: RayMode, H> {
    index: u32,
    boxes: BoxRay<S, M>,
    triangles: TriangleRay<S>,
    keys: KeyCodec<S>,
    pub(crate) current: ChildRef,
    pub(crate) sink: H,
}

impl<S: Simd, M: RayMode, H> InFlight<S, M, H> {
    /// A ray at the root, prepared for the mode.
    #[inline(always)]
    pub(crate) fn new(simd: S, index: u32, query: &QueryRay<'_, S>, faces: Faces, sink: H) -> Self {
        Self {
            index,
            boxes: BoxRay::new(query),
            triangles: TriangleRay::new::<M>(query, faces),
            keys: KeyCodec::new::<M>(simd, query.t_min()),
            current: ChildRef::ROOT,
            sink,
        }
    }
}

impl<Q: Query> Kernel for Interleaved<'_, Q> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self { tree, leaves, rays, indices, faces, answers } = self;
        let mut waiting = indices.iter();
        // Stacks stay in place, because they are too large to move for every ray.
        let mut memory = [const { StackMemory::new() }; IN_FLIGHT];
        let mut stacks = memory.each_mut().map(Stack::new);
        let mut in_flight: [Option<InFlight<S, FastFar, Q>>; IN_FLIGHT] =
            [const { None }; IN_FLIGHT];
        let mut n_in_flight = 0;
        loop {
            if !S::HAS_PREFETCH {
                touch_all(tree, leaves, &in_flight);
            }
            for (entry, stack) in in_flight.iter_mut().zip(&mut stacks) {
                let Some(ray) = entry else {
                    let Some(&index) = waiting.next() else { continue };
                    let ray = &rays[index as usize];
                    let mut sink = Q::along(ray);
                    let Some(query) = QueryRay::fast::<FastFar>(simd, ray, tree) else {
                        let start = ChildRef::ROOT;
                        let traversal = Traversal { tree, ray, faces, start, sink: &mut sink };
                        simd.vectorize(RobustTraversal { traversal, is_in_tree_space: false });
                        answers[index as usize] = sink.answer();
                        continue;
                    };
                    *entry = Some(InFlight::new(simd, index, &query, faces, sink));
                    n_in_flight += 1;
                    continue;
                };
                match step(simd, tree, leaves, ray, stack) {
                    Some(next) => {
                        prefetch(simd, &tree.nodes, leaves, next);
                        ray.current = next;
                    }
                    None => {
                        if let Some(done) = entry.take() {
                            answers[done.index as usize] = done.sink.answer();
                        }
                        stack.clear();
                        n_in_flight -= 1;
                    }
                }
            }
            if n_in_flight == 0 && waiting.len() == 0 {
                return;
            }
        }
    }
}

/// Reads a byte of each cache line of all rays' next nodes and first blocks, where an instruction set cannot
/// prefetch. The reads depend on nothing, so they wait for memory together.
#[inline(always)]
fn touch_all<S: Simd, M: RayMode, H>(
    tree: &Tree,
    leaves: &[TriangleBlock],
    in_flight: &[Option<InFlight<S, M, H>>],
) {
    let mut bits = 0;
    for ray in in_flight.iter().flatten() {
        let next = ray.current;
        let bytes: &[u8] = if next.is_leaf() {
            bytemuck::bytes_of(&leaves[next.blocks().start])
        } else {
            bytemuck::bytes_of(&tree.nodes[next.node_index()])
        };
        for byte in bytes.iter().step_by(CACHE_LINE) {
            bits |= byte;
        }
    }
    std::hint::black_box(bits);
}

/// Visits the ray's current node or leaf and returns the next.
///
/// Not shared with the loop of `single`: that one keeps the ray's constants and the limit in registers
/// from leaf to leaf, which a step that ends after every node cannot.
#[inline(always)]
pub(crate) fn step<S: Simd, M: RayMode, H: HitSink, const SIZE: usize>(
    simd: S,
    tree: &Tree,
    leaves: &[TriangleBlock],
    ray: &mut InFlight<S, M, H>,
    stack: &mut StackOf<'_, SIZE>,
) -> Option<ChildRef> {
    let limit = ray.sink.t_max();
    if ray.current.is_leaf() {
        let mut limit = limit;
        for index in ray.current.blocks() {
            let InFlight { triangles, sink, .. } = &mut *ray;
            if leaves.test_block::<M, _, _>(index, triangles, &mut limit, sink) {
                return None;
            }
        }
    } else {
        let node = &tree.nodes[ray.current.node_index()];
        let hits = ray.boxes.test(node, simd.splat(limit));
        let nearest = push_children::<S, H, Incoherent, _>(simd, node, &hits, ray.keys, stack);
        if nearest.is_some() {
            return nearest;
        }
    }
    let next = if H::ORDERED {
        pop_within(stack, ray.sink.t_max())
    } else {
        ChildRef::from_bits(stack.pop_value())
    };
    (next != ChildRef::END).then_some(next)
}
