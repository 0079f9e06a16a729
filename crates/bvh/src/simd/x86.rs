//! The operations that AVX2 and AVX-512VL share: eight lanes in one 256-bit register.

use std::arch::x86_64::__m128;

/// A register-only intrinsic, called where the token proves the feature.
macro_rules! op {
    ($call:expr) => {
        // SAFETY: `self` exists only if `detect` found the features.
        unsafe { $call }
    };
}

/// A layer of a sorting network: compares lanes with those of `$other`. Lanes with a set bit keep the
/// minimum, the others the maximum.
macro_rules! order {
    ($lanes:expr, $other:expr, $min:literal) => {{
        let (x, y) = ($lanes, $other);
        _mm256_blend_epi32::<$min>(_mm256_max_epu32(x, y), _mm256_min_epu32(x, y))
    }};
}

/// The operations on registers, for an `impl Lanes` whose token proves AVX2.
macro_rules! lane_operations {
    () => {
        operations! {
            fn splat(value: f32) -> __m256 = op!(_mm256_set1_ps(value));
            fn add(a: __m256, b: __m256) -> __m256 = op!(_mm256_add_ps(a, b));
            fn sub(a: __m256, b: __m256) -> __m256 = op!(_mm256_sub_ps(a, b));
            fn mul(a: __m256, b: __m256) -> __m256 = op!(_mm256_mul_ps(a, b));
            fn div(a: __m256, b: __m256) -> __m256 = op!(_mm256_div_ps(a, b));
            fn approx_mul_add(a: __m256, b: __m256, c: __m256) -> __m256 =
                op!(_mm256_fmadd_ps(a, b, c));
            fn min(a: __m256, b: __m256) -> __m256 = op!(_mm256_min_ps(a, b));
            fn max(a: __m256, b: __m256) -> __m256 = op!(_mm256_max_ps(a, b));
            fn abs(a: __m256) -> __m256 = op!(_mm256_andnot_ps(_mm256_set1_ps(-0.0), a));
            fn xor_sign(magnitude: __m256, sign: __m256) -> __m256 =
                op!(_mm256_xor_ps(magnitude, _mm256_and_ps(sign, _mm256_set1_ps(-0.0))));
            fn sign_bits(lanes: __m256) -> u32 = op!(_mm256_movemask_ps(lanes)) as u32;
        }
    };
}

/// Those on three f64, for an `impl ThreeLanes` whose token proves AVX2.
macro_rules! three_operations {
    () => {
        // The register has four lanes. A load makes the last one zero.
        type Three = __m256d;

        #[inline(always)]
        fn load_three(self, values: &[f64; 3]) -> __m256d {
            // SAFETY: AVX is there, and the mask leaves out what lies behind the three readable f64.
            unsafe { _mm256_maskload_pd(values.as_ptr(), _mm256_setr_epi64x(-1, -1, -1, 0)) }
        }
        #[inline(always)]
        fn store_three(self, lanes: __m256d) -> [f64; 3] {
            let mut values = [0.0; 4];
            // SAFETY: AVX is there, and the array has room for four f64.
            unsafe { _mm256_storeu_pd(values.as_mut_ptr(), lanes) };
            [values[0], values[1], values[2]]
        }
        #[inline(always)]
        fn narrow_ray(
            self,
            origin: __m256d,
            direction: __m256d,
            t_min: f32,
            t_max: f32,
        ) -> [f32; 8] {
            let row = op!({
                let (o, d) = (apart(_mm256_cvtpd_ps(origin)), _mm256_cvtpd_ps(direction));
                let t = _mm_unpacklo_ps(_mm_set_ss(t_min), _mm_set_ss(t_max));
                // The first lane of the direction behind the origin, the others before the interval.
                let low = _mm_insert_ps::<0b00_11_0000>(o, d);
                let high = _mm_shuffle_ps::<0b01_00_10_01>(d, t);
                _mm256_set_m128(high, low)
            });
            self.store(row)
        }
        operations! {
            fn splat_three(value: f64) -> __m256d = op!(_mm256_set1_pd(value));
            fn add_three(a: __m256d, b: __m256d) -> __m256d = op!(_mm256_add_pd(a, b));
            fn sub_three(a: __m256d, b: __m256d) -> __m256d = op!(_mm256_sub_pd(a, b));
            fn mul_three(a: __m256d, b: __m256d) -> __m256d = op!(_mm256_mul_pd(a, b));
            fn div_three(a: __m256d, b: __m256d) -> __m256d = op!(_mm256_div_pd(a, b));
            fn max_three(a: __m256d, b: __m256d) -> __m256d = op!(_mm256_max_pd(a, b));
            fn abs_three(a: __m256d) -> __m256d =
                op!(_mm256_andnot_pd(_mm256_set1_pd(-0.0), a));
            fn xor_sign_three(magnitude: __m256d, sign: __m256d) -> __m256d =
                op!(_mm256_xor_pd(magnitude, _mm256_and_pd(sign, _mm256_set1_pd(-0.0))));
        }
    };
}

