//! A small random number generator.

/// SplitMix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", 2014): 64
/// bits of state, a full period, and the same numbers on every platform. Not for secrets.
///
/// ```
/// use hitscan_primitives::generate::SplitMix64;
///
/// let mut rng = SplitMix64::new(0);
/// assert_eq!(rng.next_u64(), 0xe220_a839_7b1d_cdaf);
/// assert!((-1.0..=1.0).contains(&rng.range(-1.0, 1.0)));
/// ```
#[derive(Clone, Debug)]
pub struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    /// The sequence of a seed. All seeds are equally good.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// 64 random bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mixed(self.state)
    }

    /// A number in `[0, 1)`, a multiple of 2^-53.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        unit_from_bits(self.next_u64())
    }

    /// A number in `[low, high]`.
    #[inline]
    pub fn range(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// A whole number less than `n`; 0 if `n` is 0. Uneven by `n / 2^64` at most.
    #[inline]
    pub fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.next_u64()) * u128::from(n)) >> 64) as u64
    }
}

/// The output function of SplitMix64: a bijection in which every bit depends on every bit.
#[inline]
pub(super) fn mixed(bits: u64) -> u64 {
    let bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

/// The upper 53 bits as a number in `[0, 1)`.
#[inline]
pub(super) fn unit_from_bits(bits: u64) -> f64 {
    (bits >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_the_published_one() {
        let mut rng = SplitMix64::new(1_234_567);
        let expected = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ];
        assert_eq!(expected.map(|_| rng.next_u64()), expected);
    }

    #[test]
    fn numbers_stay_in_their_range_and_fill_it() {
        let mut rng = SplitMix64::new(1);
        let mut seen = [0u32; 10];
        for _ in 0..10_000 {
            seen[rng.below(10) as usize] += 1;
            assert!((0.0..1.0).contains(&rng.unit()));
        }
        assert!(seen.iter().all(|&n| (800..1200).contains(&n)), "{seen:?}");
        assert_eq!(rng.below(0), 0);
    }
}
