//! Orders of entities, and pointers over images.

use bevy_asset::Assets;
use bevy_camera::{ImageRenderTarget, NormalizedRenderTarget, RenderTarget};
use bevy_ecs::prelude::*;
use bevy_image::Image;
use bevy_math::{Vec2, Vec3, primitives::Cuboid};
use bevy_mesh::Mesh3d;
use bevy_picking::{
    Pickable,
    pointer::{Location, PointerAction, PointerId, PointerInput},
};
use bevy_transform::components::Transform;
use hitscan_bevy::{HitscanHit, HitscanPickOrder};

use crate::harness::{BOTH, Backend, Harness, IMAGE_SIZE, Tag, from_front};

const CENTER: Vec2 = Vec2::new(400.0, 300.0);

/// Cubes behind each other, tag 0 in front. Each blocks the ones behind.
fn spawn_row(harness: &mut Harness, n: usize) -> Vec<Entity> {
    let mesh = harness.add_mesh(Cuboid::new(1.0, 1.0, 1.0));
    let spawn = |tag: usize| {
        let at = Transform::from_xyz(0.0, 0.0, -2.0 * tag as f32);
        let cube = (Mesh3d(mesh.clone()), at, Tag(tag), Pickable::default());
        harness.app.world_mut().spawn(cube).id()
    };
    (0..n).map(spawn).collect()
}

/// The entity that an event `Over` of the mouse names, after it came from elsewhere.
fn over(harness: &mut Harness) -> Vec<Option<Tag>> {
    harness.hover(Vec2::ONE);
    harness.take_log();
    harness.hover(CENTER);
    let log = harness.take_log();
    log.iter().filter(|record| record.kind == "Over").map(|record| record.target).collect()
}

#[test]
fn a_pointer_prefers_a_higher_order_to_a_nearer_hit() {
    let mut harness = Harness::new(Backend::Hitscan);
    let cubes = spawn_row(&mut harness, 3);
    harness.spawn_camera(from_front(10.0), 2, None);
    harness.settle();
    assert_eq!(over(&mut harness), [Some(Tag(0))]);
    harness.app.world_mut().entity_mut(cubes[2]).insert(HitscanPickOrder(0.5));
    assert_eq!(over(&mut harness), [Some(Tag(2))]);
    harness.take_log();
    harness.hover(CENTER);
    let log = harness.take_log();
    let hits = log.iter().filter(|record| record.kind == "hit");
    let mut orders: Vec<_> = hits.map(|hit| (hit.target, hit.order)).collect();
    orders.sort_by_key(|(tag, _)| *tag);
    assert_eq!(orders, [(Some(Tag(0)), 2.0), (Some(Tag(2)), 2.5)]);
    // A lower one comes after everything else, and NaN changes nothing.
    let world = harness.app.world_mut();
    world.entity_mut(cubes[2]).insert(HitscanPickOrder(f32::NAN));
    world.entity_mut(cubes[0]).insert(HitscanPickOrder(-1.0));
    assert_eq!(over(&mut harness), [Some(Tag(1))]);
}

#[test]
fn a_pointer_over_an_image_hits_what_its_camera_draws() {
    for backend in BOTH {
        let mut harness = Harness::new(backend);
        spawn_row(&mut harness, 1);
        let mesh = harness.add_mesh(Cuboid::new(1.0, 1.0, 1.0));
        let world = harness.app.world_mut();
        world.spawn((Mesh3d(mesh), Transform::from_xyz(50.0, 0.0, 0.0), Tag(7)));
        world.init_resource::<Assets<Image>>();
        let image = world.resource_mut::<Assets<Image>>().add(Image::default());
        let target = ImageRenderTarget { handle: image, scale_factor: 1.0 };
        harness.spawn_camera(from_front(10.0), 0, None);
        let at = Transform::from_translation(Vec3::new(50.0, 0.0, 10.0));
        let camera = harness.spawn_camera(at, 1, None);
        let world = harness.app.world_mut();
        world.entity_mut(camera).insert(RenderTarget::Image(target.clone()));
        // Bevy's own way: the caller moves a pointer where the image is shown.
        let pointer = PointerId::Touch(9);
        world.spawn(pointer);
        harness.settle();
        harness.take_log();
        let location =
            Location { target: NormalizedRenderTarget::Image(target), position: 0.5 * IMAGE_SIZE };
        let action = PointerAction::Move { delta: Vec2::ONE };
        harness.app.world_mut().write_message(PointerInput::new(pointer, location, action));
        harness.hover(CENTER);
        let log = harness.take_log();
        let hits: Vec<_> = log.iter().filter(|record| record.kind == "hit").collect();
        let mut found: Vec<_> = hits.iter().map(|hit| (hit.target, hit.pointer)).collect();
        found.sort_by_key(|(tag, _)| *tag);
        let expected = [(Some(Tag(0)), PointerId::Mouse), (Some(Tag(7)), pointer)];
        assert_eq!(found, expected, "{backend:?}");
        if backend == Backend::Hitscan {
            let through = hits.iter().find(|hit| hit.target == Some(Tag(7))).unwrap();
            let hit = through.hit.as_ref().unwrap().extra_as::<HitscanHit>().unwrap();
            assert!((hit.point - Vec3::new(50.0, 0.0, 0.5)).length() < 1e-4, "{hit:?}");
        }
    }
}
