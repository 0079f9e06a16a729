//! The three coordinate axes.

/// A coordinate axis. An enum rather than a number, so that indexing by it needs no bounds check.
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

    /// 0, 1 or 2.
    #[inline]
    pub fn index(self) -> usize {
        self as usize
    }
}
