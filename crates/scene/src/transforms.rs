//! Moving instances, one or many at once.

use glam::DAffine3;

use crate::{InstanceId, Scene, SceneError, edit::in_tree, scene::WorldState};

impl Scene {
    /// Sets the transform of an instance relative to its parent, and moves its descendants with it.
    /// O(log n) per moved instance.
    ///
    /// # Errors
    /// An unknown handle, or a world transform that is singular or not finite, of the instance or of a
    /// descendant.
    pub fn set_transform(&mut self, id: InstanceId, local: DAffine3) -> Result<(), SceneError> {
        let mut moved = Vec::new();
        self.move_records(id, local, &mut moved)?;
        for index in moved {
            self.update_tree(index);
        }
        Ok(())
    }

    /// [`set_transform`](Self::set_transform) for each of many instances, in this order. If one fails, none has moved.
    ///
    /// When to use: for each step of an animation or a simulation. Where a large share of all instances moves, the tree
    /// follows in one pass, O(n), and is built anew if that would make rays slower.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hitscan_primitives::generate;
    /// use hitscan_scene::{Instance, Mesh, QueryOptions, Scene, WorldRay, glam::DAffine3};
    ///
    /// let cube = Arc::new(Mesh::new(generate::cuboid(1.0, 1.0, 1.0, 0)?, &Default::default()));
    /// let at = |x: f64| DAffine3::from_translation([x, 0.0, 0.0].into());
    /// let mut scene = Scene::new();
    /// let ids = [0.0, 2.0, 4.0].map(|x| scene.insert(Instance::new(cube.clone(), at(x))));
    /// let [a, b, c] = [ids[0].clone()?, ids[1].clone()?, ids[2].clone()?];
    /// scene.set_transforms([(a, at(10.0)), (b, at(12.0)), (c, at(14.0))])?;
    /// let ray = WorldRay::new([0.0, 0.1, 0.2], [1.0, 0.0, 0.0]);
    /// let hit = scene.closest_hit(&ray, &QueryOptions::default()).expect("three cubes are ahead");
    /// assert_eq!((hit.instance, hit.t), (a, 9.5));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The first error of [`set_transform`](Self::set_transform).
    #[expect(clippy::missing_panics_doc, reason = "the instances go back to where they were")]
    pub fn set_transforms(
        &mut self,
        transforms: impl IntoIterator<Item = (InstanceId, DAffine3)>,
    ) -> Result<(), SceneError> {
        let (mut moved, mut before) = (Vec::new(), Vec::new());
        for (id, local) in transforms {
            match self.move_records(id, local, &mut moved) {
                Ok(old) => before.push((id, old)),
                Err(error) => {
                    for (id, old) in before.into_iter().rev() {
                        self.move_records(id, old, &mut moved).expect("it was there before");
                    }
                    return Err(error);
                }
            }
        }
        let Self { slots, tree, .. } = self;
        let record = |&index: &u32| slots.get(index).state.record();
        let placed = moved.iter().filter_map(|index| {
            let (placed, bounds) = in_tree(record(index)?)?;
            Some((*index, placed, bounds))
        });
        tree.move_many(placed, moved.len());
        Ok(())
    }

    /// Sets the transform in the records of an instance and its descendants, whose slots `moved` gets. The tree is to
    /// follow. Returns the transform before.
    fn move_records(
        &mut self,
        id: InstanceId,
        local: DAffine3,
        moved: &mut Vec<u32>,
    ) -> Result<DAffine3, SceneError> {
        let index = self.index_of(id)?;
        let record = self.at(index);
        let before = record.instance.transform;
        if record.children.is_empty() {
            let parent = record.instance.parent.map(|parent| &self.at(parent.index).state);
            let state = WorldState::moved(parent, &record.instance, local)
                .map_err(|source| SceneError::Transform { instance: id, source })?;
            let record = self.at_mut(index);
            (record.instance.transform, record.state) = (local, state);
            moved.push(index);
        } else {
            moved.extend(self.change_records(id, |instance| instance.transform = local)?);
        }
        Ok(before)
    }

    /// Sets the world transform of an instance, and moves its descendants with it. The transform relative
    /// to the parent follows, up to the rounding of f64. O(log n) per moved instance.
    ///
    /// # Errors
    /// The errors of [`set_transform`](Self::set_transform).
    pub fn set_world_transform(
        &mut self,
        id: InstanceId,
        world: DAffine3,
    ) -> Result<(), SceneError> {
        let parent = self.get(id).and_then(|instance| instance.parent);
        let local = self.relative_to(parent, world);
        self.set_transform(id, local)
    }

    /// The transform relative to a parent that puts an instance at `world`.
    pub(crate) fn relative_to(&self, parent: Option<InstanceId>, world: DAffine3) -> DAffine3 {
        let Some(parent) = parent.and_then(|parent| self.record(parent)) else { return world };
        let WorldState { world: parent_world, placement, .. } = &parent.state;
        // The offset of a mesh changes no linear part.
        let inverse_linear = placement.frame.inverse_linear;
        DAffine3 {
            matrix3: inverse_linear * world.matrix3,
            // Subtract first, because the difference of two points far from the origin is small.
            translation: inverse_linear * (world.translation - parent_world.translation),
        }
    }
}
