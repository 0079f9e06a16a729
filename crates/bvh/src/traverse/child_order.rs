//! The order of children: which child is next, and the keys on the stack that tell when a child is too
//! far.

use std::hint::black_box;

use super::coherence::DescentPolicy;
use crate::{
    kernel::{BoxHits, HitSink, RayMode},
    layout::{ChildRef, TriangleBlock, WideNode},
    simd::{CACHE_LINE, LANES, ORDER_BITS, Simd, StackOf, predicted},
    widths::NODE_WIDTH,
};

/// Pushes the children that a ray meets and returns the one to continue with. That is the nearest if the
/// sink is ordered, else the child of the first slot. `None` if the ray meets no child.
#[inline(always)]
pub(crate) fn push_children<S: Simd, H: HitSink, P: DescentPolicy, const SIZE: usize>(
    simd: S,
    node: &WideNode,
    hits: &BoxHits<S>,
    keys: KeyCodec<S>,
    stack: &mut StackOf<'_, SIZE>,
) -> Option<ChildRef> {
    let mask = hits.mask;
    // Without branches where `compress` is cheap: 8 to 12 % less time for incoherent rays with AVX-512, 3 to 10 %
    // with AVX2 on a Zen 3.
    let is_flat = S::COMPRESSES && !P::COHERENT_ORIGINS;
    if mask == 0 {
        return None;
    }
    let rest = mask & (mask - 1);
    if !H::ORDERED {
        // Continues with the first child directly, because a round trip through the stack would delay
        // the next load. The other pushes are branch-free, because the branch is unpredictable. Both
        // together take 3 to 13 % less time.
        let others = simd.move_to_front(rest, simd.load_bits(&node.children));
        let n = rest.count_ones() as usize;
        stack.push_values(simd.to_bits(others), n);
        return Some(child(P::COHERENT_DIRECTIONS, node, mask));
    }
    if rest == 0 && !is_flat {
        return Some(child(P::COHERENT_ORIGINS, node, mask));
    }
    if !P::COHERENT_ORIGINS && !is_flat && rest & (rest - 1) == 0 {
        // The processor predicts which of two children is nearer and continues before it is known. That
        // takes 1 to 5 % less time than a sort or a branch-free choice.
        let enter = simd.to_bits(hits.enter);
        let first = mask.trailing_zeros() as usize % NODE_WIDTH;
        let second = rest.trailing_zeros() as usize % NODE_WIDTH;
        // As `least_lane` compares, so that no instruction set visits other nodes.
        let (near, far) = if enter[first] >> ORDER_BITS <= enter[second] >> ORDER_BITS {
            // Keeps the compiler from making this a branch-free choice.
            black_box(());
            (first, second)
        } else {
            (second, first)
        };
        stack.push([keys.of(enter[far], far)], [node.children[far]], 1);
        return Some(node.child(near));
    }
    let nearest = simd.least_lane(hits.lanes, hits.enter);
    let only_nearest = 1 << nearest;
    let nearest_child = child(P::COHERENT_DIRECTIONS, node, only_nearest);
    let rest = mask & !only_nearest;
    if P::COHERENT_DIRECTIONS && rest & (rest - 1) == 0 {
        let far = rest.trailing_zeros() as usize % NODE_WIDTH;
        let enter = simd.to_bits(hits.enter);
        stack.push([keys.of(enter[far], far)], [node.children[far]], 1);
    } else {
        push_lanes(simd, rest, hits.enter, keys, simd.load_bits(&node.children), stack);
    }
    Some(nearest_child)
}

/// The child in the first slot of `mask`, which has at least one, predicted or loaded.
#[inline(always)]
fn child(predict: bool, node: &WideNode, mask: u32) -> ChildRef {
    if predict {
        ChildRef::from_bits(predicted(&node.children, mask))
    } else {
        node.child(mask.trailing_zeros() as usize % NODE_WIDTH)
    }
}

/// Pushes a key for each child that the ray meets, with the value in its lane; the nearest last.
#[inline(always)]
pub(super) fn push_hits<S: Simd, const SIZE: usize>(
    simd: S,
    hits: &BoxHits<S>,
    keys: KeyCodec<S>,
    values: S::F,
    stack: &mut StackOf<'_, SIZE>,
) {
    push_lanes(simd, hits.mask, hits.enter, keys, values, stack);
}

