//! The flags of `render`: a mesh or a scene, an optional camera, a mode and a style.

use std::path::PathBuf;

use clap::{ArgGroup, Args as ClapArgs};
use hitscan_render::{Background, Mode};

use super::engine::{EngineArgs, FacesArg};
use super::format::ClobberArg;
use super::picking::CameraArgs;
use super::values::{rectangle, triple, whole};
use crate::table::TableFormat;

/// Angle between triangles up to which their common edge looks round, in degrees.
pub(crate) const SMOOTH_DEGREES: f32 = 40.0;

/// Render a picture of a mesh or a scene.
#[derive(Debug, ClapArgs)]
#[command(
    group(ArgGroup::new("camera").args(["eye", "matrix"])),
    mut_arg("size", |size| size.required(false).default_value("1280x720")),
    after_help = "Examples:
  hitscan render model.obj -o model.png
  hitscan render model.obj -o model.png --up 0,0,1 --size 1920x1080 --samples 16
  hitscan render room.obj -o room.png --eye 2,1.6,4 --target 0,1,0 --fov 60
  hitscan render room.obj -o plan.png --faces front --mode object
  hitscan render model.obj -o heat.png --mode heat
  hitscan render model.obj -o rays.png --rays rays.csv
  hitscan render street.toml -o street.png --mode object
  hitscan render model.obj -o holes.png --open-edges
  hitscan render model.obj -o cut.png --section 0,0,-1,0.5       without what is above z = 0.5

Without --eye or --matrix the camera sees the whole scene from the front, right and above.
Modes:
  shaded    colours of the materials, lit by a lamp over the left shoulder and by the sky, with
            shadows, also on a ground below; a mesh without materials is grey
  depth     distance from the near plane: near is bright
  normal    the geometric normal by winding: red, green, blue are x, y, z from -1 to 1
  face-id   one colour per polygon of the file, the same from every view
  object    one colour per object of the file, or per instance of a scene, lit from the camera
  material  one colour per material, lit from the camera
  uv        texture coordinates as red and green over a chequer of eighths; without coordinates
            the weights u, v of the hit
  heat      nodes and triangle blocks that the rays of a pixel test; in a scene, summed over the
            instances whose boxes they hit
  glass     every surface along the ray, as tinted glass: front bluish, back brownish

One sample shows the centre of the pixel, more samples their mean. The same command gives the same
picture on any number of threads."
)]
pub(crate) struct RenderArgs {
    /// The mesh (OBJ, STL, PLY or cache file) or the scene (glTF or TOML); - is standard input.
    #[arg(value_name = "FILE_OR_SCENE")]
    pub(crate) file: PathBuf,

    /// Write a PNG to FILE, complete or not at all; replaces it [default: standard output].
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) clobber: ClobberArg,

    /// Show this property of the surface.
    #[arg(long, value_enum, value_name = "MODE", default_value_t = Mode::Shaded)]
    pub(crate) mode: Mode,

    #[command(flatten)]
    pub(crate) camera: CameraArgs,

    /// Cast N rays per pixel [default: 4 with shaded and glass, else 1].
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1, 4096))]
    pub(crate) samples: Option<u32>,

    /// Seed the random numbers: the same seed gives the same picture.
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = whole::<u64>(0, u64::MAX))]
    pub(crate) seed: u64,

    /// Fill the background: RRGGBB in hexadecimal, white, black or transparent [default: by mode].
    #[arg(long, value_name = "COLOR", value_parser = background)]
    pub(crate) background: Option<Background>,

    /// Omit the legend of depth, object, material and heat.
    #[arg(long)]
    pub(crate) no_legend: bool,

    /// Place the lamp of shaded here [default: far away, over the left shoulder].
    #[arg(long, value_name = "X,Y,Z", value_parser = triple, allow_hyphen_values = true)]
    pub(crate) light: Option<[f64; 3]>,

    /// Omit the shadows of shaded on the ground below the scene.
    #[arg(long)]
    pub(crate) no_ground: bool,

    /// Round edges up to DEG degrees in shaded, in meshes without normals; 0 shows facets.
    #[arg(
        long, value_name = "DEG", value_parser = degrees, default_value_t = SMOOTH_DEGREES,
        allow_negative_numbers = true
    )]
    pub(crate) smooth: f32,

    /// Show these sides of the triangles: front opens a room towards the camera.
    #[arg(long, value_enum, value_name = "SIDES", default_value_t = FacesArg::Both)]
    pub(crate) faces: FacesArg,

    /// Draw the rays of FILE, or of standard input (-), and their hits into the picture.
    #[arg(long, value_name = "FILE")]
    pub(crate) rays: Option<PathBuf>,

    /// Read the rays in this format [default: by the extension, else by the first bytes].
    #[arg(long, value_name = "FORMAT", requires = "rays")]
    pub(crate) rays_format: Option<TableFormat>,

    /// Draw open edges red, non-manifold edges violet and inconsistently wound edges blue.
    ///
    /// hitscan info --open-edges lists them.
    #[arg(long)]
    pub(crate) open_edges: bool,

    /// Hide what lies below the plane A x + B y + C z + D = 0, and fill the cut of closed meshes.
    ///
    /// The side where the sum is negative is below.
    #[arg(long, value_name = "A,B,C,D", value_parser = rectangle, allow_hyphen_values = true)]
    pub(crate) section: Option<[f64; 4]>,

    #[command(flatten)]
    pub(crate) engine: EngineArgs,
}

fn degrees(text: &str) -> Result<f32, String> {
    let angle = text.trim().parse::<f32>().ok().filter(|angle| (0.0..=180.0).contains(angle));
    angle.ok_or_else(|| format!("found `{text}`; expected an angle from 0 to 180"))
}

fn background(text: &str) -> Result<Background, String> {
    let hexadecimal = text.strip_prefix('#').unwrap_or(text);
    let digits = hexadecimal.len() == 6 && hexadecimal.bytes().all(|b| b.is_ascii_hexdigit());
    match (text, u32::from_str_radix(hexadecimal, 16)) {
        ("white", _) => Ok(Background([255; 4])),
        ("black", _) => Ok(Background([0, 0, 0, 255])),
        ("transparent", _) => Ok(Background([0; 4])),
        (_, Ok(number)) if digits => {
            let [_, red, green, blue] = number.to_be_bytes();
            Ok(Background([red, green, blue, 255]))
        }
        _ => Err(format!("found `{text}`; expected RRGGBB, white, black or transparent")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_angle_is_from_0_to_180() {
        assert_eq!((degrees("0"), degrees("180")), (Ok(0.0), Ok(180.0)));
        for wrong in ["-1", "181", "NaN", "x"] {
            assert!(degrees(wrong).unwrap_err().contains("0 to 180"), "{wrong}");
        }
    }

    #[test]
    fn colours_are_hexadecimal_or_one_of_three_names() {
        assert_eq!(background("1e90ff"), Ok(Background([0x1e, 0x90, 0xff, 255])));
        assert_eq!(background("#000001"), Ok(Background([0, 0, 1, 255])));
        assert_eq!(background("transparent"), Ok(Background([0; 4])));
        for wrong in ["", "fff", "+fffff", "12345g", "weiß"] {
            assert!(background(wrong).unwrap_err().contains("RRGGBB"), "{wrong}");
        }
    }
}
