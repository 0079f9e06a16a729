//! The results of points as NumPy arrays.

use anyhow::bail;

use super::record::PointRecord;
use crate::args::PointField;
use crate::output::{Archive, Arrays, Column, NO_INDEX, Value};

/// The arrays of the chosen fields, with an entry per point. `points`, `primitive_ids` and `primitive_uvs` are
/// names of Open3D's `compute_closest_points`.
pub(crate) struct PointArrays(Vec<(PointField, Column)>);

impl PointArrays {
    pub(super) fn new(fields: &[PointField]) -> anyhow::Result<Self> {
        let mut columns: Vec<(PointField, Column)> = Vec::new();
        for &field in fields {
            // Both weights are one array.
            let field = if field == PointField::W2 { PointField::W1 } else { field };
            let (name, dtype, width) = match field {
                PointField::Position => ("positions", "<f8", 3),
                PointField::Inside => ("inside", "|b1", 1),
                PointField::Distance => ("distance", "<f8", 1),
                PointField::SignedDistance => ("signed_distance", "<f8", 1),
                PointField::Closest => ("points", "<f8", 3),
                PointField::Triangle => ("primitive_ids", "<u4", 1),
                PointField::Vertices => ("vertex_ids", "<u4", 3),
                PointField::W1 | PointField::W2 => ("primitive_uvs", "<f4", 2),
                // A file without names has none of them, so `all` leaves them out, too.
                PointField::Polygon
                | PointField::Object
                | PointField::Group
                | PointField::Material => continue,
            };
            if !columns.iter().any(|(other, _)| *other == field) {
                columns.push((field, Column::new(name, dtype, width)));
            }
        }
        if columns.is_empty() {
            bail!("--fields: npz holds no names and no polygons; choose another field or format");
        }
        Ok(Self(columns))
    }

    /// # Errors
    /// A full disk.
    pub(super) fn push(&mut self, record: &PointRecord<'_>) -> anyhow::Result<()> {
        for (field, column) in &mut self.0 {
            match (*field, record.value(*field)) {
                (PointField::W1, _) => {
                    let weights = record.answer.closest.map_or([0.0; 2], |at| [at.u, at.v]);
                    column.push(weights.map(f32::to_le_bytes))?;
                }
                (_, Value::Bool(is)) => column.push([[u8::from(is)]])?,
                (_, Value::Single(v)) => column.push(v.map(|x| f64::from(x).to_le_bytes()))?,
                (_, Value::Vector(v)) => column.push(v.map(f64::to_le_bytes))?,
                (PointField::Closest, _) => column.push([f64::NAN; 3].map(f64::to_le_bytes))?,
                (_, Value::F64(x)) => column.push([x.to_le_bytes()])?,
                (PointField::Distance | PointField::SignedDistance, _) => {
                    column.push([f64::INFINITY.to_le_bytes()])?;
                }
                (_, Value::Indices(i)) => column.push(i.map(u32::to_le_bytes))?,
                (PointField::Vertices, _) => column.push([NO_INDEX; 3].map(u32::to_le_bytes))?,
                (_, Value::Index(i)) => column.push([(i as u32).to_le_bytes()])?,
                _ => column.push([NO_INDEX.to_le_bytes()])?,
            }
        }
        Ok(())
    }
}

impl Arrays for PointArrays {
    fn write(self, archive: &mut Archive) -> anyhow::Result<()> {
        self.0.into_iter().try_for_each(|(_, column)| column.write(archive))
    }
}
