//! Going back to a snapshot, restoring, forgetting and renumbering: no handle and no order twice.

use std::collections::HashSet;

use hitscan::cache::{BuiltScene, write_scene};
use hitscan::glam::DAffine3;
use hitscan::scene::{
    Instance, InstanceId, QueryOptions, Scene, SceneBruteForce, SceneError, WorldRay,
};
use hitscan::scene_file::to_text;
use hitscan_testkit::Rng;

use super::histories;
use super::making::random_meshes;
use crate::asking::effort;

/// `n` histories of a few steps. A longer run multiplies the number by `HITSCAN_TEST_EFFORT`.
#[test]
fn short_histories_lose_no_instance_and_double_no_handle_or_order() {
    let meshes = histories::meshes();
    for seed in 0..effort(20_000) {
        let mut rng = Rng::new(seed);
        let steps = 4 + rng.below(16);
        let history = || histories::run(steps, &meshes, &mut |n| rng.below(n));
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(history));
        assert!(outcome.is_ok(), "seed {seed}");
        if seed % 1_000_000 == 999_999 {
            eprintln!("{} histories, none wrong", seed + 1);
        }
    }
}

/// The slot of `b` was free in the snapshot, so the way back leaves a removal that the snapshot never saw.
#[test]
fn a_removal_after_a_snapshot_is_sound_in_the_snapshot() {
    let mut scene = Scene::new();
    let a = scene.insert(Instance::default()).expect("a group");
    let removed = scene.remove(a).expect("it is there");
    scene.forget(removed);
    let snapshot = scene.clone();
    let b = scene.insert(Instance::default()).expect("a group");
    let removed = scene.remove(b).expect("it is there");

    let mut forgotten = snapshot.clone();
    forgotten.forget(removed.clone());
    let mut restored = snapshot.clone();
    assert_eq!(restored.restore(&removed), Ok(b));
    assert!(restored.contains(b) && restored.len() == 1);
    for mut scene in [snapshot, forgotten, restored] {
        let before = scene.len();
        let ids: HashSet<InstanceId> =
            (0..3).map(|_| scene.insert(Instance::default()).expect("a group")).collect();
        assert!(ids.len() == 3 && !ids.contains(&a) && !ids.contains(&b), "{ids:?}");
        assert_eq!(scene.len(), before + 3);
        for id in ids {
            scene.set_hidden(id, true).expect("it is there");
            scene.remove(id).expect("it is there");
        }
        assert_eq!(scene.len(), before);
    }
}

#[test]
fn a_handle_never_names_another_instance_of_a_clone() {
    let mut scene = Scene::new();
    let snapshot = scene.clone();
    let a = scene.insert(Instance::default()).expect("a group");
    let removed = scene.remove(a).expect("it is there");
    scene = snapshot;
    let b = scene.insert(Instance::default()).expect("a group");
    assert!(a != b && !scene.contains(a));
    assert_eq!(scene.restore(&removed), Err(SceneError::NotRemoved(a)), "its slot is taken");
    let mut other = Scene::new();
    assert_eq!(other.restore(&removed), Err(SceneError::NotRemoved(a)), "another scene");
    other.insert(Instance::default()).expect("a group");
    other.forget(removed);
    assert_eq!(other.len(), 1);
}

#[test]
fn a_restored_instance_never_has_the_order_of_another() {
    let mesh = random_meshes(&mut Rng::new(1))[0].clone();
    let mut scene = Scene::new();
    let instance = || Instance::new(mesh.clone(), DAffine3::IDENTITY);
    let [a, b] = [(); 2].map(|()| scene.insert(instance()).expect("it fits"));
    let removed = scene.remove(a).expect("it is there");
    scene.renumber(|_| 0).expect("there is one");
    scene.restore(&removed).expect("it was removed");
    assert_eq!([a, b].map(|id| scene.insertion_order(id)), [Some(1), Some(0)]);
    let ray = WorldRay::new([0.1, 0.2, 9.0], [0.0, 0.0, -1.0]);
    let options = QueryOptions::default();
    let hit = scene.closest_hit(&ray, &options).expect("both are ahead");
    assert_eq!(hit.instance, b);
    assert_eq!(SceneBruteForce::new(&scene).closest_hit(&ray, &options), Some(hit));
    let last = scene.insert(instance()).expect("it fits");
    assert_eq!(scene.insertion_order(last), Some(2));

    // An old order that no other instance has stays, and later ones follow it.
    let removed = scene.remove(last).expect("it is there");
    scene.renumber(|id| u64::from(id == a)).expect("two orders");
    scene.restore(&removed).expect("it was removed");
    let next = scene.insert(instance()).expect("it fits");
    assert_eq!([last, next].map(|id| scene.insertion_order(id)), [Some(2), Some(3)]);
}

#[test]
fn no_order_overflows() {
    let mut scene = Scene::new();
    let a = scene.insert(Instance::default()).expect("a group");
    for order in [Scene::MAX_INSERTION_ORDER + 1, u64::MAX] {
        let error = scene.renumber(|_| order).expect_err("it is too large");
        assert_eq!(error, SceneError::LargeOrder { instance: a, order });
        assert!(error.to_string().contains("exceeds 2^63 - 1"), "{error}");
    }
    scene.renumber(|_| Scene::MAX_INSERTION_ORDER).expect("files hold it");
    let b = scene.insert(Instance::default()).expect("a group");
    assert_eq!(scene.insertion_order(b), Some(Scene::MAX_INSERTION_ORDER + 1));
    // Files refuse it until it has another.
    let write = |scene: &Scene| {
        let text = to_text(scene, |_| None);
        (text.map_err(|e| e.to_string()), write_scene(&BuiltScene::new(scene.clone()), Vec::new()))
    };
    let (text, cache) = write(&scene);
    let (text, cache) = (text.expect_err("too large"), cache.expect_err("too large").to_string());
    for error in [text, cache] {
        assert!(error.contains("the order 9223372036854775808 exceeds 2^63 - 1"), "{error}");
    }
    scene.renumber(|id| u64::from(id == b)).expect("two orders");
    let (text, cache) = write(&scene);
    assert!(text.is_ok() && cache.is_ok());
}
