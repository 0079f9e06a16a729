//! Settings of a picture.

use hitscan::glam::DVec3;

/// The property that a picture shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum Mode {
    /// Materials under a lamp and the sky, with shadows.
    #[default]
    Shaded,
    /// Distance from the ray's origin to the first hit, in world units.
    Depth,
    /// Geometric normal by winding, in world space: x, y, z from -1 to 1 as red, green, blue.
    Normal,
    /// A palette colour per polygon.
    FaceId,
    /// A palette colour per object of a file, or per instance if the scene has several.
    Object,
    /// A palette colour per material.
    Material,
    /// Texture coordinates, or barycentric u and v where the mesh has none.
    Uv,
    /// Nodes and triangle blocks tested per ray.
    Heat,
    /// All surfaces along each ray, drawn as translucent panes.
    Glass,
}

/// Background colour: red, green, blue, opacity as sRGB bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Background(pub [u8; 4]);

/// The mode of a picture and its settings.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// The property to show.
    pub mode: Mode,
    /// Rays per pixel, at least 1. A single ray goes through the pixel's centre.
    pub n_samples: u32,
    /// Seed of the random sample points. Equal seeds give equal pictures.
    pub seed: u64,
    /// The colour behind the scene.
    pub background: Background,
    /// Whether [`ProgressiveRender::picture`](crate::ProgressiveRender::picture) draws a legend of
    /// the colours.
    pub legend: bool,
    /// World direction of the sky, of unit length.
    pub up: DVec3,
    /// World position of the lamp. `None` puts a distant lamp behind the camera, above its left
    /// shoulder.
    pub light: Option<[f64; 3]>,
    /// Whether [`Mode::Shaded`] shows the shadows that the scene casts on a ground below it.
    pub ground: bool,
    /// Draft lighting for previews: replaces the sky rays of [`Mode::Shaded`] by a constant share
    /// of the sky's light, which halves the number of rays.
    pub draft: bool,
}

impl Default for Style {
    /// Shaded, four samples per pixel, light background, y up.
    fn default() -> Self {
        Self {
            mode: Mode::Shaded,
            n_samples: 4,
            seed: 1,
            background: Background([240, 242, 245, 255]),
            legend: true,
            up: DVec3::Y,
            light: None,
            ground: true,
            draft: false,
        }
    }
}
