//! Compares every query of a scene with the loop over all instances and their triangles.

use std::collections::BTreeSet;
use std::ops::{ControlFlow, RangeInclusive};

use hitscan::glam::DVec3;
use hitscan::primitives::ConvexRegion;
use hitscan::scene::{
    InstanceId, QueryOptions, Scene, SceneBruteForce, SceneHit, ScenePoint, SceneTriangle,
    WorldBox, WorldRay, WorldRegion,
};
use hitscan::{Faces, HitMode, Ray};
use hitscan_oracle::{HostileRays, N_NEAREST, Query};
use rayon::prelude::*;

use super::comparison::Comparison;
use super::rays::{SHORT_BATCHES, Shape, parts_of};

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
    let to_world = scene.mesh_to_world(id).expect("the instance is in the scene");
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
                    let n = self.rays.len();
                    vec![self.compare_batches(scene, &options, expected, n..=n)]
                }
                Shape::ShortBatches => {
                    vec![self.compare_batches(scene, &options, expected, SHORT_BATCHES)]
                }
            };
            tallies.into_iter().for_each(|tally| sum.add(tally));
        }
        sum
    }

    /// Compares batches whose lengths cycle through a range.
    fn compare_batches(
        &self,
        scene: &Scene,
        options: &QueryOptions<'_>,
        expected: &[Answers],
        lengths: RangeInclusive<usize>,
    ) -> SceneTally {
        let mut tally = SceneTally::default();
        for part in parts_of(self.rays.len(), lengths) {
            let (rays, expected) = (&self.rays[part.clone()], &expected[part]);
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
    for (options, all) in [(options, &expected.all), (&once, &expected.once)] {
        for n in N_NEAREST {
            scene.nearest_hits_into(ray, n, options, &mut nearest);
            let first = all[..all.len().min(n)].to_vec();
            tally.compare((Query::Nearest, faces, ray), &first, &all_bits(&nearest));
        }
    }
    let crossings = scene.count_crossings(ray, options);
    tally.compare((Query::Crossings, faces, ray), &expected.once.len(), &crossings);
    tally
}

/// Places of a scene with the answers of the scan, and rays for the queries with a filter.
pub(crate) struct ExpectedInSceneSpace {
    places: Vec<ScenePlace>,
    rays: Vec<(WorldRay, [Vec<SceneHit>; 2])>,
}

/// A point and three regions, with the answers of the scan.
#[derive(Debug)]
struct ScenePlace {
    point: DVec3,
    max_distance: f64,
    closest: Option<ScenePoint>,
    closest_within: Option<ScenePoint>,
    around: Vec<InstanceId>,
    regions: Vec<(&'static str, WorldRegion, Vec<SceneTriangle>, Vec<InstanceId>)>,
}

impl ExpectedInSceneSpace {
    /// Scans all triangles for a sixteenth of the rays, and as many places between their ends.
    pub(crate) fn new(scan: &SceneBruteForce<'_>, rays: &[WorldRay]) -> Self {
        let pairs = rays.par_chunks_exact(32).with_max_len(1).enumerate();
        let places =
            pairs.map(|(i, part)| ScenePlace::new(scan, i, &part[i % 32], &part[(i + 5) % 32]));
        let rays = rays.par_chunks(16).with_max_len(1).enumerate().map(|(i, part)| {
            let ray = part[i % part.len()];
            let hits = [HitMode::EveryTriangle, HitMode::OncePerCrossing].map(|mode| {
                let mut hits = scan.all_hits(&ray, &QueryOptions { mode, ..EVERYTHING });
                hits.retain(accepts);
                hits
            });
            (ray, hits)
        });
        Self { places: places.collect(), rays: rays.collect() }
    }

    pub(crate) fn compare(&self, scene: &Scene) -> Comparison {
        let places = self.places.par_iter().map(|place| place.compare(scene));
        let rays = self.rays.par_iter().map(|(ray, hits)| filtered(scene, ray, hits));
        let parts: Vec<Comparison> = places.chain(rays).collect();
        let mut sum = Comparison::default();
        parts.into_iter().for_each(|part| sum.add(part));
        sum
    }
}

fn accepts(hit: &SceneHit) -> bool {
    hit.triangle() % 3 != 1
}

impl ScenePlace {
    fn new(scan: &SceneBruteForce<'_>, i: usize, ray: &WorldRay, other: &WorldRay) -> Self {
        let end = |ray: &WorldRay, i: usize| match i % 2 {
            0 => ray.origin,
            _ => ray.origin + ray.direction,
        };
        let (point, corner) = (end(ray, i), end(other, i / 2));
        let closest = scan.closest_point(point, f64::INFINITY, &EVERYTHING);
        let distance = closest.map_or(1.0, |closest| closest.distance);
        let max_distance = [distance.next_up(), distance, 0.5 * distance][i % 3];
        let normal = corner - point;
        let plane = normal.extend(-normal.dot(point)).to_array();
        let region = ConvexRegion::from_coefficients([plane]);
        let aabb = WorldBox::new(point.min(corner), point.max(corner));
        let regions = [
            ("box", WorldRegion::Box(aabb)),
            ("sphere", WorldRegion::Sphere { center: point, radius: point.distance(corner) }),
            ("convex", WorldRegion::Convex(region)),
        ];
        let regions = regions.map(|(name, region)| {
            let triangles = scan.triangles_overlapping(&region, &EVERYTHING);
            let within = scan.instances_within(&region, &EVERYTHING);
            (name, region, triangles, within)
        });
        Self {
            point,
            max_distance,
            closest,
            closest_within: scan.closest_point(point, max_distance, &EVERYTHING),
            around: scan.instances_containing(point, &EVERYTHING),
            regions: regions.into(),
        }
    }

    fn compare(&self, scene: &Scene) -> Comparison {
        let mut sum = Comparison::default();
        let found = scene.closest_point(self.point, f64::INFINITY, &EVERYTHING);
        sum.compare("closest_point", &self.point, &point_bits(self.closest), &point_bits(found));
        let case = (self.point, self.max_distance);
        let found = scene.closest_point(self.point, self.max_distance, &EVERYTHING);
        sum.compare("closest_point", &case, &point_bits(self.closest_within), &point_bits(found));
        let around = scene.instances_containing(self.point, &EVERYTHING);
        sum.compare("instances_containing", &self.point, &self.around, &around);
        let signed = |closest: ScenePoint| match self.around.is_empty() || closest.distance == 0.0 {
            true => closest.distance.to_bits(),
            false => (-closest.distance).to_bits(),
        };
        let found = scene.signed_distance(self.point, &EVERYTHING).map(f64::to_bits);
        sum.compare("signed_distance", &self.point, &self.closest.map(signed), &found);
        for (name, region, triangles, within) in &self.regions {
            let mut found = Vec::new();
            scene.triangles_overlapping_into(region, &EVERYTHING, &mut found);
            sum.compare(name, region, triangles, &found);
            let mut instances: Vec<InstanceId> = triangles.iter().map(|t| t.instance).collect();
            instances.dedup();
            let found = scene.instances_overlapping(region, &EVERYTHING);
            sum.compare("instances", region, &instances, &found);
            let found = scene.instances_within(region, &EVERYTHING);
            sum.compare("within", region, within, &found);
            self.compare_visit(scene, region, &instances, &mut sum);
        }
        sum
    }

    /// The instances below the boxes that touch a box region: all that touch it, each once.
    fn compare_visit(
        &self,
        scene: &Scene,
        region: &WorldRegion,
        instances: &[InstanceId],
        sum: &mut Comparison,
    ) {
        let WorldRegion::Box(aabb) = region else { return };
        let (mut visited, mut is_once) = (BTreeSet::new(), true);
        let _: ControlFlow<()> = scene.visit(
            &EVERYTHING,
            |bounds| bounds.overlaps(aabb),
            |id| {
                is_once &= visited.insert(id);
                ControlFlow::Continue(())
            },
        );
        let is_complete = instances.iter().all(|id| visited.contains(id));
        sum.compare("visit", region, &[true; 2], &[is_once, is_complete]);
    }
}

/// A closest point as bits.
fn point_bits(point: Option<ScenePoint>) -> Option<(InstanceId, u32, [u64; 6])> {
    let ScenePoint { instance, triangle, point, u, v, distance } = point?;
    let [x, y, z] = point.to_array();
    Some((instance, triangle, [x, y, z, u, v, distance].map(f64::to_bits)))
}

/// Compares the queries with a filter, and the closest hits of single instances.
fn filtered(scene: &Scene, ray: &WorldRay, [every, once]: &[Vec<SceneHit>; 2]) -> Comparison {
    let mut sum = Comparison::default();
    let first = every.first().map(bits);
    let found = scene.closest_hit_where(ray, &EVERYTHING, accepts).as_ref().map(bits);
    sum.compare("closest_where", ray, &first, &found);
    let found = scene.is_occluded_where(ray, &EVERYTHING, accepts);
    sum.compare("any_where", ray, &first.is_some(), &found);
    let mut hits = Vec::new();
    for (mode, all) in [(HitMode::EveryTriangle, every), (HitMode::OncePerCrossing, once)] {
        let options = QueryOptions { mode, ..EVERYTHING };
        scene.all_hits_where_into(ray, &options, accepts, &mut hits);
        sum.compare("all_where", &(ray, mode), &all_bits(all), &all_bits(&hits));
        for n in N_NEAREST {
            scene.nearest_hits_where_into(ray, n, &options, accepts, &mut hits);
            let first = all_bits(&all[..all.len().min(n)]);
            sum.compare("nearest_where", &(ray, mode, n), &first, &all_bits(&hits));
        }
    }
    // The first instance with a hit, among all of its hits.
    let all = scene.all_hits(ray, &EVERYTHING);
    if let Some(last) = all.last() {
        let own = all.iter().find(|hit| hit.instance == last.instance).map(bits);
        let mut found = [None];
        scene.closest_hits_of_instance(last.instance, &[*ray], &EVERYTHING, &mut found);
        sum.compare("of_instance", ray, &own, &found[0].as_ref().map(bits));
    }
    sum
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
        for (tally, n_queries) in tallies(&scene, &scene).into_iter().zip([11, 2, 2]) {
            assert!(tally.first.is_none(), "{:?}", tally.first);
            assert_eq!(tally.n_answers, 3 * n_queries * 400);
        }
    }

    #[test]
    fn places_and_filters_show_no_difference_in_a_correct_scene_and_one_in_a_broken_one() {
        let mesh = generate::sphere(1.0, 60).unwrap();
        let mut triangles = mesh.triangles().to_vec();
        triangles[..40].fill([0; 3]);
        let broken = TriMesh::from_vecs(mesh.positions().to_vec(), triangles).unwrap();
        let scene = scene_of(mesh);
        let rays = SceneRays::new(&scene, 1).next_rays(8000);
        let expected = ExpectedInSceneSpace::new(&SceneBruteForce::new(&scene), &rays);
        let sum = expected.compare(&scene);
        assert!(sum.first.is_none(), "{:?}", sum.first);
        let sum = expected.compare(&scene_of(broken));
        let mut names = Vec::new();
        for (query, [_, n_differences]) in sum.queries {
            if n_differences > 0 {
                names.push(query);
            }
        }
        let lists = ["all_where", "any_where", "box", "closest_point", "closest_where", "convex"];
        for name in lists.into_iter().chain(["nearest_where", "sphere"]) {
            assert!(names.contains(&name), "{name}: {names:?}");
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
