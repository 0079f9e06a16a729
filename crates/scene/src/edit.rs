//! The edits of a scene.
//!
//! Each first works out what changes, which may fail, and only then changes it.

use std::{collections::HashMap, sync::Arc};

use glam::DAffine3;
use hitscan_bvh::RefitReport;

use crate::{
    Instance, InstanceId, Mesh, Scene, SceneError, WorldBox,
    placement::Placement,
    scene::{Record, Slot, WorldState},
};

/// Which transform an instance keeps when its parent changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum KeepTransform {
    /// It stays where it is in the world, up to the rounding of f64.
    #[default]
    World,
    /// It keeps its transform relative to the parent, and moves along.
    Local,
}

/// An instance that was taken out of a scene with everything below it: what [`Scene::restore`] takes.
#[derive(Clone, Debug)]
pub struct RemovedSubtree {
    /// The root comes first, parents before their children.
    records: Vec<Arc<Record>>,
    /// The place of the root among its siblings.
    sibling: usize,
}

impl RemovedSubtree {
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
        let state = WorldState::new(parent.map(|parent| &self.at(parent).state), &instance)
            .map_err(|source| SceneError::Transform { instance: id, source })?;
        if self.free.pop().is_none() {
            self.slots.push(Slot::default());
        }
        let insertion_order = self.n_inserted;
        self.n_inserted += 1;
        let record = Record { id, instance, insertion_order, children: Vec::new(), state };
        self.occupy(Arc::new(record));
        if let Some(parent) = parent {
            self.at_mut(parent).children.push(id.index);
        }
        Ok(id)
    }

    /// Puts a record into its empty slot and into the tree.
    fn occupy(&mut self, record: Arc<Record>) {
        let (index, bounds) = (record.id.index, record.state.placement.bounds);
        self.slots.get_mut(index).record = Some(record);
        self.n_instances += 1;
        self.update_tree(index, bounds);
    }

    /// Keeps the tree up to date with the box of an instance.
    fn update_tree(&mut self, index: u32, bounds: WorldBox) {
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
    pub fn remove(&mut self, id: InstanceId) -> Result<RemovedSubtree, SceneError> {
        let index = self.index_of(id)?;
        let mut sibling = 0;
        if let Some(parent) = self.at(index).instance.parent {
            let siblings = &mut self.at_mut(parent.index).children;
            sibling = siblings.iter().position(|&child| child == index).unwrap_or(0);
            siblings.remove(sibling);
        }
        let subtree = self.subtree(index);
        let mut records = Vec::with_capacity(subtree.len());
        for index in subtree {
            self.tree.remove(index);
            records.extend(self.slots.get_mut(index).record.take());
        }
        self.n_instances -= records.len();
        Ok(RemovedSubtree { records, sibling })
    }

    /// Brings back what was removed: with the same handles, the same place in the order of ties, below
    /// the parent it had. Its world transforms follow that parent, should it have moved meanwhile.
    ///
    /// # Errors
    /// A parent that is no longer there, instances that are not removed, or a transform that became
    /// singular by the parent's.
    pub fn restore(&mut self, removed: &RemovedSubtree) -> Result<InstanceId, SceneError> {
        let root = &removed.records[0];
        let parent = root.instance.parent.map(|parent| self.index_of(parent)).transpose()?;
        if let Some(id) = removed.ids().find(|&id| !self.is_vacant(id)) {
            return Err(SceneError::NotRemoved(id));
        }
        let records: Vec<&Record> = removed.records.iter().map(Arc::as_ref).collect();
        let states = self.plan_states(&records, &root.instance)?;
        for (record, state) in removed.records.iter().zip(states) {
            self.occupy(Arc::new(Record { state, ..Record::clone(record) }));
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
    pub fn forget(&mut self, removed: RemovedSubtree) {
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
        let Some(parent) = parent.and_then(|parent| self.record(parent)) else { return world };
        let frame = &parent.state.placement.frame;
        DAffine3 {
            matrix3: frame.inverse_linear * world.matrix3,
            // The difference comes first: it is small where both are far from the origin.
            translation: frame.inverse_linear * (world.translation - frame.translation),
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
        keep: KeepTransform,
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
            KeepTransform::World => self.relative_to(parent, old.state.placement.world),
            KeepTransform::Local => old.instance.transform,
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

    /// Moves the vertices of an instance's mesh, as many as before: the pose of a skinned character, a
    /// wave, a brush stroke. The instance gets a mesh of its own if it shared it, with other instances,
    /// with you or with a snapshot; otherwise the mesh is changed in place. O(n) for n triangles, many
    /// times cheaper than a new mesh; the report says when a new one would pay.
    ///
    /// # Errors
    /// An unknown handle, a group, or positions that are too few, too many, not finite or so large that
    /// the world coordinates are not.
    pub fn refit<P: Into<[f32; 3]>>(
        &mut self,
        id: InstanceId,
        positions: impl IntoIterator<Item = P>,
    ) -> Result<RefitReport, SceneError> {
        let index = self.index_of(id)?;
        let record = self.at(index);
        let mesh = record.instance.mesh.as_ref().ok_or(SceneError::NoMesh(id))?;
        let tri_mesh = mesh
            .tri_mesh()
            .with_positions(positions)
            .map_err(|source| SceneError::Mesh { instance: id, source })?;
        let placement = Placement::new(record.state.placement.world, tri_mesh.bounds())
            .map_err(|source| SceneError::Transform { instance: id, source })?;
        let bounds = placement.bounds;
        let record = self.at_mut(index);
        record.state.placement = placement;
        let mesh = record.instance.mesh.as_mut().ok_or(SceneError::NoMesh(id))?;
        let report = Arc::make_mut(mesh).refit_to(tri_mesh);
        self.update_tree(index, bounds);
        Ok(report)
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

    /// Changes what decides the states of an instance and of those below it.
    fn change(
        &mut self,
        id: InstanceId,
        change: impl FnOnce(&mut Instance),
    ) -> Result<(), SceneError> {
        let index = self.index_of(id)?;
        let subtree = self.subtree(index);
        let records: Vec<&Record> = subtree.iter().map(|&index| self.at(index)).collect();
        let mut instance = records[0].instance.clone();
        change(&mut instance);
        let states = self.plan_states(&records, &instance)?;
        self.at_mut(index).instance = instance;
        for (index, state) in subtree.into_iter().zip(states) {
            let bounds = state.placement.bounds;
            self.at_mut(index).state = state;
            self.update_tree(index, bounds);
        }
        Ok(())
    }

    /// The slots of an instance and all below it, parents before their children.
    fn subtree(&self, index: u32) -> Vec<u32> {
        let mut subtree = Vec::new();
        let mut pending = vec![index];
        while let Some(index) = pending.pop() {
            subtree.push(index);
            pending.extend(self.at(index).children.iter().rev());
        }
        subtree
    }

    /// The states of `records`, an instance and all below it, if the first becomes `root`.
    fn plan_states(
        &self,
        records: &[&Record],
        root: &Instance,
    ) -> Result<Vec<WorldState>, SceneError> {
        let mut states = Vec::with_capacity(records.len());
        // The position of each parent in the list.
        let mut positions = HashMap::new();
        for (position, record) in records.iter().enumerate() {
            let instance = if position == 0 { root } else { &record.instance };
            let parent = instance.parent.map(|parent| match positions.get(&parent.index) {
                Some(&position) => &states[position],
                None => &self.at(parent.index).state,
            });
            let state = WorldState::new(parent, instance)
                .map_err(|source| SceneError::Transform { instance: record.id, source })?;
            states.push(state);
            if !record.children.is_empty() {
                positions.insert(record.id.index, position);
            }
        }
        Ok(states)
    }
}
