//! The answers to a query for many rays.

use hitscan::{Faces, HitMode};

use super::caster::RayCaster;
use super::found::{Found, Lists};

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
    Closest(Vec<Option<Found>>),
    All(Lists<Found>),
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
    /// The answers of a caster for `rays`. One ray takes the single-ray path of the library.
    pub(crate) fn new<T: RayCaster>(
        caster: &T,
        rays: &[T::Ray],
        query: Query,
        faces: Faces,
    ) -> Self {
        match rays.len() {
            1 => Self::one_by_one(caster, rays, query, faces),
            _ => Self::in_batch(caster, rays, query, faces),
        }
    }

    /// The answers for `rays` in one call, in parallel.
    pub(crate) fn in_batch<T: RayCaster>(
        caster: &T,
        rays: &[T::Ray],
        query: Query,
        faces: Faces,
    ) -> Self {
        match query {
            Query::Closest => {
                let mut hits = vec![None; rays.len()];
                caster.closest_batch(rays, faces, &mut hits);
                Self::Closest(hits.into_iter().map(|hit| hit.map(T::Hit::into)).collect())
            }
            Query::All(mode) => {
                let Lists { starts, hits } = caster.all_batch(rays, faces, mode);
                Self::All(Lists { starts, hits: hits.into_iter().map(T::Hit::into).collect() })
            }
            Query::Any => {
                let mut occluded = vec![false; rays.len()];
                caster.is_occluded_batch(rays, faces, &mut occluded);
                Self::Any(occluded)
            }
            Query::Count => {
                let mut crossings = vec![0; rays.len()];
                caster.count_batch(rays, faces, &mut crossings);
                Self::Count(crossings)
            }
        }
    }

    /// The answers for `rays` from one call for each.
    pub(crate) fn one_by_one<T: RayCaster>(
        caster: &T,
        rays: &[T::Ray],
        query: Query,
        faces: Faces,
    ) -> Self {
        let rays = rays.iter();
        match query {
            Query::Closest => {
                Self::Closest(rays.map(|r| caster.closest(r, faces).map(T::Hit::into)).collect())
            }
            Query::All(mode) => {
                let found = |hits: Vec<T::Hit>| hits.into_iter().map(T::Hit::into).collect();
                let lists: Vec<_> = rays.map(|r| found(caster.all(r, faces, mode))).collect();
                Self::All(lists.into())
            }
            Query::Any => Self::Any(rays.map(|r| caster.is_occluded(r, faces)).collect()),
            Query::Count => Self::Count(rays.map(|r| caster.count(r, faces)).collect()),
        }
    }

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
