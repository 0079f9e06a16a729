//! Trees follow their assets.

use std::{sync::Arc, time::Duration};

use bevy_asset::{Assets, Handle, RenderAssetUsages};
use bevy_ecs::{prelude::*, system::SystemState};
use bevy_math::{
    Dir3, Ray3d, Vec2, Vec3,
    primitives::{Cuboid, Sphere},
};
use bevy_mesh::{Indices, Mesh, Mesh3d, Meshable, PrimitiveTopology, VertexAttributeValues};
use bevy_transform::components::Transform;
use hitscan_bevy::{
    HitscanHit, HitscanPolygons, HitscanScene, HitscanSettings, HitscanWorld, SceneFilter,
    hitscan::scene,
};

use crate::harness::{BOTH, Backend, Harness, Rng, Tag, from_front};

const CENTER: Vec2 = Vec2::new(400.0, 300.0);
/// The image of x = 2 at z = 0, from 10 units away.
const RIGHT: Vec2 = Vec2::new(545.0, 300.0);

fn spawn(harness: &mut Harness, mesh: &Handle<Mesh>, tag: usize, at: Vec3) -> Entity {
    let transform = Transform::from_translation(at);
    harness.app.world_mut().spawn((Mesh3d(mesh.clone()), transform, Tag(tag))).id()
}

fn closest(harness: &mut Harness, ray: Ray3d) -> Option<HitscanHit> {
    let world = harness.app.world_mut();
    let mut state = SystemState::<HitscanScene<'_, '_>>::new(world);
    state.get_mut(world).unwrap().closest(ray, &SceneFilter::default())
}

fn down_at(x: f32) -> Ray3d {
    Ray3d::new(Vec3::new(x, 0.1, 10.0), Dir3::NEG_Z)
}

fn translate(mesh: &mut Mesh, by: Vec3) {
    map_positions(mesh, |p| p + by);
}

fn map_positions(mesh: &mut Mesh, mut map: impl FnMut(Vec3) -> Vec3) {
    let positions = mesh.attribute_mut(Mesh::ATTRIBUTE_POSITION).unwrap();
    let VertexAttributeValues::Float32x3(positions) = positions else { panic!("positions") };
    for position in positions {
        *position = map(Vec3::from_array(*position)).to_array();
    }
}

fn edit_positions(harness: &mut Harness, mesh: &Handle<Mesh>, map: impl FnMut(Vec3) -> Vec3) {
    let mut meshes = harness.app.world_mut().resource_mut::<Assets<Mesh>>();
    map_positions(&mut meshes.get_mut(mesh).unwrap(), map);
}

/// The tree of the first instance.
fn tree(harness: &Harness) -> Arc<scene::Mesh> {
    let scene = harness.app.world().resource::<HitscanWorld>().snapshot();
    scene.iter().next().unwrap().1.mesh.clone().unwrap()
}

/// A new tree of the same triangles.
fn rebuilt(tree: &scene::Mesh) -> scene::Mesh {
    scene::Mesh::new(tree.tri_mesh().clone(), &HitscanSettings::default().build)
}

#[test]
fn entities_may_come_before_their_mesh() {
    for backend in BOTH {
        let mut harness = Harness::new(backend);
        harness.spawn_camera(from_front(10.0), 0, None);
        let handle = harness.app.world().resource::<Assets<Mesh>>().reserve_handle();
        spawn(&mut harness, &handle, 0, Vec3::ZERO);
        harness.settle();
        assert_eq!(harness.hits_at(CENTER), []);
        let mesh = Mesh::from(Cuboid::new(1.0, 1.0, 1.0));
        let mut meshes = harness.app.world_mut().resource_mut::<Assets<Mesh>>();
        meshes.insert(&handle, mesh).unwrap();
        harness.settle();
        assert_eq!(harness.hits_at(CENTER), [0]);
    }
}

#[test]
fn moved_vertices_and_new_triangles_are_hit_at_once_and_after_the_tree() {
    for backend in BOTH {
        let mut harness = Harness::new(backend);
        harness.spawn_camera(from_front(10.0), 0, None);
        let mesh = harness.add_mesh(Cuboid::new(1.0, 1.0, 1.0));
        spawn(&mut harness, &mesh, 0, Vec3::ZERO);
        harness.settle();
        assert_eq!((harness.hits_at(CENTER), harness.hits_at(RIGHT)), (vec![0], vec![]));

        let mut meshes = harness.app.world_mut().resource_mut::<Assets<Mesh>>();
        translate(&mut meshes.get_mut(&mesh).unwrap(), 2.0 * Vec3::X);
        harness.frame();
        for _ in 0..2 {
            assert_eq!((harness.hits_at(CENTER), harness.hits_at(RIGHT)), (vec![], vec![0]));
            harness.settle();
        }
        let mut meshes = harness.app.world_mut().resource_mut::<Assets<Mesh>>();
        *meshes.get_mut(&mesh).unwrap() = Sphere::new(0.5).mesh().uv(12, 8);
        harness.frame();
        for _ in 0..2 {
            assert_eq!((harness.hits_at(CENTER), harness.hits_at(RIGHT)), (vec![0], vec![]));
            harness.settle();
        }
    }
}

