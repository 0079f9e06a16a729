//! Counts of a run.

use std::collections::BTreeSet;

use hitscan::MeshBvh;
use serde::{Deserialize, Serialize};

/// A part of the run.
pub(crate) struct Part {
    pub(crate) name: &'static str,
    /// The promise that the part tests, for the summary.
    pub(crate) promise: &'static str,
    pub(crate) n_units: usize,
    /// Runs the unit of this number, on all threads.
    pub(crate) run: Box<dyn Fn(usize) -> Tally>,
}

/// The counts of some units.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Tally {
    /// Meshes, each counted in every unit that uses it.
    pub(crate) n_meshes: u64,
    pub(crate) n_rays: u64,
    /// Rays that hit something.
    pub(crate) n_hits: u64,
    pub(crate) n_wrong: u64,
    /// The first wrong answer.
    pub(crate) first_wrong: Option<String>,
    /// The maximum error, and the number of errors beyond the usual bound, for parts that measure
    /// errors.
    pub(crate) worst: f64,
    pub(crate) n_large: u64,
    /// The instruction sets that ran. The state keeps them for each unit, not here.
    #[serde(skip)]
    pub(crate) isas: BTreeSet<&'static str>,
}

impl Tally {
    /// The counts of a mesh before its first ray: one mesh and its instruction sets.
    pub(crate) fn of_mesh<'a>(trees: impl IntoIterator<Item = &'a MeshBvh>) -> Self {
        let isas = trees.into_iter().map(|bvh| bvh.isa().name()).collect();
        Self { n_meshes: 1, isas, ..Self::default() }
    }

    pub(crate) fn wrong(&mut self, what: impl FnOnce() -> String) {
        self.n_wrong += 1;
        self.first_wrong.get_or_insert_with(what);
    }

    pub(crate) fn plus(mut self, other: &Self) -> Self {
        self.n_meshes += other.n_meshes;
        self.n_rays += other.n_rays;
        self.n_hits += other.n_hits;
        self.n_wrong += other.n_wrong;
        self.n_large += other.n_large;
        self.worst = self.worst.max(other.worst);
        self.isas.extend(&other.isas);
        self.first_wrong = self.first_wrong.or_else(|| other.first_wrong.clone());
        self
    }
}

impl std::iter::Sum for Tally {
    fn sum<I: Iterator<Item = Self>>(tallies: I) -> Self {
        tallies.fold(Self::default(), |sum, tally| sum.plus(&tally))
    }
}
