//! The projection of a polygon to two axes, and the orientation test in it.

use glam::{Vec3, Vec3Swizzles};
use robust::{Coord, orient2d};

use crate::{Axis, newell::newell_normal};

/// A corner of a projected polygon. The projected polygon runs counter-clockwise.
pub(super) type Point = Coord<f64>;

/// Positive where `a`, `b`, `c` turn left, negative where they turn right, zero exactly on a line.
#[inline(always)]
pub(super) fn turn(a: Point, b: Point, c: Point) -> f64 {
    orient2d(a, b, c)
}

/// The two axes onto which a polygon is projected: it drops the largest axis of the polygon's normal.
#[derive(Clone, Copy, Debug)]
pub(super) struct Projection {
    axes: [usize; 2],
}

impl Projection {
    /// The projection in which the polygon runs counter-clockwise; `None` for a polygon without area.
    pub(super) fn of(corners: &[Vec3]) -> Option<Self> {
        let normal = newell_normal(corners);
        // Ties go to z before x before y. Another order would triangulate such polygons differently.
        let [kx, ky, kz] = match Axis::largest_of(normal.zxy()) {
            Axis::X => [0, 1, 2],
            Axis::Y => [1, 2, 0],
            Axis::Z => [2, 0, 1],
        };
        match normal[kz] {
            z if z > 0.0 => Some(Self { axes: [kx, ky] }),
            z if z < 0.0 => Some(Self { axes: [ky, kx] }),
            _ => None,
        }
    }

    pub(super) fn project(self, corner: Vec3) -> Point {
        let [x, y] = self.axes.map(|axis| f64::from(corner[axis]));
        Point { x, y }
    }
}
