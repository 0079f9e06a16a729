//! Boxes in vector registers, for code that computes unions and areas of many boxes.

use glam::Vec3A;
use hitscan_primitives::Aabb;

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

    /// What two boxes share. Its minimum exceeds its maximum somewhere if that is nothing.
    #[inline]
    pub(crate) fn intersection(self, other: Self) -> Self {
        Self { min: self.min.max(other.min), max: self.max.min(other.max) }
    }

    #[inline]
    pub(crate) fn grown(self, point: Vec3A) -> Self {
        Self { min: self.min.min(point), max: self.max.max(point) }
    }

    /// The largest coordinate in absolute value. Meaningless for an empty box.
    #[inline]
    pub(crate) fn reach(&self) -> f32 {
        (-self.min).max(self.max).max_element()
    }

    /// The largest side. Meaningless for an empty box.
    #[inline]
    pub(crate) fn max_extent(&self) -> f32 {
        (self.max - self.min).max_element()
    }

    /// Twice the centre.
    #[inline]
    pub(crate) fn center2(&self) -> Vec3A {
        self.min + self.max
    }

    /// Half of the surface area. Meaningless for an empty box, whose extent is infinite.
    #[inline]
    pub(crate) fn half_area(&self) -> f32 {
        let e = self.max - self.min;
        e.x * e.y + e.y * e.z + e.z * e.x
    }

    /// The axis of the longest side, the first of equal ones.
    #[inline]
    pub(crate) fn longest_axis(&self) -> usize {
        let extent = self.max - self.min;
        if extent.x >= extent.y && extent.x >= extent.z {
            0
        } else if extent.y >= extent.z {
            1
        } else {
            2
        }
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

/// The area beyond which one of these, at least one, counts for nothing: `factor` times the median. A triangle a
/// thousand times as large as the others would have almost all of the area.
pub(crate) fn usual_area(mut areas: Vec<f32>, factor: f32) -> f32 {
    let middle = areas.len() / 2;
    let limit = factor * *areas.select_nth_unstable_by(middle, f32::total_cmp).1;
    if limit > 0.0 { limit } else { f32::INFINITY }
}

/// The smaller of two numbers, neither of which is NaN: one instruction. `f32::min` takes three, because it passes over NaN.
#[inline(always)]
pub(crate) fn smaller<T: PartialOrd>(a: T, b: T) -> T {
    if a < b { a } else { b }
}

/// The larger likewise.
#[inline(always)]
pub(crate) fn larger<T: PartialOrd>(a: T, b: T) -> T {
    if a > b { a } else { b }
}
