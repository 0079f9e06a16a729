//! Every query of a scene equals the loop over all its instances, to the last bit.

use hitscan::primitives::glam::DVec3;
use hitscan::scene::{InstanceId, QueryOptions, Scene, SceneBruteForce, WorldRay};
use hitscan::{Faces, HitMode};
use hitscan_testkit::Rng;

use super::making::{bits, brute_hits, random_ray, random_scene};
use crate::asking::effort;

#[test]
fn every_query_equals_the_loop_over_all_instances() {
    let mut n_hits = 0;
    for seed in 0..effort(60) {
        let mut rng = Rng::new(seed);
        let scene = random_scene(&mut rng, 30, DVec3::ZERO);
        let ids: Vec<InstanceId> = scene.iter().map(|(id, _)| id).collect();
        for _ in 0..60 {
            let ray = random_ray(&scene, &mut rng);
            let ignore = [rng.pick(&ids)];
            let options = random_options(&mut rng, &ignore);
            n_hits += check(&scene, &ray, &options, seed);
        }
    }
    assert!(n_hits as f64 > 30.0 * effort(60) as f64, "the rays hit too little: {n_hits}");
}

#[test]
fn every_query_equals_the_loop_far_from_the_origin() {
    for seed in 1000..1000 + effort(30) {
        let mut rng = Rng::new(seed);
        let far = rng.direction().as_dvec3() * 10f64.powf(f64::from(rng.between(3.0, 12.0)));
        let scene = random_scene(&mut rng, 20, far);
        for _ in 0..60 {
            let ray = random_ray(&scene, &mut rng);
            check(&scene, &ray, &QueryOptions::default(), seed);
        }
    }
}

#[test]
fn rays_in_the_faces_of_boxes_lose_nothing() {
    // Adjacent cubes: every ray runs in a face of several of them, exactly or nearly.
    use hitscan::scene::{Instance, Mesh};
    use hitscan::{BuildOptions, primitives::generate};
    let cube = generate::cuboid(2.0, 2.0, 2.0, 0).expect("an ordinary size");
    let cube = std::sync::Arc::new(Mesh::new(cube, &BuildOptions::default()));
    let mut rng = Rng::new(7);
    for offset in [0.0, 1e3, 1e7, 1.0 / 3.0 + 1e5] {
        let mut scene = Scene::new();
        let place =
            |x: i32, y: i32, z: i32| DVec3::new(x.into(), y.into(), z.into()) * 2.0 + offset;
        for (x, y, z) in (0..27).map(|i| (i % 3, i / 3 % 3, i / 9)) {
            let transform = super::making::moved_by(place(x, y, z));
            scene.insert(Instance::new(cube.clone(), transform)).expect("it is invertible");
        }
        for _ in 0..effort(400) {
            let nudge = rng.pick(&[0.0, 1e-9, -1e-9, 6e-8, -6e-8, 1e-7, -1e-7]);
            let whole = |rng: &mut Rng| rng.below(8) as f64 - 1.0 + offset;
            let mut target = [whole(&mut rng), whole(&mut rng), whole(&mut rng)];
            let mut origin = target;
            let axis = rng.below(3);
            origin[axis] -= rng.pick(&[1.0, 100.0, 1e6]);
            let other = (axis + 1) % 3;
            origin[other] += nudge;
            target[other] += rng.pick(&[0.0, nudge]);
            check(&scene, &WorldRay::segment(origin, target), &QueryOptions::default(), 7);
            let ray = WorldRay::new(origin, DVec3::from(target) - DVec3::from(origin));
            check(&scene, &ray, &QueryOptions::default(), 7);
        }
    }
}

fn random_options<'a>(rng: &mut Rng, ignore: &'a [InstanceId]) -> QueryOptions<'a> {
    QueryOptions {
        faces: rng.pick(&[Faces::Both, Faces::Front, Faces::Back]),
        mode: HitMode::EveryTriangle,
        layers: rng.pick(&[u32::MAX, 1, 6]),
        ignore: if rng.one_in(3) { ignore } else { &[] },
        include_hidden: rng.one_in(2),
        include_locked: rng.one_in(2),
    }
}

