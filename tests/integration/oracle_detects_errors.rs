//! The comparison with the oracle detects a wrong bit. Without these tests, a comparison that compares
//! nothing would pass. That it detects any other error, the tests of the tally assert.

use hitscan::{BuildOptions, Faces, Hit, MeshBvh};
use hitscan_testkit::{
    Answers, Rng, SoupKind, answers_of, batch_answers_of, hard_rays, soup, soup_of,
};

use crate::asking::{Expected, effort, is_whole_effort};

#[test]
fn an_answer_altered_by_one_bit_is_detected() {
    let mut rng = Rng::new(21);
    let mesh = soup_of(SoupKind::HeightField, &mut rng, 200).mesh;
    let rays = hard_rays(&mesh, 3000, &mut rng);
    let (bvh, expected) =
        (MeshBvh::build(&mesh, &BuildOptions::default()), Expected::new(&mesh, &rays));
    let flip = |hit: &mut Hit| hit.v = f32::from_bits(hit.v.to_bits() ^ 1);
    assert_eq!(expected.single_difference(&bvh), None, "the answers are correct before the change");
    let difference = expected.difference(|ray, faces| {
        let mut answers = answers_of!(bvh, ray, faces);
        answers.closest.iter_mut().for_each(flip);
        answers
    });
    assert!(difference.as_ref().is_some_and(|text| text.contains(", closest, ")), "{difference:?}");

    let mut batch = batch_answers_of!(bvh, &rays, Faces::Both);
    assert_eq!(
        expected.difference_from(&batch, Faces::Both),
        None,
        "the batch is correct before the change"
    );
    batch.closest.iter_mut().flatten().next_back().into_iter().for_each(flip);
    assert!(expected.difference_from(&batch, Faces::Both).is_some(), "the last hit of a batch");
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
