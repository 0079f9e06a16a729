//! Rows of lanes: a choice of row at run time without a bounds check, and a ray as a row.

use std::mem::offset_of;

use hitscan_primitives::{Axis, Ray, WorldRay};

use super::lanes::{LANES, Simd};

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

/// A ray of the world as it lies in memory: origin, direction, `t_min`, `t_max`.
#[inline(always)]
pub(crate) fn as_wide_row(ray: &WorldRay) -> &[f64; LANES] {
    const {
        assert!(size_of::<WorldRay>() == size_of::<[f64; LANES]>());
        assert!(offset_of!(WorldRay, origin) == 0 && offset_of!(WorldRay, direction) == 24);
        assert!(offset_of!(WorldRay, t_min) == 48 && offset_of!(WorldRay, t_max) == 56);
    }
    // SAFETY: a ray is eight f64 in this order, as was just asserted, without padding.
    unsafe { &*std::ptr::from_ref(ray).cast() }
}

/// A ray from its row, written in one piece.
#[inline(always)]
pub(crate) fn of_row(row: [f32; LANES]) -> Ray {
    // SAFETY: as for `as_row`, and any eight f32 are a ray.
    unsafe { std::mem::transmute(row) }
}

/// A ray written in one piece, from its numbers. A load of the row would wait for stores of its parts: some 15 ns.
#[inline(always)]
pub(crate) fn in_one_piece<S: Simd>(simd: S, ray: &Ray) -> Ray {
    let &Ray { origin: o, direction: d, t_min, t_max } = ray;
    of_row(simd.store(simd.load(&[o.x, o.y, o.z, d.x, d.y, d.z, t_min, t_max])))
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

    /// The row of an axis.
    #[inline(always)]
    pub(crate) fn of_axis(axis: Axis) -> Self {
        const { assert!(N == 3, "a row for each axis") };
        // Not `new`, whose check remains where the compiler has lost track of the enum.
        Self { byte_offset: axis.index() * size_of::<[f32; LANES]>() }
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

/// The planes that a ray meets first and last, by the octant of its direction.
///
/// A reference to a table, because the offsets do not all fit into registers: the copies that the compiler
/// would keep in memory are in the table already.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OctantRows {
    offsets: &'static [[usize; 2]; 3],
}

/// The minimum and maximum planes of boxes, per axis.
type Planes = [[[f32; LANES]; 2]; 3];

impl OctantRows {
    /// Of a direction whose sign on axis `i` is bit `i`.
    #[inline(always)]
    pub(crate) fn new(backward: u32) -> Self {
        /// Per octant and axis, the byte offsets of the first and the last plane.
        static OFFSETS: [[[usize; 2]; 3]; 8] = {
            const ROW: usize = size_of::<[f32; LANES]>();
            let mut offsets = [[[0; 2]; 3]; 8];
            let mut octant = 0;
            while octant < 8 {
                let mut axis = 0;
                while axis < 3 {
                    let first = octant >> axis & 1;
                    offsets[octant][axis] =
                        [(2 * axis + first) * ROW, (2 * axis + 1 - first) * ROW];
                    axis += 1;
                }
                octant += 1;
            }
            offsets
        };
        Self { offsets: &OFFSETS[backward as usize % 8] }
    }

    /// The planes on an axis that the ray meets first.
    #[inline(always)]
    pub(crate) fn near(self, planes: &Planes, axis: usize) -> &[f32; LANES] {
        self.row(planes, axis, 0)
    }

    /// The planes on an axis that the ray meets last.
    #[inline(always)]
    pub(crate) fn far(self, planes: &Planes, axis: usize) -> &[f32; LANES] {
        self.row(planes, axis, 1)
    }

    #[inline(always)]
    fn row(self, planes: &Planes, axis: usize, side: usize) -> &[f32; LANES] {
        // SAFETY: every offset of the table is that of a row of `Planes`.
        unsafe { &*std::ptr::from_ref(planes).byte_add(self.offsets[axis][side]).cast() }
    }
}
