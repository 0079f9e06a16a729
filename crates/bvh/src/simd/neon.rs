//! Eight lanes in two NEON registers.

use std::arch::aarch64::*;

use super::{
    lanes::{KernelFn, KernelOn, LANES, Lanes, ORDER_BITS, Simd, operations, rays_in_eight_lanes},
    three::{ThreeLanes, three_in_an_array},
};

/// A machine with NEON, which every 64-bit ARM has.
#[derive(Clone, Copy)]
pub(super) struct Neon(());

impl Neon {
    pub(super) fn detect() -> Option<Self> {
        std::arch::is_aarch64_feature_detected!("neon").then_some(Self(()))
    }
}

type F = (float32x4_t, float32x4_t);
type M = (uint32x4_t, uint32x4_t);
type D = [float64x2_t; 4];

/// A register-only intrinsic on both halves.
macro_rules! both {
    ($f:ident, $a:expr) => {{
        let a = $a;
        // SAFETY: `self` exists only if `detect` found NEON.
        unsafe { ($f(a.0), $f(a.1)) }
    }};
    ($f:ident, $a:expr, $b:expr) => {{
        let (a, b) = ($a, $b);
        // SAFETY: `self` exists only if `detect` found NEON.
        unsafe { ($f(a.0, b.0), $f(a.1, b.1)) }
    }};
    ($f:ident, $a:expr, $b:expr, $c:expr) => {{
        let (a, b, c) = ($a, $b, $c);
        // SAFETY: `self` exists only if `detect` found NEON.
        unsafe { ($f(a.0, b.0, c.0), $f(a.1, b.1, c.1)) }
    }};
}

/// A register-only intrinsic on all quarters.
macro_rules! each {
    ($f:ident, $a:expr) => {{
        let a = $a;
        // SAFETY: `self` exists only if `detect` found NEON.
        unsafe { [$f(a[0]), $f(a[1]), $f(a[2]), $f(a[3])] }
    }};
    ($f:ident, $a:expr, $b:expr) => {{
        let (a, b) = ($a, $b);
        // SAFETY: `self` exists only if `detect` found NEON.
        unsafe { [$f(a[0], b[0]), $f(a[1], b[1]), $f(a[2], b[2]), $f(a[3], b[3])] }
    }};
}

impl Lanes for Neon {
    type F = F;
    type M = M;

    #[inline(always)]
    fn splat(self, value: f32) -> F {
        // SAFETY: `self` exists only if `detect` found NEON.
        unsafe { (vdupq_n_f32(value), vdupq_n_f32(value)) }
    }
    operations! {
        fn add(a: F, b: F) -> F = both!(vaddq_f32, a, b);
        fn sub(a: F, b: F) -> F = both!(vsubq_f32, a, b);
        fn mul(a: F, b: F) -> F = both!(vmulq_f32, a, b);
        fn div(a: F, b: F) -> F = both!(vdivq_f32, a, b);
        // FMIN and FMAX differ from `a < b ? a : b` on NaN and on zeros, hence compare and select.
        fn min(a: F, b: F) -> F = both!(vbslq_f32, both!(vcltq_f32, a, b), a, b);
        fn max(a: F, b: F) -> F = both!(vbslq_f32, both!(vcgtq_f32, a, b), a, b);
        fn abs(a: F) -> F = both!(vabsq_f32, a);
        fn le(a: F, b: F) -> M = both!(vcleq_f32, a, b);
        fn not_lt(a: F, b: F) -> M = both!(vmvnq_u32, both!(vcltq_f32, a, b));
        fn eq(a: F, b: F) -> M = both!(vceqq_f32, a, b);
        fn and(a: M, b: M) -> M = both!(vandq_u32, a, b);
        fn select(mask: M, a: F, b: F) -> F = both!(vbslq_f32, mask, b, a);
    }

