//! The reference lanes, which every machine has: plain arrays, left to the compiler.

use super::lanes::{Kernel, Simd};

/// Plain Rust.
#[derive(Clone, Copy)]
pub(super) struct Scalar;

#[inline(always)]
fn map(a: [f32; 8], b: [f32; 8], f: impl Fn(f32, f32) -> f32) -> [f32; 8] {
    std::array::from_fn(|i| f(a[i], b[i]))
}

#[inline(always)]
fn compare(a: [f32; 8], b: [f32; 8], f: impl Fn(f32, f32) -> bool) -> [u32; 8] {
    std::array::from_fn(|i| if f(a[i], b[i]) { u32::MAX } else { 0 })
}

#[inline(always)]
fn map_wide(a: [f64; 8], b: [f64; 8], f: impl Fn(f64, f64) -> f64) -> [f64; 8] {
    std::array::from_fn(|i| f(a[i], b[i]))
}

impl Simd for Scalar {
    type F = [f32; 8];
    /// All bits set or none, as vector comparisons give, so that the compiler can use them.
    type M = [u32; 8];
    type D = [f64; 8];

    fn vectorize<K: Kernel>(self, kernel: K) -> K::Output {
        kernel.run(self)
    }

    #[inline(always)]
    fn load(self, values: &[f32; 8]) -> [f32; 8] {
        *values
    }
    #[inline(always)]
    fn store(self, lanes: [f32; 8]) -> [f32; 8] {
        lanes
    }
    #[inline(always)]
    fn splat(self, value: f32) -> [f32; 8] {
        [value; 8]
    }
    #[inline(always)]
    fn add(self, a: [f32; 8], b: [f32; 8]) -> [f32; 8] {
        map(a, b, |a, b| a + b)
    }
    #[inline(always)]
    fn sub(self, a: [f32; 8], b: [f32; 8]) -> [f32; 8] {
        map(a, b, |a, b| a - b)
    }
    #[inline(always)]
    fn mul(self, a: [f32; 8], b: [f32; 8]) -> [f32; 8] {
        map(a, b, |a, b| a * b)
    }
    #[inline(always)]
    fn div(self, a: [f32; 8], b: [f32; 8]) -> [f32; 8] {
        map(a, b, |a, b| a / b)
    }
    #[inline(always)]
    fn min(self, a: [f32; 8], b: [f32; 8]) -> [f32; 8] {
        map(a, b, |a, b| if a < b { a } else { b })
    }
    #[inline(always)]
    fn max(self, a: [f32; 8], b: [f32; 8]) -> [f32; 8] {
        map(a, b, |a, b| if a > b { a } else { b })
    }
    #[inline(always)]
    fn abs(self, a: [f32; 8]) -> [f32; 8] {
        a.map(f32::abs)
    }
    #[inline(always)]
    fn flip_sign(self, magnitude: [f32; 8], sign: [f32; 8]) -> [f32; 8] {
        map(magnitude, sign, |m, s| f32::from_bits(m.to_bits() ^ (s.to_bits() & 0x8000_0000)))
    }
    #[inline(always)]
    fn le(self, a: [f32; 8], b: [f32; 8]) -> [u32; 8] {
        compare(a, b, |a, b| a <= b)
    }
    #[inline(always)]
    fn not_lt(self, a: [f32; 8], b: [f32; 8]) -> [u32; 8] {
        compare(a, b, |a, b| a >= b || a.is_nan() || b.is_nan())
    }
    #[inline(always)]
    fn eq(self, a: [f32; 8], b: [f32; 8]) -> [u32; 8] {
        compare(a, b, |a, b| a == b)
    }
    #[inline(always)]
    fn and(self, a: [u32; 8], b: [u32; 8]) -> [u32; 8] {
        std::array::from_fn(|i| a[i] & b[i])
    }
    #[inline(always)]
    fn select(self, mask: [u32; 8], a: [f32; 8], b: [f32; 8]) -> [f32; 8] {
        std::array::from_fn(|i| if mask[i] == 0 { a[i] } else { b[i] })
    }
    #[inline(always)]
    fn bits(self, mask: [u32; 8]) -> u32 {
        let mut bits = 0;
        for (i, lane) in mask.into_iter().enumerate() {
            bits |= (lane & 1) << i;
        }
        bits
    }

