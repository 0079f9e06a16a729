//! What of a file was left out.

/// Things that were left out, by what they are called and in the order of their first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Report {
    tallies: Vec<Tally>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Tally {
    what: String,
    n: u64,
}

impl Report {
    /// Counts `n` things: `what` is a plural, and `outcome` what became of them.
    pub(crate) fn add(&mut self, what: &str, n: u64) {
        if n == 0 {
            return;
        }
        match self.tallies.iter_mut().find(|tally| tally.what == what) {
            Some(tally) => tally.n += n,
            None => self.tallies.push(Tally { what: what.to_owned(), n }),
        }
    }

    pub(crate) fn n(&self) -> u64 {
        self.tallies.iter().map(|tally| tally.n).sum()
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        self.tallies.iter().map(|Tally { what, n }| format!("{what}, left out: {n}")).collect()
    }
}
