//! The scene: instances in a hierarchy, and their editing.

use std::{collections::HashMap, sync::Arc};

use glam::DAffine3;
use hitscan_primitives::Aabb;

use crate::{
    Instance, InstanceId, Mesh, SceneError, WorldBox,
    chunks::Chunks,
    placement::{Placement, TransformError},
    tree::Tree,
};

/// Instances of meshes in world space, ready to be asked what a ray hits.
///
/// Edits keep the top-level tree up to date as they go: moving one of ten thousand instances costs
/// microseconds. A clone is a snapshot that shares all memory with the original: it costs a pointer per
/// 64 instances, and the first edits after it copy what they touch. Keep one for each step of an undo
/// history, or give one to a thread that queries while you go on editing.
///
/// An edit that is refused with an error changes nothing.
///
/// ```
/// use std::sync::Arc;
/// use hitscan_bvh::BuildOptions;
/// use hitscan_primitives::generate;
/// use hitscan_scene::{Instance, Mesh, QueryOptions, Scene, WorldRay, glam::DAffine3};
///
/// let cube = Arc::new(Mesh::new(generate::cuboid(2.0, 2.0, 2.0, 0)?, &BuildOptions::default()));
/// let mut scene = Scene::new();
/// let near = scene.insert(Instance::new(cube.clone(), DAffine3::from_translation([0.0, 0.0, 5.0].into())))?;
/// let far = scene.insert(Instance::new(cube, DAffine3::from_translation([0.0, 0.0, 9.0].into())))?;
///
/// let ray = WorldRay::new([0.1, 0.2, 0.0], [0.0, 0.0, 1.0]);
/// let hit = scene.closest_hit(&ray, &QueryOptions::default()).expect("two cubes are ahead");
/// assert_eq!((hit.instance, hit.t), (near, 4.0));
///
/// let before = scene.clone();
/// scene.remove(near)?;
/// let hit = scene.closest_hit(&ray, &QueryOptions::default()).expect("one cube is ahead");
/// assert_eq!((hit.instance, hit.t), (far, 8.0));
/// assert!(before.contains(near));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Scene {
    slots: Chunks<Slot>,
    /// Slots of forgotten instances.
    free: Vec<u32>,
    n_instances: usize,
    /// The number of instances ever inserted.
    n_inserted: u64,
    pub(crate) tree: Tree,
}

/// The place of an instance: empty while it is removed, so that it can be restored.
#[derive(Clone, Debug, Default)]
struct Slot {
    generation: u32,
    record: Option<Arc<Record>>,
}

/// An instance in the scene, or one that was removed from it.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub(crate) id: InstanceId,
    pub(crate) instance: Instance,
    /// The place in the order of first insertion.
    pub(crate) order: u64,
    /// Slots, in order.
    children: Vec<u32>,
    pub(crate) place: Place,
}

/// What an instance has from itself and its ancestors together.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) placement: Placement,
    /// Whether the instance or an ancestor is hidden.
    pub(crate) hidden: bool,
}

impl Place {
    fn new(parent: Option<&Self>, instance: &Instance) -> Result<Self, TransformError> {
        let local = instance.transform;
        let world = parent.map_or(local, |parent| parent.placement.world * local);
        let bounds = instance.mesh.as_ref().map_or(Aabb::EMPTY, |mesh| mesh.tri_mesh().bounds());
        let hidden = instance.hidden || parent.is_some_and(|parent| parent.hidden);
        Ok(Self { placement: Placement::new(world, bounds)?, hidden })
    }
}

/// Which transform an instance keeps when its parent changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Keep {
    /// It stays where it is in the world, up to the rounding of f64.
    #[default]
    World,
    /// It keeps its transform relative to the parent, and moves along.
    Local,
}

/// An instance that was taken out of a scene with everything below it: what [`Scene::restore`] takes.
#[derive(Clone, Debug)]
pub struct Removed {
    /// The root comes first, parents before their children.
    records: Vec<Arc<Record>>,
    /// The place of the root among its siblings.
    sibling: usize,
}

impl Removed {
    /// The instance that was removed.
    pub fn id(&self) -> InstanceId {
        self.records[0].id
    }

    /// All instances that went, parents before their children.
    pub fn ids(&self) -> impl Iterator<Item = InstanceId> {
        self.records.iter().map(|record| record.id)
    }
}

impl Scene {
    /// A scene without instances.
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of instances, groups included.
    pub fn len(&self) -> usize {
        self.n_instances
    }

    /// Whether there are no instances.
    pub fn is_empty(&self) -> bool {
        self.n_instances == 0
    }

