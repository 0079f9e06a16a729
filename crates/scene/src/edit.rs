//! The edits of a scene.
//!
//! Each edit first computes the new state, which may fail, and then applies it.

use std::{collections::HashMap, sync::Arc};

use glam::DAffine3;
use hitscan_bvh::{RefitReport, instances::PlacedMesh};
use hitscan_primitives::{Aabb, EditError, MeshEditor, WorldBox};

use crate::{
    Instance, InstanceId, Mesh, Scene, SceneError,
    placement::Placement,
    scene::{Record, WorldState},
};

/// The transform that [`Scene::reparent`] preserves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum KeepTransform {
    /// The instance keeps its world transform, up to the rounding of f64.
    #[default]
    World,
    /// The instance keeps its transform relative to the parent, so it may move in the world.
    Local,
}

impl Scene {
    /// Brings the tree up to date with an instance.
    pub(crate) fn place(&mut self, index: u32, placement: &Placement) {
        match in_tree(self.at(index), placement) {
            Some((placed, bounds)) => self.tree.set(index, placed, bounds),
            None => self.tree.remove(index),
        }
    }

    /// Gives the tree the place of an instance. The nodes are to follow all those in `later`.
    pub(crate) fn place_later(&mut self, index: u32, placement: &Placement, later: &mut Vec<u32>) {
        if let Some((placed, bounds)) = in_tree(self.at(index), placement) {
            self.tree.replace(index, placed, bounds);
            later.push(index);
        }
    }

    /// Brings what the tree knows of an instance up to date, but for its place.
    fn update_tag(&mut self, index: u32) {
        if let Some(record) = self.slots.get(index).record() {
            self.tree.set_tag(index, record.tag());
        }
    }

