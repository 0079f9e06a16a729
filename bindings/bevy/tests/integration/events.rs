//! The events of the built-in backend, one by one.

use bevy_asset::{Assets, Handle};
use bevy_camera::{
    primitives::{Aabb, MeshAabb},
    visibility::{RenderLayers, Visibility},
};
use bevy_ecs::prelude::*;
use bevy_math::{
    UVec2, Vec2, Vec3,
    primitives::{Capsule3d, Cuboid, Plane3d, Sphere, Torus},
};
use bevy_mesh::{Mesh, Mesh2d, Mesh3d, Meshable};
use bevy_picking::{
    Pickable,
    mesh_picking::ray_cast::{RayCastBackfaces, SimplifiedMesh},
    pointer::{PointerAction, PointerButton, PointerId},
};
use bevy_transform::components::Transform;
use hitscan_bevy::HitscanHit;

use crate::harness::{BOTH, Backend, Harness, Record, Rng, SIZE, Tag, from_front};

const N_INSTANCES: usize = 1000;

/// A thousand instances of seven meshes, with all the components that picking reads.
fn spawn_instances(harness: &mut Harness) {
    let meshes: Vec<Handle<Mesh>> = [
        Mesh::from(Cuboid::new(1.0, 0.7, 0.4)),
        Sphere::new(0.6).mesh().uv(24, 16),
        Sphere::new(0.5).mesh().ico(4).unwrap(),
        Mesh::from(Torus::new(0.3, 0.7)),
        Mesh::from(Capsule3d::new(0.3, 0.8)),
        Mesh::from(Plane3d::default().mesh().size(1.0, 1.0)),
        // Flat normals, no index list.
        Mesh::from(Cuboid::new(0.8, 0.8, 0.8)).with_duplicated_vertices(),
    ]
    .into_iter()
    .map(|mesh| harness.add_mesh(mesh))
    .collect();
    // Within the boxes of the meshes that it stands for.
    let simplified = harness.add_mesh(Cuboid::new(0.3, 0.2, 0.1));
    let bounds: Vec<Aabb> = {
        let assets = harness.app.world().resource::<Assets<Mesh>>();
        meshes.iter().map(|mesh| assets.get(mesh).unwrap().compute_aabb().unwrap()).collect()
    };
    let mut rng = Rng::new(7);
    let world = harness.app.world_mut();
    let mut parent = None;
    for tag in 0..N_INSTANCES {
        let kind = rng.below(meshes.len());
        let mesh = meshes[kind].clone();
        let mut transform = Transform::from_translation(rng.vec3(Vec3::new(9.0, 7.0, 5.0)))
            .with_rotation(rng.rotation())
            .with_scale(Vec3::splat(rng.between(0.5, 1.5)));
        if tag % 11 == 0 {
            transform.scale.x = -transform.scale.x;
        }
        let mut entity = world.spawn((transform, Tag(tag)));
        match tag % 20 {
            // Bevy's sprites compute the boxes of 2D meshes, without which the built-in backend is blind.
            0 => entity.insert((Mesh2d(mesh), bounds[kind])),
            1 => entity.insert((Mesh3d(mesh), SimplifiedMesh(simplified.clone()))),
            _ => entity.insert(Mesh3d(mesh)),
        };
        match tag % 13 {
            0 => drop(entity.insert(Pickable::IGNORE)),
            1 => drop(entity.insert(Pickable::default())),
            2 => drop(entity.insert(Pickable { should_block_lower: false, is_hoverable: true })),
            3 => drop(entity.insert(Pickable { should_block_lower: true, is_hoverable: false })),
            4 => drop(entity.insert(RayCastBackfaces)),
            5 => drop(entity.insert(Visibility::Hidden)),
            6 => drop(entity.insert(RenderLayers::layer(1))),
            7 => drop(entity.insert(RenderLayers::from_layers(&[1, 40]))),
            8 => drop(entity.insert(RenderLayers::from_layers(&[0, 40]))),
            _ => {}
        }
        let id = entity.id();
        match parent {
            // Children of an instance follow its visibility and transform.
            Some(parent) if tag % 17 == 1 => drop(world.entity_mut(id).insert(ChildOf(parent))),
            _ => parent = Some(id),
        }
    }
}

fn spawn_scene(harness: &mut Harness) {
    spawn_instances(harness);
    harness.spawn_camera(from_front(16.0), 0, None);
    let layers = RenderLayers::from_layers(&[1, 40]);
    let second = harness.spawn_camera(
        Transform::from_xyz(14.0, 3.0, 2.0).looking_at(Vec3::ZERO, Vec3::Y),
        1,
        Some((UVec2::new(500, 50), UVec2::new(280, 250))),
    );
    harness.app.world_mut().entity_mut(second).insert(layers);
    harness.app.world_mut().spawn(PointerId::Touch(3));
}

