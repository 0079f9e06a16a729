//! One scene: builds, checks and timings of all engines, interleaved.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use hitscan::{BuildOptions, Faces, Hit, MeshBvh, TriMesh};
use hitscan_benches::{RayKind, RaySet, Scene, assert_equals_brute_force, ray_sets};
use serde::Serialize;

use crate::engines::{Calls, Contender, Engine, Memory, REFERENCE};
use crate::memory;
use crate::stats::{self, Estimate};
use crate::timing::{self, Answers, Clock};

/// The extent of the measurement.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// Width and height of the image for the primary rays.
    pub(crate) image_width: usize,
    /// The ray sets that are traced.
    pub(crate) kinds: Vec<RayKind>,
    /// Timed repetitions.
    pub(crate) n_repetitions: usize,
    /// Timed builds.
    pub(crate) n_builds: usize,
    /// The number of threads, which also chooses the clock.
    pub(crate) n_threads: usize,
}

/// The results of all engines on one scene.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Comparison {
    /// The scene's name.
    pub(crate) scene: String,
    /// Its triangles; none is degenerate.
    pub(crate) n_triangles: usize,
    /// Its ray sets.
    pub(crate) sets: Vec<Set>,
    /// The engines, in the order of their runs.
    pub(crate) rows: Vec<Row>,
}

/// A ray set with its reference engine.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Set {
    /// `primary`, `diffuse`, `random` or `shadow`.
    pub(crate) name: &'static str,
    /// The number of rays.
    pub(crate) n_rays: usize,
    /// The share of rays that hit something.
    #[serde(serialize_with = "stats::rounded")]
    pub(crate) hit_share: f64,
    /// The engine of ratio 1: Embree in its default configuration, or the fastest other engine without
    /// Embree.
    pub(crate) reference: Option<String>,
}

/// One engine in one configuration.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Row {
    /// Its name.
    pub(crate) name: String,
    /// Whether it is hitscan.
    pub(crate) is_ours: bool,
    /// The calls: single rays, packets or batches.
    pub(crate) calls: Calls,
    /// Its build, unless it failed.
    pub(crate) build: Option<Build>,
    /// Its answers and times for each ray set; none if it lacks the query or failed.
    pub(crate) cells: Vec<Option<Cell>>,
    /// The error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) failure: Option<String>,
}

/// The cost of a structure.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Build {
    /// Milliseconds.
    pub(crate) ms: Estimate,
    /// Triangles per second, in millions, by the median.
    #[serde(serialize_with = "stats::rounded")]
    pub(crate) mtri_per_s: f64,
    /// Bytes kept for queries, with every copy of the triangles that the engine itself holds; none if no
    /// counter exists.
    pub(crate) kept_bytes: Option<usize>,
    /// The maximum number of bytes during the build.
    pub(crate) peak_bytes: Option<usize>,
}

/// One engine's answers and times on one ray set. Serialised are only the values that determine the
/// rest.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Cell {
    /// Nanoseconds per ray.
    #[serde(skip)]
    pub(crate) ns_per_ray: Estimate,
    /// The speed as a multiple of the reference engine's, per repetition.
    #[serde(skip)]
    pub(crate) ratio: Option<Estimate>,
    /// The answers that differ from hitscan's.
    #[serde(skip_serializing_if = "Differences::is_none")]
    pub(crate) differences: Differences,
    /// Nanoseconds per ray, by repetition.
    #[serde(rename = "ns_per_ray", serialize_with = "stats::all_rounded")]
    pub(crate) repetitions: Vec<f64>,
    /// The ratio of each repetition.
    #[serde(skip)]
    pub(crate) ratios: Vec<f64>,
}

/// The rays for which an engine's answer differs from hitscan's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Differences {
    /// One engine hits and the other misses.
    pub(crate) hit_or_miss: usize,
    /// Both hit, and `t` differs by more than 1e-4 of its value.
    pub(crate) t: usize,
}

impl Differences {
    /// All of them.
    pub(crate) fn total(self) -> usize {
        self.hit_or_miss + self.t
    }

    fn is_none(&self) -> bool {
        self.total() == 0
    }
}

