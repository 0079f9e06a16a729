//! Scenes of instances beside Embree's instances: queries of both levels, and edits.

mod edits;
mod scenes;

use std::fmt::Write as _;
use std::sync::Arc;

use hitscan::generate::SplitMix64;
use hitscan::glam::DAffine3;
use hitscan::scene::{Instance, InstanceId, Mesh, QueryOptions, Scene, SceneHit, WorldRay};
use hitscan::{BuildOptions, Faces, Ray, TriMesh};

use crate::Error;
use crate::engines::{EmbreeInstances, Engines};
use crate::memory;
use crate::options::Options;
use crate::record::{Circumstances, File, PAGE, TIMED, write};
use crate::stats::{self, Estimate};
use crate::timing::{self, Clock};

pub(crate) use scenes::InstancedScene;

/// A scene in both engines.
struct Both {
    scene: InstancedScene,
    meshes: Vec<Arc<Mesh>>,
    poses: Vec<(usize, DAffine3)>,
    ours: Scene,
    ids: Vec<InstanceId>,
    embree: Option<EmbreeInstances>,
}

/// Measures the scenes of these names, prints tables, and records them on request.
pub(crate) fn compare(options: &Options, scenes: &[InstancedScene]) -> Result<(), Error> {
    let engines = Engines::load()?;
    let circumstances = Circumstances::now(options, engines.versions());
    let usual = scenes::USUAL.iter().map(|name| name.parse().expect("a known name"));
    let usual: Vec<InstancedScene> = usual.collect();
    let mut text = String::new();
    for scene in if scenes.is_empty() { &usual } else { scenes } {
        eprintln!("{}: build", scene.name());
        let (both, bytes) = Both::new(scene.clone(), &engines)?;
        let table = crate::pool(1)?.install(|| measure(both, bytes, options))?;
        print!("{table}");
        text.push_str(&table);
    }
    if options.record {
        let mut page = circumstances.heading("Scenes of instances", TIMED);
        page.push_str(
            "- one thread, CPU time; each cell is ns per ray, and the speed as a multiple of that of embree\n",
        );
        page.push_str(&text);
        let files = [File { name: PAGE.to_owned(), text: page }];
        let folder = write(&circumstances, "-instances", &files)?;
        eprintln!("recorded in {}", folder.display());
    }
    Ok(())
}

/// The tables of one scene, whose own memory is `bytes`.
fn measure(both: Both, bytes: usize, options: &Options) -> Result<String, Error> {
    let width = options.rays as usize;
    let random = &mut SplitMix64::new(2);
    let sets = [
        ("camera", both.scene.camera_rays(width)),
        ("random", both.scene.random_rays(width * width, random)),
    ];
    let n_triangles: usize = both.meshes.iter().map(|mesh| mesh.bvh().n_triangles()).sum();
    let mut text = format!(
        "\n### {}: {} meshes of {n_triangles} triangles, {:.0} bytes per instance\n\n\
         | query | hit | embree | embree packets of 16 | hitscan | hitscan batch | batch to single |\n\
         |---|--:|--:|--:|--:|--:|--:|\n",
        both.scene.name(),
        both.meshes.len(),
        bytes as f64 / both.poses.len() as f64,
    );
    for (name, rays) in &sets {
        eprintln!("{}: {} rays {name}", both.scene.name(), rays.len());
        both.measure_queries(name, rays, options.reps as usize, &mut text)?;
    }
    text.push_str(&edits::measure(both, &sets[1].1, options.reps as usize)?);
    Ok(text)
}

impl Both {
    /// Both scenes, and the bytes of ours without its meshes.
    fn new(scene: InstancedScene, engines: &Engines) -> Result<(Self, usize), Error> {
        let triangles: Vec<TriMesh> = scene.meshes()?;
        let poses = scene.poses(&triangles, &mut SplitMix64::new(1));
        let embree = engines.embree_instances(&triangles, &poses)?;
        let meshes = triangles.into_iter().map(|mesh| Mesh::new(mesh, &BuildOptions::default()));
        let meshes: Vec<Arc<Mesh>> = meshes.map(Arc::new).collect();
        let ((ours, ids), usage) = memory::measured(|| inserted(&meshes, &poses));
        let bytes = usage.kept.saturating_sub(size_of_val(&*ids));
        Ok((Self { scene, meshes, poses, ours, ids, embree }, bytes))
    }

