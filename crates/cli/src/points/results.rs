//! The results of points as text, NDJSON and CSV.

use std::io::{self, Write};
use std::ops::Range;

use clap::ValueEnum;
use csv::WriterBuilder;
use hitscan::TriMesh;
use serde::{Serialize, Serializer};

use super::answer::PointAnswer;
use super::arrays::PointArrays;
use super::record::PointRecord;
use crate::args::{OutputFormat, PointField};
use crate::output::{Cell, Chunk, Target, Value, Writer, append_cells};

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
    pub(super) fn records(&self, points: Range<usize>) -> impl Iterator<Item = PointRecord<'_>> {
        points.map(|i| PointRecord {
            mesh: self.mesh,
            point: self.first + i as u64,
            position: self.points[i],
            answer: &self.answers[i],
        })
    }

    fn append_csv(&self, points: Range<usize>, out: &mut Vec<u8>) {
        let mut writer = WriterBuilder::new().has_headers(false).from_writer(&mut *out);
        let mut row = Vec::new();
        for record in self.records(points) {
            row.clear();
            row.push(Cell::Index(record.point));
            for &field in self.fields {
                append_cells(field.columns().len(), record.value(field), &mut row);
            }
            writer.serialize(&row).expect(MEMORY);
        }
        writer.flush().expect(MEMORY);
    }
}

impl Chunk for PointResults<'_> {
    type Arrays = PointArrays;

    fn len(&self) -> usize {
        self.points.len()
    }

    fn append(&self, format: OutputFormat, points: Range<usize>, out: &mut Vec<u8>) {
        match format {
            OutputFormat::Text | OutputFormat::Npz => {
                for record in self.records(points) {
                    write_block(&record, self.fields, out).expect(MEMORY);
                }
            }
            OutputFormat::Ndjson => {
                for record in self.records(points) {
                    serde_json::to_writer(&mut *out, &Line(&record, self.fields)).expect(MEMORY);
                    out.push(b'\n');
                }
            }
            OutputFormat::Csv => self.append_csv(points, out),
        }
    }

    fn push(&self, arrays: &mut PointArrays) -> anyhow::Result<()> {
        self.records(0..self.points.len()).try_for_each(|record| arrays.push(&record))
    }
}

/// The writer of the results of points.
///
/// # Errors
/// A target that cannot be written, and fields of which NPZ has none.
pub(crate) fn point_writer(
    format: OutputFormat,
    fields: &[PointField],
    target: Target,
) -> anyhow::Result<Writer<PointArrays>> {
    let columns = fields.iter().flat_map(|field| field.columns()).copied();
    let header = ["point"].into_iter().chain(columns).collect::<Vec<_>>().join(",") + "\n";
    Writer::new(format, &header, || PointArrays::new(fields), target)
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

/// Writes the side and the chosen facts. The side stands for `inside`, and the first line has all distances.
fn write_block(
    record: &PointRecord<'_>,
    fields: &[PointField],
    out: &mut Vec<u8>,
) -> io::Result<()> {
    use PointField::{
        Closest, Distance, Group, Material, Object, Polygon, SignedDistance, Triangle, Vertices,
        W1, W2,
    };
    let has = |field: PointField| fields.contains(&field);
    let words = |field| record.value(field).in_words().filter(|_| has(field));
    let point = record.point;
    let Some(closest) = record.answer.closest else {
        let is_finite = record.position.iter().all(|x| x.is_finite());
        let reason =
            if is_finite { "the mesh has no triangles" } else { "the point is not finite" };
        return writeln!(out, "point {point}: no closest point, {reason}");
    };
    let side = match record.answer.is_inside {
        true => "inside",
        false if closest.distance == 0.0 => "on the surface",
        false => "outside",
    };
    write!(out, "point {point}: {side}")?;
    if has(Distance) || has(SignedDistance) {
        write!(out, ", distance {:?}", closest.distance)?;
    }
    writeln!(out)?;
    if let Some(point) = words(Closest) {
        writeln!(out, "  closest   {point}")?;
    }
    let named = [Vertices, W1, W2].map(|field| (field, words(field)));
    let named = named.into_iter().filter_map(|(f, words)| Some(format!("{} {}", f.name(), words?)));
    let parts: Vec<String> = words(Triangle).into_iter().chain(named).collect();
    if !parts.is_empty() {
        let label = if has(Triangle) { "triangle" } else { "corners " };
        writeln!(out, "  {label}  {}", parts.join(", "))?;
    }
    for field in [Polygon, Object, Group, Material] {
        if let Some(words) = words(field) {
            writeln!(out, "  {:<8}  {words}", field.name())?;
        }
    }
    Ok(())
}

/// A point as an object of the chosen fields.
struct Line<'a>(&'a PointRecord<'a>, &'a [PointField]);

impl Serialize for Line<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(record, fields) = self;
        let entry = |&field: &PointField| (field.name(), record.value(field));
        let point = [("point", Value::Index(record.point))];
        serializer.collect_map(point.into_iter().chain(fields.iter().map(entry)))
    }
}
