//! Seeded random numbers, vectors and picks.

use hitscan_primitives::generate::SplitMix64;
use hitscan_primitives::glam::Vec3;

/// Random f32 numbers, vectors and picks from a [`SplitMix64`]. A failing test prints the seed.
#[derive(Clone, Debug)]
pub struct Rng(SplitMix64);

impl Rng {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Self {
        Self(SplitMix64::new(seed))
    }

    /// 32 random bits.
    pub fn bits(&mut self) -> u32 {
        (self.0.next_u64() >> 32) as u32
    }

    /// An index below `n`, which must not be 0.
    pub fn below(&mut self, n: usize) -> usize {
        self.0.below(n as u64) as usize
    }

    /// True once in `n` times on average.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// An element of a slice that is not empty.
    pub fn pick<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len())]
    }

    /// A number in `[0, 1)`, a multiple of 2^-24.
    pub fn unit(&mut self) -> f32 {
        (self.bits() >> 8) as f32 / (1u32 << 24) as f32
    }

    /// A number between `low` and `high`, both of which rounding may give.
    pub fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.unit()
    }

    /// A number whose logarithm is uniform: `2^x` for `x` between `low` and `high`.
    pub fn power_of_two(&mut self, low: f32, high: f32) -> f32 {
        self.between(low, high).exp2()
    }

    /// A point of the cube `[-1, 1]^3`.
    pub fn in_cube(&mut self) -> Vec3 {
        Vec3::new(self.between(-1.0, 1.0), self.between(-1.0, 1.0), self.between(-1.0, 1.0))
    }

    /// A direction, evenly distributed on the sphere and of unit length up to rounding.
    pub fn direction(&mut self) -> Vec3 {
        loop {
            let v = self.in_cube();
            let length = v.length();
            if length > 0.1 && length <= 1.0 {
                return v / length;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_fill_their_interval_and_stay_below_one() {
        let mut rng = Rng::new(1);
        let units: Vec<f32> = (0..100_000).map(|_| rng.unit()).collect();
        assert!(units.iter().all(|x| (0.0..1.0).contains(x)));
        assert!((0..10).all(|i| units.iter().any(|x| (x * 10.0) as i32 == i)));
    }
}
