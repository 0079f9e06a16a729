//! Parallel loops, over rayon or without it.
//!
//! Chunks depend on the size of the work, never on the number of threads, so results do not either.

use std::ops::Range;

pub(crate) use super::fork::{alone, for_each_chunk, join, n_threads};
pub(crate) use super::large_pages::{collect, collect_in_place};

/// `f(chunk)` for each chunk of at most `chunk_len` items of `0..n`, in order.
pub(crate) fn map_chunks<T: Send>(
    n: usize,
    chunk_len: usize,
    f: impl Fn(Range<usize>) -> T + Sync + Send,
) -> Vec<T> {
    let mut results: Vec<Option<T>> = (0..n.div_ceil(chunk_len)).map(|_| None).collect();
    for_each_chunk(&mut results, 1, |chunk, result| {
        result[0] = Some(f(chunk * chunk_len..((chunk + 1) * chunk_len).min(n)));
    });
    results.into_iter().map(|result| result.expect("each chunk has a result")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_take_each_index_once_and_in_order() {
        for n in [0, 1, 2, 7, 1023, 1024, 1025, 5000] {
            assert_eq!(collect(n, |i| i), (0..n).collect::<Vec<_>>());
            for chunk_len in [1, 3, 1024] {
                let chunks: Vec<_> = map_chunks(n, chunk_len, |chunk| chunk);
                assert!(chunks.iter().all(|chunk| chunk.start.is_multiple_of(chunk_len)));
                assert!(chunks.iter().all(|chunk| (1..=chunk_len).contains(&chunk.len())));
                assert!(chunks.into_iter().flatten().eq(0..n));
                let mut items = vec![0; n];
                for_each_chunk(&mut items, chunk_len, |first, chunk| {
                    for (i, item) in chunk.iter_mut().enumerate() {
                        *item += first + i;
                    }
                });
                assert!(items.into_iter().eq(0..n));
            }
        }
        assert_eq!(join(|| 1, || "two"), (1, "two"));
    }

    #[test]
    fn work_alone_stays_on_its_thread() {
        let here = std::thread::current().id();
        let threads = alone(|| {
            assert_eq!(n_threads(), 1);
            collect(100_000, |_| std::thread::current().id())
        });
        assert!(threads.iter().all(|&thread| thread == here));
    }
}
