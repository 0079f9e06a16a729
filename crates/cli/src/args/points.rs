//! The flags of `points`: a mesh, and points to measure from.

use std::path::PathBuf;

use clap::{ArgGroup, Args as ClapArgs};

use super::engine::EngineArgs;
use super::field::{FieldList, PointField, field_list};
use super::format::{ClobberArg, OutputFormat};
use super::values::decimal_point;
use crate::table::{Decimal, TableFormat};

/// Find the closest point of the surface, its distance, and whether each point is inside.
#[derive(Debug, ClapArgs)]
#[command(
    arg_required_else_help = true,
    group(ArgGroup::new("source").args(["at", "points"]).required(true)),
    after_help = "Examples:
  hitscan points model.obj --at 0.5,0,-2
  hitscan points model.obj --points points.npy -o distances.npz
  hitscan points model.obj --points points.csv -o distances.csv
  generate-points | hitscan points model.obj --points - --json
  hitscan points model.obj --points scan.ply -o deviation.csv   the vertices of a mesh

Points:
  csv     columns x,y,z, named by a header in any order among others; rows of 3 numbers need no
          header; files of NumPy's savetxt are fine, too
  ndjson  {\"point\":[1,2,3]}, {\"x\":1,\"y\":2,\"z\":3} or [1,2,3] per line
  npy     float32 or float64 of shape (n, 3)
  From a pipe, points get their answers whenever the input pauses.
  obj, stl, ply, glb, gltf, hitscan, also .gz and .zst: the vertices of the mesh, each once;
          standard error gets the deviation: minimum, maximum, mean and root mean square of the
          distances
  Coordinates are rounded to single precision. Points that are not finite have no closest point,
  and standard error gets their count.

Results, one per point in the order of the points:
  text    point 0: outside, distance 0.5
            closest   0.5 0.0 -1.5
            triangle  12, vertices 4 7 9, w1 0.25, w2 0.5
  ndjson  {\"point\":0,\"position\":[0.5,0.0,-2.0],\"inside\":false,\"distance\":0.5,
          \"signed_distance\":0.5,\"closest\":[0.5,0.0,-1.5],\"w1\":0.25,\"w2\":0.5,\"triangle\":12,
          \"vertices\":[4,7,9],\"polygon\":6,\"object\":null,\"group\":null,\"material\":null}
  csv     point,inside,distance,signed_distance,closest_x,closest_y,closest_z,w1,w2,triangle,...
  npz     inside, distance, signed_distance, points (n, 3), primitive_ids, primitive_uvs (n, 2)
  The columns w1 and w2 are the weights of the second and third corner at the closest point.
  A point without a closest point has null in ndjson, empty fields in csv, and in npz the distance
  inf, nan in points, and 4294967295 in primitive_ids.

Fields, for --fields: position, inside, distance, signed_distance, closest, w1, w2, triangle,
vertices, polygon, object, group, material. In csv position is x,y,z, and vertices are vertex_0,
vertex_1 and vertex_2. npz holds position as positions and vertices as vertex_ids, and no names or
polygons.

The extension of -o gives the format: .txt, .ndjson, .jsonl, .csv or .npz.
A point is inside if its winding number is greater than 1/2; its signed distance is negative. A
point on the surface is not inside. If the mesh is not closed, inside is the best guess: see
hitscan info --open-edges.

Exit codes: 0 a closest point was found, 1 none was found, 2 error."
)]
pub(crate) struct PointsArgs {
    /// The mesh (OBJ, STL, PLY or cache file, also .gz or .zst) or the scene (glTF or TOML), whose
    /// visible instances become one mesh; - is standard input.
    #[arg(value_name = "FILE_OR_SCENE")]
    pub(crate) file: PathBuf,

    /// Measure from a single point.
    #[arg(long, value_name = "X,Y,Z", value_parser = decimal_point, allow_hyphen_values = true)]
    pub(crate) at: Option<[Decimal; 3]>,

    /// Read the points from FILE, or from standard input (-).
    #[arg(long, value_name = "FILE")]
    pub(crate) points: Option<PathBuf>,

    /// Read the points in this format [default: by the extension, else by the first bytes].
    #[arg(long, value_name = "FORMAT", requires = "points")]
    pub(crate) points_format: Option<TableFormat>,

    /// Print these facts of each point, as in distance,closest; `all` prints all [default: all, in csv
    /// without position and vertices, in npz those above].
    #[arg(long, value_name = "NAMES", value_parser = field_list::<PointField>)]
    pub(crate) fields: Option<FieldList<PointField>>,

    /// Write the results in this format [default: by the extension of -o, else text].
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) format: Option<OutputFormat>,

    /// Same as --format ndjson: one JSON object per point.
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,

    /// Write to FILE, complete or not at all; replaces it [default: standard output].
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) clobber: ClobberArg,

    #[command(flatten)]
    pub(crate) engine: EngineArgs,
}
