//! The flags of `overlap`: two meshes or one, their places, and what to tell about them.

use std::path::PathBuf;

use clap::Args as ClapArgs;

use super::engine::EngineArgs;
use super::format::ReportArgs;
use super::values::{matrix, positive_or_zero, triple};

/// Tell whether two meshes touch, where they cross, and how far apart they are, or whether one
/// intersects itself.
#[derive(Debug, ClapArgs)]
#[command(
    arg_required_else_help = true,
    after_help = "Examples:
  hitscan overlap piston.stl cylinder.stl
  hitscan overlap piston.stl cylinder.stl --translate 0,0,12.5 --distance
  hitscan overlap a.obj b.obj --distance --within 0.1      a clearance of 0.1
  hitscan overlap a.obj b.obj --pairs --crossings --json | jq '.pairs | length'
  hitscan overlap a.obj --pairs                            does a.obj intersect itself, and where?

A mesh is its surface, so a part inside another one does not touch it. Touching counts: overlap is
exact for the corners in double precision, each the image of a corner in single precision.

Triangles of one mesh intersect if they have a point in common that is neither a shared corner nor
on a shared edge. Corners are shared by position. So doubled triangles intersect, triangles folded
onto each other do, and those with a corner on an edge that has no corner there.

Results:
  text    overlap   yes
          pairs     1
            triangle 12 of A, 40 of B
          crossings 1
            from 0.0 0.0 1.0 to 1.0 0.0 1.0, triangle 12 of A, 40 of B
          distance  0.0
            from 0.0 0.0 1.0, triangle 12 of A
            to   0.0 0.0 1.0, triangle 40 of B
  json    {\"overlap\":true,\"pairs\":[[12,40]],
          \"crossings\":[{\"triangles\":[12,40],\"segment\":[[0.0,0.0,1.0],[1.0,0.0,1.0]]}],
          \"distance\":{\"distance\":0.0,\"points\":[[0.0,0.0,1.0],[0.0,0.0,1.0]],\"triangles\":[12,40]}}
  Triangles of A come first. Pairs of triangles in one plane have no crossing. The distance is null
  if it is more than --within, or a mesh has no triangles. Pairs of one mesh have
  the lesser index first.

Exit codes: 0 the meshes overlap, or with --distance are near enough, or the one mesh
intersects itself; 1 they do not, 2 error."
)]
pub(crate) struct OverlapArgs {
    /// The first mesh (OBJ, STL, PLY or cache file, also .gz or .zst) or scene (glTF or TOML), whose
    /// visible instances become one mesh; - is standard input.
    #[arg(value_name = "A")]
    pub(crate) first: PathBuf,

    /// The second mesh or scene; without it, tell which triangles of A intersect each other.
    #[arg(value_name = "B")]
    pub(crate) second: Option<PathBuf>,

    /// Move B by this vector.
    #[arg(long, value_name = "X,Y,Z", value_parser = triple, allow_hyphen_values = true, requires = "second")]
    pub(crate) translate: Option<[f64; 3]>,

    /// Place B by an affine matrix: 16 numbers, column by column as in glam.
    #[arg(long, value_name = "M", value_parser = matrix, allow_hyphen_values = true,
          conflicts_with = "translate", requires = "second")]
    pub(crate) matrix: Option<[f64; 16]>,

    /// Place A by an affine matrix.
    #[arg(long, value_name = "M", value_parser = matrix, allow_hyphen_values = true, requires = "second")]
    pub(crate) matrix_a: Option<[f64; 16]>,

    /// List the pairs of triangles that overlap.
    #[arg(long)]
    pub(crate) pairs: bool,

    /// List the segments in which triangles cross.
    #[arg(long, requires = "second")]
    pub(crate) crossings: bool,

    /// Tell the distance and the nearest points.
    #[arg(long, requires = "second")]
    pub(crate) distance: bool,

    /// Look for the distance up to D [default: any].
    #[arg(long, value_name = "D", value_parser = positive_or_zero, allow_hyphen_values = true, requires = "distance")]
    pub(crate) within: Option<f64>,

    #[command(flatten)]
    pub(crate) report: ReportArgs,

    #[command(flatten)]
    pub(crate) engine: EngineArgs,
}
