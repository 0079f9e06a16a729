//! The comparison of answers with the oracle's hits, to the last bit.

use std::fmt;

use hitscan_primitives::{Faces, Hit, HitMode, Ray};

use crate::answers::{Answers, BatchAnswers, NearestHits};
use crate::oracle::RayHits;

/// The queries under comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Query {
    /// The closest hit.
    Closest,
    /// Whether the ray hits anything.
    Any,
    /// All hits, on every triangle.
    EveryTriangle,
    /// All hits, each crossing once.
    OncePerCrossing,
    /// The nearest hits in either mode.
    Nearest,
    /// The number of crossings.
    Crossings,
}

impl Query {
    /// All queries, in the order of the variants.
    pub const ALL: [Self; 6] = [
        Self::Closest,
        Self::Any,
        Self::EveryTriangle,
        Self::OncePerCrossing,
        Self::Nearest,
        Self::Crossings,
    ];

    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Closest => "closest",
            Self::Any => "any",
            Self::EveryTriangle => "all",
            Self::OncePerCrossing => "once",
            Self::Nearest => "nearest",
            Self::Crossings => "crossings",
        }
    }
}

/// An answer that differs from the oracle's.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The query.
    pub query: Query,
    /// The sides that the query sees.
    pub faces: Faces,
    /// The ray.
    pub ray: Ray,
    /// The oracle's answer.
    pub expected: String,
    /// The answer of the tree.
    pub found: String,
}

impl fmt::Display for Difference {
    /// Three lines: the query with its ray, the bits of the ray, and both answers.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { query, faces, ray, expected, found } = self;
        let bits = |v: &[f32]| {
            v.iter().map(|x| format!("{:#010x}", x.to_bits())).collect::<Vec<_>>().join(" ")
        };
        writeln!(f, "{}, {faces:?} faces: {ray:?}", query.name())?;
        writeln!(
            f,
            "  origin {}, direction {}, t {}",
            bits(&ray.origin.to_array()),
            bits(&ray.direction.to_array()),
            bits(&[ray.t_min, ray.t_max]),
        )?;
        write!(f, "  found {found}, expected {expected}")
    }
}

/// The counts and first differences of a comparison.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// The number of compared answers.
    pub n_answers: u64,
    /// The number of differences per query, in the order of [`Query::ALL`].
    pub n_differences: [u64; Query::ALL.len()],
    /// The first [`N_SHOWN`] differences.
    pub first: Vec<Difference>,
}

/// The number of differences that a tally keeps.
pub const N_SHOWN: usize = 5;

impl Tally {
    /// The first difference as text.
    pub fn first_difference(&self) -> Option<String> {
        self.first.first().map(Difference::to_string)
    }

    /// Adds the tally of other rays.
    pub fn add(&mut self, other: Self) {
        self.n_answers += other.n_answers;
        for (sum, n) in self.n_differences.iter_mut().zip(other.n_differences) {
            *sum += n;
        }
        self.first.extend(other.first);
        self.first.truncate(N_SHOWN);
    }

    /// Compares the answers about one ray. `expected` holds the hits that `faces` see.
    pub fn compare(&mut self, ray: &Ray, faces: Faces, found: &Answers, expected: &RayHits) {
        let found = Found {
            closest: found.closest,
            occluded: found.occluded,
            every_triangle: &found.every_triangle,
            once_per_crossing: &found.once_per_crossing,
            nearest: &found.nearest,
            crossings: found.crossings,
        };
        self.compare_found(At { ray, faces }, found, expected);
    }