/// Those on eight f64 in two registers, for an `impl Simd` whose token proves AVX2.
macro_rules! wide_operations {
    () => {
        type D = [__m256d; 2];

        #[inline(always)]
        fn load_wide(self, values: &[f64; LANES]) -> Self::D {
            let (low, high) = values.split_at(LANES / 2);
            // SAFETY: AVX is there, and the slices are of four readable f64 each.
            unsafe { [_mm256_loadu_pd(low.as_ptr()), _mm256_loadu_pd(high.as_ptr())] }
        }
        #[inline(always)]
        fn widen(self, lanes: __m256) -> Self::D {
            op!([
                _mm256_cvtps_pd(_mm256_castps256_ps128(lanes)),
                _mm256_cvtps_pd(_mm256_extractf128_ps::<1>(lanes)),
            ])
        }
        operations! {
            fn narrow(a: Self::D) -> __m256 =
                op!(_mm256_set_m128(_mm256_cvtpd_ps(a[1]), apart(_mm256_cvtpd_ps(a[0]))));
            fn add_wide(a: Self::D, b: Self::D) -> Self::D =
                op!([_mm256_add_pd(a[0], b[0]), _mm256_add_pd(a[1], b[1])]);
            fn sub_wide(a: Self::D, b: Self::D) -> Self::D =
                op!([_mm256_sub_pd(a[0], b[0]), _mm256_sub_pd(a[1], b[1])]);
            fn mul_wide(a: Self::D, b: Self::D) -> Self::D =
                op!([_mm256_mul_pd(a[0], b[0]), _mm256_mul_pd(a[1], b[1])]);
            fn div_wide(a: Self::D, b: Self::D) -> Self::D =
                op!([_mm256_div_pd(a[0], b[0]), _mm256_div_pd(a[1], b[1])]);
            fn abs_wide(a: Self::D) -> Self::D = op!({
                let sign = _mm256_set1_pd(-0.0);
                [_mm256_andnot_pd(sign, a[0]), _mm256_andnot_pd(sign, a[1])]
            });
        }
    };
}

