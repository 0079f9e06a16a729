//! The comparison with the twin detects wrong answers: one bit, and one lost hit. Without these tests a
//! comparison that compares nothing would pass.

use hitscan::{BuildOptions, Faces, Hit, MeshBvh, Ray, Side};
use hitscan_testkit::{Answers, BothFaces, Rng, SoupKind, Twin, hard_rays, soup_of};

use crate::asking::{Batch, ask, first_difference};

/// A change of one answer, and its name.
type Change<'a, T> = (&'a str, &'a dyn Fn(&mut T));

/// A change of a batch; the index is that of the last ray that hits.
type BatchChange = fn(&mut Batch, usize);

struct Case {
    bvh: MeshBvh,
    rays: Vec<Ray>,
    expected: Vec<BothFaces>,
}

impl Case {
    fn new() -> Self {
        let mut rng = Rng::new(21);
        let mesh = soup_of(SoupKind::HeightField, &mut rng, 200).mesh;
        let rays = hard_rays(&mesh, 3000, &mut rng);
        let twin = Twin::new(&mesh);
        let expected = rays.iter().map(|ray| twin.answers(ray)).collect();
        Self { bvh: MeshBvh::build(&mesh, &BuildOptions::default()), rays, expected }
    }

    /// The first difference after `alter` changed every answer of the BVH.
    fn difference(&self, alter: impl Fn(&mut Answers)) -> Option<String> {
        first_difference(&self.rays, &self.expected, |ray, faces| {
            let mut answers = ask(&self.bvh, ray, faces);
            alter(&mut answers);
            answers
        })
    }

    /// The first difference after `alter` changed the batch; it gets the index of the last ray that hits.
    fn difference_in_batch(&self, alter: impl Fn(&mut Batch, usize)) -> Option<String> {
        let mut batch = Batch::ask(&self.bvh, &self.rays, Faces::Both);
        let last_hit = batch.closest.iter().rposition(Option::is_some).expect("some rays hit");
        alter(&mut batch, last_hit);
        batch.first_difference(&self.rays, &self.expected, Faces::Both)
    }
}

#[test]
fn an_answer_altered_by_one_bit_is_detected() {
    let case = Case::new();
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
        assert!(difference.contains("closest hit: found"), "{difference}");
        let lists: [fn(&mut Answers) -> &mut Vec<Hit>; 4] = [
            |answers| &mut answers.closed,
            |answers| &mut answers.once,
            |answers| &mut answers.nearest_closed,
            |answers| &mut answers.nearest_once,
        ];
        for list in lists {
            let in_list =
                case.difference(|answers| list(answers).last_mut().into_iter().for_each(alter));
            assert!(in_list.is_some(), "{what} of the last hit in a list");
        }
        let in_batch =
            case.difference_in_batch(|batch, i| batch.closest[i].iter_mut().for_each(alter));
        assert!(what == "-0.0" || in_batch.is_some(), "{what} in a batch");
    }
}

#[test]
fn a_lost_hit_is_detected() {
    let case = Case::new();
    let losses: [Change<'_, Answers>; 4] = [
        ("closest hit", &|answers| answers.closest = None),
        ("occlusion", &|answers| answers.occluded = false),
        ("last hit of a list", &|answers| _ = answers.closed.pop()),
        ("crossing", &|answers| answers.crossings = answers.crossings.saturating_sub(1)),
    ];
    for (what, lose) in losses {
        assert!(case.difference(lose).is_some(), "{what}");
    }
    let losses_in_batch: [(&str, BatchChange); 3] = [
        ("closest hit", |batch, i| batch.closest[i] = None),
        ("occlusion", |batch, i| batch.occluded[i] = false),
        ("hit of a list", |batch, _| _ = batch.closed.hits.pop()),
    ];
    for (what, lose) in losses_in_batch {
        assert!(case.difference_in_batch(lose).is_some(), "{what} in a batch");
    }
}
