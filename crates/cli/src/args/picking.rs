//! What `pick` and `select` take: a camera, a picture, and what to look for in it.

use std::collections::HashMap;
use std::path::PathBuf;

use anyhow::anyhow;
use clap::{ArgGroup, Args as ClapArgs, ValueEnum};
use hitscan::picking::{Convention, ElementKind};
use hitscan::scene::{InstanceId, QueryOptions, Scene};

use super::EngineArgs;

/// Say what is under a pixel, seen by a camera.
#[derive(Debug, ClapArgs)]
#[command(
    group(ArgGroup::new("camera").args(["eye", "matrix"]).required(true)),
    after_help = "Examples:
  hitscan pick cuboid.obj --eye 0,0,30 --target 0,0,0 --size 800x600 --pixel 400,300
  hitscan pick cuboid.obj --eye 9,9,30 --target 0,0,0 --size 80x60 --pixel 40,30 --x-ray
  hitscan pick street.toml --eye 0,6,30 --target 0,2,0 --size 80x60 --pixel 20,30 --element edge

Pixels are continuous and counted from the top left: the first one covers 0 to 1 and has its
centre at 0.5. An object or face is found under the pixel itself, edges and vertices within 8
pixels of it, unless --radius says otherwise. Only what is visible is picked, unless --x-ray asks
for all of it in order.

Scene file (TOML, its name ends in .toml): meshes are files at or below its folder, parents
stand before their children.
  [meshes]
  house = \"house.obj\"
  [[instances]]
  name = \"left\"                          # every name once
  mesh = \"house\"                         # absent: a group
  parent = \"street\"                      # absent: in the world
  translation = [1.0, 0.0, 0.0]
  rotation = [0.0, 0.7071, 0.0, 0.7071]   # a quaternion: x, y, z, w
  scale = [1.0, 2.0, 1.0]                # comes first; or one number
  # or, instead of these three, matrix = [16 numbers, column by column]
  layers = [0, 3]                        # of 0 to 31; [0] if absent
  hidden = false
  locked = false

Exit code: 0 something is there, 1 nothing, 2 error."
)]
pub(crate) struct PickArgs {
    /// The mesh (OBJ, STL, PLY or cache file), or the scene (glTF or TOML).
    #[arg(value_name = "FILE_OR_SCENE")]
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) camera: CameraArgs,

    /// Where to look, in pixels from the top left.
    #[arg(long, value_name = "X,Y", value_parser = pair, allow_hyphen_values = true)]
    pub(crate) pixel: [f64; 2],

    /// How far from there an element may be seen, in pixels.
    #[arg(long, value_name = "PX", value_parser = positive_or_zero)]
    pub(crate) radius: Option<f64>,

    /// What to pick.
    #[arg(long, value_enum, value_name = "KIND", default_value_t = ElementArg::Object)]
    pub(crate) element: ElementArg,

    /// All that is there in order, as if every surface were glass.
    #[arg(long)]
    pub(crate) x_ray: bool,

    /// What the N-th click at that pixel picks: each after the first what lies below [with --x-ray
    /// an edge or vertex need not be visible to be the first].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) click: Option<u16>,

    /// Format of the results.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = LineFormat::Text)]
    pub(crate) format: LineFormat,

    #[command(flatten)]
    pub(crate) query: QueryArgs,

    #[command(flatten)]
    pub(crate) engine: EngineArgs,
}

/// Say what is in a region of the picture, seen by a camera.
#[derive(Debug, ClapArgs)]
#[command(
    group(ArgGroup::new("camera").args(["eye", "matrix"]).required(true)),
    group(ArgGroup::new("region").args(["marquee", "lasso"]).required(true)),
    after_help = "Examples:
  hitscan select cuboid.obj --eye 0,0,30 --target 0,0,0 --size 800x600 --marquee 100,100,420,320
  hitscan select cuboid.obj --eye 0,0,30 --target 0,0,0 --size 80x60 --marquee 9,9,42,32 \\
    --element face --visible
  hitscan select street.toml --eye 0,6,30 --target 0,2,0 --size 80x60 \\
    --lasso 1,1,79,1,79,59,30,59 --enclose

An element is selected if the region touches it, or, with --enclose, if all of it is inside and
before the camera. What is hidden counts too, unless --visible leaves it out: that is decided by a
ray through each pixel of the region, so what shows less than a pixel may be missed. The help of
pick describes pixels and scene files.

Exit code: 0 something is selected, 1 nothing, 2 error."
)]
pub(crate) struct SelectArgs {
    /// The mesh (OBJ, STL, PLY or cache file), or the scene (glTF or TOML).
    #[arg(value_name = "FILE_OR_SCENE")]
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) camera: CameraArgs,

    /// The rectangle between two pixel positions.
    #[arg(long, value_name = "X0,Y0,X1,Y1", value_parser = rectangle, allow_hyphen_values = true)]
    pub(crate) marquee: Option<[f64; 4]>,

    /// A closed outline of three pixel positions or more.
    #[arg(long, value_name = "X,Y,X,Y,...", value_parser = outline, allow_hyphen_values = true)]
    pub(crate) lasso: Option<Outline>,

    /// Only what is inside as a whole.
    #[arg(long)]
    pub(crate) enclose: bool,

    /// Only what is visible there.
    #[arg(long)]
    pub(crate) visible: bool,

    /// What to select.
    #[arg(long, value_enum, value_name = "KIND", default_value_t = ElementArg::Object)]
    pub(crate) element: ElementArg,

    /// Format of the results.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = LineFormat::Text)]
    pub(crate) format: LineFormat,

    #[command(flatten)]
    pub(crate) query: QueryArgs,

    #[command(flatten)]
    pub(crate) engine: EngineArgs,
}

