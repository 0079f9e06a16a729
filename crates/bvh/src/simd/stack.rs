//! The traversal stack: fixed, on the machine's stack, and not cleared for every ray.

use std::mem::MaybeUninit;

/// A stack of at most [`Stack::CAPACITY`] entries.
pub(crate) struct Stack<T> {
    entries: [MaybeUninit<T>; 512],
    len: usize,
}

impl<T: Copy> Stack<T> {
    pub(crate) const CAPACITY: usize = 512;

    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self { entries: [const { MaybeUninit::uninit() }; 512], len: 0 }
    }

    /// # Panics
    /// If the stack is full: a bug, because trees are refused that need more.
    #[inline(always)]
    pub(crate) fn push(&mut self, entry: T) {
        self.entries[self.len] = MaybeUninit::new(entry);
        self.len += 1;
    }

    #[inline(always)]
    pub(crate) fn pop(&mut self) -> Option<T> {
        if self.len == 0 {
            return None;
        }
        self.len -= 1;
        // SAFETY: entries below `len` were written by `push`, which alone raises `len`.
        Some(unsafe { self.entries[self.len].assume_init() })
    }

    /// The entries from position `start` on, oldest first.
    #[inline(always)]
    pub(crate) fn above(&mut self, start: usize) -> &mut [T] {
        let len = self.len;
        let entries = &mut self.entries[..len][start..];
        // SAFETY: entries below `len` were written by `push`, which alone raises `len`.
        unsafe { &mut *(std::ptr::from_mut(entries) as *mut [T]) }
    }

    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.len
    }
}
