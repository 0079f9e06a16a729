//! Eight lanes in two registers of WebAssembly's 128-bit SIMD.

use std::arch::wasm32::*;

use super::{
    lanes::{KernelFn, KernelOn, LANES, Lanes, Simd, operations, rays_in_eight_lanes},
    three::{ThreeLanes, three_in_an_array},
};

/// A module compiled with `simd128`. An engine without it refuses the whole module, so the target feature
/// of the build is the detection.
#[derive(Clone, Copy)]
pub(super) struct Simd128(());

impl Simd128 {
    pub(super) fn detect() -> Option<Self> {
        Some(Self(()))
    }
}

type Pair = (v128, v128);
type Wide = [v128; 4];

/// An instruction on both halves.
macro_rules! both {
    ($f:ident, $a:expr) => {{
        let a = $a;
        ($f(a.0), $f(a.1))
    }};
    ($f:ident, $a:expr, $b:expr) => {{
        let (a, b) = ($a, $b);
        ($f(a.0, b.0), $f(a.1, b.1))
    }};
    ($f:ident, $a:expr, $b:expr, $c:expr) => {{
        let (a, b, c) = ($a, $b, $c);
        ($f(a.0, b.0, c.0), $f(a.1, b.1, c.1))
    }};
}

/// An instruction on all quarters.
macro_rules! each {
    ($f:ident, $a:expr) => {{
        let a = $a;
        [$f(a[0]), $f(a[1]), $f(a[2]), $f(a[3])]
    }};
    ($f:ident, $a:expr, $b:expr) => {{
        let (a, b) = ($a, $b);
        [$f(a[0], b[0]), $f(a[1], b[1]), $f(a[2], b[2]), $f(a[3], b[3])]
    }};
}

/// The words of `table` whose byte indices, below 32, are in `indices`.
#[inline(always)]
fn look_up(table: Pair, indices: v128) -> v128 {
    // An index beyond the sixteen bytes of a half selects zero, so one of the two results is zero.
    let from_low = i8x16_swizzle(table.0, indices);
    let from_high = i8x16_swizzle(table.1, i8x16_sub(indices, i8x16_splat(16)));
    v128_or(from_low, from_high)
}

impl Lanes for Simd128 {
    type F = Pair;
    type M = Pair;

    operations! {
        fn splat(value: f32) -> Pair = (f32x4_splat(value), f32x4_splat(value));
        fn add(a: Pair, b: Pair) -> Pair = both!(f32x4_add, a, b);
        fn sub(a: Pair, b: Pair) -> Pair = both!(f32x4_sub, a, b);
        fn mul(a: Pair, b: Pair) -> Pair = both!(f32x4_mul, a, b);
        fn div(a: Pair, b: Pair) -> Pair = both!(f32x4_div, a, b);
        // `pmin(x, y)` is `y < x ? y : x`, and `pmax(x, y)` is `x < y ? y : x`, hence the exchanged operands.
        fn min(a: Pair, b: Pair) -> Pair = both!(f32x4_pmin, b, a);
        fn max(a: Pair, b: Pair) -> Pair = both!(f32x4_pmax, b, a);
        fn abs(a: Pair) -> Pair = both!(f32x4_abs, a);
        fn le(a: Pair, b: Pair) -> Pair = both!(f32x4_le, a, b);
        fn not_lt(a: Pair, b: Pair) -> Pair = both!(v128_not, both!(f32x4_lt, a, b));
        fn eq(a: Pair, b: Pair) -> Pair = both!(f32x4_eq, a, b);
        fn and(a: Pair, b: Pair) -> Pair = both!(v128_and, a, b);
        fn select(mask: Pair, a: Pair, b: Pair) -> Pair = both!(v128_bitselect, b, a, mask);
        fn sign_bits(lanes: Pair) -> u32 =
            u32::from(i32x4_bitmask(lanes.0)) | u32::from(i32x4_bitmask(lanes.1)) << 4;
    }

    #[inline(always)]
    fn xor_sign(self, magnitude: Pair, sign: Pair) -> Pair {
        let sign_bit = (i32x4_splat(i32::MIN), i32x4_splat(i32::MIN));
        both!(v128_xor, magnitude, both!(v128_and, sign, sign_bit))
    }
    #[inline(always)]
    fn movemask(self, mask: Pair) -> u32 {
        self.sign_bits(mask)
    }

    #[inline(always)]
    fn mask_from_bits(self, bits: u32) -> Pair {
        let lane_bits = (u32x4(1, 2, 4, 8), u32x4(16, 32, 64, 128));
        let bits = (u32x4_splat(bits), u32x4_splat(bits));
        both!(i32x4_eq, both!(v128_and, bits, lane_bits), lane_bits)
    }
}

impl ThreeLanes for Simd128 {
    three_in_an_array!();
}

impl Simd for Simd128 {
    type D = Wide;

    rays_in_eight_lanes!();

    #[inline(always)]
    fn vectorize<K: KernelOn<Self>>(self, kernel: K) -> K::Output {
        // The whole module has the feature, so no trampoline is needed.
        kernel.run_on(self)
    }

    // Out of line, so that single rays and batches share one copy.
    #[inline(never)]
    fn call<K: KernelFn<A, B, C, D>, A, B, C, D>(self, a: A, b: B, c: C, d: D) -> K::Output {
        K::run(self, a, b, c, d)
    }

