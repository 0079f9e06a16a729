//! An app without a window: a ray, and the objects within a ball.

use bevy_app::{App, AppExit, ScheduleRunnerPlugin, Startup, TaskPoolPlugin, Update};
use bevy_asset::{AssetPlugin, Assets};
use bevy_ecs::prelude::*;
use bevy_math::{Dir3, Ray3d, Vec3, primitives::Sphere};
use bevy_mesh::{Mesh, Mesh3d, MeshPlugin};
use bevy_transform::{TransformPlugin, components::Transform};
use hitscan_bevy::{prelude::*, sphere_region};

fn main() -> AppExit {
    App::new()
        .add_plugins((TaskPoolPlugin::default(), ScheduleRunnerPlugin::default(), TransformPlugin))
        .add_plugins((AssetPlugin::default(), MeshPlugin, HitscanPlugin))
        .add_systems(Startup, spawn)
        .add_systems(Update, ask)
        .run()
}

fn spawn(mut commands: Commands, mut meshes: ResMut<Assets<Mesh>>) {
    let ball = meshes.add(Sphere::new(1.0));
    for x in [0.0, 3.0, 6.0] {
        commands.spawn((Mesh3d(ball.clone()), Transform::from_xyz(x, 0.0, 0.0)));
    }
}

fn ask(scene: HitscanScene, world: Res<HitscanWorld>, mut exit: MessageWriter<AppExit>) {
    if world.snapshot().is_empty() || world.n_pending() > 0 {
        return;
    }
    // Without a `VisibilityPlugin`, nothing is known to be visible.
    let filter = SceneFilter { include_hidden: true, ..Default::default() };
    let ray = Ray3d::new(Vec3::new(-5.0, 0.1, 0.2), Dir3::X);
    for hit in scene.all(ray, &filter) {
        println!("{} at {:.3}, triangle {:?}", hit.entity, hit.distance, hit.triangle);
    }
    let near = scene.overlapping(&sphere_region(Vec3::new(4.5, 0.0, 0.0), 1.0), &filter);
    println!("{} balls within 1 of x = 4.5", near.len());
    exit.write(AppExit::Success);
}
