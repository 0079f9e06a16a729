//! Eight numbers at a time: those of a node's children, or of the triangles of a leaf.

use std::{
    array,
    ops::{Add, AddAssign, Div, Mul, Neg, Sub},
};

use glam::DVec3;

use crate::simd::LANES;

/// Eight numbers. Each operation is that of every lane, and rounds as it does alone.
#[derive(Clone, Copy, Debug)]
pub(super) struct Eight(pub(super) [f64; LANES]);

/// Eight positions.
pub(super) type Positions = [Eight; 3];

impl Eight {
    pub(super) const ZERO: Self = Self::splat(0.0);

    pub(super) const fn splat(value: f64) -> Self {
        Self([value; LANES])
    }

    #[inline(always)]
    pub(super) fn sqrt(self) -> Self {
        Self(self.0.map(f64::sqrt))
    }

    /// The sum over all lanes, from the first to the last.
    pub(super) fn sum(self) -> f64 {
        self.0.into_iter().sum()
    }
}

/// Sets the position in a lane.
pub(super) fn set_position(positions: &mut Positions, lane: usize, position: DVec3) {
    for axis in 0..3 {
        positions[axis].0[lane] = position[axis];
    }
}

/// The position in a lane.
pub(super) fn position(positions: &Positions, lane: usize) -> DVec3 {
    DVec3::from_array(array::from_fn(|axis| positions[axis].0[lane]))
}

#[inline(always)]
pub(super) fn minus(a: Positions, b: Positions) -> Positions {
    array::from_fn(|axis| a[axis] - b[axis])
}

#[inline(always)]
pub(super) fn cross(a: Positions, b: Positions) -> Positions {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[inline(always)]
pub(super) fn length_squared([x, y, z]: Positions) -> Eight {
    x * x + y * y + z * z
}

macro_rules! lanewise {
    ($($trait:ident $method:ident $operator:tt),*) => {$(
        impl $trait for Eight {
            type Output = Self;

            #[inline(always)]
            fn $method(mut self, other: Self) -> Self {
                for lane in 0..LANES {
                    self.0[lane] $operator other.0[lane];
                }
                self
            }
        }
    )*};
}

lanewise!(Add add +=, Sub sub -=, Mul mul *=, Div div /=);

impl AddAssign for Eight {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Neg for Eight {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Self(self.0.map(|value| -value))
    }
}

impl Mul<Eight> for f64 {
    type Output = Eight;

    #[inline(always)]
    fn mul(self, lanes: Eight) -> Eight {
        Eight::splat(self) * lanes
    }
}
