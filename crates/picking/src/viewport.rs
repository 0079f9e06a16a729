//! The rectangle of pixels that a camera draws to.

use glam::DVec2;

/// The rectangle of pixels that a camera draws to, in the coordinates that pixels are given in.
///
/// Pixel coordinates are continuous: the first pixel covers `0..1` and has its centre at 0.5. A mouse
/// position in whole pixels is best taken as `position + 0.5`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viewport {
    /// The corner with the least coordinates.
    pub min: DVec2,
    /// Width and height, in pixels.
    pub size: DVec2,
}

impl Viewport {
    /// A viewport of this size whose first pixel is that of the window.
    pub fn from_size(width: f64, height: f64) -> Self {
        Self { min: DVec2::ZERO, size: DVec2::new(width, height) }
    }

    /// Width by height.
    pub fn aspect(&self) -> f64 {
        self.size.x / self.size.y
    }

    /// The middle.
    pub fn center(&self) -> DVec2 {
        self.min + 0.5 * self.size
    }

    /// The corner with the max coordinates.
    pub fn max(&self) -> DVec2 {
        self.min + self.size
    }
}
