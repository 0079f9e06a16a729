//! The command line: commands, flags and the values they take.

mod engine;
mod limits;
mod picking;
mod render;
mod view;

use std::path::PathBuf;

use clap::{ArgGroup, Args as ClapArgs, Parser, Subcommand, ValueEnum};

pub(crate) use engine::{EngineArgs, FacesArg, LayoutArg, QualityArg, ThreadsArg};
pub(crate) use limits::LimitArgs;
pub(crate) use picking::{CameraArgs, LineFormat, PickArgs, SelectArgs};
pub(crate) use render::RenderArgs;
pub(crate) use view::ViewArgs;

use crate::rays::RayFormat;

/// Cast rays at triangle meshes: exact about which triangle is hit, and fast.
#[derive(Debug, Parser)]
#[command(
    name = "hitscan",
    version,
    arg_required_else_help = true,
    after_help = "Examples:
  hitscan make cuboid 10 12 4 --level 4 -o cuboid.obj
  hitscan info cuboid.obj
  hitscan cast cuboid.obj --from 4,-7,-4 --to 2,3,4
  hitscan cast cuboid.obj --rays rays.csv --format npz -o hits.npz
  hitscan build cuboid.obj -o cuboid.hitscan
  hitscan pick cuboid.obj --eye 9,9,30 --target 0,0,0 --size 800x600 --pixel 400,300
  hitscan select cuboid.obj --eye 9,9,30 --target 0,0,0 --size 800x600 --marquee 0,0,400,300 --element face
  hitscan render cuboid.obj -o cuboid.png
  hitscan view cuboid.obj
  hitscan check cuboid.obj
  hitscan bench cuboid.obj

Results go to standard output, everything else to standard error.
Exit codes:
  0    a ray hit, something was picked or selected, or the command succeeded
  1    no hit, nothing picked or selected, or check found a difference
  2    error
  130  interrupted"
)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Make(MakeArgs),
    Info(InfoArgs),
    Cast(CastArgs),
    Build(BuildArgs),
    Pick(PickArgs),
    Select(SelectArgs),
    Render(RenderArgs),
    View(ViewArgs),
    Check(CheckArgs),
    Bench(BenchArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
}

/// Write a mesh as OBJ.
#[derive(Debug, ClapArgs)]
#[command(
    arg_required_else_help = true,
    after_help = "Examples:
  hitscan make cuboid 10 12 4 --level 4 -o cuboid.obj    1538 vertices, 3072 triangles
  hitscan make terrain --triangles 1000000 --seed 7 -o terrain.obj
  hitscan make sphere --radius 2 | head

The triangle count of --triangles is approximate; standard error gets the actual counts."
)]
pub(crate) struct MakeArgs {
    #[command(subcommand)]
    pub(crate) shape: Shape,

