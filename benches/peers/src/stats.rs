//! Medians with their intervals.

use hitscan::generate::SplitMix64;
use serde::{Serialize, Serializer};

/// A median and the interval in which 95 % of the medians of resampled repetitions lie.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Estimate {
    /// The median.
    #[serde(serialize_with = "rounded")]
    pub(crate) median: f64,
    /// The lower end of the interval.
    #[serde(serialize_with = "rounded")]
    pub(crate) low: f64,
    /// The upper end of the interval.
    #[serde(serialize_with = "rounded")]
    pub(crate) high: f64,
}

/// Five digits: more precise than any clock here, and small in a record.
pub(crate) fn rounded<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(five_digits(*value))
}

/// [`rounded`] for lists.
pub(crate) fn all_rounded<S: Serializer>(values: &[f64], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(values.iter().copied().map(five_digits))
}

fn five_digits(value: f64) -> f64 {
    format!("{value:.4e}").parse().unwrap_or(value)
}

/// The number of bootstrap samples.
const N_RESAMPLES: usize = 2000;

/// The median of `values`; NaN if there are none.
pub(crate) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => sorted[n / 2],
        n => (sorted[n / 2 - 1] + sorted[n / 2]) / 2.0,
    }
}

/// The median of repetitions with its bootstrap interval (Efron, "Bootstrap methods: another look at
/// the jackknife", 1979; percentiles 2.5 and 97.5).
pub(crate) fn estimate(repetitions: &[f64]) -> Estimate {
    geometric_mean(&[repetitions])
}

/// The geometric mean of the medians of several cells, the repetitions of each drawn anew.
pub(crate) fn geometric_mean(cells: &[&[f64]]) -> Estimate {
    let mut random = SplitMix64::new(0);
    let mut drawn = Vec::new();
    let resampled = (0..N_RESAMPLES).map(|_| {
        mean_of(cells.iter().map(|cell| {
            drawn.clear();
            drawn.extend((0..cell.len()).map(|_| cell[random.below(cell.len() as u64) as usize]));
            median(&drawn)
        }))
    });
    let mut means: Vec<f64> = resampled.collect();
    means.sort_by(f64::total_cmp);
    let at = |share: f64| means[((N_RESAMPLES - 1) as f64 * share).round() as usize];
    let median = mean_of(cells.iter().map(|cell| median(cell)));
    Estimate { median, low: at(0.025), high: at(0.975) }
}

fn mean_of(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let n = values.len() as f64;
    (values.map(f64::ln).sum::<f64>() / n).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_even_number_is_between_the_middle_two() {
        assert_eq!(median(&[4.0, 1.0, 3.0, 2.0]), 2.5);
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
    }

    #[test]
    fn figures_keep_five_digits_at_any_size() {
        assert_eq!([123_456.7, 0.012_345_67, 0.0].map(five_digits), [123_460.0, 0.012_346, 0.0]);
        assert!(five_digits(f64::NAN).is_nan());
    }

    #[test]
    fn the_interval_holds_the_median_and_grows_with_the_spread() {
        let calm = estimate(&[1.0, 1.01, 0.99, 1.0, 1.02, 0.98, 1.0, 1.01, 0.99]);
        let wild = estimate(&[1.0, 1.5, 0.6, 1.0, 1.4, 0.7, 1.0, 1.2, 0.8]);
        for e in [calm, wild] {
            assert!(e.low <= e.median && e.median <= e.high, "{e:?}");
        }
        assert!(wild.high - wild.low > 5.0 * (calm.high - calm.low), "{calm:?} {wild:?}");
    }

    #[test]
    fn the_mean_of_a_half_and_its_double_is_one() {
        let mean = geometric_mean(&[&[0.5, 0.5], &[2.0, 2.0]]);
        assert!((mean.median - 1.0).abs() < 1e-12 && (mean.low - mean.high).abs() < 1e-12);
    }
}
