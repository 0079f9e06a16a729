//! The editor without a window.

use bevy_math::Vec2;
use bevy_picking::pointer::{PointerAction, PointerId};

use crate::{
    harness::{Backend, Harness},
    script::{self, Step},
    tools::{self, EditorCamera},
    world,
};

/// An app with the world, a camera and the tools, after its trees are ready.
pub(crate) fn start() -> Harness {
    let mut harness = Harness::new(Backend::Hitscan);
    tools::plugin(&mut harness.app);
    world::spawn(harness.app.world_mut());
    let camera = harness.spawn_camera(script::camera_transform(), 0, None);
    harness.app.world_mut().entity_mut(camera).insert(EditorCamera);
    harness.settle();
    harness
}

/// Performs a step and runs frames until the tools have followed.
pub(crate) fn perform(harness: &mut Harness, step: Step) {
    if let Some(cursor) = script::perform(harness.app.world_mut(), step) {
        let action = PointerAction::Move { delta: Vec2::ONE };
        harness.input(PointerId::Mouse, cursor, action);
    }
    for _ in 0..3 {
        harness.frame();
    }
}
