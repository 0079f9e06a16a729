//! Eight lanes of f32 in one AVX register, with the mask registers and the 32 registers of AVX-512VL. Only the rays of packets
//! have sixteen lanes: a single instruction on 512 bits would make a short query slower as a whole; see
//! [`apart`](super::x86::apart).

use std::arch::x86_64::*;

use hitscan_primitives::{EdgeFunctions, WatertightRay};

use super::{
    lanes::{KernelFn, KernelOn, LANES, Lanes, ORDER_BITS, Simd, operations},
    three::ThreeLanes,
    x86::{
        apart, lane_operations, op, order, register_operations, three_operations, wide_operations,
    },
};

/// A machine with AVX-512F, VL and DQ.
#[derive(Clone, Copy)]
pub(super) struct Avx512(());

impl Avx512 {
    pub(super) fn detect() -> Option<Self> {
        let available = super::avx2::Avx2::detect().is_some()
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512dq");
        available.then_some(Self(()))
    }
}

/// Sixteen lanes in one 512-bit register.
#[derive(Clone, Copy)]
pub(super) struct Sixteen(());

impl Lanes for Avx512 {
    type F = __m256;
    type M = __mmask8;

    lane_operations!();

    operations! {
        fn le(a: __m256, b: __m256) -> __mmask8 = op!(_mm256_cmp_ps_mask::<_CMP_LE_OQ>(a, b));
        fn not_lt(a: __m256, b: __m256) -> __mmask8 = op!(_mm256_cmp_ps_mask::<_CMP_NLT_UQ>(a, b));
        fn eq(a: __m256, b: __m256) -> __mmask8 = op!(_mm256_cmp_ps_mask::<_CMP_EQ_OQ>(a, b));
        fn and(a: __mmask8, b: __mmask8) -> __mmask8 = a & b;
        fn select(mask: __mmask8, a: __m256, b: __m256) -> __m256 =
            op!(_mm256_mask_blend_ps(mask, a, b));
        fn movemask(mask: __mmask8) -> u32 = u32::from(mask);
        fn mask_from_bits(bits: u32) -> __mmask8 = bits as u8;
    }
}

impl ThreeLanes for Avx512 {
    three_operations!();
}

impl Simd for Avx512 {
    type Rays = Sixteen;
    const OCTETS: usize = 2;

    const COMPRESSES: bool = true;

    register_operations!("avx512f,avx512vl,avx512dq,avx2,fma,bmi1,bmi2,lzcnt,popcnt");
    wide_operations!();

    #[inline(always)]
    fn rays(self) -> Sixteen {
        Sixteen(())
    }
    #[inline(always)]
    fn octet(self, lanes: __m512, octet: usize) -> __m256 {
        if octet == 0 {
            op!(_mm512_castps512_ps256(lanes))
        } else {
            op!(_mm512_extractf32x8_ps::<1>(lanes))
        }
    }
    #[inline(always)]
    fn with_octet(self, lanes: __m512, octet: usize, value: __m256) -> __m512 {
        if octet == 0 {
            op!(_mm512_insertf32x8::<0>(lanes, value))
        } else {
            op!(_mm512_insertf32x8::<1>(lanes, value))
        }
    }
    operations! {
        fn le_wide(a: Self::D, b: Self::D) -> u32 = op!({
            let low = u32::from(_mm256_cmp_pd_mask::<_CMP_LE_OQ>(a[0], b[0]));
            let high = u32::from(_mm256_cmp_pd_mask::<_CMP_LE_OQ>(a[1], b[1]));
            low | high << (LANES / 2)
        });
        fn compress(mask: u32, lanes: __m256) -> __m256 =
            op!(_mm256_maskz_compress_ps(mask as u8, lanes));
    }
}

impl Lanes for Sixteen {
    type F = __m512;
    type M = __mmask16;

    operations! {
        fn splat(value: f32) -> __m512 = op!(_mm512_set1_ps(value));
        fn add(a: __m512, b: __m512) -> __m512 = op!(_mm512_add_ps(a, b));
        fn sub(a: __m512, b: __m512) -> __m512 = op!(_mm512_sub_ps(a, b));
        fn mul(a: __m512, b: __m512) -> __m512 = op!(_mm512_mul_ps(a, b));
        fn div(a: __m512, b: __m512) -> __m512 = op!(_mm512_div_ps(a, b));
        fn approx_mul_add(a: __m512, b: __m512, c: __m512) -> __m512 =
            op!(_mm512_fmadd_ps(a, b, c));
        fn min(a: __m512, b: __m512) -> __m512 = op!(_mm512_min_ps(a, b));
        fn max(a: __m512, b: __m512) -> __m512 = op!(_mm512_max_ps(a, b));
        fn abs(a: __m512) -> __m512 = op!(_mm512_abs_ps(a));
        fn xor_sign(magnitude: __m512, sign: __m512) -> __m512 =
            op!(_mm512_xor_ps(magnitude, _mm512_and_ps(sign, _mm512_set1_ps(-0.0))));
        fn le(a: __m512, b: __m512) -> __mmask16 = op!(_mm512_cmp_ps_mask::<_CMP_LE_OQ>(a, b));
        fn not_lt(a: __m512, b: __m512) -> __mmask16 = op!(_mm512_cmp_ps_mask::<_CMP_NLT_UQ>(a, b));
        fn eq(a: __m512, b: __m512) -> __mmask16 = op!(_mm512_cmp_ps_mask::<_CMP_EQ_OQ>(a, b));
        fn and(a: __mmask16, b: __mmask16) -> __mmask16 = a & b;
        fn select(mask: __mmask16, a: __m512, b: __m512) -> __m512 =
            op!(_mm512_mask_blend_ps(mask, a, b));
        fn movemask(mask: __mmask16) -> u32 = u32::from(mask);
        fn sign_bits(lanes: __m512) -> u32 =
            u32::from(op!(_mm512_movepi32_mask(_mm512_castps_si512(lanes))));
        fn mask_from_bits(bits: u32) -> __mmask16 = bits as u16;
    }
}
