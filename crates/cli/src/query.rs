//! Queries of a mesh with many rays, by its tree or by brute force.

use hitscan::primitives::brute_force::BruteForce;
use hitscan::{Faces, Hit, HitLists, HitMode, HitOptions, MeshBvh, Ray};
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

/// The answers for a slice of rays.
#[derive(Clone, Debug)]
pub(crate) enum Answers {
    Closest(Vec<Option<Hit>>),
    All(HitLists),
    Any(Vec<bool>),
    Count(Vec<u32>),
}

/// The answer for one ray.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Answer<'a> {
    /// The hits of the query, in order.
    Hits(&'a [Hit]),
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

/// The backend: a tree, or a scan of all triangles. Both give bit-equal answers.
#[derive(Debug)]
pub(crate) enum QueryBackend<'a> {
    Tree(Box<MeshBvh>),
    Brute(BruteForce<'a>),
}

impl QueryBackend<'_> {
    /// The answers for `rays`, in parallel.
    pub(crate) fn answers(&self, rays: &[Ray], query: Query, faces: Faces) -> Answers {
        match self {
            Self::Tree(tree) => match rays {
                // One ray takes the single-ray path of the library.
                [ray] => answer_of_tree(tree, ray, query, faces),
                _ => answers_of_tree(tree, rays, query, faces),
            },
            Self::Brute(scan) => answers_of_scan(scan, rays, query, faces),
        }
    }
}

fn answer_of_tree(tree: &MeshBvh, ray: &Ray, query: Query, faces: Faces) -> Answers {
    match query {
        Query::Closest => Answers::Closest(vec![tree.closest_hit(ray, faces)]),
        Query::All(mode) => {
            let hits = tree.all_hits(ray, &HitOptions { faces, mode });
            Answers::All(HitLists { starts: vec![0, hits.len()], hits })
        }
        Query::Any => Answers::Any(vec![tree.is_occluded(ray, faces)]),
        Query::Count => Answers::Count(vec![tree.count_crossings(ray, faces) as u32]),
    }
}

fn answers_of_tree(tree: &MeshBvh, rays: &[Ray], query: Query, faces: Faces) -> Answers {
    match query {
        Query::Closest => {
            let mut hits = vec![None; rays.len()];
            tree.closest_hit_batch(rays, faces, &mut hits);
            Answers::Closest(hits)
        }
        Query::All(mode) => Answers::All(tree.all_hits_batch(rays, &HitOptions { faces, mode })),
        Query::Any => {
            let mut occluded = vec![false; rays.len()];
            tree.is_occluded_batch(rays, faces, &mut occluded);
            Answers::Any(occluded)
        }
        Query::Count => {
            let mut crossings = vec![0; rays.len()];
            tree.count_crossings_batch(rays, faces, &mut crossings);
            Answers::Count(crossings)
        }
    }
}

fn answers_of_scan(scan: &BruteForce<'_>, rays: &[Ray], query: Query, faces: Faces) -> Answers {
    let rays = rays.par_iter();
    match query {
        Query::Closest => Answers::Closest(rays.map(|ray| scan.closest_hit(ray, faces)).collect()),
        Query::All(mode) => Answers::All(joined(
            rays.map(|ray| scan.all_hits(ray, &HitOptions { faces, mode })).collect(),
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

/// The concatenation of the lists.
fn joined(lists: Vec<Vec<Hit>>) -> HitLists {
    let mut starts = Vec::with_capacity(lists.len() + 1);
    starts.push(0);
    for list in &lists {
        starts.push(starts[starts.len() - 1] + list.len());
    }
    HitLists { starts, hits: lists.concat() }
}
