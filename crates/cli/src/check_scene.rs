//! Compares every query of a scene with the loop over all instances and their triangles.

use hitscan::scene::{InstanceId, QueryOptions, Scene, SceneBruteForce, SceneHit, WorldRay};
use hitscan::{Faces, HitMode, Ray};
use hitscan_oracle::{HostileRays, Query};
use rayon::prelude::*;

use crate::check::Shape;

/// The number of hits of the query for the nearest.
const N_NEAREST: usize = 3;

/// Hostile rays of the meshes, moved to their instances.
pub(crate) struct SceneRays<'a> {
    /// The stream of each mesh, and its instances.
    streams: Vec<(HostileRays<'a>, Vec<InstanceId>)>,
    scene: &'a Scene,
    n_done: usize,
}

impl<'a> SceneRays<'a> {
    pub(crate) fn new(scene: &'a Scene, seed: u64) -> Self {
        let mut streams: Vec<(HostileRays<'a>, Vec<InstanceId>)> = Vec::new();
        let mut positions = std::collections::HashMap::new();
        for id in scene.depth_first() {
            let Some(mesh) = scene.get(id).and_then(|instance| instance.mesh.as_deref()) else {
                continue;
            };
            let position = *positions.entry(std::ptr::from_ref(mesh)).or_insert_with(|| {
                streams.push((HostileRays::new(mesh.tri_mesh(), seed), vec![]));
                streams.len() - 1
            });
            streams[position].1.push(id);
        }
        Self { streams, scene, n_done: 0 }
    }

    /// The next rays, one after the other at each mesh and each of its instances.
    pub(crate) fn next_rays(&mut self, n: usize) -> Vec<WorldRay> {
        let n_streams = self.streams.len();
        let mut rays = Vec::with_capacity(n);
        if n_streams == 0 {
            return rays;
        }
        // Whole chunks, because the kinds of rays follow each other.
        for chunk in 0..n_streams {
            let share = (n + chunk) / n_streams;
            let (stream, ids) = &mut self.streams[chunk];
            for (i, ray) in stream.next_rays(share).into_iter().enumerate() {
                let id = ids[(self.n_done + i) % ids.len()];
                rays.push(in_world(self.scene, id, &ray));
            }
        }
        self.n_done += n;
        rays
    }
}

/// A ray of an instance's mesh in the world.
fn in_world(scene: &Scene, id: InstanceId, ray: &Ray) -> WorldRay {
    let to_world = scene.world_transform(id).expect("the instance is in the scene");
    let ray = WorldRay::from(*ray);
    WorldRay {
        origin: to_world.transform_point3(ray.origin),
        direction: to_world.transform_vector3(ray.direction),
        ..ray
    }
}

/// The answers to one ray, as bits.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Answers {
    all: Vec<Bits>,
    once: Vec<Bits>,
}

/// A hit as bits: `t`, the instance, and the hit in its mesh.
type Bits = (u64, u64, [u32; 5]);

fn bits(hit: &SceneHit) -> Bits {
    (hit.t.to_bits(), hit.insertion_order, hit.local.to_bits())
}

fn all_bits(hits: &[SceneHit]) -> Vec<Bits> {
    hits.iter().map(bits).collect()
}

const FACES: [Faces; 3] = [Faces::Both, Faces::Front, Faces::Back];

/// The expected answers to rays, for each choice of sides.
pub(crate) struct ExpectedInScene {
    rays: Vec<WorldRay>,
    by_faces: Vec<Vec<Answers>>,
}

/// The first difference of a query.
#[derive(Clone, Debug)]
pub(crate) struct SceneDifference {
    pub(crate) query: Query,
    pub(crate) faces: Faces,
    pub(crate) ray: WorldRay,
    pub(crate) expected: String,
    pub(crate) found: String,
}

/// The numbers of answers and differences.
#[derive(Clone, Debug, Default)]
pub(crate) struct SceneTally {
    pub(crate) n_answers: u64,
    /// Per query, in the order of [`Query::ALL`].
    pub(crate) n_differences: [u64; Query::ALL.len()],
    pub(crate) first: Option<SceneDifference>,
}

impl SceneTally {
    pub(crate) fn add(&mut self, other: Self) {
        self.n_answers += other.n_answers;
        for (sum, n) in self.n_differences.iter_mut().zip(other.n_differences) {
            *sum += n;
        }
        self.first = self.first.take().or(other.first);
    }

    fn compare<T: PartialEq + std::fmt::Debug>(
        &mut self,
        question: (Query, Faces, &WorldRay),
        expected: &T,
        found: &T,
    ) {
        let (query, faces, ray) = question;
        self.n_answers += 1;
        if expected != found {
            self.n_differences[query as usize] += 1;
            self.first.get_or_insert_with(|| SceneDifference {
                query,
                faces,
                ray: *ray,
                expected: format!("{expected:?}"),
                found: format!("{found:?}"),
            });
        }
    }
}

impl ExpectedInScene {
    /// Scans all triangles for each ray, in parallel over the rays.
    pub(crate) fn new(scan: &SceneBruteForce<'_>, rays: Vec<WorldRay>) -> Self {
        let answers = |faces| {
            let hits = |ray: &WorldRay, mode| {
                all_bits(&scan.all_hits(ray, &QueryOptions { faces, mode, ..EVERYTHING }))
            };
            let of_ray = |ray: &WorldRay| Answers {
                all: hits(ray, HitMode::EveryTriangle),
                once: hits(ray, HitMode::OncePerCrossing),
            };
            rays.par_iter().with_max_len(1).map(of_ray).collect()
        };
        let by_faces = FACES.map(answers).into();
        Self { rays, by_faces }
    }

