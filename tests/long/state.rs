//! What has been done, kept between runs.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::tally::Tally;

/// The state of a run.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct State {
    /// What was tested; see `summary::what_is_tested`.
    tested: String,
    parts: BTreeMap<String, Progress>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Progress {
    n_done: usize,
    seconds: f64,
    tally: Tally,
}

impl State {
    /// What was done of this; nothing, with a message, if something else was tested.
    pub(crate) fn load(tested: &str, fresh: bool) -> Self {
        let new = Self { tested: tested.to_owned(), ..Self::default() };
        let Ok(text) = std::fs::read_to_string(path()) else { return new };
        match serde_json::from_str::<Self>(&text) {
            Ok(state) if state.tested == tested && !fresh => state,
            Ok(state) => {
                eprintln!("what was done of {} is left behind", state.tested);
                new
            }
            Err(error) => {
                eprintln!("{}: {error}: starting anew", path().display());
                new
            }
        }
    }

    pub(crate) fn n_done(&self, part: &str) -> usize {
        self.parts.get(part).map_or(0, |progress| progress.n_done)
    }

    pub(crate) fn seconds(&self, part: &str) -> f64 {
        self.parts.get(part).map_or(0.0, |progress| progress.seconds)
    }

    pub(crate) fn tally(&self, part: &str) -> Tally {
        self.parts.get(part).map_or_else(Tally::default, |progress| progress.tally.clone())
    }

    pub(crate) fn n_wrong(&self) -> u64 {
        self.parts.values().map(|progress| progress.tally.n_wrong).sum()
    }

    /// Adds a unit, and keeps the state.
    pub(crate) fn add(&mut self, part: &str, tally: &Tally, took: Duration) {
        let progress = self.parts.entry(part.to_owned()).or_default();
        progress.n_done += 1;
        progress.seconds += took.as_secs_f64();
        progress.tally = std::mem::take(&mut progress.tally).plus(tally);
        let text = serde_json::to_string_pretty(self).expect("plain numbers and strings");
        // Whole or not at all: a stopped run must find what it had.
        let new = path().with_extension("new");
        let kept = std::fs::write(&new, text).and_then(|()| std::fs::rename(&new, path()));
        if let Err(error) = kept {
            eprintln!("{}: {error}: this unit will be run again", path().display());
        }
    }
}

/// Beside the build.
fn path() -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("long-run.json")
}
