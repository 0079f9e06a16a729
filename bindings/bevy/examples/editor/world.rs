//! The world to edit: thousands of instances on a floor, and a skinned character.

use std::f32::consts::TAU;

use bevy_asset::{Assets, Handle, RenderAssetUsages};
use bevy_camera::visibility::NoFrustumCulling;
use bevy_ecs::prelude::*;
use bevy_math::{
    Mat4, Quat, Vec3,
    primitives::{Cuboid, Plane3d, Sphere, Torus},
};
use bevy_mesh::{
    Indices, Mesh, Mesh3d, Meshable, PrimitiveTopology, VertexAttributeValues,
    skinning::{SkinnedMesh, SkinnedMeshInverseBindposes},
};
use bevy_transform::components::Transform;
use hitscan_bevy::HitscanPolygons;

/// The number of instances on the floor.
pub(crate) const N_INSTANCES: usize = 3000;

/// An object that the user selects and drags.
#[derive(Component, Clone, Copy, Debug)]
pub(crate) struct Movable {
    /// The entity whose transform moves: the object, or the root joint of a character.
    pub(crate) root: Entity,
    /// The distance of its origin from a surface below.
    pub(crate) height: f32,
}

/// The kind of an object, for its colour in a window.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    Floor,
    Object(usize),
    Character,
}

/// The joint that bends the character.
#[derive(Component, Clone, Copy, Debug)]
pub(crate) struct Waist;

/// Spawns the world without cameras and lights.
pub(crate) fn spawn(world: &mut World) {
    let floor = add(world, Mesh::from(Plane3d::default().mesh().size(140.0, 140.0)));
    world.spawn((Mesh3d(floor), Transform::IDENTITY, Look::Floor));
    let cube = add(world, Mesh::from(Cuboid::new(1.0, 1.0, 1.0)));
    // Quads stay quads: picks of faces and edges skip their diagonals.
    world.resource_mut::<HitscanPolygons>().insert(&cube, [2; 6]);
    let sphere = add(world, Sphere::new(0.5).mesh().uv(32, 18));
    let torus = add(world, Mesh::from(Torus { minor_radius: 0.18, major_radius: 0.42 }));
    let meshes = [(cube, 0.5), (sphere, 0.5), (torus, 0.18)];
    for i in 0..N_INSTANCES {
        let kind = i % meshes.len();
        let (mesh, height) = meshes[kind].clone();
        let transform = Transform::from_translation(place(i) + height * Vec3::Y)
            .with_rotation(Quat::from_rotation_y(0.7 * i as f32));
        let id = world.spawn((Mesh3d(mesh), transform, Look::Object(kind))).id();
        world.entity_mut(id).insert(Movable { root: id, height });
    }
    spawn_character(world, Vec3::new(0.0, 0.0, 6.0));
}

/// The place of an instance: the seeds of a sunflower (Vogel, "A better way to construct the sunflower
/// head", 1979).
pub(crate) fn place(i: usize) -> Vec3 {
    let radius = 1.15 * (i as f32 + 12.0).sqrt();
    let angle = i as f32 * (3.0 - 5f32.sqrt()) * 0.5 * TAU;
    Vec3::new(radius * angle.cos(), 0.0, radius * angle.sin())
}

fn add(world: &mut World, mesh: Mesh) -> Handle<Mesh> {
    world.resource_mut::<Assets<Mesh>>().add(mesh)
}

/// A column that bends at its waist.
fn spawn_character(world: &mut World, at: Vec3) {
    let mesh = add(world, column());
    let inverse_bindposes = world
        .resource_mut::<Assets<SkinnedMeshInverseBindposes>>()
        .add(vec![Mat4::IDENTITY, Mat4::from_translation(-1.5 * Vec3::Y)]);
    let root = world.spawn(Transform::from_translation(at)).id();
    let waist =
        world.spawn((Transform::from_translation(1.5 * Vec3::Y), ChildOf(root), Waist)).id();
    let skin = SkinnedMesh { inverse_bindposes, joints: vec![root, waist] };
    world.spawn((
        Mesh3d(mesh),
        skin,
        Transform::IDENTITY,
        NoFrustumCulling,
        Look::Character,
        Movable { root, height: 0.0 },
    ));
}

/// A tapered column of height 3 whose upper half follows the second joint.
fn column() -> Mesh {
    const SIDES: usize = 24;
    const RINGS: usize = 25;
    let (mut positions, mut normals, mut weights) = (vec![], vec![], vec![]);
    let mut indices = vec![];
    for ring in 0..RINGS {
        let share = ring as f32 / (RINGS - 1) as f32;
        let radius = 0.55 * (1.0 - share * share) + 0.12;
        let upper = (4.0 * share - 1.5).clamp(0.0, 1.0);
        for side in 0..SIDES {
            let angle = side as f32 / SIDES as f32 * TAU;
            let outward = Vec3::new(angle.cos(), 0.0, -angle.sin());
            positions.push((radius * outward + 3.0 * share * Vec3::Y).to_array());
            normals.push(outward.to_array());
            weights.push([1.0 - upper, upper, 0.0, 0.0]);
            if ring > 0 {
                let at = |ring: usize, side: usize| (ring * SIDES + side % SIDES) as u32;
                let [a, b] = [at(ring - 1, side), at(ring - 1, side + 1)];
                let [c, d] = [at(ring, side), at(ring, side + 1)];
                indices.extend([a, b, d, a, d, c]);
            }
        }
    }
    let joints = VertexAttributeValues::Uint16x4(vec![[0, 1, 0, 0]; positions.len()]);
    Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::default())
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, positions)
        .with_inserted_attribute(Mesh::ATTRIBUTE_NORMAL, normals)
        .with_inserted_attribute(Mesh::ATTRIBUTE_JOINT_INDEX, joints)
        .with_inserted_attribute(Mesh::ATTRIBUTE_JOINT_WEIGHT, weights)
        .with_inserted_indices(Indices::U32(indices))
}

/// Bends the character. The angle is in radians.
pub(crate) fn bend(waists: &mut Query<&mut Transform, With<Waist>>, angle: f32) {
    for mut transform in waists {
        transform.rotation = Quat::from_rotation_z(angle);
    }
}