/// The operations on registers, for an `impl Simd` whose token proves AVX2, and the functions that enable its
/// features.
macro_rules! register_operations {
    ($features:literal) => {
        const HAS_PREFETCH: bool = true;

        #[inline(always)]
        fn vectorize<K: KernelOn<Self>>(self, kernel: K) -> K::Output {
            #[inline(never)]
            #[target_feature(enable = $features)]
            fn with_features<S: Simd, K: KernelOn<S>>(simd: S, kernel: K) -> K::Output {
                kernel.run_on(simd)
            }
            // SAFETY: `self` exists only if `detect` found these features.
            unsafe { with_features(self, kernel) }
        }
        #[inline(always)]
        fn call<K: KernelFn<A, B, C, D>, A, B, C, D>(self, a: A, b: B, c: C, d: D) -> K::Output {
            #[inline(never)]
            #[target_feature(enable = $features)]
            fn with_features<S: Simd, K: KernelFn<A, B, C, D>, A, B, C, D>(
                simd: S,
                a: A,
                b: B,
                c: C,
                d: D,
            ) -> K::Output {
                K::run(simd, a, b, c, d)
            }
            // SAFETY: `self` exists only if `detect` found these features.
            unsafe { with_features::<Self, K, A, B, C, D>(self, a, b, c, d) }
        }
        #[inline(always)]
        fn load(self, values: &[f32; LANES]) -> __m256 {
            // SAFETY: AVX is there, and the reference is to eight readable f32.
            unsafe { _mm256_loadu_ps(values.as_ptr()) }
        }
        #[inline(always)]
        fn store(self, lanes: __m256) -> [f32; LANES] {
            let mut values = [0.0; LANES];
            // SAFETY: AVX is there, and the array has room for eight f32.
            unsafe { _mm256_storeu_ps(values.as_mut_ptr(), lanes) };
            values
        }
        #[inline(always)]
        fn edge_functions(self, ray: &WatertightRay, corners: [[f32; 3]; 3]) -> EdgeFunctions {
            // The corners are lanes 0 to 2.
            op!({
                let [[ax, ay, az], [bx, by, bz], [cx, cy, cz]] = corners;
                let ([ox, oy, oz], [sx, sy]) = (ray.origin_in_order(), ray.shear());
                let x = _mm_sub_ps(_mm_setr_ps(ax, bx, cx, 0.0), _mm_set1_ps(ox));
                let y = _mm_sub_ps(_mm_setr_ps(ay, by, cy, 0.0), _mm_set1_ps(oy));
                let z = _mm_sub_ps(_mm_setr_ps(az, bz, cz, 0.0), _mm_set1_ps(oz));
                let x = _mm_sub_ps(x, _mm_mul_ps(_mm_set1_ps(sx), z));
                let y = _mm_sub_ps(y, _mm_mul_ps(_mm_set1_ps(sy), z));
                const NEXT: i32 = 0b00_00_10_01;
                const LAST: i32 = 0b00_01_00_10;
                let x_next = _mm256_cvtps_pd(_mm_permute_ps::<NEXT>(x));
                let y_next = _mm256_cvtps_pd(_mm_permute_ps::<NEXT>(y));
                let x_last = _mm256_cvtps_pd(_mm_permute_ps::<LAST>(x));
                let y_last = _mm256_cvtps_pd(_mm_permute_ps::<LAST>(y));
                // Fused or not, because both products are exact.
                let edges = _mm256_fmsub_pd(x_last, y_next, _mm256_mul_pd(y_last, x_next));
                let zero = _mm256_setzero_pd();
                let none_negative = _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_LE_OQ>(zero, edges));
                let none_positive = _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_LE_OQ>(edges, zero));
                // Both sums at once: each pair is an edge function and its product with the depth.
                let products = _mm256_mul_pd(edges, _mm256_cvtps_pd(z));
                let a_and_c = _mm256_unpacklo_pd(edges, products);
                let b = _mm256_castpd256_pd128(_mm256_unpackhi_pd(edges, products));
                let c = _mm256_extractf128_pd::<1>(a_and_c);
                let sums = _mm_add_pd(_mm256_castpd256_pd128(a_and_c), _mm_add_pd(b, c));
                let mut functions = [0.0; 4];
                _mm256_storeu_pd(functions.as_mut_ptr(), edges);
                EdgeFunctions {
                    functions: [functions[0], functions[1], functions[2]],
                    det: _mm_cvtsd_f64(sums),
                    depth: _mm_cvtsd_f64(_mm_unpackhi_pd(sums, sums)),
                    is_inside: none_negative & 7 == 7 || none_positive & 7 == 7,
                }
            })
        }
        #[inline(always)]
        fn eq_bits(self, a: __m256, b: __m256) -> u32 {
            op!({
                let equal = _mm256_cmpeq_epi32(_mm256_castps_si256(a), _mm256_castps_si256(b));
                _mm256_movemask_ps(_mm256_castsi256_ps(equal)) as u32
            })
        }
        #[inline(always)]
        fn load_bits(self, values: &[u32; LANES]) -> __m256 {
            // SAFETY: AVX is there, and the reference is to eight readable words.
            unsafe { _mm256_loadu_ps(values.as_ptr().cast()) }
        }
        #[inline(always)]
        fn to_bits_low(self, lanes: __m256) -> [u32; 4] {
            let mut values = [0; 4];
            // SAFETY: AVX is there, and the array has room for four words.
            unsafe { _mm_storeu_ps(values.as_mut_ptr().cast(), _mm256_castps256_ps128(lanes)) };
            values
        }
        #[inline(always)]
        fn to_bits(self, lanes: __m256) -> [u32; LANES] {
            let mut values = [0; LANES];
            // SAFETY: AVX is there, and the array has room for eight words.
            unsafe { _mm256_storeu_ps(values.as_mut_ptr().cast(), lanes) };
            values
        }
        operations! {
            fn and_or(a: __m256, mask: __m256, bits: __m256) -> __m256 =
                op!(_mm256_or_ps(_mm256_and_ps(a, mask), bits));
            fn permute(table: __m256, indices: __m256) -> __m256 =
                op!(_mm256_permutevar8x32_ps(table, _mm256_castps_si256(indices)));
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
                let indices = _mm256_setr_epi32(0, 4, 2, 6, 1, 5, 3, 7);
                let x = order!(x, _mm256_permutevar8x32_epi32(x, indices), 0b0101_0000);
                let indices = _mm256_setr_epi32(0, 2, 1, 4, 3, 6, 5, 7);
                let x = order!(x, _mm256_permutevar8x32_epi32(x, indices), 0b0101_0100);
                _mm256_castsi256_ps(x)
            })
        }
        #[inline(always)]
        fn least_lane(self, mask: Self::M, lanes: __m256) -> usize {
            let others = self.splat(f32::from_bits(u32::MAX));
            let lanes = self.select(mask, others, lanes);
            op!({
                let upper = _mm256_srli_epi32::<{ ORDER_BITS as i32 }>(_mm256_castps_si256(lanes));
                let (low, high) =
                    (_mm256_castsi256_si128(upper), _mm256_extracti128_si256::<1>(upper));
                // The smallest word, and above it its place.
                let least = _mm_cvtsi128_si32(_mm_minpos_epu16(_mm_packus_epi32(low, high)));
                (least >> 16) as usize % LANES
            })
        }
        #[inline(always)]
        fn transpose(self, [a, b, c, d, e, f, g, h]: [__m256; LANES]) -> [__m256; LANES] {
            // Pairs of rows, then fours, then the halves of registers.
            op!({
                let (ab, cd) = (_mm256_unpacklo_ps(a, b), _mm256_unpacklo_ps(c, d));
                let (ef, gh) = (_mm256_unpacklo_ps(e, f), _mm256_unpacklo_ps(g, h));
                let (ab_high, cd_high) = (_mm256_unpackhi_ps(a, b), _mm256_unpackhi_ps(c, d));
                let (ef_high, gh_high) = (_mm256_unpackhi_ps(e, f), _mm256_unpackhi_ps(g, h));
                const LOW: i32 = 0b01_00_01_00;
                const HIGH: i32 = 0b11_10_11_10;
                let first = [
                    _mm256_shuffle_ps::<LOW>(ab, cd),
                    _mm256_shuffle_ps::<HIGH>(ab, cd),
                    _mm256_shuffle_ps::<LOW>(ab_high, cd_high),
                    _mm256_shuffle_ps::<HIGH>(ab_high, cd_high),
                ];
                let second = [
                    _mm256_shuffle_ps::<LOW>(ef, gh),
                    _mm256_shuffle_ps::<HIGH>(ef, gh),
                    _mm256_shuffle_ps::<LOW>(ef_high, gh_high),
                    _mm256_shuffle_ps::<HIGH>(ef_high, gh_high),
                ];
                [
                    _mm256_permute2f128_ps::<0x20>(first[0], second[0]),
                    _mm256_permute2f128_ps::<0x20>(first[1], second[1]),
                    _mm256_permute2f128_ps::<0x20>(first[2], second[2]),
                    _mm256_permute2f128_ps::<0x20>(first[3], second[3]),
                    _mm256_permute2f128_ps::<0x31>(first[0], second[0]),
                    _mm256_permute2f128_ps::<0x31>(first[1], second[1]),
                    _mm256_permute2f128_ps::<0x31>(first[2], second[2]),
                    _mm256_permute2f128_ps::<0x31>(first[3], second[3]),
                ]
            })
        }
        #[inline(always)]
        fn transpose_points(self, rows: [&[f32; 4]; LANES]) -> [__m256; 3] {
            // A register holds two rows, four lanes apart.
            let [a, b, c, d, e, f, g, h] = rows;
            // SAFETY: AVX is there, and each reference is to four readable f32.
            unsafe {
                let ae = _mm256_loadu2_m128(e.as_ptr(), a.as_ptr());
                let bf = _mm256_loadu2_m128(f.as_ptr(), b.as_ptr());
                let cg = _mm256_loadu2_m128(g.as_ptr(), c.as_ptr());
                let dh = _mm256_loadu2_m128(h.as_ptr(), d.as_ptr());
                let (ab, cd) = (_mm256_unpacklo_ps(ae, bf), _mm256_unpacklo_ps(cg, dh));
                let (ab_high, cd_high) = (_mm256_unpackhi_ps(ae, bf), _mm256_unpackhi_ps(cg, dh));
                [
                    _mm256_shuffle_ps::<0b01_00_01_00>(ab, cd),
                    _mm256_shuffle_ps::<0b11_10_11_10>(ab, cd),
                    _mm256_shuffle_ps::<0b01_00_01_00>(ab_high, cd_high),
                ]
            }
        }
        #[inline(always)]
        fn prefetch<const N: usize>(self, address: *const u8) {
            super::x86::prefetch_lines::<N>(address);
        }
    };
}

pub(super) use {
    lane_operations, op, order, register_operations, three_operations, wide_operations,
};

/// The same lanes, of which the compiler knows nothing. Without this it joins two conversions to one on 512 bits. One such
/// instruction a query made queries of scenes take 11 to 15 % more time (Xeon with AVX-512); two of 256 bits cost nothing.
#[inline(always)]
pub(super) fn apart(mut lanes: __m128) -> __m128 {
    // SAFETY: the assembly is a comment.
    unsafe {
        std::arch::asm!(
            "/* {0} */",
            inout(xmm_reg) lanes,
            options(pure, nomem, nostack, preserves_flags)
        );
    }
    lanes
}

/// Prefetches `N` cache lines from `address` on.
#[inline(always)]
pub(super) fn prefetch_lines<const N: usize>(address: *const u8) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    for line in 0..N {
        let line = address.wrapping_add(super::CACHE_LINE * line);
        // SAFETY: a prefetch reads nothing that the program can see, and no address makes it fault.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(line.cast()) };
    }
}
