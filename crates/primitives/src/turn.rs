//! Points of projected polygons, and the exact test of how three of them turn.

use robust::{Coord, orient2d};

/// A corner of a polygon, projected to two axes so that the polygon runs counter-clockwise.
pub(crate) type Point = Coord<f64>;

/// Positive where `a`, `b`, `c` turn left, negative where they turn right, zero exactly on a line.
#[inline(always)]
pub(crate) fn turn(a: Point, b: Point, c: Point) -> f64 {
    orient2d(a, b, c)
}
