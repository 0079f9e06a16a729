//! An edited scene answers like a new scene in the same state, and snapshots keep their answers.

use std::collections::HashMap;
use std::sync::Arc;

use hitscan::glam::{DAffine3, DVec3};
use hitscan::scene::{
    Instance, InstanceId, KeepTransform, Mesh, QueryOptions, RemovedSubtree, Scene, SceneError,
    SceneHit, WorldRay,
};
use hitscan_testkit::Rng;

use super::making::{random_meshes, random_ray, random_scene, random_transform, vector};
use crate::asking::effort;

/// The record of an instance in a plain list: the model that the scene is compared with.
#[derive(Clone)]
struct Entry {
    id: InstanceId,
    instance: Instance,
}

/// Instances in order of first insertion, with the removed ones.
#[derive(Clone, Default)]
struct Model {
    entries: Vec<Entry>,
}

impl Model {
    fn get(&mut self, id: InstanceId) -> &mut Instance {
        let entry = self.entries.iter_mut().find(|entry| entry.id == id);
        &mut entry.expect("the model has what the scene has").instance
    }

    /// The instance and all below it.
    fn below(&self, id: InstanceId) -> Vec<InstanceId> {
        let mut below = vec![id];
        let mut at = 0;
        while at < below.len() {
            let parent = Some(below[at]);
            let children = self.entries.iter().filter(|entry| entry.instance.parent == parent);
            below.extend(children.map(|entry| entry.id));
            at += 1;
        }
        below
    }

    /// A new scene with parents first, and its handles for those of the model.
    fn fresh(&self) -> (Scene, HashMap<InstanceId, InstanceId>) {
        // Ties need the instances in their old order, but parents must come before children. So insert
        // all as groups without parents first.
        let mut scene = Scene::new();
        let mut ids = HashMap::new();
        for entry in &self.entries {
            let id = scene.insert(Instance::default()).expect("the identity can be undone");
            ids.insert(entry.id, id);
        }
        let mut open: Vec<&Entry> =
            self.entries.iter().filter(|entry| entry.instance.parent.is_none()).collect();
        while let Some(entry) = open.pop() {
            let (id, instance) = (ids[&entry.id], &entry.instance);
            let parent = instance.parent.map(|parent| ids[&parent]);
            // Its transform may be valid only below its parent.
            scene.reparent(id, parent, KeepTransform::Local).expect("it was good before");
            scene.set_transform(id, instance.transform).expect("it was good before");
            scene.set_mesh(id, instance.mesh.clone()).expect("it was good before");
            scene.set_layers(id, instance.layers).expect("it is there");
            scene.set_hidden(id, instance.hidden).expect("it is there");
            scene.set_locked(id, instance.locked).expect("it is there");
            let is_child = |child: &&Entry| child.instance.parent == Some(entry.id);
            open.extend(self.entries.iter().filter(is_child));
        }
        (scene, ids)
    }
}

/// A hit without handles, whose instance is named by the handle in a fresh scene.
type Bits = (u64, Option<InstanceId>, [u32; 5]);

fn bits(hit: Option<SceneHit>, name: impl Fn(InstanceId) -> InstanceId) -> Option<Bits> {
    hit.map(|hit| (hit.t.to_bits(), Some(name(hit.instance)), hit.local.to_bits()))
}

fn assert_same(scene: &Scene, model: &Model, rng: &mut Rng, context: &str) {
    let (fresh, ids) = model.fresh();
    assert_eq!(scene.len(), fresh.len(), "{context}");
    for include in [false, true] {
        let options = QueryOptions {
            include_hidden: include,
            include_locked: include,
            layers: rng.pick(&[u32::MAX, 3]),
            ..QueryOptions::default()
        };
        for _ in 0..6 {
            let ray = random_ray(scene, rng);
            let found = bits(scene.closest_hit(&ray, &options), |id| ids[&id]);
            let expected = bits(fresh.closest_hit(&ray, &options), |id| id);
            assert_eq!(found, expected, "{context}, {ray:?}");
        }
    }
}

