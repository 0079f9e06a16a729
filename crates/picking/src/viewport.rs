//! The rectangle of pixels that a camera draws to.

use glam::DVec2;

/// The rectangle of pixels that a camera draws to, in the same coordinates as all pixel positions.
///
/// Pixel coordinates are continuous: the first pixel covers `0..1` and has its centre at 0.5. Add 0.5 to a
/// mouse position in whole pixels.
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
