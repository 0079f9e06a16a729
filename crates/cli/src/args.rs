//! The command line: commands, flags and the values they take.

mod limits;
mod picking;
mod render;
mod view;

use std::path::PathBuf;

use clap::{ArgGroup, Args as ClapArgs, Parser, Subcommand, ValueEnum};
use hitscan::{BuildOptions, BuildQuality, Faces, Isa, Layout};

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
Exit code: 0 a ray hit (or the command is done), 1 no ray hit or nothing is there (or check found a
difference), 2 error, 130 interrupted."
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

A shape takes as many triangles as it can, close to the number asked for; the numbers of what was
made are told on standard error."
)]
pub(crate) struct MakeArgs {
    #[command(subcommand)]
    pub(crate) shape: Shape,

    /// File to write; standard output without it.
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
        /// How often to split; the box has 12 * 4^L triangles.
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
        /// Radius of the circle in the middle of the tube.
        #[arg(long, value_name = "R", default_value_t = 1.0, allow_negative_numbers = true)]
        major: f32,
        /// Radius of the tube.
        #[arg(long, value_name = "R", default_value_t = 0.25, allow_negative_numbers = true)]
        minor: f32,
    },
    /// A flat rectangle of equal cells.
    #[command(after_help = "Example:\n  hitscan make grid --triangles 2000 -o grid.obj")]
    Grid {
        #[command(flatten)]
        size: Size,
        /// Size along x.
        #[arg(long, value_name = "W", default_value_t = 1.0, allow_negative_numbers = true)]
        width: f32,
        /// Size along the other side.
        #[arg(long, value_name = "D", default_value_t = 1.0, allow_negative_numbers = true)]
        depth: f32,
    },
    /// A random landscape.
    #[command(after_help = "Example:\n  hitscan make terrain --triangles 1000000 -o terrain.obj")]
    Terrain(Seeded),
    /// Random houses on a ground.
    #[command(after_help = "Example:\n  hitscan make city --seed 3 -o city.obj")]
    City(Seeded),
    /// Random triangles that do not touch.
    #[command(after_help = "Example:\n  hitscan make soup --triangles 500 --seed 3 -o soup.obj")]
    Soup(Seeded),
}

/// How many triangles a shape shall have.
#[derive(Clone, Copy, Debug, ClapArgs)]
pub(crate) struct Size {
    /// Number of triangles, which the shape comes close to.
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub(crate) triangles: usize,
}

#[derive(Clone, Copy, Debug, ClapArgs)]
pub(crate) struct Seeded {
    #[command(flatten)]
    pub(crate) size: Size,
    /// Start of the random numbers: the same seed gives the same mesh.
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub(crate) seed: u64,
}

/// Say what is in a mesh and what its tree is like.
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

/// Say what rays hit.
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
  ndjson  {\"origin\":[0,0,9],\"direction\":[0,0,-1],\"t_min\":0,\"t_max\":null} on a line of its own;
          bounds may be absent or null; \"inf\", \"-inf\" are infinite
  npy     float32 or float64 of shape (n, 6) or (n, 8), columns as in csv
  An invalid ray (zero or not finite, or an empty interval) misses; their number is told.

A hit's t is in units of the direction as given. Its side is front when the corners run
counter-clockwise seen from the origin of the ray. Exit code: 0 a ray hit, 1 no ray hit, 2 error."
)]
pub(crate) struct CastArgs {
    /// The mesh: OBJ, STL, PLY, glTF, or a cache file of `hitscan build`.
    pub(crate) file: PathBuf,

