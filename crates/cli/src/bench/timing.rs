//! Medians of repeated runs.

use std::time::{Duration, Instant};

/// The median time of `work`, over about half a second and at least five runs.
///
/// A first run warms the caches and does not count.
pub(crate) fn median_time(mut work: impl FnMut()) -> Duration {
    const MIN_RUNS: usize = 5;
    const MAX_RUNS: usize = 101;
    const BUDGET: Duration = Duration::from_millis(500);
    work();
    let start = Instant::now();
    let mut times = Vec::new();
    while times.len() < MIN_RUNS || (start.elapsed() < BUDGET && times.len() < MAX_RUNS) {
        let start = Instant::now();
        work();
        times.push(start.elapsed());
    }
    times.sort_unstable();
    times[times.len() / 2]
}
