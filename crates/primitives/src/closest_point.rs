//! The point of a triangle closest to a given point: the definition of every closest-point answer.

use glam::DVec3;

/// The point of a mesh's surface closest to a given point.
///
/// It is the first by `(distance, triangle)` over all triangles, including those of zero area.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfacePoint {
    /// The index of the triangle in [`TriMesh::triangles`](crate::TriMesh::triangles).
    pub triangle: u32,
    /// The point, in the mesh's own space.
    pub point: DVec3,
    /// The weight of the triangle's second corner, as in [`Hit`](crate::Hit). At a corner the weights
    /// are exactly 0 and 1. On an edge the weight of the opposite corner is exactly 0.
    pub u: f32,
    /// The weight of the triangle's third corner.
    pub v: f32,
    /// The distance to the given point, in the mesh's own space.
    pub distance: f64,
}

impl SurfacePoint {
    /// The point of a mesh, from the index of a triangle and the point on it in a space `scale` times as
    /// large as the mesh's.
    pub fn new(triangle: u32, found: &TrianglePoint, scale: f64) -> Self {
        Self {
            triangle,
            point: found.point / scale,
            u: found.u as f32,
            v: found.v as f32,
            distance: found.distance_squared.sqrt() / scale,
        }
    }
}

/// The point of a single triangle closest to a given point; see [`closest_point_on_triangle`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrianglePoint {
    /// The point.
    pub point: DVec3,
    /// The weight of the second corner.
    pub u: f64,
    /// The weight of the third corner.
    pub v: f64,
    /// The square of the distance to the given point.
    pub distance_squared: f64,
}

/// The point of the triangle closest to `from`.
///
/// `from` and the corners are in one space and finite, with coordinates in the range of f32. A triangle
/// of zero area is a segment or a point and has a closest point, too.
///
/// The function compares four candidates: the closest points of the three edges, and the foot of the
/// perpendicular if it falls into the triangle. Ericson, "Real-Time Collision Detection" (2005),
/// sections 5.1.2 and 5.1.5, computes only the candidate of the region that `from` lies in. We compare
/// all four, because rounding may choose a wrong region in a sliver, and the error would be as large as
/// the sliver.
///
/// The result lies in the triangle's own box. Its computed distance is therefore never less than
/// [`distance_squared_to_box`] of any box around the triangle, so the shape of a tree cannot change the
/// answer.
///
/// ```
/// use hitscan_primitives::{closest_point_on_triangle, glam::DVec3};
///
/// let corners = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]].map(DVec3::from_array);
/// let above = closest_point_on_triangle(corners, DVec3::new(1.0, 2.0, 3.0));
/// assert_eq!((above.u, above.v, above.distance_squared), (0.25, 0.5, 9.0));
/// let beside = closest_point_on_triangle(corners, DVec3::new(9.0, -1.0, 0.0));
/// assert_eq!((beside.u, beside.v, beside.distance_squared), (1.0, 0.0, 26.0));
/// ```
pub fn closest_point_on_triangle(corners: [DVec3; 3], from: DVec3) -> TrianglePoint {
    let [a, b, c] = corners;
    let (min, max) = (a.min(b).min(c), a.max(b).max(c));
    let candidate = |point: DVec3, u: f64, v: f64| {
        let point = point.clamp(min, max);
        TrianglePoint { point, u, v, distance_squared: (from - point).length_squared() }
    };
    let (on_ab, w) = closest_point_on_segment(a, b, from);
    let mut best = candidate(on_ab, w, 0.0);
    let mut consider = |other: TrianglePoint| {
        if other.distance_squared < best.distance_squared {
            best = other;
        }
    };
    let (on_bc, w) = closest_point_on_segment(b, c, from);
    consider(candidate(on_bc, 1.0 - w, w));
    let (on_ca, w) = closest_point_on_segment(c, a, from);
    consider(candidate(on_ca, 0.0, 1.0 - w));

    let (ab, ac, to) = (b - a, c - a, from - a);
    let normal = ab.cross(ac);
    let normal_squared = normal.length_squared();
    // For zero area both are NaN, which fails the comparisons. Rounding may have given a segment some
    // area: all weights that pass belong to a point of it, up to rounding.
    let u = to.cross(ac).dot(normal) / normal_squared;
    let v = ab.cross(to).dot(normal) / normal_squared;
    if u >= 0.0 && v >= 0.0 && u + v <= 1.0 {
        consider(candidate(a + u * ab + v * ac, u, v));
    }
    best
}