    /// Compares the answers about a batch of rays. `expected` holds, for each ray, the hits that `faces`
    /// see.
    ///
    /// # Panics
    /// If a list of answers or of expected hits has another length than `rays`.
    pub fn compare_batch(
        &mut self,
        rays: &[Ray],
        faces: Faces,
        found: &BatchAnswers,
        expected: &[RayHits],
    ) {
        let BatchAnswers { closest, occluded, every_triangle, once_per_crossing, crossings } =
            found;
        assert_eq!(expected.len(), rays.len(), "one list of expected hits per ray");
        let lengths = [closest.len(), occluded.len(), crossings.len()];
        assert_eq!(lengths, [rays.len(); 3], "one answer per ray");
        let lengths = [every_triangle.starts.len(), once_per_crossing.starts.len()];
        assert_eq!(lengths, [rays.len() + 1; 2], "one run of hits per ray");
        for (i, ray) in rays.iter().enumerate() {
            let found = Found {
                closest: closest[i],
                occluded: occluded[i],
                every_triangle: every_triangle.of(i),
                once_per_crossing: once_per_crossing.of(i),
                nearest: &[],
                crossings: crossings[i] as usize,
            };
            self.compare_found(At { ray, faces }, found, &expected[i]);
        }
    }

    fn compare_found(&mut self, at: At<'_>, found: Found<'_>, expected: &RayHits) {
        let RayHits { every_triangle, once_per_crossing } = expected;
        self.compare_hits(at, Query::Closest, found.closest.as_slice(), first(every_triangle, 1));
        self.compare_values(at, Query::Any, found.occluded, !every_triangle.is_empty());
        self.compare_hits(at, Query::EveryTriangle, found.every_triangle, every_triangle);
        self.compare_hits(at, Query::OncePerCrossing, found.once_per_crossing, once_per_crossing);
        for NearestHits { mode, n, hits } in found.nearest {
            let all =
                if *mode == HitMode::EveryTriangle { every_triangle } else { once_per_crossing };
            self.compare_hits(at, Query::Nearest, hits, first(all, *n));
        }
        self.compare_values(at, Query::Crossings, found.crossings, once_per_crossing.len());
    }

    fn compare_hits(&mut self, at: At<'_>, query: Query, found: &[Hit], expected: &[Hit]) {
        let is_same = found.iter().map(Hit::to_bits).eq(expected.iter().map(Hit::to_bits));
        self.count(at, query, is_same, || (listed(found), listed(expected)));
    }

    fn compare_values<A>(&mut self, at: At<'_>, query: Query, found: A, expected: A)
    where
        A: PartialEq + fmt::Display,
    {
        self.count(at, query, found == expected, || (found.to_string(), expected.to_string()));
    }

    /// Counts an answer. `texts` gives the answer and the expected one.
    fn count(
        &mut self,
        at: At<'_>,
        query: Query,
        is_same: bool,
        texts: impl FnOnce() -> (String, String),
    ) {
        self.n_answers += 1;
        if is_same {
            return;
        }
        self.n_differences[query as usize] += 1;
        if self.first.len() < N_SHOWN {
            let (found, expected) = texts();
            self.first.push(Difference { query, faces: at.faces, ray: *at.ray, expected, found });
        }
    }
}

/// The ray and the sides of compared answers.
#[derive(Clone, Copy)]
struct At<'a> {
    ray: &'a Ray,
    faces: Faces,
}

