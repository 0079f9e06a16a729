//! The walk of one ray through a tree.
//!
//! A node is entered if the ray's interval with its box is not empty and does not start behind the
//! best hit so far (`<=`, so that ties survive); an entry taken from the stack likewise. Together
//! with boxes whose intervals contain those of all triangles below, this never loses a hit, in
//! whatever order the tree is walked.

use std::{hint::black_box, ops::Range};

use hitscan_primitives::{Faces, Hit, HitMode, Ray, brute_force::scaled_ray};

use crate::{
    MeshBvh,
    kernel::{BoxHits, BoxRay, Found, Meeting, QueryRay, TriangleRay},
    simd::{Kernel, Simd, Slots, Stack},
    wide::{ChildRef, IndexedBlock, IndexedBlocks, Leaves, TriangleBlock, WideNode},
};

/// What a query does with the hits it meets.
pub(crate) trait Collector {
    /// Whether near children are visited first.
    const ORDERED: bool;
    /// Whether every hit counts, so that one that is certain is known to count before it is found.
    const TAKES_ALL_HITS: bool = false;
    /// Whether it is enough to know that there is a hit.
    const NEEDS_NO_T: bool = false;
    /// Hits beyond this are of no use. Falls only when a hit is found.
    fn t_max(&self) -> f32;
    /// Takes a hit in the ray's interval, which may lie beyond `t_max`; `true` ends the walk.
    fn found(&mut self, hit: &Found, meeting: &Meeting<'_>) -> bool;
    /// Learns that there is a hit, if [`NEEDS_NO_T`](Self::NEEDS_NO_T).
    #[inline(always)]
    fn found_some(&mut self) -> bool {
        false
    }
}

/// A walk with its collector, ready to be run for an instruction set.
pub(crate) struct Walk<'a, C> {
    pub(crate) bvh: &'a MeshBvh,
    pub(crate) ray: &'a Ray,
    pub(crate) faces: Faces,
    pub(crate) start: ChildRef,
    pub(crate) collector: &'a mut C,
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
        // Out here, so that inside there is one ray in memory, which is loaded at once.
        let scaled;
        let ray = if self.scale == 1.0 {
            ray
        } else {
            scaled = scaled_ray(ray, self.scale);
            &scaled
        };
        self.isa.run(Walk { bvh: self, ray, faces, start, collector });
    }

    /// Walks the tree along each of the rays with a collector of its own, of which `finish` makes the
    /// answer.
    #[inline(always)]
    pub(crate) fn collect_each<T, C: Collector>(
        &self,
        rays: &[Ray],
        answers: &mut [T],
        faces: Faces,
        start: impl Fn(&Ray) -> C,
        finish: impl Fn(C) -> T,
    ) {
        self.isa.run(Each { bvh: self, rays, answers, faces, start, finish });
    }
}

/// Walks one after the other, for an instruction set that is chosen once for all of them.
struct Each<'a, T, Start, Finish> {
    bvh: &'a MeshBvh,
    rays: &'a [Ray],
    answers: &'a mut [T],
    faces: Faces,
    start: Start,
    finish: Finish,
}

impl<T, C: Collector, Start: Fn(&Ray) -> C, Finish: Fn(C) -> T> Kernel
    for Each<'_, T, Start, Finish>
{
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self { bvh, rays, answers, faces, start, finish } = self;
        for (ray, answer) in rays.iter().zip(answers) {
            let scaled;
            let ray = if bvh.scale == 1.0 {
                ray
            } else {
                scaled = scaled_ray(ray, bvh.scale);
                &scaled
            };
            let mut collector = start(ray);
            // In a function of its own: inlined here, it keeps what it needs of this loop in registers
            // that the walk lacks, and takes 3 to 5 % more time.
            let start = ChildRef::ROOT;
            simd.vectorize(Walk { bvh, ray, faces, start, collector: &mut collector });
            *answer = finish(collector);
        }
    }
}

/// Leaves in one of their forms, as the walk of a ray sees them.
pub(crate) trait LeafTest {
    type Block;

    fn blocks(&self) -> &[Self::Block];

    /// Gives the collector the triangles of the block of that number that the ray hits at a `t` of at
    /// most `limit`, and maybe some behind, until it has enough, which is then the result. Lowers `limit`
    /// to what the collector still has use for.
    fn test_block<S: Simd, C: Collector>(
        &self,
        block: usize,
        ray: &TriangleRay<S>,
        limit: &mut f32,
        collector: &mut C,
    ) -> bool;

