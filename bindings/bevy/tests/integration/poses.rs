//! Skinned and morphed meshes are hit in their current pose.

use bevy_asset::{Assets, RenderAssetUsages};
use bevy_camera::visibility::NoFrustumCulling;
use bevy_ecs::{prelude::*, system::SystemState};
use bevy_math::{Dir3, Mat4, Quat, Ray3d, Vec2, Vec3};
use bevy_mesh::{
    Indices, Mesh, Mesh3d, PrimitiveTopology, VertexAttributeValues,
    morph::{MeshMorphWeights, MorphAttributes, MorphWeights},
    skinning::{SkinnedMesh, SkinnedMeshInverseBindposes},
};
use bevy_picking::mesh_picking::ray_cast::{MeshRayCastSettings, RayCastVisibility};
use bevy_transform::components::Transform;
use hitscan_bevy::{
    HitscanHit, HitscanRayCast, HitscanScene, SceneFilter,
    hitscan::{Faces, Ray, TriMesh, brute_force, picking::SelectOptions},
};

use crate::harness::{Backend, Harness, Rng, Tag, from_front};

const SIDES: usize = 12;
const RINGS: usize = 9;

/// A tube of radius 0.2 from y = 0 to y = 2, and its triangles.
fn tube() -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let (mut positions, mut triangles) = (vec![], vec![]);
    for ring in 0..RINGS {
        for side in 0..SIDES {
            let angle = side as f32 / SIDES as f32 * std::f32::consts::TAU;
            let y = 2.0 * ring as f32 / (RINGS - 1) as f32;
            positions.push(Vec3::new(0.2 * angle.cos(), y, -0.2 * angle.sin()));
            if ring > 0 {
                let at = |ring: usize, side: usize| (ring * SIDES + side % SIDES) as u32;
                let [a, b] = [at(ring - 1, side), at(ring - 1, side + 1)];
                let [c, d] = [at(ring, side), at(ring, side + 1)];
                triangles.extend([[a, b, d], [a, d, c]]);
            }
        }
    }
    (positions, triangles)
}

fn mesh(positions: &[Vec3], triangles: &[[u32; 3]]) -> Mesh {
    let positions: Vec<[f32; 3]> = positions.iter().map(|p| p.to_array()).collect();
    Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::default())
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, positions)
        .with_inserted_indices(Indices::U32(triangles.concat()))
}

/// The weight of the upper joint at a height.
fn upper_weight(y: f32) -> f32 {
    (1.5 * y - 1.0).clamp(0.0, 1.0)
}

fn skinned_tube() -> Mesh {
    let (positions, triangles) = tube();
    let weights: Vec<[f32; 4]> =
        positions.iter().map(|p| [1.0 - upper_weight(p.y), upper_weight(p.y), 0.0, 0.0]).collect();
    let joints = VertexAttributeValues::Uint16x4(vec![[0, 1, 0, 0]; positions.len()]);
    mesh(&positions, &triangles)
        .with_inserted_attribute(Mesh::ATTRIBUTE_JOINT_INDEX, joints)
        .with_inserted_attribute(Mesh::ATTRIBUTE_JOINT_WEIGHT, weights)
}

/// A tube whose upper half bends at y = 1 by the second joint.
struct Character {
    entity: Entity,
    joints: [Entity; 2],
}

fn spawn_character(harness: &mut Harness, at: Vec3) -> Character {
    let tube = harness.add_mesh(skinned_tube());
    let world = harness.app.world_mut();
    let inverse_bindposes = world
        .resource_mut::<Assets<SkinnedMeshInverseBindposes>>()
        .add(vec![Mat4::IDENTITY, Mat4::from_translation(-Vec3::Y)]);
    let lower = world.spawn(Transform::from_translation(at)).id();
    let upper = world.spawn((Transform::from_translation(Vec3::Y), ChildOf(lower))).id();
    let joints = vec![lower, upper];
    // Bevy ignores the transform of a skinned entity.
    let ignored = Transform::from_xyz(3.0, -50.0, 8.0);
    let skin = SkinnedMesh { inverse_bindposes, joints };
    let entity = world.spawn((Mesh3d(tube), skin, ignored, NoFrustumCulling, Tag(0))).id();
    Character { entity, joints: [lower, upper] }
}

fn bend(harness: &mut Harness, character: &Character, angle: f32) {
    let mut joint = harness.app.world_mut().entity_mut(character.joints[1]);
    joint.get_mut::<Transform>().unwrap().rotation = Quat::from_rotation_z(angle);
    harness.frame();
}

