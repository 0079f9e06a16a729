//! The time of a frame: one pointer over a thousand entities, by both backends in turn, and the frames in
//! which a large mesh is added.
//!
//! `cargo bench --bench frame`, or `cargo bench --bench frame -- 20000` for spheres of another size.

use std::time::{Duration, Instant};

use bevy_math::{Vec2, Vec3, primitives::Sphere};
use bevy_mesh::{Mesh, Mesh3d, Meshable};
use bevy_transform::components::Transform;

use clocked::{Times, quantile};
use harness::{BOTH, Backend, Harness, Rng, SIZE, Tag, from_front};

mod clocked;
#[path = "../tests/integration/harness.rs"]
#[allow(dead_code, reason = "the tests use all of it")]
mod harness;

const N_ENTITIES: usize = 1000;
/// Frames of each backend before the other one's turn.
const TURN: usize = 10;
/// The built-in backend takes milliseconds or seconds a frame.
const BUDGET: Duration = Duration::from_secs(10);

/// A sphere of about `n_triangles`, in which no two triangles are alike to a tree.
fn sphere(n_triangles: usize) -> Mesh {
    let stacks = ((n_triangles as f64 / 4.0).sqrt()) as u32;
    Sphere::new(1.0).mesh().uv(2 * stacks, stacks)
}

/// An app with a backend and a camera before the grid.
fn app(backend: Backend) -> Harness {
    let mut harness = clocked::app(backend);
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
    /// Of the backend's system that casts rays.
    pick: Duration,
    /// Of its system that follows the world.
    follow: Duration,
    hits: Vec<usize>,
}

fn frame(harness: &mut Harness, position: Vec2) -> Frame {
    harness.take_log();
    let started = Instant::now();
    harness.hover(position);
    let whole = started.elapsed();
    let times = harness.app.world().resource::<Times>();
    let Times { pick, follow, .. } = *times;
    let log = harness.take_log();
    let hits = log.iter().filter(|r| r.kind == "hit").map(|r| r.target.unwrap().0).collect();
    Frame { whole, pick, follow, hits }
}

/// The way of a pointer from frame to frame.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Motion {
    /// Straight on, as a hand moves a mouse, and back at the edges of the grid.
    Moves,
    /// To a random pixel of the grid. Every node and triangle comes from main memory.
    Jumps,
}

/// The pixels of a moving pointer in a frame.
const STEP: Vec2 = Vec2::new(7.0, 3.0);

/// A pointer within the grid.
struct Pointer {
    rng: Rng,
    position: Vec2,
    step: Vec2,
}

impl Pointer {
    fn next(&mut self, motion: Motion) -> Vec2 {
        let (center, half) = (0.5 * SIZE, 0.3 * SIZE);
        if motion == Motion::Jumps {
            return center + half * self.rng.vec3(Vec3::ONE).truncate();
        }
        self.position += self.step;
        let outside = (self.position - center).abs().cmpgt(half);
        self.step = Vec2::select(outside, -self.step, self.step);
        self.position
    }
}

fn hover(n_triangles: usize, motion: Motion) {
    let mut harnesses = BOTH.map(|backend| {
        let mut harness = app(backend);
        spawn_grid(&mut harness, sphere(n_triangles));
        harness.settle();
        harness
    });
    let mut pointer = Pointer { rng: Rng::new(1), position: 0.5 * SIZE, step: STEP };
    let mut times: [[Vec<Duration>; 4]; 2] = Default::default();
    let (mut n_frames, mut n_hits, mut n_unequal) = (0, 0, 0);
    let started = Instant::now();
    while started.elapsed() < BUDGET && n_frames < 2000 {
        let positions: Vec<Vec2> = (0..TURN).map(|_| pointer.next(motion)).collect();
        let frames = [0, 1]
            .map(|k| positions.iter().map(|&p| frame(&mut harnesses[k], p)).collect::<Vec<_>>());
        for (built_in, hitscan) in frames[0].iter().zip(&frames[1]) {
            n_unequal += usize::from(built_in.hits != hitscan.hits);
            n_hits += hitscan.hits.len();
        }
        for (k, frames) in frames.iter().enumerate() {
            for frame in frames {
                let both = frame.pick + frame.follow;
                let of_frame = [both, frame.pick, frame.follow, frame.whole];
                times[k].iter_mut().zip(of_frame).for_each(|(times, time)| times.push(time));
            }
        }
        n_frames += TURN;
    }
    // A ray of the built-in backend may slip through a shared edge.
    assert!(n_unequal * 100 <= n_frames, "the backends disagree in {n_unequal} frames");
    println!(
        "{N_ENTITIES} entities of {n_triangles} triangles, the pointer {motion:?}: {n_frames} frames, \
         {:.1} hits a frame, other hits in {n_unequal} frames",
        n_hits as f64 / n_frames as f64
    );
    println!("median µs of a frame:");
    println!("| backend | its systems | 95 % | rays | following | whole frame |");
    println!("|---|---|---|---|---|---|");
    let mut medians = [0.0; 2];
    for (name, (times, median)) in
        ["built-in", "hitscan"].iter().zip(times.iter_mut().zip(&mut medians))
    {
        let high = quantile(&mut times[0], 0.95);
        let [both, pick, follow, whole] = times.each_mut().map(|times| quantile(times, 0.5));
        println!("| {name} | {both:.1} | {high:.1} | {pick:.1} | {follow:.1} | {whole:.1} |");
        *median = both;
    }
    println!("ratio of the medians: {:.0}", medians[0] / medians[1]);
    let [_, hitscan] = &mut harnesses;
    let mut alone: Vec<Duration> = (0..2000)
        .map(|_| {
            let frame = frame(hitscan, pointer.next(motion));
            frame.pick + frame.follow
        })
        .collect();
    println!(
        "hitscan without the other in between, which empties the caches: {:.1}\n",
        quantile(&mut alone, 0.5)
    );
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
        while harness.n_pending() > 0 || frames.len() < 20 {
            // The rest of a frame at 60 Hz.
            std::thread::sleep(Duration::from_millis(15));
            frames.push(frame(&mut harness, 0.5 * SIZE));
        }
        let micros = |time: Duration| time.as_secs_f64() * 1e6;
        let first = micros(frames[0].whole);
        let worst = frames[1..].iter().map(|frame| frame.whole).max().unwrap();
        println!(
            "{backend:?}: usual frame {usual:.0} µs, frame of the mesh {first:.0} µs, worst later \
             frame {:.0} µs; longest update of the trees {:.0} µs; ready after {} frames, {:.2} s",
            micros(worst),
            micros(frames.iter().map(|frame| frame.follow).max().unwrap()),
            frames.len(),
            started.elapsed().as_secs_f64()
        );
    }
}

fn main() {
    let sizes: Vec<usize> = std::env::args().filter_map(|size| size.parse().ok()).collect();
    let sizes = if sizes.is_empty() { vec![70_000, 1_000_000] } else { sizes };
    for &size in &sizes {
        hover(size, Motion::Moves);
        hover(size, Motion::Jumps);
    }
    add(*sizes.last().expect("there is a size"));
}
