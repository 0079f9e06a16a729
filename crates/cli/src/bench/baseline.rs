//! The comparison of two runs of `bench`.

use std::fmt;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, bail};

use super::measured::Report;
use super::timing::Spread;

/// The maximum size of a saved run.
const MAX_BYTES: u64 = 16 << 20;

/// A verdict on a measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Faster,
    /// The quartiles overlap, or the medians differ by less than the tolerance.
    Same,
    Slower,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Faster => "faster",
            Self::Same => "same",
            Self::Slower => "slower",
        })
    }
}

impl Verdict {
    /// Compares times. `tolerance` is a share of the earlier median.
    fn of(before: Spread, now: Spread, tolerance: f64) -> Self {
        let ratio = now.median / before.median;
        if now.quartiles[0] > before.quartiles[1] && ratio > 1.0 + tolerance {
            Self::Slower
        } else if now.quartiles[1] < before.quartiles[0] && ratio < 1.0 - tolerance {
            Self::Faster
        } else {
            Self::Same
        }
    }
}

/// A run beside an earlier one of the same rays.
pub(crate) struct Comparison {
    rows: Vec<(String, Spread, Spread, Verdict)>,
    name: String,
}

impl Comparison {
    /// Reads an earlier run.
    ///
    /// # Errors
    /// A file that is no saved run.
    pub(crate) fn read(path: &Path) -> anyhow::Result<Report> {
        let name = path.display();
        let text = hitscan_files::read(path, MAX_BYTES);
        let text = text.with_context(|| format!("{name}: cannot read the baseline"))?;
        serde_json::from_slice(&text).with_context(|| {
            format!("{name}: not a run of `hitscan bench --save`; save one with this version")
        })
    }

    /// Compares two runs.
    ///
    /// # Errors
    /// Runs of other rays, triangles, instruction sets or threads.
    pub(crate) fn new(
        before: &Report,
        now: &Report,
        path: &Path,
        tolerance: f64,
    ) -> anyhow::Result<Self> {
        let facts = |run: &Report| {
            [
                ("triangles", run.triangles.to_string()),
                ("instances", run.instances.unwrap_or(1).to_string()),
                ("rays", run.rays.to_string()),
                ("seed", run.seed.to_string()),
                ("threads", run.threads.to_string()),
                ("instruction set", run.isa.clone()),
            ]
        };
        for ((what, then), (_, now)) in facts(before).into_iter().zip(facts(now)) {
            if then != now {
                bail!(
                    "--baseline: {} was measured with {what} {then}, this run with {now}; \
                     measure both with the same flags",
                    path.display()
                );
            }
        }
        let mut rows = vec![
            ("read".to_owned(), before.spread.load_ms, now.spread.load_ms),
            ("build".to_owned(), before.spread.build_ms, now.spread.build_ms),
        ];
        for (then, now) in before.workloads.iter().zip(&now.workloads) {
            for ((name, then_time), (_, time)) in then.times().into_iter().zip(now.times()) {
                rows.push((format!("{} {name}", then.name), then_time, time));
            }
        }
        let judged = |(name, before, now)| {
            let verdict = Verdict::of(before, now, tolerance);
            (name, before, now, verdict)
        };
        let rows = rows.into_iter().map(judged).collect();
        Ok(Self { rows, name: path.display().to_string() })
    }

    /// Whether any measurement is slower.
    pub(crate) fn is_slower(&self) -> bool {
        self.rows.iter().any(|row| row.3 == Verdict::Slower)
    }

    /// Writes a row per measurement, and the verdict on all.
    pub(crate) fn write_text(&self, out: &mut impl Write) -> std::io::Result<()> {
        writeln!(
            out,
            "speed against {}: 1.10 is a tenth faster; quartiles in brackets",
            self.name
        )?;
        for (name, before, now, verdict) in &self.rows {
            let ratio = before.median / now.median;
            let low = before.quartiles[0] / now.quartiles[1];
            let high = before.quartiles[1] / now.quartiles[0];
            writeln!(out, "{name:<24} {ratio:>5.2} ({low:.2} to {high:.2})  {verdict}")?;
        }
        let count = |wanted| self.rows.iter().filter(|row| row.3 == wanted).count();
        let [faster, same, slower] = [Verdict::Faster, Verdict::Same, Verdict::Slower].map(count);
        writeln!(out, "verdict: {faster} faster, {same} the same, {slower} slower")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_needs_separate_quartiles_and_more_than_the_tolerance() {
        let time = |median: f64, half: f64| Spread {
            median,
            quartiles: [median - half, median + half],
            runs: 9,
        };
        let before = time(100.0, 2.0);
        for (now, expected) in [
            (time(100.0, 2.0), Verdict::Same),
            (time(120.0, 2.0), Verdict::Slower),
            (time(120.0, 30.0), Verdict::Same),
            (time(104.9, 0.1), Verdict::Same),
            (time(80.0, 2.0), Verdict::Faster),
            (time(80.0, 20.0), Verdict::Same),
        ] {
            assert_eq!(Verdict::of(before, now, 0.05), expected, "{now:?}");
        }
    }
}
