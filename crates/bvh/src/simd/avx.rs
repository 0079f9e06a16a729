//! What AVX2 and AVX-512VL share: eight lanes in one 256-bit register.

/// A register-only intrinsic, called where the token proves the feature.
macro_rules! op {
    ($call:expr) => {
        // SAFETY: `self` exists only if `detect` found the features.
        unsafe { $call }
    };
}

/// A layer of a sorting network: lanes compared with those of `$other`; the lanes whose bits are set
/// keep the lesser, the rest the greater.
macro_rules! order {
    ($lanes:expr, $other:expr, $lesser:literal) => {{
        let (x, y) = ($lanes, $other);
        _mm256_blend_epi32::<$lesser>(_mm256_max_epu32(x, y), _mm256_min_epu32(x, y))
    }};
}

/// The operations on registers, for an `impl Simd` whose token proves AVX2.
macro_rules! register_operations {
    () => {
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
        fn about_mul_add(self, a: __m256, b: __m256, c: __m256) -> __m256 {
            op!(_mm256_fmadd_ps(a, b, c))
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
        fn sign_bits(self, lanes: __m256) -> u32 {
            op!(_mm256_movemask_ps(lanes)) as u32
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
        fn sort_eight_descending(self, lanes: __m256) -> __m256 {
            // The network of the default, a layer a line.
            op!({
                let x = _mm256_castps_si256(lanes);
                let x = order!(x, _mm256_shuffle_epi32::<0b01_00_11_10>(x), 0b1100_1100);
                let x = order!(x, _mm256_permute4x64_epi64::<0b01_00_11_10>(x), 0b1111_0000);
                let x = order!(x, _mm256_shuffle_epi32::<0b10_11_00_01>(x), 0b1010_1010);
                let x = order!(x, _mm256_permute4x64_epi64::<0b11_01_10_00>(x), 0b0011_0000);
                let places = _mm256_setr_epi32(0, 4, 2, 6, 1, 5, 3, 7);
                let x = order!(x, _mm256_permutevar8x32_epi32(x, places), 0b0101_0000);
                let places = _mm256_setr_epi32(0, 2, 1, 4, 3, 6, 5, 7);
                let x = order!(x, _mm256_permutevar8x32_epi32(x, places), 0b0101_0100);
                _mm256_castsi256_ps(x)
            })
        }
        #[inline(always)]
        fn permute(self, table: __m256, places: __m256) -> __m256 {
            op!(_mm256_permutevar8x32_ps(table, _mm256_castps_si256(places)))
        }
        #[inline(always)]
        fn prefetch<const N: usize>(self, address: *const u8) {
            super::prefetch_lines::<N>(address);
        }
    };
}

pub(super) use {op, order, register_operations};