    /// Write to FILE [default: standard output].
    #[arg(short, long, value_name = "FILE", global = true)]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Shape {
    /// A box around the origin; each level splits every triangle into four.
    #[command(after_help = "Example:\n  hitscan make cuboid 10 12 4 --level 4 -o cuboid.obj")]
    Cuboid {
        /// Size along x.
        #[arg(value_name = "W", allow_negative_numbers = true)]
        width: f32,
        /// Size along y.
        #[arg(value_name = "H", allow_negative_numbers = true)]
        height: f32,
        /// Size along z.
        #[arg(value_name = "D", allow_negative_numbers = true)]
        depth: f32,
        /// Split each triangle into four L times: 12 * 4^L triangles.
        #[arg(long, value_name = "L", default_value_t = 0)]
        level: u32,
    },
    /// A sphere around the origin.
    #[command(after_help = "Example:\n  hitscan make sphere --triangles 50000 -o sphere.obj")]
    Sphere {
        #[command(flatten)]
        size: Size,
        /// Radius.
        #[arg(long, value_name = "R", default_value_t = 1.0, allow_negative_numbers = true)]
        radius: f32,
    },
    /// A torus around the origin.
    #[command(after_help = "Example:\n  hitscan make torus --major 2 --minor 0.5 -o torus.obj")]
    Torus {
        #[command(flatten)]
        size: Size,
        /// Radius of the circle through the centre of the tube.
        #[arg(long, value_name = "R", default_value_t = 1.0, allow_negative_numbers = true)]
        major: f32,
        /// Radius of the tube.
        #[arg(long, value_name = "R", default_value_t = 0.25, allow_negative_numbers = true)]
        minor: f32,
    },
    /// A flat grid of equal cells.
    #[command(after_help = "Example:\n  hitscan make grid --triangles 2000 -o grid.obj")]
    Grid {
        #[command(flatten)]
        size: Size,
        /// Size along x.
        #[arg(long, value_name = "W", default_value_t = 1.0, allow_negative_numbers = true)]
        width: f32,
        /// Size along the other axis.
        #[arg(long, value_name = "D", default_value_t = 1.0, allow_negative_numbers = true)]
        depth: f32,
    },
    /// A random landscape.
    #[command(after_help = "Example:\n  hitscan make terrain --triangles 1000000 -o terrain.obj")]
    Terrain(Seeded),
    /// Random houses on flat ground.
    #[command(after_help = "Example:\n  hitscan make city --seed 3 -o city.obj")]
    City(Seeded),
    /// Random triangles that do not touch.
    #[command(after_help = "Example:\n  hitscan make soup --triangles 500 --seed 3 -o soup.obj")]
    Soup(Seeded),
}

/// The approximate triangle count of a shape.
#[derive(Clone, Copy, Debug, ClapArgs)]
pub(crate) struct Size {
    /// Make about N triangles.
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub(crate) triangles: usize,
}

/// The size and seed of a random shape.
#[derive(Clone, Copy, Debug, ClapArgs)]
pub(crate) struct Seeded {
    #[command(flatten)]
    pub(crate) size: Size,
    /// Seed the random numbers: the same seed gives the same mesh.
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub(crate) seed: u64,
}

/// Describe a mesh and its tree.
#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:
  hitscan info model.obj
  hitscan info model.obj --json | jq .tree")]
pub(crate) struct InfoArgs {
    /// The mesh: OBJ, STL, PLY, glTF, or a cache file of `hitscan build`.
    pub(crate) file: PathBuf,

    /// Print one JSON object.
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) engine: EngineArgs,
}

/// Cast rays and print their hits.
#[derive(Debug, ClapArgs)]
#[command(
    group(ArgGroup::new("aim").args(["to", "dir"])),
    group(ArgGroup::new("source").args(["from", "rays"]).required(true)),
    group(ArgGroup::new("query").args(["closest", "all", "any", "count"])),
    after_help = "Examples:
  hitscan cast model.obj --from 4,-7,-4 --to 2,3,4             a segment: t is 0 at --from, 1 at --to
  hitscan cast model.obj --from 0,0,9 --dir 0,0,-1 --all       every hit, nearest first
  hitscan cast model.obj --rays rays.csv --format csv -o hits.csv
  hitscan cast model.obj --rays rays.npy --format npz -o hits.npz
  generate-rays | hitscan cast model.obj --rays - --format ndjson

Rays:
  csv     under the header ox,oy,oz,dx,dy,dz or ox,oy,oz,dx,dy,dz,t_min,t_max
  ndjson  {\"origin\":[0,0,9],\"direction\":[0,0,-1],\"t_min\":0,\"t_max\":null} per line;
          bounds may be absent or null; \"inf\", \"-inf\" are infinite
  npy     float32 or float64 of shape (n, 6) or (n, 8), columns as in csv
  Invalid rays miss, and hitscan prints their count. A ray is invalid if its direction is zero,
  a number is not finite, or its interval is empty.

The unit of t is the length of the direction. A hit is on the front side if the corners of the
triangle run counter-clockwise, seen from the origin of the ray.

Exit codes: 0 a ray hit, 1 no ray hit, 2 error."
)]
pub(crate) struct CastArgs {
    /// The mesh: OBJ, STL, PLY, glTF, or a cache file of `hitscan build`.
    pub(crate) file: PathBuf,

