//! Plain rays, single and in batches, against the oracle.

use hitscan_bvh::{BuildOptions, BuildQuality, Isa, Layout, MeshBvh};
use hitscan_primitives::{
    Faces, Ray, TriMesh, brute_force::signed_crossings as signed, generate::SplitMix64,
};
use hitscan_testkit::{
    Oracle, RayHits, Rng, Tally, aimed_ray, answers_of, batch_answers_of, bundle,
};

use crate::support::{effort, needles, shapes, soup, soup_or_needles};

const ALL_FACES: [Faces; 3] = [Faces::Both, Faces::Front, Faces::Back];

/// Quality and layout do not depend on each other.
pub(crate) const QUALITIES_AND_LAYOUTS: [(BuildQuality, Layout); 4] = [
    (BuildQuality::Fast, Layout::Full),
    (BuildQuality::Balanced, Layout::Full),
    (BuildQuality::High, Layout::Full),
    (BuildQuality::Balanced, Layout::Compact),
];

/// The oracle's hits of all rays, for each choice of sides.
fn expected(mesh: &TriMesh, rays: &[Ray]) -> [(Faces, Vec<RayHits>); 3] {
    let oracle = Oracle::new(mesh);
    let hits: Vec<RayHits> = rays.iter().map(|ray| oracle.hits(ray)).collect();
    ALL_FACES.map(|faces| (faces, hits.iter().map(|hits| hits.seen_by(faces)).collect()))
}

#[test]
fn every_query_equals_the_oracle_to_the_last_bit() {
    let (mut random, mut rng) = (SplitMix64::new(1), Rng::new(1));
    for round in 0..effort(150) {
        let n = 1 + random.below([3, 40, 400][round % 3]) as usize;
        let mesh = soup_or_needles(&mut random, n, round / 3);
        let rays: Vec<Ray> = (0..60).map(|_| aimed_ray(&mesh, &mut rng)).collect();
        let expected = expected(&mesh, &rays);
        for (quality, layout) in QUALITIES_AND_LAYOUTS {
            let options = BuildOptions { quality, layout, ..BuildOptions::default() };
            let bvh = MeshBvh::build(&mesh, &options);
            assert_eq!(bvh.validate(&mesh), Ok(()));
            for isa in Isa::available() {
                let bvh = bvh.clone().with_isa(isa);
                let mut tally = Tally::default();
                for (faces, hits) in &expected {
                    for (ray, hits) in rays.iter().zip(hits) {
                        tally.compare(ray, *faces, &answers_of!(bvh, ray, *faces), hits);
                        let context = format!("round {round}, {quality:?}, {isa:?}, {ray:?}");
                        assert_eq!(bvh.signed_crossings(ray), signed(&mesh, ray), "{context}");
                    }
                }
                let context = format!("round {round}, {quality:?}, {layout:?}, {isa:?}");
                assert_eq!(tally.first_difference(), None, "{context}");
            }
        }
    }
}

#[test]
fn compact_trees_keep_hits_at_the_ends_of_an_interval() {
    let (mut random, mut rng) = (SplitMix64::new(4), Rng::new(4));
    let mut n_hits = 0;
    // Of one round of three triangles, no ray may hit any.
    for round in 0..effort(60).max(6) {
        let n = 1 + random.below([3, 40, 400][round % 3]) as usize;
        let mesh = soup(&mut random, n);
        let options = BuildOptions { layout: Layout::Compact, ..BuildOptions::default() };
        let (bvh, mut tally) = (MeshBvh::build(&mesh, &options), Tally::default());
        for _ in 0..20 {
            let ray = aimed_ray(&mesh, &mut rng);
            let Some(hit) = bvh.closest_hit(&ray, Faces::Both) else { continue };
            n_hits += 1;
            let (before, t, after) = (hit.t.next_down(), hit.t, hit.t.next_up());
            let intervals =
                [(t, t), (0.0, t), (t, f32::INFINITY), (0.0, before), (after, f32::MAX)];
            for (t_min, t_max) in intervals {
                let ray = ray.with_range(t_min, t_max);
                for (faces, hits) in expected(&mesh, &[ray]) {
                    for isa in Isa::available() {
                        let bvh = bvh.clone().with_isa(isa);
                        tally.compare(&ray, faces, &answers_of!(bvh, &ray, faces), &hits[0]);
                    }
                }
            }
        }
        assert_eq!(tally.first_difference(), None, "round {round}");
    }
    assert!(n_hits > 0, "no ray hits");
}

#[test]
fn closest_hits_with_corners_are_closest_hits_with_those_of_the_mesh() {
    let (mut random, mut rng) = (SplitMix64::new(3), Rng::new(3));
    let mut meshes = shapes(&mut random);
    meshes.push(("needles".into(), needles(&mut random, 400)));
    let rough = TriMesh::new(
        [[0.1, 0.3, 0.7], [1e-3, 2e30, 3e-7], [3e30, 1e-30, 0.3], [-1e30, -1e30, 7e-4]],
        vec![[0, 1, 2], [3, 2, 1]],
    );
    // Scaling loses the last bits of its small coordinates.
    meshes.push(("rough".into(), rough.expect("a mesh")));
    let mut n_hits = 0;
    for (name, mesh) in &meshes {
        for (quality, layout) in QUALITIES_AND_LAYOUTS {
            let options = BuildOptions { quality, layout, ..BuildOptions::default() };
            let bvh = MeshBvh::build(mesh, &options);
            for _ in 0..effort(300) {
                let ray = aimed_ray(mesh, &mut rng);
                let found = bvh.closest_hit_with_corners(mesh, &ray, Faces::Both);
                let expected = bvh.closest_hit(&ray, Faces::Both);
                let expected = expected.map(|hit| (hit, mesh.corners(hit.triangle)));
                assert_eq!(found, expected, "{name}, {quality:?}, {layout:?}, {ray:?}");
                n_hits += usize::from(found.is_some());
            }
        }
    }
    assert!(n_hits > 100, "{n_hits}");
}

#[test]
fn batches_equal_the_oracle_to_the_last_bit() {
    let (mut random, mut rng) = (SplitMix64::new(2), Rng::new(2));
    for round in 0..effort(300) {
        let n = 1 + random.below([3, 40, 1000][round % 3]) as usize;
        let mesh = soup_or_needles(&mut random, n, round / 3);
        let mut rays: Vec<Ray> = (0..3).flat_map(|_| bundle(&mesh, &mut rng)).collect();
        rays.extend((0..40).map(|_| aimed_ray(&mesh, &mut rng)));
        let (expected, mut tally) = (expected(&mesh, &rays), Tally::default());
        let of_each: Vec<i32> = rays.iter().map(|ray| signed(&mesh, ray) as i32).collect();
        for isa in Isa::available() {
            let bvh = MeshBvh::build(&mesh, &BuildOptions { isa, ..BuildOptions::default() });
            for (faces, hits) in &expected {
                let found = batch_answers_of!(bvh, &rays, *faces);
                tally.compare_batch(&rays, *faces, &found, hits);
            }
            assert_eq!(tally.first_difference(), None, "round {round}, {isa:?}");
            let mut found = vec![i32::MAX; rays.len()];
            bvh.signed_crossings_batch(&rays, &mut found);
            assert_eq!(found, of_each, "round {round}, {isa:?}");
        }
    }
}