/// [`push_hits`] of the lanes of a mask.
#[inline(always)]
fn push_lanes<S: Simd, const SIZE: usize>(
    simd: S,
    mask: u32,
    enter: S::F,
    keys: KeyCodec<S>,
    values: S::F,
    stack: &mut StackOf<'_, SIZE>,
) {
    let n = mask.count_ones() as usize;
    let keys = simd.compress_keys(mask, enter, keys.lanes);
    if n <= 4 {
        let keys = simd.sort_four_descending(keys);
        let values = simd.permute(values, keys);
        stack.push(simd.to_bits_low(keys), simd.to_bits_low(values), n);
    } else {
        let keys = simd.sort_eight_descending(keys);
        let values = simd.permute(values, keys);
        stack.push(simd.to_bits(keys), simd.to_bits(values), n);
    }
}

/// Pops the first child that the ray enters at a `t` of at most `limit`, or [`ChildRef::END`].
#[inline(always)]
pub(crate) fn pop_within<const SIZE: usize>(stack: &mut StackOf<'_, SIZE>, limit: f32) -> ChildRef {
    let last_key = last_key(limit);
    loop {
        let (key, child) = stack.pop();
        if key <= last_key {
            return ChildRef::from_bits(child);
        }
    }
}

/// [`pop_within`] on the fast path after a hit, which makes many entries too far: one comparison finds the
/// first of eight that is not.
#[inline(always)]
pub(crate) fn cut_and_pop<S: Simd, const SIZE: usize>(
    simd: S,
    stack: &mut StackOf<'_, SIZE>,
    limit: f32,
) -> ChildRef {
    let last_key = simd.splat(f32::from_bits(last_key(limit)));
    loop {
        // Neither keys nor the limit of the fast path are negative or NaN, so they compare as floats.
        let within = simd.movemask(simd.le(simd.load_bits(&stack.top_keys()), last_key));
        if within != 0 {
            stack.drop_last((LANES - 1) - within.ilog2() as usize);
            return ChildRef::from_bits(stack.pop_value());
        }
        stack.drop_last(LANES);
    }
}

/// The largest key within a limit. If that is negative, every key is.
#[inline(always)]
fn last_key(limit: f32) -> u32 {
    limit.to_bits() | SLOT_BITS
}

/// The bits of a key that hold the slot of its child.
const SLOT_BITS: u32 = NODE_WIDTH as u32 - 1;

/// How keys on the stack are encoded: `(enter & mask) | slot`.
///
/// A key is the `t` at which the ray enters the child's box, rounded down to make room for the child's
/// slot in the low bits. Bits of non-negative floats are ordered as the floats are. A negative `t_min`
/// takes the robust path; then a key is the slot alone, which is never too far.
pub(crate) struct KeyCodec<S: Simd> {
    mask: u32,
    /// The mask in all lanes.
    lanes: S::F,
}

impl<S: Simd> Clone for KeyCodec<S> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: Simd> Copy for KeyCodec<S> {}

impl<S: Simd> KeyCodec<S> {
    /// Unless the mode is robust, the ray must not have a negative `t_min`.
    #[inline(always)]
    pub(crate) fn new<M: RayMode>(simd: S, t_min: f32) -> Self {
        // Also for -0.0, from which a key would come out as the largest.
        let mask = if M::ROBUST && t_min.is_sign_negative() { 0 } else { !SLOT_BITS };
        Self { mask, lanes: simd.splat(f32::from_bits(mask)) }
    }

    /// The key of the child in a slot, from the bits of the `t` at which the ray enters it.
    #[inline(always)]
    fn of(self, enter: u32, slot: usize) -> u32 {
        enter & self.mask | slot as u32
    }
}

/// The slot of a key's child.
#[inline(always)]
pub(super) fn slot_of(key: u32) -> usize {
    key as usize % NODE_WIDTH
}

/// Prefetches a node, or the first block of a leaf. It does not branch, because no branch could be predicted. A full block
/// has more lines than a node. For a node the first lines stand for the lines beyond: other lines would keep the core
/// waiting for memory that it does not need. Interleaved rays then take 2 to 8 % more time (terrain of four million).
#[inline(always)]
pub(crate) fn prefetch<S: Simd, B>(simd: S, nodes: &[WideNode], blocks: &[B], child: ChildRef) {
    let block = blocks.as_ptr().wrapping_add(child.blocks().start).cast();
    let node = nodes.as_ptr().wrapping_add(child.node_index()).cast();
    let (first, rest): (*const u8, usize) =
        if child.is_leaf() { (block, NODE_LINES) } else { (node, 0) };
    simd.prefetch::<NODE_LINES>(first);
    if size_of::<B>() > size_of::<WideNode>() {
        simd.prefetch::<OTHER_LINES>(first.wrapping_add(CACHE_LINE * rest));
    }
}

/// The cache lines of a node, and those of a full block beyond as many.
const NODE_LINES: usize = size_of::<WideNode>() / CACHE_LINE;
const OTHER_LINES: usize = size_of::<TriangleBlock>().div_ceil(CACHE_LINE) - NODE_LINES;
