//! The distance between two triangles, with a nearest point of each.

use glam::DVec3;

use super::contact::common_point;
use crate::{closest_point_on_segment, closest_point_on_triangle};

/// The nearest points of two triangles; see [`triangle_distance`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairPoints {
    /// A point of each triangle.
    pub points: [DVec3; 2],
    /// The square of the distance between them; 0 exactly if the triangles have a point in common.
    pub distance_squared: f64,
}

/// The nearest points of two triangles.
///
/// If they have a point in common, exactly by [`triangles_overlap`](super::triangles_overlap), the distance is 0 and both points are
/// the same. Otherwise it is the first minimum over 15 pairs of features, in f64: the corners of `a` with `b`, the corners of `b` with
/// `a`, and the edges with each other. If only a rounding separates the triangles, it is the least normal number instead of 0.
/// A triangle of zero area is a closed segment or a point.
///
/// The points lie in the boxes of their triangles. The computed distance is therefore never less than that of any boxes around
/// the triangles, up to the rounding of a sum, so the shape of a tree cannot change the answer.
///
/// ```
/// use hitscan_primitives::{glam::DVec3, triangle_distance};
///
/// let floor = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]].map(DVec3::from_array);
/// let above = [[1.0, 1.0, 3.0], [9.0, 1.0, 5.0], [1.0, 9.0, 5.0]].map(DVec3::from_array);
/// let found = triangle_distance(floor, above);
/// assert_eq!(found.points, [DVec3::new(1.0, 1.0, 0.0), DVec3::new(1.0, 1.0, 3.0)]);
/// assert_eq!(found.distance_squared, 9.0);
/// ```
pub fn triangle_distance(a: [DVec3; 3], b: [DVec3; 3]) -> PairPoints {
    if let Some(point) = common_point(&a, &b) {
        return PairPoints { points: [point; 2], distance_squared: 0.0 };
    }
    let mut nearest = PairPoints { points: [a[0], b[0]], distance_squared: f64::INFINITY };
    let mut consider = |on_a: DVec3, on_b: DVec3| {
        let distance_squared = (on_a - on_b).length_squared().max(f64::MIN_POSITIVE);
        if distance_squared < nearest.distance_squared {
            nearest = PairPoints { points: [on_a, on_b], distance_squared };
        }
    };
    for corner in a {
        consider(corner, closest_point_on_triangle(b, corner).point);
    }
    for corner in b {
        consider(closest_point_on_triangle(a, corner).point, corner);
    }
    for i in 0..3 {
        for j in 0..3 {
            let (edge, other) = ([a[i], a[(i + 1) % 3]], [b[j], b[(j + 1) % 3]]);
            if let Some([on_a, on_b]) = nearest_within_edges(edge, other) {
                consider(on_a, on_b);
            }
        }
    }
    nearest
}

/// The nearest points of the lines through two segments, if both lie between the ends, or about so. Otherwise an end is
/// nearest, which the corners of the triangles cover.
fn nearest_within_edges([p, q]: [DVec3; 2], [a, b]: [DVec3; 2]) -> Option<[DVec3; 2]> {
    let (along, other, between) = (q - p, b - a, p - a);
    let (length, other_length) = (along.length_squared(), other.length_squared());
    let (cosine, to_p, to_a) = (along.dot(other), along.dot(between), other.dot(between));
    let determinant = length * other_length - cosine * cosine;
    let s = (cosine * to_a - to_p * other_length) / determinant;
    let t = (length * to_a - cosine * to_p) / determinant;
    // Of parallel edges both are NaN or infinite.
    let is_within = |share: f64| (0.0..=1.0).contains(&share);
    if !(is_within(s) && is_within(t)) {
        return None;
    }
    // Nearly parallel edges leave few digits of `s`. The foot on the other edge, and back, restores the distance.
    let inside = |point: DVec3, p: DVec3, q: DVec3| point.clamp(p.min(q), p.max(q));
    let (on_other, _) = closest_point_on_segment(a, b, p + s * along);
    let on_other = inside(on_other, a, b);
    let (on_edge, _) = closest_point_on_segment(p, q, on_other);
    Some([inside(on_edge, p, q), on_other])
}