    /// [`test_block`](Self::test_block) for the blocks of a leaf.
    #[inline(always)]
    fn test<S: Simd, C: Collector>(
        &self,
        blocks: Range<usize>,
        ray: &TriangleRay<S>,
        limit: &mut f32,
        collector: &mut C,
    ) -> bool {
        for block in blocks {
            if self.test_block(block, ray, limit, collector) {
                return true;
            }
        }
        false
    }
}

impl LeafTest for [TriangleBlock] {
    type Block = TriangleBlock;

    #[inline(always)]
    fn blocks(&self) -> &[TriangleBlock] {
        self
    }

    #[inline(always)]
    fn test_block<S: Simd, C: Collector>(
        &self,
        block: usize,
        ray: &TriangleRay<S>,
        limit: &mut f32,
        collector: &mut C,
    ) -> bool {
        ray.test::<false, C>(&self[block], block, limit, collector)
    }
}

/// Full leaves for rays that need care.
pub(crate) struct Careful<'a>(&'a [TriangleBlock]);

impl LeafTest for Careful<'_> {
    type Block = TriangleBlock;

    #[inline(always)]
    fn blocks(&self) -> &[TriangleBlock] {
        self.0
    }

    #[inline(always)]
    fn test_block<S: Simd, C: Collector>(
        &self,
        block: usize,
        ray: &TriangleRay<S>,
        limit: &mut f32,
        collector: &mut C,
    ) -> bool {
        ray.test::<true, C>(&self.0[block], block, limit, collector)
    }
}

impl LeafTest for IndexedBlocks {
    type Block = IndexedBlock;

    #[inline(always)]
    fn blocks(&self) -> &[IndexedBlock] {
        &self.blocks
    }

    #[inline(always)]
    fn test_block<S: Simd, C: Collector>(
        &self,
        block: usize,
        ray: &TriangleRay<S>,
        limit: &mut f32,
        collector: &mut C,
    ) -> bool {
        ray.test_indexed(block, self, limit, collector)
    }
}

/// Asks for the memory of a node, or of a leaf's first block. Without a branch, which could not be
/// predicted: a node gets the lines behind it as well.
#[inline(always)]
pub(crate) fn prefetch<S: Simd, L: LeafTest + ?Sized>(
    simd: S,
    nodes: &[WideNode],
    leaves: &L,
    child: ChildRef,
) {
    let block = leaves.blocks().as_ptr().wrapping_add(child.blocks().start).cast();
    let node = nodes.as_ptr().wrapping_add(child.node_index()).cast();
    simd.prefetch::<7>(if child.is_leaf() { block } else { node });
}

impl<C: Collector> Kernel for Walk<'_, C> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Some(ray) = QueryRay::new(simd, self.ray, self.bvh.reach) else { return };
        match &self.bvh.leaves {
            Leaves::Full(blocks) if ray.is_plain() => {
                self.walk::<S, _, false>(simd, &ray, &**blocks);
            }
            Leaves::Full(blocks) => self.walk::<S, _, true>(simd, &ray, &Careful(blocks)),
            Leaves::Compact(blocks) => self.walk::<S, _, true>(simd, &ray, blocks),
        }
    }
}

impl<C: Collector> Walk<'_, C> {
    #[inline(always)]
    fn walk<S: Simd, L: LeafTest + ?Sized, const CAREFUL: bool>(
        self,
        simd: S,
        ray: &QueryRay<'_, S>,
        leaves: &L,
    ) {
        let Walk { bvh, faces, start, collector, .. } = self;
        let mut limit = collector.t_max();
        let mut slots = Slots::new();
        let mut descent = Descent::<S, L, CAREFUL> {
            simd,
            nodes: &bvh.nodes,
            leaves,
            boxes: ray.boxes::<CAREFUL>(),
            keys: keys::<S, CAREFUL>(simd, self.ray.t_min),
            stack: Stack::new(&mut slots),
        };
        let Some(mut leaf) = descent.descend::<C>(start, limit) else { return };
        // Not before a leaf is reached: many rays never need it.
        let triangles = ray.triangles(faces);
        loop {
            if leaves.test(leaf.blocks(), &triangles, &mut limit, collector) {
                break;
            }
            let Some(next) = pop_within(&mut descent.stack, limit) else { break };
            let Some(next) = descent.descend::<C>(next, limit) else { break };
            leaf = next;
        }
    }
}

/// The way from leaf to leaf.
struct Descent<'a, S: Simd, L: LeafTest + ?Sized, const CAREFUL: bool> {
    simd: S,
    nodes: &'a [WideNode],
    leaves: &'a L,
    boxes: BoxRay<S, CAREFUL>,
    keys: (S::F, S::F),
    stack: Stack<'a>,
}

