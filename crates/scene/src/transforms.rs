//! Moving instances, one or many at once.

use glam::DAffine3;

use crate::{InstanceId, Scene, SceneError, placement::Placement, scene::WorldState};

impl Scene {
    /// Sets the transform of an instance relative to its parent, and moves its descendants with it.
    /// O(log n) per moved instance.
    ///
    /// # Errors
    /// An unknown handle, or a world transform that is singular or not finite, of the instance or of a
    /// descendant.
    pub fn set_transform(&mut self, id: InstanceId, local: DAffine3) -> Result<(), SceneError> {
        self.move_records(id, local, Self::place)?;
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
        let mut place = |scene: &mut Self, index: u32, placement: &Placement| {
            scene.place_later(index, placement, &mut moved);
        };
        let mut result = Ok(());
        for (id, local) in transforms {
            match self.move_records(id, local, &mut place) {
                Ok(old) => before.push((id, old)),
                Err(error) => {
                    for (id, old) in before.into_iter().rev() {
                        self.move_records(id, old, &mut place).expect("it was there before");
                    }
                    result = Err(error);
                    break;
                }
            }
        }
        self.tree.follow(&moved);
        result
    }

    /// Sets the transform in the records of an instance and its descendants. `place` gets their slots, and lets the tree
    /// follow. Returns the transform before.
    fn move_records(
        &mut self,
        id: InstanceId,
        local: DAffine3,
        mut place: impl FnMut(&mut Self, u32, &Placement),
    ) -> Result<DAffine3, SceneError> {
        let index = self.index_of(id)?;
        let record = self.at(index);
        let before = record.instance.transform;
        if record.children().is_empty() {
            let parent = record.instance.parent.map(|parent| self.at(parent.index).inherited());
            let state = WorldState::new(parent.as_ref(), &record.instance, local)
                .map_err(|source| SceneError::Transform { instance: id, source })?;
            let record = self.at_mut(index);
            record.instance.transform = local;
            record.inherit(state.inherited);
            place(self, index, &state.placement);
        } else {
            self.change_records(id, |instance| instance.transform = local, place)?;
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
        let parent_world = parent.inherited().world;
        // The offset of a mesh changes no linear part.
        let inverse_linear = self.frame(parent).inverse_linear;
        DAffine3 {
            matrix3: inverse_linear * world.matrix3,
            // Subtract first, because the difference of two points far from the origin is small.
            translation: inverse_linear * (world.translation - parent_world.translation),
        }
    }
}