/// Builds, checks and times all engines on a scene. The caller is in a pool of `plan.n_threads`.
///
/// # Panics
/// If hitscan's answers differ from brute force, because then no timing has a meaning.
pub(crate) fn compare(scene: &Scene, contenders: &[Contender], plan: &Plan) -> Comparison {
    let ours = MeshBvh::build(&scene.mesh, &BuildOptions::default());
    let mut sets = ray_sets(scene, &ours, plan.image_width);
    sets.retain(|set| plan.kinds.contains(&set.kind));
    let expected: Vec<_> = sets.iter().map(|set| expected(scene, &ours, set)).collect();
    drop(ours);

    let built = build_interleaved(scene, contenders, plan);
    let mut rows: Vec<Row> = contenders
        .iter()
        .zip(&built)
        .map(|(contender, built)| Row {
            name: contender.name.clone(),
            is_ours: contender.is_ours,
            calls: contender.calls,
            build: built.as_ref().ok().map(|(_, build)| *build),
            cells: Vec::new(),
            failure: built.as_ref().err().cloned(),
        })
        .collect();
    let engines: Vec<_> =
        built.iter().map(|built| built.as_ref().ok().map(|(engine, _)| engine.as_ref())).collect();

    let mut described = Vec::new();
    for (set, expected) in sets.iter().zip(&expected) {
        eprintln!("{}: {} rays {}", scene.name, set.rays.len(), set.kind.name());
        let times = Bench { set, expected, contenders, engines: &engines, plan }.run(&mut rows);
        let reference = reference(contenders, &times);
        for (row, cell) in rows.iter_mut().zip(with_ratios(times, reference)) {
            row.cells.push(cell);
        }
        let n_hits = expected.iter().filter(|hit| hit.is_some()).count();
        described.push(Set {
            name: set.kind.name(),
            n_rays: set.rays.len(),
            hit_share: n_hits as f64 / set.rays.len().max(1) as f64,
            reference: reference.map(|reference| contenders[reference].name.clone()),
        });
    }
    let n_triangles = scene.mesh.triangles().len();
    Comparison { scene: scene.name.to_owned(), n_triangles, sets: described, rows }
}

/// hitscan's answers, checked; for any-hit sets a hit means yes.
fn expected(scene: &Scene, ours: &MeshBvh, set: &RaySet) -> Vec<Option<Hit>> {
    assert_equals_brute_force(ours, &scene.mesh, &set.rays);
    let mut hits = vec![None; set.rays.len()];
    ours.closest_hit_batch(&set.rays, Faces::Both, &mut hits);
    hits
}

type Built = Result<(Box<dyn Engine>, Build), String>;

fn build_interleaved(scene: &Scene, contenders: &[Contender], plan: &Plan) -> Vec<Built> {
    let mut engines: Vec<Result<Box<dyn Engine>, String>> = Vec::new();
    let mut usages = Vec::new();
    for contender in contenders {
        eprintln!("{}: build {}", scene.name, contender.name);
        let (engine, usage) = memory::measured(|| built(contender, &scene.mesh));
        usages.push(match engine.as_ref().map(|engine| engine.memory()) {
            Ok(Memory::OurAllocator) => Some(usage),
            Ok(Memory::Told(usage)) => Some(usage),
            Ok(Memory::Unknown) | Err(_) => None,
        });
        engines.push(engine);
    }
    let mut times = vec![Vec::new(); contenders.len()];
    for round in 0..plan.n_builds {
        for turn in 0..contenders.len() {
            let which = (turn + round) % contenders.len();
            if engines[which].is_ok() {
                engines[which] = Err("not built again".to_owned());
                let clock = Clock::start(plan.n_threads);
                engines[which] = built(&contenders[which], &scene.mesh);
                times[which].push(1e3 * clock.seconds());
            }
        }
    }
    let finished = engines.into_iter().zip(usages).zip(times).map(|((engine, usage), times)| {
        let n_triangles = scene.mesh.triangles().len() as f64;
        let build = |times: &[f64]| Build {
            ms: stats::estimate(times),
            mtri_per_s: n_triangles / (1e3 * stats::median(times)),
            kept_bytes: usage.map(|usage| usage.kept),
            peak_bytes: usage.map(|usage| usage.peak),
        };
        engine.map(|engine| (engine, build(&times)))
    });
    finished.collect()
}

fn built(contender: &Contender, mesh: &TriMesh) -> Result<Box<dyn Engine>, String> {
    caught(|| (contender.build)(mesh)).unwrap_or_else(Err)
}

/// A panic costs an engine only its row.
fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| {
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| payload.downcast_ref::<&str>().copied());
        format!("it panicked: {}", text.unwrap_or("no message"))
    })
}

/// One ray set and all engines.
struct Bench<'a> {
    set: &'a RaySet,
    expected: &'a [Option<Hit>],
    contenders: &'a [Contender],
    engines: &'a [Option<&'a dyn Engine>],
    plan: &'a Plan,
}

/// Nanoseconds per ray by repetition, and the wrong answers.
struct Times {
    repetitions: Vec<f64>,
    differences: Differences,
}

