//! The command line: commands, flags and the values they take.

mod aim;
mod cast;
mod convert;
mod engine;
mod field;
mod format;
mod hint;
mod issue;
mod limits;
mod make;
mod overlap;
mod page;
mod picking;
mod points;
mod render;
mod section;
mod values;
mod view;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args as ClapArgs, CommandFactory, Parser, Subcommand};

pub(crate) use cast::CastArgs;
pub(crate) use convert::{ConvertArgs, UpAxis};
pub(crate) use engine::{EngineArgs, LayoutArg, QualityArg, ThreadsArg};
pub(crate) use field::{Field, FieldList, PointField};
pub(crate) use format::{ClobberArg, LineFormat, OutputFormat, ReportArgs, ReportFormat};
pub(crate) use issue::IssueArgs;
pub(crate) use limits::LimitArgs;
pub(crate) use make::{MakeArgs, Seeded, Shape, Size};
pub(crate) use overlap::OverlapArgs;
pub(crate) use page::PageArgs;
pub(crate) use picking::{CameraArgs, IgnoredFaces, PickArgs, SelectArgs};
pub(crate) use points::PointsArgs;
pub(crate) use render::{RenderArgs, SMOOTH_DEGREES};
pub(crate) use section::{SectionArgs, SectionFormat};
pub(crate) use view::ViewArgs;

use values::{positive_or_zero, whole};

/// Find what rays hit in triangle meshes: exactly, and fast.
#[derive(Debug, Parser)]
#[command(
    name = "hitscan",
    version,
    arg_required_else_help = true,
    after_help = "Examples:
  hitscan make cuboid 10 12 4 --level 4 -o cuboid.obj
  hitscan convert cuboid.obj cuboid.glb --up z
  hitscan info cuboid.obj
  hitscan cast cuboid.obj --from 4,-7,-4 --to 2,3,4
  hitscan cast cuboid.obj --rays rays.csv -o hits.npz
  hitscan points cuboid.obj --at 0,0,9
  hitscan overlap cuboid.obj sphere.obj --distance
  hitscan section cuboid.obj --plane 0,0,1,-0.1
  hitscan build cuboid.obj -o cuboid.hitscan
  hitscan pick cuboid.obj --eye 9,9,30 --target 0,0,0 --size 800x600 --pixel 400,300
  hitscan select cuboid.obj --eye 9,9,30 --target 0,0,0 --size 800x600 --marquee 0,0,400,300
  hitscan render cuboid.obj -o cuboid.png
  hitscan view cuboid.obj
  hitscan page cuboid.obj -o cuboid.html --template page.html
  hitscan check cuboid.obj
  hitscan bench cuboid.obj
  hitscan report cuboid.obj

