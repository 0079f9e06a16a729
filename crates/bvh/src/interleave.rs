//! The walks of many unrelated rays by turns, for trees beyond the caches.
//!
//! Such a ray waits for memory most of the time. Each step of a walk (a node or a leaf) ends by asking
//! for the memory of the next one, and by the time it is this ray's turn again the memory is there.
//! On trees that fit into the caches this loses 10 to 25 %: mixed rays spoil the prediction of branches.

use hitscan_primitives::{Faces, Ray};

use crate::{
    MeshBvh,
    kernel::{BoxRay, QueryRay, TriangleRay},
    simd::{Kernel, Simd, Slots, Stack},
    traverse::{Collector, LeafTest, Walk, keys, pop_within, prefetch, push_children},
    wide::{ChildRef, Leaves, TriangleBlock},
};

/// Rays under way at once.
const UNDER_WAY: usize = 12;

/// Trees of so many bytes or more are walked by turns, unless they are compact.
const BEYOND_CACHES: usize = 48 << 20;

impl MeshBvh {
    /// The leaves, if unrelated rays should be walked by turns.
    pub(crate) fn leaves_beyond_caches(&self) -> Option<&[TriangleBlock]> {
        match &self.leaves {
            Leaves::Full(blocks) if self.scale == 1.0 => {
                let bytes = size_of_val(&*self.nodes) + size_of_val(&**blocks);
                (bytes >= BEYOND_CACHES).then_some(blocks)
            }
            _ => None,
        }
    }

    /// Walks each of the rays whose numbers are given with a collector of its own, and hands it over
    /// with the ray's number. The rays must be in the tree's space.
    pub(crate) fn collect_interleaved<C: Collector>(
        &self,
        leaves: &[TriangleBlock],
        rays: &[Ray],
        numbers: &[usize],
        faces: Faces,
        start: impl Fn(&Ray) -> C,
        finish: impl FnMut(usize, C),
    ) {
        self.isa.run(Interleaved { bvh: self, leaves, rays, numbers, faces, start, finish });
    }
}

struct Interleaved<'a, Start, Finish> {
    bvh: &'a MeshBvh,
    leaves: &'a [TriangleBlock],
    rays: &'a [Ray],
    numbers: &'a [usize],
    faces: Faces,
    start: Start,
    finish: Finish,
}

/// A walk under way.
struct UnderWay<S: Simd, C> {
    number: usize,
    boxes: BoxRay<S>,
    triangles: TriangleRay<S>,
    keys: (S::F, S::F),
    current: ChildRef,
    collector: C,
}

impl<C: Collector, Start: Fn(&Ray) -> C, Finish: FnMut(usize, C)> Kernel
    for Interleaved<'_, Start, Finish>
{
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self { bvh, leaves, rays, numbers, faces, start, mut finish } = self;
        let mut waiting = numbers.iter();
        // A place keeps its stack, which is too large to be moved for every ray.
        let mut slots = [const { Slots::new() }; UNDER_WAY];
        let mut stacks = slots.each_mut().map(Stack::new);
        let mut places: [Option<UnderWay<S, C>>; UNDER_WAY] = [const { None }; UNDER_WAY];
        let mut n_under_way = 0;
        loop {
            for (place, stack) in places.iter_mut().zip(&mut stacks) {
                let Some(walk) = place else {
                    let Some(&number) = waiting.next() else { continue };
                    let (ray, mut collector) = (&rays[number], start(&rays[number]));
                    let Some(query) = QueryRay::new(simd, ray, bvh.reach) else {
                        finish(number, collector);
                        continue;
                    };
                    if !query.is_plain() {
                        let start = ChildRef::ROOT;
                        let collector_of_walk = &mut collector;
                        simd.vectorize(Walk {
                            bvh,
                            ray,
                            faces,
                            start,
                            collector: collector_of_walk,
                        });
                        finish(number, collector);
                        continue;
                    }
                    *place = Some(UnderWay {
                        number,
                        boxes: query.boxes(),
                        triangles: query.triangles(faces),
                        keys: keys::<S, false>(simd, ray.t_min),
                        current: ChildRef::ROOT,
                        collector,
                    });
                    n_under_way += 1;
                    continue;
                };
                match step(simd, bvh, leaves, walk, stack) {
                    Some(next) => {
                        prefetch(simd, &bvh.nodes, leaves, next);
                        walk.current = next;
                    }
                    None => {
                        if let Some(done) = place.take() {
                            finish(done.number, done.collector);
                        }
                        stack.clear();
                        n_under_way -= 1;
                    }
                }
            }
            if n_under_way == 0 && waiting.len() == 0 {
                return;
            }
        }
    }
}

/// Visits a node or a leaf, and tells what is next.
#[inline(always)]
fn step<S: Simd, C: Collector>(
    simd: S,
    bvh: &MeshBvh,
    leaves: &[TriangleBlock],
    walk: &mut UnderWay<S, C>,
    stack: &mut Stack<'_>,
) -> Option<ChildRef> {
    let limit = walk.collector.t_max();
    if walk.current.is_leaf() {
        let mut limit = limit;
        let blocks = walk.current.blocks();
        if leaves.test(blocks, &walk.triangles, &mut limit, &mut walk.collector) {
            return None;
        }
    } else {
        let node = &bvh.nodes[walk.current.node_index()];
        let hits = walk.boxes.test::<false>(node, simd.splat(limit));
        let nearest = push_children::<S, C>(simd, node, &hits, walk.keys, stack);
        if nearest.is_some() {
            return nearest;
        }
    }
    pop_within(stack, walk.collector.t_max())
}
