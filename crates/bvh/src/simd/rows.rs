//! Rows of eight lanes: chosen at run time without a bounds check, and a ray as one.

use std::mem::offset_of;

use hitscan_primitives::Ray;

/// A ray as it lies in memory: origin, direction, `t_min`, `t_max`. Put together from its fields it
/// costs a dozen instructions instead of one.
#[inline(always)]
pub(crate) fn as_row(ray: &Ray) -> &[f32; 8] {
    const {
        assert!(size_of::<Ray>() == size_of::<[f32; 8]>());
        assert!(offset_of!(Ray, origin) == 0 && offset_of!(Ray, direction) == 12);
        assert!(offset_of!(Ray, t_min) == 24 && offset_of!(Ray, t_max) == 28);
    }
    // SAFETY: a ray is eight f32 in this order, as was just asserted, without padding.
    unsafe { &*std::ptr::from_ref(ray).cast() }
}

/// Which of `N` rows of eight f32 to load.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row<const N: usize> {
    /// Less than `N * 32` and a multiple of 32: kept in bytes, because no machine scales by 32.
    byte_offset: usize,
}

impl<const N: usize> Row<N> {
    /// # Panics
    /// If there is no such row.
    #[inline(always)]
    pub(crate) fn new(index: usize) -> Self {
        assert!(index < N, "row {index} of {N}");
        Self { byte_offset: index * size_of::<[f32; 8]>() }
    }

    #[inline(always)]
    pub(crate) fn is_first(self) -> bool {
        self.byte_offset == 0
    }

    #[inline(always)]
    pub(crate) fn of(self, rows: &[[f32; 8]; N]) -> &[f32; 8] {
        // SAFETY: the offset is that of one of the `N` rows.
        unsafe { &*rows.as_ptr().byte_add(self.byte_offset) }
    }
}
