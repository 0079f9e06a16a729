//! The segment in which two triangles cross.

use glam::DVec3;

use super::contact::{Relation, crossing_edges};

/// The segment that two triangles have in common; its ends are equal where they touch in a point. `None` if they have no
/// point in common, lie in one plane, or one of them has zero area.
///
/// Whether there is one is exact, as in [`triangles_overlap`](super::triangles_overlap). Each end is the point where an edge of
/// one triangle meets the plane of the other, rounded, and lies in the box of that edge. Triangles that share the edge have the
/// same bits there, so the segments of two meshes join to lines.
///
/// ```
/// use hitscan_primitives::{glam::DVec3, triangle_crossing};
///
/// let floor = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]].map(DVec3::from_array);
/// let wall = [[1.0, 1.0, -1.0], [1.0, 1.0, 3.0], [1.0, 5.0, -1.0]].map(DVec3::from_array);
/// let [from, to] = triangle_crossing(floor, wall).expect("they cross");
/// assert_eq!([from.to_array(), to.to_array()], [[1.0, 3.0, 0.0], [1.0, 1.0, 0.0]]);
/// ```
pub fn triangle_crossing(a: [DVec3; 3], b: [DVec3; 3]) -> Option<[DVec3; 2]> {
    let Relation::Across(sides) = Relation::of(&a, &b) else { return None };
    let mut points = [DVec3::ZERO; 6];
    let mut n = 0;
    for edge in crossing_edges(&a, &b, sides) {
        points[n] = edge.point();
        n += 1;
    }
    // Of the up to six points, all on a line, the two that are farthest apart. Most stand there twice.
    let mut segment = [*points[..n].first()?; 2];
    for (i, &end) in points[..n].iter().enumerate() {
        for &start in &points[..i] {
            if start.distance_squared(end) > segment[0].distance_squared(segment[1]) {
                segment = [start, end];
            }
        }
    }
    Some(segment)
}
