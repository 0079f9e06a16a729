//! Points that cover a square evenly, in each pixel and in its neighbours together, from a seed.

use std::f32::consts::TAU;

use hitscan::glam::{Vec2, Vec3};
use hitscan::primitives::generate::SplitMix64;

/// A side of a square of pixels that share a sequence of points. Chance is then spread over
/// neighbours, and seen as fine grain.
const SQUARE: u32 = 4;

/// What the random numbers of a sample are made from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SampleSeed {
    /// A hash of picture and square.
    square: u64,
    /// The number of the sample in its square: those of a pixel follow each other.
    number: u32,
}

/// What a random point is for; the points of different purposes have nothing to do with each other.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Purpose {
    Pixel = 1,
    Lamp = 2,
    Sky = 3,
}

impl SampleSeed {
    /// The seed of the first of a pixel's `n_samples`.
    pub(crate) fn first_of(seed: u64, [x, y]: [u32; 2], n_samples: u32) -> Self {
        let row = SplitMix64::new(seed ^ u64::from(y / SQUARE)).next_u64();
        let square = SplitMix64::new(row ^ u64::from(x / SQUARE)).next_u64();
        Self { square, number: n_samples * (y % SQUARE * SQUARE + x % SQUARE) }
    }

    /// The seed of the sample that is so many after this one.
    pub(crate) fn after(self, n: u32) -> Self {
        Self { number: self.number + n, ..self }
    }

    /// A point in the unit square. Those of all samples of a pixel cover it evenly: the R2 sequence of
    /// Martin Roberts, "The Unreasonable Effectiveness of Quasirandom Sequences" (2018), from a random
    /// start.
    pub(crate) fn point(self, purpose: Purpose) -> Vec2 {
        const STEP: [f64; 2] = [0.754_877_666_246_692_7, 0.569_840_290_998_053_3];
        let mut rng = SplitMix64::new(self.square.wrapping_mul(purpose as u64 * 2 + 1));
        let n = f64::from(self.number);
        Vec2::from(STEP.map(|step| (rng.unit() + n * step).fract() as f32)).min(BELOW_ONE)
    }
}

/// Rounding to f32 may reach 1, which the square does not hold.
const BELOW_ONE: Vec2 = Vec2::splat(1.0 - f32::EPSILON / 2.0);

/// A point of the square as a direction above the plane across `normal` (of unit length), more often
/// the closer to it, as a matt surface sees its surroundings.
pub(crate) fn cosine_direction(normal: Vec3, point: Vec2) -> Vec3 {
    let (sin, cos) = (TAU * point.x).sin_cos();
    let radius = point.y.sqrt();
    let (tangent, bitangent) = normal.any_orthonormal_pair();
    radius * cos * tangent + radius * sin * bitangent + (1.0 - point.y).sqrt() * normal
}

/// A point of the square as a point of the unit disc, evenly.
pub(crate) fn disc(point: Vec2) -> Vec2 {
    let (sin, cos) = (TAU * point.x).sin_cos();
    point.y.sqrt() * Vec2::new(cos, sin)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_cover_the_square_evenly() {
        // 1600 samples of one pixel, or 100 of each in a square.
        for n_samples in [1600, 100] {
            let mut counts = [0; 16];
            for n in 0..1600 {
                let place = n / n_samples;
                let first = SampleSeed::first_of(1, [8 + place % 4, 4 + place / 4], n_samples);
                let point = first.after(n % n_samples).point(Purpose::Sky);
                counts[(point.x * 4.0) as usize * 4 + (point.y * 4.0) as usize] += 1;
            }
            assert!(counts.iter().all(|n| (90..=110).contains(n)), "{counts:?}");
        }
    }

    #[test]
    fn directions_are_unit_vectors_above_the_plane_and_lean_towards_the_normal() {
        let normal = Vec3::new(0.6, -0.8, 0.0);
        let cosines = (0..1000).map(|sample| {
            let point = SampleSeed::first_of(7, [0, 0], 1000).after(sample).point(Purpose::Sky);
            let direction = cosine_direction(normal, point);
            assert!((direction.length() - 1.0).abs() < 1e-5);
            direction.dot(normal)
        });
        let cosines: Vec<f32> = cosines.collect();
        assert!(cosines.iter().all(|&cosine| cosine >= -1e-6));
        // The mean of a cosine distribution is two thirds.
        assert!((cosines.iter().sum::<f32>() / 1000.0 - 2.0 / 3.0).abs() < 0.01);
    }
}
