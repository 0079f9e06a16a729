//! The flags of `pick` and `select`: a camera, a picture, and the elements to look for.

use std::collections::HashMap;
use std::path::PathBuf;

use anyhow::anyhow;
use clap::{ArgGroup, Args as ClapArgs, ValueEnum};
use hitscan::picking::{Convention, ElementKind};
use hitscan::scene::{InstanceId, QueryOptions, Scene};

use super::engine::EngineArgs;

/// Pick the element under a pixel, seen by a camera.
#[derive(Debug, ClapArgs)]
#[command(
    group(ArgGroup::new("camera").args(["eye", "matrix"]).required(true)),
    after_help = "Examples:
  hitscan pick cuboid.obj --eye 0,0,30 --target 0,0,0 --size 800x600 --pixel 400,300
  hitscan pick cuboid.obj --eye 9,9,30 --target 0,0,0 --size 80x60 --pixel 40,30 --x-ray
  hitscan pick street.toml --eye 0,6,30 --target 0,2,0 --size 80x60 --pixel 20,30 --element edge

Pixel positions are continuous and start at the top left: the first pixel covers 0 to 1, with its
centre at 0.5. pick returns the visible
element nearest to the pixel; --x-ray returns all elements in order.

A scene file is TOML and its name ends in .toml. Mesh files are at or below its folder, and
parents precede their children.
  [meshes]
  house = \"house.obj\"
  [[instances]]
  name = \"left\"                          # unique
  mesh = \"house\"                         # absent: a group
  parent = \"street\"                      # absent: the world
  translation = [1.0, 0.0, 0.0]
  rotation = [0.0, 0.7071, 0.0, 0.7071]   # a quaternion: x, y, z, w
  scale = [1.0, 2.0, 1.0]                # applied first; or one number
  # or, in place of these three, matrix = [16 numbers, column by column]
  layers = [0, 3]                        # of 0 to 31; [0] if absent
  hidden = false
  locked = false

Exit codes: 0 an element is there, 1 nothing, 2 error."
)]
pub(crate) struct PickArgs {
    /// The mesh (OBJ, STL, PLY or cache file), or the scene (glTF or TOML).
    #[arg(value_name = "FILE_OR_SCENE")]
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) camera: CameraArgs,

    /// Look here, in pixels from the top left.
    #[arg(long, value_name = "X,Y", value_parser = pair, allow_hyphen_values = true)]
    pub(crate) pixel: [f64; 2],

    /// Find elements within PX pixels [default: 8 for edges and vertices, else 0].
    #[arg(long, value_name = "PX", value_parser = positive_or_zero)]
    pub(crate) radius: Option<f64>,

    /// Pick this kind of element.
    #[arg(long, value_enum, value_name = "KIND", default_value_t = ElementArg::Object)]
    pub(crate) element: ElementArg,

    /// Return all elements in order, as if every surface were glass.
    #[arg(long)]
    pub(crate) x_ray: bool,

    /// Pick what the N-th click at this pixel would [default: 1].
    ///
    /// Each further click picks the next element behind. With --x-ray the first click also finds
    /// hidden edges and vertices.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) click: Option<u16>,

    /// Write the results in this format.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = LineFormat::Text)]
    pub(crate) format: LineFormat,

    #[command(flatten)]
    pub(crate) query: QueryArgs,

    #[command(flatten)]
    pub(crate) engine: EngineArgs,
}

/// Select the elements in a region of the picture, seen by a camera.
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

select returns each element that the region touches. With --enclose it returns only elements that
are wholly inside and in front of the camera. With --visible it omits hidden elements: it casts a
ray through each pixel of the region, so it may miss elements smaller than a pixel.

The help of pick describes pixels and scene files.

