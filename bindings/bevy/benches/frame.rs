//! The time of a frame: one pointer over a thousand entities, by both backends in turn, and the frames in
//! which a large mesh is added.
//!
//! `cargo bench --bench frame`, or `cargo bench --bench frame -- 20000` for spheres of another size.

use std::time::{Duration, Instant};

use bevy_app::{PostUpdate, PreUpdate};
use bevy_ecs::{prelude::*, schedule::SingleThreadedExecutor};
use bevy_math::{Vec2, Vec3, primitives::Sphere};
use bevy_mesh::{Mesh, Mesh3d, Meshable};
use bevy_picking::PickingSystems;
use bevy_transform::components::Transform;
use hitscan_bevy::HitscanSystems;

use harness::{BOTH, Backend, Harness, Rng, SIZE, Tag, from_front};

#[path = "../tests/integration/harness.rs"]
#[allow(dead_code, reason = "the tests use all of it")]
mod harness;

const N_ENTITIES: usize = 1000;
/// Frames of each backend before the other one's turn.
const TURN: usize = 10;
/// The built-in backend takes milliseconds or seconds a frame.
const BUDGET: Duration = Duration::from_secs(12);

/// The times of the systems of a frame.
#[derive(Resource, Default)]
struct Times {
    started: Option<Instant>,
    backend: Duration,
    follow: Duration,
}

fn start(mut times: ResMut<Times>) {
    times.started = Some(Instant::now());
}

fn end_backend(mut times: ResMut<Times>) {
    times.backend = times.started.take().unwrap().elapsed();
}

fn end_follow(mut times: ResMut<Times>) {
    times.follow = times.started.take().unwrap().elapsed();
}

/// A sphere of about `n_triangles`, in which no two triangles are alike to a tree.
fn sphere(n_triangles: usize) -> Mesh {
    let stacks = ((n_triangles as f64 / 4.0).sqrt()) as u32;
    Sphere::new(1.0).mesh().uv(2 * stacks, stacks)
}

fn app(backend: Backend) -> Harness {
    let mut harness = Harness::new(backend);
    harness.app.init_resource::<Times>();
    // So that the times hold the systems, and no waits for threads between them. The built-in backend still
    // spreads its test of boxes over threads.
    let single_threaded = |schedule: &mut Schedule| {
        schedule.set_executor(SingleThreadedExecutor::new());
    };
    harness
        .app
        .edit_schedule(PreUpdate, single_threaded)
        .edit_schedule(PostUpdate, single_threaded);
    let set = PickingSystems::Backend;
    harness
        .app
        .add_systems(PreUpdate, start.after(PickingSystems::ProcessInput).before(set.clone()))
        .add_systems(PreUpdate, end_backend.after(set).before(PickingSystems::Hover));
    if backend == Backend::Hitscan {
        harness
            .app
            .add_systems(PostUpdate, start.before(HitscanSystems))
            .add_systems(PostUpdate, end_follow.after(HitscanSystems));
    }
    harness.spawn_camera(from_front(35.0), 0, None);
    harness
}

/// Ten by ten columns of ten spheres that touch.
fn spawn_grid(harness: &mut Harness, mesh: Mesh) {
    let mesh = harness.add_mesh(mesh);
    for i in 0..N_ENTITIES {
        let [x, y, z] = [i % 10, i / 10 % 10, i / 100].map(|k| 2.0 * k as f32 - 9.0);
        let transform = Transform::from_xyz(x, y, z - 9.0);
        harness.app.world_mut().spawn((Mesh3d(mesh.clone()), transform, Tag(i)));
    }
}

struct Frame {
    whole: Duration,
    /// Of the systems of the backend.
    systems: Duration,
    hits: Vec<usize>,
}

fn frame(harness: &mut Harness, position: Vec2) -> Frame {
    harness.take_log();
    let started = Instant::now();
    harness.hover(position);
    let whole = started.elapsed();
    let times = harness.app.world().resource::<Times>();
    let systems = times.backend + times.follow;
    let log = harness.take_log();
    let hits = log.iter().filter(|r| r.kind == "hit").map(|r| r.target.unwrap().0).collect();
    Frame { whole, systems, hits }
}

fn quantile(times: &mut [Duration], q: f64) -> f64 {
    times.sort_unstable();
    times[((times.len() - 1) as f64 * q) as usize].as_secs_f64() * 1e6
}