    /// Whether the handle names an instance of the scene.
    pub fn contains(&self, id: InstanceId) -> bool {
        self.record(id).is_some()
    }

    /// An instance as it was inserted or edited last.
    pub fn get(&self, id: InstanceId) -> Option<&Instance> {
        Some(&self.record(id)?.instance)
    }

    /// All instances, in the order of their slots. O(n).
    pub fn iter(&self) -> impl Iterator<Item = (InstanceId, &Instance)> {
        self.records().map(|record| (record.id, &record.instance))
    }

    pub(crate) fn records(&self) -> impl Iterator<Item = &Record> {
        self.slots.iter().filter_map(|slot| slot.record.as_deref())
    }

    /// The instances whose parent this is, in the order in which they came to it.
    pub fn children(&self, id: InstanceId) -> impl Iterator<Item = InstanceId> {
        let children = self.record(id).map_or(&[][..], |record| &record.children);
        children.iter().map(|&index| self.at(index).id)
    }

    /// The instance and its ancestors, from the root down to itself; empty for an unknown handle.
    pub fn path(&self, id: InstanceId) -> Vec<InstanceId> {
        let mut path: Vec<InstanceId> = self.ancestors(id).map(|record| record.id).collect();
        path.reverse();
        path
    }

    /// The instance and its ancestors, upwards.
    pub(crate) fn ancestors(&self, id: InstanceId) -> impl Iterator<Item = &Record> {
        std::iter::successors(self.record(id), |record| self.record(record.instance.parent?))
    }

    /// From the mesh's space to the world.
    pub fn world_transform(&self, id: InstanceId) -> Option<DAffine3> {
        Some(self.record(id)?.place.placement.world)
    }

    /// A box around the instance's own mesh in world space, not much larger than need be: it holds
    /// every point that a hit can have. Empty for a group.
    pub fn world_bounds(&self, id: InstanceId) -> Option<WorldBox> {
        Some(self.record(id)?.place.placement.bounds)
    }

    /// A box around all meshes in world space, hidden ones included. O(1).
    pub fn bounds(&self) -> WorldBox {
        self.tree.bounds()
    }

    /// Whether the instance or one of its ancestors is hidden.
    pub fn is_hidden(&self, id: InstanceId) -> Option<bool> {
        Some(self.record(id)?.place.hidden)
    }

    /// The place of an instance in the order of first insertion, which decides ties between equally
    /// distant hits. Restoring keeps it.
    pub fn order(&self, id: InstanceId) -> Option<u64> {
        Some(self.record(id)?.order)
    }

    pub(crate) fn record(&self, id: InstanceId) -> Option<&Record> {
        if id.index as usize >= self.slots.len() {
            return None;
        }
        let slot = self.slots.get(id.index);
        slot.record.as_deref().filter(|_| slot.generation == id.generation)
    }

    /// The record in a slot that is known to be in use.
    #[inline]
    pub(crate) fn at(&self, index: u32) -> &Record {
        self.slots.get(index).record.as_deref().expect("links and tree name slots in use")
    }

    fn at_mut(&mut self, index: u32) -> &mut Record {
        let record = &mut self.slots.get_mut(index).record;
        Arc::make_mut(record.as_mut().expect("links and tree name slots in use"))
    }

    fn index_of(&self, id: InstanceId) -> Result<u32, SceneError> {
        self.record(id).map(|_| id.index).ok_or(SceneError::UnknownInstance(id))
    }

    /// Adds an instance. O(log n).
    ///
    /// # Errors
    /// An unknown parent, or a transform that is singular or not finite in the world.
    pub fn insert(&mut self, instance: Instance) -> Result<InstanceId, SceneError> {
        let parent = instance.parent.map(|parent| self.index_of(parent)).transpose()?;
        let id = match self.free.last() {
            Some(&index) => InstanceId { index, generation: self.slots.get(index).generation },
            None => InstanceId { index: self.slots.len() as u32, generation: 0 },
        };
        let place = Place::new(parent.map(|parent| &self.at(parent).place), &instance)
            .map_err(|source| SceneError::Transform { instance: id, source })?;
        if self.free.pop().is_none() {
            self.slots.push(Slot::default());
        }
        let order = self.n_inserted;
        self.n_inserted += 1;
        let record = Record { id, instance, order, children: Vec::new(), place };
        self.occupy(Arc::new(record));
        if let Some(parent) = parent {
            self.at_mut(parent).children.push(id.index);
        }
        Ok(id)
    }

    /// Puts a record into its empty slot and into the tree.
    fn occupy(&mut self, record: Arc<Record>) {
        let (index, bounds) = (record.id.index, record.place.placement.bounds);
        self.slots.get_mut(index).record = Some(record);
        self.n_instances += 1;
        self.hang(index, bounds);
    }

