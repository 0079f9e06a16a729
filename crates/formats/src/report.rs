//! The parts of a file that a reader skipped.

use std::{collections::HashMap, fmt};

use hitscan_obj::ObjReport;

/// Counts the parts of a file that the reader skipped or repaired.
///
/// Its text has one line per kind, and none for a file that was read completely.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct LoadReport {
    /// OBJ: counts of statements, and each kind of warning with its first line.
    pub obj: Option<ObjReport>,
    /// STL, PLY and glTF: the skipped and mended parts by the plural of their name.
    skipped: HashMap<String, Skipped>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Skipped {
    /// The number of kinds that were found earlier.
    order: usize,
    /// The reader's treatment of them: `left out`, `ignored`.
    outcome: &'static str,
    n: u64,
}

impl LoadReport {
    pub(crate) fn of_obj(report: ObjReport) -> Self {
        Self { obj: Some(report), skipped: HashMap::new() }
    }

    /// The number of parts that were skipped or repaired; 0 for a file that was read completely.
    pub fn n_ignored(&self) -> u64 {
        let of_obj = self.obj.as_ref().map_or(0, ObjReport::n_ignored);
        of_obj + self.skipped.values().map(|skipped| skipped.n).sum::<u64>()
    }

    /// The lines of the text, in the order of the first part of each kind.
    pub fn lines(&self) -> Vec<String> {
        let of_obj = self.obj.as_ref().map(ToString::to_string).unwrap_or_default();
        let mut skipped: Vec<_> = self.skipped.iter().collect();
        skipped.sort_unstable_by_key(|(_, skipped)| skipped.order);
        let lines = skipped.into_iter().map(|(what, s)| format!("{what}, {}: {}", s.outcome, s.n));
        of_obj.lines().map(str::to_owned).chain(lines).collect()
    }

    /// Counts `n` skipped parts; `what` is the plural of their name.
    pub(crate) fn add(&mut self, what: &str, n: u64) {
        self.add_as(what, "left out", n);
    }

    /// Counts `n` parts with another outcome, a participle such as "read".
    pub(crate) fn add_as(&mut self, what: &str, outcome: &'static str, n: u64) {
        if n == 0 {
            return;
        }
        let order = self.skipped.len();
        match self.skipped.get_mut(what) {
            Some(skipped) => skipped.n += n,
            None => _ = self.skipped.insert(what.to_owned(), Skipped { order, outcome, n }),
        }
    }
}

impl fmt::Display for LoadReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lines().iter().try_for_each(|line| writeln!(f, "{line}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_keep_the_order_of_their_first() {
        let mut report = LoadReport::default();
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
        assert_eq!((report.lines(), report.n_ignored()), (lines, 206));
    }
}