    #[inline(always)]
    fn xor_sign(self, magnitude: F, sign: F) -> F {
        // SAFETY: `self` exists only if `detect` found NEON.
        let sign_bit = unsafe { (vdupq_n_u32(1 << 31), vdupq_n_u32(1 << 31)) };
        let flips = both!(vandq_u32, both!(vreinterpretq_u32_f32, sign), sign_bit);
        let flipped = both!(veorq_u32, both!(vreinterpretq_u32_f32, magnitude), flips);
        both!(vreinterpretq_f32_u32, flipped)
    }
    #[inline(always)]
    fn movemask(self, mask: M) -> u32 {
        const WEIGHTS: [u32; LANES] = [1, 2, 4, 8, 16, 32, 64, 128];
        // SAFETY: NEON is there, and the array has eight readable u32.
        let weights = unsafe { (vld1q_u32(WEIGHTS.as_ptr()), vld1q_u32(WEIGHTS[4..].as_ptr())) };
        let weighted = both!(vandq_u32, mask, weights);
        // SAFETY: `self` exists only if `detect` found NEON.
        unsafe { vaddvq_u32(vorrq_u32(weighted.0, weighted.1)) }
    }

    #[inline(always)]
    fn sign_bits(self, lanes: F) -> u32 {
        let bits = self.to_bits(lanes);
        (0..LANES).fold(0, |signs, lane| signs | (bits[lane] >> 31) << lane)
    }
    #[inline(always)]
    fn mask_from_bits(self, bits: u32) -> M {
        const LANE_BITS: [u32; LANES] = [1, 2, 4, 8, 16, 32, 64, 128];
        // SAFETY: NEON is there, and the array has eight readable words.
        unsafe {
            let bits = vdupq_n_u32(bits);
            (
                vtstq_u32(bits, vld1q_u32(LANE_BITS.as_ptr())),
                vtstq_u32(bits, vld1q_u32(LANE_BITS[4..].as_ptr())),
            )
        }
    }
}

impl ThreeLanes for Neon {
    three_in_an_array!();
}

impl Simd for Neon {
    type D = D;

    rays_in_eight_lanes!();

    #[inline(always)]
    fn vectorize<K: KernelOn<Self>>(self, kernel: K) -> K::Output {
        // NEON is part of the baseline of every aarch64 target, so no trampoline is needed.
        kernel.run_on(self)
    }

    #[inline(always)]
    fn call<K: KernelFn<A, B, C, D>, A, B, C, D>(self, a: A, b: B, c: C, d: D) -> K::Output {
        K::run(self, a, b, c, d)
    }

    #[inline(always)]
    fn load(self, values: &[f32; LANES]) -> F {
        // SAFETY: NEON is there, and the reference is to eight readable f32.
        unsafe { (vld1q_f32(values.as_ptr()), vld1q_f32(values[4..].as_ptr())) }
    }
    #[inline(always)]
    fn store(self, lanes: F) -> [f32; LANES] {
        let mut values = [0.0; LANES];
        // SAFETY: NEON is there, and the array has room for eight f32.
        unsafe {
            vst1q_f32(values.as_mut_ptr(), lanes.0);
            vst1q_f32(values[4..].as_mut_ptr(), lanes.1);
        }
        values
    }

    #[inline(always)]
    fn load_wide(self, values: &[f64; LANES]) -> D {
        // SAFETY: NEON is there, and the reference is to eight readable f64.
        [0, 2, 4, 6].map(|i| unsafe { vld1q_f64(values[i..].as_ptr()) })
    }
    #[inline(always)]
    fn widen(self, (low, high): F) -> D {
        // SAFETY: `self` exists only if `detect` found NEON.
        unsafe {
            [
                vcvt_f64_f32(vget_low_f32(low)),
                vcvt_high_f64_f32(low),
                vcvt_f64_f32(vget_low_f32(high)),
                vcvt_high_f64_f32(high),
            ]
        }
    }
    #[inline(always)]
    fn narrow(self, [a, b, c, d]: D) -> F {
        // SAFETY: `self` exists only if `detect` found NEON.
        unsafe {
            (
                vcombine_f32(vcvt_f32_f64(a), vcvt_f32_f64(b)),
                vcombine_f32(vcvt_f32_f64(c), vcvt_f32_f64(d)),
            )
        }
    }
    operations! {
        fn add_wide(a: D, b: D) -> D = each!(vaddq_f64, a, b);
        fn sub_wide(a: D, b: D) -> D = each!(vsubq_f64, a, b);
        fn mul_wide(a: D, b: D) -> D = each!(vmulq_f64, a, b);
        fn div_wide(a: D, b: D) -> D = each!(vdivq_f64, a, b);
        fn abs_wide(a: D) -> D = each!(vabsq_f64, a);
    }

