//! The long run: what the tests of every change look at for minutes, looked at for hours, and counted.
//!
//!     cargo test --release -p hitscan-testkit --test long -- --help
//!
//! Work is cut into units with seeds of their own. What is done is kept in `tests/long-run.json`: committed
//! there, a run goes on where it was on any machine, as long as nothing changes that decides answers. The
//! summary, with date, machines and commit, is `tests/RECORD.md`. A difference does not stop the run: it is counted, and the first is shown.

#[allow(dead_code, reason = "the integration tests use the rest")]
#[path = "../integration/asking.rs"]
mod asking;
#[allow(dead_code, reason = "the integration tests use the rest")]
#[path = "../integration/shared.rs"]
mod shared;

mod accuracy;
mod crossings;
mod meshes;
mod one_answer;
mod state;
mod summary;
mod tally;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;

use state::State;
use tally::Part;

/// Runs the long tests, or what is left of them.
#[derive(Clone, Debug, Parser)]
#[command(name = "long")]
struct Options {
    /// Only parts whose name contains this
    #[arg(long, default_value = "")]
    part: String,

    /// The share of every part that is run: 0.01 to try it
    #[arg(long, default_value_t = 1.0)]
    share: f64,

    /// Start anew, whatever was done before
    #[arg(long)]
    fresh: bool,

    /// Where the summary goes [default: tests/RECORD.md, if the share is 1]
    #[arg(long, value_name = "FILE")]
    summary: Option<PathBuf>,
}

fn parts() -> Vec<Part> {
    vec![
        one_answer::soups(),
        one_answer::real_meshes(),
        one_answer::trees(),
        crossings::leaks(),
        crossings::stitched_leaks(),
        crossings::parity(),
        crossings::stitched_parity(),
        accuracy::accuracy(),
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
