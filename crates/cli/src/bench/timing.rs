//! Times of repeated runs: the median and the quartiles.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::messages;

/// The median time of several runs, and the quartiles, between which half of the runs lie.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Spread {
    pub(crate) median: f64,
    pub(crate) quartiles: [f64; 2],
    pub(crate) runs: usize,
}

impl Spread {
    fn of(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        let at = |quarter: usize| times[(times.len() - 1) * quarter / 4].as_secs_f64();
        Self { median: at(2), quartiles: [at(1), at(3)], runs: times.len() }
    }

    /// The spread in another unit.
    pub(crate) fn scaled(self, factor: f64) -> Self {
        Self {
            median: self.median * factor,
            quartiles: self.quartiles.map(|quartile| quartile * factor),
            ..self
        }
    }

    /// Half of the distance of the quartiles, as a share of the median.
    pub(crate) fn relative(&self) -> f64 {
        let [low, high] = self.quartiles;
        0.5 * (high - low) / self.median
    }
}

/// The times of `work` in seconds, over about half a second and at least five runs.
///
/// A first run warms the caches and does not count.
pub(crate) fn spread_of(mut work: impl FnMut()) -> Spread {
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
    Spread::of(times)
}

/// The result of the last run of `work`, and the spreads of the times that it returns, in seconds. Takes
/// about a second and three to nine runs. `once` allows a single run. Only the first run prints notes.
///
/// # Errors
/// An error of `work`.
pub(crate) fn repeated<T, const N: usize>(
    once: bool,
    mut work: impl FnMut() -> anyhow::Result<(T, [Duration; N])>,
) -> anyhow::Result<(T, [Spread; N])> {
    const MIN_RUNS: usize = 3;
    const MAX_RUNS: usize = 9;
    const BUDGET: Duration = Duration::from_secs(1);
    let start = Instant::now();
    let mut times = [const { Vec::new() }; N];
    for n_runs in 1.. {
        let (result, run) = match n_runs {
            1 => work()?,
            _ => messages::quietly(&mut work)?,
        };
        for (times, time) in times.iter_mut().zip(run) {
            times.push(time);
        }
        let is_enough = n_runs >= MIN_RUNS && start.elapsed() >= BUDGET;
        if once || is_enough || n_runs == MAX_RUNS {
            return Ok((result, times.map(Spread::of)));
        }
    }
    unreachable!("the last run returns")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_runs_lie_between_the_quartiles() {
        let times = (1..=9).rev().map(Duration::from_secs).collect();
        let spread = Spread::of(times);
        assert_eq!(spread, Spread { median: 5.0, quartiles: [3.0, 7.0], runs: 9 });
        assert_eq!(spread.scaled(2.0).quartiles, [6.0, 14.0]);
        assert_eq!(spread.relative(), 0.4);
    }
}
