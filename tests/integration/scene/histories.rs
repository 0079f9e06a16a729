//! Short random histories of a scene: edits, snapshots, undo, files. A map of handles to instances is the model.
//!
//! The fuzz target `histories` includes this file.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use hitscan::cache::{BuiltScene, read_scene, write_scene};
use hitscan::primitives::{generate, glam::DAffine3};
use hitscan::scene::{
    Instance, InstanceId, KeepTransform, Mesh, QueryOptions, RemovedSubtree, Scene,
    SceneBruteForce, SceneError, WorldRay,
};
use hitscan::scene_file::{MeshFile, parse, to_text};

/// Returns a number below its argument.
pub(crate) type Choose<'a> = dyn FnMut(usize) -> usize + 'a;

/// An instance with its insertion order.
#[derive(Clone)]
struct Entry {
    instance: Instance,
    order: u64,
}

/// The instances in a scene, and who holds its slots.
#[derive(Clone, Default)]
struct Model {
    present: BTreeMap<InstanceId, Entry>,
    /// By index: the removed instance that holds the slot, if any.
    removed: BTreeMap<u32, InstanceId>,
    /// By index: more than the generation of every instance that the scene forgot.
    forgotten: BTreeMap<u32, u32>,
}

/// Instances that were removed, with the part of the model that went with them.
struct Taken {
    subtree: RemovedSubtree,
    entries: Vec<(InstanceId, Entry)>,
    /// Counts the loads before: a loaded scene has handles of its own.
    family: usize,
}

/// A history in progress.
struct History<'a> {
    meshes: &'a [Arc<Mesh>],
    scene: Scene,
    model: Model,
    family: usize,
    n_families: usize,
    taken: Vec<Taken>,
    snapshots: Vec<(Scene, Model, usize)>,
    /// All handles that the scenes of a family gave.
    given: HashSet<(usize, InstanceId)>,
}

/// The meshes of histories: a cube, and a ball of more triangles.
pub(crate) fn meshes() -> Vec<Arc<Mesh>> {
    let mesh = |mesh| Arc::new(Mesh::new(mesh, &Default::default()));
    vec![
        mesh(generate::cuboid(2.0, 2.0, 2.0, 0).expect("an ordinary size")),
        mesh(generate::sphere(1.0, 20).expect("an ordinary size")),
    ]
}

/// Runs a history of `n` steps, and compares the scene with the model after the last.
pub(crate) fn run(n: usize, meshes: &[Arc<Mesh>], choose: &mut Choose<'_>) {
    let mut history = History {
        meshes,
        scene: Scene::new(),
        model: Model::default(),
        family: 0,
        n_families: 1,
        taken: vec![],
        snapshots: vec![],
        given: HashSet::new(),
    };
    for _ in 0..n {
        history.step(choose);
    }
    history.model.check(&history.scene);
    history.ask(choose);
    for (scene, model, _) in &history.snapshots {
        model.check(scene);
    }
}

/// Whole numbers and halves, so that instances coincide, hits tie and sums are exact.
fn transform(choose: &mut Choose<'_>) -> DAffine3 {
    let scale = [1.0, 2.0, -1.0, 0.5][choose(4)];
    let mut transform = DAffine3::from_scale([scale, 1.0, 1.0].into());
    transform.translation = [choose(3) as f64, choose(2) as f64, 0.0].into();
    transform
}

