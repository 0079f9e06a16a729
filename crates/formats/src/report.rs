//! The parts of a file that a reader skipped.

use std::{collections::HashMap, fmt};

use hitscan_obj::ObjReport;

use crate::error_at::quoted;

/// Counts the parts of a file that the reader skipped or repaired.
///
/// Its text has one line per kind, and none for a file that was read completely.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct LoadReport {
    /// OBJ: counts of statements, and each kind of warning with its first line.
    pub obj: Option<ObjReport>,
    /// STL and PLY: the largest movement of a coordinate by rounding, if
    /// [`LoadOptions::recentre`](crate::LoadOptions) is off and would have avoided it; otherwise 0.
    pub rounded_by: f64,
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
    /// The line of the first one, if the reader knows it.
    first_line: Option<u64>,
}

impl LoadReport {
    /// The maximum number of names that the report lists. A hostile file may have one per line.
    const MAX_NAMES: usize = 32;

    pub(crate) fn of_obj(report: ObjReport) -> Self {
        Self { obj: Some(report), ..Self::default() }
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
        let lines = skipped.into_iter().map(|(what, s)| {
            let line = match s.first_line {
                None => String::new(),
                Some(line) if s.n == 1 => format!(" (line {line})"),
                Some(line) => format!(" (the first on line {line})"),
            };
            format!("{what}, {}: {}{line}", s.outcome, s.n)
        });
        let rounded = (self.rounded_by > 0.0).then(|| {
            format!("positions rounded by up to {}, because f32 is coarse there", self.rounded_by)
        });
        of_obj.lines().map(str::to_owned).chain(lines).chain(rounded).collect()
    }

    /// Counts `n` skipped parts; `what` is the plural of their name.
    pub(crate) fn add(&mut self, what: &str, n: u64) {
        self.add_as(what, "left out", n);
    }

    /// Counts `n` parts with another outcome, a participle such as "read".
    pub(crate) fn add_as(&mut self, what: &str, outcome: &'static str, n: u64) {
        self.add_from(what, outcome, n, None);
    }

    /// Counts one part on a line of a text file.
    pub(crate) fn add_on_line(&mut self, what: &str, outcome: &'static str, line: Option<u64>) {
        self.add_from(what, outcome, 1, line);
    }

    /// Counts `n` skipped parts with a name that the format does not define. `what` is the plural of their
    /// kind.
    pub(crate) fn add_named(&mut self, what: &str, name: &[u8], n: u64, line: Option<u64>) {
        let named = format!("{what} {}", quoted(name));
        let is_listed = self.skipped.contains_key(&named);
        let n_listed = self.skipped.keys().filter(|key| key.ends_with('"')).count();
        match is_listed || n_listed < Self::MAX_NAMES {
            true => self.add_from(&named, "left out", n, line),
            false => self.add_from(&format!("{what} of further names"), "left out", n, line),
        }
    }

    fn add_from(&mut self, what: &str, outcome: &'static str, n: u64, first_line: Option<u64>) {
        if n == 0 {
            return;
        }
        let order = self.skipped.len();
        match self.skipped.get_mut(what) {
            Some(skipped) => skipped.n += n,
            None => {
                let skipped = Skipped { order, outcome, n, first_line };
                self.skipped.insert(what.to_owned(), skipped);
            }
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

    #[test]
    fn unknown_names_are_listed_escaped_and_only_a_few_of_them() {
        let mut report = LoadReport::default();
        report.add_named("statements", b"a\x1b[2J", 2, Some(7));
        assert_eq!(report.lines(), ["statements \"a\\x1b[2J\", left out: 2 (the first on line 7)"]);
        (0..1000).for_each(|i| report.add_named("words", format!("x{i}").as_bytes(), 1, None));
        assert_eq!((report.lines().len(), report.n_ignored()), (33, 1002));
        assert_eq!(report.lines()[32], "words of further names, left out: 969");
    }
}
