//! The queries of a scene about points and regions, of single instances and with filters, against a scan.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use hitscan::glam::DVec3;
use hitscan::primitives::ConvexRegion;
use hitscan::scene::{
    InstanceId, QueryOptions, Scene, SceneBruteForce, SceneHit, ScenePoint, SceneTriangle,
    WorldBox, WorldRay, WorldRegion,
};
use hitscan::{Faces, HitMode};
use hitscan_oracle::N_NEAREST;
use rayon::prelude::*;

use super::rays::{MODES, SHORT_BATCHES, parts_of};
use super::tally::Tally;
use crate::query::Found;

/// All visible instances; hidden and locked ones take part as well, so that everything is compared.
pub(super) const EVERYTHING: QueryOptions<'static> = QueryOptions {
    faces: Faces::Both,
    mode: HitMode::EveryTriangle,
    layers: u32::MAX,
    ignore: &[],
    include_hidden: true,
    include_locked: true,
};

/// Places and rays of a scene, with the answers of the scan.
pub(crate) struct Places {
    places: Vec<ScenePlace>,
    rays: Vec<RayCase>,
}

/// A ray for the queries with a filter, and another direction from its first hit.
struct RayCase {
    ray: WorldRay,
    leaving: DVec3,
    /// In the order of [`MODES`].
    hits: [Vec<SceneHit>; 2],
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

impl Places {
    /// Scans all triangles for a sixteenth of the rays, and as many places between their ends.
    pub(super) fn new(scan: &SceneBruteForce<'_>, rays: &[WorldRay]) -> Self {
        let pairs = rays.par_chunks_exact(32).with_max_len(1).enumerate();
        let places =
            pairs.map(|(i, part)| ScenePlace::new(scan, i, &part[i % 32], &part[(i + 5) % 32]));
        let rays = rays.par_chunks(16).with_max_len(1).enumerate().map(|(i, part)| {
            let [ray, other] = [i, i + 5].map(|i| part[i % part.len()]);
            let hits = |mode| scan.all_hits(&ray, &QueryOptions { mode, ..EVERYTHING });
            RayCase { ray, leaving: other.direction, hits: MODES.map(hits) }
        });
        Self { places: places.collect(), rays: rays.collect() }
    }

    pub(super) fn compare(&self, scene: &Scene) -> Tally {
        let places = self.places.par_iter().map(|place| place.compare(scene));
        let rays = self.rays.par_iter().map(|case| case.compare(scene));
        let batches = parts_of(self.rays.len(), SHORT_BATCHES);
        let batches = batches.into_par_iter().map(|part| of_instance(scene, &self.rays[part]));
        places.chain(rays).chain(batches).reduce(Tally::default, Tally::with)
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
            let triangles = scan.overlapping(&region, &EVERYTHING);
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

    fn compare(&self, scene: &Scene) -> Tally {
        let mut sum = Tally::default();
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
            scene.overlapping_into(region, &EVERYTHING, &mut found);
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
        sum: &mut Tally,
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

impl RayCase {
    /// Compares the queries with a filter, and the origin of a ray that leaves the first hit.
    fn compare(&self, scene: &Scene) -> Tally {
        let mut sum = Tally::default();
        let ray = &self.ray;
        let accepted = self
            .hits
            .each_ref()
            .map(|hits| -> Vec<SceneHit> { hits.iter().copied().filter(accepts).collect() });
        let first = accepted[0].first().map(bits);
        let found = scene.closest_hit_where(ray, &EVERYTHING, accepts).as_ref().map(bits);
        sum.compare("closest_where", ray, &first, &found);
        let found = scene.is_occluded_where(ray, &EVERYTHING, accepts);
        sum.compare("any_where", ray, &first.is_some(), &found);
        let mut hits = Vec::new();
        for (mode, all) in MODES.into_iter().zip(&accepted) {
            let options = QueryOptions { mode, ..EVERYTHING };
            scene.all_hits_where_into(ray, &options, accepts, &mut hits);
            sum.compare("all_where", &(ray, mode), &all_bits(all), &all_bits(&hits));
            for n in N_NEAREST {
                scene.nearest_hits_where_into(ray, n, &options, accepts, &mut hits);
                let first = all_bits(&all[..all.len().min(n)]);
                sum.compare("nearest_where", &(ray, mode, n), &first, &all_bits(&hits));
            }
        }
        self.compare_safe_origin(scene, &mut sum);
        sum
    }

    /// A ray from the safe origin of the first hit does not meet the triangle of the hit again.
    fn compare_safe_origin(&self, scene: &Scene, sum: &mut Tally) {
        let Some(hit) = self.hits[0].first() else { return };
        let Some(details) = scene.describe(hit) else { return };
        // The promise excludes meshes that queries scale.
        if details.mesh().tri_mesh().query_scale() != 1.0 {
            return;
        }
        let origin = details.safe_origin(self.leaving).point;
        let is_same =
            |other: &SceneHit| (other.instance, other.triangle()) == (hit.instance, hit.triangle());
        let leaving = WorldRay::new(origin, self.leaving);
        let is_met = leaving.is_valid() && scene.is_occluded_where(&leaving, &EVERYTHING, is_same);
        sum.compare("safe_origin", &(hit, leaving), &false, &is_met);
    }
}

/// Compares the closest hits of one instance with a batch of rays.
fn of_instance(scene: &Scene, cases: &[RayCase]) -> Tally {
    let mut sum = Tally::default();
    let Some(instance) = cases.iter().find_map(|case| Some(case.hits[0].last()?.instance)) else {
        return sum;
    };
    let rays: Vec<WorldRay> = cases.iter().map(|case| case.ray).collect();
    let mut found = vec![None; rays.len()];
    scene.closest_hits_of_instance(instance, &rays, &EVERYTHING, &mut found);
    for (case, found) in cases.iter().zip(&found) {
        let own = case.hits[0].iter().find(|hit| hit.instance == instance);
        let (own, found) = (own.map(bits), found.as_ref().map(bits));
        sum.compare("of_instance", &(instance, &case.ray), &own, &found);
    }
    sum
}

/// A hit as bits: `t`, the instance, and the hit in its mesh.
fn bits(hit: &SceneHit) -> (u64, u64, [u32; 5]) {
    Found::Scene(*hit).to_bits()
}

fn all_bits(hits: &[SceneHit]) -> Vec<(u64, u64, [u32; 5])> {
    hits.iter().map(bits).collect()
}