    /// Keeps the tree up to date with the box of an instance.
    fn hang(&mut self, index: u32, bounds: WorldBox) {
        if bounds.is_empty() {
            self.tree.remove(index);
        } else {
            self.tree.set(index, bounds);
        }
    }

    /// Takes an instance out of the scene with everything below it. Their handles name nothing until
    /// [`restore`](Self::restore) brings them back. O(log n) per instance that goes.
    ///
    /// What comes back should be kept as long as the removal may be undone; dropping it is fine. Scenes
    /// that insert and remove without end give the handles back with [`forget`](Self::forget).
    ///
    /// # Errors
    /// An unknown handle.
    pub fn remove(&mut self, id: InstanceId) -> Result<Removed, SceneError> {
        let index = self.index_of(id)?;
        let mut sibling = 0;
        if let Some(parent) = self.at(index).instance.parent {
            let siblings = &mut self.at_mut(parent.index).children;
            sibling = siblings.iter().position(|&child| child == index).unwrap_or(0);
            siblings.remove(sibling);
        }
        let below = self.below(index);
        let mut records = Vec::with_capacity(below.len());
        for index in below {
            self.tree.remove(index);
            records.extend(self.slots.get_mut(index).record.take());
        }
        self.n_instances -= records.len();
        Ok(Removed { records, sibling })
    }

    /// Brings back what was removed: with the same handles, the same place in the order of ties, below
    /// the parent it had. Its world transforms follow that parent, should it have moved meanwhile.
    ///
    /// # Errors
    /// A parent that is no longer there, instances that are not removed, or a transform that became
    /// singular by the parent's.
    pub fn restore(&mut self, removed: &Removed) -> Result<InstanceId, SceneError> {
        let root = &removed.records[0];
        let parent = root.instance.parent.map(|parent| self.index_of(parent)).transpose()?;
        if let Some(id) = removed.ids().find(|&id| !self.is_vacant(id)) {
            return Err(SceneError::NotRemoved(id));
        }
        let records: Vec<&Record> = removed.records.iter().map(Arc::as_ref).collect();
        let places = self.plan(&records, &root.instance)?;
        for (record, place) in removed.records.iter().zip(places) {
            self.occupy(Arc::new(Record { place, ..Record::clone(record) }));
        }
        if let Some(parent) = parent {
            let siblings = &mut self.at_mut(parent).children;
            siblings.insert(removed.sibling.min(siblings.len()), root.id.index);
        }
        Ok(root.id)
    }

    /// Gives the slots of removed instances to instances that are inserted later, under new handles:
    /// what was removed can no longer be restored. Does nothing for instances that are in the scene
    /// again.
    pub fn forget(&mut self, removed: Removed) {
        for record in removed.records {
            let InstanceId { index, generation } = record.id;
            // A slot whose generations are used up stays empty.
            if self.is_vacant(record.id) && generation < u32::MAX {
                self.slots.get_mut(index).generation += 1;
                self.free.push(index);
            }
        }
    }

    /// Whether the handle is of an instance that was removed and not forgotten.
    fn is_vacant(&self, id: InstanceId) -> bool {
        (id.index as usize) < self.slots.len() && {
            let slot = self.slots.get(id.index);
            slot.generation == id.generation && slot.record.is_none()
        }
    }

    /// Moves an instance, and everything below it, to another transform relative to its parent.
    /// O(log n) per instance that moves.
    ///
    /// # Errors
    /// An unknown handle, or a world transform, here or below, that is singular or not finite.
    pub fn set_transform(&mut self, id: InstanceId, local: DAffine3) -> Result<(), SceneError> {
        self.change(id, |instance| instance.transform = local)
    }

    /// Moves an instance, and everything below it, to a place in the world; its transform relative to
    /// the parent follows, up to the rounding of f64.
    ///
    /// # Errors
    /// As [`set_transform`](Self::set_transform).
    pub fn set_world_transform(
        &mut self,
        id: InstanceId,
        world: DAffine3,
    ) -> Result<(), SceneError> {
        let parent = self.get(id).and_then(|instance| instance.parent);
        let local = self.relative_to(parent, world);
        self.set_transform(id, local)
    }

    fn relative_to(&self, parent: Option<InstanceId>, world: DAffine3) -> DAffine3 {
        match parent.and_then(|parent| self.world_transform(parent)) {
            Some(parent) => parent.inverse() * world,
            None => world,
        }
    }