Results go to standard output, everything else to standard error.
Exit codes:
  0    a ray hit, a point has a closest point, meshes overlap or are near enough, something was cut,
       picked or selected, or the command succeeded
  1    no hit, no closest point, no overlap, nothing cut, picked or selected, a difference in check,
       or slower than the baseline of bench
  2    error
  130  interrupted"
)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Args {
    /// Parses a command line, the program's name first.
    ///
    /// # Errors
    /// Wrong flags or values; a request for help or the version.
    pub(crate) fn from_command_line(words: Vec<OsString>) -> Result<Self, clap::Error> {
        Self::try_parse_from(&words)
            .map_err(|error| hint::with_hint(error, &Self::command(), &words))
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Make(MakeArgs),
    Convert(ConvertArgs),
    Info(InfoArgs),
    Cast(CastArgs),
    Points(PointsArgs),
    Overlap(OverlapArgs),
    Section(SectionArgs),
    Build(BuildArgs),
    Pick(PickArgs),
    Select(SelectArgs),
    Render(RenderArgs),
    View(ViewArgs),
    Page(PageArgs),
    Check(CheckArgs),
    Bench(BenchArgs),
    Report(IssueArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
}

/// Describe a mesh or a scene, and its trees.
#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:
  hitscan info model.obj
  hitscan info model.obj --format json | jq .tree
  hitscan info *.obj --json | jq '.[].triangles'
  hitscan info scan.ply --no-topology
  hitscan info model.obj --open-edges
  hitscan info model.obj --open-edges --json | jq '.boundary_loops[].length'
  hitscan info street.toml
  zcat model.ply.gz | hitscan info -

A mesh is closed if as many triangles run along each edge in one direction as in the other; then no
ray leaks. Vertices of equal position are one vertex, without a tolerance.
--open-edges lists:
  boundary      open edges, those of a single triangle, joined to loops: vertices, positions, length
  non-manifold  edges of three triangles or more
  inconsistent  edges of two triangles that run along it in the same direction: one is turned over
  duplicate     triangles with the vertices of an earlier triangle
  zero-area     triangles of zero area
Of a scene, info describes each mesh once, in the mesh's own space.

Several files give a block each, and --json an array. A file with an error does not stop the others;
the exit code is then 2.
--no-topology leaves out what takes longest: closed, edges, components, duplicates, and the loops of
open edges. The line of far triangles counts up to 1 % of the triangles whose centre lies farther
than ten sizes from the rest. The rest is the box between the 1 % and 99 % quantiles of all centres,
and its size is the diagonal.")]
pub(crate) struct InfoArgs {
    /// The meshes (OBJ, STL, PLY or cache files, also .gz or .zst) or the scenes (glTF or TOML); - is
    /// standard input.
    #[arg(value_name = "FILE_OR_SCENE", required = true)]
    pub(crate) files: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) report: ReportArgs,

    /// Leave out the topology, which takes most of the time for large meshes.
    #[arg(long, conflicts_with = "open_edges")]
    pub(crate) no_topology: bool,

    /// List the open edges and other faults of the surface instead.
    #[arg(long)]
    pub(crate) open_edges: bool,

    #[command(flatten)]
    pub(crate) engine: EngineArgs,
}

/// Write a cache file: a mesh with its tree, or a scene, ready to query.
#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:
  hitscan build model.obj -o model.hitscan
  hitscan cast model.hitscan --from 4,-7,-4 --to 2,3,4
  hitscan build model.obj -o small.hitscan --layout compact
  hitscan build street.toml -o street.hitscan

The cache file of a scene holds each mesh once, with its tree, and all instances. Every command
accepts a cache file in place of the mesh or scene, under any name, with the same answers. A command
with another --quality or --layout builds new trees.

If the source files still exist, hitscan checks them on every use. A changed source is an error
until you rebuild the cache file. If the sources are gone, hitscan uses the cache file as is. A
damaged cache file, or one of another version, is an error.")]
pub(crate) struct BuildArgs {
    /// The mesh (OBJ, STL or PLY, also .gz or .zst) or the scene (glTF or TOML); - is standard input.
    #[arg(value_name = "FILE_OR_SCENE")]
    pub(crate) file: PathBuf,

    /// Write to FILE, complete or not at all; replaces it.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,

    #[command(flatten)]
    pub(crate) clobber: ClobberArg,

    #[command(flatten)]
    pub(crate) engine: EngineArgs,
}

/// Compare every instruction set, builder and query with brute force.
#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:
  hitscan check model.obj
  hitscan check model.obj --rays 100000 --seed 7
  hitscan check street.toml --json | jq .differences

The rays are random and hostile. They pass through vertices and edges, lie in the planes of
triangles, run parallel to axes, graze surfaces, and start inside or far away. Segments end on
their target; intervals are narrow or negative. check compares the answers bit by bit. Rays at a
scene aim at its instances, and the reference is a loop over all instances and their triangles.
check asks single rays, one batch, and batches of 1 to 37 rays. Rows named refit have a tree that
was built for a moved mesh. For every 16 rays it also asks a ray with a filter, and a point and
regions: closest point, distance, inside, winding number within its bound, overlaps, visits. Of a
scene it also asks batches at one instance, and whether a ray from a safe origin meets its triangle
again.

Exit codes: 0 no difference, 1 a difference or an invalid tree, 2 error.")]
pub(crate) struct CheckArgs {
    /// The mesh (OBJ, STL, PLY or cache file, also .gz or .zst) or the scene (glTF or TOML); - is
    /// standard input.
    #[arg(value_name = "FILE_OR_SCENE")]
    pub(crate) file: PathBuf,

    /// Cast N rays.
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = whole::<usize>(0, 1 << 48))]
    pub(crate) rays: usize,

    /// Seed the random numbers: the same seed gives the same rays.
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = whole::<u64>(0, u64::MAX))]
    pub(crate) seed: u64,

    #[command(flatten)]
    pub(crate) report: ReportArgs,

    #[command(flatten)]
    pub(crate) threads: ThreadsArg,

    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

