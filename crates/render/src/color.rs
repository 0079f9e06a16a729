//! Colour conversions, palettes and ramps.

use std::sync::LazyLock;

use hitscan::glam::{Vec3, Vec4};

/// Converts an sRGB colour to linear light, each channel from 0 to 1 (IEC 61966-2-1).
pub(crate) fn linear(srgb: [u8; 3]) -> Vec3 {
    let decoded = &TABLES.decoded;
    srgb.map(|byte| decoded[usize::from(byte)]).into()
}

/// Converts linear light to the nearest sRGB colour. Clamps each channel to 0–1 and maps NaN to 0.
/// Inverts [`linear`] exactly.
pub(crate) fn srgb(linear: Vec3) -> [u8; 3] {
    let tables = &*TABLES;
    linear.to_array().map(|light| tables.encode(light))
}

/// Lookup tables for the sRGB curve, because a power costs more than most rays.
struct Tables {
    decoded: [f32; 256],
    /// The smallest linear light that encodes to each byte.
    min_light: [f32; 256],
    /// The byte that the lower end of each cell encodes to.
    first_byte: [u8; N_CELLS + 1],
}

static TABLES: LazyLock<Tables> = LazyLock::new(Tables::new);

/// Cells of equal width from 0 to 1. Few bytes start in each, so the search below is short.
const N_CELLS: usize = 1024;

impl Tables {
    fn new() -> Self {
        let decoded = std::array::from_fn(|byte| decode(byte as u8));
        let min_light = std::array::from_fn(|byte| {
            // Binary search over bit patterns, because positive floats sort by their bits.
            let (mut below, mut above) = (0, 1f32.to_bits());
            while below < above {
                let middle = (below + above) / 2;
                match usize::from(encode(f32::from_bits(middle))) >= byte {
                    true => above = middle,
                    false => below = middle + 1,
                }
            }
            f32::from_bits(above)
        });
        let first_byte = std::array::from_fn(|cell| encode(cell as f32 / N_CELLS as f32));
        Self { decoded, min_light, first_byte }
    }

    /// Looks up [`encode`].
    fn encode(&self, light: f32) -> u8 {
        // The cast below maps NaN to cell 0.
        let light = light.clamp(0.0, 1.0);
        let mut byte = self.first_byte[(light * N_CELLS as f32) as usize];
        while byte < u8::MAX && self.min_light[usize::from(byte) + 1] <= light {
            byte += 1;
        }
        byte
    }
}

fn decode(byte: u8) -> f32 {
    let s = f32::from(byte) / 255.0;
    if s <= 0.04045 { s / 12.92 } else { ((s + 0.055) / 1.055).powf(2.4) }
}

/// Encodes light from 0 to 1 by the formula.
fn encode(light: f32) -> u8 {
    let s =
        if light <= 0.003_130_8 { 12.92 * light } else { 1.055 * light.powf(1.0 / 2.4) - 0.055 };
    (255.0 * s).round() as u8
}

/// Converts an sRGB colour to a sample with full coverage.
pub(crate) fn opaque(srgb: [u8; 3]) -> Vec4 {
    linear(srgb).extend(1.0)
}

/// The filled cut of a section.
pub(crate) const CUT: [u8; 3] = [214, 112, 56];

/// The colour of a surface without a name.
pub(crate) const UNNAMED: [u8; 3] = [150, 150, 150];

/// Palette colour of an index: hues by the golden ratio in six shades, so that near indices differ.
pub(crate) fn of_index(index: u32) -> [u8; 3] {
    const GOLDEN_RATIO: f64 = 0.618_033_988_749_895;
    let hue = (0.55 + f64::from(index) * GOLDEN_RATIO).fract();
    let saturation = [0.60, 0.40, 0.75][index as usize % 3];
    let value = [0.95, 0.80][index as usize / 3 % 2];
    // Each channel peaks at its own third of the hue circle and is darkest opposite to it.
    [0.0, 1.0 / 3.0, 2.0 / 3.0].map(|center: f64| {
        let away = (hue - center).abs();
        let share = (2.0 - 6.0 * away.min(1.0 - away)).clamp(0.0, 1.0);
        (255.0 * value * (1.0 - saturation * (1.0 - share))).round() as u8
    })
}

/// Maps a value from 0 to 1 to an sRGB colour; clamps values outside.
pub type Ramp = fn(f32) -> [u8; 3];

/// Black, blue, red, yellow, white, with increasing brightness.
pub(crate) fn heat(value: f32) -> [u8; 3] {
    const STOPS: [[u8; 3]; 7] = [
        [4, 5, 18],
        [38, 24, 104],
        [113, 31, 129],
        [192, 48, 98],
        [240, 98, 58],
        [253, 176, 66],
        [252, 250, 200],
    ];
    let position = value.clamp(0.0, 1.0) * (STOPS.len() - 1) as f32;
    let first = (position as usize).min(STOPS.len() - 2);
    let share = position - first as f32;
    let (low, high) = (STOPS[first], STOPS[first + 1]);
    std::array::from_fn(|i| {
        (f32::from(low[i]) + share * (f32::from(high[i]) - f32::from(low[i]))).round() as u8
    })
}

/// White at 0, dark grey at 1.
pub(crate) fn depth(value: f32) -> [u8; 3] {
    [(255.0 - 215.0 * value.clamp(0.0, 1.0)).round() as u8; 3]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_comes_back_from_linear_light() {
        for byte in 0..=255 {
            assert_eq!(srgb(linear([byte; 3])), [byte; 3]);
        }
    }

    #[test]
    fn the_lookup_equals_the_formula() {
        let near = |light: f32| [light.next_down(), light, light.next_up()];
        let even = (0..=1_000_000).map(|n| n as f32 / 1e6);
        for light in even.chain(TABLES.min_light.into_iter().flat_map(near)) {
            let light = light.clamp(0.0, 1.0);
            assert_eq!(srgb(Vec3::splat(light)), [encode(light); 3], "{light:?}");
        }
        assert_eq!(srgb(Vec3::new(-1.0, 7.0, f32::NAN)), [0, 255, 0]);
    }

    #[test]
    fn neighbouring_indices_have_distinct_colours() {
        let difference = |a: u32, b: u32| {
            let (a, b) = (of_index(a), of_index(b));
            (0..3).map(|i| a[i].abs_diff(b[i])).max()
        };
        for number in 0..10_000 {
            for next in 1..=2 {
                assert!(difference(number, number + next) > Some(40), "{number}, {next}");
            }
            for next in 3..=7 {
                assert!(difference(number, number + next) > Some(10), "{number}, {next}");
            }
        }
    }

    #[test]
    fn ramps_run_from_end_to_end() {
        assert_eq!((heat(0.0), heat(1.0)), ([4, 5, 18], [252, 250, 200]));
        assert_eq!((heat(-1.0), heat(f32::INFINITY)), (heat(0.0), heat(1.0)));
        assert_eq!((depth(0.0), depth(1.0)), ([255; 3], [40; 3]));
    }
}
