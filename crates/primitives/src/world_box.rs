//! Axis-aligned boxes in world space.

use glam::DVec3;

/// An axis-aligned box in world space, in f64: the points with `min <= p <= max` on every axis.
///
/// The box is empty if `min` exceeds `max` on any axis, or a coordinate is NaN.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorldBox {
    /// The corner with the minimum coordinates.
    pub min: DVec3,
    /// The corner with the maximum coordinates.
    pub max: DVec3,
}

impl Default for WorldBox {
    /// [`WorldBox::EMPTY`].
    fn default() -> Self {
        Self::EMPTY
    }
}

impl WorldBox {
    /// The empty box: `min` is +inf, `max` is -inf.
    pub const EMPTY: Self = Self { min: DVec3::INFINITY, max: DVec3::NEG_INFINITY };

    /// The box between two corners. It is empty if `min` exceeds `max` on any axis.
    pub fn new(min: impl Into<[f64; 3]>, max: impl Into<[f64; 3]>) -> Self {
        Self { min: DVec3::from_array(min.into()), max: DVec3::from_array(max.into()) }
    }

    /// The smallest box that contains both.
    #[inline]
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// Whether the box contains no point.
    pub fn is_empty(&self) -> bool {
        !self.min.cmple(self.max).all()
    }

    /// Whether `point` lies in the box or on its boundary.
    #[inline]
    pub fn contains(&self, point: DVec3) -> bool {
        self.min.cmple(point).all() && point.cmple(self.max).all()
    }

    /// Whether the whole of `other` lies in the box.
    #[inline]
    pub fn contains_box(&self, other: &Self) -> bool {
        self.min.cmple(other.min).all() && other.max.cmple(self.max).all()
    }

    /// Whether the boxes have a point in common.
    #[inline]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.min.cmple(other.max).all() && other.min.cmple(self.max).all()
    }

    /// The centre of the box.
    #[inline]
    pub fn center(&self) -> DVec3 {
        0.5 * self.min + 0.5 * self.max
    }

    /// The edge lengths.
    #[inline]
    pub fn extent(&self) -> DVec3 {
        self.max - self.min
    }

    /// The squared distance from a point to the box; 0 inside.
    #[inline]
    pub fn distance_squared(&self, point: DVec3) -> f64 {
        (self.min - point).max(point - self.max).max(DVec3::ZERO).length_squared()
    }
}