impl<S: Simd, L: LeafTest + ?Sized, const CAREFUL: bool> Descent<'_, S, L, CAREFUL> {
    /// The next leaf that the ray enters at a `t` of at most `limit`, from `current` on.
    #[inline(always)]
    fn descend<C: Collector>(&mut self, mut current: ChildRef, limit: f32) -> Option<ChildRef> {
        let t_max = self.simd.splat(limit);
        while !current.is_leaf() {
            let node = &self.nodes[current.node_index()];
            let hits = self.boxes.test(node, t_max);
            let nearest = push_children::<S, C>(self.simd, node, &hits, self.keys, &mut self.stack);
            current = match nearest {
                Some(nearest) => {
                    // The second nearest: the nearest is read at once. To ask for both was no better.
                    if C::ORDERED && hits.mask & (hits.mask - 1) != 0 {
                        self.prefetch_top();
                    }
                    nearest
                }
                None => {
                    let next = pop_within(&mut self.stack, limit)?;
                    if C::ORDERED {
                        self.prefetch_top();
                    }
                    next
                }
            };
        }
        Some(current)
    }

    /// Asks for the memory of what is next on the stack.
    #[inline(always)]
    fn prefetch_top(&self) {
        let next = ChildRef::from_bits(self.stack.last());
        prefetch(self.simd, self.nodes, self.leaves, next);
    }
}

/// Pushes the children that a ray meets, and takes the one to go on with: the nearest, if the
/// collector wants an order, else the first, see [`WideNode`]. `None` if there are no children.
#[inline(always)]
pub(crate) fn push_children<S: Simd, C: Collector>(
    simd: S,
    node: &WideNode,
    hits: &BoxHits<S>,
    keys: (S::F, S::F),
    stack: &mut Stack<'_>,
) -> Option<ChildRef> {
    let mask = hits.mask;
    if mask == 0 {
        return None;
    }
    let first = mask.trailing_zeros() as usize % 8;
    let rest = mask & (mask - 1);
    if !C::ORDERED {
        // The first goes on without the way through the stack, for which the next load would wait, and
        // whether there are others is no branch, as it could not be predicted: 3 to 13 % less time.
        let others = simd.compress(rest, simd.load_bits(&node.children));
        let n = rest.count_ones() as usize;
        stack.push([NEVER_TOO_FAR; 8], simd.all_bits(others), n);
        return Some(predicted_child(node, first));
    }
    if rest == 0 {
        return Some(predicted_child(node, first));
    }
    if rest & (rest - 1) == 0 {
        // Which of two is nearer is predicted, and the walk goes on before it is known: 1 to 5 % less
        // time than to sort them, or to choose without a branch.
        let keys = simd.all_bits(simd.masked_or(hits.enter, keys.0, keys.1));
        let second = rest.trailing_zeros() as usize % 8;
        let (near, far) = if keys[first] < keys[second] {
            // Or the compiler makes it a choice without a branch.
            black_box(());
            (first, second)
        } else {
            (second, first)
        };
        stack.push([keys[far]], [node.children[far]], 1);
        return Some(node.child(near));
    }
    push_hits(simd, hits, keys, simd.load_bits(&node.children), stack);
    Some(ChildRef::from_bits(stack.pop().1))
}

/// The child at a place, by a jump for each place: the processor predicts which, and goes on before it
/// is known. Neighbouring rays go the same way, so it is right most of the time.
#[inline(always)]
fn predicted_child(node: &WideNode, place: usize) -> ChildRef {
    // Or the compiler makes all of them one load, for which the next node would wait.
    macro_rules! child {
        ($place:literal) => {{
            black_box(());
            node.child($place)
        }};
    }
    match place {
        0 => child!(0),
        1 => child!(1),
        2 => child!(2),
        3 => child!(3),
        4 => child!(4),
        5 => child!(5),
        6 => child!(6),
        _ => child!(7),
    }
}

/// Pushes a key for each child that is met, with the value in its lane; the nearest last.
#[inline(always)]
pub(crate) fn push_hits<S: Simd>(
    simd: S,
    hits: &BoxHits<S>,
    (key_mask, key_bits): (S::F, S::F),
    values: S::F,
    stack: &mut Stack<'_>,
) {
    let n = hits.mask.count_ones() as usize;
    let keys = simd.masked_or(hits.enter, key_mask, key_bits);
    let keys = simd.compress(hits.mask, keys);
    if n <= 4 {
        let keys = simd.sort_four_descending(keys);
        let values = simd.permute(values, keys);
        stack.push(simd.first_four(keys), simd.first_four(values), n);
    } else {
        let keys = simd.sort_eight_descending(keys);
        let values = simd.permute(values, keys);
        stack.push(simd.all_bits(keys), simd.all_bits(values), n);
    }
}

