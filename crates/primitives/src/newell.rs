//! The normal of a polygon.

use glam::{DVec3, Vec3};

/// The normal of a polygon, with twice its area as length; zero for corners on a line.
///
/// The sum of the cross products along the ring (Newell's method, in Sutherland, Sproull and
/// Schumacker, "A Characterization of Ten Hidden-Surface Algorithms", 1974). Corners are taken
/// relative to the first one, so that a small polygon far from the origin keeps its digits.
///
/// `corners` has at least one corner.
pub(crate) fn newell_normal(corners: &[Vec3]) -> DVec3 {
    let first = corners[0].as_dvec3();
    let edges = corners[1..].windows(2);
    edges.map(|edge| (edge[0].as_dvec3() - first).cross(edge[1].as_dvec3() - first)).sum()
}