/// The point of the segment from `a` to `b` closest to `from`, and the weight of `b` in it.
///
/// An end is returned exactly, with the weight 0 or 1. For a segment without length the point is `a`.
pub fn closest_point_on_segment(a: DVec3, b: DVec3, from: DVec3) -> (DVec3, f64) {
    let ab = b - a;
    let w = (from - a).dot(ab) / ab.length_squared();
    if w >= 1.0 {
        (b, 1.0)
    } else if w > 0.0 {
        (a + w * ab, w)
    } else {
        (a, 0.0)
    }
}

/// The squared distance between a point and the box from `min` to `max`; 0 inside. Rounding keeps the
/// order of nested boxes: the outer box is never farther than the inner one.
pub fn distance_squared_to_box(min: DVec3, max: DVec3, from: DVec3) -> f64 {
    (min - from).max(from - max).max(DVec3::ZERO).length_squared()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::SplitMix64;

    fn point(random: &mut SplitMix64) -> DVec3 {
        DVec3::from_array([0; 3].map(|_| random.range(-1.0, 1.0) as f32).map(f64::from))
    }

    #[test]
    fn no_point_of_the_triangle_is_nearer() {
        let mut random = SplitMix64::new(1);
        for round in 0..300 {
            let [a, b, mut c] = [0; 3].map(|_| point(&mut random));
            if round % 3 == 0 {
                // A sliver, or a segment.
                c = a + 0.3 * (b - a) + [1e-9, 1e-14, 0.0][round / 3 % 3] * c;
            }
            let from = 2.0 * point(&mut random);
            let found = closest_point_on_triangle([a, b, c], from);
            let at = |u: f64, v: f64| a + u * (b - a) + v * (c - a);
            assert!(found.point.distance(at(found.u, found.v)) < 1e-14);
            let distance = found.distance_squared.sqrt();
            assert!((distance - found.point.distance(from)).abs() < 1e-14);
            for _ in 0..300 {
                let (u, v) = (random.unit(), random.unit());
                let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
                assert!(at(u, v).distance(from) > distance - 1e-9, "round {round}");
            }
            let (min, max) = (a.min(b).min(c), a.max(b).max(c));
            assert!(distance_squared_to_box(min, max, from) <= found.distance_squared);
        }
    }

    #[test]
    fn corners_and_edges_have_exact_weights() {
        let corners = [DVec3::ZERO, DVec3::X, DVec3::Y];
        let weights = |x: f64, y: f64| {
            let found = closest_point_on_triangle(corners, DVec3::new(x, y, 2.0));
            (found.u, found.v)
        };
        assert_eq!(weights(-1.0, -1.0), (0.0, 0.0));
        assert_eq!(weights(2.0, 0.5), (1.0, 0.0));
        assert_eq!(weights(-0.5, 2.0), (0.0, 1.0));
        assert_eq!(weights(0.25, -1.0), (0.25, 0.0));
        assert_eq!(weights(-1.0, 0.25), (0.0, 0.25));
        assert_eq!(weights(1.0, 1.0), (0.5, 0.5));
        assert_eq!(weights(0.25, 0.5), (0.25, 0.5));
    }

    #[test]
    fn a_triangle_of_zero_area_is_a_segment_or_a_point() {
        let (a, b) = (DVec3::ZERO, 2.0 * DVec3::X);
        for corners in [[a, b, a], [a, b, 0.5 * (a + b)], [a, a, b], [b, a, b]] {
            let found = closest_point_on_triangle(corners, DVec3::new(0.5, 3.0, 4.0));
            assert_eq!((found.point, found.distance_squared), (0.5 * DVec3::X, 25.0));
        }
        let found = closest_point_on_triangle([b; 3], DVec3::new(2.0, 3.0, 0.0));
        assert_eq!((found.point, found.distance_squared), (b, 9.0));
    }

    #[test]
    fn the_whole_range_of_f32_works() {
        for scale in [f64::from(f32::MAX) / 8.0, f64::from(f32::MIN_POSITIVE) / 8.0] {
            let corners = [DVec3::ZERO, scale * DVec3::X, scale * DVec3::Y];
            let found = closest_point_on_triangle(corners, scale * DVec3::new(0.25, 0.25, 3.0));
            assert_eq!((found.u, found.v), (0.25, 0.25));
            assert!((found.distance_squared.sqrt() / scale - 3.0).abs() < 1e-12);
        }
    }
}