// Longer than 60 lines: one flat match with an arm per kind of edit.
#[test]
fn a_randomly_edited_scene_equals_a_fresh_one() {
    let n_steps = effort(5000);
    let per_seed = n_steps.min(2000);
    let mut counts = [0usize; 12];
    for seed in 0..n_steps.div_ceil(per_seed) {
        let mut rng = Rng::new(seed);
        let meshes = random_meshes(&mut rng);
        let (mut scene, mut model) = (Scene::new(), Model::default());
        // The removed subtrees, each with the model before its removal, in order.
        let mut removed: Vec<(RemovedSubtree, Vec<(usize, Entry)>)> = Vec::new();
        let mut snapshots: Vec<(Scene, Model)> = Vec::new();
        for step in 0..per_seed {
            let context = format!("seed {seed}, step {step}");
            let ids: Vec<InstanceId> = model.entries.iter().map(|entry| entry.id).collect();
            // About forty instances, so that each has others below and beside it.
            let kind = if ids.len() < 30 { 0 } else { rng.below(12) };
            counts[kind] += 1;
            let id = if ids.is_empty() { None } else { Some(rng.pick(&ids)) };
            match (kind, id) {
                (0 | 1, _) if ids.len() < 60 => {
                    let instance = Instance {
                        mesh: (!rng.one_in(5)).then(|| meshes[rng.below(meshes.len())].clone()),
                        transform: random_transform(&mut rng, 10.0),
                        parent: id.filter(|_| rng.one_in(2)),
                        layers: 1 << rng.below(3),
                        ..Instance::default()
                    };
                    if let Ok(id) = scene.insert(instance.clone()) {
                        model.entries.push(Entry { id, instance });
                    }
                }
                (2, Some(id)) => {
                    let going = model.below(id);
                    let taken = scene.remove(id).expect("it is there");
                    assert_eq!(taken.id(), id, "{context}");
                    let entries = model.entries.clone().into_iter().enumerate();
                    let gone = entries.filter(|(_, entry)| going.contains(&entry.id)).collect();
                    model.entries.retain(|entry| !going.contains(&entry.id));
                    assert!(going.iter().all(|&id| !scene.contains(id)), "{context}");
                    removed.push((taken, gone));
                }
                (3, _) if !removed.is_empty() => {
                    let (taken, gone) = removed.swap_remove(rng.below(removed.len()));
                    let root = gone.iter().find(|(_, entry)| entry.id == taken.id());
                    let parent = root.and_then(|(_, root)| root.instance.parent);
                    match scene.restore(&taken) {
                        Ok(id) => {
                            assert_eq!(id, taken.id(), "{context}");
                            model.entries.extend(gone.into_iter().map(|(_, entry)| entry));
                            let order = |id| scene.insertion_order(id).expect("it is there");
                            model.entries.sort_by_key(|entry| order(entry.id));
                            let again = scene.restore(&taken);
                            assert_eq!(again, Err(SceneError::NotRemoved(id)), "{context}");
                        }
                        Err(SceneError::UnknownInstance(unknown)) => {
                            assert_eq!(Some(unknown), parent, "{context}");
                            scene.forget(taken);
                        }
                        Err(SceneError::Transform { .. }) => scene.forget(taken),
                        Err(error) => panic!("{context}: {error}"),
                    }
                }
                (4 | 5, Some(id)) => {
                    let transform = random_transform(&mut rng, 10.0);
                    if scene.set_transform(id, transform).is_ok() {
                        model.get(id).transform = transform;
                    }
                }
                (6, Some(id)) => {
                    let parent = if rng.one_in(3) { None } else { Some(rng.pick(&ids)) };
                    let keep = rng.pick(&[KeepTransform::World, KeepTransform::Local]);
                    let before = scene.world_transform(id).expect("it is there");
                    let is_cycle = parent.is_some_and(|parent| model.below(id).contains(&parent));
                    let found = scene.reparent(id, parent, keep);
                    match (&found, is_cycle) {
                        (Err(SceneError::Cycle { .. }), true) => {}
                        (Err(SceneError::Transform { .. }), false) => {}
                        (Ok(()), false) => {
                            if keep == KeepTransform::World {
                                let after = scene.world_transform(id).expect("it is there");
                                let parent = parent.and_then(|id| scene.world_transform(id));
                                let is_near = is_near(before, after, parent);
                                assert!(is_near, "{context}: {before} {after}");
                            }
                            let transform = scene.get(id).expect("it is there").transform;
                            let instance = model.get(id);
                            (instance.parent, instance.transform) = (parent, transform);
                        }
                        _ => panic!("{context}: {found:?}, cycle: {is_cycle}"),
                    }
                }
                (7, Some(id)) => {
                    let hidden = rng.one_in(2);
                    scene.set_hidden(id, hidden).expect("it is there");
                    model.get(id).hidden = hidden;
                }
                (8, Some(id)) => {
                    let (locked, layers) = (rng.one_in(3), 1 << rng.below(3));
                    scene.set_locked(id, locked).expect("it is there");
                    scene.set_layers(id, layers).expect("it is there");
                    (model.get(id).locked, model.get(id).layers) = (locked, layers);
                }
                (9, Some(id)) => {
                    let mesh = (!rng.one_in(4)).then(|| meshes[rng.below(meshes.len())].clone());
                    if scene.set_mesh(id, mesh.clone()).is_ok() {
                        model.get(id).mesh = mesh;
                    }
                }
                (10, _) => snapshots.push((scene.clone(), model.clone())),
                (11, _) if !snapshots.is_empty() => {
                    // Undo: later removals belong to another history.
                    (scene, model) = snapshots.swap_remove(rng.below(snapshots.len()));
                    removed.clear();
                }
                _ => {}
            }
            if step % 20 == 0 {
                assert_same(&scene, &model, &mut rng, &context);
            }
        }
        for (snapshot, model) in &snapshots {
            assert_same(snapshot, model, &mut rng, &format!("seed {seed}, a snapshot"));
        }
    }
    assert!(counts.iter().all(|&n| n as u64 * 30 > n_steps), "{counts:?}");
}

