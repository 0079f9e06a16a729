//! The flags of `make`: a shape, its size and its output file.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand};

use super::values::{real, whole};

/// Write a generated mesh.
#[derive(Debug, ClapArgs)]
#[command(
    arg_required_else_help = true,
    after_help = "Examples:
  hitscan make cuboid 10 12 4 --level 4 -o cuboid.obj    1538 vertices, 3072 triangles
  hitscan make terrain --triangles 1000000 --seed 7 -o terrain.obj
  hitscan make sphere -o sphere.glb
  hitscan make sphere 2 | head

Sizes are positions or flags: `make torus 2 0.5` is `make torus --major 2 --minor 0.5`.
Whole numbers may be written 1000000, 1_000_000, 1e6 or 1M.

The extension of -o is the format: .obj, .stl, .ply or .glb. Standard output gets OBJ.
The triangle count of --triangles is approximate; standard error gets the actual counts."
)]
pub(crate) struct MakeArgs {
    #[command(subcommand)]
    pub(crate) shape: Shape,

    /// Write to FILE, complete or not at all; replaces it [default: standard output].
    #[arg(short, long, value_name = "FILE", global = true)]
    pub(crate) output: Option<PathBuf>,

    /// Refuse to replace a file: an error, and nothing is written.
    #[arg(long, global = true)]
    pub(crate) no_clobber: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Shape {
    /// Make a box around the origin.
    #[command(
        after_help = "Example:\n  hitscan make cuboid 10 12 4 --level 4 -o cuboid.obj\n  hitscan make cuboid --width 10 --height 12 --depth 4"
    )]
    Cuboid {
        #[command(flatten)]
        sides: Sides,
        /// Split each triangle into four L times: 12 * 4^L triangles.
        #[arg(long, value_name = "L", default_value_t = 0, value_parser = whole::<u32>(0, 1000))]
        level: u32,
    },
    /// Make a sphere around the origin.
    #[command(after_help = "Example:\n  hitscan make sphere --triangles 50000 -o sphere.obj")]
    Sphere {
        #[command(flatten)]
        size: Size,
        /// Radius [default: 1].
        #[arg(value_name = "R", value_parser = real, allow_negative_numbers = true)]
        radius: Option<f32>,
        /// Set the radius.
        #[arg(long = "radius", value_name = "R", value_parser = real, allow_negative_numbers = true,
              conflicts_with = "radius")]
        radius_flag: Option<f32>,
    },
    /// Make a torus around the origin.
    #[command(
        after_help = "Example:\n  hitscan make torus 2 0.5 -o torus.obj\n  hitscan make torus --major 2 --minor 0.5"
    )]
    Torus {
        #[command(flatten)]
        size: Size,
        /// Radius of the circle through the centre of the tube [default: 1].
        #[arg(value_name = "MAJOR", value_parser = real, allow_negative_numbers = true)]
        major: Option<f32>,
        /// Radius of the tube [default: 0.25].
        #[arg(value_name = "MINOR", value_parser = real, allow_negative_numbers = true)]
        minor: Option<f32>,
        /// Set the radius of the circle through the centre of the tube.
        #[arg(long = "major", value_name = "R", value_parser = real, allow_negative_numbers = true,
              conflicts_with = "major")]
        major_flag: Option<f32>,
        /// Set the radius of the tube.
        #[arg(long = "minor", value_name = "R", value_parser = real, allow_negative_numbers = true,
              conflicts_with = "minor")]
        minor_flag: Option<f32>,
    },
    /// Make a flat grid of equal cells.
    #[command(after_help = "Example:\n  hitscan make grid --triangles 2000 -o grid.obj")]
    Grid {
        #[command(flatten)]
        size: Size,
        /// Size along x [default: 1].
        #[arg(value_name = "W", value_parser = real, allow_negative_numbers = true)]
        width: Option<f32>,
        /// Size along the other axis [default: 1].
        #[arg(value_name = "D", value_parser = real, allow_negative_numbers = true)]
        depth: Option<f32>,
        /// Set the size along x.
        #[arg(long = "width", value_name = "W", value_parser = real, allow_negative_numbers = true,
              conflicts_with = "width")]
        width_flag: Option<f32>,
        /// Set the size along the other axis.
        #[arg(long = "depth", value_name = "D", value_parser = real, allow_negative_numbers = true,
              conflicts_with = "depth")]
        depth_flag: Option<f32>,
    },
    /// Make a random landscape.
    #[command(after_help = "Example:\n  hitscan make terrain --triangles 1000000 -o terrain.obj")]
    Terrain(Seeded),
    /// Make random houses on flat ground.
    #[command(after_help = "Example:\n  hitscan make city --seed 3 -o city.obj")]
    City(Seeded),
    /// Make random triangles that do not touch.
    #[command(after_help = "Example:\n  hitscan make soup --triangles 500 --seed 3 -o soup.obj")]
    Soup(Seeded),
}

/// The sides of a cuboid: three numbers, or a flag for each.
#[derive(Clone, Copy, Debug, ClapArgs)]
pub(crate) struct Sides {
    /// Size along x.
    #[arg(value_name = "W", value_parser = real, allow_negative_numbers = true,
          required_unless_present = "width_flag")]
    width: Option<f32>,
    /// Size along y.
    #[arg(value_name = "H", value_parser = real, allow_negative_numbers = true,
          required_unless_present = "height_flag")]
    height: Option<f32>,
    /// Size along z.
    #[arg(value_name = "D", value_parser = real, allow_negative_numbers = true,
          required_unless_present = "depth_flag")]
    depth: Option<f32>,
    /// Set the size along x.
    #[arg(long = "width", value_name = "W", value_parser = real, allow_negative_numbers = true,
          requires_all = ["height_flag", "depth_flag"], conflicts_with_all = ["width", "height", "depth"])]
    width_flag: Option<f32>,
    /// Set the size along y.
    #[arg(long = "height", value_name = "H", value_parser = real, allow_negative_numbers = true,
          requires = "width_flag")]
    height_flag: Option<f32>,
    /// Set the size along z.
    #[arg(long = "depth", value_name = "D", value_parser = real, allow_negative_numbers = true,
          requires = "width_flag")]
    depth_flag: Option<f32>,
}

impl Sides {
    /// The sizes along x, y and z.
    pub(crate) fn sizes(self) -> [f32; 3] {
        let sides = [
            self.width.or(self.width_flag),
            self.height.or(self.height_flag),
            self.depth.or(self.depth_flag),
        ];
        sides.map(|side| side.expect("the command line requires all three"))
    }
}

/// The approximate triangle count of a shape.
#[derive(Clone, Copy, Debug, ClapArgs)]
pub(crate) struct Size {
    /// Make about N triangles.
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = whole::<usize>(0, 1 << 48))]
    pub(crate) triangles: usize,
}

/// The size and seed of a random shape.
#[derive(Clone, Copy, Debug, ClapArgs)]
pub(crate) struct Seeded {
    #[command(flatten)]
    pub(crate) size: Size,
    /// Seed the random numbers: the same seed gives the same mesh.
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = whole::<u64>(0, u64::MAX))]
    pub(crate) seed: u64,
}
