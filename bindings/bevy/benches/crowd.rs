//! The time of a frame in a crowd: 20,000 entities that all move, 100 skinned characters that all bend, one pointer,
//! and queries that miss the characters, hit one, or select in an empty corner.
//!
//! `cargo bench --bench crowd`

use std::{
    f32::consts::TAU,
    time::{Duration, Instant},
};

use bevy_asset::{Assets, RenderAssetUsages};
use bevy_camera::visibility::NoFrustumCulling;
use bevy_ecs::{prelude::*, system::SystemState};
use bevy_math::{Dir3, Mat4, Quat, Ray3d, Vec2, Vec3, primitives::Sphere};
use bevy_mesh::{
    Indices, Mesh, Mesh3d, Meshable, PrimitiveTopology, VertexAttributeValues,
    skinning::{SkinnedMesh, SkinnedMeshInverseBindposes},
};
use bevy_transform::components::Transform;
use hitscan_bevy::{HitscanScene, SceneFilter, hitscan::picking::SelectOptions};

use clocked::{Times, quantile};
use harness::{BOTH, Backend, Harness, SIZE, Tag, from_front};

mod clocked;
#[path = "../tests/integration/harness.rs"]
#[allow(dead_code, reason = "the tests use all of it")]
mod harness;

const N_MOVED: usize = 20_000;
const N_CHARACTERS: usize = 100;
const N_JOINTS: usize = 32;
const SIDES: usize = 40;
const RINGS: usize = 128;
const N_FRAMES: usize = 300;

/// The things of a crowd that change in each frame.
#[derive(Clone, Copy, Debug)]
struct Changes {
    moves: bool,
    bends: bool,
}

/// A tube from y = 0 to y = 3 with a row of joints.
fn tube() -> Mesh {
    let (mut positions, mut joints, mut weights, mut indices) = (vec![], vec![], vec![], vec![]);
    for ring in 0..RINGS {
        let share = ring as f32 / (RINGS - 1) as f32;
        let along = share * (N_JOINTS - 1) as f32;
        let joint = (along as u16).min(N_JOINTS as u16 - 2);
        let upper = along - f32::from(joint);
        for side in 0..SIDES {
            let angle = side as f32 / SIDES as f32 * TAU;
            positions.push([0.3 * angle.cos(), 3.0 * share, -0.3 * angle.sin()]);
            joints.push([joint, joint + 1, 0, 0]);
            weights.push([1.0 - upper, upper, 0.0, 0.0]);
            if ring > 0 {
                let at = |ring: usize, side: usize| (ring * SIDES + side % SIDES) as u32;
                let [a, b] = [at(ring - 1, side), at(ring - 1, side + 1)];
                let [c, d] = [at(ring, side), at(ring, side + 1)];
                indices.extend([a, b, d, a, d, c]);
            }
        }
    }
    Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::default())
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, positions)
        .with_inserted_attribute(
            Mesh::ATTRIBUTE_JOINT_INDEX,
            VertexAttributeValues::Uint16x4(joints),
        )
        .with_inserted_attribute(Mesh::ATTRIBUTE_JOINT_WEIGHT, weights)
        .with_inserted_indices(Indices::U32(indices))
}

/// The place of a moved entity in a frame: each ball goes round in a circle, in a block behind the characters.
fn place(i: usize, frame: usize) -> Vec3 {
    let [x, y, z] = [i % 20, i / 20 % 25, i / 500].map(|k| k as f32);
    let (sin, cos) = (0.1 * frame as f32 + i as f32).sin_cos();
    Vec3::new(3.0 * (x - 9.5) + cos, 3.0 * (y - 12.0) + sin, -3.0 * z - 20.0)
}

struct Crowd {
    harness: Harness,
    camera: Entity,
    balls: Vec<Entity>,
    joints: Vec<Entity>,
    frame: usize,
}

impl Crowd {
    fn new(backend: Backend) -> Self {
        let mut harness = clocked::app(backend);
        harness.app.world_mut().resource_mut::<Times>().counts_processor =
            backend == Backend::Hitscan;
        let camera = harness.spawn_camera(from_front(40.0), 0, None);
        let meshes: Vec<_> =
            (10..30).map(|n| harness.add_mesh(Sphere::new(1.0).mesh().uv(2 * n, n))).collect();
        let world = harness.app.world_mut();
        let spawn = |i: usize| {
            let mesh = Mesh3d(meshes[i % meshes.len()].clone());
            world.spawn((mesh, Transform::from_translation(place(i, 0)), Tag(i))).id()
        };
        let balls = (0..N_MOVED).map(spawn).collect();
        let tube = harness.add_mesh(tube());
        let world = harness.app.world_mut();
        let step = 3.0 / (N_JOINTS - 1) as f32;
        let inverse = |k: usize| Mat4::from_translation(-(k as f32 * step) * Vec3::Y);
        let inverse_bindposes = world
            .resource_mut::<Assets<SkinnedMeshInverseBindposes>>()
            .add((0..N_JOINTS).map(inverse).collect::<Vec<_>>());
        let mut bent = vec![];
        for i in 0..N_CHARACTERS {
            let at = Vec3::new(2.0 * (i % 10) as f32 - 9.0, 4.0 * (i / 10) as f32 - 20.0, 0.0);
            let mut joints = vec![world.spawn(Transform::from_translation(at)).id()];
            for _ in 1..N_JOINTS {
                let parent = joints[joints.len() - 1];
                let joint = (Transform::from_translation(step * Vec3::Y), ChildOf(parent));
                joints.push(world.spawn(joint).id());
            }
            bent.extend_from_slice(&joints[1..]);
            let skin = SkinnedMesh { inverse_bindposes: inverse_bindposes.clone(), joints };
            let tag = Tag(N_MOVED + i);
            world.spawn((Mesh3d(tube.clone()), skin, Transform::IDENTITY, NoFrustumCulling, tag));
        }
        harness.settle();
        Self { harness, camera, balls, joints: bent, frame: 0 }
    }