    /// Gives an instance another parent, or none; everything below it goes along. It comes last among
    /// its new siblings. O(log n) per instance that moves.
    ///
    /// # Errors
    /// An unknown handle, a parent that is the instance itself or below it, or a transform that becomes
    /// singular or not finite.
    pub fn reparent(
        &mut self,
        id: InstanceId,
        parent: Option<InstanceId>,
        keep: Keep,
    ) -> Result<(), SceneError> {
        let index = self.index_of(id)?;
        if let Some(parent) = parent {
            self.index_of(parent)?;
            if self.ancestors(parent).any(|ancestor| ancestor.id == id) {
                return Err(SceneError::Cycle { instance: id, parent });
            }
        }
        let old = self.at(index);
        let old_parent = old.instance.parent;
        if old_parent == parent {
            return Ok(());
        }
        let local = match keep {
            Keep::World => self.relative_to(parent, old.place.placement.world),
            Keep::Local => old.instance.transform,
        };
        self.change(id, |instance| (instance.parent, instance.transform) = (parent, local))?;
        if let Some(old_parent) = old_parent {
            self.at_mut(old_parent.index).children.retain(|&child| child != index);
        }
        if let Some(parent) = parent {
            self.at_mut(parent.index).children.push(index);
        }
        Ok(())
    }

    /// Gives an instance another mesh, or none.
    ///
    /// # Errors
    /// An unknown handle, or a mesh so large that its world coordinates are not finite.
    pub fn set_mesh(&mut self, id: InstanceId, mesh: Option<Arc<Mesh>>) -> Result<(), SceneError> {
        self.change(id, |instance| instance.mesh = mesh)
    }

    /// Hides or shows an instance with everything below it.
    ///
    /// # Errors
    /// An unknown handle.
    pub fn set_hidden(&mut self, id: InstanceId, hidden: bool) -> Result<(), SceneError> {
        self.change(id, |instance| instance.hidden = hidden)
    }

    /// Locks or unlocks an instance.
    ///
    /// # Errors
    /// An unknown handle.
    pub fn set_locked(&mut self, id: InstanceId, locked: bool) -> Result<(), SceneError> {
        let index = self.index_of(id)?;
        self.at_mut(index).instance.locked = locked;
        Ok(())
    }

    /// Puts an instance on other layers: a bit for each.
    ///
    /// # Errors
    /// An unknown handle.
    pub fn set_layers(&mut self, id: InstanceId, layers: u32) -> Result<(), SceneError> {
        let index = self.index_of(id)?;
        self.at_mut(index).instance.layers = layers;
        Ok(())
    }

    /// Gives an instance another name, or none.
    ///
    /// # Errors
    /// An unknown handle.
    pub fn set_name(&mut self, id: InstanceId, name: Option<Arc<str>>) -> Result<(), SceneError> {
        let index = self.index_of(id)?;
        self.at_mut(index).instance.name = name;
        Ok(())
    }

    /// Changes what decides the places of an instance and of those below it.
    fn change(
        &mut self,
        id: InstanceId,
        change: impl FnOnce(&mut Instance),
    ) -> Result<(), SceneError> {
        let index = self.index_of(id)?;
        let below = self.below(index);
        let records: Vec<&Record> = below.iter().map(|&index| self.at(index)).collect();
        let mut instance = records[0].instance.clone();
        change(&mut instance);
        let places = self.plan(&records, &instance)?;
        self.at_mut(index).instance = instance;
        for (index, place) in below.into_iter().zip(places) {
            let bounds = place.placement.bounds;
            self.at_mut(index).place = place;
            self.hang(index, bounds);
        }
        Ok(())
    }

    /// The slots of an instance and all below it, parents before their children.
    fn below(&self, index: u32) -> Vec<u32> {
        let mut below = Vec::new();
        let mut open = vec![index];
        while let Some(index) = open.pop() {
            below.push(index);
            open.extend(self.at(index).children.iter().rev());
        }
        below
    }

    /// The places of `records`, an instance and all below it, if the first becomes `root`.
    fn plan(&self, records: &[&Record], root: &Instance) -> Result<Vec<Place>, SceneError> {
        let mut places = Vec::with_capacity(records.len());
        // The position of each parent in the list.
        let mut positions = HashMap::new();
        for (position, record) in records.iter().enumerate() {
            let instance = if position == 0 { root } else { &record.instance };
            let parent = instance.parent.map(|parent| match positions.get(&parent.index) {
                Some(&position) => &places[position],
                None => &self.at(parent.index).place,
            });
            let place = Place::new(parent, instance)
                .map_err(|source| SceneError::Transform { instance: record.id, source })?;
            places.push(place);
            if !record.children.is_empty() {
                positions.insert(record.id.index, position);
            }
        }
        Ok(places)
    }
}
