//! Layers, visibility, markers, cameras, windows and scale factors: one expectation for both backends.

use bevy_asset::Handle;
use bevy_camera::{
    primitives::Aabb,
    visibility::{RenderLayers, Visibility},
};
use bevy_ecs::{entity_disabling::Disabled, prelude::*};
use bevy_math::{UVec2, Vec2, Vec3, primitives::Cuboid};
use bevy_mesh::{Mesh, Mesh2d, Mesh3d};
use bevy_picking::{
    Pickable,
    mesh_picking::{
        MeshPickingCamera, MeshPickingSettings,
        ray_cast::{RayCastBackfaces, RayCastVisibility, SimplifiedMesh},
    },
    pointer::{PointerAction, PointerId},
};
use bevy_transform::components::Transform;

use crate::harness::{BOTH, Harness, SIZE, Tag, from_front};

const CENTER: Vec2 = Vec2::new(400.0, 300.0);

/// Cubes of edge 1 behind each other, tag 0 in front.
fn spawn_row(harness: &mut Harness, n: usize) -> Vec<Entity> {
    let mesh = harness.add_mesh(Cuboid::new(1.0, 1.0, 1.0));
    (0..n)
        .map(|tag| spawn_cube(harness, &mesh, tag, Vec3::new(0.0, 0.0, -2.0 * tag as f32)))
        .collect()
}

fn spawn_cube(harness: &mut Harness, mesh: &Handle<Mesh>, tag: usize, at: Vec3) -> Entity {
    let transform = Transform::from_translation(at);
    harness.app.world_mut().spawn((Mesh3d(mesh.clone()), transform, Tag(tag))).id()
}

fn for_both(test: impl Fn(Harness)) {
    BOTH.into_iter().for_each(|backend| test(Harness::new(backend)));
}

#[test]
fn layers_decide_what_a_camera_hits() {
    for_both(|mut harness| {
        let cubes = spawn_row(&mut harness, 5);
        let camera = harness.spawn_camera(from_front(10.0), 0, None);
        let world = harness.app.world_mut();
        world.entity_mut(cubes[1]).insert(RenderLayers::layer(1));
        world.entity_mut(cubes[2]).insert(RenderLayers::from_layers(&[0, 70]));
        world.entity_mut(cubes[3]).insert(RenderLayers::from_layers(&[70]));
        world.entity_mut(cubes[4]).insert(RenderLayers::none());
        // Bevy's own visibility in view knows layers as well.
        set(&mut harness, |settings| settings.ray_cast_visibility = RayCastVisibility::Any);
        harness.settle();
        assert_eq!(harness.hits_at(CENTER), [0, 2]);
        harness.app.world_mut().entity_mut(camera).insert(RenderLayers::from_layers(&[1, 70]));
        harness.frame();
        assert_eq!(harness.hits_at(CENTER), [1, 2, 3]);
        harness.app.world_mut().entity_mut(cubes[1]).remove::<RenderLayers>();
        harness.frame();
        assert_eq!(harness.hits_at(CENTER), [2, 3]);
    });
}

#[test]
fn visibility_is_inherited_and_its_setting_obeyed() {
    for_both(|mut harness| {
        let cubes = spawn_row(&mut harness, 4);
        harness.spawn_camera(from_front(10.0), 0, None);
        let world = harness.app.world_mut();
        world.entity_mut(cubes[0]).insert(Visibility::Hidden);
        world.entity_mut(cubes[1]).insert(ChildOf(cubes[0]));
        world.entity_mut(cubes[2]).insert((ChildOf(cubes[0]), Visibility::Visible));
        harness.settle();
        assert_eq!(harness.hits_at(CENTER), [2, 3]);
        set(&mut harness, |settings| settings.ray_cast_visibility = RayCastVisibility::Any);
        assert_eq!(harness.hits_at(CENTER), [0, 1, 2, 3]);
        set(&mut harness, |settings| settings.ray_cast_visibility = RayCastVisibility::Visible);
        assert_eq!(harness.hits_at(CENTER), [2, 3]);
        harness.app.world_mut().entity_mut(cubes[0]).insert(Visibility::Inherited);
        harness.frame();
        assert_eq!(harness.hits_at(CENTER), [0, 1, 2, 3]);
    });
}

