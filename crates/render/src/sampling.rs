//! Low-discrepancy sample points from a seed.

use std::f32::consts::TAU;

use hitscan::glam::{Vec2, Vec3};
use hitscan::primitives::generate::SplitMix64;

/// Side of a square of pixels that share one point sequence. Sharing spreads the noise over
/// neighbours, so that it looks like fine grain.
const SQUARE: u32 = 4;

/// The seed of one sample's random points.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SampleSeed {
    /// Hash of the picture's seed and the square.
    square: u64,
    /// Index of the sample in its square. The samples of a pixel have consecutive indices.
    index: u32,
}

/// The use of a random point. Points of different purposes are independent.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Purpose {
    Pixel = 1,
    Lamp = 2,
    Sky = 3,
}

impl SampleSeed {
    /// The seed of the first of a pixel's `n_samples` samples.
    pub(crate) fn first_of(seed: u64, [x, y]: [u32; 2], n_samples: u32) -> Self {
        let row = SplitMix64::new(seed ^ u64::from(y / SQUARE)).next_u64();
        let square = SplitMix64::new(row ^ u64::from(x / SQUARE)).next_u64();
        Self { square, index: n_samples * (y % SQUARE * SQUARE + x % SQUARE) }
    }

    /// The seed of the sample `n` positions later.
    pub(crate) fn after(self, n: u32) -> Self {
        Self { index: self.index + n, ..self }
    }

    /// The `k`-th of `n` seeds in place of this one. The seeds of a square stay consecutive.
    pub(crate) fn split(self, n: u32, k: u32) -> Self {
        Self { index: self.index * n + k, ..self }
    }

    /// A point in the unit square. The points of a pixel's samples are evenly spread: they follow
    /// the R2 sequence from a random start (Martin Roberts, "The Unreasonable Effectiveness of
    /// Quasirandom Sequences", 2018).
    pub(crate) fn point(self, purpose: Purpose) -> Vec2 {
        const STEP: [f64; 2] = [0.754_877_666_246_692_7, 0.569_840_290_998_053_3];
        let mut rng = SplitMix64::new(self.square.wrapping_mul(purpose as u64 * 2 + 1));
        let n = f64::from(self.index);
        Vec2::from(STEP.map(|step| (rng.unit() + n * step).fract() as f32)).min(BELOW_ONE)
    }
}

/// Upper bound of the half-open square, because rounding to f32 may reach 1.
const BELOW_ONE: Vec2 = Vec2::splat(1.0 - f32::EPSILON / 2.0);

/// Maps a point of the unit square to a direction in the hemisphere around `normal` (unit length),
/// with a density proportional to the cosine (Lambert).
pub(crate) fn cosine_direction(normal: Vec3, point: Vec2) -> Vec3 {
    let (sin, cos) = (TAU * point.x).sin_cos();
    let radius = point.y.sqrt();
    let (tangent, bitangent) = normal.any_orthonormal_pair();
    radius * cos * tangent + radius * sin * bitangent + (1.0 - point.y).sqrt() * normal
}

/// Maps a point of the unit square uniformly to the unit disc.
pub(crate) fn disc(point: Vec2) -> Vec2 {
    let (sin, cos) = (TAU * point.x).sin_cos();
    point.y.sqrt() * Vec2::new(cos, sin)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_cover_the_square_evenly() {
        // 1600 samples of one pixel, or 100 of each pixel in a square.
        for n_samples in [1600, 100] {
            let mut counts = [0; 16];
            for n in 0..1600 {
                let pixel = n / n_samples;
                let first = SampleSeed::first_of(1, [8 + pixel % 4, 4 + pixel / 4], n_samples);
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
        // The mean cosine under a cosine-weighted density is two thirds.
        assert!((cosines.iter().sum::<f32>() / 1000.0 - 2.0 / 3.0).abs() < 0.01);
    }
}
