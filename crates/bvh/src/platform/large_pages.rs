//! Large pages for large trees.
//!
//! A ray through a tree of hundreds of megabytes touches a new page at nearly every step. Pages of 2 MiB
//! save most of the wait for address translation.

use std::mem::MaybeUninit;

use super::fork::for_each_chunk;

/// A vector with capacity for `n` items, in large pages if it is large and the system has them.
pub(crate) fn with_capacity<T>(n: usize) -> Vec<T> {
    let items = Vec::with_capacity(n);
    #[cfg(target_os = "linux")]
    ask_for_large_pages(&items);
    items
}

/// [`with_capacity`], or `None` without memory for it. Nothing is touched.
pub(crate) fn try_with_capacity<T>(n: usize) -> Option<Vec<T>> {
    let mut items = Vec::new();
    items.try_reserve_exact(n).ok()?;
    #[cfg(target_os = "linux")]
    ask_for_large_pages(&items);
    Some(items)
}

/// A copy in large pages likewise.
pub(crate) fn copied<T: Copy>(items: &[T]) -> Vec<T> {
    let mut copy = with_capacity(items.len());
    copy.extend_from_slice(items);
    copy
}

/// Makes room for `n` more items. A full vector grows by an eighth, because a copy of twice its size is too much memory for a tree.
/// The items move to new large pages. Where the system grew the old memory, rays through an edited tree of a million took up to twice
/// the time, because it splits large pages that it moves.
pub(crate) fn make_room<T>(items: &mut Vec<T>, n: usize) {
    if items.capacity() - items.len() < n {
        let mut grown = with_capacity(items.len() + n.max(items.len() / 8));
        grown.append(items);
        *items = grown;
    }
}

/// Appends `n` times `value` in parallel to a vector that has the capacity.
pub(crate) fn append<T: Copy + Send + Sync>(items: &mut Vec<T>, n: usize, value: T) {
    append_each(items, n, CHUNK, |_, slot| slot.write(value));
}

/// The small items that a thread writes at a time.
const CHUNK: usize = 1024;

/// A vector of `f(i)` for `i` in `0..n`, in large pages likewise, in parallel.
pub(crate) fn collect<T: Send>(n: usize, f: impl Fn(usize) -> T + Sync + Send) -> Vec<T> {
    write_each(n, CHUNK, |i, slot| slot.write(f(i)))
}

/// A vector of `n` large items likewise: each starts as `empty()` and is filled where it stays. A thread takes at
/// most `chunk_len` items at a time.
pub(crate) fn collect_in_place<T: Send>(
    n: usize,
    chunk_len: usize,
    empty: impl Fn() -> T + Sync + Send,
    fill: impl Fn(usize, &mut T) + Sync + Send,
) -> Vec<T> {
    write_each(n, chunk_len, |i, slot| {
        let item = slot.write(empty());
        fill(i, item);
        item
    })
}

/// A vector of `n` items. `write` must write the slot that it gets, and returns it.
fn write_each<T: Send>(
    n: usize,
    chunk_len: usize,
    write: impl for<'a> Fn(usize, &'a mut MaybeUninit<T>) -> &'a mut T + Sync + Send,
) -> Vec<T> {
    let mut items = with_capacity(n);
    append_each(&mut items, n, chunk_len, write);
    items
}

/// Appends `n` items to a vector that has the capacity. `write` must write the slot that it gets, and returns it.
fn append_each<T: Send>(
    items: &mut Vec<T>,
    n: usize,
    chunk_len: usize,
    write: impl for<'a> Fn(usize, &'a mut MaybeUninit<T>) -> &'a mut T + Sync + Send,
) {
    for_each_chunk(&mut items.spare_capacity_mut()[..n], chunk_len, |first, slots| {
        for (i, slot) in slots.iter_mut().enumerate() {
            write(first + i, slot);
        }
    });
    // SAFETY: the callers of this module write the slot, and the loop has passed them each of the `n` slots after the
    // items. If one panics, this is not reached.
    unsafe { items.set_len(items.len() + n) };
}

/// `n` zeros, in large pages likewise. New memory is zero, so this touches none of it.
pub(crate) fn zeroed(n: usize) -> Vec<u64> {
    let items = vec![0; n];
    #[cfg(target_os = "linux")]
    ask_for_large_pages(&items);
    items
}

/// Asks the system for large pages for a vector's untouched memory. A hint.
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
    // A system without large pages refuses, which changes nothing.
    // SAFETY: the range lies within the vector's own allocation, and the advice changes neither what
    // the memory holds nor whether it can be used.
    let _ = unsafe { madvise(start as *mut _, end - start, Advice::LinuxHugepage) };
}
