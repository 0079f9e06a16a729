//! Queries of a mesh or a scene with many rays, by trees or by brute force.

use hitscan::primitives::brute_force::BruteForce;
use hitscan::scene::{QueryOptions, Scene, SceneBruteForce, SceneHit, WorldRay};
use hitscan::{Faces, Hit, HitMode, HitOptions, MeshBvh, Ray};
use rayon::prelude::*;

/// The query for each ray.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Query {
    /// The hit with the smallest t.
    Closest,
    /// All hits.
    All(HitMode),
    /// Whether there is a hit.
    Any,
    /// The number of crossings of the surface.
    Count,
}

/// A hit of a mesh or of a scene.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Found {
    Mesh(Hit),
    Scene(SceneHit),
}

impl Found {
    /// The position on the ray.
    pub(crate) fn t(&self) -> f64 {
        match self {
            Self::Mesh(hit) => hit.t.into(),
            Self::Scene(hit) => hit.t,
        }
    }
}

/// The hits of many rays in one list.
#[derive(Clone, Debug)]
pub(crate) struct FoundLists {
    /// The start of each ray's hits, then the number of all hits.
    starts: Vec<usize>,
    pub(crate) hits: Vec<Found>,
}

impl FoundLists {
    fn of(&self, ray: usize) -> &[Found] {
        &self.hits[self.starts[ray]..self.starts[ray + 1]]
    }
}

/// The answers for a slice of rays.
#[derive(Clone, Debug)]
pub(crate) enum Answers {
    Closest(Vec<Option<Found>>),
    All(FoundLists),
    Any(Vec<bool>),
    Count(Vec<u32>),
}

/// The answer for one ray.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Answer<'a> {
    /// The hits of the query, in order.
    Hits(&'a [Found]),
    /// Whether there is a hit.
    Occluded(bool),
    /// The number of crossings.
    Crossings(u32),
}

impl Answers {
    /// The answer for the ray at index `ray` of the slice.
    pub(crate) fn of(&self, ray: usize) -> Answer<'_> {
        match self {
            Self::Closest(hits) => Answer::Hits(hits[ray].as_slice()),
            Self::All(lists) => Answer::Hits(lists.of(ray)),
            Self::Any(occluded) => Answer::Occluded(occluded[ray]),
            Self::Count(crossings) => Answer::Crossings(crossings[ray]),
        }
    }

    /// Whether any ray hit anything.
    pub(crate) fn any_hit(&self) -> bool {
        match self {
            Self::Closest(hits) => hits.iter().any(Option::is_some),
            Self::All(lists) => !lists.hits.is_empty(),
            Self::Any(occluded) => occluded.contains(&true),
            Self::Count(crossings) => crossings.iter().any(|&n| n > 0),
        }
    }
}

/// Rays at a mesh or at a scene.
#[derive(Clone, Debug)]
pub(crate) enum Rays {
    Mesh(Vec<Ray>),
    Scene(Vec<WorldRay>),
}

impl Rays {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Mesh(rays) => rays.len(),
            Self::Scene(rays) => rays.len(),
        }
    }

    pub(crate) fn clear(&mut self) {
        match self {
            Self::Mesh(rays) => rays.clear(),
            Self::Scene(rays) => rays.clear(),
        }
    }

    pub(crate) fn n_invalid(&self) -> usize {
        match self {
            Self::Mesh(rays) => rays.iter().filter(|ray| !ray.is_valid()).count(),
            Self::Scene(rays) => rays.iter().filter(|ray| !ray.is_valid()).count(),
        }
    }

    /// The length of a ray's direction.
    pub(crate) fn direction_length(&self, ray: usize) -> f64 {
        match self {
            Self::Mesh(rays) => rays[ray].direction.as_dvec3().length(),
            Self::Scene(rays) => rays[ray].direction.length(),
        }
    }
}

