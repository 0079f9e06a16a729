//! What has been done, kept between runs.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::summary;
use crate::tally::Tally;

/// The state of a run.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct State {
    /// What was tested; see `summary::what_is_tested`.
    tested: String,
    machines: BTreeSet<String>,
    parts: BTreeMap<String, Progress>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Progress {
    n_done: usize,
    seconds: f64,
    /// How many units were run with each instruction set: not every machine has all.
    n_units_with: BTreeMap<String, usize>,
    tally: Tally,
}

impl State {
    /// What was done of this; nothing, with a message, if something else was tested.
    pub(crate) fn load(tested: &str, fresh: bool) -> Self {
        let new = Self { tested: tested.to_owned(), ..Self::default() };
        let Ok(text) = std::fs::read_to_string(PATH) else { return new };
        match serde_json::from_str::<Self>(&text) {
            Ok(state) if state.tested == tested && !fresh => state,
            Ok(state) => {
                eprintln!("what was done of {} is left behind", state.tested);
                new
            }
            Err(error) => {
                eprintln!("{PATH}: {error}: starting anew");
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

    /// The instruction sets that a part was run with, and in how many of its units if not in all.
    pub(crate) fn isas(&self, part: &str) -> String {
        let Some(progress) = self.parts.get(part) else { return "-".to_owned() };
        let isas = progress.n_units_with.iter().map(|(isa, &n)| match n == progress.n_done {
            true => isa.clone(),
            false => format!("{isa} ({n})"),
        });
        isas.collect::<Vec<_>>().join(", ")
    }

    pub(crate) fn machines(&self) -> impl Iterator<Item = &str> {
        self.machines.iter().map(String::as_str)
    }

    pub(crate) fn n_wrong(&self) -> u64 {
        self.parts.values().map(|progress| progress.tally.n_wrong).sum()
    }

    /// Adds a unit that was run here, and keeps the state.
    pub(crate) fn add(&mut self, part: &str, tally: &Tally, took: Duration, machine: &str) {
        self.machines.insert(machine.to_owned());
        let progress = self.parts.entry(part.to_owned()).or_default();
        progress.n_done += 1;
        progress.seconds += took.as_secs_f64();
        for isa in &tally.isas {
            *progress.n_units_with.entry((*isa).to_owned()).or_default() += 1;
        }
        progress.tally = std::mem::take(&mut progress.tally).plus(tally);
        if self.tested.ends_with(summary::CHANGED) {
            return;
        }
        let text = serde_json::to_string_pretty(self).expect("plain numbers and strings");
        // Whole or not at all: a stopped run must find what it had.
        let new = format!("{PATH}.new");
        let kept = std::fs::write(&new, text + "\n").and_then(|()| std::fs::rename(&new, PATH));
        if let Err(error) = kept {
            eprintln!("{PATH}: {error}: this unit will be run again");
        }
    }
}

/// In the repository, so that a run can be gone on with on another machine. What is run with changes that
/// are not committed is not kept: no other machine has them.
const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/long-run.json");
