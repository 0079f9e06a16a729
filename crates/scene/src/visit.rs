//! Traversal of the top-level tree with the caller's own tests.

use std::ops::ControlFlow;

use crate::{InstanceId, QueryOptions, Scene, WorldBox, scene::Record};

impl Scene {
    /// Traverses the top-level tree with the caller's own tests, in an order that depends on the tree.
    ///
    /// When to use: for queries of your own, such as frusta and swept shapes. See also
    /// [`instances_overlapping`](Self::instances_overlapping) for boxes and spheres.
    ///
    /// `enter` receives a box in world space and returns whether to descend into it. `on_instance`
    /// receives each instance that `options` includes, has a mesh, and whose box was entered. It ends the
    /// traversal with [`ControlFlow::Break`]. The traversal ignores [`QueryOptions::faces`].
    ///
    /// A box contains all instances below it, with a small margin. The traversal calls `enter` for the up to eight
    /// boxes of each entered node, and once more for each instance, with its own box.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// use hitscan_scene::{QueryOptions, Scene};
    ///
    /// let scene = Scene::new();
    /// let mut on_the_left = Vec::new();
    /// let done: ControlFlow<()> = scene.visit(
    ///     &QueryOptions::default(),
    ///     |bounds| bounds.min.x < 0.0,
    ///     |id| {
    ///         on_the_left.push(id);
    ///         ControlFlow::Continue(())
    ///     },
    /// );
    /// assert!(done.is_continue());
    /// ```
    pub fn visit<B>(
        &self,
        options: &QueryOptions<'_>,
        mut enter: impl FnMut(&WorldBox) -> bool,
        mut on_instance: impl FnMut(InstanceId) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        self.visit_records(
            options,
            0.0,
            |bounds| if enter(bounds) { 0.0 } else { f64::INFINITY },
            |record, limit| on_instance(record.id).map_continue(|()| limit),
        )
    }

    /// [`visit`](Self::visit) in order of a distance, for searches of the nearest. The traversal skips a
    /// box whose distance exceeds the limit or is NaN, and `on_record` returns the new limit.
    pub(crate) fn visit_records<B>(
        &self,
        options: &QueryOptions<'_>,
        limit: f64,
        distance: impl FnMut(&WorldBox) -> f64,
        mut on_record: impl FnMut(&Record, f64) -> ControlFlow<B, f64>,
    ) -> ControlFlow<B> {
        self.tree.visit(limit, distance, |index, limit| {
            let record = self.at(index);
            if self.includes(record, options) {
                on_record(record, limit)
            } else {
                ControlFlow::Continue(limit)
            }
        })
    }
}