    /// Changes the world and runs a frame, with the pointer over the crowd.
    fn run_frame(&mut self, changes: Changes) -> Times {
        self.frame += 1;
        let world = self.harness.app.world_mut();
        if changes.moves {
            for (i, &ball) in self.balls.iter().enumerate() {
                world.get_mut::<Transform>(ball).unwrap().translation = place(i, self.frame);
            }
        }
        if changes.bends {
            let bend = Quat::from_rotation_z(0.02 * (0.1 * self.frame as f32).sin());
            for &joint in &self.joints {
                world.get_mut::<Transform>(joint).unwrap().rotation = bend;
            }
        }
        let sway = Vec2::new((0.7 * self.frame as f32).sin(), (0.9 * self.frame as f32).cos());
        self.harness.hover(0.5 * SIZE + 0.3 * SIZE * sway);
        self.harness.take_log();
        *self.harness.app.world().resource::<Times>()
    }

    /// The times of queries in the frame: a ray beside the characters, one at a character, again, and a marquee of
    /// 2 x 2 pixels in a corner without any.
    fn query(&mut self) -> [Duration; 4] {
        let camera = self.camera;
        let world = self.harness.app.world_mut();
        let mut state = SystemState::<HitscanScene<'_, '_>>::new(world);
        let scene = state.get_mut(world).unwrap();
        let filter = SceneFilter::default();
        let ray = |x: f32, y: f32| Ray3d::new(Vec3::new(x, y, 30.0), Dir3::NEG_Z);
        let timed = |ray: Ray3d, hits: bool| {
            let started = Instant::now();
            let hit = scene.closest(ray, &filter);
            let time = started.elapsed();
            assert_eq!(hit.is_some_and(|hit| hit.point.z > -1.0), hits, "{ray:?}");
            time
        };
        let target = ray(-9.0, -19.8);
        let rays = [timed(ray(0.0, 23.0), false), timed(target, true), timed(target, true)];
        let started = Instant::now();
        let options = SelectOptions::default();
        let found = scene.marquee(camera, Vec2::splat(1.0), Vec2::splat(3.0), &options, &filter);
        let marquee = started.elapsed();
        assert!(found.is_empty());
        [rays[0], rays[1], rays[2], marquee]
    }
}

fn measure(crowds: &mut [Crowd; 2], changes: Changes) {
    let mut times: [[Vec<Duration>; 2]; 2] = Default::default();
    let mut queries: [Vec<Duration>; 4] = Default::default();
    let mut processor = 0.0;
    for _ in 0..N_FRAMES {
        for (crowd, times) in crowds.iter_mut().zip(&mut times) {
            let Times { pick, follow, follow_processor, .. } = crowd.run_frame(changes);
            processor += follow_processor / N_FRAMES as f64;
            times[0].push(pick);
            times[1].push(follow);
        }
        queries.iter_mut().zip(crowds[1].query()).for_each(|(times, time)| times.push(time));
    }
    println!("{changes:?}, median and 95 % in µs of {N_FRAMES} frames:");
    println!("| | median | 95 % |\n|---|--:|--:|");
    let row = |name: &str, times: &mut Vec<Duration>| {
        println!("| {name} | {:.1} | {:.1} |", quantile(times, 0.5), quantile(times, 0.95));
    };
    let [built_in, [pick, follow]] = &mut times;
    row("built-in backend: the pointer", &mut built_in[0]);
    row("hitscan: the pointer", pick);
    row("hitscan: following the world", follow);
    println!("| the same in processor time, mean | {:.1} | |", processor * 1e6);
    let names = [
        "a ray beside the characters",
        "a ray at a character",
        "the same ray again",
        "a marquee of 2 x 2 pixels in an empty corner",
    ];
    names.iter().zip(&mut queries).for_each(|(name, times)| row(name, times));
    println!();
}

fn main() {
    println!(
        "{N_MOVED} balls, {N_CHARACTERS} characters of {} triangles and {N_JOINTS} joints\n",
        2 * SIDES * (RINGS - 1)
    );
    let mut crowds = BOTH.map(Crowd::new);
    for changes in [
        Changes { moves: false, bends: false },
        Changes { moves: true, bends: false },
        Changes { moves: false, bends: true },
        Changes { moves: true, bends: true },
    ] {
        measure(&mut crowds, changes);
    }
}
