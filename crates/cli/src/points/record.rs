//! The facts that the formats print about a point.

use hitscan::TriMesh;

use super::answer::PointAnswer;

/// The facts about a point, in the order of the formats. Without a closest point all but the first three
/// are `None`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PointRecord<'a> {
    /// The number of the point, from 0.
    pub(super) point: u64,
    /// The point, rounded to single precision.
    pub(super) position: [f32; 3],
    pub(super) inside: bool,
    pub(super) distance: Option<f64>,
    /// Negative inside.
    pub(super) signed_distance: Option<f64>,
    pub(super) closest: Option<[f64; 3]>,
    /// The weight of the triangle's second corner at the closest point.
    pub(super) w1: Option<f32>,
    /// The weight of its third corner.
    pub(super) w2: Option<f32>,
    pub(super) triangle: Option<u32>,
    /// Counted from 0 in the order of the file.
    pub(super) vertices: Option<[u32; 3]>,
    pub(super) polygon: Option<u32>,
    pub(super) object: Option<&'a str>,
    pub(super) group: Option<&'a str>,
    pub(super) material: Option<&'a str>,
}

impl<'a> PointRecord<'a> {
    pub(super) fn new(
        mesh: &'a TriMesh,
        point: u64,
        position: [f32; 3],
        answer: &PointAnswer,
    ) -> Self {
        let closest = answer.closest;
        let triangle = closest.map(|closest| closest.triangle);
        let named = mesh.records().zip(triangle);
        let named = named.map(|(records, triangle)| (records, records.polygon(triangle)));
        Self {
            point,
            position,
            inside: answer.is_inside,
            distance: closest.map(|closest| closest.distance),
            signed_distance: answer.signed_distance(),
            // A sum of -0.0 and 0.0 is 0.0.
            closest: closest.map(|closest| (closest.point + 0.0).to_array()),
            w1: closest.map(|closest| closest.u),
            w2: closest.map(|closest| closest.v),
            triangle,
            vertices: triangle.map(|triangle| mesh.triangles()[triangle as usize]),
            polygon: named.map(|(_, polygon)| polygon),
            object: named.and_then(|(records, polygon)| records.object(polygon)),
            group: named.and_then(|(records, polygon)| records.group(polygon)),
            material: named.and_then(|(records, polygon)| records.material(polygon)),
        }
    }
}
