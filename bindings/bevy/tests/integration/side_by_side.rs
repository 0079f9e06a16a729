//! Systems that cast run at the same time.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::{Duration, Instant},
};

use bevy_ecs::{prelude::*, schedule::MultiThreadedExecutor};
use bevy_math::{Dir3, Ray3d, Vec3, primitives::Cuboid};
use bevy_mesh::Mesh3d;
use bevy_picking::mesh_picking::ray_cast::{MeshRayCastSettings, RayCastVisibility};
use bevy_transform::components::Transform;
use hitscan_bevy::{HitscanRayCast, HitscanScene, SceneFilter};

use crate::harness::{Backend, Harness, Tag, from_front};

/// The systems that are within a query, and those that met the other one there.
#[derive(Resource, Default)]
struct Within {
    n: AtomicUsize,
    n_met: AtomicUsize,
}

impl Within {
    /// Waits within a query until the other system is within one.
    fn meet(&self) -> bool {
        const BOTH: usize = 2;
        self.n.fetch_add(1, Ordering::SeqCst);
        let started = Instant::now();
        while started.elapsed() < Duration::from_secs(20) {
            if self.n.load(Ordering::SeqCst) == BOTH {
                self.n_met.fetch_add(1, Ordering::SeqCst);
                break;
            }
            std::thread::yield_now();
        }
        true
    }
}

const RAY: (Vec3, Dir3) = (Vec3::new(0.0, 0.0, 9.0), Dir3::NEG_Z);

fn by_scene(scene: HitscanScene, within: Res<Within>) {
    let accept = |_| within.meet();
    let filter = SceneFilter { accept: Some(&accept), ..Default::default() };
    assert!(scene.closest(Ray3d::new(RAY.0, RAY.1), &filter).is_some());
}

fn by_ray_cast(mut caster: HitscanRayCast, within: Res<Within>) {
    let accept = |_| within.meet();
    let settings =
        MeshRayCastSettings::default().with_visibility(RayCastVisibility::Any).with_filter(&accept);
    assert_eq!(caster.cast_ray(Ray3d::new(RAY.0, RAY.1), &settings).len(), 1);
}

/// A lock, or a parameter that writes, would keep one system out until the other one gives up.
#[test]
fn two_systems_are_within_a_ray_cast_at_the_same_time() {
    let mut harness = Harness::new(Backend::Hitscan);
    harness.spawn_camera(from_front(10.0), 0, None);
    let mesh = harness.add_mesh(Cuboid::new(1.0, 1.0, 1.0));
    harness.app.world_mut().spawn((Mesh3d(mesh), Transform::IDENTITY, Tag(0)));
    harness.settle();
    let world = harness.app.world_mut();
    world.init_resource::<Within>();
    let mut schedule = Schedule::default();
    schedule.set_executor(MultiThreadedExecutor::new());
    schedule.add_systems((by_scene, by_ray_cast));
    schedule.run(world);
    assert_eq!(world.resource::<Within>().n_met.load(Ordering::SeqCst), 2);
}
