//! What `view` takes.

use std::path::PathBuf;

use clap::Args as ClapArgs;

use super::{EngineArgs, picking::triple};

/// Look at a mesh or a scene in the browser, and pick in it.
#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:
  hitscan view model.obj
  hitscan view street.toml
  hitscan view part.obj --up 0,0,1
  hitscan view model.obj --port 8080 --no-open

The page is served to this machine alone, at a free port of 127.0.0.1 unless --port names one, and
opened in the browser; its address is also printed. It needs no internet. Several tabs each have a
camera and a selection of their own.

Drag to turn, scroll to zoom, click to pick, click again for what lies below; ? shows all keys. The
panel has all that is known of a pick, and the command that gives the same answer here. When the
file changes it is read again; one that cannot be read leaves the picture as it was and says why.
Ctrl-C ends it.")]
pub(crate) struct ViewArgs {
    /// The mesh (OBJ, STL, PLY or cache file), or the scene (glTF or TOML).
    #[arg(value_name = "FILE_OR_SCENE")]
    pub(crate) file: PathBuf,

    /// Port to listen on; 0 is a free one.
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    pub(crate) port: u16,

    /// Only print the address.
    #[arg(long)]
    pub(crate) no_open: bool,

    /// What points up [default: 0,1,0].
    #[arg(long, value_name = "X,Y,Z", value_parser = triple, allow_hyphen_values = true)]
    pub(crate) up: Option<[f64; 3]>,

    #[command(flatten)]
    pub(crate) engine: EngineArgs,
}
