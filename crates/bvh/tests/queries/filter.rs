//! Queries with a filter against the filtered brute-force scan.

use hitscan_bvh::{BuildOptions, BuildQuality, Isa, Layout, MeshBvh};
use hitscan_primitives::{Faces, Hit, HitMode, HitOptions, Ray, brute_force, generate::SplitMix64};
use hitscan_testkit::{Rng, aimed_ray, bits};

use crate::support::{effort, needles, soup, soup_or_needles};

/// A rule that depends on the triangle and on the point of the hit. It keeps `share` of all hits.
fn rule(seed: u64, share: f64) -> impl Fn(&Hit) -> bool {
    move |hit| {
        let [t, u, v, triangle, _] = hit.to_bits().map(u64::from);
        let mixed = seed ^ (t << 32 | u) ^ (v << 20) ^ (triangle << 40);
        SplitMix64::new(mixed).unit() < share
    }
}

#[test]
fn filtered_queries_equal_the_filtered_scan_to_the_last_bit() {
    let (mut random, mut rng) = (SplitMix64::new(1), Rng::new(1));
    for round in 0..effort(60) {
        let mesh = soup_or_needles(&mut random, [3, 40, 400][round % 3], round / 3);
        for (i, isa) in Isa::available().into_iter().enumerate() {
            let quality = BuildQuality::ALL[(round + i) % 3];
            let bvh =
                MeshBvh::build(&mesh, &BuildOptions { quality, isa, layout: Layout::ALL[i % 2] });
            for _ in 0..40 {
                let ray = aimed_ray(&mesh, &mut rng);
                let share = [0.0, 0.1, 0.5, 0.9, 1.0][random.below(5) as usize];
                let accept = rule(random.next_u64(), share);
                let context = format!("round {round}, {isa:?}, {quality:?}, {ray:?}");
                for faces in [Faces::Both, Faces::Front, Faces::Back] {
                    for mode in [HitMode::EveryTriangle, HitMode::OncePerCrossing] {
                        let mut expected =
                            brute_force::all_hits(&mesh, &ray, &HitOptions { faces, mode });
                        expected.retain(&accept);
                        let mut hits = vec![];
                        bvh.all_hits_where_into(
                            &ray,
                            &HitOptions { faces, mode },
                            &accept,
                            &mut hits,
                        );
                        assert_eq!(bits(&hits), bits(&expected), "{context}");
                        bvh.nearest_hits_where_into(
                            &ray,
                            3,
                            &HitOptions { faces, mode },
                            &accept,
                            &mut hits,
                        );
                        let first = &expected[..expected.len().min(3)];
                        assert_eq!(bits(&hits), bits(first), "{context}");
                        if mode == HitMode::OncePerCrossing {
                            let count = bvh.count_crossings_where(&ray, faces, &accept);
                            assert_eq!(count, expected.len(), "{context}");
                            continue;
                        }
                        let closest = bvh.closest_hit_where(&ray, faces, &accept);
                        let closest = bits(closest.as_slice());
                        assert_eq!(closest, bits(&expected[..first.len().min(1)]), "{context}");
                        let occluded = bvh.is_occluded_where(&ray, faces, &accept);
                        assert_eq!(occluded, !expected.is_empty(), "{context}");
                    }
                }
            }
        }
    }
}

#[test]
fn candidates_are_asked_about_once() {
    let mut rng = Rng::new(2);
    let mut random = SplitMix64::new(2);
    for mesh in [soup(&mut random, 2000), needles(&mut random, 2000)] {
        let bvh = MeshBvh::build(&mesh, &BuildOptions::default());
        for _ in 0..500 {
            let ray = aimed_ray(&mesh, &mut rng);
            let all = brute_force::all_hits(&mesh, &ray, &HitOptions::default());
            let mut expected: Vec<u32> = all.iter().map(|hit| hit.triangle).collect();
            expected.sort_unstable();
            let mut asked = vec![];
            let mut reject = |hit: &Hit| {
                asked.push(hit.triangle);
                false
            };
            assert_eq!(bvh.closest_hit_where(&ray, Faces::Both, &mut reject), None);
            assert!(!bvh.is_occluded_where(&ray, Faces::Both, &mut reject));
            let mut hits = vec![];
            let options = HitOptions::default();
            bvh.nearest_hits_where_into(&ray, 2, &options, &mut reject, &mut hits);
            asked.sort_unstable();
            let thrice: Vec<u32> = expected.iter().flat_map(|&triangle| [triangle; 3]).collect();
            assert_eq!(asked, thrice, "{ray:?}");
        }
    }
}

#[test]
fn an_invalid_ray_calls_no_filter() {
    let mut random = SplitMix64::new(3);
    let mesh = soup(&mut random, 20);
    let bvh = MeshBvh::build(&mesh, &BuildOptions::default());
    let ray = Ray::new([0.0; 3], [f32::NAN; 3]);
    let never = |_: &Hit| unreachable!("an invalid ray has no candidates");
    assert_eq!(bvh.closest_hit_where(&ray, Faces::Both, never), None);
    assert!(!bvh.is_occluded_where(&ray, Faces::Both, never));
}
