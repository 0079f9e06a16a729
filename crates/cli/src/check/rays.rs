//! Compares the answers about rays: one ray at a time, in one batch, and in short batches.

use std::fmt::Debug;
use std::iter;
use std::ops::{Range, RangeInclusive};

use hitscan::{Faces, Hit, HitMode};
use hitscan_oracle::N_NEAREST;
use rayon::prelude::*;

use super::tally::Tally;
use crate::query::{Answer, Answers, Found, Query, RayCaster};

/// The choices of sides that each ray is asked about.
pub(super) const FACES: [Faces; 3] = [Faces::Both, Faces::Front, Faces::Back];

pub(super) const MODES: [HitMode; 2] = [HitMode::EveryTriangle, HitMode::OncePerCrossing];

/// All hits of a ray by brute force, in the order of [`MODES`].
pub(super) struct Hits(pub(super) [Vec<Found>; 2]);

impl Hits {
    fn of(&self, mode: HitMode) -> &[Found] {
        &self.0[usize::from(mode == HitMode::OncePerCrossing)]
    }

    fn nearest(&self, mode: HitMode, n: usize) -> &[Found] {
        let hits = self.of(mode);
        &hits[..n.min(hits.len())]
    }

    fn answer(&self, query: Query) -> Answer<'_> {
        match query {
            Query::Closest => Answer::Hits(self.nearest(HitMode::EveryTriangle, 1)),
            Query::All(mode) => Answer::Hits(self.of(mode)),
            Query::Any => Answer::Occluded(!self.of(HitMode::EveryTriangle).is_empty()),
            Query::Count => Answer::Crossings(self.of(HitMode::OncePerCrossing).len() as u32),
        }
    }
}

/// The names of the queries, in the order of the columns of a report.
pub(super) const NAMES: [&str; 6] = ["closest", "any", "all", "once", NEAREST, "crossings"];

/// The only query without a batch.
const NEAREST: &str = "nearest";

/// The queries but the nearest, with their names and the flags of `hitscan cast`.
const QUERIES: [(Query, &str, &str); 5] = [
    (Query::Closest, "closest", "--closest"),
    (Query::Any, "any", "--any"),
    (Query::All(HitMode::EveryTriangle), "all", "--all"),
    (Query::All(HitMode::OncePerCrossing), "once", "--all --once-per-crossing"),
    (Query::Count, "crossings", "--count"),
];

/// The grouping of rays into calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// One ray per call.
    Single,
    /// All rays in one call.
    Batch,
    /// Calls of 1, 2, 3, ... rays, which exercise the remainder of a kernel that takes several at a time.
    ShortBatches,
}

impl Shape {
    pub(super) const ALL: [Self; 3] = [Self::Single, Self::Batch, Self::ShortBatches];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Single => "single",
            Self::Batch => "batch",
            Self::ShortBatches => "short batches",
        }
    }
}

/// The lengths of the short batches, in order.
pub(super) const SHORT_BATCHES: RangeInclusive<usize> = 1..=37;

/// Rays with the hits of brute force.
pub(crate) struct Expected<R> {
    pub(super) rays: Vec<R>,
    /// For each choice of sides.
    pub(super) hits: [Vec<Hits>; FACES.len()],
    /// The flags of `hitscan cast` for a ray. The decimals are short and parse to the same bits.
    pub(super) flags: fn(&R) -> String,
}

impl<R: Copy + Send + Sync + Debug> Expected<R> {
    /// Compares every query of a caster, in one shape, with the hits.
    pub(super) fn compare<T: RayCaster<Ray = R>>(&self, caster: &T, shape: Shape) -> Tally {
        let n = self.rays.len();
        let parts = match shape {
            // Without rays one part, so that the report has a number for each query.
            _ if n == 0 => iter::once(0..0).collect(),
            Shape::Single => parts_of(n, 256..=256),
            Shape::Batch => iter::once(0..n).collect(),
            Shape::ShortBatches => parts_of(n, SHORT_BATCHES),
        };
        let of_faces = |(faces, hits): (Faces, &Vec<Hits>)| {
            let part = |part: &Range<usize>| {
                self.compare_part(caster, shape, part.clone(), faces, &hits[part.clone()])
            };
            parts.par_iter().map(part).reduce(Tally::default, Tally::with)
        };
        FACES.into_iter().zip(&self.hits).map(of_faces).fold(Tally::default(), Tally::with)
    }

