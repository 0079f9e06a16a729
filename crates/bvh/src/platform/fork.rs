//! Fork and join: every parallel loop ends in one call of `rayon::join` on trait objects.
//!
//! rayon's iterators, compiled again for each of 24 loops, were a quarter of the code of this crate. A call
//! through a pointer per chunk costs nothing beside the work of a chunk.

use std::cell::Cell;

thread_local! {
    /// Whether this thread is within [`alone`].
    static ALONE: Cell<bool> = const { Cell::new(false) };
}

/// Runs `f` without other threads.
///
/// For work within an edit: its caller may hold a lock that a job of the pool waits for, and this thread would take up
/// that job while it waits for a part of its own. A forked child has the pool of its parent, but not its threads.
pub(crate) fn alone<T>(f: impl FnOnce() -> T) -> T {
    struct Restored(bool);
    impl Drop for Restored {
        fn drop(&mut self) {
            ALONE.set(self.0);
        }
    }
    let _restored = Restored(ALONE.replace(true));
    f()
}

/// Runs both, in parallel if `parallel` is on.
pub(crate) fn join<A: Send, B: Send>(
    a: impl FnOnce() -> A + Send,
    b: impl FnOnce() -> B + Send,
) -> (A, B) {
    let (mut a, mut b) = (Some(a), Some(b));
    let (mut of_a, mut of_b) = (None, None);
    run_both(&mut || of_a = a.take().map(|a| a()), &mut || of_b = b.take().map(|b| b()));
    let ran = "`run_both` calls each function once";
    (of_a.expect(ran), of_b.expect(ran))
}

/// Calls each function once.
fn run_both(a: &mut (dyn FnMut() + Send), b: &mut (dyn FnMut() + Send)) {
    #[cfg(feature = "parallel")]
    if !ALONE.get() {
        rayon::join(a, b);
        return;
    }
    a();
    b();
}

/// The number of threads that work is spread over.
pub(crate) fn n_threads() -> usize {
    #[cfg(feature = "parallel")]
    if !ALONE.get() {
        return rayon::current_num_threads();
    }
    1
}

/// `f(first, chunk)` for chunks of at most `chunk_len` items of `items`; `first` is the index of the
/// chunk's first item.
pub(crate) fn for_each_chunk<T: Send>(
    items: &mut [T],
    chunk_len: usize,
    f: impl Fn(usize, &mut [T]) + Sync + Send,
) {
    if !items.is_empty() {
        halve(items, 0, chunk_len, &f);
    }
}

/// Halves the items at the end of a chunk until one chunk is left. A thread without work takes the larger
/// halves first.
fn halve<T: Send>(
    items: &mut [T],
    first: usize,
    chunk_len: usize,
    f: &(dyn Fn(usize, &mut [T]) + Sync),
) {
    if items.len() <= chunk_len {
        return f(first, items);
    }
    let n_left = items.len().div_ceil(chunk_len) / 2 * chunk_len;
    let (left, right) = items.split_at_mut(n_left);
    run_both(&mut || halve(left, first, chunk_len, f), &mut || {
        halve(right, first + n_left, chunk_len, f);
    });
}
