//! Eight lanes in one AVX register. The features are AVX2, FMA and the bit manipulation sets that
//! came with them (x86-64-v3 without the rest): FMA itself is never used, it marks the generation.

use std::arch::x86_64::*;

use super::lanes::{Kernel, Simd};

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

    #[inline(always)]
    pub(super) fn vectorize<K: Kernel>(self, kernel: K) -> K::Output {
        #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
        fn with_features<K: Kernel>(simd: Avx2, kernel: K) -> K::Output {
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

impl Simd for Avx2 {
    type F = __m256;
    type M = __m256;

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
    fn sign_bits(self, lanes: __m256) -> u32 {
        op!(_mm256_movemask_ps(lanes)) as u32
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
    fn load_bits(self, values: &[u32; 8]) -> __m256 {
        // SAFETY: AVX is there, and the reference is to eight readable words.
        unsafe { _mm256_loadu_ps(values.as_ptr().cast()) }
    }
    #[inline(always)]
    fn first_four(self, lanes: __m256) -> [u32; 4] {
        let mut values = [0; 4];
        // SAFETY: AVX is there, and the array has room for four words.
        unsafe { _mm_storeu_ps(values.as_mut_ptr().cast(), _mm256_castps256_ps128(lanes)) };
        values
    }
    #[inline(always)]
    fn all_bits(self, lanes: __m256) -> [u32; 8] {
        let mut values = [0; 8];
        // SAFETY: AVX is there, and the array has room for eight words.
        unsafe { _mm256_storeu_ps(values.as_mut_ptr().cast(), lanes) };
        values
    }
    #[inline(always)]
    fn masked_or(self, a: __m256, mask: __m256, bits: __m256) -> __m256 {
        op!(_mm256_or_ps(_mm256_and_ps(a, mask), bits))
    }
    #[inline(always)]
    fn sort_four_descending(self, lanes: __m256) -> __m256 {
        // A sorting network of three steps: (0 2)(1 3), (0 1)(2 3), (1 2).
        op!({
            let x = _mm256_castsi256_si128(_mm256_castps_si256(lanes));
            let y = _mm_shuffle_epi32::<0b01_00_11_10>(x);
            let x = _mm_blend_epi16::<0b1111_0000>(_mm_max_epu32(x, y), _mm_min_epu32(x, y));
            let y = _mm_shuffle_epi32::<0b10_11_00_01>(x);
            let x = _mm_blend_epi16::<0b1100_1100>(_mm_max_epu32(x, y), _mm_min_epu32(x, y));
            let y = _mm_shuffle_epi32::<0b11_01_10_00>(x);
            let x = _mm_blend_epi16::<0b0011_0000>(_mm_max_epu32(x, y), _mm_min_epu32(x, y));
            _mm256_castps128_ps256(_mm_castsi128_ps(x))
        })
    }
    #[inline(always)]
    fn permute(self, table: __m256, places: __m256) -> __m256 {
        op!(_mm256_permutevar8x32_ps(table, _mm256_castps_si256(places)))
    }
    #[inline(always)]
    fn compress(self, mask: u32, lanes: __m256) -> __m256 {
        let places = &super::compress::PLACES[mask as usize % 256];
        let kept = &super::compress::KEPT[mask.count_ones() as usize % 9];
        // SAFETY: AVX2 is there, and the reference is to eight readable bytes.
        let places = unsafe { _mm256_cvtepu8_epi32(_mm_loadl_epi64(places.as_ptr().cast())) };
        op!(_mm256_and_ps(_mm256_permutevar8x32_ps(lanes, places), self.load_bits(kept)))
    }
    #[inline(always)]
    fn prefetch<const N: usize>(self, address: *const u8) {
        super::prefetch_lines::<N>(address);
    }
}
