//! Meshes that change in every frame, beside others.

use std::time::{Duration, Instant};

use bevy_asset::{Assets, Handle};
use bevy_ecs::prelude::*;
use bevy_math::{Vec2, Vec3, primitives::Sphere};
use bevy_mesh::{Mesh, Mesh3d, Meshable, VertexAttributeValues};
use bevy_transform::components::Transform;
use hitscan_bevy::{HitscanEdits, HitscanSettings, HitscanWorld};

use crate::harness::{Backend, Harness, Tag, from_front};

/// A frame copies the least, so that a mesh of a few thousand triangles is a large one.
fn with_small_copies() -> Harness {
    let mut harness = Harness::new(Backend::Hitscan);
    harness.app.world_mut().resource_mut::<HitscanSettings>().copied_bytes_per_frame = 0;
    harness.spawn_camera(from_front(10.0), 0, None);
    harness
}

fn spawn(harness: &mut Harness, mesh: &Handle<Mesh>, tag: usize, at: Vec3) -> Entity {
    let transform = Transform::from_translation(at);
    harness.app.world_mut().spawn((Mesh3d(mesh.clone()), transform, Tag(tag))).id()
}

fn sphere(stacks: u32) -> Mesh {
    Sphere::new(1.0).mesh().uv(2 * stacks, stacks)
}

/// Marks a mesh as changed.
fn touch(harness: &mut Harness, mesh: &Handle<Mesh>) {
    let mut meshes = harness.app.world_mut().resource_mut::<Assets<Mesh>>();
    meshes.get_mut(mesh).unwrap().into_inner();
}

