//! Eight lanes in one AVX register, with AVX2, FMA and the bit manipulation sets that came with them.

use std::arch::x86_64::*;

use hitscan_primitives::{EdgeFunctions, WatertightRay};

use super::{
    lanes::{KernelFn, KernelOn, LANES, Lanes, ORDER_BITS, Simd, operations, rays_in_eight_lanes},
    three::ThreeLanes,
    x86::{
        apart, lane_operations, op, order, register_operations, three_operations, wide_operations,
    },
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

type F = __m256;

impl Lanes for Avx2 {
    type F = F;
    type M = F;

    lane_operations!();

    operations! {
        fn le(a: F, b: F) -> F = op!(_mm256_cmp_ps::<_CMP_LE_OQ>(a, b));
        fn not_lt(a: F, b: F) -> F = op!(_mm256_cmp_ps::<_CMP_NLT_UQ>(a, b));
        fn eq(a: F, b: F) -> F = op!(_mm256_cmp_ps::<_CMP_EQ_OQ>(a, b));
        fn and(a: F, b: F) -> F = op!(_mm256_and_ps(a, b));
        fn select(mask: F, a: F, b: F) -> F = op!(_mm256_blendv_ps(a, b, mask));
        fn movemask(mask: F) -> u32 = op!(_mm256_movemask_ps(mask)) as u32;
    }

    #[inline(always)]
    fn mask_from_bits(self, bits: u32) -> F {
        op!({
            let lane_bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
            let chosen = _mm256_and_si256(_mm256_set1_epi32(bits as i32), lane_bits);
            _mm256_castsi256_ps(_mm256_cmpeq_epi32(chosen, lane_bits))
        })
    }
}

impl ThreeLanes for Avx2 {
    three_operations!();
}

impl Simd for Avx2 {
    const COMPRESSES: bool = true;

    rays_in_eight_lanes!();

    register_operations!("avx2,fma,bmi1,bmi2,lzcnt,popcnt");
    wide_operations!();

    #[inline(always)]
    fn le_wide(self, a: Self::D, b: Self::D) -> u32 {
        op!({
            let low = _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_LE_OQ>(a[0], b[0])) as u32;
            let high = _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_LE_OQ>(a[1], b[1])) as u32;
            low | high << (LANES / 2)
        })
    }
    #[inline(always)]
    fn compress(self, mask: u32, lanes: F) -> F {
        op!(_mm256_and_ps(self.move_to_front(mask, lanes), self.kept(mask)))
    }
    #[inline(always)]
    fn move_to_front(self, mask: u32, lanes: F) -> F {
        op!(_mm256_permutevar8x32_ps(lanes, self.indices(mask)))
    }
    #[inline(always)]
    fn compress_keys(self, mask: u32, lanes: F, key_mask: F) -> F {
        // The indices that move the lanes are those of the keys. Keys made first would be moved in parts.
        let indices = self.indices(mask);
        op!({
            let moved = _mm256_permutevar8x32_ps(lanes, indices);
            let kept = _mm256_and_ps(moved, _mm256_and_ps(key_mask, self.kept(mask)));
            _mm256_or_ps(kept, _mm256_castsi256_ps(indices))
        })
    }
}

impl Avx2 {
    /// The indices of the lanes in a mask, in order; zeros behind.
    #[inline(always)]
    fn indices(self, mask: u32) -> __m256i {
        let indices = &super::compress::INDICES[mask as usize % (1 << LANES)];
        // SAFETY: AVX2 is there, and the reference is to eight readable bytes.
        unsafe { _mm256_cvtepu8_epi32(_mm_loadl_epi64(indices.as_ptr().cast())) }
    }

    /// As many lanes of ones as the mask has bits.
    #[inline(always)]
    fn kept(self, mask: u32) -> F {
        self.load_bits(&super::compress::KEPT[mask.count_ones() as usize % (LANES + 1)])
    }
}
