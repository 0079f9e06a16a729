//! The times of the workloads, and their report.

use std::hint::black_box;
use std::io::Write;
use std::time::Duration;

use anyhow::bail;
use hitscan::Faces;
use hitscan_files::Escaped;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::timing::{Spread, spread_of};
use super::workload::Workload;
use crate::messages::readable;
use crate::query::{Found, RayCaster};

/// The times of a workload in nanoseconds per ray. Single rays run on one thread, batches on all.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Measured {
    pub(crate) name: String,
    /// The share of the rays that hit.
    pub(crate) hit_share: f64,
    // The medians, and their spreads after them.
    closest_ns: f64,
    any_ns: f64,
    batch_closest_ns: f64,
    batch_any_ns: f64,
    batch_closest_mrays_per_s: f64,
    batch_any_mrays_per_s: f64,
    spread: Times,
}

/// The spreads of the times of a workload.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Times {
    pub(crate) closest_ns: Spread,
    pub(crate) any_ns: Spread,
    pub(crate) batch_closest_ns: Spread,
    pub(crate) batch_any_ns: Spread,
}

impl Measured {
    /// Measures a workload, after a comparison of a sample of the answers with brute force.
    ///
    /// # Errors
    /// A difference, because the speed of wrong answers means nothing.
    pub(crate) fn new<T: RayCaster>(
        caster: &T,
        scan: &impl RayCaster<Ray = T::Ray>,
        n_triangles: usize,
        workload: &Workload<T::Ray>,
    ) -> anyhow::Result<Self> {
        const FACES: Faces = Faces::Both;
        check_sample(caster, scan, n_triangles, workload)?;
        let rays = workload.rays.as_slice();
        let per_ray = |spread: Spread| spread.scaled(1e9 / rays.len() as f64);
        let closest_ns = per_ray(spread_of(|| {
            for ray in rays {
                black_box(caster.closest(ray, FACES));
            }
        }));
        let any_ns = per_ray(spread_of(|| {
            for ray in rays {
                black_box(caster.is_occluded(ray, FACES));
            }
        }));
        let mut hits = vec![None; rays.len()];
        let batch_closest_ns =
            per_ray(spread_of(|| caster.closest_batch(black_box(rays), FACES, &mut hits)));
        let mut occluded = vec![false; rays.len()];
        let batch_any_ns =
            per_ray(spread_of(|| caster.is_occluded_batch(black_box(rays), FACES, &mut occluded)));
        Ok(Self {
            name: workload.name.to_owned(),
            hit_share: hits.iter().flatten().count() as f64 / rays.len() as f64,
            closest_ns: closest_ns.median,
            any_ns: any_ns.median,
            batch_closest_ns: batch_closest_ns.median,
            batch_any_ns: batch_any_ns.median,
            batch_closest_mrays_per_s: 1e3 / batch_closest_ns.median,
            batch_any_mrays_per_s: 1e3 / batch_any_ns.median,
            spread: Times { closest_ns, any_ns, batch_closest_ns, batch_any_ns },
        })
    }

    /// The measurements, with their names.
    pub(crate) fn times(&self) -> [(&'static str, Spread); 4] {
        let Times { closest_ns, any_ns, batch_closest_ns, batch_any_ns } = self.spread;
        [
            ("closest", closest_ns),
            ("any", any_ns),
            ("batch closest", batch_closest_ns),
            ("batch any", batch_any_ns),
        ]
    }
}

/// Compares the answers of a sample of the rays with brute force, for a second or two.
fn check_sample<T: RayCaster>(
    caster: &T,
    scan: &impl RayCaster<Ray = T::Ray>,
    n_triangles: usize,
    workload: &Workload<T::Ray>,
) -> anyhow::Result<()> {
    const TRIANGLE_TESTS: usize = 100_000_000;
    let n_wanted = (TRIANGLE_TESTS / n_triangles.max(1)).clamp(16, 512);
    let n = workload.rays.len();
    let step = n.div_ceil(n_wanted);
    let mut batch = vec![None; n];
    caster.closest_batch(&workload.rays, Faces::Both, &mut batch);
    let batch: Vec<_> = batch.into_iter().map(bits).collect();
    let is_wrong = |i: usize| {
        let ray = &workload.rays[i];
        let expected = bits(scan.closest(ray, Faces::Both));
        expected != bits(caster.closest(ray, Faces::Both))
            || expected != batch[i]
            || expected.is_some() != caster.is_occluded(ray, Faces::Both)
    };
    match (0..n).into_par_iter().step_by(step).find_first(|&i| is_wrong(i)) {
        None => Ok(()),
        Some(i) => bail!(
            "ray {i} of {} ({:?}): the tree and brute force disagree; run `hitscan check`",
            workload.name,
            workload.rays[i]
        ),
    }
}

fn bits(hit: Option<impl Into<Found>>) -> Option<(u64, u64, [u32; 5])> {
    hit.map(|hit| hit.into().to_bits())
}

/// The report of `bench`, which `--save` keeps and `--baseline` reads.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Report {
    pub(crate) file: String,
    /// The version of the program.
    pub(crate) version: String,
    /// The instances of a scene.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) instances: Option<usize>,
    /// In a scene, those of all instances.
    pub(crate) triangles: usize,
    /// Of each workload.
    pub(crate) rays: u64,
    pub(crate) seed: u64,
    pub(crate) threads: usize,
    pub(crate) isa: String,
    pub(crate) load_ms: f64,
    pub(crate) build_ms: f64,
    pub(crate) spread: StageTimes,
    pub(crate) workloads: Vec<Measured>,
}

/// The spreads of the times before the first ray.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct StageTimes {
    pub(crate) load_ms: Spread,
    pub(crate) build_ms: Spread,
}

impl Report {
    /// Writes a table. A spread is half of the distance of the quartiles.
    pub(crate) fn write_text(&self, out: &mut impl Write) -> std::io::Result<()> {
        let time = |spread: Spread| {
            let median = readable(Duration::from_secs_f64(spread.median / 1e3));
            format!("{median} ± {:.0} %", 100.0 * spread.relative())
        };
        let instances = self.instances.map_or_else(String::new, |n| format!(" in {n} instances"));
        writeln!(
            out,
            "{}: {} triangles{instances}, read in {}, built in {}",
            Escaped(&self.file),
            self.triangles,
            time(self.spread.load_ms),
            time(self.spread.build_ms)
        )?;
        writeln!(
            out,
            "{} rays of each kind (seed {}), {}, batches on {} threads; medians ± half the distance of \
             the quartiles",
            self.rays, self.seed, self.isa, self.threads
        )?;
        writeln!(
            out,
            "{:<9} {:>6} {:>18} {:>18} {:>20} {:>20}",
            "rays", "hit", "closest", "any", "batch closest", "batch any"
        )?;
        for w in &self.workloads {
            write!(out, "{:<9} {:>5.1}%", w.name, 100.0 * w.hit_share)?;
            for (name, spread) in w.times() {
                let percent = format!("± {:.0} %", 100.0 * spread.relative());
                match name.starts_with("batch") {
                    true => write!(out, " {:>6.2} Mrays/s {percent:>6}", 1e3 / spread.median)?,
                    false => write!(out, " {:>5.0} ns/ray {percent:>6}", spread.median)?,
                }
            }
            writeln!(out)?;
        }
        Ok(())
    }
}
