//! The entities that a query of an editor includes: layers, disabled ones, rules of the caller.

use bevy_camera::visibility::RenderLayers;
use bevy_ecs::{entity_disabling::Disabled, prelude::*, system::SystemState};
use bevy_math::{Vec2, Vec3};
use bevy_picking::{mesh_picking::ray_cast::RayCastBackfaces, pointer::PointerId};
use hitscan_bevy::{
    HitscanHit, HitscanPickFilter, HitscanScene, HitscanWorld, SceneFilter, box_region,
    hitscan::picking::{PickOptions, SelectOptions},
};

use crate::{
    harness::{Harness, Tag},
    queries::{CENTER, query, row},
};

fn marquee(harness: &mut Harness, camera: Entity, filter: &SceneFilter<'_>) -> Vec<Entity> {
    let (min, max) = (CENTER - 5.0, CENTER + 5.0);
    let options = SelectOptions::default();
    let found = query(harness, |scene| scene.marquee(camera, min, max, &options, filter));
    found.iter().map(|selected| selected.entity).collect()
}

fn within(harness: &mut Harness, filter: &SceneFilter<'_>) -> Vec<Entity> {
    let room = box_region(Vec3::new(-1.0, -1.0, -20.0), Vec3::new(1.0, 1.0, 1.0));
    query(harness, |scene| scene.within(&room, filter))
}

#[test]
fn layers_from_31_on_are_told_apart() {
    let (mut harness, camera, cubes) = row(4);
    let world = harness.app.world_mut();
    for (cube, layers) in cubes.iter().zip([&[31][..], &[32], &[200], &[5, 64]]) {
        world.entity_mut(*cube).insert(RenderLayers::from_layers(layers));
    }
    for (layers, expected) in
        [(&[31][..], &cubes[..1]), (&[32], &cubes[1..2]), (&[64, 200], &cubes[2..]), (&[33], &[])]
    {
        let layers = RenderLayers::from_layers(layers);
        harness.app.world_mut().entity_mut(camera).insert(layers.clone());
        harness.frame();
        assert_eq!(marquee(&mut harness, camera, &SceneFilter::default()), expected, "{layers:?}");
        let filter = SceneFilter { layers: Some(&layers), ..Default::default() };
        assert_eq!(within(&mut harness, &filter), expected, "{layers:?}");
    }
    let layers = RenderLayers::from_layers(&[5, 32]);
    let filter = SceneFilter { layers: Some(&layers), ..Default::default() };
    assert_eq!(within(&mut harness, &filter), [cubes[1], cubes[3]]);
    let pick = |scene: HitscanScene<'_, '_>| {
        scene.pick(camera, CENTER, &PickOptions::default(), &filter).map(|pick| pick.entity)
    };
    assert_eq!(query(&mut harness, pick), Some(cubes[1]));
}

#[test]
fn a_disabled_entity_is_no_ghost() {
    let (mut harness, camera, cubes) = row(2);
    harness.app.world_mut().entity_mut(cubes[0]).insert(Disabled);
    harness.frame();
    let filter = SceneFilter::default();
    assert_eq!(marquee(&mut harness, camera, &filter), cubes[1..]);
    assert_eq!(within(&mut harness, &filter), cubes[1..]);
    let closest = query(&mut harness, |scene| scene.closest_point(Vec3::Z, 9.0, &filter));
    assert_eq!(closest.map(|closest| closest.entity), Some(cubes[1]));
    harness.app.world_mut().entity_mut(cubes[0]).remove::<Disabled>();
    harness.frame();
    assert_eq!(marquee(&mut harness, camera, &filter), cubes);
}

#[test]
fn a_rule_of_the_caller_may_ask_the_world() {
    let (mut harness, camera, cubes) = row(3);
    let world = harness.app.world_mut();
    let mut state = SystemState::<(HitscanScene<'_, '_>, Res<'_, HitscanWorld>)>::new(world);
    let (scene, mirror) = state.get_mut(world).unwrap();
    let accept = |entity| entity != cubes[0] && mirror.instance(entity).is_some();
    let filter = SceneFilter { accept: Some(&accept), ..Default::default() };
    let ray = scene.ray(camera, CENTER).unwrap();
    assert_eq!(scene.closest(ray, &filter).map(|hit| hit.entity), Some(cubes[1]));
    let options = SelectOptions::default();
    let found = scene.marquee(camera, Vec2::ZERO, 2.0 * CENTER, &options, &filter);
    assert_eq!(found.iter().map(|found| found.entity).collect::<Vec<_>>(), cubes[1..]);
}

#[test]
fn cameras_and_pointers_have_rules_of_their_own_and_rays_go_on_through_holes() {
    let (mut harness, camera, cubes) = row(3);
    for (tag, &cube) in cubes.iter().enumerate() {
        harness.app.world_mut().entity_mut(cube).insert(Tag(tag));
    }
    assert_eq!(harness.hits_at(CENTER), [0, 1, 2]);
    let (first, last) = (cubes[0], cubes[2]);
    let not_first = HitscanPickFilter::new(move |entity| entity != first);
    harness.app.world_mut().entity_mut(camera).insert(not_first);
    assert_eq!(harness.hits_at(CENTER), [1, 2]);
    let world = harness.app.world_mut();
    let mut pointers = world.query_filtered::<Entity, With<PointerId>>();
    let pointer = pointers.single(world).unwrap();
    world.entity_mut(pointer).insert(HitscanPickFilter::new(move |entity| entity != last));
    assert_eq!(harness.hits_at(CENTER), [1]);
    let world = harness.app.world_mut();
    world.entity_mut(pointer).remove::<HitscanPickFilter>();
    // The front face is a hole, and the back face is not.
    let rule = HitscanPickFilter::of_hits(|hit| hit.point.z < -3.0 || hit.point.z > 1.0);
    world.entity_mut(camera).insert(rule);
    world.entity_mut(cubes[1]).insert(RayCastBackfaces);
    harness.take_log();
    harness.hover(CENTER);
    let log = harness.take_log();
    let hits = log.iter().filter(|record| record.kind == "hit");
    let hits: Vec<_> = hits.map(|r| (r.target, r.hit.as_ref().unwrap().depth)).collect();
    assert_eq!(hits.len(), 2, "{hits:?}");
    // The near plane is at 0.1 before the camera, at z = 9.9.
    let [(second, depth), (third, _)] = hits[..] else { panic!("{hits:?}") };
    assert_eq!((second, third), (Some(Tag(1)), Some(Tag(2))));
    assert!((depth - 13.4).abs() < 1e-4, "{depth}");

    let ray = query(&mut harness, |scene| scene.ray(camera, CENTER)).unwrap();
    let behind = |hit: &HitscanHit| hit.point.z < -1.0;
    let filter = SceneFilter { accept_hit: Some(&behind), ..Default::default() };
    let hit = query(&mut harness, |scene| scene.closest(ray, &filter)).unwrap();
    assert_eq!(hit.entity, cubes[1]);
}