fn cast(harness: &mut Harness, ray: Ray3d) -> Option<HitscanHit> {
    let world = harness.app.world_mut();
    let mut state = SystemState::<HitscanRayCast<'_, '_>>::new(world);
    let settings = MeshRayCastSettings::default().with_visibility(RayCastVisibility::Any);
    state.get_mut(world).unwrap().cast(ray, &settings).first().cloned()
}

fn forward(x: f32, y: f32) -> Ray3d {
    Ray3d::new(Vec3::new(x, y, 10.0), Dir3::NEG_Z)
}

#[test]
fn a_bent_character_is_hit_where_it_is_drawn() {
    let mut harness = Harness::new(Backend::Hitscan);
    let character = spawn_character(&mut harness, Vec3::ZERO);
    harness.settle();
    let hit = cast(&mut harness, forward(0.0, 1.8)).unwrap();
    assert_eq!((hit.entity, hit.is_front), (character.entity, true));
    assert!((hit.point.z - 0.2).abs() < 1e-5 && hit.normal.z > 0.9);

    bend(&mut harness, &character, std::f32::consts::FRAC_PI_2);
    assert_eq!(cast(&mut harness, forward(0.0, 1.8)), None);
    let hit = cast(&mut harness, forward(-0.8, 1.0)).unwrap();
    assert!((hit.point.z - 0.2).abs() < 1e-5, "{hit:?}");
    // The pointer finds it as well.
    harness.spawn_camera(from_front(10.0), 0, None);
    harness.frame();
    assert_eq!(harness.hits_at(Vec2::new(400.0 - 58.0, 300.0 - 72.0)), [0]);
    assert_eq!(harness.hits_at(Vec2::new(400.0, 300.0 - 130.0)), []);
}

/// The posed positions, computed without hitscan's skinning.
fn bent(angle: f32, at: Vec3) -> Vec<Vec3> {
    let turn = Mat4::from_translation(Vec3::Y)
        * Mat4::from_rotation_z(angle)
        * Mat4::from_translation(-Vec3::Y);
    tube().0.into_iter().map(|p| at + p.lerp(turn.transform_point3(p), upper_weight(p.y))).collect()
}

#[test]
fn rays_at_many_poses_agree_with_brute_force_over_the_posed_triangles() {
    let mut harness = Harness::new(Backend::Hitscan);
    let at = Vec3::new(20.0, 5.0, 0.0);
    let character = spawn_character(&mut harness, at);
    harness.settle();
    let mut rng = Rng::new(3);
    let (mut n_hits, mut n_misses) = (0, 0);
    for step in 0..30 {
        let angle = 0.2 * step as f32 - 3.0;
        bend(&mut harness, &character, angle);
        let posed = bent(angle, at);
        let positions = posed.iter().map(|p| p.to_array());
        let expected = TriMesh::new(positions, tube().1).unwrap();
        for _ in 0..40 {
            let target = posed[rng.below(posed.len())] + rng.vec3(Vec3::splat(0.3));
            let origin = at + 6.0 * rng.vec3(Vec3::ONE).normalize() + Vec3::Y;
            let ray = Ray3d::new(origin, Dir3::new(target - origin).unwrap());
            let local = Ray::new(origin.to_array(), ray.direction.to_array());
            let nearest = brute_force::closest_hit(&expected, &local, Faces::Front);
            let hit = cast(&mut harness, ray);
            assert_eq!(
                hit.as_ref().and_then(|hit| hit.triangle),
                nearest.map(|hit| hit.triangle),
                "angle {angle}, {ray:?}"
            );
            match (hit, nearest) {
                (Some(hit), Some(nearest)) => {
                    n_hits += 1;
                    assert!((hit.distance - nearest.t).abs() < 1e-4);
                }
                _ => n_misses += 1,
            }
        }
    }
    assert!(n_hits > 300 && n_misses > 200, "{n_hits} hits, {n_misses} misses");
}

#[test]
fn far_from_the_origin_a_pose_keeps_its_precision() {
    let mut harness = Harness::new(Backend::Hitscan);
    // Bevy's own matrices are exact here.
    let at = Vec3::new(1_048_576.0, 0.0, 0.0);
    let character = spawn_character(&mut harness, at);
    harness.settle();
    bend(&mut harness, &character, std::f32::consts::FRAC_PI_2);
    let hit = cast(&mut harness, forward(at.x - 0.75, 1.0)).unwrap();
    assert!((hit.point.z - 0.2).abs() < 1e-5, "{hit:?}");
    assert_eq!(cast(&mut harness, forward(at.x, 1.8)), None);
}

