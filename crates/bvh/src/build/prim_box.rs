//! A primitive as the builders see it: a box and a number.

use glam::{Vec3A, Vec4};
use hitscan_primitives::Aabb;

/// The box of a primitive with its number in the spare lane: 32 bytes, two vector registers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PrimBox {
    /// Least corner; `w` holds the bits of the number.
    min: Vec4,
    /// Greatest corner; `w` is not used.
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

/// An [`Aabb`] in vector registers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Box3 {
    pub(crate) min: Vec3A,
    pub(crate) max: Vec3A,
}

impl Box3 {
    pub(crate) const EMPTY: Self = Self { min: Vec3A::INFINITY, max: Vec3A::NEG_INFINITY };

    #[inline]
    pub(crate) fn union(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    #[inline]
    pub(crate) fn grown(self, point: Vec3A) -> Self {
        Self { min: self.min.min(point), max: self.max.max(point) }
    }

    /// Twice the centre.
    #[inline]
    pub(crate) fn center2(&self) -> Vec3A {
        self.min + self.max
    }

    /// Half of the surface area. Not for empty boxes, whose extent is infinite.
    #[inline]
    pub(crate) fn half_area(&self) -> f32 {
        let e = self.max - self.min;
        e.x * e.y + e.y * e.z + e.z * e.x
    }

    pub(crate) fn to_aabb(self) -> Aabb {
        Aabb { min: self.min.into(), max: self.max.into() }
    }
}

impl From<Aabb> for Box3 {
    #[inline]
    fn from(aabb: Aabb) -> Self {
        Self { min: aabb.min.into(), max: aabb.max.into() }
    }
}
