//! The input of the builders: the box of a primitive and its index.

use glam::{Vec3A, Vec4};

use crate::box3::Box3;

/// The box of a primitive with its index in the spare lane: 32 bytes, two vector registers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PrimBox {
    /// Minimum corner; `w` holds the bits of the index.
    min: Vec4,
    /// Maximum corner; `w` is unused.
    max: Vec4,
}

impl PrimBox {
    #[inline]
    pub(crate) fn new(bounds: Box3, id: u32) -> Self {
        let mut min = Vec4::from((bounds.min, 0.0));
        min.w = f32::from_bits(id);
        Self { min, max: Vec4::from((bounds.max, 0.0)) }
    }

    #[inline]
    pub(crate) fn id(&self) -> u32 {
        self.min.w.to_bits()
    }

    /// The box, without the index. As a float the index is subnormal, and a sum with such a number takes Intel's
    /// processors a hundred cycles.
    #[inline]
    pub(crate) fn bounds(&self) -> Box3 {
        let min = self.min.with_w(0.0);
        Box3 { min: Vec3A::from_vec4(min), max: Vec3A::from_vec4(self.max) }
    }

    /// Twice the centre of the box.
    #[inline]
    pub(crate) fn center2(&self) -> Vec3A {
        self.bounds().center2()
    }

    /// [`center2`](Self::center2) on one axis.
    #[inline]
    pub(crate) fn center2_on(&self, axis: usize) -> f32 {
        self.min.to_array()[axis] + self.max.to_array()[axis]
    }
}

#[cfg(test)]
mod tests {
    #[cfg(target_arch = "x86_64")]
    #[test]
    #[expect(unsafe_code, reason = "glam does not show the spare lane")]
    fn the_index_is_not_in_the_spare_lane_of_the_box() {
        use super::{Box3, PrimBox, Vec3A};

        let bounds = Box3 { min: Vec3A::ONE, max: 2.0 * Vec3A::ONE };
        let Box3 { min, max } = PrimBox::new(bounds, 7).bounds();
        for (corner, lanes) in [(min, [1.0, 1.0, 1.0, 0.0]), (max, [2.0, 2.0, 2.0, 0.0])] {
            // SAFETY: on x86-64 a `Vec3A` is a register of four floats.
            assert_eq!(unsafe { std::mem::transmute::<Vec3A, [f32; 4]>(corner) }, lanes);
        }
    }
}