#[test]
fn a_mesh_that_changes_every_frame_is_hit_where_it_is() {
    let mut harness = Harness::new(Backend::Hitscan);
    let mesh = harness.add_mesh(Cuboid::new(1.0, 1.0, 1.0));
    spawn(&mut harness, &mesh, 0, Vec3::ZERO);
    harness.settle();
    for step in 1..40 {
        let mut meshes = harness.app.world_mut().resource_mut::<Assets<Mesh>>();
        translate(&mut meshes.get_mut(&mesh).unwrap(), Vec3::X);
        harness.frame();
        assert_eq!(closest(&mut harness, down_at(step as f32)).map(|hit| hit.point.z), Some(0.5));
        assert_eq!(closest(&mut harness, down_at(step as f32 - 1.0)), None);
    }
}

#[test]
fn trees_are_shared_refitted_and_removed() {
    let mut harness = Harness::new(Backend::Hitscan);
    let mesh = harness.add_mesh(Sphere::new(0.5).mesh().uv(32, 16));
    for tag in 0..100 {
        spawn(&mut harness, &mesh, tag, Vec3::new(tag as f32, 0.0, 0.0));
    }
    harness.settle();
    let world = harness.app.world();
    assert!(world.resource::<HitscanWorld>().is_ready(&mesh));
    let scene = world.resource::<HitscanWorld>().snapshot();
    let first = tree(&harness);
    assert_eq!(scene.len(), 100);
    assert!(scene.iter().all(|(_, instance)| Arc::ptr_eq(instance.mesh.as_ref().unwrap(), &first)));

    // A refit keeps the shape of the tree, where a build would choose another one.
    edit_positions(&mut harness, &mesh, |p| Vec3::new(1.6 * p.x, p.y + 1.0, p.z));
    harness.frame();
    assert!(!harness.app.world().resource::<HitscanWorld>().is_ready(&mesh));
    harness.settle();
    let shape = |tree: &scene::Mesh| tree.bvh().leaf_depths();
    let refitted = tree(&harness);
    assert_eq!(shape(&refitted), shape(&first));
    assert_ne!(shape(&rebuilt(&refitted)), shape(&first));
    assert!(refitted.bvh().bounds().min.y > 0.4);
    // A refit would make a slow tree of vertices that change places.
    let mut rng = Rng::new(2);
    edit_positions(&mut harness, &mesh, |_| rng.vec3(Vec3::ONE));
    harness.settle();
    let scrambled = tree(&harness);
    assert_ne!(shape(&scrambled), shape(&first));
    assert_eq!(shape(&scrambled), shape(&rebuilt(&scrambled)));

    harness.app.world_mut().resource_mut::<Assets<Mesh>>().remove(&mesh);
    harness.frame();
    let world = harness.app.world().resource::<HitscanWorld>();
    assert!(world.snapshot().is_empty() && !world.is_ready(&mesh));
}

#[test]
fn despawned_entities_and_other_meshes() {
    for backend in BOTH {
        let mut harness = Harness::new(backend);
        harness.spawn_camera(from_front(10.0), 0, None);
        let small = harness.add_mesh(Cuboid::new(1.0, 1.0, 1.0));
        let wide = harness.add_mesh(Cuboid::new(5.0, 1.0, 1.0));
        let a = spawn(&mut harness, &small, 0, Vec3::ZERO);
        let b = spawn(&mut harness, &small, 1, Vec3::ZERO);
        harness.settle();
        assert_eq!(harness.hits_at(CENTER), [0, 1]);
        harness.app.world_mut().entity_mut(a).despawn();
        // Between the despawn and the next update of the mirror.
        assert_eq!(harness.hits_at(CENTER), [1]);
        harness.app.world_mut().entity_mut(b).insert(Mesh3d(wide.clone()));
        harness.frame();
        assert_eq!(harness.hits_at(RIGHT), [1]);
        harness.app.world_mut().entity_mut(b).remove::<Mesh3d>();
        harness.frame();
        assert_eq!(harness.hits_at(CENTER), []);
        if backend == Backend::Hitscan {
            assert!(harness.app.world().resource::<HitscanWorld>().snapshot().is_empty());
        }
    }
}