fn morphed_tube(harness: &mut Harness) -> bevy_asset::Handle<Mesh> {
    let (positions, triangles) = tube();
    let target = |by: fn(&Vec3) -> Vec3| {
        positions
            .iter()
            .map(move |p| MorphAttributes::new(by(p), Vec3::ZERO, Vec3::ZERO))
            .collect::<Vec<_>>()
    };
    // The first target leans, the second one moves everything.
    let targets = [target(|p| p.y * Vec3::X), target(|_| 4.0 * Vec3::NEG_X)];
    let mut mesh = mesh(&positions, &triangles);
    mesh.set_morph_targets(targets.concat());
    harness.add_mesh(mesh)
}

#[test]
fn morph_weights_move_the_mesh_that_rays_hit() {
    let mut harness = Harness::new(Backend::Hitscan);
    let handle = morphed_tube(&mut harness);
    let world = harness.app.world_mut();
    let weights = MeshMorphWeights::Value { weights: vec![0.0, 0.0] };
    let own = world.spawn((Mesh3d(handle.clone()), weights, Transform::IDENTITY)).id();
    let source = world.spawn(MorphWeights::new(vec![0.0, 0.0], None).unwrap()).id();
    let shared = world
        .spawn((
            Mesh3d(handle),
            MeshMorphWeights::Reference(source),
            Transform::from_xyz(0.0, 10.0, 0.0),
        ))
        .id();
    harness.settle();
    let entity = |harness: &mut Harness, x, y| cast(harness, forward(x, y)).map(|hit| hit.entity);
    assert_eq!(entity(&mut harness, 0.0, 1.5), Some(own));
    assert_eq!(entity(&mut harness, 0.0, 11.5), Some(shared));

    let world = harness.app.world_mut();
    *world.get_mut(own).unwrap() = MeshMorphWeights::Value { weights: vec![1.0, 0.0] };
    world.get_mut::<MorphWeights>(source).unwrap().weights_mut()[1] = 0.5;
    harness.frame();
    assert_eq!(entity(&mut harness, 0.0, 1.5), None);
    assert_eq!(entity(&mut harness, 1.5, 1.5), Some(own));
    assert_eq!(entity(&mut harness, 0.0, 11.5), None);
    assert_eq!(entity(&mut harness, -2.0, 11.5), Some(shared));

    // Without the component, the mesh is at rest again.
    harness.app.world_mut().entity_mut(own).remove::<MeshMorphWeights>();
    harness.frame();
    assert_eq!(entity(&mut harness, 0.0, 1.5), Some(own));
}

#[test]
fn an_entity_with_joints_and_weights_follows_each_of_them_alone() {
    let mut harness = Harness::new(Backend::Hitscan);
    let (positions, _) = tube();
    let lean = |p: &Vec3| MorphAttributes::new(p.y * Vec3::X, Vec3::ZERO, Vec3::ZERO);
    let mut mesh = skinned_tube();
    mesh.set_morph_targets(positions.iter().map(lean).collect());
    let character = spawn_character(&mut harness, Vec3::ZERO);
    let mesh = harness.add_mesh(mesh);
    let source = harness.app.world_mut().spawn(MorphWeights::new(vec![0.0], None).unwrap()).id();
    let weights = MeshMorphWeights::Reference(source);
    harness.app.world_mut().entity_mut(character.entity).insert((Mesh3d(mesh), weights));
    harness.settle();
    let hits = |harness: &mut Harness, x, y| cast(harness, forward(x, y)).is_some();
    // Frames without a change, before each one.
    let rest = |harness: &mut Harness| (0..2).for_each(|_| harness.frame());
    rest(&mut harness);
    assert!(hits(&mut harness, 0.0, 1.8) && !hits(&mut harness, 1.8, 1.8));
    let world = harness.app.world_mut();
    world.get_mut::<MorphWeights>(source).unwrap().weights_mut()[0] = 1.0;
    rest(&mut harness);
    assert!(!hits(&mut harness, 0.0, 1.8) && hits(&mut harness, 1.8, 1.8));
    harness.app.world_mut().entity_mut(character.entity).remove::<MeshMorphWeights>();
    rest(&mut harness);
    assert!(hits(&mut harness, 0.0, 1.8) && !hits(&mut harness, 1.8, 1.8));
    bend(&mut harness, &character, std::f32::consts::FRAC_PI_2);
    rest(&mut harness);
    assert!(!hits(&mut harness, 0.0, 1.8) && hits(&mut harness, -0.8, 1.0));
    let world = harness.app.world_mut();
    let bind_poses = world.get::<SkinnedMesh>(character.entity).unwrap().inverse_bindposes.clone();
    let lower = Mat4::from_translation(2.0 * Vec3::NEG_Y);
    *world.resource_mut::<Assets<SkinnedMeshInverseBindposes>>().get_mut(&bind_poses).unwrap() =
        vec![Mat4::IDENTITY, lower].into();
    rest(&mut harness);
    assert!(!hits(&mut harness, -0.8, 1.0), "the bind poses changed");
    harness.app.world_mut().entity_mut(character.joints[1]).despawn();
    rest(&mut harness);
    assert!(!hits(&mut harness, -0.8, 1.0), "a joint is missing");
}