    fn compare_part<T: RayCaster<Ray = R>>(
        &self,
        caster: &T,
        shape: Shape,
        part: Range<usize>,
        faces: Faces,
        hits: &[Hits],
    ) -> Tally {
        let rays = &self.rays[part];
        let names = NAMES.into_iter().filter(|&name| shape == Shape::Single || name != NEAREST);
        let mut tally = Tally::of(names);
        let mut count = |ray: &R, name, flags, expected: Answer<'_>, found: Answer<'_>| {
            tally.count(name, is_same(&expected, &found), || {
                let (ray, faces) = ((self.flags)(ray), format!("{faces:?}").to_lowercase());
                [format!("{ray} {flags} --faces {faces}"), text(&expected), text(&found)]
            });
        };
        for (query, name, flags) in QUERIES {
            let found = match shape {
                Shape::Single => Answers::one_by_one(caster, rays, query, faces),
                _ => Answers::in_batch(caster, rays, query, faces),
            };
            for (i, (ray, hits)) in rays.iter().zip(hits).enumerate() {
                count(ray, name, flags, hits.answer(query), found.of(i));
            }
        }
        if shape == Shape::Single {
            for (ray, hits) in rays.iter().zip(hits) {
                for (mode, n) in MODES.into_iter().flat_map(|mode| N_NEAREST.map(|n| (mode, n))) {
                    let found = caster.nearest(ray, n, faces, mode);
                    let found: Vec<Found> = found.into_iter().map(T::Hit::into).collect();
                    let expected = Answer::Hits(hits.nearest(mode, n));
                    count(ray, NEAREST, "--all", expected, Answer::Hits(&found));
                }
            }
        }
        tally
    }
}

/// Whether two answers have the same bits.
fn is_same(a: &Answer<'_>, b: &Answer<'_>) -> bool {
    match (a, b) {
        (Answer::Hits(a), Answer::Hits(b)) => {
            a.iter().map(|hit| hit.to_bits()).eq(b.iter().map(|hit| hit.to_bits()))
        }
        _ => a == b,
    }
}

/// An answer with enough digits to tell it from any other.
fn text(answer: &Answer<'_>) -> String {
    let of_mesh = |Hit { t, u, v, triangle, side }: Hit| {
        format!("t {t:?} u {u:?} v {v:?} triangle {triangle} {side:?}")
    };
    let of_hit = |hit: &Found| match *hit {
        Found::Mesh(hit) => format!("({})", of_mesh(hit)),
        Found::Contact(_) | Found::SceneContact(_) => format!("{hit:?}"),
        Found::Scene(hit) => {
            format!("(t {:?} instance {} local {})", hit.t, hit.insertion_order, of_mesh(hit.local))
        }
    };
    match answer {
        Answer::Hits(hits) => {
            let texts: Vec<String> = hits.iter().map(of_hit).collect();
            format!("{} hits {}", hits.len(), texts.join(" "))
        }
        Answer::Occluded(is_occluded) => is_occluded.to_string(),
        Answer::Crossings(n) => n.to_string(),
    }
}

/// Cuts `0..n` into parts whose lengths cycle through a range.
pub(super) fn parts_of(n: usize, lengths: RangeInclusive<usize>) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut start = 0;
    for length in lengths.cycle() {
        if start >= n {
            break;
        }
        let end = (start + length).min(n);
        parts.push(start..end);
        start = end;
    }
    parts
}

/// The flags of `hitscan cast` for the numbers of a ray.
pub(super) fn ray_flags<N: Debug>(origin: [N; 3], direction: [N; 3], t: [N; 2]) -> String {
    let ([ox, oy, oz], [dx, dy, dz], [t_min, t_max]) = (origin, direction, t);
    format!(
        "--from={ox:?},{oy:?},{oz:?} --dir={dx:?},{dy:?},{dz:?} --t-min={t_min:?} --t-max={t_max:?}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_all_rays_in_order() {
        assert_eq!(parts_of(7, 1..=3), [0..1, 1..3, 3..6, 6..7]);
        assert_eq!(parts_of(0, 1..=3), []);
    }
}
