//! The answers to every query about one ray, and the comparison to the last bit.

use hitscan_primitives::{Faces, Hit, HitMode, Ray, TriMesh, brute_force};

/// The `n` of the queries for the `n` nearest hits.
pub const N_NEAREST: usize = 3;

/// What every query says about one ray, seen by one choice of faces.
///
/// Each field is asked for on its own, so a closest hit that is not the first of all hits shows.
#[derive(Clone, Debug)]
pub struct Answers {
    /// The closest hit.
    pub closest: Option<Hit>,
    /// Whether anything is hit.
    pub occluded: bool,
    /// All hits on closed triangles.
    pub closed: Vec<Hit>,
    /// All hits, each crossing once.
    pub once: Vec<Hit>,
    /// The first [`N_NEAREST`] of `closed`.
    pub nearest_closed: Vec<Hit>,
    /// The first [`N_NEAREST`] of `once`.
    pub nearest_once: Vec<Hit>,
    /// The number of crossings.
    pub crossings: usize,
}

/// The [`Answers`] of a `MeshBvh`, whose crate this one does not know: every query about one ray.
#[macro_export]
macro_rules! answers_of {
    ($bvh:expr, $ray:expr, $faces:expr) => {{
        use $crate::HitMode;
        let (bvh, ray, faces) = (&$bvh, $ray, $faces);
        let nearest = |mode| {
            let mut hits = ::std::vec::Vec::new();
            bvh.nearest_hits(ray, faces, mode, $crate::N_NEAREST, &mut hits);
            hits
        };
        $crate::Answers {
            closest: bvh.closest_hit(ray, faces),
            occluded: bvh.is_occluded(ray, faces),
            closed: bvh.all_hits(ray, faces, HitMode::Closed),
            once: bvh.all_hits(ray, faces, HitMode::Once),
            nearest_closed: nearest(HitMode::Closed),
            nearest_once: nearest(HitMode::Once),
            crossings: bvh.count_crossings(ray, faces),
        }
    }};
}

impl Answers {
    /// What follows from the sorted lists of all hits.
    pub fn from_lists(closed: Vec<Hit>, once: Vec<Hit>) -> Self {
        Self {
            closest: closed.first().copied(),
            occluded: !closed.is_empty(),
            nearest_closed: closed.iter().copied().take(N_NEAREST).collect(),
            nearest_once: once.iter().copied().take(N_NEAREST).collect(),
            crossings: once.len(),
            closed,
            once,
        }
    }

    /// The answers of the public brute-force scan, each asked for on its own.
    pub fn by_brute_force(mesh: &TriMesh, ray: &Ray, faces: Faces) -> Self {
        let closed = brute_force::all_hits(mesh, ray, faces, HitMode::Closed);
        let once = brute_force::all_hits(mesh, ray, faces, HitMode::Once);
        Self {
            closest: brute_force::closest_hit(mesh, ray, faces),
            occluded: brute_force::is_occluded(mesh, ray, faces),
            crossings: brute_force::count_crossings(mesh, ray, faces),
            ..Self::from_lists(closed, once)
        }
    }

    /// The first answer that is not the same to the last bit, as a sentence; `None` if there is none.
    pub fn difference(&self, expected: &Self) -> Option<String> {
        let closest = |answers: &Self| answers.closest.map(|hit| hit.to_bits());
        let report = |query: &str, found: &dyn std::fmt::Debug, expected: &dyn std::fmt::Debug| {
            Some(format!("{query}: found {found:?}, expected {expected:?}"))
        };
        if closest(self) != closest(expected) {
            return report("closest hit", &self.closest, &expected.closest);
        }
        if self.occluded != expected.occluded {
            return report("is occluded", &self.occluded, &expected.occluded);
        }
        let lists = [
            ("all hits, closed", &self.closed, &expected.closed),
            ("all hits, once", &self.once, &expected.once),
            ("nearest hits, closed", &self.nearest_closed, &expected.nearest_closed),
            ("nearest hits, once", &self.nearest_once, &expected.nearest_once),
        ];
        for (query, found, expected) in lists {
            if !found.iter().map(Hit::to_bits).eq(expected.iter().map(Hit::to_bits)) {
                return report(query, found, expected);
            }
        }
        if self.crossings != expected.crossings {
            return report("crossings", &self.crossings, &expected.crossings);
        }
        None
    }
}
