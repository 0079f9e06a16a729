//! The traversal stack: of fixed size, on the machine's stack, not cleared for every ray.

use std::mem::MaybeUninit;

use super::lanes::LANES;

/// The memory of a [`StackOf`] whose arrays have `SIZE` words.
///
/// A separate type, because the compiler keeps a whole value in memory if an array indexed at run time
/// is part of it. Separate, the rest of a traversal stays in registers.
pub(crate) struct MemoryOf<const SIZE: usize> {
    keys: [MaybeUninit<u32>; SIZE],
    values: [MaybeUninit<u32>; SIZE],
}

/// The words below and above the entries. Those below are the bottom of the stack, so that the topmost
/// [`LANES`] keys are readable at any depth. Those above take the lanes that a push writes in excess.
const MARGINS: usize = 2 * LANES;

/// The memory of a [`Stack`].
pub(crate) type StackMemory = MemoryOf<{ 512 + MARGINS }>;

/// A stack for a tree of any depth.
pub(crate) type Stack<'a> = StackOf<'a, { 512 + MARGINS }>;

/// The memory of a [`ShallowStack`].
pub(crate) type ShallowStackMemory = MemoryOf<{ 256 + MARGINS }>;

/// A stack for a tree of usual depth. It fits a page, so a query need not probe the machine's stack.
pub(crate) type ShallowStack<'a> = StackOf<'a, { 256 + MARGINS }>;

impl<const SIZE: usize> MemoryOf<SIZE> {
    #[inline(always)]
    pub(crate) const fn new() -> Self {
        const NONE: MaybeUninit<u32> = MaybeUninit::uninit();
        let (mut keys, mut values) = ([NONE; SIZE], [NONE; SIZE]);
        let mut index = 0;
        while index < LANES {
            keys[index] = MaybeUninit::new(0);
            index += 1;
        }
        values[LANES - 1] = MaybeUninit::new(BOTTOM);
        Self { keys, values }
    }
}

/// The value of the lowest entry, which nothing pushes. Its key is zero.
pub(crate) const BOTTOM: u32 = u32::MAX;

/// A stack of entries of a key and a value, at most [`CAPACITY`](StackOf::CAPACITY) of them with the
/// lowest, which is always there: the key 0 and the value [`BOTTOM`].
///
/// It does not check its capacity, because no build makes a tree that needs more. Should one exist all
/// the same, indices wrap, and the traversal visits wrong nodes rather than foreign memory.
pub(crate) struct StackOf<'a, const SIZE: usize> {
    memory: &'a mut MemoryOf<SIZE>,
    len: usize,
}

impl<'a, const SIZE: usize> StackOf<'a, SIZE> {
    /// A power of two.
    pub(crate) const CAPACITY: usize = SIZE - MARGINS;
    /// The index of the lowest entry.
    const LOWEST: usize = LANES - 1;

    /// An empty stack.
    #[inline(always)]
    pub(crate) fn new(memory: &'a mut MemoryOf<SIZE>) -> Self {
        const { assert!(Self::CAPACITY.is_power_of_two()) };
        Self { memory, len: 1 }
    }

    /// The index of the entry at a height.
    #[inline(always)]
    fn index(height: usize) -> usize {
        Self::LOWEST + height % Self::CAPACITY
    }

    /// Pushes the first `n` of `N` entries, the first one lowest.
    #[inline(always)]
    pub(crate) fn push<const N: usize>(&mut self, keys: [u32; N], values: [u32; N], n: usize) {
        const { assert!(N <= LANES) };
        debug_assert!(n <= N && self.len + n <= Self::CAPACITY);
        let top = Self::index(self.len);
        self.memory.keys[top..top + N].copy_from_slice(&keys.map(MaybeUninit::new));
        self.memory.values[top..top + N].copy_from_slice(&values.map(MaybeUninit::new));
        self.len += n;
    }

    /// [`push`](Self::push) without keys, for a query that pops by [`pop_value`](Self::pop_value) alone.
    #[inline(always)]
    pub(crate) fn push_values(&mut self, values: [u32; LANES], n: usize) {
        debug_assert!(n <= LANES && self.len + n <= Self::CAPACITY);
        let top = Self::index(self.len);
        self.memory.values[top..top + LANES].copy_from_slice(&values.map(MaybeUninit::new));
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

    /// The value of the last entry pushed, or [`BOTTOM`].
    #[inline(always)]
    pub(crate) fn last(&self) -> u32 {
        // SAFETY: as in `pop_value`.
        unsafe { self.memory.values[Self::index(self.len - 1)].assume_init() }
    }

    /// Pops the last entry. An empty stack returns the lowest entry, once.
    #[inline(always)]
    pub(crate) fn pop(&mut self) -> (u32, u32) {
        let value = self.pop_value();
        // SAFETY: as in `pop_value`.
        let key = unsafe { self.memory.keys[Self::index(self.len)].assume_init() };
        (key, value)
    }

    /// Pops the last entry without its key. An empty stack returns [`BOTTOM`], once.
    #[inline(always)]
    pub(crate) fn pop_value(&mut self) -> u32 {
        self.len -= 1;
        // SAFETY: `MemoryOf::new` writes the lowest entry, and every other one below `len`, modulo the
        // capacity, by `push` and `push_values`, which alone raise `len`.
        unsafe { self.memory.values[Self::index(self.len)].assume_init() }
    }

    /// The keys of the topmost [`LANES`] entries, the last one pushed last. Zeros stand below the lowest.
    #[inline(always)]
    pub(crate) fn top_keys(&self) -> [u32; LANES] {
        let above = Self::index(self.len - 1) + 1;
        let keys = &self.memory.keys[above - LANES..above];
        // SAFETY: these are `LANES` words. They are written as in `pop_value`, and `MemoryOf::new` writes
        // those below the lowest entry.
        unsafe { keys.as_ptr().cast::<[u32; LANES]>().read() }
    }

    /// Drops the last `n` entries; the lowest one stays.
    #[inline(always)]
    pub(crate) fn drop_last(&mut self, n: usize) {
        debug_assert!(n < self.len);
        self.len -= n;
    }
}
