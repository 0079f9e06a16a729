//! `hitscan man`: writes a manual page.

use anyhow::bail;
use clap::CommandFactory;
use clap_mangen::Man;

use crate::args::{Args, ManArgs};
use crate::output::Target;
use crate::process::Outcome;

pub(crate) fn run(args: &ManArgs) -> anyhow::Result<Outcome> {
    let mut all = Args::command();
    all.build();
    let page = match &args.command {
        None => all,
        Some(name) => match all.find_subcommand(name) {
            Some(command) => command.clone(),
            None => {
                let names: Vec<&str> = all.get_subcommands().map(|c| c.get_name()).collect();
                bail!("man: there is no command `{name}`; expected one of: {}", names.join(", "));
            }
        },
    };
    let mut out = Target::open(None)?;
    Man::new(page).render(&mut out)?;
    out.finish(&[])?;
    Ok(Outcome::Done)
}
