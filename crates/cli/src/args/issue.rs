//! The flags of `report`: a mesh, and the ray whose answer is in doubt.

use std::path::PathBuf;

use clap::Args as ClapArgs;

use super::aim::AimArgs;
use super::engine::EngineArgs;
use super::format::ClobberArg;
use super::values::decimal;
use crate::table::Decimal;

/// Collect what a report of a mistake needs: versions, processor, counts, bounds.
#[derive(Debug, ClapArgs)]
#[command(
    arg_required_else_help = true,
    after_help = "Examples:
  hitscan report model.obj
  hitscan report model.obj --from 0,0,9 --dir 0,0,-1
  hitscan report model.obj --from 0,0,9 --dir 0,0,-1 --mesh small.obj

Copy the output into the issue. It has no path and no name of an object, group or material. It has
the bounds of the mesh and, with a ray, the corners of the triangles that are hit. If hitscan
refuses the file, the output ends after the processor, and standard error has the reason, which
names the file.

With a ray, report compares the tree with brute force, and prints all numbers as decimals and as
bits. --mesh writes the triangles near the ray, with their exact positions, so that others can
repeat the query. Attach that file only if you may show a part of your mesh.

Exit codes: 0 the report is written, 1 tree and brute force differ, 2 error."
)]
pub(crate) struct IssueArgs {
    /// The mesh (OBJ, STL, PLY, glTF or cache file, also .gz or .zst); - is standard input.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) aim: AimArgs,

    /// Ignore hits below this t [default: 0].
    #[arg(
        long, value_name = "T", value_parser = decimal, allow_hyphen_values = true,
        requires = "from"
    )]
    pub(crate) t_min: Option<Decimal>,

    /// Write the triangles near the ray to this OBJ file.
    #[arg(long, value_name = "OUT.obj", requires = "from")]
    pub(crate) mesh: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) clobber: ClobberArg,

    #[command(flatten)]
    pub(crate) engine: EngineArgs,
}
