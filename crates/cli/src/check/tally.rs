//! The counts of answers and differences by query, with the first differences.

use std::collections::BTreeMap;
use std::fmt::Debug;

use serde::Serialize;

/// The counts of a comparison.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Tally {
    pub(super) queries: BTreeMap<&'static str, Counts>,
    /// The first [`N_SHOWN`].
    #[serde(rename = "first_differences")]
    pub(super) first: Vec<Difference>,
}

/// The numbers of answers and of differences among them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct Counts {
    pub(super) answers: u64,
    pub(super) differences: u64,
}

/// An answer that differs.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Difference {
    pub(super) query: &'static str,
    /// The ray, point or region.
    pub(super) case: String,
    pub(super) expected: String,
    pub(super) found: String,
}

/// The number of differences that a tally keeps.
pub(super) const N_SHOWN: usize = 5;

impl Tally {
    /// No answers yet to some queries.
    pub(super) fn of(queries: impl Iterator<Item = &'static str>) -> Self {
        let queries = queries.map(|query| (query, Counts::default())).collect();
        Self { queries, first: vec![] }
    }

    /// Compares an answer with the expected one.
    pub(super) fn compare<T: PartialEq + Debug>(
        &mut self,
        query: &'static str,
        case: &dyn Debug,
        expected: &T,
        found: &T,
    ) {
        self.count(query, expected == found, || {
            [format!("{case:?}"), format!("{expected:?}"), format!("{found:?}")]
        });
    }

    /// Counts an answer. `texts` gives the case, the expected and the found answer of a difference.
    pub(super) fn count(
        &mut self,
        query: &'static str,
        is_same: bool,
        texts: impl FnOnce() -> [String; 3],
    ) {
        let counts = self.queries.entry(query).or_default();
        counts.answers += 1;
        counts.differences += u64::from(!is_same);
        if !is_same && self.first.len() < N_SHOWN {
            let [case, expected, found] = texts();
            self.first.push(Difference { query, case, expected, found });
        }
    }

    /// The sum of two tallies.
    pub(super) fn with(mut self, other: Self) -> Self {
        self.add(other);
        self
    }

    pub(super) fn add(&mut self, other: Self) {
        for (query, counts) in other.queries {
            let sum = self.queries.entry(query).or_default();
            sum.answers += counts.answers;
            sum.differences += counts.differences;
        }
        self.first.extend(other.first);
        self.first.truncate(N_SHOWN);
    }

    pub(super) fn n_answers(&self) -> u64 {
        self.queries.values().map(|counts| counts.answers).sum()
    }

    pub(super) fn n_differences(&self) -> u64 {
        self.queries.values().map(|counts| counts.differences).sum()
    }
}
