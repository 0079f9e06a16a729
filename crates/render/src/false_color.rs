//! False colour: films of values, coloured by a ramp and explained by a legend.

use hitscan::glam::Vec4;
use rayon::prelude::*;

use crate::color::{self, opaque};
use crate::film::Film;
use crate::legend::{Legend, RampLegend};

/// Colours distances from the nearest to the farthest.
pub(crate) fn depth(film: Film) -> (Film, Legend) {
    let Some(range) = film.range() else { return (film, Legend::None) };
    let legend = RampLegend {
        title: vec!["distance".to_owned()],
        ramp: color::depth,
        ends: [range.min, range.max].map(four_digits),
    };
    (film.recolored(range.min, range.max, color::depth), Legend::Ramp(legend))
}

/// Colours work from 0 to the 99.9th percentile, because a few outliers would darken the rest.
pub(crate) fn heat(film: Film) -> (Film, Legend) {
    let Some(range) = film.range() else { return (film, Legend::None) };
    let end = range.percentile_99_9.max(1.0);
    let beyond = if range.max > end { "+" } else { "" };
    let legend = RampLegend {
        title: vec![
            "nodes and triangle blocks tested per ray".to_owned(),
            format!("mean {:.1}, max {:.0}", range.mean, range.max),
        ],
        ramp: color::heat,
        ends: ["0".to_owned(), format!("{end:.0}{beyond}")],
    };
    (film.recolored(0.0, end, color::heat), Legend::Ramp(legend))
}

/// Formats a value with four significant digits.
fn four_digits(value: f32) -> String {
    if value != 0.0 && !(1e-3..1e6).contains(&value.abs()) {
        return format!("{value:.3e}");
    }
    let digits_before = value.abs().max(1.0).log10().floor() as usize;
    format!("{value:.*}", 3usize.saturating_sub(digits_before))
}

/// Statistics of a film's values.
#[derive(Clone, Copy, Debug, PartialEq)]
struct ValueRange {
    min: f32,
    max: f32,
    mean: f64,
    /// The 99.9th percentile.
    percentile_99_9: f32,
}

impl Film {
    /// The value of each pixel; `None` on a miss.
    fn values(&self) -> impl IndexedParallelIterator<Item = Option<f32>> {
        self.pixels.par_iter().map(|pixel| (pixel.w > 0.0).then(|| pixel.x / pixel.w))
    }

    /// Statistics of all values; `None` if every pixel misses.
    fn range(&self) -> Option<ValueRange> {
        let mut values: Vec<f32> = self.values().flatten_iter().collect();
        let n = values.len();
        if n == 0 {
            return None;
        }
        let mean = values.iter().map(|&value| f64::from(value)).sum::<f64>() / n as f64;
        let (min, max) =
            values.iter().fold((f32::MAX, f32::MIN), |(a, b), &x| (a.min(x), b.max(x)));
        let (_, percentile_99_9, _) =
            values.select_nth_unstable_by(n - 1 - n / 1000, f32::total_cmp);
        Some(ValueRange { min, max, mean, percentile_99_9: *percentile_99_9 })
    }

    /// Maps values to colours, with `start` and `end` at the ends of the ramp.
    fn recolored(&self, start: f32, end: f32, ramp: color::Ramp) -> Self {
        let width = (end - start).max(f32::MIN_POSITIVE);
        let pixels = self
            .values()
            .zip(&self.pixels)
            .map(|(value, pixel)| {
                let color = |value| pixel.w * opaque(ramp((value - start) / width));
                value.map_or(Vec4::ZERO, color)
            })
            .collect();
        Self { pixels, ..*self }
    }
}