/// Takes the first child from the stack that the ray enters at a `t` of at most `limit`.
#[inline(always)]
pub(crate) fn pop_within(stack: &mut Stack<'_>, limit: f32) -> Option<ChildRef> {
    while !stack.is_empty() {
        let (key, child) = stack.pop();
        // Without the place, the key is at most where the ray enters. Not `<=`: NaN is always taken.
        #[expect(clippy::neg_cmp_op_on_partial_ord, reason = "NaN must pass")]
        if !(f32::from_bits(key & !7) > limit) {
            return Some(ChildRef::from_bits(child));
        }
    }
    None
}

/// A key whose child is taken from the stack whatever has been hit.
const NEVER_TOO_FAR: u32 = f32::NAN.to_bits();

/// The key of a child is `(enter & mask) | bits`: where the ray enters the child's box, rounded down to
/// make room for the child's place in the low three bits. Bits of floats that are not negative are
/// ordered as the floats are. If `t_min` is negative, which makes the walk careful, every key is a NaN,
/// which is [`NEVER_TOO_FAR`].
#[inline(always)]
pub(crate) fn keys<S: Simd, const CAREFUL: bool>(simd: S, t_min: f32) -> (S::F, S::F) {
    const PLACES: [u32; 8] = [0, 1, 2, 3, 4, 5, 6, 7];
    if CAREFUL && t_min < 0.0 {
        (simd.splat(0.0), simd.load_bits(&PLACES.map(|place| NEVER_TOO_FAR | place)))
    } else {
        (simd.splat(f32::from_bits(!7)), simd.load_bits(&PLACES))
    }
}

/// Keeps the least hit by `(t, triangle)`.
pub(crate) struct Closest {
    pub(crate) best: Found,
}

impl Closest {
    #[inline(always)]
    pub(crate) fn along(ray: &Ray) -> Self {
        Self { best: Found::nothing_until(ray.t_max) }
    }

    /// The least hit with its weights.
    #[inline(always)]
    pub(crate) fn hit(&self) -> Option<Hit> {
        self.best.is_hit().then(|| self.best.hit())
    }
}

impl Collector for Closest {
    const ORDERED: bool = true;
    const TAKES_ALL_HITS: bool = true;

    #[inline(always)]
    fn t_max(&self) -> f32 {
        self.best.candidate.t
    }

    #[inline(always)]
    fn found(&mut self, hit: &Found, _: &Meeting<'_>) -> bool {
        if hit.is_before(&self.best) {
            self.best = *hit;
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
    const TAKES_ALL_HITS: bool = true;
    const NEEDS_NO_T: bool = true;

    #[inline(always)]
    fn t_max(&self) -> f32 {
        self.t_max
    }

    #[inline(always)]
    fn found(&mut self, _: &Found, _: &Meeting<'_>) -> bool {
        self.found_some()
    }

    #[inline(always)]
    fn found_some(&mut self) -> bool {
        self.any = true;
        true
    }
}

/// Whether a hit counts in this mode.
#[inline(always)]
pub(crate) fn counts(mode: HitMode, hit: &Found, meeting: &Meeting<'_>) -> bool {
    mode == HitMode::Closed || meeting.owns_crossing(&hit.candidate)
}

/// Keeps all hits, in no order.
pub(crate) struct All<'a> {
    pub(crate) t_max: f32,
    pub(crate) mode: HitMode,
    pub(crate) hits: &'a mut Vec<Hit>,
}

impl Collector for All<'_> {
    const ORDERED: bool = false;

    #[inline(always)]
    fn t_max(&self) -> f32 {
        self.t_max
    }

    #[inline(always)]
    fn found(&mut self, hit: &Found, meeting: &Meeting<'_>) -> bool {
        if counts(self.mode, hit, meeting) {
            self.hits.push(hit.hit());
        }
        false
    }
}

/// Counts the crossings of the surface.
pub(crate) struct Crossings {
    pub(crate) t_max: f32,
    pub(crate) n: usize,
}

impl Collector for Crossings {
    const ORDERED: bool = false;

    #[inline(always)]
    fn t_max(&self) -> f32 {
        self.t_max
    }

    #[inline(always)]
    fn found(&mut self, hit: &Found, meeting: &Meeting<'_>) -> bool {
        self.n += usize::from(counts(HitMode::Once, hit, meeting));
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
    fn found(&mut self, hit: &Found, meeting: &Meeting<'_>) -> bool {
        if counts(self.all.mode, hit, meeting) {
            let (hit, hits) = (hit.hit(), &mut *self.all.hits);
            let place = hits.partition_point(|other| other.cmp_along_ray(&hit).is_lt());
            if place < self.n {
                hits.truncate(self.n - 1);
                hits.insert(place, hit);
            }
        }
        false
    }
}
