//! The flags of `make`: a shape, its size and its output file.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand};

/// Write a generated mesh.
#[derive(Debug, ClapArgs)]
#[command(
    arg_required_else_help = true,
    after_help = "Examples:
  hitscan make cuboid 10 12 4 --level 4 -o cuboid.obj    1538 vertices, 3072 triangles
  hitscan make terrain --triangles 1000000 --seed 7 -o terrain.obj
  hitscan make sphere -o sphere.glb
  hitscan make sphere --radius 2 | head

The extension of -o is the format: .obj, .stl, .ply or .glb. Standard output gets OBJ.
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
    /// Make a box around the origin.
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
    /// Make a sphere around the origin.
    #[command(after_help = "Example:\n  hitscan make sphere --triangles 50000 -o sphere.obj")]
    Sphere {
        #[command(flatten)]
        size: Size,
        /// Set the radius.
        #[arg(long, value_name = "R", default_value_t = 1.0, allow_negative_numbers = true)]
        radius: f32,
    },
    /// Make a torus around the origin.
    #[command(after_help = "Example:\n  hitscan make torus --major 2 --minor 0.5 -o torus.obj")]
    Torus {
        #[command(flatten)]
        size: Size,
        /// Set the radius of the circle through the centre of the tube.
        #[arg(long, value_name = "R", default_value_t = 1.0, allow_negative_numbers = true)]
        major: f32,
        /// Set the radius of the tube.
        #[arg(long, value_name = "R", default_value_t = 0.25, allow_negative_numbers = true)]
        minor: f32,
    },
    /// Make a flat grid of equal cells.
    #[command(after_help = "Example:\n  hitscan make grid --triangles 2000 -o grid.obj")]
    Grid {
        #[command(flatten)]
        size: Size,
        /// Set the size along x.
        #[arg(long, value_name = "W", default_value_t = 1.0, allow_negative_numbers = true)]
        width: f32,
        /// Set the size along the other axis.
        #[arg(long, value_name = "D", default_value_t = 1.0, allow_negative_numbers = true)]
        depth: f32,
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