impl History<'_> {
    fn pick(&self, choose: &mut Choose<'_>) -> Option<InstanceId> {
        let n = self.model.present.len();
        (n > 0).then(|| *self.model.present.keys().nth(choose(n)).expect("there are n"))
    }

    fn step(&mut self, choose: &mut Choose<'_>) {
        let id = self.pick(choose);
        match (choose(20), id) {
            (0..=5, _) | (_, None) => self.insert(id, choose),
            (6..=8, Some(id)) => self.remove(id, choose),
            (9 | 10, _) if !self.taken.is_empty() => {
                let i = choose(self.taken.len());
                let subtree = self.taken[i].subtree.clone();
                self.forget(subtree, self.taken[i].family);
                if choose(2) == 0 {
                    self.taken.swap_remove(i);
                }
            }
            (11..=13, _) if !self.taken.is_empty() => self.restore(choose(self.taken.len())),
            (14, _) => {
                self.snapshots.push((self.scene.clone(), self.model.clone(), self.family));
            }
            (15 | 16, _) if !self.snapshots.is_empty() => {
                let i = choose(self.snapshots.len());
                let state = self.snapshots[i].clone();
                (self.scene, self.model, self.family) = state;
            }
            (17, _) => self.renumber(choose),
            (18, Some(id)) => match choose(3) {
                0 => self.reparent(id, choose),
                1 => {
                    let (local, hidden) = (transform(choose), choose(2) == 0);
                    self.scene.set_transform(id, local).expect("it is invertible");
                    self.scene.set_hidden(id, hidden).expect("it is there");
                    let instance = &mut self.model.get(id).instance;
                    (instance.transform, instance.hidden) = (local, hidden);
                }
                _ => self.stale(choose),
            },
            (19, _) => match choose(16) {
                0 => self.load(choose),
                1..=3 => self.save(),
                _ => self.ask(choose),
            },
            _ => {}
        }
    }

    fn insert(&mut self, parent: Option<InstanceId>, choose: &mut Choose<'_>) {
        let instance = Instance {
            mesh: (choose(5) > 0).then(|| self.meshes[choose(2)].clone()),
            transform: transform(choose),
            parent: parent.filter(|_| choose(3) == 0),
            hidden: choose(8) == 0,
            ..Instance::default()
        };
        let id = self.scene.insert(instance.clone()).expect("it is invertible");
        assert!(self.given.insert((self.family, id)), "{id}: the handle was given before");
        let order = self.scene.insertion_order(id).expect("it is there");
        assert!(self.model.orders().all(|other| other < order), "{id}: {order} is not the last");
        self.model.present.insert(id, Entry { instance, order });
        assert!(!self.model.removed.contains_key(&id.index), "{id}: a removed one holds the slot");
    }

    fn remove(&mut self, id: InstanceId, choose: &mut Choose<'_>) {
        let going = self.model.below(id);
        let subtree = self.scene.remove(id).expect("it is there");
        assert_eq!(subtree.ids().collect::<HashSet<_>>(), going);
        let ids = subtree.ids();
        let take = |id| (id, self.model.present.remove(&id).expect("it is there"));
        let entries: Vec<_> = ids.map(take).collect();
        self.model.removed.extend(going.iter().map(|&id| (id.index, id)));
        match choose(3) {
            0 => self.forget(subtree, self.family),
            _ => self.taken.push(Taken { subtree, entries, family: self.family }),
        }
    }

    fn forget(&mut self, subtree: RemovedSubtree, family: usize) {
        for id in subtree.ids().filter(|_| family == self.family) {
            if self.model.removed.get(&id.index) == Some(&id) {
                self.model.removed.remove(&id.index);
                self.model.forgotten.insert(id.index, id.generation + 1);
            }
        }
        self.scene.forget(subtree);
    }

    fn restore(&mut self, i: usize) {
        let Taken { subtree, entries, family } = &self.taken[i];
        let (root, parent) = (subtree.id(), entries[0].1.instance.parent);
        let refused = subtree.ids().find(|id| !self.model.can_restore(*id));
        let expected = match (refused, parent) {
            _ if *family != self.family => Err(SceneError::NotRemoved(root)),
            (_, Some(parent)) if !self.model.present.contains_key(&parent) => {
                Err(SceneError::UnknownInstance(parent))
            }
            (Some(id), _) => Err(SceneError::NotRemoved(id)),
            (None, _) => Ok(root),
        };
        assert_eq!(self.scene.restore(subtree), expected);
        if expected.is_err() {
            return;
        }
        let used: HashSet<u64> = self.model.orders().collect();
        for (id, entry) in entries {
            let order = self.scene.insertion_order(*id).expect("it is there");
            if used.contains(&entry.order) {
                assert!(used.iter().all(|&other| other < order), "{id}: {order} is not the last");
            } else {
                assert_eq!(order, entry.order, "{id}: no other has its order");
            }
            self.model.removed.remove(&id.index);
            self.model.present.insert(*id, Entry { order, ..entry.clone() });
        }
        assert_eq!(self.scene.restore(subtree), Err(SceneError::NotRemoved(root)));
    }

    fn renumber(&mut self, choose: &mut Choose<'_>) {
        const LARGE: [u64; 4] =
            [Scene::MAX_INSERTION_ORDER, Scene::MAX_INSERTION_ORDER + 1, u64::MAX, 1 << 40];
        let largest = LARGE[choose(4)];
        let kind = choose(4);
        let mut orders: BTreeMap<InstanceId, u64> = BTreeMap::new();
        for (i, &id) in self.model.present.keys().enumerate() {
            orders.insert(
                id,
                match kind {
                    0 => choose(4) as u64,
                    1 => (self.model.present.len() - i) as u64,
                    2 => largest - i as u64,
                    _ => 3 * i as u64 + choose(3) as u64,
                },
            );
        }
        let is_unique = orders.values().collect::<HashSet<_>>().len() == orders.len();
        let is_small = orders.values().all(|&order| order <= Scene::MAX_INSERTION_ORDER);
        match self.scene.renumber(|id| orders[&id]) {
            Ok(()) => {
                assert!(is_unique && is_small, "{orders:?}");
                for (id, order) in orders {
                    self.model.get(id).order = order;
                }
            }
            Err(SceneError::SameOrder { .. }) => assert!(!is_unique, "{orders:?}"),
            Err(SceneError::LargeOrder { .. }) => assert!(!is_small, "{orders:?}"),
            Err(error) => panic!("{error}"),
        }
    }

    fn reparent(&mut self, id: InstanceId, choose: &mut Choose<'_>) {
        let parent = self.pick(choose).filter(|_| choose(3) > 0);
        let is_cycle = parent.is_some_and(|parent| self.model.below(id).contains(&parent));
        match self.scene.reparent(id, parent, KeepTransform::Local) {
            Ok(()) => {
                assert!(!is_cycle);
                self.model.get(id).instance.parent = parent;
            }
            Err(SceneError::Cycle { .. }) => assert!(is_cycle),
            Err(error) => panic!("{error}"),
        }
    }

    /// An edit by a handle that is not in the scene, if there is one.
    fn stale(&mut self, choose: &mut Choose<'_>) {
        let stale = self
            .given
            .iter()
            .filter(|(family, id)| *family == self.family && !self.model.present.contains_key(id));
        let Some(id) = stale.map(|(_, id)| *id).min() else { return };
        let error = SceneError::UnknownInstance(id);
        match choose(3) {
            0 => assert_eq!(self.scene.set_hidden(id, true), Err(error)),
            1 => assert_eq!(self.scene.remove(id).map(drop), Err(error)),
            _ => {
                let child = Instance { parent: Some(id), ..Instance::default() };
                assert_eq!(self.scene.insert(child), Err(error));
            }
        }
    }

    /// The scene from its text or its cache file; `None` if an order is too large for both.
    fn saved(&self, as_cache: bool) -> Option<Scene> {
        let has_large = self.model.orders().any(|order| order > Scene::MAX_INSERTION_ORDER);
        let number = |mesh: &Mesh| usize::from(mesh.tri_mesh().triangles().len() != 12);
        let text =
            to_text(&self.scene, |mesh| Some(MeshFile::new(format!("{}.obj", number(mesh)))));
        let mut bytes = Vec::new();
        let written =
            as_cache.then(|| write_scene(&BuiltScene::new(self.scene.clone()), &mut bytes).is_ok());
        assert!(text.is_ok() != has_large && written.is_none_or(|written| written != has_large));
        let text = text.ok()?;
        let mut load = |file: &MeshFile| {
            let is_cube = file.path.to_str() == Some("0.obj");
            Ok(self.meshes[usize::from(!is_cube)].clone())
        };
        Some(match as_cache {
            true => read_scene(&bytes, "s").expect("what we write is right").scene,
            false => parse(&text, "s", &mut load).expect("what we write is right"),
        })
    }

    fn save(&self) {
        if let Some(scene) = self.saved(false) {
            self.model.renamed(&scene).check(&scene);
        }
    }

    /// Goes on with the scene of a file, whose handles are new.
    fn load(&mut self, choose: &mut Choose<'_>) {
        if let Some(scene) = self.saved(choose(2) == 0) {
            self.model = self.model.renamed(&scene);
            self.scene = scene;
            self.family = self.n_families;
            self.n_families += 1;
            self.given.extend(self.model.present.keys().map(|&id| (self.family, id)));
            self.model.check(&self.scene);
        }
    }

    /// Compares a few rays with the loop over all triangles.
    fn ask(&self, choose: &mut Choose<'_>) {
        let brute = SceneBruteForce::new(&self.scene);
        for _ in 0..2 {
            let at = |choose: &mut Choose<'_>| 0.25 * choose(16) as f64 - 0.6;
            let origin = [at(choose), at(choose), 9.0];
            let options = QueryOptions { include_hidden: choose(4) == 0, ..Default::default() };
            let ray = WorldRay::new(origin, [0.05 * choose(3) as f64, 0.0, -1.0]);
            let hit = self.scene.closest_hit(&ray, &options);
            assert_eq!(hit, brute.closest_hit(&ray, &options), "{ray:?}");
            assert_eq!(self.scene.is_occluded(&ray, &options), hit.is_some(), "{ray:?}");
        }
    }
}

