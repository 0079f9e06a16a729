//! Eight lanes in one AVX register. The features are AVX2, FMA and the bit manipulation sets that
//! came with them (x86-64-v3 without the rest): FMA itself is never used, it marks the generation.

use std::arch::x86_64::*;

use super::{
    avx::{op, order, register_operations},
    lanes::{Kernel, Simd},
};

/// A machine with AVX2.
#[derive(Clone, Copy)]
pub(super) struct Avx2(());

impl Avx2 {
    pub(super) fn detect() -> Option<Self> {
        let available = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt");
        available.then_some(Self(()))
    }
}

impl Simd for Avx2 {
    type F = __m256;
    type M = __m256;

    register_operations!();

    #[inline(always)]
    fn vectorize<K: Kernel>(self, kernel: K) -> K::Output {
        #[inline(never)]
        #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
        fn with_features<K: Kernel>(simd: Avx2, kernel: K) -> K::Output {
            kernel.run(simd)
        }
        // SAFETY: `self` exists only if `detect` found these features.
        unsafe { with_features(self, kernel) }
    }

    #[inline(always)]
    fn le(self, a: __m256, b: __m256) -> __m256 {
        op!(_mm256_cmp_ps::<_CMP_LE_OQ>(a, b))
    }
    #[inline(always)]
    fn eq(self, a: __m256, b: __m256) -> __m256 {
        op!(_mm256_cmp_ps::<_CMP_EQ_OQ>(a, b))
    }
    #[inline(always)]
    fn and(self, a: __m256, b: __m256) -> __m256 {
        op!(_mm256_and_ps(a, b))
    }
    #[inline(always)]
    fn or(self, a: __m256, b: __m256) -> __m256 {
        op!(_mm256_or_ps(a, b))
    }
    #[inline(always)]
    fn select(self, mask: __m256, a: __m256, b: __m256) -> __m256 {
        op!(_mm256_blendv_ps(a, b, mask))
    }
    #[inline(always)]
    fn bits(self, mask: __m256) -> u32 {
        op!(_mm256_movemask_ps(mask)) as u32
    }
    #[inline(always)]
    fn mask_from_bits(self, bits: u32) -> __m256 {
        op!({
            let lane_bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
            let chosen = _mm256_and_si256(_mm256_set1_epi32(bits as i32), lane_bits);
            _mm256_castsi256_ps(_mm256_cmpeq_epi32(chosen, lane_bits))
        })
    }
    #[inline(always)]
    fn compress(self, mask: u32, lanes: __m256) -> __m256 {
        let places = &super::compress::PLACES[mask as usize % 256];
        let kept = &super::compress::KEPT[mask.count_ones() as usize % 9];
        // SAFETY: AVX2 is there, and the reference is to eight readable bytes.
        let places = unsafe { _mm256_cvtepu8_epi32(_mm_loadl_epi64(places.as_ptr().cast())) };
        op!(_mm256_and_ps(_mm256_permutevar8x32_ps(lanes, places), self.load_bits(kept)))
    }
}
