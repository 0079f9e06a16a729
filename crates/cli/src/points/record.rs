//! The facts that the formats print about a point.

use hitscan::glam::DVec3;
use hitscan::{FaceRecords, SurfacePoint, TriMesh};

use super::answer::PointAnswer;
use crate::args::PointField;
use crate::output::Value;

/// A point with its answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct PointRecord<'a> {
    pub(super) mesh: &'a TriMesh,
    /// The number of the point, from 0.
    pub(super) point: u64,
    /// Relative to the offset of the mesh.
    pub(super) position: [f32; 3],
    pub(super) answer: &'a PointAnswer,
}

impl<'a> PointRecord<'a> {
    /// The value of a field. Without a closest point only the position and the side have one.
    pub(super) fn value(&self, field: PointField) -> Value<'a> {
        match (field, &self.answer.closest) {
            (PointField::Position, _) => self.position(),
            (PointField::Inside, _) => Value::Bool(self.answer.is_inside),
            (_, None) => Value::None,
            (_, Some(closest)) => self.value_at(field, closest),
        }
    }

    /// The point in the coordinates of the mesh's file, rounded as the query took it.
    fn position(&self) -> Value<'a> {
        match self.mesh.offset() == DVec3::ZERO {
            true => Value::Single(self.position),
            false => Value::Vector(self.mesh.to_file(self.position.into()).to_array()),
        }
    }

    fn value_at(&self, field: PointField, closest: &SurfacePoint) -> Value<'a> {
        let triangle = closest.triangle;
        let named = || self.mesh.records().map(|records| (records, records.polygon(triangle)));
        let name = |of: fn(&'a FaceRecords, u32) -> Option<&'a str>| {
            let name = named().and_then(|(records, polygon)| of(records, polygon));
            name.map_or(Value::None, Value::Name)
        };
        match field {
            PointField::Position | PointField::Inside => self.value(field),
            PointField::Distance => Value::F64(closest.distance),
            PointField::SignedDistance => {
                self.answer.signed_distance().map_or(Value::None, Value::F64)
            }
            PointField::Closest => {
                // A sum of -0.0 and 0.0 is 0.0.
                Value::Vector((closest.point + self.mesh.offset() + 0.0).to_array())
            }
            PointField::W1 => Value::F32(closest.u),
            PointField::W2 => Value::F32(closest.v),
            PointField::Triangle => Value::Index(triangle.into()),
            PointField::Vertices => Value::Indices(self.mesh.triangles()[triangle as usize]),
            PointField::Polygon => {
                named().map_or(Value::None, |(_, polygon)| Value::Index(polygon.into()))
            }
            PointField::Object => name(FaceRecords::object),
            PointField::Group => name(FaceRecords::group),
            PointField::Material => name(FaceRecords::material),
        }
    }
}
