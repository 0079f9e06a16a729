//! `hitscan cast`: casts rays and prints their hits.

use std::io::IsTerminal;

use anyhow::{Context, bail};
use hitscan::primitives::brute_force::BruteForce;
use hitscan::{HitMode, Ray};
use indicatif::ProgressBar;

use crate::args::{CastArgs, OutputFormat};
use crate::engine::{self, Answers, Caster, Query};
use crate::exit_code::Outcome;
use crate::loading;
use crate::messages;
use crate::output::{ResultWriter, Results, Target};
use crate::rays::{self, DefaultRange, RayReader, RaySource};

pub(crate) fn run(args: &CastArgs) -> anyhow::Result<Outcome> {
    engine::set_threads(args.engine.threads)?;
    let query = query(args);
    if args.format == OutputFormat::Npz && results_on_terminal(args) {
        bail!("refusing to write binary npz to a terminal; use -o FILE or redirect stdout");
    }
    // Errors in the rays or the output show before the long read of the mesh.
    let mut rays = open_rays(args)?;
    let mut writer = ResultWriter::new(args.format, query, Target::open(args.output.as_deref())?)?;
    let mut model = loading::load(&args.file, &args.engine.limits)?;
    let tree = match args.brute {
        true => None,
        false => Some(Box::new(loading::build(&mut model, &args.engine)?)),
    };
    let mesh = &model.mesh;
    let caster = tree.map_or_else(|| Caster::Brute(BruteForce::new(mesh)), Caster::Tree);

    let bar = match results_on_terminal(args) {
        // The bar and the results would overwrite each other.
        true => ProgressBar::hidden(),
        false => messages::counter("casting", rays.total()),
    };
    let (mut n_rays, mut n_invalid, mut any_hit) = (0, 0, false);
    let mut chunk = Vec::new();
    let mut most = first_chunk(query);
    loop {
        chunk.clear();
        rays.read(&mut chunk, most)?;
        if chunk.is_empty() {
            break;
        }
        let answers = caster.answers(&chunk, query, args.faces.into());
        writer.write(&Results { mesh, first_ray: n_rays, rays: &chunk, answers: &answers })?;
        any_hit |= answers.any_hit();
        n_rays += chunk.len() as u64;
        n_invalid += chunk.iter().filter(|ray| !ray.is_valid()).count();
        if let Answers::All(lists) = &answers {
            most =
                (chunk.len() * HITS_AT_A_TIME / lists.hits.len().max(1)).clamp(16, LONGEST_CHUNK);
        }
        bar.set_position(n_rays);
    }
    bar.finish_and_clear();
    let mut inputs = model.files;
    inputs.extend(args.rays.clone());
    writer.finish(&inputs)?;
    if n_invalid > 0 {
        messages::note(format_args!(
            "{n_invalid} of {n_rays} rays are invalid and miss; check for zero directions, numbers that \
             are not finite, and empty intervals"
        ));
    }
    Ok(if any_hit { Outcome::Done } else { Outcome::Nothing })
}

/// The maximum number of rays that one chunk reads, casts and writes.
const LONGEST_CHUNK: usize = 1 << 16;

/// The approximate number of hits in memory with `--all`.
const HITS_AT_A_TIME: usize = 1 << 17;

/// The number of rays of the first chunk. With `--all`, the hits of a chunk set the size of the next.
fn first_chunk(query: Query) -> usize {
    match query {
        Query::All(_) => 1 << 8,
        Query::Closest | Query::Any | Query::Count => LONGEST_CHUNK,
    }
}

fn results_on_terminal(args: &CastArgs) -> bool {
    args.output.is_none() && std::io::stdout().is_terminal()
}

/// The query of the flags, of which the command line allows only one.
fn query(args: &CastArgs) -> Query {
    if args.all && args.once {
        Query::All(HitMode::Once)
    } else if args.all {
        Query::All(HitMode::Closed)
    } else if args.any {
        Query::Any
    } else if args.count {
        Query::Count
    } else {
        Query::Closest
    }
}

fn open_rays(args: &CastArgs) -> anyhow::Result<Box<dyn RayReader>> {
    let t_min = args.t_min.unwrap_or(0.0);
    if let Some(path) = &args.rays {
        let range = DefaultRange { t_min, t_max: args.t_max.unwrap_or(f32::INFINITY) };
        if range.t_min.is_nan() || range.t_max.is_nan() || range.t_min > range.t_max {
            bail!("--t-min and --t-max: found {} and {}; expected an interval", t_min, range.t_max);
        }
        return rays::open(&RaySource::new(path), args.rays_format, range);
    }
    let ray = match (args.from, args.to, args.dir) {
        (Some(from), Some(to), _) => Ray::segment(from, to),
        (Some(from), _, Some(direction)) => Ray::new(from, direction),
        _ => bail!("cast: there is no ray; use --rays, or --from with --to or --dir"),
    };
    let ray = ray.with_range(t_min, args.t_max.unwrap_or(ray.t_max));
    let ray = ray.checked().context("the ray is invalid")?;
    Ok(Box::new(SingleRay(Some(ray))))
}

/// The single ray of the command line, as a stream.
struct SingleRay(Option<Ray>);

impl RayReader for SingleRay {
    fn read(&mut self, rays: &mut Vec<Ray>, _most: usize) -> anyhow::Result<()> {
        rays.extend(self.0.take());
        Ok(())
    }

    fn total(&self) -> Option<u64> {
        Some(1)
    }
}
