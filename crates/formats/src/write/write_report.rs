//! The parts of a mesh that a written file does not hold.

use std::fmt;

/// Counts the parts of a mesh that the format of a written file cannot hold.
///
/// Its text has one line per kind, and none for a mesh that was written completely.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct WriteReport {
    lines: Vec<String>,
}

impl WriteReport {
    /// The lines of the text.
    pub fn lines(&self) -> &[String] {
        &self.lines
    }

    /// Counts `n` parts; `what` is the plural of their name, and `outcome` a participle.
    pub(super) fn add(&mut self, what: &str, outcome: &str, n: u64) {
        if n > 0 {
            self.lines.push(format!("{what}, {outcome}: {n}"));
        }
    }
}

impl fmt::Display for WriteReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lines.iter().try_for_each(|line| writeln!(f, "{line}"))
    }
}
