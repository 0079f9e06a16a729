//! The facts that the formats print about a point.

use hitscan::TriMesh;
use hitscan::glam::DVec3;
use serde::Serialize;

use super::answer::PointAnswer;

/// The facts about a point, in the order of the formats. Without a closest point all but the first three
/// are `None`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PointRecord<'a> {
    /// The number of the point, from 0.
    pub(super) point: u64,
    pub(super) position: Position,
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

/// A point in the coordinates of the mesh's file, as the query took it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub(super) enum Position {
    /// Rounded to single precision.
    Single([f32; 3]),
    /// Rounded to single precision relative to the offset of the mesh.
    Double([f64; 3]),
}

impl Position {
    fn new(mesh: &TriMesh, local: [f32; 3]) -> Self {
        match mesh.offset() == DVec3::ZERO {
            true => Self::Single(local),
            false => Self::Double(mesh.to_file(local.into()).to_array()),
        }
    }

    pub(super) fn to_f64(self) -> [f64; 3] {
        match self {
            Self::Single(point) => point.map(f64::from),
            Self::Double(point) => point,
        }
    }

    pub(super) fn is_finite(self) -> bool {
        self.to_f64().iter().all(|x| x.is_finite())
    }
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
            position: Position::new(mesh, position),
            inside: answer.is_inside,
            distance: closest.map(|closest| closest.distance),
            signed_distance: answer.signed_distance(),
            // A sum of -0.0 and 0.0 is 0.0.
            closest: closest.map(|closest| (closest.point + mesh.offset() + 0.0).to_array()),
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
