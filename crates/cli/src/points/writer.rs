//! The results of points as text, NDJSON, CSV or NPZ.

use std::io::Write;
use std::ops::Range;
use std::path::PathBuf;

use anyhow::bail;
use clap::ValueEnum;
use csv::WriterBuilder;
use hitscan::TriMesh;
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

use super::answer::PointAnswer;
use super::record::{PointRecord, Position};
use crate::args::{OutputFormat, PointField};
use crate::output::{Column, NO_INDEX, Target, plain_name, quoted, write_archive};

const MEMORY: &str = "a Vec accepts every write";

/// Points of a command with their answers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PointResults<'a> {
    pub(crate) mesh: &'a TriMesh,
    /// The index of the first point among all points of the command.
    pub(crate) first: u64,
    /// Relative to the offset of the mesh.
    pub(crate) points: &'a [[f32; 3]],
    pub(crate) answers: &'a [PointAnswer],
    pub(crate) fields: &'a [PointField],
}

impl PointResults<'_> {
    fn records(&self, points: Range<usize>) -> impl Iterator<Item = PointRecord<'_>> {
        points.map(|i| {
            PointRecord::new(self.mesh, self.first + i as u64, self.points[i], &self.answers[i])
        })
    }
}

/// Appends the results of the points in a range.
type FormatSlice = fn(&PointResults<'_>, Range<usize>, &mut Vec<u8>);

/// Writes the results of points, chunk by chunk.
pub(crate) enum PointWriter {
    /// A format of one block, line or row per point.
    Stream { target: Target, format: FormatSlice },
    /// Arrays over all points, written at the end.
    Arrays { target: Target, arrays: Box<PointArrays> },
}

impl PointWriter {
    /// Writes the part before the first result.
    ///
    /// # Errors
    /// A target that cannot be written, and fields of which NPZ has none.
    pub(crate) fn new(
        format: OutputFormat,
        fields: &[PointField],
        mut target: Target,
    ) -> anyhow::Result<Self> {
        let format: FormatSlice = match format {
            OutputFormat::Text => append_text,
            OutputFormat::Ndjson => append_ndjson,
            OutputFormat::Csv => {
                target.write_all(csv_header(fields).as_bytes())?;
                append_csv
            }
            OutputFormat::Npz => {
                return Ok(Self::Arrays { target, arrays: Box::new(PointArrays::new(fields)?) });
            }
        };
        Ok(Self::Stream { target, format })
    }

    /// Writes the next results.
    ///
    /// # Errors
    /// A target that cannot be written, and a full disk.
    pub(crate) fn write(&mut self, results: &PointResults<'_>) -> anyhow::Result<()> {
        match self {
            Self::Stream { target, format } => {
                let n = results.points.len();
                target.write_formatted(n, |points, out| format(results, points, out))
            }
            Self::Arrays { arrays, .. } => arrays.push(results),
        }
    }

    /// Completes the output. A file appears now.
    ///
    /// # Errors
    /// A file that is one of `inputs`, and a target that cannot be written.
    pub(crate) fn finish(self, inputs: &[PathBuf]) -> anyhow::Result<()> {
        match self {
            Self::Stream { target, .. } => target.finish(inputs),
            Self::Arrays { mut target, arrays } => {
                arrays.write(&mut target)?;
                target.finish(inputs)
            }
        }
    }
}

/// The fields that a format has without the flag.
pub(crate) fn default_fields(format: OutputFormat) -> Vec<PointField> {
    use PointField::{
        Closest, Distance, Inside, Position, SignedDistance, Triangle, Vertices, W1, W2,
    };
    let mut fields = PointField::value_variants().to_vec();
    match format {
        OutputFormat::Csv => fields.retain(|field| !matches!(field, Position | Vertices)),
        OutputFormat::Npz => {
            fields = vec![Inside, Distance, SignedDistance, Closest, Triangle, W1, W2];
        }
        OutputFormat::Text | OutputFormat::Ndjson => {}
    }
    fields
}

fn append_text(results: &PointResults<'_>, points: Range<usize>, out: &mut Vec<u8>) {
    for record in results.records(points) {
        write_block(&record, results.fields, out).expect(MEMORY);
    }
}

/// Writes the side and the chosen facts. The side stands for `inside`, and the first line has all distances.
fn write_block(
    record: &PointRecord<'_>,
    fields: &[PointField],
    out: &mut Vec<u8>,
) -> std::io::Result<()> {
    use PointField::{
        Closest, Distance, Group, Material, Object, Polygon, SignedDistance, Triangle, Vertices,
        W1, W2,
    };
    let has = |field: PointField| fields.contains(&field);
    let point = record.point;
    let (Some(distance), Some([x, y, z])) = (record.distance, record.closest) else {
        let is_finite = record.position.is_finite();
        let reason =
            if is_finite { "the mesh has no triangles" } else { "the point is not finite" };
        return writeln!(out, "point {point}: no closest point, {reason}");
    };
    let side = match record.inside {
        true => "inside",
        false if distance == 0.0 => "on the surface",
        false => "outside",
    };
    write!(out, "point {point}: {side}")?;
    if has(Distance) || has(SignedDistance) {
        write!(out, ", distance {distance:?}")?;
    }
    writeln!(out)?;
    if has(Closest) {
        writeln!(out, "  closest   {x:?} {y:?} {z:?}")?;
    }
    let mut parts = Vec::new();
    if let Some(triangle) = record.triangle.filter(|_| has(Triangle)) {
        parts.push(triangle.to_string());
    }
    if let Some([a, b, c]) = record.vertices.filter(|_| has(Vertices)) {
        parts.push(format!("vertices {a} {b} {c}"));
    }
    for (field, name, weight) in [(W1, "w1", record.w1), (W2, "w2", record.w2)] {
        if has(field) {
            parts.push(format!("{name} {:?}", weight.unwrap_or_default()));
        }
    }
    if !parts.is_empty() {
        writeln!(
            out,
            "  {}  {}",
            if has(Triangle) { "triangle" } else { "corners " },
            parts.join(", ")
        )?;
    }
    if let Some(polygon) = record.polygon.filter(|_| has(Polygon)) {
        writeln!(out, "  polygon   {polygon}")?;
    }
    let names = [
        (Object, "object  ", record.object),
        (Group, "group   ", record.group),
        (Material, "material", record.material),
    ];
    for (_, kind, name) in names.into_iter().filter(|(field, ..)| has(*field)) {
        if let Some(name) = name {
            writeln!(out, "  {kind}  {}", quoted(name))?;
        }
    }
    Ok(())
}

/// A point with some of its facts.
struct Chosen<'a>(&'a PointRecord<'a>, &'a [PointField]);

