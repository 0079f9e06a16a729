//! Picks against the definition: all candidates within the radius, in order.

use hitscan_primitives::generate::SplitMix64;

use super::*;
use crate::test_scenes::TestScene;

#[test]
fn the_nearest_element_is_the_first_visible_candidate_within_the_radius() {
    let (mut n_found, mut n_hidden) = (0, 0);
    for seed in 0..60 {
        let mut rng = SplitMix64::new(seed);
        let test = TestScene::random(&mut rng);
        let ignore = test.random_ignored(&mut rng);
        let query = test.random_query(&mut rng, &ignore);
        let picker = Picker::new(&test.scene, &test.view);
        for _ in 0..20 {
            let cursor = test.random_pixel(&mut rng);
            let radius = [0.0, 1.0, 8.0, 30.0, f64::INFINITY][rng.below(5) as usize];
            let x_ray = rng.below(4) == 0;
            for target in [SearchTarget::Vertex, SearchTarget::EdgeMidpoint, SearchTarget::Edge] {
                let found = picker.nearest(cursor, target, radius, x_ray, &query);
                let all = picker.candidates(cursor, target, radius, &query);
                let is_visible = |candidate: &&Candidate| {
                    x_ray || picker.is_candidate_visible(candidate, &query)
                };
                let expected = all.iter().find(is_visible);
                let expected = expected.map(|candidate| picker.pick_of_candidate(candidate));
                assert_eq!(found, expected, "seed {seed}, {target:?} within {radius} of {cursor}");
                n_found += usize::from(found.is_some());
                n_hidden += usize::from(found.is_none() && !all.is_empty());
            }
        }
    }
    assert!(n_found > 500 && n_hidden > 20, "{n_found}, {n_hidden}");
}
