//! Whether two triangles of one mesh intersect beyond the corners and edges that they share.

use glam::DVec3;

use super::contact::{Corners, area, by_coordinates, triangles_overlap, volume};

/// Whether two triangles of one mesh intersect improperly: whether they have a point in common that is neither a shared
/// corner nor on a shared edge.
///
/// A corner is shared if both triangles have it at the same position; an index does not count. An edge is shared if both of
/// its ends are. So:
///
/// - Triangles that share no corner intersect where they touch or cross, as in [`triangles_overlap`]. A corner of one on an
///   edge of the other, which is no corner there, is such a point.
/// - Triangles that share one corner intersect where they have another point in common.
/// - Triangles that share an edge intersect where they are folded onto each other: in one plane, on the same side of the edge.
/// - Doubled triangles, with three shared corners, intersect whatever their winding, unless they have zero area.
/// - A triangle of zero area is a closed segment or a point.
///
/// The answer is exact for the corners given, with the bounds of [`triangles_overlap`], and the same if `a` and `b` change places.
///
/// ```
/// use hitscan_primitives::{glam::DVec3, triangles_intersect_improperly};
///
/// let [p, q, r] = [DVec3::ZERO, DVec3::X, DVec3::Y];
/// let beside = [q, p, DVec3::new(0.5, -1.0, 1.0)];
/// assert!(!triangles_intersect_improperly([p, q, r], beside));
/// let folded = [q, p, DVec3::new(0.5, 1.0, 0.0)];
/// assert!(triangles_intersect_improperly([p, q, r], folded));
/// let through = [r, DVec3::new(0.25, 0.25, -1.0), DVec3::new(0.25, 0.25, 1.0)];
/// assert!(triangles_intersect_improperly([p, q, r], through));
/// assert!(triangles_intersect_improperly([p, q, r], [r, q, p]));
/// ```
pub fn triangles_intersect_improperly(a: [DVec3; 3], b: [DVec3; 3]) -> bool {
    let mut shared = [DVec3::ZERO; 3];
    let mut n_shared = 0;
    for (i, corner) in a.iter().enumerate() {
        if b.contains(corner) && !a[..i].contains(corner) {
            shared[n_shared] = *corner;
            n_shared += 1;
        }
    }
    match shared[..n_shared] {
        [] => triangles_overlap(a, b),
        [corner] => meet_beyond_corner(corner, &a, &b),
        [p, q] => meet_beyond_edge([p, q], &a, &b),
        _ => has_area(&a),
    }
}

/// Whether the triangles have another point in common than a shared corner.
///
/// The line from the corner to that point leaves one of the triangles first, through the edge opposite of the corner.
fn meet_beyond_corner(corner: DVec3, a: &Corners, b: &Corners) -> bool {
    let (parts_of_a, parts_of_b) = (parts_at(corner, a), parts_at(corner, b));
    parts_of_a.iter().flatten().any(|&[p, q]| {
        parts_of_b.iter().flatten().any(|&[r, s]| {
            triangles_overlap([p, q, q], [corner, r, s])
                || triangles_overlap([r, s, s], [corner, p, q])
        })
    })
}

/// The edges that make up a triangle together with one of its corners, none of which holds that corner: its opposite edge,
/// both ends of that if the corner lies on it, or none for a point.
fn parts_at(corner: DVec3, triangle: &Corners) -> [Option<[DVec3; 2]>; 2] {
    let mut others = triangle.iter().copied().filter(|&other| other != corner);
    let (Some(p), q) = (others.next(), others.next()) else { return [None; 2] };
    let q = q.unwrap_or(p);
    if !has_area(triangle) && triangles_overlap([corner; 3], [p, q, q]) {
        [Some([p; 2]), Some([q; 2])]
    } else {
        [Some([p, q]), None]
    }
}

/// Whether the triangles have a point in common that is not on their shared edge.
fn meet_beyond_edge([p, q]: [DVec3; 2], a: &Corners, b: &Corners) -> bool {
    let opposite = |triangle: &Corners| triangle.iter().copied().find(|&c| c != p && c != q);
    // A triangle without another corner is the edge.
    let (Some(a), Some(b)) = (opposite(a), opposite(b)) else { return false };
    if volume(p, q, a, b) != 0.0 {
        return false;
    }
    for axis in 0..3 {
        let (of_a, of_b) = (area(axis, p, q, a), area(axis, p, q, b));
        if of_a != 0.0 || of_b != 0.0 {
            return (of_a > 0.0 && of_b > 0.0) || (of_a < 0.0 && of_b < 0.0);
        }
    }
    // All on one line. Only beyond the same end of the edge can both be.
    let is_before = by_coordinates;
    let (first, last) = if is_before(p, q) { (p, q) } else { (q, p) };
    (is_before(last, a) && is_before(last, b)) || (is_before(a, first) && is_before(b, first))
}

fn has_area(&[a, b, c]: &Corners) -> bool {
    (0..3).any(|axis| area(axis, a, b, c) != 0.0)
}
