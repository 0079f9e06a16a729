//! Parallel loops, over rayon or without it.
//!
//! Chunks depend on the size of the work, never on the number of threads, so results do not either.

/// Runs both, in parallel if `parallel` is on.
pub(crate) fn join<A: Send, B: Send>(
    a: impl FnOnce() -> A + Send,
    b: impl FnOnce() -> B + Send,
) -> (A, B) {
    #[cfg(feature = "parallel")]
    return rayon::join(a, b);
    #[cfg(not(feature = "parallel"))]
    (a(), b())
}

/// `f(chunk)` for each chunk of at most `chunk_len` items of `0..n`, in order.
pub(crate) fn map_chunks<T: Send>(
    n: usize,
    chunk_len: usize,
    f: impl Fn(std::ops::Range<usize>) -> T + Sync + Send,
) -> Vec<T> {
    let range = |chunk: usize| chunk * chunk_len..((chunk + 1) * chunk_len).min(n);
    let n_chunks = n.div_ceil(chunk_len);
    #[cfg(feature = "parallel")]
    {
        use rayon::prelude::*;
        (0..n_chunks).into_par_iter().map(|chunk| f(range(chunk))).collect()
    }
    #[cfg(not(feature = "parallel"))]
    (0..n_chunks).map(|chunk| f(range(chunk))).collect()
}

/// A vector of `f(i)` for `i` in `0..n`, in large pages where the system has them.
pub(crate) fn collect<T: Send>(n: usize, f: impl Fn(usize) -> T + Sync + Send) -> Vec<T> {
    #[cfg(feature = "parallel")]
    {
        use rayon::prelude::*;
        let mut items = crate::platform::large_pages::with_capacity(n);
        (0..n).into_par_iter().with_min_len(1024).map(f).collect_into_vec(&mut items);
        items
    }
    #[cfg(not(feature = "parallel"))]
    {
        let mut items = crate::platform::large_pages::with_capacity(n);
        items.extend((0..n).map(f));
        items
    }
}

/// The number of threads that work is spread over.
pub(crate) fn n_threads() -> usize {
    #[cfg(feature = "parallel")]
    return rayon::current_num_threads();
    #[cfg(not(feature = "parallel"))]
    1
}

/// `f(first, chunk)` for chunks of at most `chunk_len` items of `items`; `first` is the index of the
/// chunk's first item.
pub(crate) fn for_each_chunk<T: Send>(
    items: &mut [T],
    chunk_len: usize,
    f: impl Fn(usize, &mut [T]) + Sync + Send,
) {
    #[cfg(feature = "parallel")]
    {
        use rayon::prelude::*;
        items
            .par_chunks_mut(chunk_len)
            .enumerate()
            .for_each(|(chunk, items)| f(chunk * chunk_len, items));
    }
    #[cfg(not(feature = "parallel"))]
    for (chunk, items) in items.chunks_mut(chunk_len).enumerate() {
        f(chunk * chunk_len, items);
    }
}
