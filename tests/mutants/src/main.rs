//! Which changes of the code no test notices. See `tests/mutants/run`, which calls this.
//!
//! A mutant is one small change, as `cargo mutants --list` names them: `<` for `<=`, a constant for the body
//! of a function. To compile and link the tests again for each would take minutes; here all that were drawn
//! are woven into the sources side by side (mutant schemata: Untch, Offutt and Harrold, "Mutation Analysis
//! Using Mutant Schemata", ISSTA 1993), and a variable of the environment says which of them a process runs.

mod mutant;
mod report;
mod run;
mod sample;
mod tests;
mod weave;

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments[..] {
        ["sample", list, seed, shares, sample] => sample::sample(list, seed, shares, sample),
        ["weave", sample, tree, woven] => weave::weave(sample, Path::new(tree), woven),
        ["tests", build] => tests::list(build),
        ["run", woven, tests, results] => run::run(woven, tests, results),
        ["report", woven, results, judged, head] => report::report(woven, results, judged, head),
        _ => Err("see tests/mutants/run".to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}