    /// Compares every query of a scene, in one shape, with the scan.
    pub(crate) fn compare(&self, scene: &Scene, shape: Shape) -> SceneTally {
        let mut sum = SceneTally::default();
        for (&faces, expected) in FACES.iter().zip(&self.by_faces) {
            let options = QueryOptions { faces, ..EVERYTHING };
            let tallies: Vec<SceneTally> = match shape {
                Shape::Single => self
                    .rays
                    .par_iter()
                    .zip(expected)
                    .map(|(ray, expected)| compare_single(scene, ray, &options, expected))
                    .collect(),
                Shape::Batch => {
                    vec![self.compare_batch(scene, &options, expected, self.rays.len())]
                }
                Shape::ShortBatches => vec![self.compare_batch(scene, &options, expected, 37)],
            };
            tallies.into_iter().for_each(|tally| sum.add(tally));
        }
        sum
    }

    /// Compares batches of `n` rays.
    fn compare_batch(
        &self,
        scene: &Scene,
        options: &QueryOptions<'_>,
        expected: &[Answers],
        n: usize,
    ) -> SceneTally {
        let mut tally = SceneTally::default();
        for (rays, expected) in self.rays.chunks(n.max(1)).zip(expected.chunks(n.max(1))) {
            let mut hits = vec![None; rays.len()];
            scene.closest_hit_batch(rays, options, &mut hits);
            let mut occluded = vec![false; rays.len()];
            scene.is_occluded_batch(rays, options, &mut occluded);
            for (i, (ray, expected)) in rays.iter().zip(expected).enumerate() {
                let first = expected.all.first().copied();
                let closest = (Query::Closest, options.faces, ray);
                tally.compare(closest, &first, &hits[i].as_ref().map(bits));
                tally.compare((Query::Any, options.faces, ray), &first.is_some(), &occluded[i]);
            }
        }
        tally
    }
}

/// All visible instances; hidden and locked ones take part as well, so that everything is compared.
const EVERYTHING: QueryOptions<'static> = QueryOptions {
    faces: Faces::Both,
    mode: HitMode::EveryTriangle,
    layers: u32::MAX,
    ignore: &[],
    include_hidden: true,
    include_locked: true,
};

fn compare_single(
    scene: &Scene,
    ray: &WorldRay,
    options: &QueryOptions<'_>,
    expected: &Answers,
) -> SceneTally {
    let mut tally = SceneTally::default();
    let faces = options.faces;
    let once = QueryOptions { mode: HitMode::OncePerCrossing, ..*options };
    let first = expected.all.first().copied();
    let found = scene.closest_hit(ray, options).as_ref().map(bits);
    tally.compare((Query::Closest, faces, ray), &first, &found);
    tally.compare((Query::Any, faces, ray), &first.is_some(), &scene.is_occluded(ray, options));
    let all = all_bits(&scene.all_hits(ray, options));
    tally.compare((Query::AllClosed, faces, ray), &expected.all, &all);
    let all = all_bits(&scene.all_hits(ray, &once));
    tally.compare((Query::AllOnce, faces, ray), &expected.once, &all);
    let mut nearest = Vec::new();
    scene.nearest_hits_into(ray, N_NEAREST, options, &mut nearest);
    let n = expected.all.len().min(N_NEAREST);
    tally.compare((Query::Nearest, faces, ray), &expected.all[..n].to_vec(), &all_bits(&nearest));
    let crossings = scene.count_crossings(ray, options);
    tally.compare((Query::Crossings, faces, ray), &expected.once.len(), &crossings);
    tally
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use hitscan::glam::{DAffine3, DVec3};
    use hitscan::primitives::generate;
    use hitscan::scene::{Instance, Mesh};
    use hitscan::{BuildOptions, TriMesh};

    use super::*;

    fn scene_of(mesh: TriMesh) -> Scene {
        let mesh = Arc::new(Mesh::new(mesh, &BuildOptions::default()));
        let mut scene = Scene::new();
        for x in 0..5 {
            let place = DAffine3::from_translation(DVec3::new(f64::from(x) * 1.5 + 1e6, 0.0, 0.0));
            scene.insert(Instance::new(mesh.clone(), place)).unwrap();
        }
        scene
    }

    fn tallies(scene: &Scene, other: &Scene) -> [SceneTally; 3] {
        let rays = SceneRays::new(scene, 1).next_rays(400);
        let expected = ExpectedInScene::new(&SceneBruteForce::new(scene), rays);
        Shape::ALL.map(|shape| expected.compare(other, shape))
    }

    #[test]
    fn a_correct_scene_shows_no_difference() {
        let scene = scene_of(generate::torus(1.0, 0.25, 300).unwrap());
        for (tally, n_queries) in tallies(&scene, &scene).into_iter().zip([6, 2, 2]) {
            assert!(tally.first.is_none(), "{:?}", tally.first);
            assert_eq!(tally.n_answers, 3 * n_queries * 400);
        }
    }

    /// A mesh that lacks a triangle stands for a kernel that loses one.
    #[test]
    fn a_lost_triangle_shows_in_every_query() {
        let mesh = generate::sphere(1.0, 60).unwrap();
        let mut triangles = mesh.triangles().to_vec();
        triangles[7] = [0; 3];
        let broken = TriMesh::from_vecs(mesh.positions().to_vec(), triangles).unwrap();
        let [single, batch, _] = tallies(&scene_of(mesh), &scene_of(broken));
        assert!(single.n_differences.iter().all(|&n| n > 0), "{:?}", single.n_differences);
        assert!(batch.n_differences[0] > 0 && batch.n_differences[1] > 0);
    }
}
