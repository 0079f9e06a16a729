//! The flags of `convert`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};

use super::format::ClobberArg;
use super::limits::LimitArgs;

/// Convert a mesh to another format.
#[derive(Debug, ClapArgs)]
#[command(
    arg_required_else_help = true,
    after_help = "Examples:
  hitscan convert part.stl part.obj --scale 0.001       millimetres to metres
  hitscan convert city.glb city.ply --up z
  zcat scan.ply.gz | hitscan convert - scan.glb

The extension of OUT is the format: .obj, .stl, .ply or .glb. STL and PLY are binary.

The triangles keep their order, and without --scale and --up every coordinate keeps its bits. The
scene of a glTF file becomes one mesh, whose objects are the nodes. convert prints a note for each
kind of part that IN has and OUT cannot hold."
)]
pub(crate) struct ConvertArgs {
    /// The mesh (OBJ, STL, PLY or cache file, also .gz or .zst) or the scene (glTF or TOML), whose
    /// visible instances become one mesh; - is standard input.
    #[arg(value_name = "IN")]
    pub(crate) file: PathBuf,

    /// Write to OUT, complete or not at all, and replace it; - writes OBJ to standard output.
    #[arg(value_name = "OUT")]
    pub(crate) output: PathBuf,

    #[command(flatten)]
    pub(crate) clobber: ClobberArg,

    /// Multiply every coordinate by S.
    #[arg(long, value_name = "S", value_parser = positive, allow_hyphen_values = true)]
    pub(crate) scale: Option<f64>,

    /// Turn the mesh about x until this axis points where the other one did.
    #[arg(long, value_name = "AXIS")]
    pub(crate) up: Option<UpAxis>,

    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

/// The axis that points up in the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum UpAxis {
    /// For a mesh with z up.
    Y,
    /// For a mesh with y up.
    Z,
}

/// A positive finite number.
fn positive(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(number) if number > 0.0 && f64::is_finite(number) => Ok(number),
        _ => Err(format!("found `{text}`; expected a positive finite number")),
    }
}