    /// Cast a single ray from this origin.
    #[arg(
        long, value_name = "X,Y,Z", value_parser = point, allow_hyphen_values = true,
        requires = "aim"
    )]
    pub(crate) from: Option<[f32; 3]>,

    /// Cast a segment to this target: direction to - from, t from 0 to 1 [see --t-max].
    #[arg(
        long, value_name = "X,Y,Z", value_parser = point, allow_hyphen_values = true,
        requires = "from"
    )]
    pub(crate) to: Option<[f32; 3]>,

    /// Cast along this direction, of any length but zero.
    #[arg(
        long, value_name = "X,Y,Z", value_parser = point, allow_hyphen_values = true,
        requires = "from"
    )]
    pub(crate) dir: Option<[f32; 3]>,

    /// Read the rays from FILE, or from standard input (-).
    #[arg(long, value_name = "FILE", conflicts_with = "aim")]
    pub(crate) rays: Option<PathBuf>,

    /// Read the rays in this format [default: by the extension, else by the first bytes].
    #[arg(long, value_name = "FORMAT", requires = "rays")]
    pub(crate) rays_format: Option<RayFormat>,

    /// Print the hit with the smallest t of each ray [default].
    #[arg(long)]
    pub(crate) closest: bool,

    /// Print all hits of each ray, sorted by t.
    #[arg(long)]
    pub(crate) all: bool,

    /// With --all, print each crossing once, even on an edge that triangles share.
    #[arg(long, requires = "all")]
    pub(crate) once: bool,

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
    #[arg(long, value_name = "T", value_parser = number, allow_hyphen_values = true)]
    pub(crate) t_min: Option<f32>,

    /// Ignore hits above this t [default: 1 with --to, else inf].
    ///
    /// With --rays, both bounds apply to rays without bounds in the file.
    #[arg(long, value_name = "T", value_parser = number, allow_hyphen_values = true)]
    pub(crate) t_max: Option<f32>,

    /// Write the results in this format.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = OutputFormat::Text)]
    pub(crate) format: OutputFormat,

    /// Write to FILE, complete or not at all [default: standard output].
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Test every triangle instead of using a tree: slow, with byte-identical output.
    #[arg(long)]
    pub(crate) brute: bool,

    #[command(flatten)]
    pub(crate) engine: EngineArgs,
}

/// Write a cache file: a mesh with its tree, ready to query.
#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:
  hitscan build model.obj -o model.hitscan
  hitscan cast model.hitscan --from 4,-7,-4 --to 2,3,4
  hitscan build model.obj -o small.hitscan --layout compact

Every command accepts a cache file in place of the mesh, under any name, with the same answers. A
command with another --quality or --layout builds a new tree.

If the source files still exist, hitscan checks them on every use. A changed source is an error
until you rebuild the cache file. If the sources are gone, hitscan uses the cache file as is. A
damaged cache file, or one of another version, is an error.")]
pub(crate) struct BuildArgs {
    /// The mesh: OBJ, STL, PLY or glTF.
    pub(crate) file: PathBuf,

    /// Write to FILE, complete or not at all.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,

    #[command(flatten)]
    pub(crate) engine: EngineArgs,
}

/// Compare every instruction set, builder and query with brute force.
#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:
  hitscan check model.obj
  hitscan check model.obj --rays 100000 --seed 7

The rays are random and hostile. They pass through vertices and edges, lie in the planes of
triangles, run parallel to axes, graze surfaces, and start inside or far away. Segments end on
their target; intervals are narrow or negative. check compares the answers bit by bit.

Exit codes: 0 no difference, 1 a difference or an invalid tree, 2 error.")]
pub(crate) struct CheckArgs {
    /// The mesh: OBJ, STL, PLY, glTF, or a cache file of `hitscan build`.
    pub(crate) file: PathBuf,

