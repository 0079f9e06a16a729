//! A ray in f64 against boxes in f64.

use glam::DVec3;

use crate::{WorldBox, WorldRay};

/// A ray prepared for tests against many boxes in world space, such as those of
/// a tree of your own.
///
/// ```
/// use hitscan_primitives::{SlabRay, WorldBox, WorldRay};
///
/// let slabs = SlabRay::new(&WorldRay::new([0.0, 0.5, 0.5], [1.0, 0.0, 0.0]));
/// let entry = slabs.entry(&WorldBox::new([2.0, 0.0, 0.0], [3.0, 1.0, 1.0])).expect("it meets the box");
/// assert!((2.0 - entry).abs() < 1e-9);
/// assert_eq!(slabs.entry(&WorldBox::new([2.0, 1.0, 0.0], [3.0, 2.0, 1.0])), None);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct SlabRay {
    origin: DVec3,
    reciprocal: DVec3,
    t_min: f64,
    t_max: f64,
    /// Widens boxes by 32 times the rounding that is proportional to the origin.
    pad: f64,
}

impl SlabRay {
    /// Prepares a ray. One that is invalid has no meaning.
    pub fn new(ray: &WorldRay) -> Self {
        // Finite, so that no product with a zero is NaN.
        const MAX_RECIPROCAL: f64 = 1e300;
        let reciprocal = DVec3::from_array(
            ray.direction.to_array().map(|d| (1.0 / d).clamp(-MAX_RECIPROCAL, MAX_RECIPROCAL)),
        );
        let pad = ray.origin.abs().max_element() * 2f64.powi(-48);
        Self { origin: ray.origin, reciprocal, t_min: ray.t_min, t_max: ray.t_max, pad }
    }

    /// The `t` at which the ray enters a box, within the ray's interval; `None` if it misses.
    ///
    /// The test widens the box by more than its own rounding. So a ray that meets the box never misses it, and
    /// enters it by the last digits too early.
    pub fn entry(&self, bounds: &WorldBox) -> Option<f64> {
        let t = self.enter(bounds);
        (!t.is_nan()).then_some(t)
    }

    /// [`entry`](Self::entry), and NaN for a miss.
    #[inline(always)]
    pub fn enter(&self, bounds: &WorldBox) -> f64 {
        let to_min = (bounds.min - self.pad - self.origin) * self.reciprocal;
        let to_max = (bounds.max + self.pad - self.origin) * self.reciprocal;
        let enter = to_min.min(to_max).max_element().max(self.t_min);
        let exit = to_min.max(to_max).min_element().min(self.t_max);
        if enter <= exit { enter } else { f64::NAN }
    }
}
