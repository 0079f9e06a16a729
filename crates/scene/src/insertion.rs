//! Inserting instances, one or many at once.

use crate::{
    Instance, InstanceId, Scene, SceneError,
    placement::Placement,
    scene::{Record, Slot, WorldState},
};

impl Scene {
    /// Adds an instance as the last child of its parent, and returns its handle.
    ///
    /// When to use: for edits by hand. See also [`insert_many`](Self::insert_many), which is faster for many instances
    /// and leaves a better tree.
    ///
    /// The cost is one path of the top-level tree: O(log n) for n instances spread in space. Once as many
    /// instances came or left their places as half of all, the edit builds the tree anew. The first edit after a
    /// clone also copies the chunks of 64 slots and nodes that it touches, and the parent's list of children.
    ///
    /// # Errors
    /// An unknown parent, or a world transform that is singular or not finite.
    pub fn insert(&mut self, instance: Instance) -> Result<InstanceId, SceneError> {
        let (id, placement) = self.insert_record(instance)?;
        self.place(id.index, &placement);
        Ok(id)
    }

    /// [`insert`](Self::insert) for each of many instances, in this order. If one fails, the scene has none of them.
    ///
    /// When to use: to fill a scene. If the scene grows by half or more, the tree is built once, in O(n log n), and rays
    /// are faster than after as many calls of [`insert`](Self::insert).
    ///
    /// Parents must be in the scene already.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hitscan_primitives::generate;
    /// use hitscan_scene::{Instance, Mesh, Scene, glam::DAffine3};
    ///
    /// let cube = Arc::new(Mesh::new(generate::cuboid(1.0, 1.0, 1.0, 0)?, &Default::default()));
    /// let at = |x: f64| DAffine3::from_translation([x, 0.0, 0.0].into());
    /// let row = (0..100).map(|i| Instance::new(cube.clone(), at(2.0 * f64::from(i))));
    /// let mut scene = Scene::new();
    /// let ids = scene.insert_many(row)?;
    /// assert_eq!((ids.len(), scene.insertion_order(ids[99])), (100, Some(99)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`SceneError::InList`] with the first error of [`insert`](Self::insert).
    pub fn insert_many(
        &mut self,
        instances: impl IntoIterator<Item = Instance>,
    ) -> Result<Vec<InstanceId>, SceneError> {
        let next_order = self.next_order;
        let (mut ids, mut in_the_tree) = (Vec::new(), Vec::new());
        for instance in instances {
            match self.insert_record(instance) {
                Ok((id, placement)) => {
                    self.place_later(id.index, &placement, &mut in_the_tree);
                    ids.push(id);
                }
                Err(source) => {
                    let position = ids.len();
                    for id in ids.into_iter().rev() {
                        let removed = self.remove(id)?;
                        self.forget(removed);
                    }
                    self.next_order = next_order;
                    return Err(SceneError::InList { position, source: Box::new(source) });
                }
            }
        }
        self.tree.follow(&in_the_tree);
        Ok(ids)
    }

    /// Adds an instance, but for the tree, which is to follow.
    fn insert_record(&mut self, instance: Instance) -> Result<(InstanceId, Placement), SceneError> {
        let parent = instance.parent.map(|parent| self.index_of(parent)).transpose()?;
        let inherited = parent.map(|parent| self.at(parent).inherited());
        let state = WorldState::new(inherited.as_ref(), &instance, instance.transform);
        let state = state.map_err(|source| {
            let index = self.free.last().copied().unwrap_or(self.slots.len() as u32);
            let generation = match self.slot(index) {
                Some(&Slot::Free { generation }) => generation,
                _ => 0,
            };
            SceneError::Transform { instance: InstanceId { index, generation }, source }
        })?;
        let id = self.new_handle();
        let insertion_order = self.next_order;
        self.next_order += 1;
        let mut record = Record { id, instance, insertion_order, kin: None };
        record.inherit(state.inherited);
        self.occupy(record);
        if let Some(parent) = parent {
            self.at_mut(parent).children_mut().push(id.index);
        }
        Ok((id, state.placement))
    }

    /// A handle for a free slot, which the scene and its clones never gave before.
    fn new_handle(&mut self) -> InstanceId {
        loop {
            let index = self.free.last().copied().unwrap_or(self.slots.len() as u32);
            if let Some(generation) = self.handles.next_generation(index) {
                return InstanceId { index, generation };
            }
            // No handle is left for this slot.
            if self.free.pop().is_none() {
                self.slots.push(Slot::default());
            }
        }
    }

    /// Stores a record in its slot, which no instance holds. The tree is to follow.
    pub(crate) fn occupy(&mut self, record: Record) {
        let index = record.id.index;
        while self.slots.len() < index as usize {
            self.free.push(self.slots.push(Slot::default()));
        }
        self.n_instances += 1;
        if self.slots.len() == index as usize {
            self.slots.push(Slot::Present(record));
            return;
        }
        // `new_handle` takes the last.
        if let Slot::Free { .. } = self.slots.get(index)
            && let Some(position) = self.free.iter().rposition(|&free| free == index)
        {
            self.free.remove(position);
        }
        *self.slots.get_mut(index) = Slot::Present(record);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use glam::{DAffine3, DQuat, DVec3};
    use hitscan_primitives::generate::{self, SplitMix64};

    use super::*;
    use crate::{Mesh, test_scenes::vector};

    fn balls(n: usize) -> impl Iterator<Item = Instance> {
        let ball = generate::sphere(1.0, 200).expect("an ordinary size");
        let ball = Arc::new(Mesh::new(ball, &Default::default()));
        let mut rng = SplitMix64::new(44);
        (0..n).map(move |i| {
            let turn = DQuat::from_rotation_z(i as f64);
            let at = DAffine3::from_rotation_translation(turn, vector(&mut rng, 40.0));
            Instance::new(ball.clone(), at)
        })
    }

    #[test]
    fn an_instance_takes_at_most_450_bytes() {
        const N: usize = 20_000;
        let (mut one_by_one, mut at_once) = (Scene::new(), Scene::new());
        for ball in balls(N) {
            one_by_one.insert(ball).expect("it is invertible");
        }
        at_once.insert_many(balls(N)).expect("all are invertible");
        for scene in [one_by_one, at_once] {
            let bytes = scene.slots.bytes() + scene.tree.bytes();
            assert!(bytes / N <= 450, "{} bytes each", bytes / N);
            // Without kin, nothing is beyond these.
            assert!(scene.records().all(|record| record.kin.is_none()));
        }
    }

    #[test]
    fn a_list_with_a_bad_instance_changes_nothing_and_the_error_has_its_position() {
        let mut scene = Scene::new();
        scene.insert_many(balls(100)).expect("all are invertible");
        let parent = scene.insert(Instance::default()).expect("a group");
        let before = scene.bounds();
        let mut list: Vec<Instance> = balls(200).collect();
        list.iter_mut().for_each(|ball| ball.parent = Some(parent));
        list[150].transform = DAffine3::from_scale(DVec3::new(1.0, 0.0, 1.0));
        list[0].transform.translation.x = 1e6;
        let error = scene.insert_many(list.clone()).expect_err("one is singular").to_string();
        assert!(
            error.starts_with("instances[150]: instance ") && error.contains("singular"),
            "{error}"
        );
        assert_eq!((scene.len(), scene.bounds(), scene.children(parent).count()), (101, before, 0));
        list.truncate(150);
        let ids = scene.insert_many(list).expect("all are invertible");
        assert_eq!(scene.insertion_order(ids[149]), Some(250));
        assert!(scene.children(parent).eq(ids));
    }
}
