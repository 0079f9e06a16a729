//! The subcommands, one file each. None imports another.

mod bench;
mod build;
mod cast;
mod check;
mod completions;
mod convert;
mod info;
mod make;
mod man;
mod overlap;
mod page;
mod pick;
mod points;
mod render;
mod report;
mod section;
mod select;
mod view;

use crate::args::{Args, Command};
use crate::process::Outcome;

/// Runs the subcommand of the command line.
///
/// # Errors
/// The first error of the subcommand; see the errors of the modules that it calls.
pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    match args.command {
        Command::Make(args) => make::run(&args),
        Command::Convert(args) => convert::run(&args),
        Command::Info(args) => info::run(&args),
        Command::Cast(args) => cast::run(&args),
        Command::Points(args) => points::run(&args),
        Command::Overlap(args) => overlap::run(&args),
        Command::Section(args) => section::run(&args),
        Command::Build(args) => build::run(&args),
        Command::Pick(args) => pick::run(&args),
        Command::Select(args) => select::run(&args),
        Command::Render(args) => render::run(&args),
        Command::View(args) => view::run(args),
        Command::Page(args) => page::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Report(args) => report::run(&args),
        Command::Completions(args) => completions::run(args),
        Command::Man(args) => man::run(&args),
    }
}
