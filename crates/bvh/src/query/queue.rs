//! The clusters that a point sees, those with the largest errors first.

use crate::layout::ChildRef;

/// A cluster seen from a point.
#[derive(Clone, Copy)]
pub(super) struct Cluster {
    pub(super) error: f64,
    pub(super) value: f64,
    pub(super) child: ChildRef,
}

/// A queue of clusters. The next one has the largest error, or more than half of it. A heap orders clusters in full, which took a
/// third of the time around a scan with holes.
pub(super) struct Queue {
    /// One past the last cluster of each power of 2, or 0.
    last: [u32; Self::N_POWERS],
    /// The powers that have clusters, as bits.
    filled: u64,
    /// Each with the previous one of its power, as in `last`.
    clusters: Vec<(Cluster, u32)>,
}

impl Queue {
    const N_POWERS: usize = u64::BITS as usize;
    /// The exponent of the first power; all smaller errors are in it.
    const LEAST: u64 = 1023 - 58;

    pub(super) fn with_capacity(n: usize) -> Self {
        Self { last: [0; Self::N_POWERS], filled: 0, clusters: Vec::with_capacity(n) }
    }

    pub(super) fn push(&mut self, cluster: Cluster) {
        // The errors are not negative, so the exponent is all that stands before the fraction.
        let exponent = cluster.error.to_bits() >> (f64::MANTISSA_DIGITS - 1);
        let power = exponent.saturating_sub(Self::LEAST).min(Self::N_POWERS as u64 - 1) as usize;
        self.clusters.push((cluster, self.last[power]));
        self.last[power] = self.clusters.len() as u32;
        self.filled |= 1 << power;
    }

    pub(super) fn pop(&mut self) -> Option<Cluster> {
        let power = self.filled.checked_ilog2()? as usize;
        let (cluster, previous) = self.clusters[self.last[power] as usize - 1];
        self.last[power] = previous;
        self.filled &= !(u64::from(previous == 0) << power);
        Some(cluster)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_error_is_less_than_half_of_one_that_comes_later() {
        let mut queue = Queue::with_capacity(0);
        let errors = (0..200u32).map(|i| f64::from(i * 37 % 200) * f64::from(i % 7) / 32.0);
        errors.clone().for_each(|error| {
            queue.push(Cluster { error, value: -error, child: ChildRef::ROOT });
        });
        // One that comes back is found again.
        let first = queue.pop().expect("many");
        queue.push(first);
        let mut found = Vec::new();
        while let Some(cluster) = queue.pop() {
            found.push(cluster.error);
        }
        // The last power of 2 holds all larger errors.
        for pair in found.windows(2) {
            assert!(2.0 * pair[0] > pair[1].min(32.0) || pair == [0.0, 0.0], "{pair:?}");
        }
        let mut errors: Vec<f64> = errors.collect();
        errors.sort_by(f64::total_cmp);
        found.sort_by(f64::total_cmp);
        assert_eq!(found, errors);
    }
}
