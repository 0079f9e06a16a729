//! A counting allocator: the bytes that engines written in Rust keep, and their peak.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The system's allocator, counting.
pub(crate) struct Counting;

static METER: Meter = Meter::new();

/// The kept bytes and the peak of one piece of work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    /// Bytes still allocated after it.
    pub(crate) kept: usize,
    /// The maximum number of bytes during it.
    pub(crate) peak: usize,
}

/// Runs `work` and returns its allocations. Nothing else may allocate much at the same time.
pub(crate) fn measured<T>(work: impl FnOnce() -> T) -> (T, Usage) {
    METER.measured(work)
}

struct Meter {
    held: AtomicUsize,
    peak: AtomicUsize,
}

impl Meter {
    const fn new() -> Self {
        Self { held: AtomicUsize::new(0), peak: AtomicUsize::new(0) }
    }

    fn took(&self, size: usize) {
        let held = self.held.fetch_add(size, Relaxed) + size;
        self.peak.fetch_max(held, Relaxed);
    }

    fn gave_back(&self, size: usize) {
        self.held.fetch_sub(size, Relaxed);
    }

    fn measured<T>(&self, work: impl FnOnce() -> T) -> (T, Usage) {
        let before = self.held.load(Relaxed);
        self.peak.store(before, Relaxed);
        let result = work();
        let kept = self.held.load(Relaxed).saturating_sub(before);
        (result, Usage { kept, peak: self.peak.load(Relaxed).saturating_sub(before) })
    }
}

// SAFETY: every call is handed on to the system's allocator with its arguments unchanged; counting
// does not allocate.
#[allow(unsafe_code, reason = "an allocator cannot be had without")]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        METER.took(layout.size());
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        METER.took(layout.size());
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        METER.gave_back(layout.size());
        // SAFETY: the caller keeps the contract of `dealloc`; the block came from `System`.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        METER.took(new_size);
        METER.gave_back(layout.size());
        // SAFETY: the caller keeps the contract of `realloc`; the block came from `System`.
        unsafe { System.realloc(block, layout, new_size) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_given_back_counts_for_the_peak_only() {
        let meter = Meter::new();
        meter.took(1000);
        let ((), usage) = meter.measured(|| {
            meter.took(500);
            meter.gave_back(500);
            meter.took(200);
        });
        assert_eq!(usage, Usage { kept: 200, peak: 500 });
    }

    #[test]
    fn the_allocator_is_the_one_that_counts() {
        // Other tests allocate at the same time, but less.
        const SIZE: usize = 256 << 20;
        let (block, usage) = measured(|| vec![1u8; SIZE]);
        assert!(block.len() == SIZE && usage.peak >= SIZE / 2, "{usage:?}");
    }
}
