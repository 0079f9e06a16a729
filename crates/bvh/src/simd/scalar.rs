//! The reference lanes: plain arrays, for every machine.

use super::{
    lanes::{KernelFn, KernelOn, LANES, Lanes, Simd, operations, rays_in_eight_lanes},
    three::{ThreeLanes, three_in_an_array},
};

/// Plain Rust.
#[derive(Clone, Copy)]
pub(super) struct Scalar;

type F = [f32; LANES];
/// All bits set or none, so that the compiler can use vector comparisons.
type M = [u32; LANES];
type D = [f64; LANES];

#[inline(always)]
fn map<T: Copy>(a: [T; LANES], b: [T; LANES], f: impl Fn(T, T) -> T) -> [T; LANES] {
    std::array::from_fn(|i| f(a[i], b[i]))
}

#[inline(always)]
fn compare(a: F, b: F, f: impl Fn(f32, f32) -> bool) -> M {
    std::array::from_fn(|i| if f(a[i], b[i]) { u32::MAX } else { 0 })
}

impl Lanes for Scalar {
    type F = F;
    type M = M;

    operations! {
        fn splat(value: f32) -> F = [value; LANES];
        fn add(a: F, b: F) -> F = map(a, b, |a, b| a + b);
        fn sub(a: F, b: F) -> F = map(a, b, |a, b| a - b);
        fn mul(a: F, b: F) -> F = map(a, b, |a, b| a * b);
        fn div(a: F, b: F) -> F = map(a, b, |a, b| a / b);
        fn min(a: F, b: F) -> F = map(a, b, |a, b| if a < b { a } else { b });
        fn max(a: F, b: F) -> F = map(a, b, |a, b| if a > b { a } else { b });
        fn abs(a: F) -> F = a.map(f32::abs);
        fn xor_sign(magnitude: F, sign: F) -> F =
            map(magnitude, sign, |m, s| f32::from_bits(m.to_bits() ^ (s.to_bits() & 0x8000_0000)));
        fn le(a: F, b: F) -> M = compare(a, b, |a, b| a <= b);
        fn not_lt(a: F, b: F) -> M = compare(a, b, |a, b| a >= b || a.is_nan() || b.is_nan());
        fn eq(a: F, b: F) -> M = compare(a, b, |a, b| a == b);
        fn and(a: M, b: M) -> M = map(a, b, |a, b| a & b);
        fn select(mask: M, a: F, b: F) -> F =
            std::array::from_fn(|i| if mask[i] == 0 { a[i] } else { b[i] });
        fn mask_from_bits(bits: u32) -> M =
            std::array::from_fn(|i| if bits >> i & 1 == 1 { u32::MAX } else { 0 });
    }

    #[inline(always)]
    fn movemask(self, mask: M) -> u32 {
        let mut bits = 0;
        for (i, lane) in mask.into_iter().enumerate() {
            bits |= (lane & 1) << i;
        }
        bits
    }

    #[inline(always)]
    fn sign_bits(self, lanes: F) -> u32 {
        self.movemask(lanes.map(|lane| lane.to_bits() >> 31))
    }
}

impl ThreeLanes for Scalar {
    three_in_an_array!();
}

impl Simd for Scalar {
    type D = D;

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

    operations! {
        fn load(values: &[f32; LANES]) -> F = *values;
        fn store(lanes: F) -> [f32; LANES] = lanes;
        fn load_wide(values: &[f64; LANES]) -> D = *values;
        fn widen(lanes: F) -> D = lanes.map(f64::from);
        fn narrow(lanes: D) -> F = lanes.map(|lane| lane as f32);
        fn add_wide(a: D, b: D) -> D = map(a, b, |a, b| a + b);
        fn sub_wide(a: D, b: D) -> D = map(a, b, |a, b| a - b);
        fn mul_wide(a: D, b: D) -> D = map(a, b, |a, b| a * b);
        fn div_wide(a: D, b: D) -> D = map(a, b, |a, b| a / b);
        fn abs_wide(a: D) -> D = a.map(f64::abs);
        fn load_bits(values: &[u32; LANES]) -> F = values.map(f32::from_bits);
        fn to_bits_low(lanes: F) -> [u32; 4] = std::array::from_fn(|i| lanes[i].to_bits());
        fn to_bits(lanes: F) -> [u32; LANES] = lanes.map(f32::to_bits);
        fn permute(table: F, indices: F) -> F =
            indices.map(|index| table[index.to_bits() as usize % LANES]);
    }

    #[inline(always)]
    fn le_wide(self, a: D, b: D) -> u32 {
        let mut bits = 0;
        for i in 0..LANES {
            bits |= u32::from(a[i] <= b[i]) << i;
        }
        bits
    }
    #[inline(always)]
    fn eq_bits(self, a: F, b: F) -> u32 {
        self.movemask(compare(a, b, |a, b| a.to_bits() == b.to_bits()))
    }
    #[inline(always)]
    fn and_or(self, a: F, mask: F, bits: F) -> F {
        std::array::from_fn(|i| {
            f32::from_bits((a[i].to_bits() & mask[i].to_bits()) | bits[i].to_bits())
        })
    }
    #[inline(always)]
    fn compress(self, mut mask: u32, lanes: F) -> F {
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
    fn sort_four_descending(self, mut lanes: F) -> F {
        for (i, j) in [(0, 2), (1, 3), (0, 1), (2, 3), (1, 2)] {
            let (a, b) = (lanes[i].to_bits(), lanes[j].to_bits());
            lanes[i] = f32::from_bits(a.max(b));
            lanes[j] = f32::from_bits(a.min(b));
        }
        lanes
    }
}
