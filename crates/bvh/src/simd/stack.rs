//! The traversal stack: fixed, on the machine's stack, and not cleared for every ray.

use std::mem::MaybeUninit;

/// The memory of a [`Stack`]. On its own, so that the compiler keeps what else belongs to a walk in
/// registers: it would keep all of a value in memory that an array indexed at run time is part of.
pub(crate) struct Slots {
    keys: [MaybeUninit<u32>; Stack::CAPACITY + 8],
    values: [MaybeUninit<u32>; Stack::CAPACITY + 8],
}

impl Slots {
    #[inline(always)]
    pub(crate) const fn new() -> Self {
        const NONE: MaybeUninit<u32> = MaybeUninit::uninit();
        let mut keys = [NONE; Stack::CAPACITY + 8];
        let mut values = keys;
        // The lowest entry is never pushed but may be popped, see `Stack::pop`.
        keys[0] = MaybeUninit::new(0);
        values[0] = MaybeUninit::new(0);
        Self { keys, values }
    }
}

/// A stack of at most [`CAPACITY`](Stack::CAPACITY) entries of a key and a value.
///
/// It does not check for room: trees that need more are never made. Should one be walked all the
/// same, the place wraps round, and the walk visits wrong nodes rather than foreign memory.
pub(crate) struct Stack<'a> {
    slots: &'a mut Slots,
    len: usize,
}

impl<'a> Stack<'a> {
    /// A power of two.
    pub(crate) const CAPACITY: usize = 512;

    /// An empty stack.
    #[inline(always)]
    pub(crate) fn new(slots: &'a mut Slots) -> Self {
        Self { slots, len: 1 }
    }

    #[inline(always)]
    fn top(&self) -> usize {
        self.len % Self::CAPACITY
    }

    /// Pushes the first `n` of up to `N` entries, the first one lowest.
    #[inline(always)]
    pub(crate) fn push<const N: usize>(&mut self, keys: [u32; N], values: [u32; N], n: usize) {
        const { assert!(N <= 8) };
        debug_assert!(n <= N && self.len + n <= Self::CAPACITY);
        let top = self.top();
        self.slots.keys[top..top + N].copy_from_slice(&keys.map(MaybeUninit::new));
        self.slots.values[top..top + N].copy_from_slice(&values.map(MaybeUninit::new));
        self.len += n;
    }

    #[inline(always)]
    pub(crate) fn clear(&mut self) {
        self.len = 1;
    }

    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.len == 1
    }

    /// The value of the last entry pushed.
    #[inline(always)]
    pub(crate) fn last(&self) -> u32 {
        // SAFETY: as in `pop`.
        unsafe { self.slots.values[(self.len - 1) % Self::CAPACITY].assume_init() }
    }

    /// The last entry pushed. Of an empty stack the entry (0, 0), once.
    #[inline(always)]
    pub(crate) fn pop(&mut self) -> (u32, u32) {
        self.len -= 1;
        let top = self.top();
        // SAFETY: the lowest entry is written by `Slots::new`, and every other one below `len`, modulo
        // the capacity, by `push`, which alone raises `len`.
        unsafe { (self.slots.keys[top].assume_init(), self.slots.values[top].assume_init()) }
    }
}
