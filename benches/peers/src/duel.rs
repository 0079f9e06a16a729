//! Duels: hitscan's default, single and in batches, against one opponent each.

use crate::compare::{Cell, Comparison, Row};
use crate::engines::{COHERENT_PACKETS, Calls, REFERENCE, is_embree};

/// One interface of hitscan and its opponent.
#[derive(Clone, Copy)]
pub(crate) struct Duel {
    /// The names of both.
    pub(crate) title: &'static str,
    ours: Calls,
    /// Whether a row may be the opponent; the fastest such row of a cell is.
    may_oppose: fn(&Comparison, &Row) -> bool,
    /// Whether the opponent may differ from cell to cell.
    pub(crate) names_its_opponent: bool,
}

/// All duels.
pub(crate) const DUELS: [Duel; 5] = [
    Duel {
        title: "single to embree medium",
        ours: Calls::Single,
        may_oppose: |_, row| row.name == REFERENCE,
        names_its_opponent: false,
    },
    Duel {
        title: "single to fastest other",
        ours: Calls::Single,
        may_oppose: |_, row| !row.is_ours && row.calls == Calls::Single,
        names_its_opponent: true,
    },
    Duel {
        title: "batch to embree packets of 16",
        ours: Calls::Batch,
        may_oppose: |_, row| row.name == COHERENT_PACKETS,
        names_its_opponent: false,
    },
    Duel {
        title: "batch to fastest of embree",
        ours: Calls::Batch,
        may_oppose: |_, row| is_embree(&row.name),
        names_its_opponent: true,
    },
    Duel {
        title: "batch to single",
        ours: Calls::Batch,
        may_oppose: |comparison, row| {
            our_default(comparison, Calls::Single).is_some_and(|ours| ours.name == row.name)
        },
        names_its_opponent: false,
    },
];

/// The outcome of a duel in one cell.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    /// The opponent's name.
    pub(crate) opponent: String,
    /// hitscan's speed as a multiple of the opponent's, per repetition.
    pub(crate) ratios: Vec<f64>,
}

impl Duel {
    /// The outcome on one ray set, if both took part.
    pub(crate) fn outcome(&self, comparison: &Comparison, set: usize) -> Option<Outcome> {
        let ours = our_default(comparison, self.ours)?.cells[set].as_ref()?;
        let (row, cell) = fastest(comparison, set, |row| (self.may_oppose)(comparison, row))?;
        Some(Outcome { opponent: row.name.clone(), ratios: ratios(ours, cell) })
    }
}

/// The row of hitscan's default options: its first with these calls.
pub(crate) fn our_default(comparison: &Comparison, calls: Calls) -> Option<&Row> {
    comparison.rows.iter().find(|row| row.is_ours && row.calls == calls)
}

/// The fastest of some engines on a ray set.
pub(crate) fn fastest(
    comparison: &Comparison,
    set: usize,
    takes_part: impl Fn(&Row) -> bool,
) -> Option<(&Row, &Cell)> {
    let rows = comparison.rows.iter().filter(|row| takes_part(row));
    let timed = rows.filter_map(|row| Some((row, row.cells[set].as_ref()?)));
    timed.min_by(|(_, a), (_, b)| a.ns_per_ray.median.total_cmp(&b.ns_per_ray.median))
}

/// The speed of `ours` as a multiple of that of `theirs` in the same repetitions.
pub(crate) fn ratios(ours: &Cell, theirs: &Cell) -> Vec<f64> {
    theirs.repetitions.iter().zip(&ours.repetitions).map(|(theirs, ours)| theirs / ours).collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::compare::{Differences, Set};
    use crate::stats;

    /// A comparison of one ray set; engines with nanoseconds a ray.
    pub(crate) fn comparison(engines: &[(&str, Calls, f64)]) -> Comparison {
        let row = |&(name, calls, ns): &(&str, Calls, f64)| Row {
            name: name.to_owned(),
            is_ours: name.starts_with("hitscan"),
            calls,
            build: None,
            cells: vec![Some(Cell {
                ns_per_ray: stats::estimate(&[ns; 3]),
                ratio: None,
                differences: Differences::default(),
                repetitions: vec![ns; 3],
                ratios: vec![],
            })],
            failure: None,
        };
        Comparison {
            scene: "attic".to_owned(),
            n_triangles: 1000,
            sets: vec![Set { name: "primary", n_rays: 16, hit_share: 0.5, reference: None }],
            rows: engines.iter().map(row).collect(),
        }
    }

    #[test]
    fn each_way_of_asking_meets_its_own_opponent() {
        let comparison = comparison(&[
            ("hitscan best", Calls::Single, 100.0),
            ("hitscan other", Calls::Single, 50.0),
            ("hitscan batch", Calls::Batch, 20.0),
            ("embree medium", Calls::Single, 150.0),
            ("embree high", Calls::Single, 120.0),
            ("embree packets of 16", Calls::Packets, 30.0),
            ("parry3d", Calls::Single, 110.0),
        ]);
        let found = DUELS.map(|duel| {
            let outcome = duel.outcome(&comparison, 0).unwrap();
            (outcome.opponent, outcome.ratios[0])
        });
        let expected = [
            ("embree medium", 1.5),
            ("parry3d", 1.1),
            ("embree packets of 16", 1.5),
            ("embree packets of 16", 1.5),
            ("hitscan best", 5.0),
        ];
        assert_eq!(found, expected.map(|(name, ratio)| (name.to_owned(), ratio)));
    }

    #[test]
    fn a_duel_with_an_absent_engine_has_no_outcome() {
        let comparison = comparison(&[("hitscan best", Calls::Single, 100.0)]);
        assert!(DUELS.iter().all(|duel| duel.outcome(&comparison, 0).is_none()));
    }
}
