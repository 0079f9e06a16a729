//! Compares the answers of a tree with those of the brute-force scan.

use std::fmt::Debug;
use std::ops::{Range, RangeInclusive};

use hitscan::brute_force::{self, BruteForce};
use hitscan::{Faces, Hit, HitMode, MeshBvh, Ray, TriMesh, WatertightRay};
use rayon::prelude::*;

/// The queries under comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum QueryKind {
    Closest,
    Any,
    AllClosed,
    AllOnce,
    Nearest,
    Crossings,
}

impl QueryKind {
    pub(crate) const ALL: [Self; 6] =
        [Self::Closest, Self::Any, Self::AllClosed, Self::AllOnce, Self::Nearest, Self::Crossings];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Closest => "closest",
            Self::Any => "any",
            Self::AllClosed => "all",
            Self::AllOnce => "once",
            Self::Nearest => "nearest",
            Self::Crossings => "crossings",
        }
    }

    /// The flags of `hitscan cast` for this query.
    pub(crate) fn flags(self) -> &'static str {
        match self {
            Self::Closest => "--closest",
            Self::Any => "--any",
            Self::AllClosed | Self::Nearest => "--all",
            Self::AllOnce => "--all --once",
            Self::Crossings => "--count",
        }
    }
}

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
    pub(crate) const ALL: [Self; 3] = [Self::Single, Self::Batch, Self::ShortBatches];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Single => "single",
            Self::Batch => "batch",
            Self::ShortBatches => "short batches",
        }
    }
}

/// The lengths of the short batches, in order.
const SHORT_BATCHES: RangeInclusive<usize> = 1..=37;

/// The numbers of hits in queries for the nearest hits.
const N_NEAREST: [usize; 3] = [1, 3, 16];

/// The brute-force answers for a slice of rays, for each choice of sides.
#[derive(Debug)]
pub(crate) struct Oracle {
    by_faces: [(Faces, OracleLists); 3],
}

/// All hits of each ray.
#[derive(Debug)]
struct OracleLists {
    closed: Vec<Vec<Hit>>,
    once: Vec<Vec<Hit>>,
}

impl Oracle {
    /// Scans all triangles for each ray, in parallel over the rays.
    pub(crate) fn scan(mesh: &TriMesh, rays: &[Ray]) -> Self {
        let scan = BruteForce::new(mesh);
        // One ray is enough work for a task.
        let rays = rays.par_iter().with_max_len(1);
        let (closed, once) = rays
            .map(|ray| {
                let closed = scan.all_hits(ray, Faces::Both, HitMode::Closed);
                let once = crossings_among(&closed, mesh, ray);
                (closed, once)
            })
            .unzip();
        let both = OracleLists { closed, once };
        // The choice of sides filters hits but never moves them.
        let [front, back] = [Faces::Front, Faces::Back].map(|faces| (faces, both.seen_by(faces)));
        Self { by_faces: [(Faces::Both, both), front, back] }
    }
}

/// The hits of [`HitMode::Once`]: a subset of all hits, so a second scan is unnecessary.
fn crossings_among(closed: &[Hit], mesh: &TriMesh, ray: &Ray) -> Vec<Hit> {
    let scale = mesh.query_scale();
    let Some(ray) = WatertightRay::new(&brute_force::scaled_ray(ray, scale)) else {
        return Vec::new();
    };
    let crosses = |hit: &&Hit| {
        let corners = mesh.corners(hit.triangle);
        ray.owns_crossing(corners.map(|corner| brute_force::scaled(corner, scale)))
    };
    closed.iter().filter(crosses).copied().collect()
}

impl OracleLists {
    fn seen_by(&self, faces: Faces) -> Self {
        let visible =
            |hits: &Vec<Hit>| hits.iter().copied().filter(|hit| faces.accepts(hit.side)).collect();
        Self {
            closed: self.closed.iter().map(visible).collect(),
            once: self.once.iter().map(visible).collect(),
        }
    }
}

/// An answer that differs from the oracle's.
#[derive(Clone, Debug)]
pub(crate) struct Difference {
    pub(crate) query: QueryKind,
    pub(crate) faces: Faces,
    pub(crate) ray: Ray,
    pub(crate) expected: String,
    pub(crate) found: String,
}

/// The counts and first differences of a comparison.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    /// The number of compared answers.
    pub(crate) n_answers: u64,
    /// The number of differences per query, in the order of [`QueryKind::ALL`].
    pub(crate) n_differences: [u64; QueryKind::ALL.len()],
    /// The first of the differences.
    pub(crate) first: Vec<Difference>,
}

/// The number of differences that a tally keeps.
pub(crate) const N_SHOWN: usize = 5;

impl Tally {
    pub(crate) fn total_differences(&self) -> u64 {
        self.n_differences.iter().sum()
    }

    /// Adds the tally of other rays.
    pub(crate) fn add(&mut self, other: Self) {
        self.n_answers += other.n_answers;
        for (sum, n) in self.n_differences.iter_mut().zip(other.n_differences) {
            *sum += n;
        }
        self.first.extend(other.first);
        self.first.truncate(N_SHOWN);
    }

