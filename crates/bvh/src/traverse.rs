//! The walk of one ray through a tree.
//!
//! A node is entered if the ray's interval with its box is not empty and does not start behind the
//! best hit so far (`<=`, so that ties survive); an entry taken from the stack likewise. Together
//! with boxes whose intervals contain those of all triangles below, this never loses a hit, in
//! whatever order the tree is walked.

use hitscan_primitives::{Faces, Hit, HitMode, Ray, WatertightRay, brute_force::scaled_ray};

use crate::{
    MeshBvh,
    kernel::{BoxHits, Found, Origin, QueryRay},
    simd::{Kernel, Simd, Stack},
    wide::{ChildRef, TriangleBlock, WideNode},
};

/// What a query does with the hits it meets.
pub(crate) trait Collector {
    /// Whether near children are visited first.
    const ORDERED: bool;
    /// Hits beyond this are of no use. Falls only when a hit is found.
    fn t_max(&self) -> f32;
    /// Takes a hit at a `t` of at most `t_max`; `true` ends the walk.
    fn found(&mut self, hit: Found, ray: &Ray, block: &TriangleBlock, lane: usize) -> bool;
}

/// A walk with its collector, ready to be run for an instruction set.
struct Walk<'a, C> {
    bvh: &'a MeshBvh,
    ray: &'a Ray,
    faces: Faces,
    start: ChildRef,
    collector: &'a mut C,
}

impl MeshBvh {
    /// Walks the tree along the ray and gives the hits to `collector`. An invalid ray has none.
    #[inline(always)]
    pub(crate) fn collect<C: Collector>(&self, ray: &Ray, faces: Faces, collector: &mut C) {
        self.collect_below(ChildRef::ROOT, ray, faces, collector);
    }

    /// [`collect`](Self::collect) from a part of the tree.
    #[inline(always)]
    pub(crate) fn collect_below<C: Collector>(
        &self,
        start: ChildRef,
        ray: &Ray,
        faces: Faces,
        collector: &mut C,
    ) {
        self.isa.run(Walk { bvh: self, ray, faces, start, collector });
    }

    /// Asks for the memory of a node, or of a leaf's first block. Without a branch, which could not
    /// be predicted.
    #[inline(always)]
    pub(crate) fn prefetch<S: Simd>(&self, simd: S, child: ChildRef) {
        let block = self.blocks.as_ptr().wrapping_add(child.blocks().start).cast();
        let node = self.nodes.as_ptr().wrapping_add(child.node_index()).cast();
        simd.prefetch::<4>(if child.is_leaf() { block } else { node });
    }
}

impl<C: Collector> Kernel for Walk<'_, C> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Walk { bvh, ray, faces, start, collector } = self;
        let scaled;
        let ray = if bvh.scale == 1.0 {
            ray
        } else {
            scaled = scaled_ray(ray, bvh.scale);
            &scaled
        };
        match QueryRay::new(simd, ray, faces, bvh.reach) {
            Some((query_ray, Origin::Near)) => {
                traverse::<S, C, false>(simd, bvh, ray, &query_ray, start, collector);
            }
            Some((query_ray, Origin::Far(_))) => {
                traverse::<S, C, true>(simd, bvh, ray, &query_ray, start, collector);
            }
            None => {}
        }
    }
}

#[inline(always)]
fn traverse<S: Simd, C: Collector, const FAR: bool>(
    simd: S,
    tree: &MeshBvh,
    caller_ray: &Ray,
    ray: &QueryRay<'_, S>,
    start: ChildRef,
    collector: &mut C,
) {
    let mut stack = Stack::new();
    let mut current = start;
    let mut limit = collector.t_max();
    let mut t_max = simd.splat(limit);
    let (nodes, blocks) = (&*tree.nodes, &*tree.blocks);
    let keys = keys(simd, caller_ray.t_min);
    loop {
        let reached_leaf = loop {
            if current.is_leaf() {
                break true;
            }
            let node = &nodes[current.node_index()];
            let hits = ray.boxes.test::<FAR>(node, t_max);
            let Some(nearest) = push_children::<S, C>(simd, node, &hits, keys, &mut stack) else {
                break false;
            };
            current = nearest;
            if C::ORDERED && hits.mask & (hits.mask - 1) != 0 {
                tree.prefetch(simd, current);
                tree.prefetch(simd, ChildRef::from_bits(stack.last()));
            }
        };
        if reached_leaf {
            for block in &blocks[current.blocks()] {
                if ray.triangles.test(block, limit, collector) {
                    return;
                }
                limit = collector.t_max();
            }
            t_max = simd.splat(limit);
        }
        match pop_within(&mut stack, limit) {
            Some(child) => current = child,
            None => return,
        }
    }
}

