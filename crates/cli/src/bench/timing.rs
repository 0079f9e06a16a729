//! Medians of repeated runs.

use std::time::{Duration, Instant};

/// The median time of `work`, repeated for about half a second and at least five times.
///
/// A first run, not counted, brings data and code into the caches.
pub(crate) fn median_time(mut work: impl FnMut()) -> Duration {
    const LEAST_RUNS: usize = 5;
    const MOST_RUNS: usize = 101;
    const BUDGET: Duration = Duration::from_millis(500);
    work();
    let start = Instant::now();
    let mut times = Vec::new();
    while times.len() < LEAST_RUNS || (start.elapsed() < BUDGET && times.len() < MOST_RUNS) {
        let start = Instant::now();
        work();
        times.push(start.elapsed());
    }
    times.sort_unstable();
    times[times.len() / 2]
}
