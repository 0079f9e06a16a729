//! hitscan beside other engines: the same triangles, the same rays, one process, by turns.
//!
//! For every scene each engine builds its structure, its answers are compared ray by ray with ours,
//! and then all engines trace every ray set in turns, so that whatever slows the machine slows them
//! alike. Read `README.md` beside this folder for what the columns mean.

#![deny(unsafe_code)]

mod compare;
mod engines;
mod memory;
mod options;
mod record;
mod report;
mod stats;

use std::process::ExitCode;

use clap::Parser;
use hitscan_benches::{Scene, SceneError};

use options::Options;

#[global_allocator]
static ALLOCATOR: memory::Counting = memory::Counting;

type Error = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(options: &Options) -> Result<(), Error> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(options.threads).build()?;
    let contenders = engines::contenders(options);
    if contenders.is_empty() {
        return Err("no engine is left by --peers".into());
    }
    let mut comparisons = Vec::new();
    for name in options.scene_names() {
        let scene = match Scene::load(name) {
            Ok(scene) => scene,
            Err(missing @ SceneError::Missing { .. }) => {
                eprintln!("{missing}: skipped");
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        let comparison = pool.install(|| compare::compare(&scene, &contenders, options));
        print!("{}", report::table(&comparison));
        comparisons.push(comparison);
    }
    print!("{}", report::summary(&comparisons));
    let run = record::Run::new(options, comparisons);
    if let Some(path) = &options.json {
        record::write_json(&run, path)
            .map_err(|error| format!("{} cannot be written: {error}", path.display()))?;
    }
    if options.record {
        eprintln!("recorded in {}", record::write(&run)?.display());
    }
    Ok(())
}
