//! Eight lanes in one AVX register, with the mask registers and the 32 registers of AVX-512VL.

use std::arch::x86_64::*;

use super::lanes::{Kernel, Simd};

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

    #[inline]
    pub(super) fn vectorize<K: Kernel>(self, kernel: K) -> K::Output {
        #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
        fn with_features<K: Kernel>(simd: Avx512, kernel: K) -> K::Output {
            kernel.run(simd)
        }
        // SAFETY: `self` exists only if `detect` found these features.
        unsafe { with_features(self, kernel) }
    }
}

/// A register-only intrinsic, called where the token proves the feature.
macro_rules! op {
    ($call:expr) => {
        // SAFETY: `self` exists only if `detect` found the features.
        unsafe { $call }
    };
}

impl Simd for Avx512 {
    type F = __m256;
    type M = __mmask8;

    #[inline(always)]
    fn load(self, values: &[f32; 8]) -> __m256 {
        // SAFETY: AVX is there, and the reference is to eight readable f32.
        unsafe { _mm256_loadu_ps(values.as_ptr()) }
    }
    #[inline(always)]
    fn store(self, lanes: __m256) -> [f32; 8] {
        let mut values = [0.0; 8];
        // SAFETY: AVX is there, and the array has room for eight f32.
        unsafe { _mm256_storeu_ps(values.as_mut_ptr(), lanes) };
        values
    }
    #[inline(always)]
    fn splat(self, value: f32) -> __m256 {
        op!(_mm256_set1_ps(value))
    }
    #[inline(always)]
    fn add(self, a: __m256, b: __m256) -> __m256 {
        op!(_mm256_add_ps(a, b))
    }
    #[inline(always)]
    fn sub(self, a: __m256, b: __m256) -> __m256 {
        op!(_mm256_sub_ps(a, b))
    }
    #[inline(always)]
    fn mul(self, a: __m256, b: __m256) -> __m256 {
        op!(_mm256_mul_ps(a, b))
    }
    #[inline(always)]
    fn div(self, a: __m256, b: __m256) -> __m256 {
        op!(_mm256_div_ps(a, b))
    }
    #[inline(always)]
    fn min(self, a: __m256, b: __m256) -> __m256 {
        op!(_mm256_min_ps(a, b))
    }
    #[inline(always)]
    fn max(self, a: __m256, b: __m256) -> __m256 {
        op!(_mm256_max_ps(a, b))
    }
    #[inline(always)]
    fn abs(self, a: __m256) -> __m256 {
        op!(_mm256_andnot_ps(_mm256_set1_ps(-0.0), a))
    }
    #[inline(always)]
    fn flip_sign(self, magnitude: __m256, sign: __m256) -> __m256 {
        op!(_mm256_xor_ps(magnitude, _mm256_and_ps(sign, _mm256_set1_ps(-0.0))))
    }
    #[inline(always)]
    fn le(self, a: __m256, b: __m256) -> __mmask8 {
        op!(_mm256_cmp_ps_mask::<_CMP_LE_OQ>(a, b))
    }
    #[inline(always)]
    fn eq(self, a: __m256, b: __m256) -> __mmask8 {
        op!(_mm256_cmp_ps_mask::<_CMP_EQ_OQ>(a, b))
    }
    #[inline(always)]
    fn and(self, a: __mmask8, b: __mmask8) -> __mmask8 {
        a & b
    }
    #[inline(always)]
    fn or(self, a: __mmask8, b: __mmask8) -> __mmask8 {
        a | b
    }
    #[inline(always)]
    fn select(self, mask: __mmask8, a: __m256, b: __m256) -> __m256 {
        op!(_mm256_mask_blend_ps(mask, a, b))
    }
    #[inline(always)]
    fn bits(self, mask: __mmask8) -> u32 {
        u32::from(mask)
    }
    #[inline(always)]
    fn prefetch<T>(self, value: &T) {
        super::prefetch_lines(value);
    }
}
