//! The polylines of a section in every format.

use std::io::Write;

use csv::WriterBuilder;
use hitscan::glam::DVec3;
use hitscan::scene::{Scene, ScenePolyline};
use hitscan::{SectionPlane, TriMesh};
use serde::Serialize;

use super::record::path_names;
use super::target::Target;
use super::value::{Value, joined};
use crate::args::SectionFormat;

/// Writes polylines, which lie in the plane.
///
/// # Errors
/// A target that cannot be written.
pub(crate) fn write_section(
    scene: &Scene,
    plane: &SectionPlane,
    polylines: &[ScenePolyline],
    format: SectionFormat,
    out: &mut Target,
) -> anyhow::Result<()> {
    let lines: Vec<Line<'_>> =
        polylines.iter().enumerate().map(|(i, part)| Line::new(scene, i, part)).collect();
    match format {
        SectionFormat::Text => write_text(&lines, out),
        SectionFormat::Ndjson => lines.iter().try_for_each(|line| {
            serde_json::to_writer(&mut *out, &line.record())?;
            Ok(writeln!(out)?)
        }),
        SectionFormat::Csv => write_csv(&lines, out),
        SectionFormat::Obj => write_obj(&lines, out),
        SectionFormat::Svg => write_svg(&lines, plane, out),
    }
}

/// A polyline with the facts about its instance.
struct Line<'a> {
    number: usize,
    part: &'a ScenePolyline,
    instance: u64,
    path: Vec<Option<&'a str>>,
    mesh: Option<&'a TriMesh>,
}

/// A polyline in JSON.
#[derive(Serialize)]
struct LineRecord<'a> {
    polyline: usize,
    closed: bool,
    length: f64,
    instance: u64,
    path: &'a [Option<&'a str>],
    points: Vec<[f64; 3]>,
    triangles: &'a [u32],
    polygons: Vec<u32>,
}

impl<'a> Line<'a> {
    fn new(scene: &'a Scene, number: usize, part: &'a ScenePolyline) -> Self {
        let mesh = scene.get(part.instance).and_then(|instance| instance.mesh.as_deref());
        Self {
            number,
            part,
            instance: scene.insertion_order(part.instance).unwrap_or_default(),
            path: path_names(scene, part.instance),
            mesh: mesh.map(|mesh| mesh.tri_mesh()),
        }
    }

    fn polygon(&self, triangle: u32) -> u32 {
        self.mesh.map_or(triangle, |mesh| mesh.polygon_of(triangle))
    }

    fn record(&self) -> LineRecord<'_> {
        let line = &self.part.polyline;
        LineRecord {
            polyline: self.number,
            closed: line.is_closed,
            length: line.length(),
            instance: self.instance,
            path: &self.path,
            points: line.points.iter().map(DVec3::to_array).collect(),
            triangles: &line.triangles,
            polygons: line.triangles.iter().map(|&triangle| self.polygon(triangle)).collect(),
        }
    }
}

fn write_text(lines: &[Line<'_>], out: &mut Target) -> anyhow::Result<()> {
    for line in lines {
        let polyline = &line.part.polyline;
        let kind = if polyline.is_closed { "closed" } else { "open" };
        let (n, length) = (polyline.points.len(), polyline.length());
        writeln!(out, "polyline {}: {kind}, {n} points, length {length:?}", line.number)?;
        if let Some(path) = Value::Path(line.path.clone()).in_words() {
            writeln!(out, "  instance  {path}")?;
        }
    }
    Ok(())
}

/// A point, and the segment that starts there.
#[derive(Serialize)]
struct Row<'a> {
    polyline: usize,
    closed: bool,
    instance: u64,
    x: f64,
    y: f64,
    z: f64,
    triangle: Option<u32>,
    polygon: Option<u32>,
    object: Option<&'a str>,
    group: Option<&'a str>,
    material: Option<&'a str>,
}