    /// Origin of a single ray.
    #[arg(
        long, value_name = "X,Y,Z", value_parser = point, allow_hyphen_values = true,
        requires = "aim"
    )]
    pub(crate) from: Option<[f32; 3]>,

    /// Target of a segment: direction to - from, t in [0, 1] unless --t-max says otherwise.
    #[arg(
        long, value_name = "X,Y,Z", value_parser = point, allow_hyphen_values = true,
        requires = "from"
    )]
    pub(crate) to: Option<[f32; 3]>,

    /// Direction of a ray, of any length but zero.
    #[arg(
        long, value_name = "X,Y,Z", value_parser = point, allow_hyphen_values = true,
        requires = "from"
    )]
    pub(crate) dir: Option<[f32; 3]>,

    /// Many rays, from a file or from standard input (-).
    #[arg(long, value_name = "FILE", conflicts_with = "aim")]
    pub(crate) rays: Option<PathBuf>,

    /// Format of the rays; without it by the file's extension, or else by how the rays begin.
    #[arg(long, value_name = "FORMAT", requires = "rays")]
    pub(crate) rays_format: Option<RayFormat>,

    /// The hit with the least t of each ray (this is the default).
    #[arg(long)]
    pub(crate) closest: bool,

    /// All hits of each ray, sorted by t.
    #[arg(long)]
    pub(crate) all: bool,

    /// With --all: each crossing of the surface once, also where triangles share an edge.
    #[arg(long, requires = "all")]
    pub(crate) once: bool,

    /// Only whether each ray hits anything.
    #[arg(long)]
    pub(crate) any: bool,

    /// Only how often each ray crosses the surface.
    #[arg(long)]
    pub(crate) count: bool,

    /// Which sides of the triangles count.
    #[arg(long, value_enum, value_name = "SIDES", default_value_t = FacesArg::Both)]
    pub(crate) faces: FacesArg,

    /// Least t that counts, inclusive; may be negative or -inf [default: 0].
    #[arg(long, value_name = "T", value_parser = number, allow_hyphen_values = true)]
    pub(crate) t_min: Option<f32>,

    /// Greatest t that counts, inclusive [default: 1 with --to, else inf].
    ///
    /// With --rays both bounds are for the rays that bring none of their own.
    #[arg(long, value_name = "T", value_parser = number, allow_hyphen_values = true)]
    pub(crate) t_max: Option<f32>,

    /// Format of the results.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = OutputFormat::Text)]
    pub(crate) format: OutputFormat,

    /// File to write; standard output without it. It appears whole or not at all.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Test every triangle instead of using a tree: slow, the same output to the byte.
    #[arg(long)]
    pub(crate) brute: bool,

    #[command(flatten)]
    pub(crate) engine: EngineArgs,
}

/// Write a cache file: a mesh with its tree, read in an instant.
#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:
  hitscan build model.obj -o model.hitscan
  hitscan cast model.hitscan --from 4,-7,-4 --to 2,3,4
  hitscan build model.obj -o small.hitscan --layout compact

Every command takes a cache file in place of the mesh, whatever its name, with the same answers. A
command that asks for another --quality or --layout builds that tree anew.

As long as the mesh and its material libraries are where they were, they are looked at each time: if
one has changed, that is an error until the cache file is built again. Without them the cache file
stands for itself. A file that is damaged, or of another version, is an error, too.")]
pub(crate) struct BuildArgs {
    /// The mesh: OBJ, STL, PLY or glTF.
    pub(crate) file: PathBuf,

    /// File to write. It appears whole or not at all.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,

    #[command(flatten)]
    pub(crate) engine: EngineArgs,
}

/// Compare every instruction set, builder and kind of query with brute force.
#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:
  hitscan check model.obj
  hitscan check model.obj --rays 100000 --seed 7

Rays are random and hostile: through vertices and edges, in the planes of triangles, parallel to
axes, grazing, from inside and from far away, segments that end on their target, narrow and
negative intervals. Answers are compared bit by bit. Exit code: 0 all are the same, 1 a difference
was found, 2 error.")]
pub(crate) struct CheckArgs {
    /// The mesh: OBJ, STL, PLY, glTF, or a cache file of `hitscan build`.
    pub(crate) file: PathBuf,

    /// Number of rays.
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub(crate) rays: usize,

    /// Start of the random numbers: the same seed gives the same rays.
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

Rays: primary (a camera that sees the whole mesh, in tiles of 4 by 4), diffuse (from the primary
hits in random directions), segments (between random points of the bounds) and shadow (from the
primary hits to a light). A sample of the answers is compared with brute force before anything is
timed. Times are medians; one ray at a time is on one thread, batches are on all of them.")]
pub(crate) struct BenchArgs {
    /// The mesh: OBJ, STL, PLY, glTF, or a cache file of `hitscan build`.
    pub(crate) file: PathBuf,

    /// Number of rays of each kind.
    #[arg(long, value_name = "N", default_value_t = 262_144,
          value_parser = clap::value_parser!(u64).range(1..=1 << 28))]
    pub(crate) rays: u64,

    /// Start of the random numbers: the same seed gives the same rays.
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub(crate) seed: u64,

    /// Print one JSON object.
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) engine: EngineArgs,
}

/// Write the completions of a shell.
#[derive(Clone, Copy, Debug, ClapArgs)]
#[command(after_help = "Examples:
  hitscan completions bash > ~/.local/share/bash-completion/completions/hitscan
  hitscan completions zsh > ~/.zfunc/_hitscan
  hitscan completions fish > ~/.config/fish/completions/hitscan.fish")]
