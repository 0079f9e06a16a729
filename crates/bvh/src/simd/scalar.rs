//! The reference lanes: plain arrays, for every machine.

use super::lanes::{KernelFn, KernelOn, LANES, Lanes, Simd, rays_in_eight_lanes};

/// Plain Rust.
#[derive(Clone, Copy)]
pub(super) struct Scalar;

#[inline(always)]
fn map(a: [f32; LANES], b: [f32; LANES], f: impl Fn(f32, f32) -> f32) -> [f32; LANES] {
    std::array::from_fn(|i| f(a[i], b[i]))
}

#[inline(always)]
fn compare(a: [f32; LANES], b: [f32; LANES], f: impl Fn(f32, f32) -> bool) -> [u32; LANES] {
    std::array::from_fn(|i| if f(a[i], b[i]) { u32::MAX } else { 0 })
}

#[inline(always)]
fn map_wide(a: [f64; LANES], b: [f64; LANES], f: impl Fn(f64, f64) -> f64) -> [f64; LANES] {
    std::array::from_fn(|i| f(a[i], b[i]))
}

impl Lanes for Scalar {
    type F = [f32; LANES];
    /// All bits set or none, so that the compiler can use vector comparisons.
    type M = [u32; LANES];

    #[inline(always)]
    fn splat(self, value: f32) -> [f32; LANES] {
        [value; LANES]
    }
    #[inline(always)]
    fn add(self, a: [f32; LANES], b: [f32; LANES]) -> [f32; LANES] {
        map(a, b, |a, b| a + b)
    }
    #[inline(always)]
    fn sub(self, a: [f32; LANES], b: [f32; LANES]) -> [f32; LANES] {
        map(a, b, |a, b| a - b)
    }
    #[inline(always)]
    fn mul(self, a: [f32; LANES], b: [f32; LANES]) -> [f32; LANES] {
        map(a, b, |a, b| a * b)
    }
    #[inline(always)]
    fn div(self, a: [f32; LANES], b: [f32; LANES]) -> [f32; LANES] {
        map(a, b, |a, b| a / b)
    }
    #[inline(always)]
    fn min(self, a: [f32; LANES], b: [f32; LANES]) -> [f32; LANES] {
        map(a, b, |a, b| if a < b { a } else { b })
    }
    #[inline(always)]
    fn max(self, a: [f32; LANES], b: [f32; LANES]) -> [f32; LANES] {
        map(a, b, |a, b| if a > b { a } else { b })
    }
    #[inline(always)]
    fn abs(self, a: [f32; LANES]) -> [f32; LANES] {
        a.map(f32::abs)
    }
    #[inline(always)]
    fn xor_sign(self, magnitude: [f32; LANES], sign: [f32; LANES]) -> [f32; LANES] {
        map(magnitude, sign, |m, s| f32::from_bits(m.to_bits() ^ (s.to_bits() & 0x8000_0000)))
    }
    #[inline(always)]
    fn le(self, a: [f32; LANES], b: [f32; LANES]) -> [u32; LANES] {
        compare(a, b, |a, b| a <= b)
    }
    #[inline(always)]
    fn not_lt(self, a: [f32; LANES], b: [f32; LANES]) -> [u32; LANES] {
        compare(a, b, |a, b| a >= b || a.is_nan() || b.is_nan())
    }
    #[inline(always)]
    fn eq(self, a: [f32; LANES], b: [f32; LANES]) -> [u32; LANES] {
        compare(a, b, |a, b| a == b)
    }
    #[inline(always)]
    fn and(self, a: [u32; LANES], b: [u32; LANES]) -> [u32; LANES] {
        std::array::from_fn(|i| a[i] & b[i])
    }
    #[inline(always)]
    fn select(self, mask: [u32; LANES], a: [f32; LANES], b: [f32; LANES]) -> [f32; LANES] {
        std::array::from_fn(|i| if mask[i] == 0 { a[i] } else { b[i] })
    }
    #[inline(always)]
    fn movemask(self, mask: [u32; LANES]) -> u32 {
        let mut bits = 0;
        for (i, lane) in mask.into_iter().enumerate() {
            bits |= (lane & 1) << i;
        }
        bits
    }

    #[inline(always)]
    fn sign_bits(self, lanes: [f32; LANES]) -> u32 {
        self.movemask(lanes.map(|lane| lane.to_bits() >> 31))
    }
    #[inline(always)]
    fn mask_from_bits(self, bits: u32) -> [u32; LANES] {
        std::array::from_fn(|i| if bits >> i & 1 == 1 { u32::MAX } else { 0 })
    }
}