Exit codes: 0 an element is selected, 1 nothing, 2 error."
)]
pub(crate) struct SelectArgs {
    /// The mesh (OBJ, STL, PLY or cache file), or the scene (glTF or TOML).
    #[arg(value_name = "FILE_OR_SCENE")]
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) camera: CameraArgs,

    /// Select in the rectangle between two pixel positions.
    #[arg(long, value_name = "X0,Y0,X1,Y1", value_parser = rectangle, allow_hyphen_values = true)]
    pub(crate) marquee: Option<[f64; 4]>,

    /// Select in the closed outline through three or more pixel positions.
    #[arg(long, value_name = "X,Y,X,Y,...", value_parser = outline, allow_hyphen_values = true)]
    pub(crate) lasso: Option<Outline>,

    /// Select only elements wholly inside.
    #[arg(long)]
    pub(crate) enclose: bool,

    /// Select only visible elements.
    #[arg(long)]
    pub(crate) visible: bool,

    /// Select this kind of element.
    #[arg(long, value_enum, value_name = "KIND", default_value_t = ElementArg::Object)]
    pub(crate) element: ElementArg,

    /// Write the results in this format.
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
    /// Place the camera here.
    #[arg(
        long, value_name = "X,Y,Z", value_parser = triple, allow_hyphen_values = true,
        requires = "target"
    )]
    pub(crate) eye: Option<[f64; 3]>,

    /// Aim the centre of the picture here.
    #[arg(
        long, value_name = "X,Y,Z", value_parser = triple, allow_hyphen_values = true,
        requires = "eye"
    )]
    pub(crate) target: Option<[f64; 3]>,

    /// Point this direction up in the picture [default: 0,1,0].
    #[arg(
        long, value_name = "X,Y,Z", value_parser = triple, allow_hyphen_values = true,
        conflicts_with = "matrix"
    )]
    pub(crate) up: Option<[f64; 3]>,

    /// Set the vertical field of view in degrees [default: 45].
    #[arg(long, value_name = "DEG", conflicts_with_all = ["ortho", "matrix"])]
    pub(crate) fov: Option<f64>,

    /// Project in parallel; the picture is H world units high [default: perspective].
    #[arg(long, value_name = "H", conflicts_with = "matrix")]
    pub(crate) ortho: Option<f64>,

    /// Set the near plane, D from the eye [default: 0.0001 of the distance to the target].
    #[arg(long, value_name = "D", requires = "eye", allow_negative_numbers = true)]
    pub(crate) near: Option<f64>,

    /// Set the far plane, D from the eye [default: none; with --ortho 1000 heights and distances].
    #[arg(long, value_name = "D", requires = "eye")]
    pub(crate) far: Option<f64>,

    /// Set the matrix from world to clip space: 16 numbers, column by column as in glam.
    #[arg(long, value_name = "NUMBERS", value_parser = matrix, allow_hyphen_values = true)]
    pub(crate) matrix: Option<[f64; 16]>,

    /// Read the matrix in this depth convention; pixels still start at the top.
    #[arg(
        long, value_enum, value_name = "NAME", default_value_t = ConventionArg::Wgpu,
        requires = "matrix"
    )]
    pub(crate) convention: ConventionArg,

    /// Set the size of the picture in pixels.
    #[arg(long, value_name = "WxH", value_parser = size)]
    pub(crate) size: [f64; 2],
}

/// The filter on the instances of a scene.
#[derive(Clone, Debug, ClapArgs)]
pub(crate) struct QueryArgs {
    /// Query only instances on these layers, as in 0,3 [default: all].
    #[arg(long, value_name = "LAYERS", value_parser = layers)]
    pub(crate) layers: Option<u32>,

    /// Include hidden instances.
    #[arg(long)]
    pub(crate) include_hidden: bool,

    /// Include locked instances.
    #[arg(long)]
    pub(crate) include_locked: bool,

    /// Ignore these instances and their descendants, by index in the file, as in 0,3-5.
    #[arg(long, value_name = "PLACES", value_parser = places)]
    pub(crate) ignore: Option<Places>,
}

