//! The seven solids around a triangle that the centre of a ball enters: a prism, three cylinders and three balls.

use glam::DVec3;

use crate::{TrianglePoint, closest_point_on_triangle};

/// A centre that travels from zero along a unit vector, and a triangle near it.
pub(super) struct Sweep {
    pub(super) corners: [DVec3; 3],
    /// From each corner to the next, from the corners before they were moved: more exact.
    pub(super) edges: [DVec3; 3],
    pub(super) unit: DVec3,
    pub(super) radius: f64,
    /// The distance to travel.
    pub(super) end: f64,
    /// The distance by which the foot of the centre may miss the face, and the ball the triangle.
    pub(super) slack: f64,
}

impl Sweep {
    /// The closest point of the triangle after a travel, if the ball touches it there, with the travel.
    pub(super) fn touch(&self, travel: f64) -> Option<(f64, TrianglePoint)> {
        if travel <= self.end {
            let found = self.closest_point(travel * self.unit);
            let reach = self.radius + self.slack;
            return (found.distance_squared <= reach * reach).then_some((travel, found));
        }
        None
    }

    /// The closest point of the triangle. Where the centre is above the face of a sliver, rounding moves the foot of the perpendicular
    /// along the sliver, by more than the slack. A second step, from the closest point found so far, is short and brings it back.
    fn closest_point(&self, center: DVec3) -> TrianglePoint {
        let found = closest_point_on_triangle(self.corners, center);
        let ([a, ..], [ab, _, ca]) = (self.corners, self.edges);
        let ac = -ca;
        if !is_sliver(ab, ac) {
            return found;
        }
        let normal = cross(ab, ac);
        let area_squared = normal.length_squared();
        let from = center - found.point;
        let u = found.u + from.cross(ac).dot(normal) / area_squared;
        let v = found.v + ab.cross(from).dot(normal) / area_squared;
        let point = a + u * ab + v * ac;
        let distance_squared = (center - point).length_squared();
        let is_better =
            u >= 0.0 && v >= 0.0 && u + v <= 1.0 && distance_squared < found.distance_squared;
        if is_better { TrianglePoint { point, u, v, distance_squared } } else { found }
    }

    /// The travel at which the centre enters each of the seven solids; infinite if it does not.
    pub(super) fn entries(&self) -> [f64; 7] {
        let [a, b, c] = self.corners;
        let [ab, bc, ca] = self.edges;
        [
            self.to_face(),
            self.to_edge(a, ab),
            self.to_edge(b, bc),
            self.to_edge(c, ca),
            self.to_corner(a),
            self.to_corner(b),
            self.to_corner(c),
        ]
    }

    /// Into the prism: between the planes at the distance of the radius, above the triangle.
    fn to_face(&self) -> f64 {
        let [a, ..] = self.corners;
        let [ab, _, ca] = self.edges;
        let ac = -ca;
        let normal = cross(ab, ac);
        let length = normal.length();
        if length == 0.0 {
            return f64::INFINITY;
        }
        let height = -a.dot(normal) / length;
        let gap = height.abs() - self.radius;
        let travel = if gap <= 0.0 {
            0.0
        } else {
            let approach = -self.unit.dot(normal) / length * height.signum();
            gap / approach
        };
        // A ball that goes away from the plane has a negative travel, one along it an infinite one.
        let is_reached = 0.0 <= travel && travel <= self.end;
        if !is_reached {
            return f64::INFINITY;
        }
        let to = travel * self.unit - a;
        let u = to.cross(ac).dot(normal) / (length * length);
        let v = ab.cross(to).dot(normal) / (length * length);
        // The weight of a point at the distance of the slack beyond an edge.
        let beyond = |edge: DVec3| -self.slack * edge.length() / length;
        let is_above = u >= beyond(ac) && v >= beyond(ab) && 1.0 - u - v >= beyond(self.edges[1]);
        if is_above { travel } else { f64::INFINITY }
    }

    /// Into the cylinder around the edge that begins at `corner`.
    fn to_edge(&self, corner: DVec3, edge: DVec3) -> f64 {
        let length = edge.length();
        if length == 0.0 {
            return f64::INFINITY;
        }
        let axis = edge / length;
        // The part of the way on which the foot of the centre is on the edge.
        let (rate, before) = (self.unit.dot(axis), corner.dot(axis));
        let (mut first, mut last) = (0.0f64, self.end);
        if rate == 0.0 {
            if before > 0.0 || before + length < 0.0 {
                return f64::INFINITY;
            }
        } else {
            let (to_corner, to_next) = (before / rate, (before + length) / rate);
            first = first.max(to_corner.min(to_next));
            last = last.min(to_corner.max(to_next));
        }
        if first > last {
            return f64::INFINITY;
        }
        // What is across the axis, from the beginning of that part: near the edge nothing cancels.
        let across = |vector: DVec3| vector - vector.dot(axis) * axis;
        let (from_axis, side) = (across(first * self.unit - corner), across(self.unit));
        let distance = from_axis.length();
        let gap = (distance - self.radius) * (distance + self.radius);
        if gap <= 0.0 {
            return first;
        }
        let approach = -from_axis.dot(side);
        let (reach, miss) = (self.radius * side.length(), from_axis.cross(side).length());
        let discriminant = (reach - miss) * (reach + miss);
        if !(approach > 0.0 && discriminant >= 0.0) {
            return f64::INFINITY;
        }
        let travel = first + gap / (approach + discriminant.sqrt());
        if travel <= last { travel } else { f64::INFINITY }
    }

    /// Into the ball around a corner.
    fn to_corner(&self, corner: DVec3) -> f64 {
        let along = corner.dot(self.unit);
        let miss = (corner - along * self.unit).length();
        let discriminant = (self.radius - miss) * (self.radius + miss);
        // NaN if the ball misses the corner.
        let half = discriminant.sqrt();
        if along + half >= 0.0 { (along - half).max(0.0) } else { f64::INFINITY }
    }
}

/// Whether the angle between two edges is so small that their plain cross product is not exact enough.
fn is_sliver(a: DVec3, b: DVec3) -> bool {
    /// Of the squared sine.
    const SMALL_ANGLE: f64 = 1.0 / (1u64 << 20) as f64;
    a.cross(b).length_squared() <= SMALL_ANGLE * a.length_squared() * b.length_squared()
}

/// The cross product, exact to the last digits also of vectors that are almost parallel. Otherwise the plane of a
/// triangle could miss its corners by much more than their rounding.
fn cross(a: DVec3, b: DVec3) -> DVec3 {
    if !is_sliver(a, b) {
        return a.cross(b);
    }
    let component = |i: usize, j: usize| difference_of_products([a[i], b[j]], [a[j], b[i]]);
    DVec3::new(component(1, 2), component(2, 0), component(0, 1))
}

/// The first product less the second, with the rounding of both taken back (Dekker, "A Floating-Point Technique for
/// Extending the Available Precision", 1971).
fn difference_of_products([a, b]: [f64; 2], [c, d]: [f64; 2]) -> f64 {
    let halves = |x: f64| {
        let scaled = f64::from((1 << 27) + 1) * x;
        let high = scaled - (scaled - x);
        (high, x - high)
    };
    let rounding = |x: f64, y: f64| {
        let ((x_high, x_low), (y_high, y_low)) = (halves(x), halves(y));
        x_low * y_low - (((x * y - x_high * y_high) - x_low * y_high) - x_high * y_low)
    };
    (a * b - c * d) + (rounding(a, b) - rounding(c, d))
}