impl Model {
    fn get(&mut self, id: InstanceId) -> &mut Entry {
        self.present.get_mut(&id).expect("it is there")
    }

    fn orders(&self) -> impl Iterator<Item = u64> {
        self.present.values().map(|entry| entry.order)
    }

    /// The instance, then its ancestors.
    fn ancestors(&self, id: InstanceId) -> impl Iterator<Item = InstanceId> {
        std::iter::successors(Some(id), |id| self.present[id].instance.parent)
    }

    fn below(&self, id: InstanceId) -> HashSet<InstanceId> {
        let ids = self.present.keys().copied();
        ids.filter(|&other| self.ancestors(other).any(|above| above == id)).collect()
    }

    /// Whether the instance is removed, or new to the scene with a free slot.
    fn can_restore(&self, id: InstanceId) -> bool {
        match self.removed.get(&id.index) {
            Some(&holder) => holder == id,
            None => {
                let forgotten = self.forgotten.get(&id.index).is_some_and(|&g| id.generation < g);
                !forgotten && !self.present.keys().any(|other| other.index == id.index)
            }
        }
    }

    /// The model of a loaded scene, in which the same orders have other handles.
    fn renamed(&self, scene: &Scene) -> Self {
        let names: BTreeMap<u64, InstanceId> = scene
            .iter()
            .map(|(id, _)| (scene.insertion_order(id).expect("it is there"), id))
            .collect();
        let name = |id: InstanceId| names[&self.present[&id].order];
        let entry = |(&id, entry): (&InstanceId, &Entry)| {
            let parent = entry.instance.parent.map(name);
            let instance = Instance { parent, ..entry.instance.clone() };
            (name(id), Entry { instance, order: entry.order })
        };
        Self { present: self.present.iter().map(entry).collect(), ..Self::default() }
    }

