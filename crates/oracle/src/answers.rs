//! The answers of a tree to rays, one by one and in batches.

use hitscan_primitives::{Faces, Hit, HitMode, HitOptions, Ray, Side, TriMesh, brute_force};

/// The numbers of hits in the queries for the nearest hits.
pub const N_NEAREST: [usize; 3] = [1, 3, 16];

/// The answers of every query about one ray, for one choice of faces.
///
/// Each field is the answer of a separate call. A closest hit that is not the first of all hits
/// therefore shows.
#[derive(Clone, Debug)]
pub struct Answers {
    /// The closest hit.
    pub closest: Option<Hit>,
    /// Whether the ray hits anything.
    pub occluded: bool,
    /// All hits, on every triangle.
    pub every_triangle: Vec<Hit>,
    /// All hits, each crossing once.
    pub once_per_crossing: Vec<Hit>,
    /// The nearest hits, for each number in [`N_NEAREST`] and each [`HitMode`].
    pub nearest: Vec<NearestHits>,
    /// The number of crossings.
    pub crossings: usize,
}

/// The answer of a query for the nearest hits.
#[derive(Clone, Debug)]
pub struct NearestHits {
    /// The hits that count.
    pub mode: HitMode,
    /// The number of hits that the query asks for.
    pub n: usize,
    /// The first `n` hits, or all if there are fewer.
    pub hits: Vec<Hit>,
}

/// The [`Answers`] of a `MeshBvh` to every query about one ray.
///
/// It is a macro because this crate does not know the crate of `MeshBvh`. Each argument is an
/// expression: the tree, a `&Ray` and the [`Faces`].
#[macro_export]
macro_rules! answers_of {
    ($bvh:expr, $ray:expr, $faces:expr) => {{
        use $crate::{HitMode, HitOptions};
        let (bvh, ray, faces) = (&$bvh, $ray, $faces);
        $crate::Answers {
            closest: bvh.closest_hit(ray, faces),
            occluded: bvh.is_occluded(ray, faces),
            every_triangle: bvh.all_hits(ray, &HitOptions { faces, mode: HitMode::EveryTriangle }),
            once_per_crossing: bvh
                .all_hits(ray, &HitOptions { faces, mode: HitMode::OncePerCrossing }),
            nearest: $crate::NearestHits::ask_all(|mode, n, hits| {
                bvh.nearest_hits_into(ray, n, &HitOptions { faces, mode }, hits);
            }),
            crossings: bvh.count_crossings(ray, faces),
        }
    }};
}

/// The [`BatchAnswers`] of a `MeshBvh` about a slice of rays.
///
/// Each argument is an expression: the tree, a `&[Ray]` and the [`Faces`].
#[macro_export]
macro_rules! batch_answers_of {
    ($bvh:expr, $rays:expr, $faces:expr) => {{
        use $crate::{BatchAnswers, HitMode, HitOptions, HitRuns};
        let (bvh, rays, faces) = (&$bvh, $rays, $faces);
        let mut found = BatchAnswers::placeholders(rays.len());
        bvh.closest_hit_batch(rays, faces, &mut found.closest);
        bvh.is_occluded_batch(rays, faces, &mut found.occluded);
        bvh.count_crossings_batch(rays, faces, &mut found.crossings);
        let every_triangle =
            bvh.all_hits_batch(rays, &HitOptions { faces, mode: HitMode::EveryTriangle });
        found.every_triangle = HitRuns { starts: every_triangle.starts, hits: every_triangle.hits };
        let once_per_crossing =
            bvh.all_hits_batch(rays, &HitOptions { faces, mode: HitMode::OncePerCrossing });
        found.once_per_crossing =
            HitRuns { starts: once_per_crossing.starts, hits: once_per_crossing.hits };
        found
    }};
}

impl NearestHits {
    /// Asks for the nearest hits in both modes, for each number in [`N_NEAREST`]. `ask` replaces the
    /// hits in its last argument.
    pub fn ask_all(mut ask: impl FnMut(HitMode, usize, &mut Vec<Hit>)) -> Vec<Self> {
        let modes = [HitMode::EveryTriangle, HitMode::OncePerCrossing];
        let queries = N_NEAREST.into_iter().flat_map(|n| modes.map(|mode| (mode, n)));
        let mut answer = |(mode, n)| {
            let mut hits = Vec::new();
            ask(mode, n, &mut hits);
            Self { mode, n, hits }
        };
        queries.map(&mut answer).collect()
    }
}

impl Answers {
    /// The answers of the public brute-force scan, each from a separate call. The nearest hits are the
    /// first of all hits, because the scan has no query for them.
    pub fn by_brute_force(mesh: &TriMesh, ray: &Ray, faces: Faces) -> Self {
        let all_hits = |mode| brute_force::all_hits(mesh, ray, &HitOptions { faces, mode });
        let (every_triangle, once_per_crossing) =
            (all_hits(HitMode::EveryTriangle), all_hits(HitMode::OncePerCrossing));
        Self {
            closest: brute_force::closest_hit(mesh, ray, faces),
            occluded: brute_force::is_occluded(mesh, ray, faces),
            nearest: NearestHits::ask_all(|mode, n, hits| {
                let all = if mode == HitMode::EveryTriangle {
                    &every_triangle
                } else {
                    &once_per_crossing
                };
                hits.extend(all.iter().take(n));
            }),
            crossings: brute_force::count_crossings(mesh, ray, faces),
            every_triangle,
            once_per_crossing,
        }
    }
}

/// The answers of the batch queries about a list of rays. Each list has an entry per ray.
#[derive(Clone, Debug)]
pub struct BatchAnswers {
    /// The closest hits.
    pub closest: Vec<Option<Hit>>,
    /// Whether each ray hits anything.
    pub occluded: Vec<bool>,
    /// All hits, on every triangle.
    pub every_triangle: HitRuns,
    /// All hits, each crossing once.
    pub once_per_crossing: HitRuns,
    /// The numbers of crossings.
    pub crossings: Vec<u32>,
}

/// The hits of many rays, one run per ray.
#[derive(Clone, Debug, Default)]
pub struct HitRuns {
    /// The start of each ray's run in `hits`, and the end of the last run.
    pub starts: Vec<usize>,
    /// The hits of all rays.
    pub hits: Vec<Hit>,
}

impl BatchAnswers {
    /// Buffers for `n` rays, filled so that an entry that a query does not write shows.
    pub fn placeholders(n: usize) -> Self {
        let no_answer = Hit { t: f32::NAN, u: 0.0, v: 0.0, triangle: u32::MAX, side: Side::Back };
        Self {
            closest: vec![Some(no_answer); n],
            // Both values are answers, so an unwritten entry shows for about every other ray.
            occluded: (0..n).map(|i| i % 2 == 0).collect(),
            every_triangle: HitRuns::default(),
            once_per_crossing: HitRuns::default(),
            crossings: vec![u32::MAX; n],
        }
    }
}

impl HitRuns {
    /// The hits of ray `i`. The last run reaches to the end of `hits`, so that a lost or an extra hit
    /// shows. A start beyond the end gives an empty run.
    ///
    /// # Panics
    /// If there is no such ray.
    pub fn of(&self, i: usize) -> &[Hit] {
        let is_last = i + 2 == self.starts.len();
        let end = if is_last { self.hits.len() } else { self.starts[i + 1] };
        self.hits.get(self.starts[i]..end).unwrap_or_default()
    }
}

/// The bits of hits, for a comparison that tells -0.0 from 0.0.
pub fn bits(hits: &[Hit]) -> Vec<[u32; 5]> {
    hits.iter().map(Hit::to_bits).collect()
}