    /// Compares hits by their bits.
    fn compare_hits(&mut self, at: ComparedAnswer<'_>, expected: &[Hit], found: &[Hit]) {
        let bits = |hit: &Hit| hit.to_bits();
        let same = expected.iter().map(bits).eq(found.iter().map(bits));
        self.count(at, same, || (listed(expected), listed(found)));
    }

    fn compare<A: PartialEq + Debug>(&mut self, at: ComparedAnswer<'_>, expected: A, found: A) {
        let same = expected == found;
        self.count(at, same, || (format!("{expected:?}"), format!("{found:?}")));
    }

    fn count(
        &mut self,
        at: ComparedAnswer<'_>,
        same: bool,
        text: impl FnOnce() -> (String, String),
    ) {
        self.n_answers += 1;
        if same {
            return;
        }
        let ComparedAnswer { query, faces, ray } = at;
        self.n_differences[query as usize] += 1;
        if self.first.len() < N_SHOWN {
            let (expected, found) = text();
            self.first.push(Difference { query, faces, ray: *ray, expected, found });
        }
    }
}

/// The query, sides and ray of a compared answer.
#[derive(Clone, Copy)]
struct ComparedAnswer<'a> {
    query: QueryKind,
    faces: Faces,
    ray: &'a Ray,
}

/// Compares every query of a tree, in one shape, with the oracle's answers for the same rays.
pub(crate) fn compare(tree: &MeshBvh, rays: &[Ray], oracle: &Oracle, shape: Shape) -> Tally {
    let mut tally = Tally::default();
    for (faces, lists) in &oracle.by_faces {
        tally.add(match shape {
            Shape::Single => in_parts(parts_of(rays.len(), 256..=256), |part| {
                compare_single(tree, rays, part, lists, *faces)
            }),
            Shape::Batch => compare_batch(tree, rays, 0..rays.len(), lists, *faces),
            Shape::ShortBatches => in_parts(parts_of(rays.len(), SHORT_BATCHES), |part| {
                compare_batch(tree, rays, part, lists, *faces)
            }),
        });
    }
    tally
}