    #[inline(always)]
    fn widen(self, lanes: [f32; 8]) -> [f64; 8] {
        lanes.map(f64::from)
    }
    #[inline(always)]
    fn narrow(self, lanes: [f64; 8]) -> [f32; 8] {
        lanes.map(|lane| lane as f32)
    }
    #[inline(always)]
    fn add_wide(self, a: [f64; 8], b: [f64; 8]) -> [f64; 8] {
        map_wide(a, b, |a, b| a + b)
    }
    #[inline(always)]
    fn sub_wide(self, a: [f64; 8], b: [f64; 8]) -> [f64; 8] {
        map_wide(a, b, |a, b| a - b)
    }
    #[inline(always)]
    fn mul_wide(self, a: [f64; 8], b: [f64; 8]) -> [f64; 8] {
        map_wide(a, b, |a, b| a * b)
    }
    #[inline(always)]
    fn div_wide(self, a: [f64; 8], b: [f64; 8]) -> [f64; 8] {
        map_wide(a, b, |a, b| a / b)
    }
    #[inline(always)]
    fn abs_wide(self, a: [f64; 8]) -> [f64; 8] {
        a.map(f64::abs)
    }
    #[inline(always)]
    fn le_wide(self, a: [f64; 8], b: [f64; 8]) -> u32 {
        let mut bits = 0;
        for i in 0..8 {
            bits |= u32::from(a[i] <= b[i]) << i;
        }
        bits
    }

    #[inline(always)]
    fn sign_bits(self, lanes: [f32; 8]) -> u32 {
        self.bits(lanes.map(|lane| lane.to_bits() >> 31))
    }
    #[inline(always)]
    fn mask_from_bits(self, bits: u32) -> [u32; 8] {
        std::array::from_fn(|i| if bits >> i & 1 == 1 { u32::MAX } else { 0 })
    }
    #[inline(always)]
    fn load_bits(self, values: &[u32; 8]) -> [f32; 8] {
        values.map(f32::from_bits)
    }
    #[inline(always)]
    fn first_four(self, lanes: [f32; 8]) -> [u32; 4] {
        std::array::from_fn(|i| lanes[i].to_bits())
    }
    #[inline(always)]
    fn all_bits(self, lanes: [f32; 8]) -> [u32; 8] {
        lanes.map(f32::to_bits)
    }
    #[inline(always)]
    fn masked_or(self, a: [f32; 8], mask: [f32; 8], bits: [f32; 8]) -> [f32; 8] {
        std::array::from_fn(|i| {
            f32::from_bits((a[i].to_bits() & mask[i].to_bits()) | bits[i].to_bits())
        })
    }
    #[inline(always)]
    fn compress(self, mut mask: u32, lanes: [f32; 8]) -> [f32; 8] {
        let mut front = [0.0; 8];
        let mut n = 0;
        while mask != 0 {
            front[n % 8] = lanes[mask.trailing_zeros() as usize % 8];
            mask &= mask - 1;
            n += 1;
        }
        front
    }
    #[inline(always)]
    fn sort_four_descending(self, mut lanes: [f32; 8]) -> [f32; 8] {
        for (i, j) in [(0, 2), (1, 3), (0, 1), (2, 3), (1, 2)] {
            let (a, b) = (lanes[i].to_bits(), lanes[j].to_bits());
            lanes[i] = f32::from_bits(a.max(b));
            lanes[j] = f32::from_bits(a.min(b));
        }
        lanes
    }
    #[inline(always)]
    fn permute(self, table: [f32; 8], places: [f32; 8]) -> [f32; 8] {
        places.map(|place| table[place.to_bits() as usize % 8])
    }
}
