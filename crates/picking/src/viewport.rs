//! The rectangle of pixels that a camera draws to.

use glam::DVec2;

/// The rectangle of pixels that a camera draws to, in the same coordinates as all pixel positions.
///
/// Pixel coordinates are continuous: the first pixel covers `0..1` and has its centre at 0.5. Add 0.5 to a
/// mouse position in whole pixels.
///
/// # Logical and physical pixels
///
/// On a display with a scale factor, a window has one size in logical pixels and a larger one in physical
/// pixels. hitscan knows no scale factor. Pass either kind, but the same kind for the viewport, the cursor,
/// regions and radii. Two answers depend on the kind:
///
/// - A radius of 8 is 8 pixels of that kind. With physical pixels, multiply it by the scale factor.
/// - A selection of visible elements looks through the centre of each pixel. Physical pixels find smaller
///   elements; logical pixels cost less.
///
/// The simplest kind is the one in which the toolkit reports the cursor:
///
/// ```
/// use hitscan_picking::Viewport;
///
/// // A window of 1280 x 720 logical pixels on a display with this scale factor.
/// let scale_factor = 2.0;
/// // Browsers, egui and Qt report the cursor in logical pixels.
/// let logical = Viewport::from_size(1280.0, 720.0);
/// // winit and SDL report it in physical pixels.
/// let physical = Viewport::from_size(scale_factor * 1280.0, scale_factor * 720.0);
/// assert_eq!(logical.aspect(), physical.aspect());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viewport {
    /// The corner with the minimum coordinates, in pixels.
    pub min: DVec2,
    /// Width and height, in pixels.
    pub size: DVec2,
}

impl Viewport {
    /// A viewport of this size, in pixels, from the first pixel of the window. [`View::new`](crate::View::new)
    /// rejects sizes that are not positive and finite.
    pub fn from_size(width: f64, height: f64) -> Self {
        Self { min: DVec2::ZERO, size: DVec2::new(width, height) }
    }

    /// The width divided by the height.
    pub fn aspect(&self) -> f64 {
        self.size.x / self.size.y
    }

    /// The centre.
    pub fn center(&self) -> DVec2 {
        self.min + 0.5 * self.size
    }

    /// The corner with the maximum coordinates, in pixels.
    pub fn max(&self) -> DVec2 {
        self.min + self.size
    }
}