/// Whether two transforms are the same up to the rounding of f64, which a stretched parent multiplies.
fn is_near(a: DAffine3, b: DAffine3, parent: Option<DAffine3>) -> bool {
    let largest = |transform: DAffine3| {
        transform.to_cols_array().into_iter().fold(1.0, |largest: f64, x| largest.max(x.abs()))
    };
    let condition = parent.map_or(1.0, |parent| largest(parent) * largest(parent.inverse()));
    let allowed = 1e-14 * condition * largest(a);
    a.to_cols_array().iter().zip(&b.to_cols_array()).all(|(a, b)| (a - b).abs() <= allowed)
}

#[test]
fn snapshots_answer_as_before_from_other_threads() {
    let mut rng = Rng::new(8);
    let mut scene = random_scene(&mut rng, 300, DVec3::ZERO);
    let rays: Vec<WorldRay> = (0..500).map(|_| random_ray(&scene, &mut rng)).collect();
    let options = QueryOptions::default();
    let answers = |scene: &Scene| -> Vec<Option<SceneHit>> {
        rays.iter().map(|ray| scene.closest_hit(ray, &options)).collect()
    };
    let snapshot = scene.clone();
    let before = answers(&snapshot);
    assert!(before.iter().flatten().count() > 100, "the rays hit too little");
    std::thread::scope(|threads| {
        let asked = threads.spawn(|| (0..20).all(|_| answers(&snapshot) == before));
        let ids: Vec<InstanceId> = scene.iter().map(|(id, _)| id).collect();
        for step in 0..2000 {
            let id = rng.pick(&ids);
            if step % 5 == 0 {
                // A removed parent has taken it along.
                let _ = scene.remove(id);
            } else {
                let _ = scene.set_transform(id, random_transform(&mut rng, 30.0));
            }
        }
        assert!(asked.join().expect("it does not panic"), "the snapshot changed");
    });
    assert_ne!(answers(&scene), before, "the edits did nothing");
}

#[test]
fn handles_outlive_removal_and_never_name_another_instance() {
    let mut scene = Scene::new();
    let a = scene.insert(Instance::default()).expect("a group");
    let b = scene.insert(Instance { parent: Some(a), ..Instance::default() }).expect("a group");
    let c = scene.insert(Instance { parent: Some(a), ..Instance::default() }).expect("a group");
    let removed = scene.remove(b).expect("it is there");
    assert!(!scene.contains(b) && scene.get(b).is_none());
    assert_eq!(scene.set_hidden(b, true), Err(SceneError::UnknownInstance(b)));
    let d = scene.insert(Instance::default()).expect("a group");
    assert_ne!(b.index, d.index, "the slot is kept for restoring");
    scene.restore(&removed).expect("its parent is there");
    assert_eq!(scene.children(a).collect::<Vec<_>>(), [b, c], "it has its old place");
    assert_eq!(
        [a, b, c, d].map(|id| scene.insertion_order(id)),
        [Some(0), Some(1), Some(2), Some(3)]
    );

    let removed = scene.remove(a).expect("it is there");
    assert_eq!(removed.ids().collect::<Vec<_>>(), [a, b, c]);
    assert_eq!(scene.len(), 1);
    scene.forget(removed.clone());
    assert_eq!(scene.restore(&removed), Err(SceneError::NotRemoved(a)));
    let e = scene.insert(Instance::default()).expect("a group");
    assert!([a, b, c].iter().any(|old| old.index == e.index && old.generation != e.generation));
    assert!([a, b, c].iter().all(|&old| !scene.contains(old)));
}

