//! The traversal stack: of fixed size, on the machine's stack, not cleared for every ray.

use std::mem::MaybeUninit;

use super::lanes::LANES;

/// The memory of a [`Stack`].
///
/// A separate type, because the compiler keeps a whole value in memory if an array indexed at run time
/// is part of it. Separate, the rest of a traversal stays in registers.
pub(crate) struct StackMemory {
    keys: [MaybeUninit<u32>; Stack::CAPACITY + LANES],
    values: [MaybeUninit<u32>; Stack::CAPACITY + LANES],
}

impl StackMemory {
    #[inline(always)]
    pub(crate) const fn new() -> Self {
        const NONE: MaybeUninit<u32> = MaybeUninit::uninit();
        let mut keys = [NONE; Stack::CAPACITY + LANES];
        let mut values = keys;
        // Nothing pushes the lowest entry, but `Stack::pop` may return it.
        keys[0] = MaybeUninit::new(0);
        values[0] = MaybeUninit::new(0);
        Self { keys, values }
    }
}

/// A stack of at most [`CAPACITY`](Stack::CAPACITY) entries of a key and a value.
///
/// It does not check its capacity, because no build makes a tree that needs more. Should one exist all
/// the same, indices wrap, and the traversal visits wrong nodes rather than foreign memory.
pub(crate) struct Stack<'a> {
    memory: &'a mut StackMemory,
    len: usize,
}

impl<'a> Stack<'a> {
    /// A power of two.
    pub(crate) const CAPACITY: usize = 512;

    /// An empty stack.
    #[inline(always)]
    pub(crate) fn new(memory: &'a mut StackMemory) -> Self {
        Self { memory, len: 1 }
    }

    #[inline(always)]
    fn top(&self) -> usize {
        self.len % Self::CAPACITY
    }

    /// Pushes the first `n` of `N` entries, the first one lowest.
    #[inline(always)]
    pub(crate) fn push<const N: usize>(&mut self, keys: [u32; N], values: [u32; N], n: usize) {
        const { assert!(N <= LANES) };
        debug_assert!(n <= N && self.len + n <= Self::CAPACITY);
        let top = self.top();
        self.memory.keys[top..top + N].copy_from_slice(&keys.map(MaybeUninit::new));
        self.memory.values[top..top + N].copy_from_slice(&values.map(MaybeUninit::new));
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
        unsafe { self.memory.values[(self.len - 1) % Self::CAPACITY].assume_init() }
    }

    /// Pops the last entry. An empty stack returns (0, 0), once.
    #[inline(always)]
    pub(crate) fn pop(&mut self) -> (u32, u32) {
        self.len -= 1;
        let top = self.top();
        // SAFETY: the lowest entry is written by `StackMemory::new`, and every other one below `len`, modulo
        // the capacity, by `push`, which alone raises `len`.
        unsafe { (self.memory.keys[top].assume_init(), self.memory.values[top].assume_init()) }
    }
}
