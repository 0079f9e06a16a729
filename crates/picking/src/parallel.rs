//! Parallel loops, over rayon or without it. The number of threads never changes a result.

/// `f` of each item, in order.
pub(crate) fn map<T: Sync, R: Send>(items: &[T], f: impl Fn(&T) -> R + Sync + Send) -> Vec<R> {
    #[cfg(feature = "parallel")]
    {
        use rayon::prelude::*;
        items.par_iter().map(f).collect()
    }
    #[cfg(not(feature = "parallel"))]
    items.iter().map(f).collect()
}

/// `f` of each run of at most `len` items, in order.
pub(crate) fn map_chunks<T: Sync, R: Send>(
    items: &[T],
    len: usize,
    f: impl Fn(&[T]) -> R + Sync + Send,
) -> Vec<R> {
    #[cfg(feature = "parallel")]
    {
        use rayon::prelude::*;
        items.par_chunks(len).map(f).collect()
    }
    #[cfg(not(feature = "parallel"))]
    items.chunks(len).map(f).collect()
}

/// Sorts numbers.
pub(crate) fn sort(numbers: &mut [u64]) {
    #[cfg(feature = "parallel")]
    {
        use rayon::prelude::*;
        numbers.par_sort_unstable();
    }
    #[cfg(not(feature = "parallel"))]
    numbers.sort_unstable();
}
