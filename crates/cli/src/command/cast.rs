//! `hitscan cast`: casts rays and prints their hits.

use std::path::PathBuf;

use hitscan::primitives::brute_force::BruteForce;
use hitscan::scene::SceneBruteForce;
use indicatif::ProgressBar;

use crate::args::{CastArgs, FieldList};
use crate::load::{RayTarget, build_tree, load_for_rays};
use crate::messages;
use crate::output::{Colours, ResultWriter, Results, Surface, Target, default_fields};
use crate::process::{Outcome, set_threads};
use crate::query::{Answers, Query, QueryBackend, Rays};
use crate::rays::RayReader;
use crate::resolved::Cast;

pub(crate) fn run(args: &CastArgs) -> anyhow::Result<Outcome> {
    let cast = Cast::new(args)?;
    set_threads(args.engine.threads)?;
    // Errors in the rays or the output show before the long read of the mesh.
    let rays = cast.rays.open()?;
    rays.remarks().iter().for_each(messages::note);
    let target = Target::open(args.output.as_deref())?.keeping(args.clobber.no_clobber)?;
    let mut inputs: Vec<PathBuf> = args.rays.clone().into_iter().collect();
    match load_for_rays(&args.file, &args.engine)? {
        RayTarget::Scene(loaded) => {
            inputs.extend(loaded.files.iter().cloned());
            let colours = loaded.colours();
            let surface = Surface::Scene(&loaded.scene, &colours);
            let backend = match args.brute {
                true => QueryBackend::BruteScene(SceneBruteForce::new(&loaded.scene)),
                false => QueryBackend::Scene(&loaded.scene),
            };
            cast.run(&backend, surface, rays, target, &inputs)
        }
        RayTarget::Mesh(mut model) => {
            let tree = match args.brute {
                true => None,
                false => Some(Box::new(build_tree(&mut model, &args.engine)?)),
            };
            let mesh = &model.mesh;
            let mut colours = Colours::default();
            colours.add(mesh, &model.materials);
            let backend =
                tree.map_or_else(|| QueryBackend::Brute(BruteForce::new(mesh)), QueryBackend::Tree);
            inputs.extend(model.files.iter().cloned());
            cast.run(&backend, Surface::Mesh(mesh, &colours), rays, target, &inputs)
        }
    }
}

impl Cast {
    /// Casts all rays and writes their results.
    fn run(
        &self,
        backend: &QueryBackend<'_>,
        surface: Surface<'_>,
        mut rays: Box<dyn RayReader>,
        target: Target,
        inputs: &[PathBuf],
    ) -> anyhow::Result<Outcome> {
        let Self { query, faces, format, on_terminal, .. } = *self;
        let of_scene = matches!(surface, Surface::Scene(..));
        let defaults = || default_fields(format, of_scene);
        let fields = self.fields.clone().map_or_else(defaults, |FieldList(fields)| fields);
        let mut writer = ResultWriter::new(format, query, &fields, of_scene, target)?;
        let bar = match on_terminal {
            true => ProgressBar::hidden(),
            false => messages::counter("casting", rays.total()),
        };
        let (mut n_rays, mut n_invalid, mut any_hit) = (0, 0, false);
        let mut chunk = backend.no_rays();
        let mut chunk_size = first_chunk_size(query);
        loop {
            chunk.clear();
            match &mut chunk {
                Rays::Mesh(chunk) => rays.read(chunk, chunk_size)?,
                Rays::Scene(chunk) => rays.read_world(chunk, chunk_size)?,
            }
            if chunk.len() == 0 {
                break;
            }
            let answers = backend.answers(&chunk, query, faces);
            writer.write(&Results {
                surface,
                first_ray: n_rays,
                rays: &chunk,
                answers: &answers,
                fields: &fields,
            })?;
            any_hit |= answers.any_hit();
            n_rays += chunk.len() as u64;
            n_invalid += chunk.n_invalid();
            if let Answers::All(lists) = &answers {
                let size = chunk.len() * HITS_AT_A_TIME / lists.hits.len().max(1);
                chunk_size = size.clamp(1, (2 * chunk_size).min(MAX_CHUNK_SIZE));
            }
            bar.set_position(n_rays);
        }
        bar.finish_and_clear();
        writer.finish(inputs)?;
        if n_invalid > 0 {
            messages::note(format_args!(
                "{n_invalid} of {n_rays} rays are invalid and miss; check for zero directions, numbers that \
                 are not finite, and empty intervals"
            ));
        }
        Ok(if any_hit { Outcome::Done } else { Outcome::Nothing })
    }
}

/// The maximum number of rays that one chunk reads, casts and writes.
const MAX_CHUNK_SIZE: usize = 1 << 16;

/// The approximate number of hits in memory with `--all`.
const HITS_AT_A_TIME: usize = 1 << 17;

/// The number of rays of the first chunk. With `--all`, the hits of a chunk set the size of the next, which
/// is at most twice as large: a ray may have as many hits as the mesh has triangles.
fn first_chunk_size(query: Query) -> usize {
    match query {
        Query::All(_) => 4,
        Query::Closest | Query::Any | Query::Count => MAX_CHUNK_SIZE,
    }
}