/// A camera by numbers or by its matrix, and the size of its picture.
#[derive(Clone, Copy, Debug, ClapArgs)]
pub(crate) struct CameraArgs {
    /// Where the camera stands.
    #[arg(
        long, value_name = "X,Y,Z", value_parser = triple, allow_hyphen_values = true,
        requires = "target"
    )]
    pub(crate) eye: Option<[f64; 3]>,

    /// What is in the middle of the picture.
    #[arg(
        long, value_name = "X,Y,Z", value_parser = triple, allow_hyphen_values = true,
        requires = "eye"
    )]
    pub(crate) target: Option<[f64; 3]>,

    /// What points up in the picture [default: 0,1,0].
    #[arg(
        long, value_name = "X,Y,Z", value_parser = triple, allow_hyphen_values = true,
        conflicts_with = "matrix"
    )]
    pub(crate) up: Option<[f64; 3]>,

    /// Angle between the lowest and the highest ray, in degrees [default: 45].
    #[arg(long, value_name = "DEG", conflicts_with_all = ["ortho", "matrix"])]
    pub(crate) fov: Option<f64>,

    /// Parallel rays instead of perspective: the height of the picture in world units.
    #[arg(long, value_name = "H", conflicts_with = "matrix")]
    pub(crate) ortho: Option<f64>,

    /// Where sight begins, from the eye [default: a ten-thousandth of the way to the target].
    #[arg(long, value_name = "D", requires = "eye", allow_negative_numbers = true)]
    pub(crate) near: Option<f64>,

    /// Where sight ends, from the eye [default: nowhere; with --ortho a thousand heights and ways].
    #[arg(long, value_name = "D", requires = "eye")]
    pub(crate) far: Option<f64>,

    /// World to clip space: 16 numbers, column by column (as glam, OpenGL and three.js store them).
    #[arg(long, value_name = "NUMBERS", value_parser = matrix, allow_hyphen_values = true)]
    pub(crate) matrix: Option<[f64; 16]>,

    /// Whose depth the matrix is for; pixels are counted from the top in any case.
    #[arg(
        long, value_enum, value_name = "NAME", default_value_t = ConventionArg::Wgpu,
        requires = "matrix"
    )]
    pub(crate) convention: ConventionArg,

    /// Size of the picture in pixels.
    #[arg(long, value_name = "WxH", value_parser = size)]
    pub(crate) size: [f64; 2],
}

/// Which instances of a scene count.
#[derive(Clone, Debug, ClapArgs)]
pub(crate) struct QueryArgs {
    /// Only instances on these layers, as 0,3 [default: all].
    #[arg(long, value_name = "LAYERS", value_parser = layers)]
    pub(crate) layers: Option<u32>,

    /// Hidden instances too.
    #[arg(long)]
    pub(crate) include_hidden: bool,

    /// Locked instances too.
    #[arg(long)]
    pub(crate) include_locked: bool,

    /// Leave out these instances and what is below them, by their place in the file, as 0,3-5.
    #[arg(long, value_name = "PLACES", value_parser = places)]
    pub(crate) ignore: Option<Places>,
}

impl QueryArgs {
    /// The instances of a scene that are left out by their place.
    ///
    /// # Errors
    /// A place where no instance is.
    pub(crate) fn ignored(&self, scene: &Scene) -> anyhow::Result<Vec<InstanceId>> {
        let places = self.ignore.iter().flat_map(|places| places.iter().cloned());
        let ids: HashMap<u64, InstanceId> =
            scene.iter().filter_map(|(id, _)| Some((scene.insertion_order(id)?, id))).collect();
        let id = |place: u64| {
            let id = ids.get(&place).copied();
            id.ok_or_else(|| anyhow!("no instance {place} to ignore, there are {}", scene.len()))
        };
        places.flat_map(|places| places.map(id)).collect()
    }

    /// The options of a scene's queries, without these instances.
    pub(crate) fn options<'a>(&self, ignore: &'a [InstanceId]) -> QueryOptions<'a> {
        QueryOptions {
            ignore,
            layers: self.layers.unwrap_or(u32::MAX),
            include_hidden: self.include_hidden,
            include_locked: self.include_locked,
            ..QueryOptions::default()
        }
    }
}

/// Ranges of places in a file.
pub(crate) type Places = std::sync::Arc<[std::ops::RangeInclusive<u64>]>;

/// Corners of a lasso.
pub(crate) type Outline = std::sync::Arc<[[f64; 2]]>;

