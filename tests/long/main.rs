//! The long run: hours of the checks that every change passes in minutes, with a record of their number.
//!
//!     cargo test --release -p hitscan-testkit --test long -- --help
//!
//! The run has units of work, each with its own range of seeds. `tests/long-run.json` keeps the finished
//! ones. Once committed, it lets any machine resume the run until the tested code changes. The summary,
//! with date, machines and commit, is `tests/RECORD.md`. A difference does not stop the run: the run
//! counts it, and shows the first.

#[allow(dead_code, reason = "the integration tests use the rest")]
#[path = "../integration/asking.rs"]
mod asking;
#[path = "../integration/editing.rs"]
mod editing;
#[allow(dead_code, reason = "the integration tests use the rest")]
#[path = "../integration/scene/making.rs"]
mod making;
#[allow(dead_code, reason = "the integration tests use the rest")]
#[path = "../integration/shared.rs"]
mod shared;

mod accuracy;
mod crossings;
mod edits;
mod exact;
mod inside;
mod meshes;
mod one_answer;
mod scenes;
mod solid_pairs;
mod solids;
mod state;
mod summary;
mod tally;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;

use state::State;
use tally::Part;

/// Runs the long tests that are not done yet
#[derive(Clone, Debug, Parser)]
#[command(name = "long")]
struct Options {
    /// Run only parts whose name contains this
    #[arg(long, default_value = "")]
    part: String,

    /// Run this share of every part: 0.01 to try it
    #[arg(long, default_value_t = 1.0)]
    share: f64,

    /// Start anew, and discard earlier results
    #[arg(long)]
    fresh: bool,

    /// Write the summary to FILE [default: tests/RECORD.md, if the share is 1]
    #[arg(long, value_name = "FILE")]
    summary: Option<PathBuf>,
}

fn parts() -> Vec<Part> {
    vec![
        one_answer::soups(),
        one_answer::real_meshes(),
        one_answer::trees(),
        one_answer::mixed_soups(),
        one_answer::mixed_trees(),
        crossings::leaks(),
        crossings::stitched_leaks(),
        crossings::mixed_leaks(),
        crossings::parity(),
        crossings::stitched_parity(),
        accuracy::accuracy(),
        inside::inside(),
        edits::edits(),
        scenes::scenes(),
        solids::sphere_casts(),
        solids::sections(),
        solids::scenes(),
        solid_pairs::pairs(),
        solid_pairs::distances(),
    ]
}

fn main() -> ExitCode {
    let options = Options::parse();
    let tested = summary::what_is_tested();
    let machine = summary::machine();
    let mut state = State::load(&tested, options.fresh);
    for part in parts().iter().filter(|part| part.name.contains(&options.part)) {
        let n_units = ((part.n_units as f64 * options.share).ceil() as usize).min(part.n_units);
        while state.n_done(part.name) < n_units {
            let unit = state.n_done(part.name);
            let start = Instant::now();
            let tally = (part.run)(unit);
            state.add(part.name, &tally, start.elapsed(), &machine);
            let total = state.tally(part.name);
            eprintln!(
                "{}: {} of {n_units}, {} rays, {} wrong, {:.1} s",
                part.name,
                unit + 1,
                total.n_rays,
                total.n_wrong,
                start.elapsed().as_secs_f64(),
            );
        }
    }
    let text = summary::text(&parts(), &state, &tested);
    print!("{text}");
    let record = concat!(env!("CARGO_MANIFEST_DIR"), "/RECORD.md");
    let path = options.summary.or((options.share >= 1.0).then(|| PathBuf::from(record)));
    if let Some(path) = path
        && let Err(error) = std::fs::write(&path, text)
    {
        eprintln!("{}: {error}", path.display());
        return ExitCode::from(2);
    }
    if state.n_wrong() == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
