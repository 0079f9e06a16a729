//! The three coordinate axes.

use glam::DVec3;

/// A coordinate axis. An enum, because indexing by it then needs no bounds check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Axis {
    /// The first coordinate.
    X = 0,
    /// The second coordinate.
    Y = 1,
    /// The third coordinate.
    Z = 2,
}

impl Axis {
    /// All axes in order.
    pub const ALL: [Self; 3] = [Self::X, Self::Y, Self::Z];

    /// The axis along which a vector is largest in size; a tie goes to the earlier axis.
    pub(crate) fn largest_of(v: DVec3) -> Self {
        let v = v.abs();
        if v.x >= v.y && v.x >= v.z {
            Self::X
        } else if v.y >= v.z {
            Self::Y
        } else {
            Self::Z
        }
    }

    /// The index of the axis: 0, 1 or 2.
    #[inline]
    pub fn index(self) -> usize {
        self as usize
    }
}