/// [`ElementKind`] as a flag's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ElementArg {
    /// Instances of the scene; the mesh as a whole.
    Object,
    /// Polygons, as the file has them.
    Face,
    /// Edges of polygons.
    Edge,
    /// Vertices.
    Vertex,
}

impl From<ElementArg> for ElementKind {
    fn from(element: ElementArg) -> Self {
        match element {
            ElementArg::Object => Self::Object,
            ElementArg::Face => Self::Face,
            ElementArg::Edge => Self::Edge,
            ElementArg::Vertex => Self::Vertex,
        }
    }
}

/// [`Convention`] as a flag's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ConventionArg {
    /// Depth 0 to 1, y up.
    Wgpu,
    /// Depth 1 to 0, y up.
    Bevy,
    /// Depth 0 to 1, y down.
    Vulkan,
    /// Depth -1 to 1, y up.
    Opengl,
}

impl From<ConventionArg> for Convention {
    fn from(convention: ConventionArg) -> Self {
        match convention {
            ConventionArg::Wgpu => Self::WGPU,
            ConventionArg::Bevy => Self::BEVY,
            ConventionArg::Vulkan => Self::VULKAN,
            // Pixels from the top.
            ConventionArg::Opengl => Self::THREE_JS,
        }
    }
}

/// How elements are written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LineFormat {
    /// For people.
    Text,
    /// A JSON object per element and line.
    Ndjson,
}

/// Finite numbers between commas.
fn numbers(text: &str) -> Result<Vec<f64>, String> {
    let number = |part: &str| {
        let value = part.trim().parse::<f64>().ok().filter(|value| value.is_finite());
        value.ok_or_else(|| format!("found `{}`, expected a finite number", part.trim()))
    };
    text.split(',').map(number).collect()
}

fn exactly<const N: usize>(text: &str) -> Result<[f64; N], String> {
    let numbers = numbers(text)?;
    let found = numbers.len();
    numbers.try_into().map_err(|_| format!("found {found} numbers, expected {N}"))
}

fn pair(text: &str) -> Result<[f64; 2], String> {
    exactly(text)
}

pub(super) fn triple(text: &str) -> Result<[f64; 3], String> {
    exactly(text)
}

fn rectangle(text: &str) -> Result<[f64; 4], String> {
    exactly(text)
}

fn matrix(text: &str) -> Result<[f64; 16], String> {
    exactly(text)
}

fn outline(text: &str) -> Result<Outline, String> {
    let numbers = numbers(text)?;
    let (corners, rest) = numbers.as_chunks::<2>();
    if !rest.is_empty() || corners.len() < 3 {
        return Err(format!("found {} numbers, expected pairs, three or more", numbers.len()));
    }
    Ok(corners.into())
}

fn size(text: &str) -> Result<[f64; 2], String> {
    let sides = text.split_once(['x', 'X']).and_then(|(width, height)| {
        Some([width.trim().parse::<u32>().ok()?, height.trim().parse::<u32>().ok()?])
    });
    match sides {
        Some(sides) if sides.iter().all(|&side| side > 0) => Ok(sides.map(f64::from)),
        _ => Err(format!("found `{text}`, expected two positive whole numbers as in 800x600")),
    }
}

fn positive_or_zero(text: &str) -> Result<f64, String> {
    let [number] = exactly(text)?;
    if number >= 0.0 { Ok(number) } else { Err(format!("found `{text}`, expected 0 or more")) }
}

/// Numbers and ranges of numbers, `0,3-5`.
fn places(text: &str) -> Result<Places, String> {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let ends = (first.trim().parse::<u64>(), last.trim().parse::<u64>());
        match ends {
            (Ok(first), Ok(last)) if first <= last => Ok(first..=last),
            _ => Err(format!("found `{}`, expected numbers and ranges as 0,3-5", part.trim())),
        }
    };
    text.split(',').map(range).collect()
}

/// Numbers from 0 to 31 as bits.
fn layers(text: &str) -> Result<u32, String> {
    text.split(',').try_fold(0, |layers, part| match part.trim().parse::<u32>() {
        Ok(layer) if layer < 32 => Ok(layers | 1 << layer),
        _ => Err(format!("found `{}`, expected numbers from 0 to 31", part.trim())),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_name_what_is_wrong_with_them() {
        assert_eq!(size("800x600"), Ok([800.0, 600.0]));
        assert!(size("800").unwrap_err().contains("800x600"));
        assert!(size("0x5").is_err());
        assert_eq!(layers("0, 3"), Ok(0b1001));
        assert!(layers("32").unwrap_err().contains("`32`"));
        assert!(pair("1,2,3").unwrap_err().contains("3 numbers, expected 2"));
        assert!(triple("1,inf,3").unwrap_err().contains("`inf`"));
        assert_eq!(outline("0,0,1,0,0,1").map(|corners| corners.len()), Ok(3));
        assert!(outline("0,0,1,0,0").unwrap_err().contains("5 numbers"));
        assert!(positive_or_zero("-1").is_err());
        assert_eq!(places("0, 3-5").unwrap().to_vec(), [0..=0, 3..=5]);
        assert!(places("5-3").unwrap_err().contains("`5-3`"));
    }
}
