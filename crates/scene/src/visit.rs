//! The walk over instances with the caller's own tests.

use std::ops::ControlFlow;

use crate::{InstanceId, QueryOptions, Scene, WorldBox, scene::Record};

impl Scene {
    /// Walks the top-level tree by the caller's own tests, in an order that depends on the tree: `enter`
    /// says of a box in world space whether to look below it, `found` takes the instances with a mesh
    /// that are seen with these options (`faces` means nothing here) and whose own box was entered; it
    /// ends the walk with [`ControlFlow::Break`].
    ///
    /// Boxes hold all that is below them with a small margin. Two box tests per node entered.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// use hitscan_scene::{QueryOptions, Scene};
    ///
    /// let scene = Scene::new();
    /// let mut left = Vec::new();
    /// let done: ControlFlow<()> = scene.visit(
    ///     &QueryOptions::default(),
    ///     |bounds| bounds.max.x < 0.0 || bounds.min.x < 0.0,
    ///     |id| {
    ///         left.push(id);
    ///         ControlFlow::Continue(())
    ///     },
    /// );
    /// assert!(done.is_continue());
    /// ```
    pub fn visit<B>(
        &self,
        options: &QueryOptions<'_>,
        mut enter: impl FnMut(&WorldBox) -> bool,
        mut found: impl FnMut(InstanceId) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        self.visit_records(
            options,
            0.0,
            |bounds| if enter(bounds) { 0.0 } else { f64::INFINITY },
            |record, limit| found(record.id).map_continue(|()| limit),
        )
    }

    /// [`visit`](Self::visit) in the order of a distance, for searches that need only what is nearest:
    /// boxes whose distance is greater than the limit, or NaN, are left out, and `found` answers with
    /// the new limit.
    pub(crate) fn visit_records<B>(
        &self,
        options: &QueryOptions<'_>,
        limit: f64,
        distance: impl FnMut(&WorldBox) -> f64,
        mut found: impl FnMut(&Record, f64) -> ControlFlow<B, f64>,
    ) -> ControlFlow<B> {
        let mut outcome = ControlFlow::Continue(());
        self.tree.traverse(limit, distance, |index, limit| {
            let record = self.at(index);
            if !self.includes(record, options) {
                return ControlFlow::Continue(limit);
            }
            found(record, limit).map_break(|value| outcome = ControlFlow::Break(value))
        });
        outcome
    }
}