    fn check(&self, scene: &Scene) {
        assert_eq!(scene.len(), self.present.len());
        assert_eq!(scene.iter().count(), self.present.len());
        let listed: HashSet<InstanceId> = scene.depth_first().into_iter().collect();
        assert!(self.present.keys().all(|id| listed.contains(id)), "a list of children lost one");
        for (&id, Entry { instance, order }) in &self.present {
            let found = scene.get(id).expect("it is there");
            let n_triangles = |instance: &Instance| {
                instance.mesh.as_ref().map(|mesh| mesh.tri_mesh().triangles().len())
            };
            assert_eq!(found.transform, instance.transform, "{id}");
            assert_eq!((found.parent, found.hidden), (instance.parent, instance.hidden), "{id}");
            assert_eq!(n_triangles(found), n_triangles(instance), "{id}");
            assert_eq!(scene.insertion_order(id), Some(*order), "{id}");
            let mut above: Vec<InstanceId> = self.ancestors(id).collect();
            let is_hidden = above.iter().any(|id| self.present[id].instance.hidden);
            assert_eq!(scene.is_hidden(id), Some(is_hidden), "{id}");
            above.reverse();
            assert_eq!(scene.path(id), above);
            let world = above.iter().map(|id| self.present[id].instance.transform);
            let world = world.reduce(|world, local| world * local);
            assert_eq!(scene.world_transform(id), world, "{id}");
            assert!(
                scene.children(id).all(|child| self.present[&child].instance.parent == Some(id))
            );
        }
        let orders: HashSet<u64> = self.orders().collect();
        assert_eq!(orders.len(), self.present.len(), "two have one order");
    }
}