impl Bench<'_> {
    /// A checked warm-up of every engine, then interleaved repetitions; each starts with another engine.
    fn run(&self, rows: &mut [Row]) -> Vec<Option<Times>> {
        let n_rays = self.set.rays.len();
        let mut answers = Answers::new(n_rays);
        let mut times = Vec::new();
        let mut n_passes = Vec::new();
        for (which, row) in rows.iter_mut().enumerate() {
            let clock = Instant::now();
            match self.check(which, &mut answers) {
                Ok(Some(differences)) => {
                    times.push(Some(Times { repetitions: Vec::new(), differences }));
                }
                Ok(None) => times.push(None),
                Err(failure) => {
                    row.failure.get_or_insert(failure);
                    times.push(None);
                }
            }
            n_passes.push(timing::n_passes(clock.elapsed()));
        }
        for round in 0..self.plan.n_repetitions {
            for turn in 0..times.len() {
                let which = (turn + round) % times.len();
                let (Some(engine), Some(times)) = (self.engines[which], &mut times[which]) else {
                    continue;
                };
                times.repetitions.push(timing::ns_per_ray(
                    engine,
                    self.contenders[which].calls,
                    self.set,
                    self.plan.n_threads,
                    n_passes[which],
                    &mut answers,
                ));
            }
        }
        times
    }

    /// The engine's differences; none if it lacks the query.
    fn check(&self, which: usize, answers: &mut Answers) -> Result<Option<Differences>, String> {
        let contender = &self.contenders[which];
        let any_hit = self.set.kind.asks_for_any_hit();
        let Some(engine) = self.engines[which] else { return Ok(None) };
        if self.set.rays.is_empty() || (any_hit && !contender.answers_any_hit) {
            return Ok(None);
        }
        answers.spoil();
        let n_threads = self.plan.n_threads;
        caught(|| timing::trace(engine, contender.calls, self.set, n_threads, answers))?;
        Ok(Some(if any_hit {
            let differs = |(found, expected): &(&bool, &Option<Hit>)| **found != expected.is_some();
            let pairs = answers.occluded.iter().zip(self.expected);
            Differences { hit_or_miss: pairs.filter(differs).count(), t: 0 }
        } else {
            differences(&answers.hits, self.expected)
        }))
    }
}

fn differences(found: &[Option<Hit>], expected: &[Option<Hit>]) -> Differences {
    let mut differences = Differences::default();
    for (found, expected) in found.iter().zip(expected) {
        match (found, expected) {
            (Some(found), Some(expected)) => {
                let near = (found.t - expected.t).abs() <= 1e-4 * expected.t.abs();
                differences.t += usize::from(!near);
            }
            (found, expected) => {
                differences.hit_or_miss += usize::from(found.is_some() != expected.is_some());
            }
        }
    }
    differences
}

/// Embree's default configuration, or the fastest other engine without Embree.
fn reference(contenders: &[Contender], times: &[Option<Times>]) -> Option<usize> {
    let timed = || (0..contenders.len()).filter(|&which| times[which].is_some());
    let median = |which: usize| {
        times[which].as_ref().map_or(f64::INFINITY, |times| stats::median(&times.repetitions))
    };
    let usual = timed().find(|&which| contenders[which].name == REFERENCE);
    usual.or_else(|| {
        let others = timed().filter(|&which| !contenders[which].is_ours);
        others.min_by(|&a, &b| median(a).total_cmp(&median(b)))
    })
}

fn with_ratios(times: Vec<Option<Times>>, reference: Option<usize>) -> Vec<Option<Cell>> {
    let unit = reference.and_then(|reference| times[reference].as_ref());
    let unit = unit.map(|times| times.repetitions.clone());
    let cell = |times: Times| {
        let ratios: Vec<f64> = unit.as_ref().map_or_else(Vec::new, |unit| {
            unit.iter().zip(&times.repetitions).map(|(unit, own)| unit / own).collect()
        });
        Cell {
            ns_per_ray: stats::estimate(&times.repetitions),
            ratio: (!ratios.is_empty()).then(|| stats::estimate(&ratios)),
            differences: times.differences,
            repetitions: times.repetitions,
            ratios,
        }
    };
    times.into_iter().map(|times| times.map(cell)).collect()
}

#[cfg(test)]
mod tests {
    use hitscan::Side;

    use super::*;

    #[test]
    fn answers_differ_by_hit_or_by_distance_and_not_by_triangle() {
        let hit = |t, triangle| Some(Hit { t, u: 0.0, v: 0.0, triangle, side: Side::Front });
        let expected = [None, hit(1.0, 0), hit(1.0, 0), hit(1.0, 0), hit(0.0, 0)];
        let found = [hit(1.0, 0), None, hit(1.001, 0), hit(1.00001, 7), hit(0.0, 0)];
        assert_eq!(differences(&found, &expected), Differences { hit_or_miss: 2, t: 1 });
        let nan = [None, hit(f32::NAN, 0), hit(1.0, 0), hit(1.0, 0), hit(0.0, 0)];
        assert_eq!(differences(&nan, &expected), Differences { hit_or_miss: 0, t: 1 });
    }

    #[test]
    fn a_ratio_above_one_is_faster_than_the_reference() {
        let times =
            |ns: f64| Some(Times { repetitions: vec![ns; 3], differences: Differences::default() });
        let cells = with_ratios(vec![times(100.0), times(50.0), None], Some(0));
        let ratio = |which: usize| cells[which].as_ref().unwrap().ratio.unwrap().median;
        assert!((ratio(0) - 1.0).abs() < 1e-12 && (ratio(1) - 2.0).abs() < 1e-12);
        assert!(cells[2].is_none());
    }

    #[test]
    fn a_panic_becomes_a_message() {
        let text = caught(|| -> () { panic!("stack of {} is full", 32) }).unwrap_err();
        assert_eq!(text, "it panicked: stack of 32 is full");
    }
}
