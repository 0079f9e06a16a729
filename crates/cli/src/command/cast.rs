//! `hitscan cast`: casts rays and prints their hits.

use std::path::PathBuf;

use hitscan::Ray;
use hitscan::primitives::brute_force::BruteForce;
use hitscan::scene::{QueryOptions, SceneBruteForce, WorldRay};
use indicatif::ProgressBar;

use crate::args::{CastArgs, FieldList};
use crate::load::{RayTarget, build_tree, load_for_rays};
use crate::messages;
use crate::output::{Colours, Results, Surface, Target, default_fields, ray_writer};
use crate::process::{Outcome, set_threads};
use crate::query::{Answers, BallCaster, BallTarget, Query, RayCaster, SceneCaster, SceneScan};
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
            let (scene, options) = (&loaded.scene, QueryOptions::default());
            let surface = Surface::Scene(scene, &colours);
            if args.brute {
                let scan = SceneScan { scan: SceneBruteForce::new(scene), options };
                return cast.run_any(&scan, surface, rays, target, &inputs);
            }
            cast.run_any(&SceneCaster { scene, options }, surface, rays, target, &inputs)
        }
        RayTarget::Mesh(mut model) => {
            inputs.extend(model.files.iter().cloned());
            let tree = match args.brute {
                true => None,
                false => Some(build_tree(&mut model, &args.engine)?),
            };
            let mut colours = Colours::default();
            colours.add(&model.mesh, &model.materials);
            let surface = Surface::Mesh(&model.mesh, &colours);
            match tree {
                None => cast.run_any(&BruteForce::new(&model.mesh), surface, rays, target, &inputs),
                Some(tree) => cast.run_any(&tree, surface, rays, target, &inputs),
            }
        }
    }
}

/// A ray of a mesh or of a scene.
trait CastRay: Sized {
    fn read(reader: &mut RayReader, rays: &mut Vec<Self>, max_rays: usize) -> anyhow::Result<()>;

    fn is_valid(&self) -> bool;

    /// The length of the direction.
    fn unit(&self) -> f64;
}

impl CastRay for Ray {
    fn read(reader: &mut RayReader, rays: &mut Vec<Self>, max_rays: usize) -> anyhow::Result<()> {
        reader.read(rays, max_rays)
    }

    fn is_valid(&self) -> bool {
        self.is_valid()
    }

    fn unit(&self) -> f64 {
        self.direction.as_dvec3().length()
    }
}

impl CastRay for WorldRay {
    fn read(reader: &mut RayReader, rays: &mut Vec<Self>, max_rays: usize) -> anyhow::Result<()> {
        reader.read_f64(rays, max_rays)
    }

    fn is_valid(&self) -> bool {
        self.is_valid()
    }

    fn unit(&self) -> f64 {
        self.direction.length()
    }
}

impl Cast {
    /// Casts all rays, or balls along them, and writes their results.
    fn run_any<T: RayCaster<Ray: CastRay> + BallTarget>(
        &self,
        target: &T,
        surface: Surface<'_>,
        rays: Box<RayReader>,
        output: Target,
        inputs: &[PathBuf],
    ) -> anyhow::Result<Outcome> {
        match self.radius {
            Some(radius) => self.run(&BallCaster { target, radius }, surface, rays, output, inputs),
            None => self.run(target, surface, rays, output, inputs),
        }
    }

    /// Casts all rays and writes their results.
    fn run<T: RayCaster<Ray: CastRay>>(
        &self,
        caster: &T,
        surface: Surface<'_>,
        mut rays: Box<RayReader>,
        target: Target,
        inputs: &[PathBuf],
    ) -> anyhow::Result<Outcome> {
        let Self { query, faces, format, on_terminal, .. } = *self;
        let of_scene = matches!(surface, Surface::Scene(..));
        let of_ball = self.radius.is_some();
        let defaults = || default_fields(format, of_scene, of_ball);
        let fields = self.fields.clone().map_or_else(defaults, |FieldList(fields)| fields);
        let mut writer = ray_writer(format, query, &fields, of_scene || of_ball, target)?;
        let bar = match on_terminal {
            true => ProgressBar::hidden(),
            false => messages::counter("casting", rays.total()),
        };
        let (mut n_rays, mut n_invalid, mut any_hit) = (0, 0, false);
        let mut chunk: Vec<T::Ray> = vec![];
        let mut chunk_size = first_chunk_size(query);
        loop {
            chunk.clear();
            T::Ray::read(&mut *rays, &mut chunk, chunk_size)?;
            if chunk.is_empty() {
                break;
            }
            let answers = Answers::new(caster, &chunk, query, faces);
            writer.write(&Results {
                surface,
                first_ray: n_rays,
                n_rays: chunk.len(),
                unit: &|ray| chunk[ray].unit(),
                answers: &answers,
                fields: &fields,
            })?;
            any_hit |= answers.any_hit();
            n_rays += chunk.len() as u64;
            n_invalid += chunk.iter().filter(|ray| !ray.is_valid()).count();
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