#[test]
fn a_missing_joint_leaves_the_mesh_at_rest() {
    let mut harness = Harness::new(Backend::Hitscan);
    let character = spawn_character(&mut harness, Vec3::ZERO);
    let world = harness.app.world_mut();
    *world.get_mut::<Transform>(character.entity).unwrap() = Transform::from_xyz(7.0, 0.0, 0.0);
    world.entity_mut(character.joints[1]).despawn();
    harness.settle();
    let hit = cast(&mut harness, forward(7.0, 1.8));
    assert_eq!(hit.map(|hit| hit.entity), Some(character.entity));
}

#[test]
fn a_marquee_selects_by_the_pose() {
    let mut harness = Harness::new(Backend::Hitscan);
    let character = spawn_character(&mut harness, Vec3::ZERO);
    let camera = harness.spawn_camera(from_front(10.0), 0, None);
    harness.settle();
    let select = |harness: &mut Harness| {
        let world = harness.app.world_mut();
        let mut state = SystemState::<HitscanScene<'_, '_>>::new(world);
        let scene = state.get_mut(world).unwrap();
        // About x from -1.2 to -0.5 at the height of the bend.
        let (corner, opposite) = (Vec2::new(315.0, 210.0), Vec2::new(365.0, 250.0));
        let (options, filter) = (SelectOptions::default(), SceneFilter::default());
        let selected = scene.marquee(camera, corner, opposite, &options, &filter);
        selected.iter().map(|selected| selected.entity).collect::<Vec<_>>()
    };
    assert_eq!(select(&mut harness), []);
    bend(&mut harness, &character, std::f32::consts::FRAC_PI_2);
    assert_eq!(select(&mut harness), [character.entity]);
}

/// `SystemState::get` takes parameters that only read.
#[test]
fn threads_cast_and_select_side_by_side_and_share_each_pose() {
    let mut harness = Harness::new(Backend::Hitscan);
    let characters = [0.0, 3.0].map(|x| spawn_character(&mut harness, x * Vec3::X));
    let camera = harness.spawn_camera(from_front(10.0), 0, None);
    harness.settle();
    for angle in [0.5, 1.5] {
        bend(&mut harness, &characters[0], angle);
        let world = harness.app.world_mut();
        let mut state = SystemState::<HitscanScene<'_, '_>>::new(world);
        let scene = state.get(world).unwrap();
        let cast_all = || {
            let filter = SceneFilter::default();
            let rays = (0..400).map(|i| forward(0.01 * i as f32 - 1.0, 1.5));
            let hits: Vec<_> = rays.map(|ray| scene.closest(ray, &filter)).collect();
            let options = SelectOptions::default();
            let (min, max) = (Vec2::new(300.0, 200.0), Vec2::new(500.0, 400.0));
            (hits, scene.marquee(camera, min, max, &options, &filter))
        };
        let [a, b] = std::thread::scope(|scope| {
            let threads = [scope.spawn(cast_all), scope.spawn(cast_all)];
            threads.map(|thread| thread.join().unwrap())
        });
        assert!(a.0.iter().flatten().count() > 10 && !a.1.is_empty());
        assert_eq!(a, b);
        assert_eq!(a, cast_all());
        assert_eq!(scene.snapshot().len(), 2);
    }
}
