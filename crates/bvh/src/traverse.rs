//! The walk of one ray through a tree.
//!
//! A node is entered if the ray's interval with its box is not empty and does not start behind the
//! best hit so far (`<=`, so that ties survive); an entry taken from the stack likewise. Together
//! with boxes whose intervals contain those of all triangles below, this never loses a hit, in
//! whatever order the tree is walked.

use hitscan_primitives::{Faces, Hit, HitMode, WatertightRay};

use crate::{
    kernel::{Found, QueryRay},
    simd::{Kernel, Simd, Stack},
    wide::{ChildRef, TriangleBlock, WideNode},
};

/// A tree and a ray in the tree's space.
#[derive(Clone, Copy)]
pub(crate) struct Walk<'a> {
    pub(crate) nodes: &'a [WideNode],
    pub(crate) blocks: &'a [TriangleBlock],
    pub(crate) ray: &'a WatertightRay,
    pub(crate) faces: Faces,
    /// See [`crate::kernel::BoxRay::new`].
    pub(crate) origin_shift: Option<f32>,
}

/// What a query does with the hits it meets.
pub(crate) trait Collector {
    /// Whether near children are visited first.
    const ORDERED: bool;
    /// Hits beyond this are of no use.
    fn t_max(&self) -> f32;
    /// Takes a hit at a `t` of at most `t_max`; `true` ends the walk.
    fn found(&mut self, hit: Found, block: &TriangleBlock, lane: usize) -> bool;
}

/// A walk with its collector, ready to be run for an instruction set.
struct Run<'a, 'c, C> {
    walk: Walk<'a>,
    collector: &'c mut C,
}

impl<C: Collector> Kernel for Run<'_, '_, C> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Walk { ray, faces, origin_shift, .. } = self.walk;
        let ray = QueryRay::new(simd, ray, faces, origin_shift);
        if origin_shift.is_some() {
            traverse::<S, C, true>(simd, &self.walk, &ray, self.collector);
        } else {
            traverse::<S, C, false>(simd, &self.walk, &ray, self.collector);
        }
    }
}

impl<'a> Walk<'a> {
    /// Walks the tree and gives the hits to `collector`.
    #[inline(always)]
    pub(crate) fn collect<C: Collector>(self, isa: crate::Isa, collector: &mut C) {
        isa.run(Run { walk: self, collector });
    }
}

#[derive(Clone, Copy)]
struct Entry {
    enter: f32,
    child: ChildRef,
}

#[inline(always)]
fn traverse<S: Simd, C: Collector, const FAR: bool>(
    simd: S,
    walk: &Walk<'_>,
    ray: &QueryRay<'_, S>,
    collector: &mut C,
) {
    let mut stack = Stack::<Entry>::new();
    let mut current = ChildRef::node(0);
    loop {
        let reached_leaf = loop {
            if current.is_leaf() {
                break true;
            }
            let node = &walk.nodes[current.node_index()];
            let hits = ray.boxes.test::<FAR>(node, collector.t_max());
            let mut mask = hits.mask;
            if mask == 0 {
                break false;
            }
            let first = mask.trailing_zeros() as usize % 8;
            mask &= mask - 1;
            if mask == 0 {
                current = node.children[first];
                continue;
            }
            let enter = simd.store(hits.enter);
            let entry = |place: usize| Entry { enter: enter[place], child: node.children[place] };
            let second = mask.trailing_zeros() as usize % 8;
            mask &= mask - 1;
            if mask == 0 {
                let (near, far) = if C::ORDERED && enter[second] < enter[first] {
                    (second, first)
                } else {
                    (first, second)
                };
                stack.push(entry(far));
                current = node.children[near];
                continue;
            }
            let bottom = stack.len();
            stack.push(entry(first));
            push_sorted::<C>(&mut stack, bottom, entry(second));
            while mask != 0 {
                let place = mask.trailing_zeros() as usize % 8;
                mask &= mask - 1;
                push_sorted::<C>(&mut stack, bottom, entry(place));
            }
            current = stack.pop().expect("three entries were pushed").child;
        };
        if reached_leaf {
            for block in &walk.blocks[current.blocks()] {
                let t_max = collector.t_max();
                let done =
                    ray.triangles.test(block, t_max, |hit, lane| collector.found(hit, block, lane));
                if done {
                    return;
                }
            }
        }
        loop {
            match stack.pop() {
                None => return,
                Some(entry) if entry.enter <= collector.t_max() => {
                    current = entry.child;
                    break;
                }
                Some(_) => {}
            }
        }
    }
}

/// Pushes an entry so that those above `bottom` stay sorted, the nearest on top.
#[inline(always)]
fn push_sorted<C: Collector>(stack: &mut Stack<Entry>, bottom: usize, entry: Entry) {
    stack.push(entry);
    if !C::ORDERED {
        return;
    }
    let entries = stack.above(bottom);
    let mut place = entries.len() - 1;
    while place > 0 && entries[place - 1].enter < entry.enter {
        entries[place] = entries[place - 1];
        place -= 1;
    }
    entries[place] = entry;
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
    fn found(&mut self, hit: Found, _block: &TriangleBlock, _lane: usize) -> bool {
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
    fn found(&mut self, _hit: Found, _block: &TriangleBlock, _lane: usize) -> bool {
        self.any = true;
        true
    }
}

/// Keeps all hits, in no order.
pub(crate) struct All<'a> {
    pub(crate) ray: &'a WatertightRay,
    pub(crate) mode: HitMode,
    pub(crate) hits: &'a mut Vec<Hit>,
}

impl All<'_> {
    #[inline(always)]
    fn counts(&self, block: &TriangleBlock, lane: usize) -> bool {
        self.mode == HitMode::Closed || self.ray.owns_crossing(block.corners_of(lane))
    }
}

impl Collector for All<'_> {
    const ORDERED: bool = false;

    #[inline(always)]
    fn t_max(&self) -> f32 {
        self.ray.t_max()
    }

    #[inline(always)]
    fn found(&mut self, hit: Found, block: &TriangleBlock, lane: usize) -> bool {
        if self.counts(block, lane) {
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
        self.all.hits.get(self.n - 1).map_or(self.all.ray.t_max(), |last| last.t)
    }

    #[inline(always)]
    fn found(&mut self, hit: Found, block: &TriangleBlock, lane: usize) -> bool {
        if let Some(hit) = hit.hit().filter(|_| self.all.counts(block, lane)) {
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
