//! The flags of `cast`: a mesh, rays, a query and an output.

use std::path::PathBuf;

use clap::{ArgGroup, Args as ClapArgs};

use super::aim::AimArgs;
use super::engine::{EngineArgs, FacesArg};
use super::field::{Field, FieldList, field_list};
use super::format::{ClobberArg, OutputFormat};
use super::values::decimal;
use crate::table::{Decimal, TableFormat};

/// Cast rays and print their hits.
#[derive(Debug, ClapArgs)]
#[command(
    group(ArgGroup::new("source").args(["from", "rays"]).required(true)),
    group(ArgGroup::new("query").args(["closest", "all", "any", "count"])),
    after_help = "Examples:
  hitscan cast model.obj --from 4,-7,-4 --to 2,3,4         a segment: t is 0 at --from, 1 at --to
  hitscan cast model.obj --from 0,0,9 --dir 0,0,-1 --all   every hit, nearest first
  hitscan cast model.obj --rays rays.csv -o hits.csv
  hitscan cast model.obj --rays rays.npy -o hits.npz
  generate-rays | hitscan cast model.obj --rays - --json
  hitscan cast model.obj --from 0,0,9 --dir 0,0,-1 --radius 0.5   where a ball stops

Rays:
  csv     columns ox,oy,oz,dx,dy,dz and optionally t_min,t_max, named by a header in any order;
          rows of 6 or 8 numbers need no header; files of NumPy's savetxt are fine, too
  ndjson  {\"origin\":[0,0,9],\"direction\":[0,0,-1],\"t_min\":0,\"t_max\":null} per line;
          bounds may be absent or null; \"inf\", \"-inf\" are infinite
  npy     float32 or float64 of shape (n, 6) or (n, 8), columns as in csv
  From a pipe, rays get their answers whenever the input pauses, so a program may write a ray and
  wait for its answer.
  Invalid rays miss, and standard error gets their count. A ray is invalid if its direction is zero,
  a number is not finite, or its interval is empty.

Results:
  text    a block per hit; \"no hit\" for a miss
  ndjson  an object per ray with the list \"hits\"; a miss has \"hits\":[]
  csv     a row per hit; a miss has no row
  npz     arrays for numpy.load. t_hit, primitive_ids, primitive_uvs and primitive_normals have an
          entry per ray; a miss has t_hit inf, primitive_ids 4294967295 and zeros elsewhere.
          With --all they have an entry per hit: those of ray i are ray_splits[i] up to
          ray_splits[i+1], without an entry for a miss, and ray_ids has the ray of each hit
  With --any and --count every ray has a result in every format.
  In csv a name that begins with = + - @ ' or a tab gets a ' in front, because spreadsheets would
  run it. To read it back, drop one ' at the beginning.
  The extension of -o gives the format: .txt, .ndjson, .jsonl, .csv or .npz.

Fields of a hit, for --fields:
  t, distance           in lengths of the direction; from the origin of the ray
  point                 x,y,z in csv, points in npz
  normal                of the triangle: nx,ny,nz in csv, primitive_normals in npz
  interpolated_normal   of the corners: inx,iny,inz in csv, interpolated_normals in npz
  feature               with --radius, the part of the triangle at the point: face, edge 0 (from
                        corner 0 to 1), vertex 0 and so on; feature_ids
  side                  front if the corners run counter-clockwise, seen from the origin; is_front
  w1, w2                weights of the second and third corner; primitive_uvs, as Open3D calls them
  instance, path        of a scene: index in the file, and names from the outermost parent on;
                        geometry_ids, path_ids
  triangle, vertices    indices in the mesh; primitive_ids, vertex_ids
  polygon, line         in the file: index from 0, line from 1; polygon_ids, lines
  object, group, material   names; in npz object_ids are indices into object_names, and so on
  colour                diffuse, of the material: red,green,blue in csv, colours in npz
  texture               texture coordinates: texture_u,texture_v in csv, texture_uvs in npz
  A fact that a hit lacks is null, an empty field, or in npz 4294967295, zero or NaN.

Balls:
  With --radius, t is that of the centre of the ball, in 64 bits. A row is the contact with a
  triangle: point is the point of the triangle, and normal points from it to the centre. side is
  absent, because a ball that touches an edge touches no side. --all prints a contact per triangle.

A scene answers as pick does: triangles count in the mesh of their instance, and t has 64 bits. The
help of pick describes scene files. The nodes of a glTF file are instances.

Exit codes: 0 a ray hit, 1 no ray hit, 2 error."
)]
pub(crate) struct CastArgs {
    /// The mesh (OBJ, STL, PLY or cache file) or the scene (glTF or TOML); - is standard input.
    #[arg(value_name = "FILE_OR_SCENE")]
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) aim: AimArgs,

    /// Read the rays from FILE, or from standard input (-).
    #[arg(long, value_name = "FILE", conflicts_with = "aim")]
    pub(crate) rays: Option<PathBuf>,

    /// Read the rays in this format [default: by the extension, else by the first bytes].
    #[arg(long, value_name = "FORMAT", requires = "rays")]
    pub(crate) rays_format: Option<TableFormat>,

    /// Cast a ball of this radius along each ray, and print where it first touches a surface.
    ///
    /// A ball that touches at the start of the interval has its contact there. With 0 the ball is the ray.
    #[arg(
        long, value_name = "R", value_parser = decimal, allow_hyphen_values = true,
        conflicts_with_all = ["count", "once_per_crossing", "faces"]
    )]
    pub(crate) radius: Option<Decimal>,

    /// Print the hit with the smallest t of each ray [default].
    #[arg(long)]
    pub(crate) closest: bool,

    /// Print all hits of each ray, sorted by t.
    #[arg(long)]
    pub(crate) all: bool,

    /// With --all, print each crossing once, even on an edge that triangles share.
    #[arg(long, requires = "all")]
    pub(crate) once_per_crossing: bool,

    /// Print only whether each ray hits anything.
    #[arg(long)]
    pub(crate) any: bool,

    /// Print only the number of surface crossings of each ray.
    #[arg(long)]
    pub(crate) count: bool,

    /// Test these sides of the triangles.
    #[arg(long, value_enum, value_name = "SIDES", default_value_t = FacesArg::Both)]
    pub(crate) faces: FacesArg,

    /// Ignore hits below this t; it may be negative or -inf [default: 0].
    #[arg(long, value_name = "T", value_parser = decimal, allow_hyphen_values = true)]
    pub(crate) t_min: Option<Decimal>,

    /// Ignore hits above this t [default: 1 with --to, else inf].
    ///
    /// With --rays, both bounds apply to rays without bounds in the file.
    #[arg(long, value_name = "T", value_parser = decimal, allow_hyphen_values = true)]
    pub(crate) t_max: Option<Decimal>,

    /// Print these facts of each hit, as in t,point,texture; `all` prints all.
    #[arg(long, value_name = "NAMES", value_parser = field_list::<Field>)]
    pub(crate) fields: Option<FieldList>,

    /// Write the results in this format [default: by the extension of -o, else text].
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) format: Option<OutputFormat>,

    /// Same as --format ndjson: one JSON object per ray.
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,

    /// Write to FILE, complete or not at all; replaces it [default: standard output].
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) clobber: ClobberArg,

    /// Test every triangle instead of using a tree: slow, with byte-identical output.
    #[arg(long)]
    pub(crate) brute: bool,

    #[command(flatten)]
    pub(crate) engine: EngineArgs,
}
