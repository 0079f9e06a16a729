//! The flags of `hitscan page`.

use std::path::PathBuf;

use clap::Args as ClapArgs;

use super::{ClobberArg, EngineArgs};

/// Write a page with a mesh and its picking: one HTML file to send.
#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:
  hitscan page model.obj -o model.html --template node_modules/hitscan/dist/page.html
  HITSCAN_PAGE=bindings/web/dist/page.html hitscan page model.obj -o model.html

The page holds the mesh, its tree and the engine in WebAssembly. A browser opens it without a server
and without a network. The picks are those of `hitscan pick`, to the last bit.

The template is part of the npm package: `npm install hitscan`, or `npm run build` in bindings/web.")]
pub(crate) struct PageArgs {
    /// The mesh: OBJ, STL, PLY or glTF (also .gz or .zst), or - for standard input.
    pub(crate) file: PathBuf,

    /// Write to FILE, complete or not at all; replaces it.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,

    #[command(flatten)]
    pub(crate) clobber: ClobberArg,

    /// Read the template of the page from FILE [default: the variable HITSCAN_PAGE].
    #[arg(long, value_name = "FILE")]
    pub(crate) template: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) engine: EngineArgs,
}
