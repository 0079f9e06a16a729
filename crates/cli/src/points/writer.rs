//! The results of points as text, NDJSON, CSV or NPZ.

use std::io::Write;
use std::ops::Range;
use std::path::PathBuf;

use csv::WriterBuilder;
use hitscan::TriMesh;
use serde::Serialize;

use super::answer::PointAnswer;
use super::record::PointRecord;
use crate::args::OutputFormat;
use crate::output::{Column, NO_INDEX, Target, quoted, write_archive};

const MEMORY: &str = "a Vec accepts every write";

/// Points of a command with their answers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PointResults<'a> {
    pub(crate) mesh: &'a TriMesh,
    /// The index of the first point among all points of the command.
    pub(crate) first: u64,
    pub(crate) points: &'a [[f32; 3]],
    pub(crate) answers: &'a [PointAnswer],
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
    /// A target that cannot be written.
    pub(crate) fn new(format: OutputFormat, mut target: Target) -> anyhow::Result<Self> {
        let format: FormatSlice = match format {
            OutputFormat::Text => append_text,
            OutputFormat::Ndjson => append_ndjson,
            OutputFormat::Csv => {
                target.write_all(CSV_HEADER)?;
                append_csv
            }
            OutputFormat::Npz => {
                return Ok(Self::Arrays { target, arrays: Box::new(PointArrays::new()) });
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

fn append_text(results: &PointResults<'_>, points: Range<usize>, out: &mut Vec<u8>) {
    for record in results.records(points) {
        write_block(&record, out).expect(MEMORY);
    }
}

fn write_block(record: &PointRecord<'_>, out: &mut Vec<u8>) -> std::io::Result<()> {
    let point = record.point;
    let (Some(distance), Some([x, y, z])) = (record.distance, record.closest) else {
        let is_finite = record.position.iter().all(|x| x.is_finite());
        let reason =
            if is_finite { "the mesh has no triangles" } else { "the point is not finite" };
        return writeln!(out, "point {point}: no closest point, {reason}");
    };
    let side = match record.inside {
        true => "inside",
        false if distance == 0.0 => "on the surface",
        false => "outside",
    };
    writeln!(out, "point {point}: {side}, distance {distance:?}")?;
    writeln!(out, "  closest   {x:?} {y:?} {z:?}")?;
    if let (Some(triangle), Some([a, b, c])) = (record.triangle, record.vertices) {
        let [w1, w2] = [record.w1, record.w2].map(Option::unwrap_or_default);
        writeln!(out, "  triangle  {triangle}, vertices {a} {b} {c}, w1 {w1:?}, w2 {w2:?}")?;
    }
    if let Some(polygon) = record.polygon {
        writeln!(out, "  polygon   {polygon}")?;
    }
    let names =
        [("object  ", record.object), ("group   ", record.group), ("material", record.material)];
    for (kind, name) in names {
        if let Some(name) = name {
            writeln!(out, "  {kind}  {}", quoted(name))?;
        }
    }
    Ok(())
}

fn append_ndjson(results: &PointResults<'_>, points: Range<usize>, out: &mut Vec<u8>) {
    for record in results.records(points) {
        serde_json::to_writer(&mut *out, &record).expect(MEMORY);
        out.push(b'\n');
    }
}

const CSV_HEADER: &[u8] =
    b"point,inside,distance,signed_distance,closest_x,closest_y,closest_z,w1,w2,\
triangle,polygon,object,group,material\n";

/// The columns of a point; an absent value is an empty field.
#[derive(Serialize)]
struct Row<'a> {
    point: u64,
    inside: bool,
    distance: Option<f64>,
    signed_distance: Option<f64>,
    closest: [Option<f64>; 3],
    w1: Option<f32>,
    w2: Option<f32>,
    triangle: Option<u32>,
    polygon: Option<u32>,
    object: Option<&'a str>,
    group: Option<&'a str>,
    material: Option<&'a str>,
}

fn append_csv(results: &PointResults<'_>, points: Range<usize>, out: &mut Vec<u8>) {
    let mut writer = WriterBuilder::new().has_headers(false).from_writer(&mut *out);
    for record in results.records(points) {
        let row = Row {
            point: record.point,
            inside: record.inside,
            distance: record.distance,
            signed_distance: record.signed_distance,
            closest: record.closest.map_or([None; 3], |closest| closest.map(Some)),
            w1: record.w1,
            w2: record.w2,
            triangle: record.triangle,
            polygon: record.polygon,
            object: record.object,
            group: record.group,
            material: record.material,
        };
        writer.serialize(row).expect(MEMORY);
    }
    writer.flush().expect(MEMORY);
}

/// An entry per point. `points`, `primitive_ids` and `primitive_uvs` are names of Open3D's
/// `compute_closest_points`.
pub(crate) struct PointArrays {
    inside: Column,
    distance: Column,
    signed_distance: Column,
    points: Column,
    primitive_ids: Column,
    primitive_uvs: Column,
}

impl PointArrays {
    fn new() -> Self {
        Self {
            inside: Column::new("inside", "|b1", 1),
            distance: Column::new("distance", "<f8", 1),
            signed_distance: Column::new("signed_distance", "<f8", 1),
            points: Column::new("points", "<f8", 3),
            primitive_ids: Column::new("primitive_ids", "<u4", 1),
            primitive_uvs: Column::new("primitive_uvs", "<f4", 2),
        }
    }

    fn push(&mut self, results: &PointResults<'_>) -> anyhow::Result<()> {
        let distance = |distance: Option<f64>| [distance.unwrap_or(f64::INFINITY).to_le_bytes()];
        for record in results.records(0..results.points.len()) {
            let weights = [record.w1, record.w2].map(Option::unwrap_or_default);
            self.inside.push([[u8::from(record.inside)]])?;
            self.distance.push(distance(record.distance))?;
            self.signed_distance.push(distance(record.signed_distance))?;
            self.points.push(record.closest.unwrap_or([f64::NAN; 3]).map(f64::to_le_bytes))?;
            self.primitive_ids.push([record.triangle.unwrap_or(NO_INDEX).to_le_bytes()])?;
            self.primitive_uvs.push(weights.map(f32::to_le_bytes))?;
        }
        Ok(())
    }

    fn write(self, target: &mut Target) -> anyhow::Result<()> {
        let Self { inside, distance, signed_distance, points, primitive_ids, primitive_uvs } = self;
        let columns = [inside, distance, signed_distance, points, primitive_ids, primitive_uvs];
        write_archive(target, |archive| {
            columns.into_iter().try_for_each(|column| column.write(archive))
        })
    }
}