/// Cuts `0..n` into parts whose lengths cycle through a range.
fn parts_of(n: usize, lengths: RangeInclusive<usize>) -> Vec<Range<usize>> {
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

/// The sum of the tallies of all parts, computed in parallel.
fn in_parts(
    parts: Vec<Range<usize>>,
    compare: impl Fn(Range<usize>) -> Tally + Sync + Send,
) -> Tally {
    let tallies: Vec<Tally> = parts.into_par_iter().map(compare).collect();
    let mut sum = Tally::default();
    tallies.into_iter().for_each(|tally| sum.add(tally));
    sum
}

/// Compares the rays of a part, one per call.
fn compare_single(
    tree: &MeshBvh,
    rays: &[Ray],
    part: Range<usize>,
    oracle: &OracleLists,
    faces: Faces,
) -> Tally {
    let mut tally = Tally::default();
    let mut hits = Vec::new();
    for i in part {
        let ray = &rays[i];
        let (closed, once) = (&oracle.closed[i], &oracle.once[i]);
        let at = |query| ComparedAnswer { query, faces, ray };
        let found = tree.closest_hit(ray, faces);
        tally.compare_hits(at(QueryKind::Closest), first(closed, 1), found.as_slice());
        let found = tree.is_occluded(ray, faces);
        tally.compare(at(QueryKind::Any), !closed.is_empty(), found);
        tree.all_hits_into(ray, faces, HitMode::Closed, &mut hits);
        tally.compare_hits(at(QueryKind::AllClosed), closed, &hits);
        tree.all_hits_into(ray, faces, HitMode::Once, &mut hits);
        tally.compare_hits(at(QueryKind::AllOnce), once, &hits);
        for n in N_NEAREST {
            tree.nearest_hits(ray, faces, HitMode::Closed, n, &mut hits);
            tally.compare_hits(at(QueryKind::Nearest), first(closed, n), &hits);
            tree.nearest_hits(ray, faces, HitMode::Once, n, &mut hits);
            tally.compare_hits(at(QueryKind::Nearest), first(once, n), &hits);
        }
        let found = tree.count_crossings(ray, faces);
        tally.compare(at(QueryKind::Crossings), once.len(), found);
    }
    tally
}

/// Compares the rays of a part, all in one call.
fn compare_batch(
    tree: &MeshBvh,
    rays: &[Ray],
    part: Range<usize>,
    oracle: &OracleLists,
    faces: Faces,
) -> Tally {
    let mut tally = Tally::default();
    let (rays, oracle_closed, oracle_once) =
        (&rays[part.clone()], &oracle.closed[part.clone()], &oracle.once[part]);
    let mut closest = vec![None; rays.len()];
    tree.closest_hits(rays, faces, &mut closest);
    let mut occluded = vec![false; rays.len()];
    tree.are_occluded(rays, faces, &mut occluded);
    let closed_lists = tree.all_hits_of(rays, faces, HitMode::Closed);
    let once_lists = tree.all_hits_of(rays, faces, HitMode::Once);
    let mut crossings = vec![0; rays.len()];
    tree.crossings_of(rays, faces, &mut crossings);
    for (i, ray) in rays.iter().enumerate() {
        let (closed, once) = (&oracle_closed[i], &oracle_once[i]);
        let at = |query| ComparedAnswer { query, faces, ray };
        tally.compare_hits(at(QueryKind::Closest), first(closed, 1), closest[i].as_slice());
        tally.compare(at(QueryKind::Any), !closed.is_empty(), occluded[i]);
        tally.compare_hits(at(QueryKind::AllClosed), closed, closed_lists.of(i));
        tally.compare_hits(at(QueryKind::AllOnce), once, once_lists.of(i));
        tally.compare(at(QueryKind::Crossings), once.len(), crossings[i] as usize);
    }
    tally
}

fn first(hits: &[Hit], n: usize) -> &[Hit] {
    &hits[..n.min(hits.len())]
}

/// Hits as text, with enough digits to distinguish any two.
fn listed(hits: &[Hit]) -> String {
    let text = |&Hit { t, u, v, triangle, side }: &Hit| {
        format!("(t {t:?} u {u:?} v {v:?} triangle {triangle} {side:?})")
    };
    format!("{} hits {}", hits.len(), hits.iter().map(text).collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use hitscan::BuildOptions;
    use hitscan::primitives::generate;

    use super::*;
    use crate::check::HostileRays;

    fn tally(mesh: &TriMesh, tree: &MeshBvh, shape: Shape) -> Tally {
        let mut rays = Vec::new();
        HostileRays::new(mesh, 1).take(800, &mut rays);
        let oracle = Oracle::scan(mesh, &rays);
        compare(tree, &rays, &oracle, shape)
    }

    #[test]
    fn parts_cover_all_rays_in_order() {
        assert_eq!(parts_of(7, 1..=3), [0..1, 1..3, 3..6, 6..7]);
        assert_eq!(parts_of(0, 1..=3), []);
    }

    #[test]
    fn a_right_tree_shows_no_difference() {
        let mesh = generate::torus(1.0, 0.25, 500).unwrap();
        let tree = MeshBvh::build(&mesh, &BuildOptions::default());
        for shape in Shape::ALL {
            let tally = tally(&mesh, &tree, shape);
            assert_eq!(tally.total_differences(), 0, "{:?}", tally.first);
            assert!(tally.n_answers >= 3 * 5 * 800);
        }
    }

    #[test]
    fn the_crossings_of_the_twin_are_those_of_a_scan() {
        let small = generate::cuboid(3.0, 2.0, 1.0, 2).unwrap();
        // Coordinates at which meshes are scaled before they are queried.
        let huge = small.with_positions(small.positions().iter().map(|&p| p * 2f32.powi(60)));
        for mesh in [small, huge.unwrap()] {
            let mut rays = Vec::new();
            HostileRays::new(&mesh, 1).take(500, &mut rays);
            let oracle = &Oracle::scan(&mesh, &rays).by_faces[0].1;
            let mut n_hits = 0;
            for (ray, once) in rays.iter().zip(&oracle.once) {
                assert_eq!(*once, brute_force::all_hits(&mesh, ray, Faces::Both, HitMode::Once));
                n_hits += once.len();
            }
            assert!(n_hits > 100);
        }
    }

    /// The tree of a mesh that lacks a triangle stands for a kernel that loses one.
    #[test]
    fn a_lost_triangle_shows_in_every_query_and_shape() {
        let mesh = generate::sphere(1.0, 60).unwrap();
        let mut triangles = mesh.triangles().to_vec();
        triangles[7] = [0; 3];
        let broken = TriMesh::from_vecs(mesh.positions().to_vec(), triangles).unwrap();
        let tree = MeshBvh::build(&broken, &BuildOptions::default());
        for shape in Shape::ALL {
            let tally = tally(&mesh, &tree, shape);
            for (query, n) in QueryKind::ALL.into_iter().zip(tally.n_differences) {
                let has_batch = query != QueryKind::Nearest;
                assert_eq!(n > 0, has_batch || shape == Shape::Single, "{query:?} {shape:?}");
            }
            assert_eq!(tally.first.len(), N_SHOWN);
        }
    }

    /// A position off by its last bit stands for a kernel that rounds otherwise.
    #[test]
    fn a_difference_in_the_last_bit_shows() {
        let mesh = generate::sphere(1.0, 60).unwrap();
        let mut positions = mesh.positions().to_vec();
        positions[5].x = positions[5].x.next_up();
        let tree =
            MeshBvh::build(&mesh.with_positions(positions).unwrap(), &BuildOptions::default());
        for shape in Shape::ALL {
            assert!(tally(&mesh, &tree, shape).n_differences[0] > 0, "{shape:?}");
        }
    }
}
