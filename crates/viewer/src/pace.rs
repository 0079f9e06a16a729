//! How large a picture may be to keep up with a moving camera.

use std::time::Duration;

/// How long a coarse picture may take: twenty of these a second move well.
const WELL: Duration = Duration::from_millis(48);

/// How long it may take rather than have less than [`ENOUGH`] pixels: fifteen a second still move.
const STILL_MOVING: Duration = Duration::from_millis(64);

/// Pixels that show where things are: half of a window of 1280 by 720, either way.
const ENOUGH: f64 = 640.0 * 360.0;

/// Sides of coarse pictures, as shares of those of one with enough pixels. Few, or the picture would
/// change its grain all the time.
const SIDES: [f64; 10] = [4.0, 3.0, 2.0, 1.5, 1.25, 1.0, 0.8, 0.6, 0.4, 0.2];

/// A larger picture than the last is tried if it would take less than this share of what it may.
const SAFE: f64 = 0.92;

/// As many of the last pictures say what the next one will cost.
const REMEMBERED: usize = 5;

/// What pictures have cost, and what follows for the next.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pace {
    /// What a pixel of the last pictures cost, in seconds, the last one at the end.
    costs: Vec<f64>,
    /// The place in [`SIDES`] of the last coarse picture.
    last: Option<usize>,
}

impl Pace {
    /// Whether it is known what a pixel costs.
    pub(crate) fn is_known(&self) -> bool {
        !self.costs.is_empty()
    }

    /// A picture was made, from its beginning until it could be shown.
    pub(crate) fn learn(&mut self, n_pixels: f64, time: Duration) {
        if self.costs.len() == REMEMBERED {
            self.costs.remove(0);
        }
        self.costs.push(time.as_secs_f64() / n_pixels.max(1.0));
    }

    /// What a pixel costs: the median of the last pictures, as now and then one has to wait for others
    /// that use the machine. Of two in the middle, the one that costs more.
    fn seconds_per_pixel(&self) -> Option<f64> {
        let mut costs = self.costs.clone();
        costs.sort_unstable_by(f64::total_cmp);
        costs.get(costs.len() / 2).copied()
    }

    /// The share of the sides of a window with so many pixels that the next coarse picture shall have,
    /// not more than `full`.
    pub(crate) fn scale(&mut self, n_pixels: f64, full: f64) -> f64 {
        let Some(cost) = self.seconds_per_pixel() else { return full.min(1.0) / 3.0 };
        let fits = |place: usize| {
            let may_take = if SIDES[place] <= 1.0 { STILL_MOVING } else { WELL }.as_secs_f64();
            let is_larger = self.last.is_some_and(|last| place < last);
            let share = if is_larger { SAFE } else { 1.0 };
            cost * ENOUGH * SIDES[place] * SIDES[place] <= share * may_take
        };
        // What is larger than the screen need not be tried.
        let scale_of = |place: usize| SIDES[place] * (ENOUGH / n_pixels).sqrt();
        let first = (0..SIDES.len()).rev().find(|&place| scale_of(place) >= full).unwrap_or(0);
        let place = (first..SIDES.len()).find(|&place| fits(place)).unwrap_or(SIDES.len() - 1);
        self.last = Some(place);
        scale_of(place).min(full)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WINDOW: f64 = 1280.0 * 720.0;

    /// The scale that settles if a pixel costs so many nanoseconds, and before that the one of each turn.
    fn scales(pace: &mut Pace, nanoseconds: f64) -> Vec<f64> {
        let turn = |_| {
            let scale = pace.scale(WINDOW, 1.0);
            let n_pixels = scale * scale * WINDOW;
            pace.learn(n_pixels, Duration::from_secs_f64(1e-9 * nanoseconds * n_pixels));
            scale
        };
        (0..20).map(turn).collect()
    }

    #[test]
    fn a_picture_has_enough_pixels_while_it_still_moves() {
        for (nanoseconds, expected) in
            [(20.0, 1.0), (80.0, 0.75), (190.0, 0.5), (275.0, 0.5), (300.0, 0.4), (1e6, 0.1)]
        {
            let scales = scales(&mut Pace::default(), nanoseconds);
            assert_eq!(scales[0], 1.0 / 3.0);
            let settled = scales[scales.len() - 1];
            assert!((settled - expected).abs() < 1e-9, "{nanoseconds} ns: {scales:?}");
        }
    }

    #[test]
    fn a_picture_keeps_its_size_while_costs_go_a_little_up_and_down() {
        let mut pace = Pace::default();
        scales(&mut pace, 290.0);
        for nanoseconds in [270.0, 290.0, 270.0, 260.0] {
            assert_eq!(scales(&mut pace, nanoseconds), [0.4; 20]);
        }
        assert!(scales(&mut pace, 200.0).ends_with(&[0.5; 10]));
        assert_eq!(scales(&mut pace, 270.0), [0.5; 20]);
    }

    #[test]
    fn a_picture_that_was_held_up_makes_the_next_no_smaller() {
        let mut pace = Pace::default();
        scales(&mut pace, 200.0);
        for _ in 0..2 {
            pace.learn(ENOUGH, Duration::from_secs(1));
            assert_eq!(pace.scale(WINDOW, 1.0), 0.5);
        }
        // What goes on is no accident.
        pace.learn(ENOUGH, Duration::from_secs(1));
        assert_eq!(pace.scale(WINDOW, 1.0), 0.1);
    }

    #[test]
    fn no_picture_is_finer_than_the_screen() {
        let mut pace = Pace::default();
        scales(&mut pace, 1.0);
        for (n_pixels, full) in [(WINDOW, 1.0), (WINDOW, 0.9), (400.0, 2.0), (6e7, 0.3)] {
            let scale = pace.scale(n_pixels, full);
            assert!(scale > 0.0 && scale <= full, "{scale}");
        }
        assert_eq!(pace.scale(400.0, 1.0), 1.0);
    }
}