/// Runs frames, each after a change, until a condition holds. Returns whether it ever did.
fn until(
    harness: &mut Harness,
    mut change: impl FnMut(&mut Harness),
    holds: impl Fn(&HitscanWorld) -> bool,
) -> bool {
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(5) {
        change(harness);
        harness.frame();
        if holds(harness.app.world().resource::<HitscanWorld>()) {
            return true;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    false
}

#[test]
fn a_large_mesh_that_changes_in_every_frame_keeps_no_other_tree_from_being_built() {
    let mut harness = with_small_copies();
    let large = harness.add_mesh(sphere(48));
    spawn(&mut harness, &large, 0, 3.0 * Vec3::X);
    harness.frame();
    touch(&mut harness, &large);
    harness.frame();
    let small = harness.add_mesh(sphere(4));
    spawn(&mut harness, &small, 1, Vec3::ZERO);
    let is_ready = |world: &HitscanWorld| world.is_ready(&small);
    assert!(until(&mut harness, |harness| touch(harness, &large), is_ready), "the small one waits");
    assert_eq!(harness.hits_at(Vec2::new(400.0, 300.0)), [1]);
}

#[test]
fn a_frame_starts_no_more_trees_than_the_settings_allow() {
    for (limit, n_least) in [(2, 5), (0, 9), (usize::MAX, 1)] {
        let mut harness = Harness::new(Backend::Hitscan);
        harness.app.world_mut().resource_mut::<HitscanSettings>().trees_per_frame = limit;
        let meshes: Vec<_> = (0..9).map(|_| harness.add_mesh(sphere(4))).collect();
        meshes
            .iter()
            .enumerate()
            .for_each(|(i, mesh)| _ = spawn(&mut harness, mesh, i, Vec3::ZERO));
        harness.frame();
        let mut n_frames = 0;
        while harness.n_pending() > 0 {
            n_frames += 1;
            std::thread::sleep(Duration::from_millis(5));
            harness.frame();
        }
        // A tree that a frame starts is ready in the next one, or later.
        assert!(n_frames >= n_least, "limit {limit}: {n_frames} frames");
        assert!(limit < 9 || n_frames < 9, "no limit: {n_frames} frames");
    }
}

#[test]
fn a_mesh_that_changes_in_every_frame_gets_a_tree_itself() {
    let mut harness = with_small_copies();
    let large = harness.add_mesh(sphere(24));
    let entity = spawn(&mut harness, &large, 0, Vec3::ZERO);
    let change = |harness: &mut Harness| touch(harness, &large);
    let has_tree = |world: &HitscanWorld| world.instance(entity).is_some();
    assert!(until(&mut harness, change, has_tree), "no tree of any content");
    harness.settle();
    assert!(harness.app.world().resource::<HitscanWorld>().is_ready(&large));
}

#[test]
fn a_mesh_whose_size_changes_in_every_frame_gets_a_tree_itself() {
    let mut harness = with_small_copies();
    let large = harness.add_mesh(sphere(24));
    let entity = spawn(&mut harness, &large, 0, Vec3::ZERO);
    let mut stacks = 24;
    let change = |harness: &mut Harness| {
        stacks = if stacks == 24 { 22 } else { 24 };
        let mut meshes = harness.app.world_mut().resource_mut::<Assets<Mesh>>();
        *meshes.get_mut(&large).unwrap() = sphere(stacks);
    };
    assert!(until(&mut harness, change, |world| world.instance(entity).is_some()));
    harness.settle();
    let scene = harness.app.world().resource::<HitscanWorld>().snapshot();
    let (_, instance) = scene.iter().next().unwrap();
    let n_triangles = instance.mesh.as_ref().unwrap().tri_mesh().triangles().len();
    let expected = harness.app.world().resource::<Assets<Mesh>>().get(&large).unwrap();
    assert_eq!(n_triangles, expected.indices().unwrap().len() / 3);
}

#[test]
fn colours_and_texture_coordinates_change_no_tree_and_a_refit_changes_no_instance() {
    let mut harness = with_small_copies();
    let mesh = harness.add_mesh(sphere(8));
    let entities = [0, 1].map(|i| spawn(&mut harness, &mesh, i, i as f32 * Vec3::X));
    harness.settle();
    let state = |harness: &Harness| {
        let world = harness.app.world().resource::<HitscanWorld>();
        let ids = entities.map(|entity| world.instance(entity).unwrap());
        (ids, world.snapshot().get(ids[0]).unwrap().mesh.clone().unwrap())
    };
    let (ids, tree) = state(&harness);
    let edit = |harness: &mut Harness, edit: &dyn Fn(&mut Mesh)| {
        let mut meshes = harness.app.world_mut().resource_mut::<Assets<Mesh>>();
        edit(&mut meshes.get_mut(&mesh).unwrap());
        harness.settle();
    };
    edit(&mut harness, &|mesh| {
        let n = mesh.count_vertices();
        mesh.insert_attribute(Mesh::ATTRIBUTE_COLOR, vec![[1.0, 0.5, 0.0, 1.0]; n]);
        mesh.insert_attribute(Mesh::ATTRIBUTE_UV_0, vec![[0.25, 0.5]; n]);
    });
    let (same_ids, same_tree) = state(&harness);
    assert_eq!(same_ids, ids);
    assert!(std::sync::Arc::ptr_eq(&same_tree, &tree), "a refit without a cause");
    edit(&mut harness, &|mesh| {
        let positions = mesh.attribute_mut(Mesh::ATTRIBUTE_POSITION).unwrap();
        let VertexAttributeValues::Float32x3(positions) = positions else { panic!("positions") };
        positions.iter_mut().for_each(|p| p[1] += 0.5);
    });
    let (same_ids, other_tree) = state(&harness);
    assert_eq!(same_ids, ids);
    assert!(!std::sync::Arc::ptr_eq(&other_tree, &tree));
}

#[test]
fn reported_vertices_move_the_tree_in_the_frame_of_the_change_and_an_unreported_change_later() {
    let mut harness = with_small_copies();
    harness.app.world_mut().resource_mut::<HitscanSettings>().scan_limit = 0;
    let mesh = harness.add_mesh(sphere(24));
    let entities = [0, 1].map(|i| spawn(&mut harness, &mesh, i, 3.0 * i as f32 * Vec3::X));
    let trees = |harness: &Harness| {
        let scene = harness.app.world().resource::<HitscanWorld>().snapshot();
        scene.iter().map(|(_, instance)| instance.mesh.clone().unwrap()).collect::<Vec<_>>()
    };
    let pull = |harness: &mut Harness, vertex: usize, reports: bool| {
        let world = harness.app.world_mut();
        let mut meshes = world.resource_mut::<Assets<Mesh>>();
        let mut content = meshes.get_mut(&mesh).unwrap();
        let positions = content.attribute_mut(Mesh::ATTRIBUTE_POSITION).unwrap();
        let VertexAttributeValues::Float32x3(positions) = positions else { panic!("positions") };
        positions[vertex] = positions[vertex].map(|x| 1.1 * x);
        drop(content);
        if reports {
            world.resource_mut::<HitscanEdits>().moved_vertices(&mesh, [vertex as u32]);
        }
        harness.frame();
    };
    let shows_content = |harness: &Harness| {
        let content = harness.app.world().resource::<Assets<Mesh>>().get(&mesh).unwrap();
        let expected = content.attribute(Mesh::ATTRIBUTE_POSITION).unwrap().as_float3().unwrap();
        trees(harness).iter().all(|tree| {
            let positions = tree.tri_mesh().positions().iter().map(|p| p.to_array());
            positions.eq(expected.iter().copied()) && tree.bvh().validate(tree.tri_mesh()).is_ok()
        })
    };
    // During the first copy and the first build, jobs take the moves in.
    for vertex in 0..40 {
        pull(&mut harness, 10 * vertex, true);
    }
    harness.settle();
    assert!(shows_content(&harness));
    let ids = |harness: &Harness| {
        entities.map(|entity| harness.app.world().resource::<HitscanWorld>().instance(entity))
    };
    let before = ids(&harness);
    for vertex in 100..130 {
        pull(&mut harness, vertex, true);
        assert_eq!(harness.n_pending(), 0);
        assert!(shows_content(&harness), "vertex {vertex}");
        let trees = trees(&harness);
        assert!(std::sync::Arc::ptr_eq(&trees[0], &trees[1]));
    }
    assert_eq!(ids(&harness), before);
    pull(&mut harness, 200, false);
    assert_eq!(harness.n_pending(), 1);
    harness.settle();
    assert!(shows_content(&harness));
    // A report that cannot be true gets a new tree.
    harness.app.world_mut().resource_mut::<HitscanEdits>().moved_vertices(&mesh, [1 << 30]);
    pull(&mut harness, 201, true);
    assert_eq!(harness.n_pending(), 1);
    harness.settle();
    assert!(shows_content(&harness));
}