    /// Cast N rays.
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub(crate) rays: usize,

    /// Seed the random numbers: the same seed gives the same rays.
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub(crate) seed: u64,

    #[command(flatten)]
    pub(crate) threads: ThreadsArg,

    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

/// Measure loading, building and queries.
#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:
  hitscan bench model.obj
  hitscan bench model.obj --rays 1000000 --threads 1 --json

Rays:
  primary   from a camera that sees the whole mesh, in tiles of 4 by 4
  diffuse   from the primary hits in random directions
  segments  between random points of the bounds
  shadow    from the primary hits to a light

Before it measures, bench compares a sample of the answers with brute force. Times are medians.
Single rays run on one thread, batches on all threads.")]
pub(crate) struct BenchArgs {
    /// The mesh: OBJ, STL, PLY, glTF, or a cache file of `hitscan build`.
    pub(crate) file: PathBuf,

    /// Cast N rays of each kind.
    #[arg(long, value_name = "N", default_value_t = 262_144,
          value_parser = clap::value_parser!(u64).range(1..=1 << 28))]
    pub(crate) rays: u64,

    /// Seed the random numbers: the same seed gives the same rays.
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub(crate) seed: u64,

    /// Print one JSON object.
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) engine: EngineArgs,
}

/// Write completions for a shell.
#[derive(Clone, Copy, Debug, ClapArgs)]
#[command(after_help = "Examples:
  hitscan completions bash > ~/.local/share/bash-completion/completions/hitscan
  hitscan completions zsh > ~/.zfunc/_hitscan
  hitscan completions fish > ~/.config/fish/completions/hitscan.fish")]
pub(crate) struct CompletionsArgs {
    /// Shell to complete for.
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

/// Write a manual page.
#[derive(Clone, Debug, ClapArgs)]
#[command(after_help = "Examples:
  hitscan man > ~/.local/share/man/man1/hitscan.1
  hitscan man render | man -l -")]
pub(crate) struct ManArgs {
    /// Describe this command [default: the whole program].
    pub(crate) command: Option<String>,
}

/// The formats of results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputFormat {
    /// Text for people.
    Text,
    /// One JSON object per ray, one per line.
    Ndjson,
    /// Comma-separated values, one row per hit.
    Csv,
    /// NumPy arrays under the names of Open3D.
    Npz,
}

/// Three finite numbers, `X,Y,Z`.
fn point(text: &str) -> Result<[f32; 3], String> {
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    let Ok(parts) = <[&str; 3]>::try_from(parts.as_slice()) else {
        return Err(format!("found {} numbers; expected three as in 1,-2.5,3", parts.len()));
    };
    let mut point = [0.0f32; 3];
    for (number, part) in point.iter_mut().zip(parts) {
        *number = self::number(part)?;
        if !number.is_finite() {
            return Err(format!("found `{part}`; expected a finite number of single precision"));
        }
    }
    Ok(point)
}

/// A number, rounded to single precision; `inf` and `nan` are numbers.
fn number(text: &str) -> Result<f32, String> {
    text.parse().map_err(|_| format!("found `{text}`; expected a number"))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_definition_of_the_command_line_is_consistent() {
        Args::command().debug_assert();
    }

    #[test]
    fn points_take_signs_spaces_and_exponents_and_name_what_is_wrong() {
        assert_eq!(point("-1, +2.5,3e-2"), Ok([-1.0, 2.5, 0.03]));
        assert!(point("1,2").unwrap_err().contains("2 numbers"));
        assert!(point("1,x,3").unwrap_err().contains("`x`"));
        assert!(point("1,1e39,3").unwrap_err().contains("finite"));
        assert!(point("nan,0,0").unwrap_err().contains("finite"));
    }

    #[test]
    fn every_command_shows_examples_in_its_help() {
        for command in Args::command().get_subcommands() {
            let help = command.clone().render_long_help().to_string();
            assert!(help.contains("Examples:"), "{}", command.get_name());
        }
    }
}