fn set(harness: &mut Harness, change: impl FnOnce(&mut MeshPickingSettings)) {
    change(&mut harness.app.world_mut().resource_mut::<MeshPickingSettings>());
}

#[test]
fn markers_are_required_of_cameras_and_entities() {
    for_both(|mut harness| {
        let cubes = spawn_row(&mut harness, 3);
        let camera = harness.spawn_camera(from_front(10.0), 0, None);
        harness
            .app
            .world_mut()
            .entity_mut(cubes[1])
            .insert(Pickable { should_block_lower: false, is_hoverable: true });
        set(&mut harness, |settings| settings.require_markers = true);
        harness.settle();
        assert_eq!(harness.hits_at(CENTER), []);
        harness.app.world_mut().entity_mut(camera).insert(MeshPickingCamera);
        assert_eq!(harness.hits_at(CENTER), [1]);
        set(&mut harness, |settings| settings.require_markers = false);
        assert_eq!(harness.hits_at(CENTER), [0, 1, 2]);
    });
}

#[test]
fn a_pickable_that_blocks_ends_the_list_and_an_ignored_one_is_no_hit() {
    for_both(|mut harness| {
        let cubes = spawn_row(&mut harness, 4);
        harness.spawn_camera(from_front(10.0), 0, None);
        let world = harness.app.world_mut();
        world.entity_mut(cubes[0]).insert(Pickable::IGNORE);
        world.entity_mut(cubes[2]).insert(Pickable::default());
        harness.settle();
        assert_eq!(harness.hits_at(CENTER), [1, 2]);
        harness.app.world_mut().entity_mut(cubes[0]).remove::<Pickable>();
        harness.frame();
        assert_eq!(harness.hits_at(CENTER), [0, 1, 2]);
    });
}

#[test]
fn back_faces_flat_meshes_and_simplified_meshes() {
    for_both(|mut harness| {
        let mesh = harness.add_mesh(Cuboid::new(1.0, 1.0, 1.0));
        let small = harness.add_mesh(Cuboid::new(0.2, 0.2, 0.2));
        let cubes = [0, 1, 2].map(|tag| spawn_cube(&mut harness, &mesh, tag, Vec3::ZERO));
        // The camera looks at the cubes from within.
        harness.spawn_camera(Transform::IDENTITY, 0, None);
        let world = harness.app.world_mut();
        world.entity_mut(cubes[1]).insert(RayCastBackfaces);
        let bounds = Aabb::from_min_max(Vec3::splat(-0.5), Vec3::splat(0.5));
        world.entity_mut(cubes[2]).remove::<Mesh3d>().insert((Mesh2d(mesh.clone()), bounds));
        // Beside the line of sight by its simplified mesh, and on it by its mesh alone.
        let aside = Transform::from_xyz(0.3, 0.0, -7.0);
        world.spawn((Mesh3d(mesh.clone()), SimplifiedMesh(small), aside, Tag(3)));
        world.spawn((Mesh3d(mesh), aside, Tag(4)));
        harness.settle();
        assert_eq!(harness.hits_at(CENTER), [1, 2, 4]);
        harness.app.world_mut().entity_mut(cubes[1]).remove::<RayCastBackfaces>();
        harness.frame();
        assert_eq!(harness.hits_at(CENTER), [2, 4]);
    });
}