/// [`Answers`] in borrowed form, which an entry of a batch has too.
#[derive(Clone, Copy)]
struct Found<'a> {
    closest: Option<Hit>,
    occluded: bool,
    every_triangle: &'a [Hit],
    once_per_crossing: &'a [Hit],
    nearest: &'a [NearestHits],
    crossings: usize,
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
    use super::*;
    use crate::{HostileRays, Oracle, bits};
    use hitscan_primitives::{HitOptions, Side, TriMesh, brute_force, generate};

    const ALL_FACES: [Faces; 3] = [Faces::Both, Faces::Front, Faces::Back];

    type Change<'a, T> = &'a dyn Fn(&mut T);

    #[test]
    fn the_oracle_and_the_public_brute_force_agree_on_every_query() {
        let small = generate::cuboid(3.0, 2.0, 1.0, 2).unwrap();
        // The coordinates are so large that queries scale the mesh.
        let huge = small.with_positions(small.positions().iter().map(|&p| p * 2f32.powi(60)));
        let soup = generate::soup(60, 3).unwrap();
        let (mut tally, mut n_hits, mut n_edges) = (Tally::default(), 0, 0);
        for (seed, mesh) in [small, huge.unwrap(), soup, TriMesh::default()].iter().enumerate() {
            let oracle = Oracle::new(mesh);
            for ray in HostileRays::new(mesh, seed as u64).next_rays(1500) {
                let hits = oracle.hits(&ray);
                n_hits += hits.every_triangle.len();
                n_edges += hits.every_triangle.len() - hits.once_per_crossing.len();
                for faces in ALL_FACES {
                    let found = Answers::by_brute_force(mesh, &ray, faces);
                    tally.compare(&ray, faces, &found, &hits.seen_by(faces));
                }
            }
        }
        assert_eq!(tally.first_difference(), None);
        assert_eq!(tally.n_answers, 4 * 1500 * 3 * 11);
        assert!(n_hits > 3000 && n_edges > 300, "the rays hit too little: {n_hits}, {n_edges}");
    }

    /// The answers of a batch by brute force.
    fn batch(mesh: &TriMesh, rays: &[Ray], faces: Faces) -> BatchAnswers {
        let mut found = BatchAnswers::placeholders(rays.len());
        (found.every_triangle.starts, found.once_per_crossing.starts) = (vec![0], vec![0]);
        for (i, ray) in rays.iter().enumerate() {
            found.closest[i] = brute_force::closest_hit(mesh, ray, faces);
            found.occluded[i] = brute_force::is_occluded(mesh, ray, faces);
            found.crossings[i] = brute_force::count_crossings(mesh, ray, faces) as u32;
            let modes = [
                (&mut found.every_triangle, HitMode::EveryTriangle),
                (&mut found.once_per_crossing, HitMode::OncePerCrossing),
            ];
            for (runs, mode) in modes {
                runs.hits.extend(brute_force::all_hits(mesh, ray, &HitOptions { faces, mode }));
                runs.starts.push(runs.hits.len());
            }
        }
        found
    }

    #[test]
    fn a_batch_counts_five_answers_per_ray_and_an_unwritten_entry_differs() {
        let mesh = generate::sphere(1.0, 60).unwrap();
        let rays = HostileRays::new(&mesh, 1).next_rays(200);
        let oracle = Oracle::new(&mesh);
        let expected: Vec<_> = rays.iter().map(|ray| oracle.hits(ray)).collect();
        let compare = |found: &BatchAnswers| {
            let mut tally = Tally::default();
            tally.compare_batch(&rays, Faces::Both, found, &expected);
            tally
        };
        let right = batch(&mesh, &rays, Faces::Both);
        assert_eq!(compare(&right).first_difference(), None);
        assert_eq!(compare(&right).n_answers, 5 * 200);

        let unwritten = BatchAnswers::placeholders(200);
        let BatchAnswers { every_triangle, once_per_crossing, .. } = right;
        let differences =
            compare(&BatchAnswers { every_triangle, once_per_crossing, ..unwritten }).n_differences;
        assert_eq!((differences[0], differences[5]), (200, 200));
        assert!(differences[1] > 50, "{differences:?}");
    }

    #[test]
    fn an_extra_and_a_lost_hit_at_the_end_of_a_batch_show() {
        let mesh = generate::sphere(1.0, 60).unwrap();
        let rays = [Ray::line([0.1, 0.2, 0.0], [0.3, 0.2, 1.0]); 3];
        let expected = rays.map(|ray| Oracle::new(&mesh).hits(&ray));
        let lose: fn(&mut Vec<Hit>) = |hits| _ = hits.pop();
        let repeat: fn(&mut Vec<Hit>) = |hits| hits.push(hits[0]);
        for alter in [lose, repeat] {
            let mut found = batch(&mesh, &rays, Faces::Both);
            alter(&mut found.every_triangle.hits);
            let mut tally = Tally::default();
            tally.compare_batch(&rays, Faces::Both, &found, &expected);
            assert_eq!(tally.n_differences, [0, 0, 1, 0, 0, 0]);
        }
    }

    /// The last hit of one of the nine answers that hold hits.
    fn last_hit(found: &mut Answers, answer: usize) -> (Query, &mut Hit) {
        let (query, hits) = match answer {
            0 => return (Query::Closest, found.closest.as_mut().unwrap()),
            1 => (Query::EveryTriangle, &mut found.every_triangle),
            2 => (Query::OncePerCrossing, &mut found.once_per_crossing),
            _ => (Query::Nearest, &mut found.nearest[answer - 3].hits),
        };
        (query, hits.last_mut().unwrap())
    }

    #[test]
    fn a_flipped_bit_and_a_lost_hit_show_in_the_query_that_has_them() {
        // Two squares, each cut into triangles along a line that the ray crosses.
        let corners = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]];
        let positions = [0.0, 1.0].map(|z| corners.map(|[x, y]| [x, y, z])).concat();
        let triangles = vec![[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7]];
        let mesh = TriMesh::new(positions, triangles).unwrap();
        let ray = Ray::line([0.0, 0.5, -1.0], [0.0, 0.0, 1.0]);
        let hits = Oracle::new(&mesh).hits(&ray);
        let right = Answers::by_brute_force(&mesh, &ray, Faces::Both);
        let check = |query: Query, what: &str, found: &Answers| {
            let mut tally = Tally::default();
            tally.compare(&ray, Faces::Both, found, &hits);
            let expected = Query::ALL.map(|other| u64::from(other == query));
            assert_eq!(tally.n_differences, expected, "{query:?}: {what}");
        };
        let flip = |x: &mut f32| *x = f32::from_bits(x.to_bits() ^ 1);
        let negate = |hit: &mut Hit| {
            let zero = if hit.u == 0.0 { &mut hit.u } else { &mut hit.v };
            assert_eq!(std::mem::replace(zero, -0.0).to_bits(), 0);
        };
        let turned = |side| if side == Side::Front { Side::Back } else { Side::Front };
        let changes: [(&str, Change<'_, Hit>); 6] = [
            ("t", &|hit| flip(&mut hit.t)),
            ("u", &|hit| flip(&mut hit.u)),
            ("v", &|hit| flip(&mut hit.v)),
            ("-0.0", &negate),
            ("triangle", &|hit| hit.triangle ^= 1),
            ("side", &|hit| hit.side = turned(hit.side)),
        ];
        for ((what, change), answer) in changes.iter().flat_map(|c| (0..9).map(move |i| (c, i))) {
            let mut found = right.clone();
            let (query, hit) = last_hit(&mut found, answer);
            change(hit);
            check(query, what, &found);
        }
        let losses: [(Query, Change<'_, Answers>); 5] = [
            (Query::Closest, &|found| found.closest = None),
            (Query::Any, &|found| found.occluded = false),
            (Query::EveryTriangle, &|found| _ = found.every_triangle.pop()),
            (Query::Nearest, &|found| _ = found.nearest[0].hits.pop()),
            (Query::Crossings, &|found| found.crossings -= 1),
        ];
        for (query, lose) in losses {
            let mut found = right.clone();
            lose(&mut found);
            check(query, "lost", &found);
        }
    }

    #[test]
    fn a_report_names_the_query_the_ray_and_both_answers() {
        let ray = Ray::new([0.0, 0.0, 1.0], [0.0, -0.0, -1.0]);
        let mesh = generate::sphere(1.0, 60).unwrap();
        let hits = Oracle::new(&mesh).hits(&ray);
        let mut found = Answers::by_brute_force(&mesh, &ray, Faces::Both);
        found.crossings += 1;
        let mut tally = Tally::default();
        tally.compare(&ray, Faces::Both, &found, &hits);
        let report = tally.first_difference().expect("one answer is wrong");
        assert!(report.starts_with("crossings, Both faces: Ray"), "{report}");
        assert!(report.contains("0x80000000 0xbf800000"), "{report}");
        let n = bits(&hits.once_per_crossing).len();
        assert!(report.ends_with(&format!("found {}, expected {n}", n + 1)), "{report}");
    }
}