/// Measure loading, building and queries.
#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:
  hitscan bench model.obj
  hitscan bench model.obj --rays 1000000 --threads 1 --format json

Rays:
  primary   from a camera that sees the whole mesh, in tiles of 4 by 4
  diffuse   from the primary hits in random directions
  segments  between random points of the bounds
  shadow    from the primary hits to a light

Before it measures, bench compares a sample of the answers with brute force. Times are medians with
half of the distance of their quartiles. Single rays run on one thread, batches on all threads.

Compare two builds of hitscan, two qualities or two days:
  hitscan bench model.obj --save a.json
  hitscan bench model.obj --baseline a.json
A measurement is slower or faster if the quartiles do not overlap and the medians differ by more
than --tolerance. Other work on the machine changes times by more than the quartiles show, so
measure on an idle one, and repeat a verdict that surprises.

Exit codes: 0 measured and nothing slower, 1 slower than the baseline, 2 error.")]
pub(crate) struct BenchArgs {
    /// The mesh (OBJ, STL, PLY or cache file, also .gz or .zst) or the scene (glTF or TOML); - is
    /// standard input.
    #[arg(value_name = "FILE_OR_SCENE")]
    pub(crate) file: PathBuf,

    /// Also write the measurements to FILE, as JSON for --baseline; replaces it.
    #[arg(long, value_name = "FILE")]
    pub(crate) save: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) clobber: ClobberArg,

    /// Compare with the measurements that --save wrote to FILE.
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,

    /// Ignore differences of up to P percent from the baseline.
    #[arg(long, value_name = "P", default_value_t = 5.0, value_parser = positive_or_zero,
          requires = "baseline")]
    pub(crate) tolerance: f64,

    /// Cast N rays of each kind.
    #[arg(long, value_name = "N", default_value_t = 262_144,
          value_parser = whole::<u64>(1, 1 << 28))]
    pub(crate) rays: u64,

    /// Seed the random numbers: the same seed gives the same rays.
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = whole::<u64>(0, u64::MAX))]
    pub(crate) seed: u64,

    #[command(flatten)]
    pub(crate) report: ReportArgs,

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_of_the_command_line_is_consistent() {
        Args::command().debug_assert();
    }

    #[test]
    fn every_command_shows_examples_in_its_help() {
        for command in Args::command().get_subcommands() {
            let help = command.clone().render_long_help().to_string();
            assert!(help.contains("Examples:"), "{}", command.get_name());
        }
    }

    /// clap breaks longer lines at 100 columns, and keeps our breaks as well.
    #[test]
    fn no_line_of_a_help_text_is_broken_twice() {
        let program = Args::command();
        for command in program.get_subcommands().chain([&program]) {
            let text = command.get_after_help().unwrap_or_default().to_string();
            let long = text.lines().find(|line| line.chars().count() > 100);
            assert_eq!(long, None, "{}: longer than 100 columns", command.get_name());
        }
    }
}
