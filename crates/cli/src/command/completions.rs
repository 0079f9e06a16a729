//! `hitscan completions`: writes completions for a shell.

use std::io::Write;

use clap::CommandFactory;

use crate::args::{Args, CompletionsArgs};
use crate::output::Target;
use crate::process::Outcome;

pub(crate) fn run(args: CompletionsArgs) -> anyhow::Result<Outcome> {
    // The generator panics if it cannot write, so it writes to memory.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "hitscan", &mut script);
    let mut out = Target::open(None)?;
    out.write_all(&script)?;
    out.finish(&[])?;
    Ok(Outcome::Done)
}