pub(crate) struct CompletionsArgs {
    /// The shell.
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

/// Write a page of the manual.
#[derive(Clone, Debug, ClapArgs)]
#[command(after_help = "Examples:
  hitscan man > ~/.local/share/man/man1/hitscan.1
  hitscan man render | man -l -")]
pub(crate) struct ManArgs {
    /// The command that the page is about; without it the page is about all of them.
    pub(crate) command: Option<String>,
}

/// How the tree is built and queried. None of it changes an answer.
#[derive(Clone, Copy, Debug, ClapArgs)]
pub(crate) struct EngineArgs {
    /// How much time to spend on a better tree [default: balanced, or what a cache file has].
    #[arg(long, value_enum, value_name = "QUALITY")]
    pub(crate) quality: Option<QualityArg>,

    /// Instruction set of the queries [default: the best of this machine].
    #[arg(long, value_name = "NAME", value_parser = isa)]
    pub(crate) isa: Option<Isa>,

    /// What the leaves of the tree are made of [default: full, or what a cache file has].
    #[arg(long, value_enum, value_name = "LAYOUT")]
    pub(crate) layout: Option<LayoutArg>,

    #[command(flatten)]
    pub(crate) threads: ThreadsArg,

    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

impl EngineArgs {
    pub(crate) fn build_options(&self) -> BuildOptions {
        BuildOptions {
            quality: self.quality.map_or_else(BuildQuality::default, BuildQuality::from),
            isa: self.isa.unwrap_or_default(),
            layout: self.layout.map_or_else(Layout::default, Layout::from),
        }
    }
}

#[derive(Clone, Copy, Debug, ClapArgs)]
pub(crate) struct ThreadsArg {
    /// Number of threads [default: as many as the machine has].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
}

/// [`Faces`] as a flag's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FacesArg {
    /// Both sides.
    Both,
    /// What is counter-clockwise seen from the origin of the ray.
    Front,
    /// What is clockwise seen from the origin of the ray.
    Back,
}

impl From<FacesArg> for Faces {
    fn from(faces: FacesArg) -> Self {
        match faces {
            FacesArg::Both => Self::Both,
            FacesArg::Front => Self::Front,
            FacesArg::Back => Self::Back,
        }
    }
}

/// [`BuildQuality`] as a flag's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum QualityArg {
    /// Build fast.
    Fast,
    /// For most uses.
    Balanced,
    /// Build for long use.
    High,
}

impl From<QualityArg> for BuildQuality {
    fn from(quality: QualityArg) -> Self {
        match quality {
            QualityArg::Fast => Self::Fast,
            QualityArg::Balanced => Self::Balanced,
            QualityArg::High => Self::High,
        }
    }
}

/// [`Layout`] as a flag's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LayoutArg {
    /// The fastest.
    Full,
    /// About half the memory, one and a half times the time.
    Compact,
}

impl From<LayoutArg> for Layout {
    fn from(layout: LayoutArg) -> Self {
        match layout {
            LayoutArg::Full => Self::Full,
            LayoutArg::Compact => Self::Compact,
        }
    }
}

/// How results are written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputFormat {
    /// For people.
    Text,
    /// A JSON object per ray and line.
    Ndjson,
    /// Comma-separated values, a row per hit.
    Csv,
    /// NumPy arrays under the names of Open3D.
    Npz,
}

/// Three finite numbers, `X,Y,Z`.
fn point(text: &str) -> Result<[f32; 3], String> {
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    let Ok(parts) = <[&str; 3]>::try_from(parts.as_slice()) else {
        return Err(format!("found {} numbers, expected three as in 1,-2.5,3", parts.len()));
    };
    let mut point = [0.0f32; 3];
    for (number, part) in point.iter_mut().zip(parts) {
        *number = self::number(part)?;
        if !number.is_finite() {
            return Err(format!("found `{part}`, expected a finite number of single precision"));
        }
    }
    Ok(point)
}

/// A number, rounded to single precision; `inf` and `nan` are numbers.
fn number(text: &str) -> Result<f32, String> {
    text.parse().map_err(|_| format!("found `{text}`, expected a number"))
}

fn isa(name: &str) -> Result<Isa, String> {
    Isa::from_name(name).ok_or_else(|| {
        let available: Vec<&str> = Isa::available().into_iter().map(Isa::name).collect();
        format!("not available on this machine, expected one of: {}", available.join(", "))
    })
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
