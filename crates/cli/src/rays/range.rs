//! The interval of rays without bounds, and rays from rows of numbers.

use hitscan::Ray;
use hitscan::scene::WorldRay;

use crate::table::{Decimal, Number};

/// The interval of rays without bounds in their file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DefaultRange {
    /// The minimum `t` of a hit.
    pub t_min: Decimal,
    /// The maximum `t` of a hit.
    pub t_max: Decimal,
}

impl DefaultRange {
    /// The interval from 0 on.
    pub fn from_zero() -> Self {
        Self { t_min: 0.0.into(), t_max: f32::INFINITY.into() }
    }

    /// The minimum and the maximum.
    pub(super) fn bounds<N: Number>(self) -> [N; 2] {
        [N::of(self.t_min), N::of(self.t_max)]
    }
}

/// A ray of a mesh in single, or of a scene in double precision.
pub(super) trait TableRay: Sized {
    type Number: Number;

    fn new(
        origin: [Self::Number; 3],
        direction: [Self::Number; 3],
        bounds: [Self::Number; 2],
    ) -> Self;
}

impl TableRay for Ray {
    type Number = f32;

    fn new(origin: [f32; 3], direction: [f32; 3], [t_min, t_max]: [f32; 2]) -> Self {
        Self::new(origin, direction).with_range(t_min, t_max)
    }
}

impl TableRay for WorldRay {
    type Number = f64;

    fn new(origin: [f64; 3], direction: [f64; 3], [t_min, t_max]: [f64; 2]) -> Self {
        Self::new(origin, direction).with_range(t_min, t_max)
    }
}

/// The ray of a row of numbers: origin, direction and, in a row of eight, the bounds.
pub(super) fn ray_of<R: TableRay>(numbers: &[R::Number], default: DefaultRange) -> R {
    let bounds = match numbers {
        [.., t_min, t_max] if numbers.len() == 8 => [*t_min, *t_max],
        _ => default.bounds(),
    };
    let n = numbers;
    TableRay::new([n[0], n[1], n[2]], [n[3], n[4], n[5]], bounds)
}