    #[inline(always)]
    fn le_wide(self, a: D, b: D) -> u32 {
        let masks = each!(vcleq_f64, a, b);
        // SAFETY: `self` exists only if `detect` found NEON.
        let narrow = unsafe {
            (
                vcombine_u32(vmovn_u64(masks[0]), vmovn_u64(masks[1])),
                vcombine_u32(vmovn_u64(masks[2]), vmovn_u64(masks[3])),
            )
        };
        self.movemask(narrow)
    }
    #[inline(always)]
    fn eq_bits(self, a: F, b: F) -> u32 {
        let (a, b) = (both!(vreinterpretq_u32_f32, a), both!(vreinterpretq_u32_f32, b));
        self.movemask(both!(vceqq_u32, a, b))
    }
    #[inline(always)]
    fn load_bits(self, values: &[u32; LANES]) -> F {
        self.load(&values.map(f32::from_bits))
    }
    #[inline(always)]
    fn to_bits_low(self, lanes: F) -> [u32; 4] {
        let mut values = [0; 4];
        // SAFETY: NEON is there, and the array has room for four words.
        unsafe { vst1q_u32(values.as_mut_ptr(), vreinterpretq_u32_f32(lanes.0)) };
        values
    }
    #[inline(always)]
    fn to_bits(self, lanes: F) -> [u32; LANES] {
        self.store(lanes).map(f32::to_bits)
    }
    #[inline(always)]
    fn and_or(self, a: F, mask: F, bits: F) -> F {
        let a = both!(vreinterpretq_u32_f32, a);
        let mask = both!(vreinterpretq_u32_f32, mask);
        let bits = both!(vreinterpretq_u32_f32, bits);
        both!(vreinterpretq_f32_u32, both!(vorrq_u32, both!(vandq_u32, a, mask), bits))
    }
    // The next three go through memory. A table look-up over bytes might be faster; there is no
    // measurement on such a machine yet.
    #[inline(always)]
    fn compress(self, mask: u32, lanes: F) -> F {
        let lanes = self.store(lanes);
        let indices = super::compress::INDICES[mask as usize % (1 << LANES)];
        let kept = super::compress::KEPT[mask.count_ones() as usize % (LANES + 1)];
        self.load(&std::array::from_fn(|i| {
            f32::from_bits(lanes[usize::from(indices[i]) % LANES].to_bits() & kept[i])
        }))
    }
    #[inline(always)]
    fn sort_four_descending(self, lanes: F) -> F {
        let mut values = self.to_bits_low(lanes);
        for (i, j) in [(0, 2), (1, 3), (0, 1), (2, 3), (1, 2)] {
            (values[i], values[j]) = (values[i].max(values[j]), values[i].min(values[j]));
        }
        // SAFETY: NEON is there, and the array has four readable words.
        (unsafe { vreinterpretq_f32_u32(vld1q_u32(values.as_ptr())) }, lanes.1)
    }
    #[inline(always)]
    fn least_lane(self, mask: M, lanes: F) -> usize {
        const PLACES: [u32; LANES] = [0, 1, 2, 3, 4, 5, 6, 7];
        const LOWER: u32 = u32::MAX >> ORDER_BITS;
        // SAFETY: NEON is there, and the array has eight readable words.
        let (places, upper) = unsafe {
            let places = (vld1q_u32(PLACES.as_ptr()), vld1q_u32(PLACES[4..].as_ptr()));
            (places, (vdupq_n_u32(!LOWER), vdupq_n_u32(!LOWER)))
        };
        let keys = both!(vandq_u32, both!(vreinterpretq_u32_f32, lanes), upper);
        let (low, high) = both!(vornq_u32, both!(vorrq_u32, keys, places), mask);
        // SAFETY: `self` exists only if `detect` found NEON.
        unsafe { vminvq_u32(vminq_u32(low, high)) as usize % LANES }
    }
    #[inline(always)]
    fn permute(self, table: F, indices: F) -> F {
        let table = self.store(table);
        self.load(&self.to_bits(indices).map(|index| table[index as usize % LANES]))
    }
}
