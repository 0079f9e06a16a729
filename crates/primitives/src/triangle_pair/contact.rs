//! Whether two triangles have a point in common, exactly, and which.

use glam::DVec3;
use robust::{Coord, Coord3D, orient2d, orient3d};

/// The corners of a triangle.
pub(super) type Corners = [DVec3; 3];

/// Whether two triangles have a point in common. Edges and corners belong to them, so triangles that touch overlap.
///
/// The answer is exact for the corners given: it is that of rational arithmetic. All coordinates are 0 or between
/// 2^-300 and 2^300 in size. A triangle of zero area is a closed segment or a point.
///
/// Two triangles have a point in common exactly if an edge of one has a point in common with the other. Where they lie
/// in one plane, or one has no area, this is decided in a projection in which nothing collapses. The signs are those of
/// Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates" (1997).
///
/// ```
/// use hitscan_primitives::{glam::DVec3, triangles_overlap};
///
/// let floor = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]].map(DVec3::from_array);
/// let standing = |z: f64| [[1.0, 1.0, z], [2.0, 1.0, z + 1.0], [1.0, 2.0, z + 1.0]].map(DVec3::from_array);
/// assert!(triangles_overlap(floor, standing(0.0)));
/// assert!(!triangles_overlap(floor, standing(1e-300)));
/// ```
pub fn triangles_overlap(a: [DVec3; 3], b: [DVec3; 3]) -> bool {
    match Relation::of(&a, &b) {
        Relation::Apart => false,
        Relation::Flat => flat_contact(&a, &b).is_some(),
        Relation::Across(sides) => crossing_edges(&a, &b, sides).next().is_some(),
    }
}

/// A point that both triangles hold, rounded; `None` exactly if there is none.
pub(super) fn common_point(a: &Corners, b: &Corners) -> Option<DVec3> {
    match Relation::of(a, b) {
        Relation::Apart => None,
        Relation::Flat => flat_contact(a, b),
        Relation::Across(sides) => crossing_edges(a, b, sides).next().map(|edge| edge.point()),
    }
}

/// How two triangles lie to each other's planes.
pub(super) enum Relation {
    /// Their boxes are apart, or one is on one side of the other's plane.
    Apart,
    /// They lie in one plane, or one of them has no area.
    Flat,
    /// Each has a plane, which the other meets without lying in it: the [`sides`] of both.
    Across([[f64; 3]; 2]),
}

impl Relation {
    pub(super) fn of(a: &Corners, b: &Corners) -> Self {
        let ([a_min, a_max], [b_min, b_max]) = (bounds(a), bounds(b));
        if !(a_min.cmple(b_max) & b_min.cmple(a_max)).all() {
            return Self::Apart;
        }
        let of_a = sides(a, b);
        if is_one_side(of_a) {
            return Self::Apart;
        }
        if of_a == [0.0; 3] {
            return Self::Flat;
        }
        let of_b = sides(b, a);
        if is_one_side(of_b) {
            return Self::Apart;
        }
        if of_b == [0.0; 3] {
            return Self::Flat;
        }
        Self::Across([of_a, of_b])
    }
}

/// The corners with the least and the greatest coordinates of a triangle's box.
pub(super) fn bounds([a, b, c]: &Corners) -> [DVec3; 2] {
    [a.min(*b).min(*c), a.max(*b).max(*c)]
}

/// On which side of the plane of `plane` each corner lies: a number with the exact sign. All are 0 if `plane` has no area.
fn sides(corners: &Corners, plane: &Corners) -> [f64; 3] {
    corners.map(|corner| volume(plane[0], plane[1], plane[2], corner))
}

fn is_one_side([a, b, c]: [f64; 3]) -> bool {
    (a > 0.0 && b > 0.0 && c > 0.0) || (a < 0.0 && b < 0.0 && c < 0.0)
}

/// An edge that meets the plane of the other triangle in a point of that triangle, but does not lie in the plane.
pub(super) struct CrossingEdge {
    ends: [DVec3; 2],
    /// The [`sides`] of the ends.
    sides: [f64; 2],
}

impl CrossingEdge {
    /// The point, rounded. Both directions of an edge give the same bits.
    pub(super) fn point(&self) -> DVec3 {
        let ([mut p, mut q], [mut of_p, mut of_q]) = (self.ends, self.sides);
        if by_coordinates(q, p) {
            (p, q, of_p, of_q) = (q, p, of_q, of_p);
        }
        between(p, q, of_p, of_q)
    }
}

/// The edges of both triangles that cross the other, those of `a` first.
pub(super) fn crossing_edges<'a>(
    a: &'a Corners,
    b: &'a Corners,
    [of_a, of_b]: [[f64; 3]; 2],
) -> impl Iterator<Item = CrossingEdge> + 'a {
    let both = [(a, of_a, b), (b, of_b, a)];
    both.into_iter().flat_map(|(corners, sides, other)| {
        (0..3).filter_map(move |i| {
            let j = (i + 1) % 3;
            crossing_edge([corners[i], corners[j]], [sides[i], sides[j]], other)
        })
    })
}