fn write_csv(lines: &[Line<'_>], out: &mut Target) -> anyhow::Result<()> {
    writeln!(out, "polyline,closed,instance,x,y,z,triangle,polygon,object,group,material")?;
    let mut writer = WriterBuilder::new().has_headers(false).from_writer(out);
    for line in lines {
        let polyline = &line.part.polyline;
        for (i, point) in polyline.points.iter().enumerate() {
            let triangle = polyline.triangles.get(i).copied();
            let polygon = triangle.map(|triangle| line.polygon(triangle));
            let named = line.mesh.and_then(|mesh| mesh.records()).zip(polygon);
            writer.serialize(Row {
                polyline: line.number,
                closed: polyline.is_closed,
                instance: line.instance,
                x: point.x,
                y: point.y,
                z: point.z,
                triangle,
                polygon,
                object: named.and_then(|(records, polygon)| records.object(polygon)),
                group: named.and_then(|(records, polygon)| records.group(polygon)),
                material: named.and_then(|(records, polygon)| records.material(polygon)),
            })?;
        }
    }
    Ok(writer.flush()?)
}

fn write_obj(lines: &[Line<'_>], out: &mut Target) -> anyhow::Result<()> {
    let mut n_written = 0;
    for of_instance in lines.chunk_by(|a, b| a.part.instance == b.part.instance) {
        let path = joined(&of_instance[0].path);
        if !path.is_empty() {
            // A line break would end the name.
            writeln!(out, "o {}", path.replace(char::is_control, " "))?;
        }
        for line in of_instance {
            let polyline = &line.part.polyline;
            for DVec3 { x, y, z } in &polyline.points {
                writeln!(out, "v {x:?} {y:?} {z:?}")?;
            }
            let n = polyline.points.len();
            let first = n_written + 1;
            write!(out, "l")?;
            for vertex in first..first + n {
                write!(out, " {vertex}")?;
            }
            if polyline.is_closed {
                write!(out, " {first}")?;
            }
            writeln!(out)?;
            n_written += n;
        }
    }
    Ok(())
}

/// Draws the plane as seen from above, with the world's y, or else z, upwards.
fn write_svg(lines: &[Line<'_>], plane: &SectionPlane, out: &mut Target) -> anyhow::Result<()> {
    let normal = plane.normal().normalize();
    let up = if normal.y.abs() < 0.9 { DVec3::Y } else { DVec3::NEG_Z * normal.y.signum() };
    let right = up.cross(normal).normalize();
    let up = normal.cross(right);
    let drawn = |point: &DVec3| {
        let from = *point - plane.point();
        // The y axis of SVG points down.
        [from.dot(right), -from.dot(up)]
    };
    let points = || lines.iter().flat_map(|line| line.part.polyline.points.iter().map(drawn));
    let (mut min, mut max) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
    for point in points() {
        for axis in 0..2 {
            min[axis] = min[axis].min(point[axis]);
            max[axis] = max[axis].max(point[axis]);
        }
    }
    if points().next().is_none() {
        (min, max) = ([0.0; 2], [1.0; 2]);
    }
    let [width, height] = [0, 1].map(|axis| max[axis] - min[axis]);
    let margin = 0.05 * width.max(height);
    let view = [min[0] - margin, min[1] - margin, width + 2.0 * margin, height + 2.0 * margin];
    let [x, y, w, h] = view;
    writeln!(out, r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="{x} {y} {w} {h}">"#)?;
    let stroke = r##"stroke="#222" stroke-width="1" vector-effect="non-scaling-stroke""##;
    for (is_closed, fill) in [(true, "#8ab"), (false, "none")] {
        let mut path = String::new();
        for line in lines.iter().filter(|line| line.part.polyline.is_closed == is_closed) {
            for (i, [x, y]) in line.part.polyline.points.iter().map(drawn).enumerate() {
                path += &format!("{}{x} {y}", if i == 0 { "M" } else { "L" });
            }
            path += if is_closed { "Z" } else { "" };
        }
        if !path.is_empty() {
            writeln!(out, r#"<path d="{path}" fill="{fill}" fill-rule="evenodd" {stroke}/>"#)?;
        }
    }
    Ok(writeln!(out, "</svg>")?)
}