/// Two pointers wander over the window, press, drag and release, while entities move, hide and despawn.
fn wander(harness: &mut Harness, n_frames: usize) {
    let mut rng = Rng::new(11);
    for frame in 0..n_frames {
        for pointer in [PointerId::Mouse, PointerId::Touch(3)] {
            let position = Vec2::new(rng.unit() * SIZE.x, rng.unit() * SIZE.y);
            harness.input(pointer, position, PointerAction::Move { delta: Vec2::ONE });
            let action = match rng.below(4) {
                0 => PointerAction::Press(PointerButton::Primary),
                1 => PointerAction::Release(PointerButton::Primary),
                _ => continue,
            };
            harness.input(pointer, position, action);
        }
        if frame % 3 == 2 {
            edit(harness, &mut rng);
        }
        harness.frame();
    }
}

fn edit(harness: &mut Harness, rng: &mut Rng) {
    let tag = rng.below(N_INSTANCES);
    let (kind, offset) = (rng.below(5), rng.vec3(Vec3::ONE));
    let world = harness.app.world_mut();
    let mut tags = world.query::<(Entity, &Tag)>();
    let Some((entity, _)) = tags.iter(world).find(|(_, found)| found.0 == tag) else { return };
    let mut entity = world.entity_mut(entity);
    match kind {
        0 => entity.get_mut::<Transform>().unwrap().translation += offset,
        1 => drop(entity.insert(Visibility::Hidden)),
        2 => drop(entity.insert(Visibility::Visible)),
        3 => drop(entity.remove::<(Pickable, RenderLayers)>()),
        _ => entity.despawn(),
    }
}

/// Compares two logs. Returns the number of records of each kind.
fn compare(built_in: &[Record], hitscan: &[Record], n_frames: usize) -> Vec<(&'static str, usize)> {
    for (expected, found) in built_in.iter().zip(hitscan) {
        assert_eq!(expected.key(), found.key(), "\nexpected {expected:?}\nfound {found:?}");
        let (Some(a), Some(b)) = (&expected.hit, &found.hit) else {
            assert_eq!(expected.hit, found.hit);
            continue;
        };
        let near = |a: f32, b: f32| (a - b).abs() <= 2e-4 * (1.0 + a.abs());
        assert!(near(a.depth, b.depth), "depth: {expected:?} {found:?}");
        let (p, q) = (a.position.unwrap(), b.position.unwrap());
        assert!(p.distance(q) < 2e-3, "position: {expected:?} {found:?}");
        let (m, n) = (a.normal.unwrap().normalize(), b.normal.unwrap());
        assert!((n.length() - 1.0).abs() < 1e-4, "{found:?}");
        // Mirrored normals of the built-in backend are right, because rotation and mirror are rigid.
        assert!(m.dot(n) > 0.999, "normal: {expected:?} {found:?}");
        let extra: &HitscanHit = b.extra_as().expect("every hit carries its details");
        assert_eq!((extra.point, extra.normal, extra.distance), (q, n, b.depth));
        assert!(extra.triangle.is_some() && extra.uv.is_some() && extra.corners.is_some());
    }
    assert_eq!(built_in.len(), hitscan.len());
    assert!(built_in.iter().all(|record| record.frame <= n_frames));
    let mut kinds: Vec<(&str, usize)> = vec![];
    for record in built_in {
        match kinds.iter_mut().find(|(kind, _)| *kind == record.kind) {
            Some((_, count)) => *count += 1,
            None => kinds.push((record.kind, 1)),
        }
    }
    kinds
}

fn logs(n_frames: usize, settles: bool) -> [Vec<Record>; 2] {
    BOTH.map(|backend| {
        let mut harness = Harness::new(backend);
        spawn_scene(&mut harness);
        if settles {
            harness.settle();
        }
        wander(&mut harness, n_frames);
        if backend == Backend::Hitscan {
            assert_eq!(harness.n_pending(), 0);
        }
        harness.take_log()
    })
}

#[test]
fn a_thousand_instances_give_the_events_of_the_built_in_backend() {
    let n_frames = 400;
    let [built_in, hitscan] = logs(n_frames, true);
    let kinds = compare(&built_in, &hitscan, n_frames);
    let count = |kind| kinds.iter().find(|(found, _)| *found == kind).map_or(0, |(_, n)| *n);
    for (kind, at_least) in [
        ("hit", 1000),
        ("Over", 400),
        ("Out", 400),
        ("Move", 300),
        ("Press", 50),
        ("Release", 50),
        ("Click", 5),
        ("DragStart", 20),
        ("Drag", 20),
        ("DragEnd", 20),
    ] {
        assert!(count(kind) >= at_least, "{kind}: {kinds:?}");
    }
    let cameras: Vec<_> = built_in.iter().filter_map(|record| record.camera).collect();
    assert!(cameras.contains(&Tag(1_000_001)) && cameras.contains(&Tag(1_000_002)));
}

#[test]
fn the_events_are_the_same_while_trees_are_built() {
    let n_frames = 30;
    let [built_in, hitscan] = logs(n_frames, false);
    assert!(built_in.len() > 100);
    compare(&built_in, &hitscan, n_frames);
}
