//! Polygons to triangles.

use glam::{DVec3, Vec3};
use robust::{Coord, orient2d};

use crate::ear_clipping::EarClipper;

/// A point of a polygon that was projected to a plane of two axes, where it runs counter-clockwise.
pub(crate) type Point = Coord<f64>;

/// Cuts polygons of n corners into n - 2 triangles each.
///
/// - A fan from the first corner, (0, 1, 2), (0, 2, 3), …, wherever none of its triangles is flipped:
///   on convex polygons above all. A polygon without area is fanned, too.
/// - A quad whose fan has a flipped triangle is cut along the other diagonal if that has none.
/// - Everything else is cut by clipping ears (`ear_clipping`).
///
/// Triangles are judged in the projection along the largest axis of the polygon's normal (Newell's,
/// as described by Sutherland, Sproull and Schumacker, "A Characterization of Ten Hidden-Surface
/// Algorithms", 1974), which changes no orientation in a plane and rounds nothing, by exact
/// predicates (Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric
/// Predicates", 1997). If no triangle is flipped, the triangles cover each point as often as the
/// polygon winds around it: once inside a simple polygon, and never outside.
#[derive(Debug, Default)]
pub(crate) struct Triangulator {
    points: Vec<Point>,
    clipper: EarClipper,
}

impl Triangulator {
    /// Calls `emit` with three corner numbers, in the polygon's direction, n - 2 times.
    ///
    /// O(n log n) for polygons as they occur; for self-intersecting ones, too, but then the
    /// triangles are arbitrary.
    pub(crate) fn triangulate(&mut self, corners: &[Vec3], mut emit: impl FnMut([u32; 3])) {
        let n = corners.len() as u32;
        let fan = |from: u32, emit: &mut dyn FnMut([u32; 3])| {
            (1..n - 1).for_each(|i| emit([from, (from + i) % n, (from + i + 1) % n]));
        };
        if n < 4 {
            return fan(0, &mut emit);
        }
        let Some(plane) = Plane::of(corners) else { return fan(0, &mut emit) };
        self.points.clear();
        self.points.extend(corners.iter().map(|&corner| plane.project(corner)));
        let points = &self.points[..];
        let flips = |a: usize, b: usize, c: usize| turn(points[a], points[b], points[c]) < 0.0;
        let n = n as usize;
        if (1..n - 1).all(|i| !flips(0, i, i + 1)) {
            fan(0, &mut emit);
        } else if n > 4 {
            self.clipper.clip(points, &mut emit);
        } else if flips(1, 2, 3) || flips(1, 3, 0) {
            fan(0, &mut emit);
        } else {
            fan(1, &mut emit);
        }
    }
}

/// Positive where `a`, `b`, `c` turn left, negative where they turn right, zero exactly on a line.
#[inline(always)]
pub(crate) fn turn(a: Point, b: Point, c: Point) -> f64 {
    orient2d(a, b, c)
}

/// The two axes onto which a polygon is projected.
#[derive(Clone, Copy, Debug)]
struct Plane {
    axes: [usize; 2],
}

impl Plane {
    /// `None` for a polygon without area.
    fn of(corners: &[Vec3]) -> Option<Self> {
        // Relative to a corner, so that a small polygon far from the origin keeps its normal.
        let origin = corners[0].as_dvec3();
        let edges = corners[1..].windows(2);
        let normal: DVec3 = edges
            .map(|edge| (edge[0].as_dvec3() - origin).cross(edge[1].as_dvec3() - origin))
            .sum();
        let size = normal.abs();
        let [kx, ky, kz] = if size.z >= size.x && size.z >= size.y {
            [0, 1, 2]
        } else if size.x >= size.y {
            [1, 2, 0]
        } else {
            [2, 0, 1]
        };
        match normal[kz] {
            z if z > 0.0 => Some(Self { axes: [kx, ky] }),
            z if z < 0.0 => Some(Self { axes: [ky, kx] }),
            _ => None,
        }
    }

    fn project(self, corner: Vec3) -> Point {
        let [x, y] = self.axes.map(|axis| f64::from(corner[axis]));
        Point { x, y }
    }
}
