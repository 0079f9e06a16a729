//! hitscan compared with other engines: the same triangles, the same rays, one process, interleaved runs.
//!
//! For every scene each engine builds its structure, and the program compares its answers with
//! hitscan's, ray by ray. Then the engines trace every ray set in alternation, so that any slowdown of
//! the machine affects all of them. `README.md` explains the columns.

#![deny(unsafe_code)]

mod binaries;
mod compare;
mod duel;
mod engines;
mod growth;
mod instances;
mod leaks;
mod memory;
mod options;
mod record;
mod report;
mod solids;
mod stats;
mod timing;

use std::process::ExitCode;

use clap::Parser;
use hitscan_benches::{MODEL_FILES, Scene, SceneError};
use rayon::{ThreadPool, ThreadPoolBuilder};

use engines::Engines;
use options::Options;
use record::{Circumstances, Run, Tables};

#[global_allocator]
static ALLOCATOR: memory::Counting = memory::Counting;

type Error = Box<dyn std::error::Error + Send + Sync>;

fn main() -> ExitCode {
    let options = Options::parse();
    let result = if options.missing_scenes {
        MODEL_FILES.iter().for_each(|file| print!("{}", file.commands()));
        Ok(())
    } else if options.take_turns {
        binaries::take_turns(&options)
    } else if let Some(other) = &options.compare_binary {
        binaries::compare(&options, other)
    } else if let Some(files) = &options.leaks {
        leaks::compare(&options, files)
    } else if let Some(scenes) = &options.instances {
        instances::compare(&options, scenes)
    } else if options.solids {
        solids::compare(&options)
    } else {
        compare_engines(&options)
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn compare_engines(options: &Options) -> Result<(), Error> {
    let engines = Engines::load()?;
    let mut run = Run {
        circumstances: Circumstances::now(options, engines.versions()),
        tables: options.thread_counts().into_iter().map(Tables::new).collect(),
        growth: Vec::new(),
    };
    // One thread first, because all Embree devices get the thread count of the latest.
    if let Some(largest) = options.largest {
        let contenders = engines.growing(|name| options.admits(name));
        let plan = options.plan(1);
        run.growth = pool(1)?.install(|| growth::measure(&contenders, &plan, largest as usize))?;
    }
    for tables in &mut run.tables {
        let contenders = engines.contenders(|name| options.admits(name), tables.n_threads);
        if contenders.is_empty() {
            return Err("no engine is left by --peers".into());
        }
        let plan = options.plan(tables.n_threads);
        for name in options.scene_names() {
            let Some(scene) = available(name)? else { continue };
            let comparison =
                pool(tables.n_threads)?.install(|| compare::compare(&scene, &contenders, &plan));
            println!("\n{} thread(s), {}", tables.n_threads, tables.clock);
            print!("{}", report::table(&comparison));
            tables.comparisons.push(comparison);
            if tables.n_threads == 1 {
                timing::expect_no_other_thread_at_work()?;
            }
        }
    }
    let has_figures = run.tables.iter().any(|tables| !tables.comparisons.is_empty());
    if !has_figures && run.growth.is_empty() {
        return Err("nothing was measured, because every scene lacks its file; \
                    --missing-scenes prints commands that download them"
            .into());
    }
    print!("{}", run.summary());
    if let Some(path) = &options.json {
        std::fs::write(path, serde_json::to_string(&run)? + "\n")
            .map_err(|error| format!("{} cannot be written: {error}", path.display()))?;
    }
    if options.record {
        let folder = record::write(&run.circumstances, "", &run.files()?)?;
        eprintln!("recorded in {}", folder.display());
    }
    Ok(())
}

/// The scene; none, with a message, if its file is missing.
fn available(name: &str) -> Result<Option<Scene>, Error> {
    match Scene::load(name) {
        Ok(scene) => Ok(Some(scene)),
        Err(missing @ SceneError::Missing { .. }) => {
            eprintln!("{missing}: skipped");
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

fn pool(n_threads: usize) -> Result<ThreadPool, Error> {
    Ok(ThreadPoolBuilder::new().num_threads(n_threads).build()?)
}
