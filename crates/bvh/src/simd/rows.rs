//! Rows of lanes: a choice of row at run time without a bounds check, and a ray as a row.

use std::mem::offset_of;

use hitscan_primitives::Ray;

use super::lanes::LANES;

/// A ray as it lies in memory: origin, direction, `t_min`, `t_max`. One load instead of the dozen
/// instructions that its fields would take.
#[inline(always)]
pub(crate) fn as_row(ray: &Ray) -> &[f32; LANES] {
    const {
        assert!(size_of::<Ray>() == size_of::<[f32; LANES]>());
        assert!(offset_of!(Ray, origin) == 0 && offset_of!(Ray, direction) == 12);
        assert!(offset_of!(Ray, t_min) == 24 && offset_of!(Ray, t_max) == 28);
    }
    // SAFETY: a ray is eight f32 in this order, as was just asserted, without padding.
    unsafe { &*std::ptr::from_ref(ray).cast() }
}

/// The choice of one of `N` rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row<const N: usize> {
    /// A multiple of the size of a row, less than `N` times it. In bytes, because no address mode scales
    /// by 32.
    byte_offset: usize,
}

impl<const N: usize> Row<N> {
    /// # Panics
    /// If there is no such row.
    #[inline(always)]
    pub(crate) fn new(index: usize) -> Self {
        assert!(index < N, "row {index} of {N}");
        Self { byte_offset: index * size_of::<[f32; LANES]>() }
    }

    #[inline(always)]
    pub(crate) fn is_first(self) -> bool {
        self.byte_offset == 0
    }

    #[inline(always)]
    pub(crate) fn of(self, rows: &[[f32; LANES]; N]) -> &[f32; LANES] {
        // SAFETY: the offset is that of one of the `N` rows.
        unsafe { &*rows.as_ptr().byte_add(self.byte_offset) }
    }
}
