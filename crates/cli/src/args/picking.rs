//! The flags of `pick` and `select`: a camera, a picture, and the elements to look for.

use std::collections::HashMap;
use std::path::PathBuf;

use anyhow::{Context, anyhow};
use clap::{ArgGroup, Args as ClapArgs, ValueEnum};
use hitscan::SectionPlane;
use hitscan::picking::{Convention, ElementKind, View};
use hitscan::scene::{InstanceId, QueryOptions, Scene};

use super::engine::EngineArgs;
use super::format::LineFormatArgs;
use super::values::{
    IndexRanges, Outline, index_ranges, layers, matrix, outline, pair, positive_or_zero, rectangle,
    size, triple, whole,
};

/// Pick the element under a pixel, seen by a camera.
#[derive(Debug, ClapArgs)]
#[command(
    group(ArgGroup::new("camera").args(["eye", "matrix"]).required(true)),
    after_help = "Examples:
  hitscan pick cuboid.obj --eye 0,0,30 --target 0,0,0 --size 800x600 --pixel 400,300
  hitscan pick cuboid.obj --eye 9,9,30 --target 0,0,0 --size 80x60 --pixel 40,30 --x-ray
  hitscan pick street.toml --eye 0,6,30 --target 0,2,0 --size 80x60 --pixel 20,30 --element edge
  hitscan pick cuboid.obj --eye 0,0,30 --target 0,0,0 --size 80x60 --pixel 40,30 --clip 0,0,-1,0

Pixel positions are continuous and start at the top left: the first pixel covers 0 to 1, with its
centre at 0.5. pick returns the visible element nearest to the pixel; --x-ray returns all elements
in order. The distance of a point counts from the eye. In an orthographic view it counts from the
plane through the eye, or with --matrix from the near plane.

A scene file is TOML and its name ends in .toml. Mesh files are at or below its folder, and
parents precede their children.
  [meshes]
  house = \"house.obj\"
  wheel = { file = \"truck.glb\", mesh = 1 }   # one mesh of a glTF file
  [[instances]]
  id = 3                                 # the number in results; in all instances or in none
  name = \"left\"                          # unique, or with an id in each instance
  mesh = \"house\"                         # absent: a group
  parent = \"street\"                      # by name or id; absent: the world
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
    /// The mesh (OBJ, STL, PLY or cache file) or the scene (glTF or TOML); - is standard input.
    #[arg(value_name = "FILE_OR_SCENE")]
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) camera: CameraArgs,

    /// Pick at this position, in pixels from the top left.
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
    #[arg(long, value_name = "N", value_parser = whole::<u16>(1, 1000))]
    pub(crate) click: Option<u16>,

    #[command(flatten)]
    pub(crate) format: LineFormatArgs,

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
    /// The mesh (OBJ, STL, PLY or cache file) or the scene (glTF or TOML); - is standard input.
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

    #[command(flatten)]
    pub(crate) format: LineFormatArgs,

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
    #[arg(long, value_name = "INDICES", value_parser = index_ranges)]
    pub(crate) ignore: Option<IndexRanges>,

    /// Ignore these polygons of an instance, both by index in the file, as in 0:7-9,12; repeatable.
    #[arg(long, value_name = "INSTANCE:POLYGONS", value_parser = faces_of_instance)]
    pub(crate) ignore_faces: Vec<IgnoredFaces>,

    /// Hide what lies below the plane A x + B y + C z + D = 0; repeatable, up to six planes.
    ///
    /// What is hidden is neither found nor in the way. The side where the sum is negative is below.
    #[arg(long, value_name = "A,B,C,D", value_parser = rectangle, allow_hyphen_values = true)]
    pub(crate) clip: Vec<[f64; 4]>,
}

impl QueryArgs {
    /// The view of a scene that `--clip` clips.
    ///
    /// # Errors
    /// A plane without a normal, or more planes than a view takes.
    pub(crate) fn clipped(&self, view: View) -> anyhow::Result<View> {
        let planes = self.clip.iter().map(|&plane| SectionPlane::from_coefficients(plane));
        let planes = planes.collect::<Result<Vec<_>, _>>().context("--clip")?;
        view.with_clipping_planes(&planes).context("--clip")
    }

    /// The instances of a scene that `--ignore` names.
    ///
    /// # Errors
    /// An index without an instance.
    pub(crate) fn ignored(&self, scene: &Scene) -> anyhow::Result<Vec<InstanceId>> {
        let ranges = self.ignore.iter().flat_map(|ranges| ranges.iter().cloned());
        let ids: HashMap<u64, InstanceId> =
            scene.iter().filter_map(|(id, _)| Some((scene.insertion_order(id)?, id))).collect();
        let id = |index: u64| {
            let id = ids.get(&index).copied();
            id.ok_or_else(|| {
                anyhow!(
                    "--ignore: there is no instance {index}; expected an index below {}",
                    scene.len()
                )
            })
        };
        ranges.flat_map(|range| range.map(id)).collect()
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

/// Polygons of one instance.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct IgnoredFaces {
    /// The index of the instance in the file.
    pub(crate) instance: u64,
    pub(crate) polygons: IndexRanges,
}

/// An instance and its polygons, `0:7-9,12`.
fn faces_of_instance(text: &str) -> Result<IgnoredFaces, String> {
    let parts = text.split_once(':');
    let Some((Ok(instance), polygons)) = parts.map(|(n, rest)| (n.trim().parse(), rest)) else {
        return Err(format!("found `{text}`; expected an instance and polygons as in 0:7-9,12"));
    };
    Ok(IgnoredFaces { instance, polygons: index_ranges(polygons)? })
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignored_faces_are_an_instance_and_ranges_of_polygons() {
        assert_eq!(faces_of_instance("4:2,7-8").unwrap().polygons.to_vec(), [2..=2, 7..=8]);
        assert!(faces_of_instance("7-8").unwrap_err().contains("0:7-9,12"));
        assert!(faces_of_instance("1:").unwrap_err().contains("``"));
    }
}
