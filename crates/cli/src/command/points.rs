//! `hitscan points`: measures points from the surface.

use std::sync::Arc;

use hitscan::WindingTree;
use hitscan::glam::DVec3;
use indicatif::ProgressBar;

use crate::args::{FieldList, PointsArgs};
use crate::load::{build_tree, load_merged};
use crate::messages;
use crate::output::Target;
use crate::points::{self, Deviation, PointAnswer, PointReader, PointResults};
use crate::process::{Outcome, set_threads};
use crate::resolved::{PointInput, Points};

/// The maximum number of points that one chunk reads, answers and writes.
const MAX_CHUNK_SIZE: usize = 1 << 16;

pub(crate) fn run(args: &PointsArgs) -> anyhow::Result<Outcome> {
    let Points { points, format, on_terminal } = Points::new(args)?;
    set_threads(args.engine.threads)?;
    // Errors in the points or the output show before the long read of the mesh.
    let mut reader = points.open(|path| Ok(load_merged(path, &args.engine)?.mesh))?;
    reader.remarks().iter().for_each(messages::note);
    let target = Target::open(args.output.as_deref())?.keeping(args.clobber.no_clobber)?;
    let defaults = || points::default_fields(format);
    let fields = args.fields.clone().map_or_else(defaults, |FieldList(fields)| fields);
    let mut writer = points::point_writer(format, &fields, target)?;
    let mut model = load_merged(&args.file, &args.engine)?;
    let tree = WindingTree::new(Arc::new(build_tree(&mut model, &args.engine)?));

    let bar = match on_terminal {
        true => ProgressBar::hidden(),
        false => messages::counter("measuring", reader.total()),
    };
    let (mut n_points, mut n_invalid, mut any_closest) = (0, 0, false);
    let offset = model.mesh.offset();
    let mut chunk = Vec::new();
    let mut deviation = Deviation::default();
    loop {
        read_chunk(&mut *reader, offset, &mut chunk)?;
        if chunk.is_empty() {
            break;
        }
        let answers: Vec<PointAnswer> = points::answers(&tree, &chunk);
        let mesh = &model.mesh;
        writer.write(&PointResults {
            mesh,
            first: n_points,
            points: &chunk,
            answers: &answers,
            fields: &fields,
        })?;
        any_closest |= answers.iter().any(|answer| answer.closest.is_some());
        let closest = answers.iter().filter_map(|answer| answer.closest);
        closest.for_each(|closest| deviation.add(closest.distance));
        n_points += chunk.len() as u64;
        n_invalid += chunk.iter().filter(|point| !point.iter().all(|x| x.is_finite())).count();
        bar.set_position(n_points);
    }
    bar.finish_and_clear();
    let mut inputs = model.files;
    inputs.extend(args.points.clone());
    writer.finish(&inputs)?;
    if matches!(points, PointInput::Mesh(_)) {
        messages::line(deviation);
    }
    if n_invalid > 0 {
        messages::note(format_args!(
            "{n_invalid} of {n_points} points are not finite in single precision; they have no closest \
             point"
        ));
    }
    Ok(if any_closest { Outcome::Done } else { Outcome::Nothing })
}

/// Replaces the points of a chunk by the next, relative to the offset of the mesh.
fn read_chunk(
    reader: &mut PointReader,
    offset: DVec3,
    chunk: &mut Vec<[f32; 3]>,
) -> anyhow::Result<()> {
    chunk.clear();
    if offset == DVec3::ZERO {
        return reader.read(chunk, MAX_CHUNK_SIZE);
    }
    let mut exact = Vec::new();
    reader.read_f64(&mut exact, MAX_CHUNK_SIZE)?;
    let local = |&point: &[f64; 3]| (DVec3::from(point) - offset).as_vec3().to_array();
    chunk.extend(exact.iter().map(local));
    Ok(())
}
