//! Rays against boxes in world space.

use hitscan::{
    glam::DVec3,
    scene::{WorldBox, WorldRay},
};

/// A ray prepared for tests against boxes in world space.
pub(crate) struct Slabs {
    origin: DVec3,
    reciprocal: DVec3,
    pad: f64,
}

impl Slabs {
    pub(crate) fn new(ray: &WorldRay) -> Self {
        // Finite, so that no product with a zero is NaN.
        const MAX_RECIPROCAL: f64 = 1e300;
        let reciprocal = (1.0 / ray.direction)
            .clamp(DVec3::splat(-MAX_RECIPROCAL), DVec3::splat(MAX_RECIPROCAL));
        // Many times the rounding of the differences below.
        let pad = ray.origin.abs().max_element() * 2f64.powi(-48);
        Self { origin: ray.origin, reciprocal, pad }
    }

    /// The `t` at which the ray enters a box; `None` if it misses.
    pub(crate) fn enter(&self, bounds: &WorldBox) -> Option<f64> {
        let to_min = (bounds.min - self.pad - self.origin) * self.reciprocal;
        let to_max = (bounds.max + self.pad - self.origin) * self.reciprocal;
        let enter = to_min.min(to_max).max_element().max(0.0);
        let exit = to_min.max(to_max).min_element();
        (enter <= exit).then_some(enter)
    }
}
