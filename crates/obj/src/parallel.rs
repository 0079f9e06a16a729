//! Loops on rayon's current pool, or on the calling thread without the feature `parallel`.
//! `hitscan-cache` has a similar module; a shared crate would be larger than both.

/// The results of `f` for `0..n`, in order.
pub(crate) fn map<R: Send>(n: usize, f: impl Fn(usize) -> R + Sync + Send) -> Vec<R> {
    #[cfg(feature = "parallel")]
    if n > 1 {
        use rayon::prelude::*;
        return (0..n).into_par_iter().with_max_len(1).map(f).collect();
    }
    (0..n).map(f).collect()
}

/// The results of `f` for the mutable items, in order.
pub(crate) fn map_mut<T: Send, R: Send>(
    items: &mut [T],
    f: impl Fn(&mut T) -> R + Sync + Send,
) -> Vec<R> {
    #[cfg(feature = "parallel")]
    if items.len() > 1 {
        use rayon::prelude::*;
        return items.par_iter_mut().with_max_len(1).map(f).collect();
    }
    items.iter_mut().map(f).collect()
}

/// The number of threads of the pool.
pub(crate) fn n_threads() -> usize {
    #[cfg(feature = "parallel")]
    return rayon::current_num_threads();
    #[cfg(not(feature = "parallel"))]
    1
}
