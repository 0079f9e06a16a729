//! Large pages for large trees.
//!
//! A ray through a tree of hundreds of megabytes touches a new page at nearly every step. Where the
//! system gives pages of 2 MiB on request, the translation of addresses stops being what it waits for.

/// A vector with room for `n` items, in large pages if it is large and the system has them.
pub(crate) fn with_capacity<T>(n: usize) -> Vec<T> {
    let items = Vec::with_capacity(n);
    #[cfg(target_os = "linux")]
    ask_for_large_pages(&items);
    items
}

/// `n` zeros, in large pages likewise. Memory that the system gives is zero, and not touched before.
pub(crate) fn zeroed(n: usize) -> Vec<u64> {
    let items = vec![0; n];
    #[cfg(target_os = "linux")]
    ask_for_large_pages(&items);
    items
}

/// Tells the system that the vector's memory, not touched yet, should be in large pages. Only a wish.
#[cfg(target_os = "linux")]
fn ask_for_large_pages<T>(items: &Vec<T>) {
    use rustix::mm::{Advice, madvise};
    const LARGE_PAGE: usize = 2 << 20;
    const PAGE: usize = 4096;
    let start = items.as_ptr() as usize;
    let end = start + items.capacity() * size_of::<T>();
    let (start, end) = (start.next_multiple_of(PAGE), end / PAGE * PAGE);
    if end.saturating_sub(start) < 2 * LARGE_PAGE {
        return;
    }
    // A system without large pages refuses, and all is as it would have been.
    // SAFETY: the range lies within the vector's own allocation, and the advice changes neither what
    // the memory holds nor whether it can be used.
    let _ = unsafe { madvise(start as *mut _, end - start, Advice::LinuxHugepage) };
}
