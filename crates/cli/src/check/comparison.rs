//! Counts answers and differences by query, and keeps the first difference.

use std::collections::BTreeMap;
use std::fmt::Debug;

use hitscan::{Hit, SurfacePoint};

/// The counts of a comparison.
#[derive(Clone, Debug, Default)]
pub(crate) struct Comparison {
    /// The numbers of answers and of differences.
    pub(crate) queries: BTreeMap<&'static str, [u64; 2]>,
    pub(crate) first: Option<FirstDifference>,
}

/// The first answer that differs.
#[derive(Clone, Debug)]
pub(crate) struct FirstDifference {
    pub(crate) query: &'static str,
    /// The ray, point or region.
    pub(crate) case: String,
    pub(crate) expected: String,
    pub(crate) found: String,
}

impl Comparison {
    /// Compares an answer with the expected one.
    pub(crate) fn compare<T: PartialEq + Debug>(
        &mut self,
        query: &'static str,
        case: &dyn Debug,
        expected: &T,
        found: &T,
    ) {
        let [n_answers, n_differences] = self.queries.entry(query).or_default();
        *n_answers += 1;
        if expected != found {
            *n_differences += 1;
            self.first.get_or_insert_with(|| FirstDifference {
                query,
                case: format!("{case:?}"),
                expected: format!("{expected:?}"),
                found: format!("{found:?}"),
            });
        }
    }

    pub(crate) fn add(&mut self, other: Self) {
        for (query, [n_answers, n_differences]) in other.queries {
            let [answers, differences] = self.queries.entry(query).or_default();
            *answers += n_answers;
            *differences += n_differences;
        }
        self.first = self.first.take().or(other.first);
    }

    pub(crate) fn n_answers(&self) -> u64 {
        self.queries.values().map(|[n_answers, _]| n_answers).sum()
    }

    pub(crate) fn n_differences(&self) -> u64 {
        self.queries.values().map(|[_, n_differences]| n_differences).sum()
    }
}

/// Hits as bits, which tell -0.0 from 0.0.
pub(crate) fn hit_bits<'a>(hits: impl IntoIterator<Item = &'a Hit>) -> Vec<[u32; 5]> {
    hits.into_iter().map(Hit::to_bits).collect()
}

/// A point of a surface as bits.
pub(crate) fn point_bits(point: &SurfacePoint) -> (u32, [u64; 4], [u32; 2]) {
    let [x, y, z] = point.point.to_array().map(f64::to_bits);
    let weights = [point.u.to_bits(), point.v.to_bits()];
    (point.triangle, [x, y, z, point.distance.to_bits()], weights)
}