/// Pushes the children that a ray meets, and takes the one to go on with: the nearest, if the
/// collector wants an order. `None` if there are no children.
#[inline(always)]
pub(crate) fn push_children<S: Simd, C: Collector>(
    simd: S,
    node: &WideNode,
    hits: &BoxHits<S>,
    (key_mask, key_bits): (S::F, S::F),
    stack: &mut Stack,
) -> Option<ChildRef> {
    let mask = hits.mask;
    if mask == 0 {
        return None;
    }
    if mask & (mask - 1) == 0 {
        return Some(node.child(mask.trailing_zeros() as usize % 8));
    }
    let n = mask.count_ones() as usize;
    let children = simd.load_bits(&node.children);
    let keys = simd.masked_or(hits.enter, key_mask, key_bits);
    let keys = simd.compress(mask, keys);
    if C::ORDERED && n <= 4 {
        let keys = simd.sort_four_descending(keys);
        let values = simd.permute(children, keys);
        stack.push(simd.first_four(keys), simd.first_four(values), n);
    } else {
        let mut keys = simd.all_bits(keys);
        if C::ORDERED {
            keys.sort_unstable_by(|a, b| b.cmp(a));
        }
        let values = simd.permute(children, simd.load_bits(&keys));
        stack.push(keys, simd.all_bits(values), n);
    }
    Some(ChildRef::from_bits(stack.pop().1))
}

/// Takes the first child from the stack that the ray enters at a `t` of at most `limit`.
#[inline(always)]
pub(crate) fn pop_within(stack: &mut Stack, limit: f32) -> Option<ChildRef> {
    while !stack.is_empty() {
        let (key, child) = stack.pop();
        // Without the place, the key is at most where the ray enters. Not `<=`: the keys of rays
        // with a negative t_min are NaN, and always taken.
        #[expect(clippy::neg_cmp_op_on_partial_ord, reason = "NaN must pass")]
        if !(f32::from_bits(key & !7) > limit) {
            return Some(ChildRef::from_bits(child));
        }
    }
    None
}

/// The key of a child is `(enter & mask) | bits`: where the ray enters the child's box, rounded down to
/// make room for the child's place in the low three bits. Bits of floats that are not negative are
/// ordered as the floats are. If `t_min` is negative, every key is a NaN, which is never too far.
#[inline(always)]
pub(crate) fn keys<S: Simd>(simd: S, t_min: f32) -> (S::F, S::F) {
    const PLACES: [u32; 8] = [0, 1, 2, 3, 4, 5, 6, 7];
    const NAN: u32 = f32::NAN.to_bits();
    if t_min < 0.0 {
        (simd.splat(0.0), simd.load_bits(&PLACES.map(|place| NAN | place)))
    } else {
        (simd.splat(f32::from_bits(!7)), simd.load_bits(&PLACES))
    }
}

/// Keeps the least hit by `(t, triangle)`.
pub(crate) struct Closest {
    pub(crate) best: Found,
}

impl Collector for Closest {
    const ORDERED: bool = true;

    #[inline(always)]
    fn t_max(&self) -> f32 {
        self.best.t
    }

    #[inline(always)]
    fn found(&mut self, hit: Found, _: &Ray, _: &TriangleBlock, _: usize) -> bool {
        if hit.is_before(&self.best) {
            self.best = hit;
        }
        false
    }
}

/// Stops at the first hit met.
pub(crate) struct Any {
    pub(crate) t_max: f32,
    pub(crate) any: bool,
}

impl Collector for Any {
    const ORDERED: bool = false;

    #[inline(always)]
    fn t_max(&self) -> f32 {
        self.t_max
    }

    #[inline(always)]
    fn found(&mut self, _: Found, _: &Ray, _: &TriangleBlock, _: usize) -> bool {
        self.any = true;
        true
    }
}

/// Keeps all hits, in no order.
pub(crate) struct All<'a> {
    pub(crate) t_max: f32,
    pub(crate) mode: HitMode,
    pub(crate) hits: &'a mut Vec<Hit>,
}

impl All<'_> {
    #[inline(always)]
    fn counts(&self, ray: &Ray, block: &TriangleBlock, lane: usize) -> bool {
        self.mode == HitMode::Closed
            || WatertightRay::new(ray).is_some_and(|ray| ray.owns_crossing(block.corners_of(lane)))
    }
}

impl Collector for All<'_> {
    const ORDERED: bool = false;

    #[inline(always)]
    fn t_max(&self) -> f32 {
        self.t_max
    }

    #[inline(always)]
    fn found(&mut self, hit: Found, ray: &Ray, block: &TriangleBlock, lane: usize) -> bool {
        if self.counts(ray, block, lane) {
            self.hits.extend(hit.hit());
        }
        false
    }
}

/// Keeps the first `n` hits by `(t, triangle)`, sorted.
pub(crate) struct Nearest<'a> {
    pub(crate) all: All<'a>,
    /// At least 1.
    pub(crate) n: usize,
}

impl Collector for Nearest<'_> {
    const ORDERED: bool = true;

    #[inline(always)]
    fn t_max(&self) -> f32 {
        self.all.hits.get(self.n - 1).map_or(self.all.t_max, |last| last.t)
    }

    #[inline(always)]
    fn found(&mut self, hit: Found, ray: &Ray, block: &TriangleBlock, lane: usize) -> bool {
        if let Some(hit) = hit.hit().filter(|_| self.all.counts(ray, block, lane)) {
            let hits = &mut *self.all.hits;
            let place = hits.partition_point(|other| other.cmp_along_ray(&hit).is_lt());
            if place < self.n {
                hits.truncate(self.n - 1);
                hits.insert(place.min(hits.len()), hit);
            }
        }
        false
    }
}
