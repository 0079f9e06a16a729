//! `hitscan overlap`: whether two meshes touch, where they cross, and how far apart they are; whether one intersects itself.

use std::io::{self, Write};
use std::path::Path;

use anyhow::{Context, bail};
use hitscan::glam::{DAffine3, DMat3, DVec3};
use hitscan::{MeshBvh, MeshDistance, MeshPair, TriangleCrossing};
use serde::Serialize;

use crate::args::{EngineArgs, OverlapArgs, ReportFormat};
use crate::load::{build_tree, load_merged, stdin};
use crate::output::Target;
use crate::process::{Outcome, set_threads};

pub(crate) fn run(args: &OverlapArgs) -> anyhow::Result<Outcome> {
    let report = match &args.second {
        Some(second) => report_of_two(args, second)?,
        None => {
            set_threads(args.engine.threads)?;
            let (bvh, _) = load(&args.first, &args.engine)?;
            Report::of_one(&bvh, args)
        }
    };
    let mut out = Target::open(None)?;
    match args.report.format() {
        ReportFormat::Json => {
            serde_json::to_writer(&mut out, &report)?;
            writeln!(out)?;
        }
        ReportFormat::Text => report.write_text(&mut out, args)?,
    }
    out.finish(&[])?;
    let is_near = report.distance.as_ref().is_some_and(Option::is_some);
    Ok(if report.overlap || is_near { Outcome::Done } else { Outcome::Nothing })
}

fn report_of_two(args: &OverlapArgs, second: &Path) -> anyhow::Result<Report> {
    if stdin::is_stdin(&args.first) && stdin::is_stdin(second) {
        bail!("overlap: both meshes are `-`; expected one of them on standard input");
    }
    let translation = DAffine3::from_translation(args.translate.unwrap_or_default().into());
    let first_place = placement("--matrix-a", args.matrix_a)?.unwrap_or(DAffine3::IDENTITY);
    let second_place = placement("--matrix", args.matrix)?.unwrap_or(translation);
    set_threads(args.engine.threads)?;
    let (first_bvh, first_offset) = load(&args.first, &args.engine)?;
    let (second_bvh, second_offset) = load(second, &args.engine)?;
    let places = [after(first_place, first_offset), after(second_place, second_offset)];
    let pair = MeshPair::placed([&first_bvh, &second_bvh], places)
        .with_context(|| format!("{} and {}", args.first.display(), second.display()))?;
    Report::of_two(&pair, args)
}

/// A mesh with its tree, and the offset of its positions.
fn load(path: &Path, engine: &EngineArgs) -> anyhow::Result<(MeshBvh, DVec3)> {
    let mut model = load_merged(path, engine)?;
    Ok((build_tree(&mut model, engine)?, model.mesh.offset()))
}

/// The transform of a mesh whose positions are relative to an offset.
fn after(place: DAffine3, offset: DVec3) -> DAffine3 {
    match offset {
        // Without an offset every bit stays.
        DVec3::ZERO => place,
        offset => place * DAffine3::from_translation(offset),
    }
}

/// The transform of a flag.
fn placement(flag: &str, matrix: Option<[f64; 16]>) -> anyhow::Result<Option<DAffine3>> {
    let Some(m) = matrix else { return Ok(None) };
    let last_row = [m[3], m[7], m[11], m[15]];
    if last_row != [0.0, 0.0, 0.0, 1.0] {
        bail!("{flag}: the last row is {last_row:?}; expected 0, 0, 0, 1, as the matrix is affine");
    }
    let column = |i: usize| DVec3::new(m[i], m[i + 1], m[i + 2]);
    let matrix3 = DMat3::from_cols(column(0), column(4), column(8));
    Ok(Some(DAffine3 { matrix3, translation: column(12) }))
}

/// What the flags ask for.
#[derive(Debug, Serialize)]
struct Report {
    overlap: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pairs: Option<Vec<[u32; 2]>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    crossings: Option<Vec<Crossing>>,
    /// `Some(None)` if the meshes are farther apart than the maximum.
    #[serde(skip_serializing_if = "Option::is_none")]
    distance: Option<Option<Distance>>,
}

#[derive(Debug, Serialize)]
struct Crossing {
    triangles: [u32; 2],
    segment: [[f64; 3]; 2],
}

#[derive(Debug, Serialize)]
struct Distance {
    distance: f64,
    points: [[f64; 3]; 2],
    triangles: [u32; 2],
}

impl Report {
    fn of_two(pair: &MeshPair<'_>, args: &OverlapArgs) -> anyhow::Result<Self> {
        let pairs = args.pairs.then(|| pair.overlapping_triangles());
        let crossings = args.crossings.then(|| pair.crossings());
        let distance = match args.distance {
            true => Some(pair.distance(args.within.unwrap_or(f64::INFINITY))?),
            false => None,
        };
        let crossing = |TriangleCrossing { triangles, segment }| {
            let segment = segment.map(|end| end.to_array());
            Crossing { triangles, segment }
        };
        let nearest = |MeshDistance { triangles, points, distance }| {
            let points = points.map(|point| point.to_array());
            Distance { distance, points, triangles }
        };
        Ok(Self {
            overlap: pairs.as_ref().map_or_else(|| pair.overlaps(), |pairs| !pairs.is_empty()),
            pairs,
            crossings: crossings.map(|found| found.into_iter().map(crossing).collect()),
            distance: distance.map(|found| found.map(nearest)),
        })
    }

    fn of_one(bvh: &MeshBvh, args: &OverlapArgs) -> Self {
        let pairs = args.pairs.then(|| bvh.self_intersections());
        let overlap = match &pairs {
            Some(pairs) => !pairs.is_empty(),
            None => bvh.has_self_intersections(),
        };
        Self { overlap, pairs, crossings: None, distance: None }
    }

    fn write_text(&self, out: &mut impl Write, args: &OverlapArgs) -> io::Result<()> {
        let point = |[x, y, z]: [f64; 3]| format!("{x:?} {y:?} {z:?}");
        writeln!(out, "overlap   {}", if self.overlap { "yes" } else { "no" })?;
        if let Some(pairs) = &self.pairs {
            writeln!(out, "pairs     {}", pairs.len())?;
            for [a, b] in pairs {
                match args.second {
                    Some(_) => writeln!(out, "  triangle {a} of A, {b} of B")?,
                    None => writeln!(out, "  triangle {a}, {b}")?,
                }
            }
        }
        if let Some(crossings) = &self.crossings {
            writeln!(out, "crossings {}", crossings.len())?;
            for Crossing { triangles: [a, b], segment } in crossings {
                let [from, to] = segment.map(point);
                writeln!(out, "  from {from} to {to}, triangle {a} of A, {b} of B")?;
            }
        }
        match (&self.distance, args.within) {
            (None, _) => Ok(()),
            (Some(Some(Distance { distance, points, triangles: [a, b] })), _) => {
                let [from, to] = points.map(point);
                writeln!(out, "distance  {distance:?}")?;
                writeln!(out, "  from {from}, triangle {a} of A")?;
                writeln!(out, "  to   {to}, triangle {b} of B")
            }
            (Some(None), Some(within)) => writeln!(out, "distance  more than {within:?}"),
            (Some(None), None) => writeln!(out, "distance  none; a mesh has no triangles"),
        }
    }
}
