//! Balls along rays in world space equal a loop over all triangles of all instances.

use hitscan::glam::DVec3;
use hitscan::primitives::{SphereCast, closest_point_on_triangle};
use hitscan::scene::{QueryOptions, Scene, SceneBruteForce, SceneContact};
use hitscan_testkit::Rng;

use super::making::{random_ray, random_scene, random_triangle, sees, vector, world_corners};
use crate::asking::{effort, is_whole_effort};

/// The bits of a contact.
fn bits(contact: &SceneContact) -> String {
    let floats =
        [contact.contact.point, contact.contact.normal].map(|v| v.to_array().map(f64::to_bits));
    format!("{contact:?} {} {floats:?}", contact.contact.t.to_bits())
}

/// A ball on one of the ways of rays, of any size beside the triangle that it is aimed at.
fn random_ball(scene: &Scene, rng: &mut Rng) -> Option<SphereCast> {
    let (id, triangle) = random_triangle(scene, rng)?;
    let [a, b, c] = world_corners(scene, id, triangle);
    let size = (b - a).length().max((c - a).length());
    let radius = rng.pick(&[0.0, 1e-6, 0.01, 0.5, 3.0, 20.0]) * size;
    SphereCast::new(random_ray(scene, rng), radius).ok()
}

#[test]
fn sphere_casts_equal_a_loop_over_all_instances_to_the_last_bit() {
    let (mut n_first, mut n_all) = (0, 0);
    for seed in 0..effort(60) {
        let mut rng = Rng::new(seed);
        let far = if rng.one_in(2) { DVec3::ZERO } else { vector(&mut rng) * 1e7 };
        let scene = random_scene(&mut rng, 12, far);
        let ids: Vec<_> = scene.iter().map(|(id, _)| id).collect();
        let ignore = if rng.one_in(3) { vec![rng.pick(&ids)] } else { vec![] };
        let options = QueryOptions {
            include_hidden: rng.one_in(2),
            include_locked: rng.one_in(2),
            layers: rng.pick(&[u32::MAX, 0b101]),
            ignore: &ignore,
            ..QueryOptions::default()
        };
        let brute_force = SceneBruteForce::new(&scene);
        let casts: Vec<_> = (0..8).filter_map(|_| random_ball(&scene, &mut rng)).collect();
        let mut batch = vec![None; casts.len()];
        scene.sphere_cast_batch(&casts, &options, &mut batch);
        for (cast, of_batch) in casts.iter().zip(batch) {
            let expected = brute_force.sphere_cast_all(cast, &options);
            let found = scene.sphere_cast_all(cast, &options);
            let of = |contacts: &[SceneContact]| contacts.iter().map(bits).collect::<Vec<_>>();
            assert_eq!(of(&found), of(&expected), "seed {seed}, all of {cast:?}");
            let first = scene.sphere_cast(cast, &options);
            assert_eq!(
                first.as_ref().map(bits),
                expected.first().map(bits),
                "seed {seed}, {cast:?}"
            );
            assert_eq!(of_batch, first, "seed {seed}, batch");
            assert_eq!(scene.sphere_cast_any(cast, &options), first.is_some(), "seed {seed}, any");
            let odd = |contact: &SceneContact| contact.contact.triangle % 2 == 1;
            let first_odd = scene.sphere_cast_where(cast, &options, odd);
            assert_eq!(first_odd, expected.iter().copied().find(odd), "seed {seed}, odd");
            assert!(found.iter().all(|contact| sees(&scene, contact.instance, &options)));
            n_first += u64::from(first.is_some());
            n_all += found.len() as u64;
        }
    }
    assert!(n_first > effort(60) && n_all > 3 * n_first, "{n_first} {n_all}");
}

#[test]
fn a_ball_is_round_in_the_world_beside_stretched_instances() {
    let mut n_checked = 0;
    for seed in 0..effort(60) {
        let mut rng = Rng::new(seed);
        let scene = random_scene(&mut rng, 12, DVec3::ZERO);
        for _ in 0..10 {
            let Some(cast) = random_ball(&scene, &mut rng) else { continue };
            let Some(first) = scene.sphere_cast(&cast, &QueryOptions::default()) else { continue };
            if cast.radius() == 0.0 {
                let hit = scene.closest_hit(cast.ray(), &QueryOptions::default()).expect("it hits");
                let of_hit = (hit.t, hit.instance, hit.triangle());
                assert_eq!((first.contact.t, first.instance, first.contact.triangle), of_hit);
                continue;
            }
            let corners = world_corners(&scene, first.instance, first.contact.triangle);
            let center = cast.ray().at(first.contact.t);
            let nearest = closest_point_on_triangle(corners, center);
            let distance = nearest.distance_squared.sqrt();
            // Of all that is rounded on the way to the corners.
            let world = scene.mesh_to_world(first.instance).expect("it is there");
            let mesh = scene.get(first.instance).and_then(|instance| instance.mesh.as_ref());
            let local = mesh.expect("it has a mesh").tri_mesh().bounds().max_abs_coordinate();
            let columns = world.matrix3.to_cols_array().map(f64::abs).iter().sum::<f64>();
            let placed = columns * f64::from(local) + world.translation.length();
            let size = placed + cast.ray().origin.length() + cast.radius();
            assert!(distance <= cast.radius() + 1e-12 * size, "seed {seed}: {distance} {cast:?}");
            assert!(
                first.contact.t == cast.ray().t_min || distance >= cast.radius() - 1e-12 * size,
                "seed {seed}: {distance} {cast:?}"
            );
            assert!(nearest.point.distance(first.contact.point) <= 1e-6 * size, "seed {seed}");
            n_checked += 1;
        }
    }
    assert!(!is_whole_effort() || n_checked > 100, "{n_checked}");
}
