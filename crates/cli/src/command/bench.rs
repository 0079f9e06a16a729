//! `hitscan bench`: measures loading, building and queries.

use std::hint::black_box;
use std::io::Write;
use std::time::Duration;

use anyhow::bail;
use hitscan::primitives::brute_force::BruteForce;
use hitscan::{Faces, Hit, MeshBvh, TriMesh};
use hitscan_files::Escaped;
use rayon::prelude::*;
use serde::Serialize;

use crate::args::{BenchArgs, ReportFormat};
use crate::bench::{Workload, median_time, workloads};
use crate::exit_code::Outcome;
use crate::loading::{self, timed};
use crate::messages::{self, readable};
use crate::output::Target;
use crate::threads;

pub(crate) fn run(args: &BenchArgs) -> anyhow::Result<Outcome> {
    threads::set(args.engine.threads)?;
    let (loaded, load_time) = timed(|| loading::load(&args.file, &args.engine.limits));
    let mut model = loaded?;
    let (tree, build_time) = timed(|| loading::build(&mut model, &args.engine));
    let tree = tree?;
    let mesh = &model.mesh;
    let workloads = workloads(mesh, &tree, args.rays as usize, args.seed);
    for workload in &workloads {
        check_sample(mesh, &tree, workload)?;
    }

    let bar = messages::counter("measuring", Some(workloads.len() as u64));
    let mut measured = Vec::new();
    for workload in &workloads {
        measured.push(Measured::new(&tree, workload));
        bar.inc(1);
    }
    bar.finish_and_clear();

    let report = Report {
        file: args.file.display().to_string(),
        triangles: mesh.triangles().len(),
        rays: args.rays,
        seed: args.seed,
        threads: rayon::current_num_threads(),
        isa: tree.isa().name(),
        load_ms: load_time.as_secs_f64() * 1e3,
        build_ms: build_time.as_secs_f64() * 1e3,
        workloads: measured,
    };
    let mut out = Target::open(None)?;
    if args.report.format() == ReportFormat::Json {
        serde_json::to_writer_pretty(&mut out, &report)?;
        writeln!(out)?;
    } else {
        report.write_text(&mut out)?;
    }
    out.finish(&[])?;
    Ok(Outcome::Done)
}

/// Compares the answers of a sample of the rays with brute force, for a second or two.
///
/// # Errors
/// A difference, because the speed of wrong answers means nothing.
fn check_sample(mesh: &TriMesh, tree: &MeshBvh, workload: &Workload) -> anyhow::Result<()> {
    const TRIANGLE_TESTS: usize = 100_000_000;
    let n_wanted = (TRIANGLE_TESTS / mesh.triangles().len().max(1)).clamp(16, 512);
    let n = workload.rays.len();
    let step = n.div_ceil(n_wanted);
    let scan = BruteForce::new(mesh);
    let mut batch = vec![None; n];
    tree.closest_hit_batch(&workload.rays, Faces::Both, &mut batch);
    let bits = |hit: Option<Hit>| hit.map(|hit| hit.to_bits());
    let wrong = (0..n).into_par_iter().step_by(step).find_first(|&i| {
        let ray = &workload.rays[i];
        let expected = scan.closest_hit(ray, Faces::Both);
        bits(expected) != bits(tree.closest_hit(ray, Faces::Both))
            || bits(expected) != bits(batch[i])
            || expected.is_some() != tree.is_occluded(ray, Faces::Both)
    });
    match wrong {
        None => Ok(()),
        Some(i) => bail!(
            "ray {i} of {} ({:?}): the tree and brute force disagree; run `hitscan check`",
            workload.name,
            workload.rays[i]
        ),
    }
}

/// The times of a workload. Single rays run on one thread, batches on all.
#[derive(Debug, Serialize)]
struct Measured {
    name: &'static str,
    /// The share of the rays that hit.
    hit_share: f64,
    closest_ns: f64,
    any_ns: f64,
    batch_closest_ns: f64,
    batch_any_ns: f64,
    batch_closest_mrays_per_s: f64,
    batch_any_mrays_per_s: f64,
}

impl Measured {
    fn new(tree: &MeshBvh, workload: &Workload) -> Self {
        let rays = workload.rays.as_slice();
        let per_ray = |time: Duration| time.as_secs_f64() * 1e9 / rays.len() as f64;
        let closest_ns = per_ray(median_time(|| {
            for ray in rays {
                black_box(tree.closest_hit(ray, Faces::Both));
            }
        }));
        let any_ns = per_ray(median_time(|| {
            for ray in rays {
                black_box(tree.is_occluded(ray, Faces::Both));
            }
        }));
        let mut hits = vec![None; rays.len()];
        let batch_closest_ns = per_ray(median_time(|| {
            tree.closest_hit_batch(black_box(rays), Faces::Both, &mut hits);
        }));
        let mut occluded = vec![false; rays.len()];
        let batch_any_ns = per_ray(median_time(|| {
            tree.is_occluded_batch(black_box(rays), Faces::Both, &mut occluded);
        }));
        Self {
            name: workload.name,
            hit_share: hits.iter().flatten().count() as f64 / rays.len() as f64,
            closest_ns,
            any_ns,
            batch_closest_ns,
            batch_any_ns,
            batch_closest_mrays_per_s: 1e3 / batch_closest_ns,
            batch_any_mrays_per_s: 1e3 / batch_any_ns,
        }
    }
}

#[derive(Debug, Serialize)]
struct Report {
    file: String,
    triangles: usize,
    /// Of each workload.
    rays: u64,
    seed: u64,
    threads: usize,
    isa: &'static str,
    load_ms: f64,
    build_ms: f64,
    workloads: Vec<Measured>,
}

impl Report {
    fn write_text(&self, out: &mut impl Write) -> std::io::Result<()> {
        let time = |ms: f64| readable(Duration::from_secs_f64(ms / 1e3));
        writeln!(
            out,
            "{}: {} triangles, read in {}, built in {}",
            Escaped(&self.file),
            self.triangles,
            time(self.load_ms),
            time(self.build_ms)
        )?;
        writeln!(
            out,
            "{} rays of each kind (seed {}), {}, batches on {} threads, medians",
            self.rays, self.seed, self.isa, self.threads
        )?;
        writeln!(
            out,
            "{:<9} {:>6} {:>13} {:>13} {:>15} {:>15}",
            "rays", "hit", "closest", "any", "batch closest", "batch any"
        )?;
        for w in &self.workloads {
            writeln!(
                out,
                "{:<9} {:>5.1}% {:>6.0} ns/ray {:>6.0} ns/ray {:>8.2} Mrays/s {:>8.2} Mrays/s",
                w.name,
                100.0 * w.hit_share,
                w.closest_ns,
                w.any_ns,
                w.batch_closest_mrays_per_s,
                w.batch_any_mrays_per_s
            )?;
        }
        Ok(())
    }
}
