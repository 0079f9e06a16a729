//! The order of an entity among all that a pointer hits.

use crate::bevy_api::{Component, Reflect, ReflectComponent, ReflectDefault};

/// The order of an entity among all that a pointer hits: pointers prefer a higher order to a nearer hit.
///
/// For the handles of a gizmo, which a pointer picks through the objects before them. The order adds to that of the
/// camera; entities without the component have 0. Negative orders come after everything else. The handles
/// need no second camera.
///
/// Only the picking backend knows it. Queries of [`HitscanScene`](crate::HitscanScene) ask for handles alone by
/// [`SceneFilter::accept`](crate::SceneFilter::accept), before they ask for the rest.
///
/// ```
/// use bevy_ecs::prelude::*;
/// use hitscan_bevy::HitscanPickOrder;
///
/// # let mut world = World::new();
/// # let mesh = ();
/// world.spawn((mesh, HitscanPickOrder(0.5)));
/// ```
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[reflect(Component, Default, Clone, Debug, PartialEq)]
pub struct HitscanPickOrder(
    /// Added to the order of the camera. Bevy's user interface has 0.5 above its camera. NaN counts as 0.
    pub f32,
);

impl HitscanPickOrder {
    /// The order of an entity that may have the component.
    pub(crate) fn of(component: Option<&Self>) -> f32 {
        // The sum makes one number of both zeros.
        component.map_or(0.0, |order| if order.0.is_nan() { 0.0 } else { order.0 + 0.0 })
    }
}