    /// Gives an instance another parent, or none, and moves its descendants with it. The instance becomes
    /// the last child of the new parent. O(log n) per moved instance.
    ///
    /// # Errors
    /// An unknown handle, a parent that is the instance or a descendant, or a world transform that
    /// becomes singular or not finite.
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
            KeepTransform::World => self.relative_to(parent, old.inherited().world),
            KeepTransform::Local => old.instance.transform,
        };
        self.change(id, |instance| (instance.parent, instance.transform) = (parent, local))?;
        if let Some(old_parent) = old_parent {
            self.at_mut(old_parent.index).children_mut().retain(|&child| child != index);
        }
        if let Some(parent) = parent {
            self.at_mut(parent.index).children_mut().push(index);
        }
        Ok(())
    }

    /// Replaces the mesh of an instance; `None` makes it a group. O(log n).
    ///
    /// # Errors
    /// An unknown handle, or a mesh whose world coordinates exceed 1e100.
    pub fn set_mesh(&mut self, id: InstanceId, mesh: Option<Arc<Mesh>>) -> Result<(), SceneError> {
        self.change(id, |instance| instance.mesh = mesh)
    }

    /// Moves the vertices of an instance's mesh, for example to a pose of a skinned character.
    /// `positions` has one entry per vertex, in the mesh's own space.
    ///
    /// If the instance shares the mesh, the scene copies it first, so that other instances and snapshots
    /// keep the old positions. O(n) for n triangles, cheaper than a new build.
    /// [`RefitReport::rebuild_pays`] says whether a rebuild would pay off.
    ///
    /// # Errors
    /// An unknown handle, a group, a wrong number of positions, a position that is not finite, or world
    /// coordinates beyond 1e100.
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
        let placement = Placement::new(record.mesh_to_world(), tri_mesh.bounds())
            .map_err(|source| SceneError::Transform { instance: id, source })?;
        // The tree shares the hierarchy, which the refit would then copy.
        self.tree.release_mesh(index);
        let record = self.at_mut(index);
        let mesh = record.instance.mesh.as_mut().ok_or(SceneError::NoMesh(id))?;
        let mesh = Arc::make_mut(mesh);
        let report = mesh.refit_to(tri_mesh);
        let placement = mesh.tightened(placement);
        self.place(index, &placement);
        Ok(report)
    }

    /// Edits the mesh of an instance, and of all other instances that share it in this scene. See
    /// [`Mesh::edit`].
    ///
    /// Clones of the scene, and meshes that the caller holds, keep the old mesh; it is copied first then. See also
    /// [`refit`](Self::refit), which moves all vertices for one instance.
    ///
    /// # Errors
    /// An unknown handle, a group, an error of `change`, or world coordinates beyond 1e100. Nothing has changed then,
    /// except that edits which `change` made before its error stay.
    #[expect(clippy::missing_panics_doc, reason = "the scene goes back to a mesh that it placed")]
    pub fn edit_mesh(
        &mut self,
        id: InstanceId,
        change: impl FnOnce(&mut MeshEditor<'_>) -> Result<(), EditError>,
    ) -> Result<RefitReport, SceneError> {
        let shared = self.at(self.index_of(id)?).instance.mesh.clone();
        let shared = shared.ok_or(SceneError::NoMesh(id))?;
        let has_it = |record: &Record| {
            record.instance.mesh.as_ref().is_some_and(|mesh| Arc::ptr_eq(mesh, &shared))
        };
        let slots = (0..self.slots.len() as u32)
            .filter(|&index| self.slots.get(index).record().is_some_and(&has_it));
        let slots: Vec<(u32, DAffine3)> =
            slots.map(|index| (index, self.at(index).mesh_to_world())).collect();
        // A copy is edited where a transform is so large that it may not take the new coordinates.
        let all = Aabb::new([f32::MIN; 3], [f32::MAX; 3]);
        let takes_all = |&(_, world): &(u32, DAffine3)| Placement::new(world, all).is_ok();
        let kept = if slots.iter().all(takes_all) { None } else { Some(shared.clone()) };
        for &(index, _) in &slots {
            self.tree.release_mesh(index);
            self.at_mut(index).instance.mesh = None;
        }
        let mut shared = shared;
        let edited = Arc::make_mut(&mut shared).edit(change);
        let edited = edited.map_err(|source| SceneError::Edit { instance: id, source });
        let placements = |mesh: &Mesh| {
            let place = |&(_, world): &(u32, DAffine3)| {
                Placement::new(world, mesh.tri_mesh().bounds())
                    .map(|placement| mesh.tightened(placement))
                    .map_err(|source| SceneError::Transform { instance: id, source })
            };
            slots.iter().map(place).collect::<Result<Vec<_>, _>>()
        };
        let (result, placements) = match placements(&shared) {
            Ok(placements) => (edited, placements),
            Err(error) => {
                shared = kept.expect("a copy is kept where a transform may not take the mesh");
                (Err(error), placements(&shared).expect("the mesh had its places before"))
            }
        };
        for (&(index, _), placement) in slots.iter().zip(placements) {
            self.at_mut(index).instance.mesh = Some(shared.clone());
            self.place(index, &placement);
        }
        result
    }

    /// Hides or shows an instance and its descendants. O(log n) per instance.
    ///
    /// # Errors
    /// An unknown handle.
    pub fn set_hidden(&mut self, id: InstanceId, hidden: bool) -> Result<(), SceneError> {
        self.change(id, |instance| instance.hidden = hidden)
    }

    /// Locks or unlocks an instance, without its descendants.
    ///
    /// # Errors
    /// An unknown handle.
    pub fn set_locked(&mut self, id: InstanceId, locked: bool) -> Result<(), SceneError> {
        let index = self.index_of(id)?;
        self.at_mut(index).instance.locked = locked;
        self.update_tag(index);
        Ok(())
    }

    /// Sets the layers of an instance, one bit per layer, without its descendants.
    ///
    /// # Errors
    /// An unknown handle.
    pub fn set_layers(&mut self, id: InstanceId, layers: u32) -> Result<(), SceneError> {
        let index = self.index_of(id)?;
        self.at_mut(index).instance.layers = layers;
        self.update_tag(index);
        Ok(())
    }

    /// Sets or clears the name of an instance.
    ///
    /// # Errors
    /// An unknown handle.
    pub fn set_name(&mut self, id: InstanceId, name: Option<Arc<str>>) -> Result<(), SceneError> {
        let index = self.index_of(id)?;
        self.at_mut(index).instance.name = name;
        Ok(())
    }

    /// The largest insertion order that [`renumber`](Self::renumber) takes and that files hold: 2^63 - 1.
    pub const MAX_INSERTION_ORDER: u64 = i64::MAX as u64;

    /// Gives each instance the insertion order that `order` returns, such as one from a file. Later
    /// instances follow the largest. O(n log n).
    ///
    /// A scene that was saved and read again decides ties as before if the orders are as before.
    /// [`restore`](Self::restore) of an instance that was removed before keeps its old order if no other
    /// instance got it.
    ///
    /// # Errors
    /// Two instances of the same order, or an order beyond
    /// [`MAX_INSERTION_ORDER`](Self::MAX_INSERTION_ORDER).
    pub fn renumber(&mut self, mut order: impl FnMut(InstanceId) -> u64) -> Result<(), SceneError> {
        let mut orders: Vec<(u64, InstanceId)> =
            self.iter().map(|(id, _)| (order(id), id)).collect();
        orders.sort_unstable();
        if let Some(pair) = orders.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            let ((order, other), (_, instance)) = (pair[0], pair[1]);
            return Err(SceneError::SameOrder { instance, order, other });
        }
        if let Some(&(order, instance)) = orders.last()
            && order > Self::MAX_INSERTION_ORDER
        {
            return Err(SceneError::LargeOrder { instance, order });
        }
        for &(order, id) in &orders {
            self.at_mut(id.index).insertion_order = order;
            self.update_tag(id.index);
        }
        self.next_order = orders.last().map_or(0, |&(order, _)| order + 1);
        self.numbering = self.handles.next_numbering();
        Ok(())
    }

    /// Changes an instance, and updates its subtree.
    fn change(
        &mut self,
        id: InstanceId,
        change: impl FnOnce(&mut Instance),
    ) -> Result<(), SceneError> {
        self.change_records(id, change, Self::place)
    }

    /// Changes an instance and the records of its subtree. `place` gets each of these slots, and lets the tree follow.
    pub(crate) fn change_records(
        &mut self,
        id: InstanceId,
        change: impl FnOnce(&mut Instance),
        mut place: impl FnMut(&mut Self, u32, &Placement),
    ) -> Result<(), SceneError> {
        let index = self.index_of(id)?;
        let subtree = self.subtree(index);
        let records: Vec<&Record> = subtree.iter().map(|&index| self.at(index)).collect();
        let mut instance = records[0].instance.clone();
        change(&mut instance);
        let states = self.plan_states(&records, &instance)?;
        self.at_mut(index).instance = instance;
        for (&index, state) in subtree.iter().zip(&states) {
            self.at_mut(index).inherit(state.inherited);
            place(self, index, &state.placement);
        }
        Ok(())
    }

    /// The slots of an instance and its descendants, each parent before its children.
    pub(crate) fn subtree(&self, index: u32) -> Vec<u32> {
        let mut subtree = Vec::new();
        let mut pending = vec![index];
        while let Some(index) = pending.pop() {
            subtree.push(index);
            pending.extend(self.at(index).children().iter().rev());
        }
        subtree
    }

    /// The world states of a subtree in `records`, if its first instance becomes `root`.
    pub(crate) fn plan_states(
        &self,
        records: &[&Record],
        root: &Instance,
    ) -> Result<Vec<WorldState>, SceneError> {
        let mut states: Vec<WorldState> = Vec::with_capacity(records.len());
        // The index of each parent in `records`.
        let mut positions: HashMap<u32, usize> = HashMap::new();
        for (position, record) in records.iter().enumerate() {
            let instance = if position == 0 { root } else { &record.instance };
            let parent = instance.parent.map(|parent| match positions.get(&parent.index) {
                Some(&position) => states[position].inherited,
                None => self.at(parent.index).inherited(),
            });
            let state = WorldState::new(parent.as_ref(), instance, instance.transform)
                .map_err(|source| SceneError::Transform { instance: record.id, source })?;
            states.push(state);
            if !record.children().is_empty() {
                positions.insert(record.id.index, position);
            }
        }
        Ok(states)
    }
}

/// What the tree holds of an instance; `None` without triangles.
fn in_tree(record: &Record, placement: &Placement) -> Option<(PlacedMesh, WorldBox)> {
    let &Placement { frame, bounds, .. } = placement;
    let mesh = record.instance.mesh.as_ref().filter(|_| !bounds.is_empty())?;
    let (mesh, tag) = (mesh.instanced().clone(), record.tag());
    Some((PlacedMesh::new(mesh, frame.translation, frame.inverse_linear, tag), bounds))
}
