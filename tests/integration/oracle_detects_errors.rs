//! The comparison with the oracle detects one wrong bit and one lost hit. Without these tests, a
//! comparison that compares nothing would pass.

use hitscan::{BuildOptions, Faces, Hit, MeshBvh, Ray, Side, TriMesh};
use hitscan_testkit::{
    Answers, BatchAnswers, Rng, SoupKind, answers_of, batch_answers_of, hard_rays, soup, soup_of,
};

use crate::asking::{Expected, effort, is_whole_effort};

/// A change of one answer, and its name.
type Change<'a, T> = (&'a str, &'a dyn Fn(&mut T));

struct Case<'a> {
    bvh: MeshBvh,
    expected: Expected<'a>,
}

/// A mesh that shares edges, and rays of all kinds.
fn mesh_and_rays() -> (TriMesh, Vec<Ray>) {
    let mut rng = Rng::new(21);
    let mesh = soup_of(SoupKind::HeightField, &mut rng, 200).mesh;
    let rays = hard_rays(&mesh, 3000, &mut rng);
    (mesh, rays)
}

impl<'a> Case<'a> {
    fn new((mesh, rays): &'a (TriMesh, Vec<Ray>)) -> Self {
        let bvh = MeshBvh::build(mesh, &BuildOptions::default());
        Self { bvh, expected: Expected::new(mesh, rays) }
    }

    /// The first difference after `alter` changed every answer of the BVH.
    fn difference(&self, alter: impl Fn(&mut Answers)) -> Option<String> {
        self.expected.difference(|ray, faces| {
            let mut answers = answers_of!(self.bvh, ray, faces);
            alter(&mut answers);
            answers
        })
    }

    /// The first difference after `alter` changed the batch; it gets the index of the last ray that hits.
    fn difference_in_batch(&self, alter: impl Fn(&mut BatchAnswers, usize)) -> Option<String> {
        let mut batch = batch_answers_of!(self.bvh, self.expected.rays, Faces::Both);
        let last_hit = batch.closest.iter().rposition(Option::is_some).expect("some rays hit");
        alter(&mut batch, last_hit);
        self.expected.difference_from(&batch, Faces::Both)
    }
}

#[test]
fn an_answer_altered_by_one_bit_is_detected() {
    let mesh_and_rays = mesh_and_rays();
    let case = Case::new(&mesh_and_rays);
    assert_eq!(case.difference(|_| ()), None, "the answers are correct before the change");
    assert_eq!(case.difference_in_batch(|_, _| ()), None, "the batch is correct before the change");

    let flip = |x: f32| f32::from_bits(x.to_bits() ^ 1);
    let alterations: [Change<'_, Hit>; 6] = [
        ("t", &|hit| hit.t = flip(hit.t)),
        ("u", &|hit| hit.u = flip(hit.u)),
        ("v", &|hit| hit.v = flip(hit.v)),
        ("-0.0", &|hit| hit.u = if hit.u == 0.0 { -0.0 } else { hit.u }),
        ("triangle", &|hit| hit.triangle ^= 1),
        ("side", &|hit| hit.side = if hit.side == Side::Front { Side::Back } else { Side::Front }),
    ];
    for (what, alter) in alterations {
        let in_closest = case.difference(|answers| answers.closest.iter_mut().for_each(alter));
        let difference = in_closest.unwrap_or_else(|| panic!("{what} of the closest hit"));
        assert!(difference.contains(", closest, "), "{difference}");
        for list in 0..8 {
            let in_list = case.difference(|answers| {
                let list = match list {
                    0 => &mut answers.every_triangle,
                    1 => &mut answers.once_per_crossing,
                    _ => &mut answers.nearest[list - 2].hits,
                };
                list.last_mut().into_iter().for_each(alter);
            });
            assert!(in_list.is_some(), "{what} of the last hit in list {list}");
        }
        let in_batch =
            case.difference_in_batch(|batch, i| batch.closest[i].iter_mut().for_each(alter));
        assert!(what == "-0.0" || in_batch.is_some(), "{what} in a batch");
    }
}

#[test]
fn the_oracle_and_the_public_brute_force_agree_on_soups() {
    let mut rng = Rng::new(11);
    let (mut n_hits, mut n_edges) = (0, 0);
    for round in 0..effort(300) {
        let shape = soup(&mut rng, 60);
        let rays = hard_rays(&shape.mesh, 60, &mut rng);
        let expected = Expected::new(&shape.mesh, &rays);
        n_hits += expected.hits.iter().map(|hits| hits.every_triangle.len()).sum::<usize>();
        n_edges += expected
            .hits
            .iter()
            .map(|hits| hits.every_triangle.len() - hits.once_per_crossing.len())
            .sum::<usize>();
        let difference =
            expected.difference(|ray, faces| Answers::by_brute_force(&shape.mesh, ray, faces));
        assert_eq!(difference, None, "round {round}, {}", shape.name);
    }
    let is_enough = n_hits > 3_000 && n_edges > 100;
    assert!(is_enough || !is_whole_effort(), "the rays hit too little: {n_hits}, {n_edges}");
}
