//! The example plays its session, and every tool does its work.

use bevy_math::Vec3;
use bevy_mesh::skinning::SkinnedMesh;
use bevy_transform::components::{GlobalTransform, Transform};

use crate::{
    harness::Harness,
    headless,
    script::{self, Step},
    tools::Editor,
    world::{Movable, place},
};

struct Session {
    harness: Harness,
    steps: std::vec::IntoIter<Step>,
}

impl Session {
    fn new() -> Self {
        Self { harness: headless::start(), steps: script::steps().into_iter() }
    }

    /// Plays up to the end of an act.
    fn play(&mut self, act: &str) -> &Editor {
        for step in self.steps.by_ref() {
            headless::perform(&mut self.harness, step);
            if step == Step::Show(script::ACTS.iter().find(|name| **name == act).unwrap()) {
                break;
            }
        }
        self.harness.app.world().resource()
    }

    fn position(&self, entity: bevy_ecs::entity::Entity) -> Vec3 {
        self.harness.app.world().get::<GlobalTransform>(entity).unwrap().translation()
    }
}

#[test]
fn every_tool_of_the_example_does_its_work() {
    let mut session = Session::new();
    let editor = session.play("hover");
    let target = editor.hovered.expect("the cursor is over an object");
    assert_eq!(editor.selected, []);
    assert!(session.position(target).distance(place(script::TARGET)) < 0.6);

    assert_eq!(session.play("click").selected, [target]);
    let behind = session.play("click-through").selected.clone();
    assert_eq!(behind.len(), 1);
    assert_ne!(behind, [target]);

    assert!(session.play("marquee").marquee.is_some());
    let editor = session.play("drag");
    assert!(editor.marquee.is_none());
    let selected = editor.selected.clone();
    assert!(selected.len() > 50, "{}", selected.len());
    let world = session.harness.app.world();
    assert!(selected.iter().all(|&entity| world.get::<Movable>(entity).is_some()));
    // The object followed the cursor, and stands on what is below it.
    assert!(session.position(target).distance(place(script::TARGET)) > 1.0);
    assert!(session.position(target).y > 0.3);

    let snap = session.play("snap").snap.clone().expect("a vertex is near the cursor");
    assert!(snap.pick.point.distance(script::corner()) < 1e-4, "{snap:?}");
    assert_eq!(session.position(target), snap.pick.point);

    let selected = session.play("character").selected.clone();
    assert_eq!(selected.len(), 1);
    let world = session.harness.app.world();
    assert!(world.get::<SkinnedMesh>(selected[0]).is_some());
    assert!(world.get::<Transform>(selected[0]).is_some());
}
