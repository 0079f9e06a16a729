//! The order of children: which child is next, and the keys on the stack that tell when a child is too
//! far.

use std::hint::black_box;

use crate::{
    kernel::{BoxHits, HitSink, LeafTest},
    layout::{ChildRef, TriangleBlock, WideNode},
    simd::{Simd, Stack},
    widths::NODE_WIDTH,
};

/// Pushes the children that a ray meets and returns the one to continue with. That is the nearest if the
/// sink is ordered, else the child of the first slot. `None` if the ray meets no child.
#[inline(always)]
pub(super) fn push_children<S: Simd, H: HitSink>(
    simd: S,
    node: &WideNode,
    hits: &BoxHits<S>,
    keys: KeyCodec<S>,
    stack: &mut Stack<'_>,
) -> Option<ChildRef> {
    let mask = hits.mask;
    if mask == 0 {
        return None;
    }
    let first = mask.trailing_zeros() as usize % NODE_WIDTH;
    let rest = mask & (mask - 1);
    if !H::ORDERED {
        // Continues with the first child directly, because a round trip through the stack would delay
        // the next load. The other pushes are branch-free, because the branch is unpredictable. Both
        // together take 3 to 13 % less time.
        let others = simd.compress(rest, simd.load_bits(&node.children));
        let n = rest.count_ones() as usize;
        stack.push([NEVER_TOO_FAR; NODE_WIDTH], simd.to_bits(others), n);
        return Some(predicted_child(node, first));
    }
    if rest == 0 {
        return Some(predicted_child(node, first));
    }
    if rest & (rest - 1) == 0 {
        // The processor predicts which of two children is nearer and continues before it is known. That
        // takes 1 to 5 % less time than a sort or a branch-free choice.
        let keys = simd.to_bits(keys.encode(simd, hits.enter));
        let second = rest.trailing_zeros() as usize % NODE_WIDTH;
        let (near, far) = if keys[first] < keys[second] {
            // Keeps the compiler from making this a branch-free choice.
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

/// The child in a slot, by a jump for each slot. The processor predicts the slot and continues before it
/// is known. Neighbouring rays go the same way, so the prediction is mostly right.
#[inline(always)]
fn predicted_child(node: &WideNode, slot: usize) -> ChildRef {
    const { assert!(NODE_WIDTH == 8, "a jump for each slot") };
    // Keeps the compiler from making all of them one load, which would delay the next node.
    macro_rules! child {
        ($slot:literal) => {{
            black_box(());
            node.child($slot)
        }};
    }
    match slot {
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

/// Pushes a key for each child that the ray meets, with the value in its lane; the nearest last.
#[inline(always)]
pub(super) fn push_hits<S: Simd>(
    simd: S,
    hits: &BoxHits<S>,
    keys: KeyCodec<S>,
    values: S::F,
    stack: &mut Stack<'_>,
) {
    let n = hits.mask.count_ones() as usize;
    let keys = keys.encode(simd, hits.enter);
    let keys = simd.compress(hits.mask, keys);
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

/// Pops the first child that the ray enters at a `t` of at most `limit`.
#[inline(always)]
pub(super) fn pop_within(stack: &mut Stack<'_>, limit: f32) -> Option<ChildRef> {
    while !stack.is_empty() {
        let (key, child) = stack.pop();
        // Not `<=`, because a NaN is never too far.
        #[expect(clippy::neg_cmp_op_on_partial_ord, reason = "NaN must pass")]
        if !(lower_bound(key) > limit) {
            return Some(ChildRef::from_bits(child));
        }
    }
    None
}

/// The bits of a key that hold the slot of its child.
const SLOT_BITS: u32 = NODE_WIDTH as u32 - 1;

/// The key of a child that no hit makes too far.
const NEVER_TOO_FAR: u32 = f32::NAN.to_bits();

/// How keys on the stack are encoded: `(enter & mask) | bits`.
///
/// A key is the `t` at which the ray enters the child's box, rounded down to make room for the child's
/// slot in the low bits. Bits of non-negative floats are ordered as the floats are. A negative `t_min`
/// takes the robust path; then every key is a NaN, which is [`NEVER_TOO_FAR`].
pub(super) struct KeyCodec<S: Simd> {
    mask: S::F,
    bits: S::F,
}

impl<S: Simd> Clone for KeyCodec<S> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: Simd> Copy for KeyCodec<S> {}

impl<S: Simd> KeyCodec<S> {
    /// Without `ROBUST` the ray must not have a negative `t_min`.
    #[inline(always)]
    pub(super) fn new<const ROBUST: bool>(simd: S, t_min: f32) -> Self {
        const SLOTS: [u32; NODE_WIDTH] = {
            let mut slots = [0; NODE_WIDTH];
            let mut slot = 0;
            while slot < NODE_WIDTH {
                slots[slot] = slot as u32;
                slot += 1;
            }
            slots
        };
        if ROBUST && t_min < 0.0 {
            let bits = simd.load_bits(&SLOTS.map(|slot| NEVER_TOO_FAR | slot));
            Self { mask: simd.splat(0.0), bits }
        } else {
            Self { mask: simd.splat(f32::from_bits(!SLOT_BITS)), bits: simd.load_bits(&SLOTS) }
        }
    }

    #[inline(always)]
    fn encode(self, simd: S, enter: S::F) -> S::F {
        simd.and_or(enter, self.mask, self.bits)
    }
}

/// The slot of a key's child.
#[inline(always)]
pub(super) fn slot_of(key: u32) -> usize {
    key as usize % NODE_WIDTH
}

/// The `t` of a key: at most the `t` at which the ray enters the box.
#[inline(always)]
fn lower_bound(key: u32) -> f32 {
    f32::from_bits(key & !SLOT_BITS)
}

/// Prefetches a node, or the first block of a leaf. A branch could not be predicted, so there is none,
/// and a node gets the lines behind it as well.
#[inline(always)]
pub(super) fn prefetch<S: Simd, L: LeafTest + ?Sized>(
    simd: S,
    nodes: &[WideNode],
    leaves: &L,
    child: ChildRef,
) {
    let block = leaves.blocks().as_ptr().wrapping_add(child.blocks().start).cast();
    let node = nodes.as_ptr().wrapping_add(child.node_index()).cast();
    simd.prefetch::<BLOCK_LINES>(if child.is_leaf() { block } else { node });
}

/// The cache lines of a full block.
const BLOCK_LINES: usize = size_of::<TriangleBlock>().div_ceil(64);
