//! Systems that cast rays in parallel: the time of two such systems on one thread and on two, beside
//! two systems that share nothing.
//!
//! `cargo bench --bench side_by_side`

use std::{hint::black_box, time::Instant};

use bevy_ecs::{
    prelude::*,
    schedule::{MultiThreadedExecutor, SingleThreadedExecutor, SystemExecutor},
    system::ScheduleSystem,
};
use bevy_math::{Dir3, Ray3d, Vec3, primitives::Sphere};
use bevy_mesh::{Mesh3d, Meshable};
use bevy_transform::components::Transform;
use hitscan_bevy::{HitscanScene, SceneFilter};

use harness::{Backend, Harness, Rng, Tag, from_front};
use processor::processor_time;

#[path = "../tests/integration/harness.rs"]
#[allow(dead_code, reason = "the tests use all of it")]
mod harness;
#[path = "clocked/processor.rs"]
mod processor;

const N_ENTITIES: usize = 1000;
const N_RAYS: usize = 20_000;
const N_ROUNDS: usize = 40;

/// The rays of the two systems, and the hits that each found.
#[derive(Resource)]
struct Rays([Vec<Ray3d>; 2]);

#[derive(Component)]
struct Found(usize);

fn cast<const SYSTEM: usize>(rays: Res<Rays>, scene: HitscanScene, mut commands: Commands) {
    let filter = SceneFilter::default();
    let n = rays.0[SYSTEM].iter().filter(|&&ray| scene.closest(ray, &filter).is_some()).count();
    commands.spawn(Found(n));
}

/// A system that shares no memory with the other one: what two threads of this machine can gain at most.
fn compute<const SYSTEM: u64>(mut commands: Commands) {
    const N_STEPS: usize = 20_000_000;
    let result = (0..N_STEPS).fold(black_box(SYSTEM as f64), |x, _| (x + 2.0).sqrt());
    commands.insert_resource(Computed(result));
}

/// Keeps the result, so that the compiler keeps the loop.
#[derive(Resource)]
struct Computed(#[allow(dead_code, reason = "nothing reads it")] f64);

fn schedule<M>(
    systems: impl IntoScheduleConfigs<ScheduleSystem, M>,
    executor: impl SystemExecutor + 'static,
) -> Schedule {
    let mut schedule = Schedule::default();
    schedule.add_systems(systems);
    schedule.set_executor(executor);
    schedule
}

/// Rays from around the block of balls into it.
fn rays(seed: u64) -> Vec<Ray3d> {
    let mut rng = Rng::new(seed);
    let ray = |_| {
        let origin = 60.0 * rng.vec3(Vec3::ONE).normalize();
        let target = rng.vec3(Vec3::splat(10.0));
        Ray3d::new(origin, Dir3::new(target - origin).expect("the target is inside"))
    };
    (0..N_RAYS).map(ray).collect()
}

fn main() {
    let mut harness = Harness::new(Backend::Hitscan);
    harness.spawn_camera(from_front(60.0), 0, None);
    let ball = harness.add_mesh(Sphere::new(1.0).mesh().uv(120, 60));
    for i in 0..N_ENTITIES {
        let [x, y, z] = [i % 10, i / 10 % 10, i / 100].map(|k| 2.0 * k as f32 - 9.0);
        let transform = Transform::from_xyz(x, y, z);
        harness.app.world_mut().spawn((Mesh3d(ball.clone()), transform, Tag(i)));
    }
    harness.settle();
    let world = harness.app.world_mut();
    world.insert_resource(Rays([rays(1), rays(2)]));
    let mut schedules = [
        schedule((cast::<0>, cast::<1>), SingleThreadedExecutor::new()),
        schedule((cast::<0>, cast::<1>), MultiThreadedExecutor::new()),
        schedule((compute::<0>, compute::<1>), SingleThreadedExecutor::new()),
        schedule((compute::<0>, compute::<1>), MultiThreadedExecutor::new()),
    ];
    let mut times: [Vec<f64>; 4] = Default::default();
    let mut processor_times = [0.0; 4];
    for round in 0..=N_ROUNDS {
        for i in 0..4 {
            let (started, processor) = (Instant::now(), processor_time());
            schedules[i].run(world);
            // The first round fills the caches.
            if round > 0 {
                times[i].push(started.elapsed().as_secs_f64() * 1e3);
                processor_times[i] += (processor_time() - processor) * 1e3 / N_ROUNDS as f64;
            }
        }
    }
    let found: Vec<usize> = world.query::<&Found>().iter(world).map(|found| found.0).collect();
    assert!(found.iter().all(|&n| n > N_RAYS / 2), "too few hits");
    println!(
        "two systems of {N_RAYS} rays among {N_ENTITIES} balls, and two that only compute; \
         milliseconds of {N_ROUNDS} rounds:"
    );
    println!("| | least | median | processor |\n|---|--:|--:|--:|");
    times.iter_mut().for_each(|times| times.sort_unstable_by(f64::total_cmp));
    let [least, medians] = [0, N_ROUNDS / 2].map(|i| times.each_ref().map(|times| times[i]));
    let names = ["rays, one thread", "rays, two threads", "computing, one", "computing, two"];
    for (i, name) in names.iter().enumerate() {
        let [least, median, processor] = [least[i], medians[i], processor_times[i]];
        println!("| {name} | {least:.2} | {median:.2} | {processor:.2} |");
    }
    for (name, times) in [("least", least), ("medians", medians)] {
        println!(
            "two threads by the {name}: rays {:.2} times as fast as one, computing {:.2}",
            times[0] / times[1],
            times[2] / times[3]
        );
    }
    // What the threads would gain if no other program ran.
    println!(
        "by processor time, which waiting does not count: rays {:.2}, computing {:.2}",
        2.0 * processor_times[0] / processor_times[1],
        2.0 * processor_times[2] / processor_times[3]
    );
}