impl QueryArgs {
    /// The instances of a scene that `--ignore` names.
    ///
    /// # Errors
    /// An index without an instance.
    pub(crate) fn ignored(&self, scene: &Scene) -> anyhow::Result<Vec<InstanceId>> {
        let places = self.ignore.iter().flat_map(|places| places.iter().cloned());
        let ids: HashMap<u64, InstanceId> =
            scene.iter().filter_map(|(id, _)| Some((scene.insertion_order(id)?, id))).collect();
        let id = |place: u64| {
            let id = ids.get(&place).copied();
            id.ok_or_else(|| {
                anyhow!(
                    "--ignore: there is no instance {place}; expected an index below {}",
                    scene.len()
                )
            })
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

/// Ranges of instance indices in a file.
pub(crate) type Places = std::sync::Arc<[std::ops::RangeInclusive<u64>]>;

/// Corners of a lasso.
pub(crate) type Outline = std::sync::Arc<[[f64; 2]]>;

/// [`ElementKind`] as a flag's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ElementArg {
    /// Instances of the scene; the mesh as a whole.
    Object,
    /// Polygons of the file.
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

/// The formats of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LineFormat {
    /// Text for people.
    Text,
    /// One JSON object per element, one per line.
    Ndjson,
}

/// Finite numbers between commas.
fn numbers(text: &str) -> Result<Vec<f64>, String> {
    let number = |part: &str| {
        let value = part.trim().parse::<f64>().ok().filter(|value| value.is_finite());
        value.ok_or_else(|| format!("found `{}`; expected a finite number", part.trim()))
    };
    text.split(',').map(number).collect()
}

fn exactly<const N: usize>(text: &str) -> Result<[f64; N], String> {
    let numbers = numbers(text)?;
    let found = numbers.len();
    numbers.try_into().map_err(|_| format!("found {found} numbers; expected {N}"))
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
        return Err(format!("found {} numbers; expected three or more pairs", numbers.len()));
    }
    Ok(corners.into())
}

fn size(text: &str) -> Result<[f64; 2], String> {
    let sides = text.split_once(['x', 'X']).and_then(|(width, height)| {
        Some([width.trim().parse::<u32>().ok()?, height.trim().parse::<u32>().ok()?])
    });
    match sides {
        Some(sides) if sides.iter().all(|&side| side > 0) => Ok(sides.map(f64::from)),
        _ => Err(format!("found `{text}`; expected two positive whole numbers as in 800x600")),
    }
}

fn positive_or_zero(text: &str) -> Result<f64, String> {
    let [number] = exactly(text)?;
    if number >= 0.0 { Ok(number) } else { Err(format!("found `{text}`; expected 0 or more")) }
}

/// Numbers and ranges of numbers, `0,3-5`.
fn places(text: &str) -> Result<Places, String> {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let ends = (first.trim().parse::<u64>(), last.trim().parse::<u64>());
        match ends {
            (Ok(first), Ok(last)) if first <= last => Ok(first..=last),
            _ => Err(format!("found `{}`; expected numbers and ranges as in 0,3-5", part.trim())),
        }
    };
    text.split(',').map(range).collect()
}

/// Numbers from 0 to 31 as bits.
fn layers(text: &str) -> Result<u32, String> {
    text.split(',').try_fold(0, |layers, part| match part.trim().parse::<u32>() {
        Ok(layer) if layer < 32 => Ok(layers | 1 << layer),
        _ => Err(format!("found `{}`; expected numbers from 0 to 31", part.trim())),
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
        assert!(pair("1,2,3").unwrap_err().contains("3 numbers; expected 2"));
        assert!(triple("1,inf,3").unwrap_err().contains("`inf`"));
        assert_eq!(outline("0,0,1,0,0,1").map(|corners| corners.len()), Ok(3));
        assert!(outline("0,0,1,0,0").unwrap_err().contains("5 numbers"));
        assert!(positive_or_zero("-1").is_err());
        assert_eq!(places("0, 3-5").unwrap().to_vec(), [0..=0, 3..=5]);
        assert!(places("5-3").unwrap_err().contains("`5-3`"));
    }
}