/// Runs every query for a ray, and returns the number of hits.
fn check(scene: &Scene, ray: &WorldRay, options: &QueryOptions<'_>, seed: u64) -> usize {
    let context = format!("seed {seed}, {ray:?}, {options:?}");
    let expected = brute_hits(scene, ray, options, HitMode::EveryTriangle);
    let first = expected.first().map(bits);
    assert_eq!(scene.closest_hit(ray, options).as_ref().map(bits), first, "closest, {context}");
    assert_eq!(scene.is_occluded(ray, options), first.is_some(), "occluded, {context}");
    for mode in [HitMode::EveryTriangle, HitMode::OncePerCrossing] {
        let expected = brute_hits(scene, ray, options, mode);
        let expected: Vec<_> = expected.iter().map(bits).collect();
        let found = scene.all_hits(ray, &QueryOptions { mode, ..*options });
        assert!(found.iter().map(bits).eq(expected.iter().copied()), "all, {mode:?}, {context}");
        let mut nearest = Vec::new();
        scene.nearest_hits_into(ray, 3, &QueryOptions { mode, ..*options }, &mut nearest);
        let first_three = expected.iter().copied().take(3);
        assert!(nearest.iter().map(bits).eq(first_three), "nearest, {mode:?}, {context}");
        if mode == HitMode::OncePerCrossing {
            assert_eq!(scene.count_crossings(ray, options), expected.len(), "{context}");
            let every_side = QueryOptions { faces: Faces::Both, ..*options };
            let signed = SceneBruteForce::new(scene).signed_crossings(ray, &every_side);
            assert_eq!(scene.signed_crossings(ray, options), signed, "{context}");
        }
    }
    // With every second triangle ignored.
    let even = |triangle: u32| triangle.is_multiple_of(2);
    let filtered: Vec<_> = expected.iter().filter(|hit| even(hit.triangle())).map(bits).collect();
    let closest = scene.closest_hit_where(ray, options, |hit| even(hit.triangle()));
    assert_eq!(closest.as_ref().map(bits), filtered.first().copied(), "filtered, {context}");
    let occluded = scene.is_occluded_where(ray, options, |hit| even(hit.triangle()));
    assert_eq!(occluded, !filtered.is_empty(), "occluded where, {context}");
    let mut found = Vec::new();
    scene.nearest_hits_where_into(ray, 2, options, |hit| even(hit.triangle()), &mut found);
    assert!(found.iter().map(bits).eq(filtered.iter().copied().take(2)), "{context}");
    scene.all_hits_where_into(ray, options, |hit| even(hit.triangle()), &mut found);
    assert!(found.iter().map(bits).eq(filtered.iter().copied()), "{context}");
    expected.len()
}

#[test]
fn batches_answer_as_single_rays_do() {
    let mut rng = Rng::new(3);
    let scene = random_scene(&mut rng, 40, DVec3::ZERO);
    let rays: Vec<WorldRay> = (0..3000).map(|_| random_ray(&scene, &mut rng)).collect();
    let options = QueryOptions::default();
    let (mut hits, mut occluded) = (vec![None; rays.len()], vec![false; rays.len()]);
    scene.closest_hit_batch(&rays, &options, &mut hits);
    scene.is_occluded_batch(&rays, &options, &mut occluded);
    for (ray, (hit, occluded)) in rays.iter().zip(hits.iter().zip(&occluded)) {
        let expected = scene.closest_hit(ray, &options);
        assert_eq!(hit.as_ref().map(bits), expected.as_ref().map(bits));
        assert_eq!(*occluded, expected.is_some());
    }
}

#[test]
fn invalid_rays_hit_nothing() {
    let mut rng = Rng::new(5);
    let scene = random_scene(&mut rng, 40, DVec3::ZERO);
    let good = random_ray(&scene, &mut rng);
    let bad = [
        WorldRay { direction: DVec3::ZERO, ..good },
        WorldRay { direction: DVec3::new(1.0, f64::NAN, 0.0), ..good },
        WorldRay { origin: DVec3::splat(f64::INFINITY), ..good },
        WorldRay { origin: DVec3::splat(1e300), ..good },
        WorldRay { direction: DVec3::splat(1e-300), ..good },
        WorldRay { direction: DVec3::splat(1e300), ..good },
        good.with_range(2.0, 1.0),
        good.with_range(f64::NAN, 1.0),
    ];
    for ray in bad {
        assert_eq!(scene.closest_hit(&ray, &QueryOptions::default()), None, "{ray:?}");
        assert!(!scene.is_occluded(&ray, &QueryOptions::default()), "{ray:?}");
    }
}
