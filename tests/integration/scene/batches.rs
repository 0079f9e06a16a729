//! Single rays, batches and many moves at once, on every instruction set and after any edits: all equal the loop over the
//! instances.

use std::sync::Arc;

use hitscan::primitives::generate;
use hitscan::scene::{
    Instance, InstanceId, Mesh, QueryOptions, Scene, SceneError, SceneHit, WorldRay,
};
use hitscan::{BuildOptions, Faces, Isa};
use hitscan_testkit::{Rng, closed_shapes, soup};

use super::making::{bits, moved_by, random_ray, random_transform, vector};
use crate::asking::effort;

/// Meshes whose rays take an instruction set.
fn meshes(rng: &mut Rng, isa: Isa) -> Vec<Arc<Mesh>> {
    let closed = closed_shapes(60);
    let cube = generate::cuboid(2.0, 2.0, 2.0, 0).expect("an ordinary size");
    let all = [cube, closed[rng.below(closed.len())].mesh.clone(), soup(rng, 100).mesh];
    let options = BuildOptions { isa, ..BuildOptions::default() };
    all.into_iter().map(|mesh| Arc::new(Mesh::new(mesh, &options))).collect()
}

/// The closest hit by a loop over the instances.
fn by_loop(scene: &Scene, ray: &WorldRay) -> Option<SceneHit> {
    let of = |(id, instance): (InstanceId, &Instance)| {
        let (mesh, local) = (instance.mesh.as_ref()?, scene.local_ray(id, ray)?);
        let hit = mesh.bvh().closest_hit(&local.ray, Faces::Both)?;
        let insertion_order = scene.insertion_order(id)?;
        Some(SceneHit { t: local.world_t(hit.t), instance: id, insertion_order, local: hit })
    };
    scene.iter().filter_map(of).min_by(SceneHit::cmp_along_ray)
}

/// Runs of 32 rays: alike, alike but for a few, and without anything in common.
fn runs(scene: &Scene, n: usize, rng: &mut Rng) -> Vec<WorldRay> {
    let mut rays = vec![];
    for _ in 0..n {
        let (kind, first) = (rng.below(4), random_ray(scene, rng));
        let width = f64::from(rng.power_of_two(-12.0, 0.0)) * first.direction.length();
        for _ in 0..32 {
            let nudged = WorldRay { direction: first.direction + width * vector(rng), ..first };
            rays.push(match kind {
                0 | 1 => nudged,
                2 if !rng.one_in(20) => WorldRay { origin: first.origin + vector(rng), ..first },
                _ => random_ray(scene, rng),
            });
        }
    }
    rays
}

/// One edit of many instances, or of some.
fn edit(scene: &mut Scene, meshes: &[Arc<Mesh>], spread: f64, rng: &mut Rng) {
    let ids: Vec<InstanceId> = scene.iter().map(|(id, _)| id).collect();
    let share = [1, 2, 5, 40][rng.below(4)];
    let some: Vec<InstanceId> = ids.iter().copied().filter(|_| rng.one_in(share)).collect();
    match rng.below(5) {
        0 => {
            let moves = some.iter().map(|&id| (id, random_transform(rng, spread)));
            // Nested transforms may become singular.
            let _ = scene.set_transforms(moves.collect::<Vec<_>>());
        }
        1 => {
            let shift = moved_by(vector(rng) * spread * 0.1);
            let moves =
                some.iter().map(|&id| (id, shift * scene.get(id).expect("it is there").transform));
            let _ = scene.set_transforms(moves.collect::<Vec<_>>());
        }
        2 => {
            for id in some {
                let _ = scene.set_transform(id, random_transform(rng, spread));
            }
        }
        3 => {
            for &id in some.iter().filter(|_| rng.one_in(3)) {
                let _ = scene.remove(id).map(|removed| scene.forget(removed));
            }
        }
        _ => {
            for _ in 0..some.len() {
                let instance = Instance {
                    parent: if rng.one_in(8) && !ids.is_empty() {
                        Some(rng.pick(&ids))
                    } else {
                        None
                    },
                    ..Instance::new(meshes[rng.below(3)].clone(), random_transform(rng, spread))
                };
                let _ = scene.insert(instance);
            }
        }
    }
}