/// The backend: trees, or scans of all triangles, of a mesh or of a scene. Both give bit-equal answers.
#[derive(Debug)]
pub(crate) enum QueryBackend<'a> {
    Tree(Box<MeshBvh>),
    Brute(BruteForce<'a>),
    Scene(&'a Scene),
    BruteScene(SceneBruteForce<'a>),
}

impl QueryBackend<'_> {
    /// An empty list for the rays of this backend.
    pub(crate) fn no_rays(&self) -> Rays {
        match self {
            Self::Tree(_) | Self::Brute(_) => Rays::Mesh(vec![]),
            Self::Scene(_) | Self::BruteScene(_) => Rays::Scene(vec![]),
        }
    }

    /// The answers for `rays`, in parallel.
    pub(crate) fn answers(&self, rays: &Rays, query: Query, faces: Faces) -> Answers {
        match (self, rays) {
            (Self::Tree(tree), Rays::Mesh(rays)) => answers_of_tree(tree, rays, query, faces),
            (Self::Brute(scan), Rays::Mesh(rays)) => answers_of_scan(scan, rays, query, faces),
            (Self::Scene(scene), Rays::Scene(rays)) => answers_of_scene(scene, rays, query, faces),
            (Self::BruteScene(scan), Rays::Scene(rays)) => {
                answers_of_scene_scan(scan, rays, query, faces)
            }
            _ => unreachable!("the rays are those of `no_rays`"),
        }
    }
}

fn answers_of_tree(tree: &MeshBvh, rays: &[Ray], query: Query, faces: Faces) -> Answers {
    match (query, rays) {
        // One ray takes the single-ray path of the library.
        (Query::Closest, [ray]) => {
            Answers::Closest(vec![tree.closest_hit(ray, faces).map(Found::Mesh)])
        }
        (Query::Closest, _) => {
            let mut hits = vec![None; rays.len()];
            tree.closest_hit_batch(rays, faces, &mut hits);
            Answers::Closest(hits.into_iter().map(|hit| hit.map(Found::Mesh)).collect())
        }
        (Query::All(mode), _) => {
            let lists = tree.all_hits_batch(rays, &HitOptions { faces, mode });
            let hits = lists.hits.into_iter().map(Found::Mesh).collect();
            Answers::All(FoundLists { starts: lists.starts, hits })
        }
        (Query::Any, [ray]) => Answers::Any(vec![tree.is_occluded(ray, faces)]),
        (Query::Any, _) => {
            let mut occluded = vec![false; rays.len()];
            tree.is_occluded_batch(rays, faces, &mut occluded);
            Answers::Any(occluded)
        }
        (Query::Count, _) => {
            let mut crossings = vec![0; rays.len()];
            tree.count_crossings_batch(rays, faces, &mut crossings);
            Answers::Count(crossings)
        }
    }
}

fn answers_of_scan(scan: &BruteForce<'_>, rays: &[Ray], query: Query, faces: Faces) -> Answers {
    let rays = rays.par_iter();
    match query {
        Query::Closest => {
            let closest = |ray| scan.closest_hit(ray, faces).map(Found::Mesh);
            Answers::Closest(rays.map(closest).collect())
        }
        Query::All(mode) => Answers::All(joined(
            rays.map(|ray| scan.all_hits(ray, &HitOptions { faces, mode })).collect(),
            Found::Mesh,
        )),
        Query::Any => Answers::Any(rays.map(|ray| scan.is_occluded(ray, faces)).collect()),
        Query::Count => {
            let count = |ray: &Ray| {
                scan.all_hits(ray, &HitOptions { faces, mode: HitMode::OncePerCrossing }).len()
                    as u32
            };
            Answers::Count(rays.map(count).collect())
        }
    }
}

fn answers_of_scene(scene: &Scene, rays: &[WorldRay], query: Query, faces: Faces) -> Answers {
    let options = QueryOptions { faces, ..QueryOptions::default() };
    match query {
        Query::Closest => {
            let mut hits = vec![None; rays.len()];
            scene.closest_hit_batch(rays, &options, &mut hits);
            Answers::Closest(hits.into_iter().map(|hit| hit.map(Found::Scene)).collect())
        }
        Query::All(mode) => {
            let options = QueryOptions { mode, ..options };
            let lists = rays.par_iter().map(|ray| scene.all_hits(ray, &options)).collect();
            Answers::All(joined(lists, Found::Scene))
        }
        Query::Any => {
            let mut occluded = vec![false; rays.len()];
            scene.is_occluded_batch(rays, &options, &mut occluded);
            Answers::Any(occluded)
        }
        Query::Count => {
            let count = |ray| scene.count_crossings(ray, &options) as u32;
            Answers::Count(rays.par_iter().map(count).collect())
        }
    }
}

fn answers_of_scene_scan(
    scan: &SceneBruteForce<'_>,
    rays: &[WorldRay],
    query: Query,
    faces: Faces,
) -> Answers {
    let options = QueryOptions { faces, ..QueryOptions::default() };
    let rays = rays.par_iter();
    match query {
        Query::Closest => {
            let closest = |ray| scan.closest_hit(ray, &options).map(Found::Scene);
            Answers::Closest(rays.map(closest).collect())
        }
        Query::All(mode) => {
            let options = QueryOptions { mode, ..options };
            let lists = rays.map(|ray| scan.all_hits(ray, &options)).collect();
            Answers::All(joined(lists, Found::Scene))
        }
        Query::Any => Answers::Any(rays.map(|ray| scan.is_occluded(ray, &options)).collect()),
        Query::Count => {
            let count = |ray| scan.count_crossings(ray, &options) as u32;
            Answers::Count(rays.map(count).collect())
        }
    }
}

/// The concatenation of the lists.
fn joined<H>(lists: Vec<Vec<H>>, found: fn(H) -> Found) -> FoundLists {
    let mut starts = Vec::with_capacity(lists.len() + 1);
    starts.push(0);
    let mut hits = Vec::with_capacity(lists.iter().map(Vec::len).sum());
    for list in lists {
        hits.extend(list.into_iter().map(found));
        starts.push(hits.len());
    }
    FoundLists { starts, hits }
}