fn hover(n_triangles: usize) {
    let mut harnesses = BOTH.map(|backend| {
        let mut harness = app(backend);
        spawn_grid(&mut harness, sphere(n_triangles));
        harness.settle();
        harness
    });
    let mut rng = Rng::new(1);
    let mut times: [[Vec<Duration>; 2]; 2] = Default::default();
    let (mut n_frames, mut n_hits) = (0, 0);
    let started = Instant::now();
    while started.elapsed() < BUDGET && n_frames < 2000 {
        // Within the grid.
        let positions: Vec<Vec2> =
            (0..TURN).map(|_| SIZE * (0.5 + 0.5 * rng.vec3(Vec3::splat(0.6)).truncate())).collect();
        let frames = [0, 1]
            .map(|k| positions.iter().map(|&p| frame(&mut harnesses[k], p)).collect::<Vec<_>>());
        for (built_in, hitscan) in frames[0].iter().zip(&frames[1]) {
            assert_eq!(built_in.hits, hitscan.hits, "the backends disagree");
            n_hits += hitscan.hits.len();
        }
        for (k, frames) in frames.iter().enumerate() {
            times[k][0].extend(frames.iter().map(|frame| frame.systems));
            times[k][1].extend(frames.iter().map(|frame| frame.whole));
        }
        n_frames += TURN;
    }
    println!(
        "{N_ENTITIES} entities of {n_triangles} triangles, {n_frames} frames, {:.1} hits a frame",
        n_hits as f64 / n_frames as f64
    );
    println!(
        "| backend | systems, median µs | 95 % µs | whole frame, median µs |\n|---|---|---|---|"
    );
    let mut medians = [0.0; 2];
    for (k, name) in ["built-in", "hitscan"].iter().enumerate() {
        medians[k] = quantile(&mut times[k][0], 0.5);
        let high = quantile(&mut times[k][0], 0.95);
        let whole = quantile(&mut times[k][1], 0.5);
        println!("| {name} | {:.1} | {high:.1} | {whole:.1} |", medians[k]);
    }
    println!("ratio of the medians: {:.0}\n", medians[0] / medians[1]);
}

/// The frames from the one in which a mesh is added to the one after its tree is ready.
fn add(n_triangles: usize) {
    println!("adding a mesh of {n_triangles} triangles:");
    for backend in BOTH {
        let mut harness = app(backend);
        spawn_grid(&mut harness, sphere(1000));
        harness.settle();
        let mut usual: Vec<Duration> =
            (0..200).map(|_| frame(&mut harness, 0.5 * SIZE).whole).collect();
        let usual = quantile(&mut usual, 0.5);
        let mesh = harness.add_mesh(sphere(n_triangles));
        let at = Transform::from_xyz(0.0, 0.0, 5.0);
        harness.app.world_mut().spawn((Mesh3d(mesh), at, Tag(N_ENTITIES)));
        let started = Instant::now();
        let mut frames = vec![frame(&mut harness, 0.5 * SIZE)];
        let mut follow = vec![harness.app.world().resource::<Times>().follow];
        while harness.n_pending() > 0 || frames.len() < 20 {
            // The rest of a frame at 60 Hz.
            std::thread::sleep(Duration::from_millis(15));
            frames.push(frame(&mut harness, 0.5 * SIZE));
            follow.push(harness.app.world().resource::<Times>().follow);
        }
        let micros = |time: Duration| time.as_secs_f64() * 1e6;
        let first = micros(frames[0].whole);
        let worst = frames[1..].iter().map(|frame| frame.whole).max().unwrap();
        println!(
            "{backend:?}: usual frame {usual:.0} µs, frame of the mesh {first:.0} µs, worst later \
             frame {:.0} µs; longest update of the trees {:.0} µs; ready after {} frames, {:.2} s",
            micros(worst),
            micros(*follow.iter().max().unwrap()),
            frames.len(),
            started.elapsed().as_secs_f64()
        );
    }
}

fn main() {
    let sizes: Vec<usize> = std::env::args().filter_map(|size| size.parse().ok()).collect();
    let sizes = if sizes.is_empty() { vec![70_000, 1_000_000] } else { sizes };
    for &size in &sizes {
        hover(size);
    }
    add(*sizes.last().expect("there is a size"));
}