#[test]
fn rays_alone_and_in_batches_equal_the_loop_over_the_instances_after_any_edits() {
    let options = QueryOptions::default();
    let (mut n_rays, mut n_hits) = (0, 0);
    for seed in 0..effort(30) {
        let mut rng = Rng::new(seed);
        let available = Isa::available();
        let isa = available[seed as usize % available.len()];
        let meshes = meshes(&mut rng, isa);
        let spread = f64::from(rng.power_of_two(2.0, 7.0));
        let mut scene = Scene::new();
        for _ in 0..1 + rng.below(150) {
            let transform = random_transform(&mut rng, spread);
            let _ = scene.insert(Instance::new(meshes[rng.below(3)].clone(), transform));
        }
        for step in 0..5 {
            let before = scene.clone();
            edit(&mut scene, &meshes, spread, &mut rng);
            let rays = runs(&scene, 8, &mut rng);
            let mut hits = vec![None; rays.len()];
            let mut occluded = vec![false; rays.len()];
            scene.closest_hit_batch(&rays, &options, &mut hits);
            scene.is_occluded_batch(&rays, &options, &mut occluded);
            for ((ray, hit), occluded) in rays.iter().zip(&hits).zip(&occluded) {
                let expected = by_loop(&scene, ray).as_ref().map(bits);
                let context = format!("seed {seed}, step {step}, {isa:?}, {ray:?}");
                let alone = scene.closest_hit(ray, &options);
                assert_eq!(alone.as_ref().map(bits), expected, "alone, {context}");
                assert_eq!(hit.as_ref().map(bits), expected, "in a batch, {context}");
                let any = [*occluded, scene.is_occluded(ray, &options)];
                assert_eq!(any, [expected.is_some(); 2], "occluded, {context}");
                n_hits += usize::from(expected.is_some());
            }
            for ray in &rays[..8] {
                let expected = by_loop(&before, ray).as_ref().map(bits);
                let found = before.closest_hit(ray, &options);
                assert_eq!(found.as_ref().map(bits), expected, "snapshot, seed {seed}, {ray:?}");
            }
            n_rays += rays.len();
        }
    }
    eprintln!("{n_rays} rays, {n_hits} hits");
    assert!(4 * n_hits > n_rays, "{n_hits} of {n_rays} rays hit");
}

#[test]
fn many_moves_at_once_are_all_made_or_none() {
    let cube = generate::cuboid(2.0, 2.0, 2.0, 0).expect("an ordinary size");
    let cube = Arc::new(Mesh::new(cube, &BuildOptions::default()));
    let at = |x: f64| moved_by([x, 0.0, 0.0].into());
    let mut scene = Scene::new();
    let parent = scene.insert(Instance::default()).expect("it is invertible");
    let ids: Vec<InstanceId> = (0..200)
        .map(|i| {
            let parent = (i % 3 == 0).then_some(parent);
            let instance =
                Instance { parent, ..Instance::new(cube.clone(), at(4.0 * f64::from(i))) };
            scene.insert(instance).expect("it is invertible")
        })
        .collect();
    let places = |scene: &Scene| -> Vec<_> {
        let x = |id: &InstanceId| scene.world_transform(*id).expect("it is there").translation.x;
        let ray = |id: &InstanceId| WorldRay::new([x(id), 9.0, 0.0], [0.0, -1.0, 0.0]);
        let hit = |id: &InstanceId| scene.closest_hit(&ray(id), &QueryOptions::default());
        ids.iter().map(|id| (x(id), hit(id).map(|hit| hit.instance))).collect()
    };
    let before = places(&scene);
    assert!(before.iter().zip(&ids).all(|((_, hit), id)| *hit == Some(*id)));

    let flat = hitscan::glam::DAffine3::from_scale([1.0, 0.0, 1.0].into());
    let moves = ids.iter().map(|&id| (id, at(-1.0))).chain([(parent, at(1e6)), (ids[7], flat)]);
    let error = scene.set_transforms(moves).expect_err("one is singular");
    assert!(
        matches!(error, SceneError::Transform { instance, .. } if instance == ids[7]),
        "{error}"
    );
    assert_eq!(places(&scene), before);

    // The parent takes its children along; the last move of an instance counts.
    let moves = ids.iter().enumerate().map(|(i, &id)| (id, at(1000.0 - 4.0 * i as f64)));
    let moves: Vec<_> = [(ids[5], at(1e9)), (parent, at(0.5))].into_iter().chain(moves).collect();
    let mut in_turn = scene.clone();
    for &(id, transform) in &moves {
        in_turn.set_transform(id, transform).expect("it is invertible");
    }
    scene.set_transforms(moves).expect("all are invertible");
    assert_eq!(places(&scene), places(&in_turn));
    assert!(places(&scene).iter().zip(&ids).all(|((_, hit), id)| *hit == Some(*id)));
    assert_eq!(places(&scene)[3].0, 1000.0 - 12.0 + 0.5);
}