#[test]
fn a_large_mesh_answers_by_its_box_until_its_tree_is_ready() {
    let mut harness = Harness::new(Backend::Hitscan);
    // The smallest pieces, so that the copy takes many frames.
    *harness.app.world_mut().resource_mut::<HitscanSettings>() =
        HitscanSettings { scan_limit: 100, copied_bytes_per_frame: 0, ..Default::default() };
    let mesh = harness.add_mesh(Sphere::new(1.0).mesh().uv(64, 64));
    let entity = spawn(&mut harness, &mesh, 0, Vec3::ZERO);
    harness.frame();
    harness.frame();
    let corner = Ray3d::new(Vec3::new(0.9, 0.9, 10.0), Dir3::NEG_Z);
    let hit = closest(&mut harness, corner).unwrap();
    assert_eq!((hit.entity, hit.triangle), (entity, None));
    assert!((hit.point - Vec3::new(0.9, 0.9, 1.0)).length() < 1e-5);
    let mut n_frames = 2;
    while harness.n_pending() > 0 {
        harness.frame();
        n_frames += 1;
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(n_frames > 10, "{n_frames}");
    assert_eq!(closest(&mut harness, corner), None);
    let hit = closest(&mut harness, down_at(0.0)).unwrap();
    assert!(hit.triangle.is_some() && hit.point.z > 0.9);
}

#[test]
fn strips_are_hit_and_singular_transforms_are_not() {
    let mut harness = Harness::new(Backend::Hitscan);
    let positions = vec![[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [-1.0, 1.0, 0.0], [1.0, 1.0, 0.0]];
    let strip = Mesh::new(PrimitiveTopology::TriangleStrip, RenderAssetUsages::default())
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, positions)
        .with_inserted_indices(Indices::U16(vec![0, 1, 2, 3]));
    let strip = harness.add_mesh(strip);
    let entity = spawn(&mut harness, &strip, 0, Vec3::ZERO);
    harness.settle();
    let at = |x: f32, y: f32| Ray3d::new(Vec3::new(x, y, 5.0), Dir3::NEG_Z);
    let hit = closest(&mut harness, at(-0.5, -0.5)).unwrap();
    assert_eq!((hit.triangle, hit.is_front, hit.normal), (Some(0), true, Vec3::Z));
    let hit = closest(&mut harness, at(0.5, 0.5)).unwrap();
    assert_eq!((hit.triangle, hit.is_front, hit.normal), (Some(1), true, Vec3::Z));

    let set_scale = |harness: &mut Harness, scale| {
        harness.app.world_mut().get_mut::<Transform>(entity).unwrap().scale = scale;
        harness.frame();
        closest(harness, at(0.5, 0.5)).map(|hit| hit.point.z)
    };
    assert_eq!(set_scale(&mut harness, Vec3::ZERO), None);
    assert_eq!(set_scale(&mut harness, Vec3::splat(2.0)), Some(0.0));
}

#[test]
fn normals_are_right_under_uneven_scale_and_hits_carry_uv_and_polygon() {
    let mut harness = Harness::new(Backend::Hitscan);
    let mesh = harness.add_mesh(Cuboid::new(1.0, 1.0, 1.0));
    harness.app.world_mut().resource_mut::<HitscanPolygons>().insert(&mesh, [2; 6]);
    let entity = spawn(&mut harness, &mesh, 0, Vec3::ZERO);
    let transform = Transform::from_rotation(bevy_math::Quat::from_rotation_y(0.5))
        .with_scale(Vec3::new(3.0, 1.0, 1.0));
    harness.app.world_mut().entity_mut(entity).insert(transform);
    harness.settle();
    let hit = closest(&mut harness, down_at(0.3)).unwrap();
    let expected = transform.rotation * Vec3::Z;
    assert!(hit.normal.distance(expected) < 1e-6, "{hit:?}");
    // The first face of a cuboid is the one at +z, and its texture runs over the whole face.
    assert_eq!((hit.polygon, hit.triangle.map(|t| t / 2)), (Some(0), Some(0)));
    let local = transform.to_matrix().inverse().transform_point3(hit.point);
    let uv = hit.uv.unwrap();
    assert!((uv - (local.truncate() + 0.5)).length() < 1e-5, "{uv} {local}");
    let [a, b, c] = hit.corners.unwrap();
    let weights = hit.barycentric;
    assert!((weights.x * a + weights.y * b + weights.z * c).distance(hit.point) < 1e-5);

    // An ellipsoid, whose normals are not those of the sphere, stretched.
    let sphere = harness.add_mesh(Sphere::new(1.0).mesh().uv(64, 32));
    let entity = spawn(&mut harness, &sphere, 1, 5.0 * Vec3::X);
    let scale = Vec3::new(2.0, 1.0, 1.0);
    harness.app.world_mut().get_mut::<Transform>(entity).unwrap().scale = scale;
    harness.settle();
    let hit = closest(&mut harness, down_at(6.0)).unwrap();
    let expected = ((hit.point - 5.0 * Vec3::X) / (scale * scale)).normalize();
    assert!(hit.normal.distance(expected) < 1e-2, "{hit:?} {expected}");
}
