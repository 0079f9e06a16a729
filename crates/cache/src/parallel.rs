//! Loops on rayon's current pool, or on the calling thread without the feature `parallel`.
//! `hitscan-obj` has a similar module; a shared crate would be larger than both.

/// Runs both functions, in parallel if possible.
pub(crate) fn join<A: Send, B: Send>(
    a: impl FnOnce() -> A + Send,
    b: impl FnOnce() -> B + Send,
) -> (A, B) {
    #[cfg(feature = "parallel")]
    return rayon::join(a, b);
    #[cfg(not(feature = "parallel"))]
    (a(), b())
}

/// The results of `f` for `0..n`, in order.
pub(crate) fn map<R: Send>(n: usize, f: impl Fn(usize) -> R + Sync + Send) -> Vec<R> {
    #[cfg(feature = "parallel")]
    {
        use rayon::prelude::*;
        (0..n).into_par_iter().with_max_len(1).map(f).collect()
    }
    #[cfg(not(feature = "parallel"))]
    (0..n).map(f).collect()
}

/// The results of `f` for the index and the bytes of each chunk, in order.
pub(crate) fn map_chunks<R: Send>(
    bytes: &mut [u8],
    chunk_len: usize,
    f: impl Fn(usize, &mut [u8]) -> R + Sync + Send,
) -> Vec<R> {
    #[cfg(feature = "parallel")]
    {
        use rayon::prelude::*;
        bytes.par_chunks_mut(chunk_len).enumerate().map(|(i, chunk)| f(i, chunk)).collect()
    }
    #[cfg(not(feature = "parallel"))]
    bytes.chunks_mut(chunk_len).enumerate().map(|(i, chunk)| f(i, chunk)).collect()
}
