//! Removing instances, restoring them, and giving up their slots.

use std::{collections::HashSet, sync::Arc};

use crate::{
    InstanceId, Scene, SceneError,
    handles::Handles,
    scene::{Record, Slot},
};

/// An instance and its descendants after [`Scene::remove`]. [`Scene::restore`] brings them back.
#[derive(Clone, Debug)]
pub struct RemovedSubtree {
    /// The root first, each parent before its children.
    records: Vec<Record>,
    /// The index of the root among its siblings.
    sibling: usize,
    /// Those of the scene, which its clones share.
    handles: Arc<Handles>,
    /// That of the scene at the removal.
    numbering: u64,
}

impl RemovedSubtree {
    /// The instance that [`Scene::remove`] was called with.
    pub fn id(&self) -> InstanceId {
        self.records[0].id
    }

    /// All removed instances, each parent before its children.
    pub fn ids(&self) -> impl Iterator<Item = InstanceId> {
        self.records.iter().map(|record| record.id)
    }
}

impl Scene {
    /// Removes an instance and its descendants. Their handles are unknown until
    /// [`restore`](Self::restore). O(log n) per removed instance, plus O(siblings).
    ///
    /// Keep the result as long as the user may undo the removal. Dropping it keeps the slots reserved; pass
    /// it to [`forget`](Self::forget) if the scene inserts and removes for ever.
    ///
    /// # Errors
    /// An unknown handle.
    pub fn remove(&mut self, id: InstanceId) -> Result<RemovedSubtree, SceneError> {
        let index = self.index_of(id)?;
        let mut sibling = 0;
        if let Some(parent) = self.at(index).instance.parent {
            let siblings = self.at_mut(parent.index).children_mut();
            sibling = siblings.iter().rposition(|&child| child == index).unwrap_or(0);
            siblings.remove(sibling);
        }
        let subtree = self.subtree(index);
        let mut records = Vec::with_capacity(subtree.len());
        for index in subtree {
            self.tree.remove(index);
            let removed = Slot::Removed { generation: self.at(index).id.generation };
            if let Slot::Present(record) = std::mem::replace(self.slots.get_mut(index), removed) {
                records.push(record);
            }
        }
        self.n_instances -= records.len();
        let (handles, numbering) = (self.handles.clone(), self.numbering);
        Ok(RemovedSubtree { records, sibling, handles, numbering })
    }

    /// Restores removed instances with the same handles and parent. If the parent moved in the meantime,
    /// their world transforms follow it. O(log n) per instance.
    ///
    /// They keep their insertion orders. An instance whose order another one got since, from
    /// [`renumber`](Self::renumber) or in another clone, becomes the last.
    ///
    /// A clone can restore what another clone removed, even if it never had the instance: after the way back to
    /// a snapshot, for example. That costs O(n), as does the first restoration after a change of orders.
    ///
    /// # Errors
    /// An unknown parent; an instance that is present or forgotten, whose slot another instance holds, or that
    /// neither this scene nor a clone removed; a world transform that the parent's new transform makes singular.
    pub fn restore(&mut self, removed: &RemovedSubtree) -> Result<InstanceId, SceneError> {
        let root = &removed.records[0];
        if !Arc::ptr_eq(&self.handles, &removed.handles) {
            return Err(SceneError::NotRemoved(root.id));
        }
        let parent = root.instance.parent.map(|parent| self.index_of(parent)).transpose()?;
        if let Some(id) = removed.ids().find(|&id| !self.is_removed(id) && !self.is_new(id)) {
            return Err(SceneError::NotRemoved(id));
        }
        let records: Vec<&Record> = removed.records.iter().collect();
        let states = self.plan_states(&records, &root.instance)?;
        let orders = self.orders_of_restored(removed);
        for ((record, state), insertion_order) in removed.records.iter().zip(states).zip(orders) {
            self.next_order = self.next_order.max(insertion_order + 1);
            let id = record.id;
            let mut record = Record { insertion_order, ..record.clone() };
            record.inherit(state.inherited);
            self.occupy(record);
            self.place(id.index, &state.placement);
        }
        if let Some(parent) = parent {
            let siblings = self.at_mut(parent).children_mut();
            siblings.insert(removed.sibling.min(siblings.len()), root.id.index);
        }
        Ok(root.id)
    }

    /// An insertion order for each restored instance, which no present one has: its own, or else one of the next.
    fn orders_of_restored(&mut self, removed: &RemovedSubtree) -> Vec<u64> {
        let records = &removed.records;
        // Among clones of one numbering, two instances that this one knew never have the same order.
        if removed.numbering == self.numbering && removed.ids().all(|id| self.is_removed(id)) {
            return records.iter().map(|record| record.insertion_order).collect();
        }
        self.numbering = self.handles.next_numbering();
        let mut used: HashSet<u64> = self.records().map(|record| record.insertion_order).collect();
        let own = records.iter().map(|record| record.insertion_order);
        let mut next = own.fold(self.next_order, |next, order| next.max(order + 1));
        let mut order_of = |record: &Record| {
            let order = record.insertion_order;
            if used.insert(order) {
                return order;
            }
            next += 1;
            next - 1
        };
        records.iter().map(&mut order_of).collect()
    }

    /// Releases the slots of removed instances, which this scene can then no longer restore. Later instances
    /// reuse the slots under new handles. Does nothing for instances that were restored, and for those that
    /// this scene never had, as a snapshot from before they were inserted.
    pub fn forget(&mut self, removed: RemovedSubtree) {
        if !Arc::ptr_eq(&self.handles, &removed.handles) {
            return;
        }
        for id in removed.ids() {
            if self.is_removed(id) {
                let generation = id.generation + 1;
                *self.slots.get_mut(id.index) = Slot::Free { generation };
                self.free.push(id.index);
            }
        }
    }

    /// Whether the handle belongs to an instance that was removed and not forgotten.
    fn is_removed(&self, id: InstanceId) -> bool {
        let slot = self.slot(id.index);
        slot.is_some_and(
            |slot| matches!(slot, Slot::Removed { generation } if *generation == id.generation),
        )
    }

    /// Whether the scene never had the instance of a handle from a clone, and its slot is free.
    fn is_new(&self, id: InstanceId) -> bool {
        let slot = self.slot(id.index);
        slot.is_none_or(
            |slot| matches!(slot, Slot::Free { generation } if *generation <= id.generation),
        )
    }
}