#[test]
fn two_cameras_report_their_order_within_their_viewports() {
    for_both(|mut harness| {
        spawn_row(&mut harness, 1);
        harness.spawn_camera(from_front(3.0), 4, None);
        let corner = Some((UVec2::new(600, 400), UVec2::new(200, 200)));
        harness.spawn_camera(from_front(1.0), 7, corner);
        harness.settle();
        let orders = |harness: &mut Harness, position| {
            harness.take_log();
            harness.hover(position);
            let log = harness.take_log();
            log.iter().filter(|r| r.kind == "hit").map(|r| r.order).collect::<Vec<_>>()
        };
        assert_eq!(orders(&mut harness, CENTER), [4.0]);
        // The middle of the second viewport, which the first camera's cube does not reach.
        assert_eq!(orders(&mut harness, Vec2::new(700.0, 500.0)), [7.0]);
        // Both see a cube where the viewports overlap: this camera stands right before it.
        harness.spawn_camera(from_front(0.6), 9, None);
        harness.frame();
        assert_eq!(orders(&mut harness, Vec2::new(700.0, 500.0)), [7.0, 9.0]);
    });
}

#[test]
fn a_second_window_has_its_own_pointer_positions() {
    for_both(|mut harness| {
        spawn_row(&mut harness, 1);
        let window = harness.spawn_window(1.0, false);
        let camera = harness.spawn_camera(from_front(3.0), 0, None);
        harness.set_window(camera, window);
        harness.settle();
        assert_eq!(harness.hits_at(CENTER), []);
        let action = PointerAction::Move { delta: Vec2::ONE };
        harness.input_in(window, PointerId::Mouse, CENTER, action);
        harness.frame();
        let log = harness.take_log();
        assert!(log.iter().any(|record| record.kind == "hit" && record.target == Some(Tag(0))));
    });
}

#[test]
fn positions_are_logical_pixels_at_scale_factor_two() {
    for backend in BOTH {
        let rows = [1.0, 2.0].map(|scale| {
            let mut harness = Harness::with_scale(backend, scale);
            let mesh = harness.add_mesh(Cuboid::new(0.5, 0.5, 0.5));
            for tag in 0..20 {
                let at = Vec3::new(tag as f32 - 9.5, 0.0, 0.0);
                spawn_cube(&mut harness, &mesh, tag, at);
            }
            // The right half of the window, in physical pixels.
            let half = scale * SIZE * Vec2::new(0.5, 1.0);
            let min = scale * Vec2::new(0.5 * SIZE.x, 0.0);
            harness.spawn_camera(from_front(18.0), 0, Some((min.as_uvec2(), half.as_uvec2())));
            harness.settle();
            (0..40)
                .map(|step| harness.hits_at(Vec2::new(20.0 * step as f32 + 3.0, 300.0)))
                .collect::<Vec<_>>()
        });
        assert_eq!(rows[0], rows[1]);
        assert!(rows[0][..20].iter().all(Vec::is_empty));
        assert!(rows[0][20..].iter().filter(|hits| !hits.is_empty()).count() >= 5);
    }
}

#[test]
fn disabled_entities_are_not_hit_and_come_back_enabled() {
    for_both(|mut harness| {
        let cubes = spawn_row(&mut harness, 3);
        harness.spawn_camera(from_front(10.0), 0, None);
        // Bevy computes no visibility for an entity that was disabled when it came.
        set(&mut harness, |settings| settings.ray_cast_visibility = RayCastVisibility::Any);
        harness.app.world_mut().entity_mut(cubes[2]).insert(Disabled);
        harness.settle();
        assert_eq!(harness.hits_at(CENTER), [0, 1]);
        harness.app.world_mut().entity_mut(cubes[0]).insert(Disabled);
        harness.app.world_mut().entity_mut(cubes[2]).remove::<Disabled>();
        harness.settle();
        assert_eq!(harness.hits_at(CENTER), [1, 2]);
        harness.app.world_mut().entity_mut(cubes[0]).remove::<Disabled>();
        harness.settle();
        assert_eq!(harness.hits_at(CENTER), [0, 1, 2]);
    });
}
