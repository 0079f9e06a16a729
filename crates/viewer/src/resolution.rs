//! Preview resolution: the frame size that keeps interaction smooth.

use std::time::Duration;

/// Target time of a preview: about twenty frames per second.
const TARGET_FRAME_TIME: Duration = Duration::from_millis(48);

/// Maximum time of a preview before it gets fewer than [`BASE_PIXELS`] pixels: about fifteen frames
/// per second.
const MAX_FRAME_TIME: Duration = Duration::from_millis(64);

/// A preview with this many pixels is clear enough: half of 1280 x 720 per axis.
const BASE_PIXELS: f64 = 640.0 * 360.0;

/// Possible side lengths relative to a preview of [`BASE_PIXELS`]. The steps are coarse, because
/// frequent changes of resolution are distracting.
const SCALES: [f64; 10] = [4.0, 3.0, 2.0, 1.5, 1.25, 1.0, 0.8, 0.6, 0.4, 0.2];

/// The resolution rises only if the larger preview would take less than this share of its limit.
const GROWTH_LIMIT: f64 = 0.92;

/// Number of recent frames in the cost estimate.
const N_REMEMBERED: usize = 5;

/// Chooses the resolution of the next preview from the cost of recent frames.
#[derive(Clone, Debug, Default)]
pub(crate) struct PreviewResolution {
    /// Seconds per pixel of recent frames, oldest first.
    seconds_per_pixel: Vec<f64>,
    /// Index in [`SCALES`] of the latest preview.
    last: Option<usize>,
}

impl PreviewResolution {
    /// Whether the cost per pixel is known.
    pub(crate) fn has_measurement(&self) -> bool {
        !self.seconds_per_pixel.is_empty()
    }

    /// Records a frame: its pixels and the time from start to finish.
    pub(crate) fn record(&mut self, n_pixels: f64, time: Duration) {
        if self.seconds_per_pixel.len() == N_REMEMBERED {
            self.seconds_per_pixel.remove(0);
        }
        self.seconds_per_pixel.push(time.as_secs_f64() / n_pixels.max(1.0));
    }

    /// Median cost of recent frames, in seconds per pixel. The median ignores single frames that
    /// other programs delayed. Of two middle values it is the larger.
    fn median_cost(&self) -> Option<f64> {
        let mut costs = self.seconds_per_pixel.clone();
        costs.sort_unstable_by(f64::total_cmp);
        costs.get(costs.len() / 2).copied()
    }

    /// The scale relative to a window of `n_pixels` at which a frame takes this long; infinite if
    /// the cost is unknown.
    pub(crate) fn scale_within(&self, n_pixels: f64, time: Duration) -> f64 {
        let cost = self.median_cost();
        cost.map_or(f64::INFINITY, |cost| (time.as_secs_f64() / (cost * n_pixels)).sqrt())
    }

    /// Scale of the next preview relative to a window of `n_pixels`, at most `full`.
    pub(crate) fn scale(&mut self, n_pixels: f64, full: f64) -> f64 {
        let Some(cost) = self.median_cost() else { return full.min(1.0) / 3.0 };
        let fits = |index: usize| {
            let limit =
                if SCALES[index] <= 1.0 { MAX_FRAME_TIME } else { TARGET_FRAME_TIME }.as_secs_f64();
            let is_larger = self.last.is_some_and(|last| index < last);
            let share = if is_larger { GROWTH_LIMIT } else { 1.0 };
            cost * BASE_PIXELS * SCALES[index] * SCALES[index] <= share * limit
        };
        // Skip scales above the screen's resolution.
        let scale_of = |index: usize| SCALES[index] * (BASE_PIXELS / n_pixels).sqrt();
        let first = (0..SCALES.len()).rev().find(|&index| scale_of(index) >= full).unwrap_or(0);
        let index = (first..SCALES.len()).find(|&index| fits(index)).unwrap_or(SCALES.len() - 1);
        self.last = Some(index);
        scale_of(index).min(full)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WINDOW: f64 = 1280.0 * 720.0;

    /// The scales of 20 consecutive previews at a constant cost per pixel.
    fn scales(resolution: &mut PreviewResolution, nanoseconds: f64) -> Vec<f64> {
        let turn = |_| {
            let scale = resolution.scale(WINDOW, 1.0);
            let n_pixels = scale * scale * WINDOW;
            resolution.record(n_pixels, Duration::from_secs_f64(1e-9 * nanoseconds * n_pixels));
            scale
        };
        (0..20).map(turn).collect()
    }

    #[test]
    fn a_preview_has_enough_pixels_while_it_is_fast_enough() {
        for (nanoseconds, expected) in
            [(20.0, 1.0), (80.0, 0.75), (190.0, 0.5), (275.0, 0.5), (300.0, 0.4), (1e6, 0.1)]
        {
            let scales = scales(&mut PreviewResolution::default(), nanoseconds);
            assert_eq!(scales[0], 1.0 / 3.0);
            let settled = scales[scales.len() - 1];
            assert!((settled - expected).abs() < 1e-9, "{nanoseconds} ns: {scales:?}");
        }
    }

    #[test]
    fn small_changes_of_cost_keep_the_resolution() {
        let mut resolution = PreviewResolution::default();
        scales(&mut resolution, 290.0);
        for nanoseconds in [270.0, 290.0, 270.0, 260.0] {
            assert_eq!(scales(&mut resolution, nanoseconds), [0.4; 20]);
        }
        assert!(scales(&mut resolution, 200.0).ends_with(&[0.5; 10]));
        assert_eq!(scales(&mut resolution, 270.0), [0.5; 20]);
    }

    #[test]
    fn a_single_delay_keeps_the_resolution() {
        let mut resolution = PreviewResolution::default();
        scales(&mut resolution, 200.0);
        for _ in 0..2 {
            resolution.record(BASE_PIXELS, Duration::from_secs(1));
            assert_eq!(resolution.scale(WINDOW, 1.0), 0.5);
        }
        // A repeated delay counts.
        resolution.record(BASE_PIXELS, Duration::from_secs(1));
        assert_eq!(resolution.scale(WINDOW, 1.0), 0.1);
    }

    #[test]
    fn a_frame_is_as_large_as_its_time_allows() {
        let mut resolution = PreviewResolution::default();
        let within = |resolution: &PreviewResolution| {
            resolution.scale_within(WINDOW, Duration::from_millis(600))
        };
        assert_eq!(within(&resolution), f64::INFINITY);
        resolution.record(WINDOW, Duration::from_millis(150));
        assert!((within(&resolution) - 2.0).abs() < 1e-9);
    }

    #[test]
    fn no_preview_exceeds_the_screen() {
        let mut resolution = PreviewResolution::default();
        scales(&mut resolution, 1.0);
        for (n_pixels, full) in [(WINDOW, 1.0), (WINDOW, 0.9), (400.0, 2.0), (6e7, 0.3)] {
            let scale = resolution.scale(n_pixels, full);
            assert!(scale > 0.0 && scale <= full, "{scale}");
        }
        assert_eq!(resolution.scale(400.0, 1.0), 1.0);
    }
}