impl Serialize for Chosen<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(record, fields) = self;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("point", &record.point)?;
        for field in *fields {
            match field {
                PointField::Position => map.serialize_entry("position", &record.position)?,
                PointField::Inside => map.serialize_entry("inside", &record.inside)?,
                PointField::Distance => map.serialize_entry("distance", &record.distance)?,
                PointField::SignedDistance => {
                    map.serialize_entry("signed_distance", &record.signed_distance)?;
                }
                PointField::Closest => map.serialize_entry("closest", &record.closest)?,
                PointField::W1 => map.serialize_entry("w1", &record.w1)?,
                PointField::W2 => map.serialize_entry("w2", &record.w2)?,
                PointField::Triangle => map.serialize_entry("triangle", &record.triangle)?,
                PointField::Vertices => map.serialize_entry("vertices", &record.vertices)?,
                PointField::Polygon => map.serialize_entry("polygon", &record.polygon)?,
                PointField::Object => map.serialize_entry("object", &record.object)?,
                PointField::Group => map.serialize_entry("group", &record.group)?,
                PointField::Material => map.serialize_entry("material", &record.material)?,
            }
        }
        map.end()
    }
}

fn append_ndjson(results: &PointResults<'_>, points: Range<usize>, out: &mut Vec<u8>) {
    for record in results.records(points) {
        serde_json::to_writer(&mut *out, &Chosen(&record, results.fields)).expect(MEMORY);
        out.push(b'\n');
    }
}

fn csv_header(fields: &[PointField]) -> String {
    let columns = fields.iter().flat_map(|field| -> &[&str] {
        match field {
            PointField::Position => &["x", "y", "z"],
            PointField::Inside => &["inside"],
            PointField::Distance => &["distance"],
            PointField::SignedDistance => &["signed_distance"],
            PointField::Closest => &["closest_x", "closest_y", "closest_z"],
            PointField::W1 => &["w1"],
            PointField::W2 => &["w2"],
            PointField::Triangle => &["triangle"],
            PointField::Vertices => &["vertex_0", "vertex_1", "vertex_2"],
            PointField::Polygon => &["polygon"],
            PointField::Object => &["object"],
            PointField::Group => &["group"],
            PointField::Material => &["material"],
        }
    });
    ["point"].into_iter().chain(columns.copied()).collect::<Vec<_>>().join(",") + "\n"
}

/// The cells of a point; an absent value is an empty field.
struct Row<'a>(&'a PointRecord<'a>, &'a [PointField]);

