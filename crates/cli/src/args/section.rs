//! The flags of `section`: a mesh or scene, and a plane.

use std::path::PathBuf;

use clap::{ArgGroup, Args as ClapArgs, ValueEnum};

use super::engine::EngineArgs;
use super::format::ClobberArg;
use super::values::{rectangle, triple};

/// Find the lines along which a plane cuts a mesh or a scene.
#[derive(Debug, ClapArgs)]
#[command(
    arg_required_else_help = true,
    group(ArgGroup::new("cut").args(["plane", "normal"]).required(true)),
    after_help = "Examples:
  hitscan section model.obj --plane 0,0,1,-0.5          the plane z = 0.5
  hitscan section model.obj --point 0,0,0.5 --normal 0,0,1 --json
  hitscan section street.toml --normal 0,1,0 -o cut.obj
  hitscan section model.stl --plane 1,0,0,0 -o cut.svg

The plane has the points with A x + B y + C z + D = 0, or passes through --point at a right angle to
--normal. The normal points to the side above. A corner in the plane counts as above it, so the
plane through the top of a solid cuts it, and the one through its bottom does not.

Triangles that meet at a cut edge give one polyline, which is closed where the mesh is closed. Seen
from above, the inside of a surface lies to the left. A polyline keeps to one instance of a scene.

Results, in the order of the instances and of the first triangles:
  text    polyline 0: closed, 8 points, length 8
            instance  chair / seat
  ndjson  {\"polyline\":0,\"closed\":true,\"length\":8.0,\"instance\":0,\"path\":[null],
          \"points\":[[1.0,0.0,0.5],...],\"triangles\":[4,...],\"polygons\":[2,...]}
  csv     polyline,closed,instance,x,y,z,triangle,polygon,object,group,material
  obj     v and l statements, an object for each instance
  svg     outlines in the plane, filled by the even-odd rule, one unit each

Entry i of triangles is the triangle of the segment from point i to the next. A closed polyline does
not repeat its first point, and its last segment returns there. In csv the row of a point has the
triangle of the segment that starts there; the last row of an open polyline has none.

The extension of -o gives the format: .txt, .ndjson, .jsonl, .csv, .obj or .svg.

Exit codes: 0 the plane cuts something, 1 nothing, 2 error."
)]
pub(crate) struct SectionArgs {
    /// The mesh (OBJ, STL, PLY or cache file, also .gz or .zst) or the scene (glTF or TOML), whose
    /// visible instances are cut; - is standard input.
    #[arg(value_name = "FILE_OR_SCENE")]
    pub(crate) file: PathBuf,

    /// Cut along the plane A x + B y + C z + D = 0.
    #[arg(long, value_name = "A,B,C,D", value_parser = rectangle, allow_hyphen_values = true)]
    pub(crate) plane: Option<[f64; 4]>,

    /// Cut along a plane with this normal, of any length.
    #[arg(long, value_name = "X,Y,Z", value_parser = triple, allow_hyphen_values = true)]
    pub(crate) normal: Option<[f64; 3]>,

    /// Cut through this point [default: 0,0,0].
    #[arg(long, value_name = "X,Y,Z", value_parser = triple, allow_hyphen_values = true,
          requires = "normal")]
    pub(crate) point: Option<[f64; 3]>,

    /// Write the results in this format [default: by the extension of -o, else text].
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) format: Option<SectionFormat>,

    /// Same as --format ndjson: one JSON object per polyline.
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,

    /// Write to FILE, complete or not at all, and replace it [default: standard output].
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) clobber: ClobberArg,

    #[command(flatten)]
    pub(crate) engine: EngineArgs,
}

/// The formats of polylines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SectionFormat {
    /// Text for people.
    Text,
    /// One JSON object per polyline, one per line.
    #[value(aliases = ["jsonl", "json"])]
    Ndjson,
    /// Comma-separated values, one row per point.
    Csv,
    /// Lines of a Wavefront OBJ file.
    Obj,
    /// A drawing in the plane.
    Svg,
}
