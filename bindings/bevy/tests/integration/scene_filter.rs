//! The entities that a query of an editor includes: layers, disabled ones, rules of the caller.

use bevy_camera::visibility::RenderLayers;
use bevy_ecs::{entity_disabling::Disabled, prelude::*, system::SystemState};
use bevy_math::{Vec2, Vec3};
use hitscan_bevy::{
    HitscanScene, HitscanWorld, SceneFilter, box_region,
    hitscan::picking::{PickOptions, SelectOptions},
};

use crate::{
    harness::Harness,
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