    /// Compares the answers, and times all engines in turn.
    fn measure_queries(
        &self,
        name: &str,
        rays: &[WorldRay],
        n_repetitions: usize,
        text: &mut String,
    ) -> Result<(), Error> {
        let query = QueryOptions::default();
        let narrow: Vec<Ray> = rays.iter().map(narrowed).collect();
        let expected: Vec<_> = rays.iter().map(|ray| self.ours.closest_hit(ray, &query)).collect();
        self.check(rays, &narrow, &expected)?;
        let mut hits = vec![None; rays.len()];
        let mut theirs = vec![None; rays.len()];
        let mut is_occluded = vec![false; rays.len()];
        let share = expected.iter().flatten().count() as f64 / rays.len() as f64;
        let times = in_turn(n_repetitions, rays.len(), |engine| match (engine, &self.embree) {
            (0, Some(embree)) => embree.closest(&narrow, &mut theirs),
            (1, Some(embree)) => embree.closest_of_16(&narrow, &mut theirs),
            (2, _) => {
                for (ray, hit) in rays.iter().zip(&mut hits) {
                    *hit = self.ours.closest_hit(ray, &query);
                }
            }
            (3, _) => self.ours.closest_hit_batch(rays, &query, &mut hits),
            _ => {}
        });
        row(text, &format!("{name}, closest"), share, &times, self.embree.is_some());
        let times = in_turn(n_repetitions, rays.len(), |engine| match (engine, &self.embree) {
            (0, Some(embree)) => embree.occluded(&narrow, &mut is_occluded),
            (1, Some(embree)) => embree.occluded_of_16(&narrow, &mut is_occluded),
            (2, _) => {
                for (ray, is_occluded) in rays.iter().zip(&mut is_occluded) {
                    *is_occluded = self.ours.is_occluded(ray, &query);
                }
            }
            (3, _) => self.ours.is_occluded_batch(rays, &query, &mut is_occluded),
            _ => {}
        });
        row(text, &format!("{name}, any"), share, &times, self.embree.is_some());
        Ok(())
    }

    /// Fails unless our answers are those of the loop over all instances (some rays) and agree bit by bit, and Embree's are
    /// nearly the same.
    fn check(
        &self,
        rays: &[WorldRay],
        narrow: &[Ray],
        expected: &[Option<SceneHit>],
    ) -> Result<(), String> {
        const CHECKED: usize = 2_000_000;
        let query = QueryOptions::default();
        let n_checked = (CHECKED / self.ids.len()).clamp(1, 256);
        let step = rays.len().div_ceil(n_checked);
        for (ray, expected) in rays.iter().zip(expected).step_by(step) {
            assert_eq!(*expected, loop_over_all(&self.ours, &self.ids, ray), "{ray:?}");
        }
        let mut hits = vec![None; rays.len()];
        self.ours.closest_hit_batch(rays, &query, &mut hits);
        assert_eq!(hits, expected, "a batch differs from single rays");
        let mut is_occluded = vec![false; rays.len()];
        self.ours.is_occluded_batch(rays, &query, &mut is_occluded);
        for ((ray, &is_occluded), hit) in rays.iter().zip(&is_occluded).zip(expected) {
            assert_eq!([is_occluded, self.ours.is_occluded(ray, &query)], [hit.is_some(); 2]);
        }
        let Some(embree) = &self.embree else { return Ok(()) };
        type Closest = fn(&EmbreeInstances, &[Ray], &mut [Option<(u32, hitscan::Hit)>]);
        for closest in [EmbreeInstances::closest as Closest, EmbreeInstances::closest_of_16] {
            let mut theirs = vec![None; rays.len()];
            closest(embree, narrow, &mut theirs);
            let differs =
                |(ours, theirs): &(&Option<SceneHit>, &Option<(u32, hitscan::Hit)>)| match (
                    ours, theirs,
                ) {
                    (Some(ours), Some((_, theirs))) => {
                        (ours.t - f64::from(theirs.t)).abs() > 1e-3 * ours.t
                    }
                    (ours, theirs) => ours.is_some() != theirs.is_some(),
                };
            let n = expected.iter().zip(&theirs).filter(differs).count();
            eprintln!("{}: embree differs on {n} of {} rays", self.scene.name(), rays.len());
            if n * 50 > rays.len() {
                return Err(format!("{}: Embree has another scene", self.scene.name()));
            }
        }
        Ok(())
    }
}