#[test]
fn singular_transforms_are_refused_and_change_nothing() {
    let mut scene = Scene::new();
    let mesh = Some(Arc::new(Mesh::default()));
    let parent = scene.insert(Instance::default()).expect("a group");
    let child = Instance { mesh, parent: Some(parent), ..Instance::default() };
    let child = scene.insert(child).expect("it is invertible");
    let bad = [
        DAffine3::from_scale(DVec3::new(1.0, 0.0, 1.0)),
        DAffine3::from_scale(DVec3::splat(f64::NAN)),
        DAffine3::from_translation(DVec3::new(f64::INFINITY, 0.0, 0.0)),
    ];
    for transform in bad {
        let found = scene.set_transform(parent, transform);
        assert!(matches!(found, Err(SceneError::Transform { .. })), "{transform}: {found:?}");
        let instance = Instance { transform, parent: Some(child), ..Instance::default() };
        assert!(scene.insert(instance).is_err(), "{transform}");
        assert_eq!(scene.world_transform(child), Some(DAffine3::IDENTITY));
    }
    assert_eq!(scene.len(), 2);
    assert_eq!(scene.children(child).count(), 0);
    // Mirrored and very flat transforms are valid.
    let flat = DAffine3::from_scale(DVec3::new(-1.0, 1e-9, 1e9));
    assert_eq!(scene.set_transform(parent, flat), Ok(()));
}

#[test]
fn a_restored_instance_follows_its_parent() {
    let mut rng = Rng::new(9);
    let mut scene = Scene::new();
    let parent = scene.insert(Instance::default()).expect("a group");
    let child = Instance {
        parent: Some(parent),
        transform: DAffine3::from_translation(vector(&mut rng)),
        ..Instance::default()
    };
    let local = child.transform;
    let child = scene.insert(child).expect("it is invertible");
    let removed = scene.remove(child).expect("it is there");
    let moved = random_transform(&mut rng, 5.0);
    scene.set_transform(parent, moved).expect("it is invertible");
    scene.set_hidden(parent, true).expect("it is there");
    scene.restore(&removed).expect("its parent is there");
    assert_eq!(scene.world_transform(child), Some(moved * local));
    assert_eq!(scene.is_hidden(child), Some(true));
}

#[test]
fn scenes_are_shared_between_threads() {
    fn assert_shared<T: Send + Sync + 'static>() {}
    assert_shared::<Scene>();
    assert_shared::<Mesh>();
    assert_shared::<RemovedSubtree>();
}

/// Equal hits are decided by the numbers that a file gives, and later instances follow them.
#[test]
fn renumbered_instances_decide_ties_anew() {
    let mesh = random_meshes(&mut Rng::new(1))[0].clone();
    let mut scene = Scene::new();
    let ids: Vec<InstanceId> = (0..3)
        .map(|_| scene.insert(Instance::new(mesh.clone(), DAffine3::IDENTITY)).expect("it fits"))
        .collect();
    let ray = WorldRay::new([0.1, 0.2, 9.0], [0.0, 0.0, -1.0]);
    let first = |scene: &Scene| {
        let hit = scene.closest_hit(&ray, &QueryOptions::default()).expect("the cube is ahead");
        (hit.instance, hit.insertion_order)
    };
    assert_eq!(first(&scene), (ids[0], 0));
    let before = scene.clone();
    let error = scene.renumber(|id| u64::from(id == ids[2])).expect_err("two have order 0");
    assert_eq!(error, SceneError::SameOrder { instance: ids[1], order: 0, other: ids[0] });
    assert_eq!(first(&scene), (ids[0], 0));
    scene.renumber(|id| if id == ids[1] { 7 } else { 100 + u64::from(id.index) }).expect("unique");
    assert_eq!(first(&scene), (ids[1], 7));
    assert_eq!(scene.by_insertion_order(102), Some(ids[2]));
    assert_eq!(scene.depth_first(), [ids[1], ids[0], ids[2]]);
    let next = scene.insert(Instance::new(mesh, DAffine3::IDENTITY)).expect("it fits");
    assert_eq!(scene.insertion_order(next), Some(103));
    assert_eq!(first(&before), (ids[0], 0));
}