impl Simd for Scalar {
    type D = [f64; LANES];

    rays_in_eight_lanes!();

    // Out of line as on other machines, so that it does not burden the callers of other instruction sets.
    #[inline(never)]
    fn vectorize<K: KernelOn<Self>>(self, kernel: K) -> K::Output {
        kernel.run_on(self)
    }

    #[inline(never)]
    fn call<K: KernelFn<A, B, C, D>, A, B, C, D>(self, a: A, b: B, c: C, d: D) -> K::Output {
        K::run(self, a, b, c, d)
    }

    #[inline(always)]
    fn load(self, values: &[f32; LANES]) -> [f32; LANES] {
        *values
    }
    #[inline(always)]
    fn store(self, lanes: [f32; LANES]) -> [f32; LANES] {
        lanes
    }

    #[inline(always)]
    fn widen(self, lanes: [f32; LANES]) -> [f64; LANES] {
        lanes.map(f64::from)
    }
    #[inline(always)]
    fn narrow(self, lanes: [f64; LANES]) -> [f32; LANES] {
        lanes.map(|lane| lane as f32)
    }
    #[inline(always)]
    fn add_wide(self, a: [f64; LANES], b: [f64; LANES]) -> [f64; LANES] {
        map_wide(a, b, |a, b| a + b)
    }
    #[inline(always)]
    fn sub_wide(self, a: [f64; LANES], b: [f64; LANES]) -> [f64; LANES] {
        map_wide(a, b, |a, b| a - b)
    }
    #[inline(always)]
    fn mul_wide(self, a: [f64; LANES], b: [f64; LANES]) -> [f64; LANES] {
        map_wide(a, b, |a, b| a * b)
    }
    #[inline(always)]
    fn div_wide(self, a: [f64; LANES], b: [f64; LANES]) -> [f64; LANES] {
        map_wide(a, b, |a, b| a / b)
    }
    #[inline(always)]
    fn abs_wide(self, a: [f64; LANES]) -> [f64; LANES] {
        a.map(f64::abs)
    }
    #[inline(always)]
    fn le_wide(self, a: [f64; LANES], b: [f64; LANES]) -> u32 {
        let mut bits = 0;
        for i in 0..LANES {
            bits |= u32::from(a[i] <= b[i]) << i;
        }
        bits
    }
    #[inline(always)]
    fn eq_bits(self, a: [f32; LANES], b: [f32; LANES]) -> u32 {
        self.movemask(compare(a, b, |a, b| a.to_bits() == b.to_bits()))
    }
    #[inline(always)]
    fn load_bits(self, values: &[u32; LANES]) -> [f32; LANES] {
        values.map(f32::from_bits)
    }
    #[inline(always)]
    fn to_bits_low(self, lanes: [f32; LANES]) -> [u32; 4] {
        std::array::from_fn(|i| lanes[i].to_bits())
    }
    #[inline(always)]
    fn to_bits(self, lanes: [f32; LANES]) -> [u32; LANES] {
        lanes.map(f32::to_bits)
    }
    #[inline(always)]
    fn and_or(self, a: [f32; LANES], mask: [f32; LANES], bits: [f32; LANES]) -> [f32; LANES] {
        std::array::from_fn(|i| {
            f32::from_bits((a[i].to_bits() & mask[i].to_bits()) | bits[i].to_bits())
        })
    }
    #[inline(always)]
    fn compress(self, mut mask: u32, lanes: [f32; LANES]) -> [f32; LANES] {
        let mut front = [0.0; LANES];
        let mut n = 0;
        while mask != 0 {
            front[n % LANES] = lanes[mask.trailing_zeros() as usize % LANES];
            mask &= mask - 1;
            n += 1;
        }
        front
    }
    #[inline(always)]
    fn sort_four_descending(self, mut lanes: [f32; LANES]) -> [f32; LANES] {
        for (i, j) in [(0, 2), (1, 3), (0, 1), (2, 3), (1, 2)] {
            let (a, b) = (lanes[i].to_bits(), lanes[j].to_bits());
            lanes[i] = f32::from_bits(a.max(b));
            lanes[j] = f32::from_bits(a.min(b));
        }
        lanes
    }
    #[inline(always)]
    fn permute(self, table: [f32; LANES], indices: [f32; LANES]) -> [f32; LANES] {
        indices.map(|index| table[index.to_bits() as usize % LANES])
    }
}