/// Our scene with all instances, inserted at once.
fn inserted(meshes: &[Arc<Mesh>], poses: &[(usize, DAffine3)]) -> (Scene, Vec<InstanceId>) {
    let mut scene = Scene::new();
    let ids = scene.insert_many(instances(meshes, poses)).expect("poses are invertible");
    (scene, ids)
}

fn instances(meshes: &[Arc<Mesh>], poses: &[(usize, DAffine3)]) -> impl Iterator<Item = Instance> {
    poses.iter().map(|&(mesh, pose)| Instance::new(meshes[mesh].clone(), pose))
}

fn narrowed(ray: &WorldRay) -> Ray {
    Ray {
        origin: ray.origin.as_vec3(),
        direction: ray.direction.as_vec3(),
        t_min: ray.t_min as f32,
        t_max: ray.t_max as f32,
    }
}

/// The closest hit without the tree over the instances.
fn loop_over_all(scene: &Scene, ids: &[InstanceId], ray: &WorldRay) -> Option<SceneHit> {
    let of = |&id: &InstanceId| {
        let (mesh, local) = (scene.get(id)?.mesh.as_ref()?, scene.local_ray(id, ray)?);
        let hit = mesh.bvh().closest_hit(&local.ray, Faces::Both)?;
        let insertion_order = scene.insertion_order(id)?;
        Some(SceneHit { t: local.world_t(hit.t), instance: id, insertion_order, local: hit })
    };
    ids.iter().filter_map(of).min_by(SceneHit::cmp_along_ray)
}

/// Nanoseconds per ray of the four engines, by repetition. Each round starts with another engine, and an untimed pass comes
/// before each timing.
fn in_turn(n_repetitions: usize, n_rays: usize, mut trace: impl FnMut(usize)) -> [Vec<f64>; 4] {
    let mut times = [const { Vec::new() }; 4];
    for round in 0..n_repetitions {
        for turn in 0..times.len() {
            let engine = (turn + round) % times.len();
            let before = std::time::Instant::now();
            trace(engine);
            let n_passes = timing::n_passes(before.elapsed()).min(20);
            let clock = Clock::start(1);
            for _ in 0..n_passes {
                trace(engine);
            }
            times[engine].push(1e9 * clock.seconds() / (n_passes * n_rays) as f64);
        }
    }
    times
}

/// The speed of `ours` as a multiple of that of `theirs` in the same repetitions.
fn ratio(theirs: &[f64], ours: &[f64]) -> Estimate {
    let ratios: Vec<f64> = theirs.iter().zip(ours).map(|(theirs, ours)| theirs / ours).collect();
    stats::estimate(&ratios)
}

fn shown(ratio: Estimate) -> String {
    format!("{:.2} [{:.2}, {:.2}]", ratio.median, ratio.low, ratio.high)
}

fn row(text: &mut String, name: &str, share: f64, times: &[Vec<f64>; 4], has_embree: bool) {
    let _ = write!(text, "| {name} | {:.0} % |", 100.0 * share);
    for (engine, own) in times.iter().enumerate() {
        let ns = stats::median(own);
        let _ = match (engine, has_embree) {
            (0, true) => write!(text, " {ns:.0} |"),
            (1.., true) => write!(text, " {ns:.0} ({}) |", shown(ratio(&times[0], own))),
            (2.., false) => write!(text, " {ns:.0} |"),
            (_, false) => write!(text, " |"),
        };
    }
    let _ = writeln!(text, " {} |", shown(ratio(&times[2], &times[3])));
}