    #[inline(always)]
    fn load(self, values: &[f32; LANES]) -> Pair {
        let [a, b, c, d, e, f, g, h] = *values;
        (f32x4(a, b, c, d), f32x4(e, f, g, h))
    }
    #[inline(always)]
    fn store(self, lanes: Pair) -> [f32; LANES] {
        self.to_bits(lanes).map(f32::from_bits)
    }

    #[inline(always)]
    fn load_wide(self, values: &[f64; LANES]) -> Wide {
        [0, 2, 4, 6].map(|i| f64x2(values[i], values[i + 1]))
    }
    #[inline(always)]
    fn widen(self, (low, high): Pair) -> Wide {
        [
            f64x2_promote_low_f32x4(low),
            f64x2_promote_low_f32x4(i64x2_shuffle::<1, 1>(low, low)),
            f64x2_promote_low_f32x4(high),
            f64x2_promote_low_f32x4(i64x2_shuffle::<1, 1>(high, high)),
        ]
    }
    #[inline(always)]
    fn narrow(self, wide: Wide) -> Pair {
        let [a, b, c, d] = each!(f32x4_demote_f64x2_zero, wide);
        (i64x2_shuffle::<0, 2>(a, b), i64x2_shuffle::<0, 2>(c, d))
    }
    operations! {
        fn add_wide(a: Wide, b: Wide) -> Wide = each!(f64x2_add, a, b);
        fn sub_wide(a: Wide, b: Wide) -> Wide = each!(f64x2_sub, a, b);
        fn mul_wide(a: Wide, b: Wide) -> Wide = each!(f64x2_mul, a, b);
        fn div_wide(a: Wide, b: Wide) -> Wide = each!(f64x2_div, a, b);
        fn abs_wide(a: Wide) -> Wide = each!(f64x2_abs, a);
        fn and_or(a: Pair, mask: Pair, bits: Pair) -> Pair =
            both!(v128_or, both!(v128_and, a, mask), bits);
    }

    #[inline(always)]
    fn le_wide(self, a: Wide, b: Wide) -> u32 {
        let bits = each!(i64x2_bitmask, each!(f64x2_le, a, b));
        (0..4).fold(0, |all, i| all | u32::from(bits[i]) << (2 * i))
    }

    #[inline(always)]
    fn eq_bits(self, a: Pair, b: Pair) -> u32 {
        self.movemask(both!(i32x4_eq, a, b))
    }
    #[inline(always)]
    fn load_bits(self, values: &[u32; LANES]) -> Pair {
        let [a, b, c, d, e, f, g, h] = *values;
        (u32x4(a, b, c, d), u32x4(e, f, g, h))
    }
    #[inline(always)]
    fn to_bits_low(self, lanes: Pair) -> [u32; 4] {
        [
            u32x4_extract_lane::<0>(lanes.0),
            u32x4_extract_lane::<1>(lanes.0),
            u32x4_extract_lane::<2>(lanes.0),
            u32x4_extract_lane::<3>(lanes.0),
        ]
    }
    #[inline(always)]
    fn to_bits(self, lanes: Pair) -> [u32; LANES] {
        let [a, b, c, d] = self.to_bits_low(lanes);
        let [e, f, g, h] = self.to_bits_low((lanes.1, lanes.0));
        [a, b, c, d, e, f, g, h]
    }
    #[inline(always)]
    fn compress(self, mask: u32, lanes: Pair) -> Pair {
        let indices = super::compress::INDICES[mask as usize % (1 << LANES)];
        let kept = super::compress::KEPT[mask.count_ones() as usize % (LANES + 1)];
        let front = self.permute(lanes, self.load_bits(&indices.map(u32::from)));
        both!(v128_and, front, self.load_bits(&kept))
    }
    #[inline(always)]
    fn sort_four_descending(self, (lanes, rest): Pair) -> Pair {
        let other = u32x4_shuffle::<2, 3, 0, 1>(lanes, lanes);
        let lanes = u32x4_shuffle::<0, 1, 6, 7>(u32x4_max(lanes, other), u32x4_min(lanes, other));
        let other = u32x4_shuffle::<1, 0, 3, 2>(lanes, lanes);
        let lanes = u32x4_shuffle::<0, 5, 2, 7>(u32x4_max(lanes, other), u32x4_min(lanes, other));
        let other = u32x4_shuffle::<0, 2, 1, 3>(lanes, lanes);
        let lanes = u32x4_shuffle::<0, 1, 6, 3>(u32x4_max(lanes, other), u32x4_min(lanes, other));
        (lanes, rest)
    }
    #[inline(always)]
    fn permute(self, table: Pair, indices: Pair) -> Pair {
        /// The byte indices of a word, from the index of the word in each of its bytes times four.
        const BYTES: u32 = 0x03_02_01_00;
        let to_bytes = |indices| {
            let words = v128_and(indices, u32x4_splat(LANES as u32 - 1));
            u32x4_add(u32x4_mul(words, u32x4_splat(0x04_04_04_04)), u32x4_splat(BYTES))
        };
        let indices = both!(to_bytes, indices);
        (look_up(table, indices.0), look_up(table, indices.1))
    }
    #[inline(always)]
    fn splat_lane<const LANE: u32>(self, lanes: Pair) -> Pair {
        let half = if LANE < 4 { lanes.0 } else { lanes.1 };
        let lane = match LANE % 4 {
            0 => u32x4_shuffle::<0, 0, 0, 0>(half, half),
            1 => u32x4_shuffle::<1, 1, 1, 1>(half, half),
            2 => u32x4_shuffle::<2, 2, 2, 2>(half, half),
            _ => u32x4_shuffle::<3, 3, 3, 3>(half, half),
        };
        (lane, lane)
    }
}
