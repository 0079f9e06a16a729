//! The results of points as text, NDJSON, CSV or NPZ.

use std::io::Write;
use std::ops::Range;
use std::path::PathBuf;

use csv::WriterBuilder;
use hitscan::TriMesh;
use rayon::prelude::*;
use serde::Serialize;

use super::answer::PointAnswer;
use super::record::PointRecord;
use crate::args::OutputFormat;
use crate::output::{Target, quoted, write_archive};

/// The number of points that one thread formats at a time.
const SLICE: usize = 2048;

/// The entry of `primitive_ids` for a point without a closest point.
const NO_TRIANGLE: u32 = u32::MAX;

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
    Arrays { target: Target, arrays: PointArrays },
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
                return Ok(Self::Arrays { target, arrays: PointArrays::default() });
            }
        };
        Ok(Self::Stream { target, format })
    }

    /// Writes the next results.
    ///
    /// # Errors
    /// A target that cannot be written.
    pub(crate) fn write(&mut self, results: &PointResults<'_>) -> anyhow::Result<()> {
        let (target, format) = match self {
            Self::Stream { target, format } => (target, format),
            Self::Arrays { arrays, .. } => {
                arrays.push(results);
                return Ok(());
            }
        };
        let n = results.points.len();
        let slices: Vec<Vec<u8>> = (0..n.div_ceil(SLICE))
            .into_par_iter()
            .map(|slice| {
                let mut text = Vec::new();
                format(results, slice * SLICE..((slice + 1) * SLICE).min(n), &mut text);
                text
            })
            .collect();
        for slice in slices {
            target.write_all(&slice)?;
        }
        // The reader of a pipe sees the results of a chunk at once.
        Ok(target.flush()?)
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
#[derive(Default)]
pub(crate) struct PointArrays {
    inside: Vec<bool>,
    distance: Vec<f64>,
    signed_distance: Vec<f64>,
    points: Vec<f64>,
    primitive_ids: Vec<u32>,
    primitive_uvs: Vec<f32>,
}

impl PointArrays {
    fn push(&mut self, results: &PointResults<'_>) {
        for record in results.records(0..results.points.len()) {
            self.inside.push(record.inside);
            self.distance.push(record.distance.unwrap_or(f64::INFINITY));
            self.signed_distance.push(record.signed_distance.unwrap_or(f64::INFINITY));
            self.points.extend(record.closest.unwrap_or([f64::NAN; 3]));
            self.primitive_ids.push(record.triangle.unwrap_or(NO_TRIANGLE));
            self.primitive_uvs.extend([record.w1, record.w2].map(Option::unwrap_or_default));
        }
    }

    fn write(&self, target: &mut Target) -> anyhow::Result<()> {
        let n = self.inside.len() as u64;
        write_archive(target, |archive| {
            archive.add("inside", &[n], &self.inside)?;
            archive.add("distance", &[n], &self.distance)?;
            archive.add("signed_distance", &[n], &self.signed_distance)?;
            archive.add("points", &[n, 3], &self.points)?;
            archive.add("primitive_ids", &[n], &self.primitive_ids)?;
            archive.add("primitive_uvs", &[n, 2], &self.primitive_uvs)
        })
    }
}
