//! The plugins in any order, twice, and beside others.

use bevy_app::{App, TaskPoolPlugin};
use bevy_asset::AssetPlugin;
use bevy_ecs::prelude::*;
use bevy_math::{Vec2, primitives::Cuboid};
use bevy_mesh::{Mesh3d, MeshPlugin};
use bevy_transform::components::Transform;
use hitscan_bevy::{HitscanPickingPlugin, HitscanPlugin, HitscanWorld};

use crate::harness::{Harness, Tag, from_front};

#[test]
fn the_plugins_may_come_in_either_order() {
    let orders: [fn(&mut App); 3] = [
        |app| _ = app.add_plugins((HitscanPickingPlugin, HitscanPlugin)),
        |app| _ = app.add_plugins((HitscanPlugin, HitscanPickingPlugin)),
        |app| _ = app.add_plugins((HitscanPlugin, HitscanPlugin, HitscanPickingPlugin)),
    ];
    for add in orders {
        let mut harness = Harness::with_plugins(1.0, add);
        let mesh = harness.add_mesh(Cuboid::new(1.0, 1.0, 1.0));
        harness.app.world_mut().spawn((Mesh3d(mesh), Transform::IDENTITY, Tag(0)));
        harness.spawn_camera(from_front(10.0), 0, None);
        harness.settle();
        assert_eq!(harness.hits_at(Vec2::new(400.0, 300.0)), [0]);
    }
}

#[test]
fn a_second_plugin_adds_no_second_system() {
    let n_systems = |n_plugins: usize| {
        let mut app = App::new();
        app.add_plugins((TaskPoolPlugin::default(), AssetPlugin::default(), MeshPlugin));
        for _ in 0..n_plugins {
            app.add_plugins(HitscanPlugin);
        }
        app.update();
        assert!(app.world().contains_resource::<HitscanWorld>());
        let schedules = app.world().resource::<Schedules>();
        let schedule = schedules.get(bevy_app::PostUpdate).expect("the plugin adds a system");
        schedule.systems().expect("the schedule ran").count()
    };
    assert_eq!(n_systems(2), n_systems(1));
}
