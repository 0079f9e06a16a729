//! The flags of `view`.

use std::path::PathBuf;

use clap::Args as ClapArgs;

use super::{
    engine::EngineArgs,
    values::{triple, whole},
};

/// View a mesh or a scene in the browser, and pick in it.
#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:
  hitscan view model.obj
  hitscan view street.toml
  hitscan view part.obj --up 0,0,1
  hitscan view model.obj --port 8080 --no-open

view serves the page on 127.0.0.1, to this machine only, without internet access. It prints the
address and opens the browser. An SSH tunnel may end at any port: ssh -L 9000:127.0.0.1:8080 HOST
for view --port 8080. Each tab has its own camera and selection.

Drag to turn, scroll to zoom and click to pick; click again to pick the next element behind. Press
H to hide the selection (objects, groups, materials or faces), I to isolate it, U to show all, and
? for all keys. The panel lists the objects, and shows the bounds and open edges of the selected
one, the details of a pick, and the command that repeats it here.

view reloads a file that changes. If the new file is invalid, the page keeps the old picture and
shows the error. Press Ctrl-C to stop.")]
pub(crate) struct ViewArgs {
    /// The mesh (OBJ, STL, PLY or cache file) or the scene (glTF or TOML); - is standard input.
    #[arg(value_name = "FILE_OR_SCENE")]
    pub(crate) file: PathBuf,

    /// Listen on this port; 0 takes a free one.
    #[arg(long, value_name = "PORT", default_value_t = 0, value_parser = whole::<u16>(0, 65_535))]
    pub(crate) port: u16,

    /// Print the address without opening the browser.
    #[arg(long)]
    pub(crate) no_open: bool,

    /// Point this direction up [default: 0,1,0].
    #[arg(long, value_name = "X,Y,Z", value_parser = triple, allow_hyphen_values = true)]
    pub(crate) up: Option<[f64; 3]>,

    #[command(flatten)]
    pub(crate) engine: EngineArgs,
}