fn crossing_edge(ends: [DVec3; 2], sides: [f64; 2], other: &Corners) -> Option<CrossingEdge> {
    let [of_p, of_q] = sides;
    let stays_off = (of_p > 0.0 && of_q > 0.0) || (of_p < 0.0 && of_q < 0.0);
    if stays_off || (of_p == 0.0 && of_q == 0.0) {
        return None;
    }
    let ([p, q], [a, b, c]) = (ends, *other);
    let turns = [volume(p, q, a, b), volume(p, q, b, c), volume(p, q, c, a)];
    let meets = turns.iter().all(|&turn| turn >= 0.0) || turns.iter().all(|&turn| turn <= 0.0);
    meets.then_some(CrossingEdge { ends, sides })
}

/// A common point of triangles in one plane, or of which one has no area.
fn flat_contact(a: &Corners, b: &Corners) -> Option<DVec3> {
    let edges = |corners: &Corners| {
        let [p, q, r] = *corners;
        [[p, q], [q, r], [r, p]]
    };
    let of_a = edges(a).into_iter().find_map(|[p, q]| segment_contact(p, q, b));
    of_a.or_else(|| edges(b).into_iter().find_map(|[p, q]| segment_contact(p, q, a)))
}

/// A common point of a segment and a triangle.
fn segment_contact(p: DVec3, q: DVec3, triangle: &Corners) -> Option<DVec3> {
    let [a, b, c] = *triangle;
    let sides = [volume(a, b, c, p), volume(a, b, c, q)];
    if sides != [0.0; 2] {
        return crossing_edge([p, q], sides, triangle).map(|edge| edge.point());
    }
    if let Some(axis) = (0..3).find(|&axis| area(axis, a, b, c) != 0.0) {
        let turns = [area(axis, a, b, p), area(axis, b, c, p), area(axis, c, a, p)];
        if turns.iter().all(|&turn| turn >= 0.0) || turns.iter().all(|&turn| turn <= 0.0) {
            return Some(p);
        }
    }
    [[a, b], [b, c], [c, a]].into_iter().find_map(|[a, b]| segments_contact(p, q, a, b))
}

/// A common point of two segments.
fn segments_contact(p: DVec3, q: DVec3, a: DVec3, b: DVec3) -> Option<DVec3> {
    if volume(p, q, a, b) != 0.0 {
        return None;
    }
    let triples = [[p, q, a], [p, q, b], [p, a, b], [q, a, b]];
    let keeps_plane = |axis: &usize| triples.iter().any(|&[p, q, r]| area(*axis, p, q, r) != 0.0);
    let Some(axis) = (0..3).find(keeps_plane) else {
        // On one line, along which coordinates never fall in this order.
        let in_order = |p, q| if by_coordinates(q, p) { [q, p] } else { [p, q] };
        let ([p, q], [a, b]) = (in_order(p, q), in_order(a, b));
        let (start, end) = (in_order(p, a)[1], in_order(q, b)[0]);
        return (!by_coordinates(end, start)).then_some(start);
    };
    let (of_a, of_b) = (area(axis, p, q, a), area(axis, p, q, b));
    let (of_p, of_q) = (area(axis, a, b, p), area(axis, a, b, q));
    let stays_off = |s: f64, t: f64| (s > 0.0 && t > 0.0) || (s < 0.0 && t < 0.0);
    if stays_off(of_a, of_b) || stays_off(of_p, of_q) {
        return None;
    }
    Some(between(a, b, of_a, of_b))
}

/// The point between `p` and `q` at which a linear function vanishes that has these values there, of opposite signs or 0.
fn between(p: DVec3, q: DVec3, of_p: f64, of_q: f64) -> DVec3 {
    if of_p == 0.0 {
        p
    } else if of_q == 0.0 {
        q
    } else {
        (p + (q - p) * (of_p / (of_p - of_q))).clamp(p.min(q), p.max(q))
    }
}

/// Whether `p` comes before `q` by x, then y, then z.
pub(super) fn by_coordinates(p: DVec3, q: DVec3) -> bool {
    p.to_array() < q.to_array()
}

/// Six times the volume of a tetrahedron: a number with the exact sign.
pub(super) fn volume(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> f64 {
    let [a, b, c, d] = [a, b, c, d].map(|DVec3 { x, y, z }| Coord3D { x, y, z });
    orient3d(a, b, c, d)
}

/// Twice the area of the triangle in the projection along an axis: a number with the exact sign.
pub(super) fn area(axis: usize, a: DVec3, b: DVec3, c: DVec3) -> f64 {
    let (x, y) = ((axis + 1) % 3, (axis + 2) % 3);
    let [a, b, c] = [a, b, c].map(|p| Coord { x: p[x], y: p[y] });
    orient2d(a, b, c)
}
