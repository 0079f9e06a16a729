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

    #[inline]
    pub(crate) fn bounds(&self) -> Box3 {
        Box3 { min: Vec3A::from_vec4(self.min), max: Vec3A::from_vec4(self.max) }
    }

    /// Twice the centre of the box.
    #[inline]
    pub(crate) fn center2(&self) -> Vec3A {
        self.bounds().center2()
    }
}