impl Serialize for Row<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(record, fields) = self;
        let mut row = serializer.serialize_seq(None)?;
        row.serialize_element(&record.point)?;
        for field in *fields {
            match field {
                PointField::Position => match record.position {
                    Position::Single(point) => {
                        point.iter().try_for_each(|x| row.serialize_element(x))?;
                    }
                    Position::Double(point) => {
                        point.iter().try_for_each(|x| row.serialize_element(x))?;
                    }
                },
                PointField::Inside => row.serialize_element(&record.inside)?,
                PointField::Distance => row.serialize_element(&record.distance)?,
                PointField::SignedDistance => row.serialize_element(&record.signed_distance)?,
                PointField::Closest => {
                    let closest = record.closest.map_or([None; 3], |closest| closest.map(Some));
                    closest.iter().try_for_each(|x| row.serialize_element(x))?;
                }
                PointField::W1 => row.serialize_element(&record.w1)?,
                PointField::W2 => row.serialize_element(&record.w2)?,
                PointField::Triangle => row.serialize_element(&record.triangle)?,
                PointField::Vertices => {
                    let vertices = record.vertices.map_or([None; 3], |vertices| vertices.map(Some));
                    vertices.iter().try_for_each(|vertex| row.serialize_element(vertex))?;
                }
                PointField::Polygon => row.serialize_element(&record.polygon)?,
                PointField::Object => row.serialize_element(&record.object.map(plain_name))?,
                PointField::Group => row.serialize_element(&record.group.map(plain_name))?,
                PointField::Material => row.serialize_element(&record.material.map(plain_name))?,
            }
        }
        row.end()
    }
}

fn append_csv(results: &PointResults<'_>, points: Range<usize>, out: &mut Vec<u8>) {
    let mut writer = WriterBuilder::new().has_headers(false).from_writer(&mut *out);
    for record in results.records(points) {
        writer.serialize(Row(&record, results.fields)).expect(MEMORY);
    }
    writer.flush().expect(MEMORY);
}

/// The arrays of the chosen fields, with an entry per point. `points`, `primitive_ids` and `primitive_uvs` are
/// names of Open3D's `compute_closest_points`.
pub(crate) struct PointArrays(Vec<(PointField, Column)>);

impl PointArrays {
    fn new(fields: &[PointField]) -> anyhow::Result<Self> {
        let mut columns = Vec::new();
        for &field in fields {
            let column = match field {
                PointField::Position => Column::new("positions", "<f8", 3),
                PointField::Inside => Column::new("inside", "|b1", 1),
                PointField::Distance => Column::new("distance", "<f8", 1),
                PointField::SignedDistance => Column::new("signed_distance", "<f8", 1),
                PointField::Closest => Column::new("points", "<f8", 3),
                PointField::Triangle => Column::new("primitive_ids", "<u4", 1),
                PointField::Vertices => Column::new("vertex_ids", "<u4", 3),
                PointField::W1 | PointField::W2 => Column::new("primitive_uvs", "<f4", 2),
                // A file without names has none of them, so `all` leaves them out, too.
                PointField::Polygon
                | PointField::Object
                | PointField::Group
                | PointField::Material => continue,
            };
            // Both weights are one array.
            let is_second = |(other, _): &(PointField, Column)| {
                [PointField::W1, PointField::W2].contains(&field)
                    && [PointField::W1, PointField::W2].contains(other)
            };
            if !columns.iter().any(is_second) {
                columns.push((field, column));
            }
        }
        if columns.is_empty() {
            bail!("--fields: npz holds no names and no polygons; choose another field or format");
        }
        Ok(Self(columns))
    }

    fn push(&mut self, results: &PointResults<'_>) -> anyhow::Result<()> {
        let distance = |distance: Option<f64>| [distance.unwrap_or(f64::INFINITY).to_le_bytes()];
        for record in results.records(0..results.points.len()) {
            for (field, column) in &mut self.0 {
                match field {
                    PointField::Position => {
                        column.push(record.position.to_f64().map(f64::to_le_bytes))?;
                    }
                    PointField::Inside => column.push([[u8::from(record.inside)]])?,
                    PointField::Distance => column.push(distance(record.distance))?,
                    PointField::SignedDistance => column.push(distance(record.signed_distance))?,
                    PointField::Closest => {
                        column
                            .push(record.closest.unwrap_or([f64::NAN; 3]).map(f64::to_le_bytes))?;
                    }
                    PointField::Triangle => {
                        column.push([record.triangle.unwrap_or(NO_INDEX).to_le_bytes()])?;
                    }
                    PointField::Vertices => {
                        column
                            .push(record.vertices.unwrap_or([NO_INDEX; 3]).map(u32::to_le_bytes))?;
                    }
                    _ => {
                        let weights = [record.w1, record.w2].map(Option::unwrap_or_default);
                        column.push(weights.map(f32::to_le_bytes))?;
                    }
                }
            }
        }
        Ok(())
    }

    fn write(self, target: &mut Target) -> anyhow::Result<()> {
        write_archive(target, |archive| {
            self.0.into_iter().try_for_each(|(_, column)| column.write(archive))
        })
    }
}
