//! What of a file was left out.

use std::collections::HashMap;

/// Things that were left out, by what they are called.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Report {
    tallies: HashMap<String, Tally>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Tally {
    /// How many kinds of things came before.
    place: usize,
    n: u64,
}

impl Report {
    /// Counts `n` things: `what` is a plural, and `outcome` what became of them.
    pub(crate) fn add(&mut self, what: &str, n: u64) {
        if n == 0 {
            return;
        }
        let place = self.tallies.len();
        match self.tallies.get_mut(what) {
            Some(tally) => tally.n += n,
            None => _ = self.tallies.insert(what.to_owned(), Tally { place, n }),
        }
    }

    pub(crate) fn n(&self) -> u64 {
        self.tallies.values().map(|tally| tally.n).sum()
    }

    /// A line per kind, in the order of the first of each.
    pub(crate) fn lines(&self) -> Vec<String> {
        let mut tallies: Vec<_> = self.tallies.iter().collect();
        tallies.sort_unstable_by_key(|(_, tally)| tally.place);
        tallies
            .into_iter()
            .map(|(what, Tally { n, .. })| format!("{what}, left out: {n}"))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_keep_the_order_of_their_first() {
        let mut report = Report::default();
        for i in (0..100).chain([7, 3, 7]) {
            report.add(&format!("things {i}"), 2);
        }
        report.add("nothing", 0);
        let n = |i: u64| match i {
            7 => 6,
            3 => 4,
            _ => 2,
        };
        let lines: Vec<_> = (0..100).map(|i| format!("things {i}, left out: {}", n(i))).collect();
        assert_eq!((report.lines(), report.n()), (lines, 206));
    }
}
