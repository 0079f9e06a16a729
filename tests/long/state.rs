//! The finished units, kept between runs.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::summary;
use crate::tally::Tally;

/// The state of a run.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct State {
    /// A hash of the tested code; see `summary::what_is_tested`.
    tested: String,
    machines: BTreeSet<String>,
    parts: BTreeMap<String, Progress>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Progress {
    n_done: usize,
    seconds: f64,
    /// The number of units that ran with each instruction set, because machines differ in their sets.
    n_units_with: BTreeMap<String, usize>,
    tally: Tally,
}

impl State {
    /// The finished units for this code; none, with a message, if the state belongs to other code.
    pub(crate) fn load(tested: &str, fresh: bool) -> Self {
        let new = Self { tested: tested.to_owned(), ..Self::default() };
        let Ok(text) = std::fs::read_to_string(PATH) else { return new };
        match serde_json::from_str::<Self>(&text) {
            Ok(state) if state.tested == tested && !fresh => state,
            Ok(state) => {
                eprintln!("discarding the units of other code, {}", state.tested);
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

    /// The instruction sets that ran a part, with their numbers of units if those are not all.
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

    /// Adds a unit that ran here, and writes the state.
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
        // Whole or not at all, because a stopped run must find its earlier results.
        let new = format!("{PATH}.new");
        let kept = std::fs::write(&new, text + "\n").and_then(|()| std::fs::rename(&new, PATH));
        if let Err(error) = kept {
            eprintln!("{PATH}: {error}: this unit will be run again");
        }
    }
}

/// In the repository, so that another machine can resume the run. A run with uncommitted changes keeps
/// nothing, because other machines lack those changes.
const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/long-run.json");
