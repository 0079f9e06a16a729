//! What a picture shows, and how.

use hitscan::glam::DVec3;

/// What a picture shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum Mode {
    /// Light and shadow.
    #[default]
    Shaded,
    /// Distance.
    Depth,
    /// Geometric normal.
    Normal,
    /// Polygons.
    FaceId,
    /// Objects.
    Object,
    /// Materials.
    Material,
    /// Texture coordinates.
    Uv,
    /// Work per ray.
    Heat,
    /// All surfaces along each ray.
    Glass,
}

/// Red, green, blue, opacity as sRGB bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Background(pub [u8; 4]);

/// What to show, and how.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// What to show.
    pub mode: Mode,
    /// Rays per pixel, at least 1; a single one goes through the centre.
    pub n_samples: u32,
    /// Start of the random numbers.
    pub seed: u64,
    /// What is seen where nothing is.
    pub background: Background,
    /// Whether the picture says what its colours mean.
    pub legend: bool,
    /// Where the sky is.
    pub up: DVec3,
    /// Where the lamp stands; without one it is far away, over the left shoulder.
    pub light: Option<[f64; 3]>,
    /// Whether light and shadow may be had for half the rays: the sky is seen from everywhere, at a
    /// share of its light.
    pub draft: bool,
}

impl Default for Style {
    /// Light and shadow on a light ground, y up.
    fn default() -> Self {
        Self {
            mode: Mode::Shaded,
            n_samples: 4,
            seed: 1,
            background: Background([240, 242, 245, 255]),
            legend: true,
            up: DVec3::Y,
            light: None,
            draft: false,
        }
    }
}
