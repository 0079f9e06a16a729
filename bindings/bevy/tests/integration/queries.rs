//! The queries of an editor, and the replacement for `MeshRayCast`.

use std::sync::Arc;

use bevy_camera::visibility::{RenderLayers, Visibility};
use bevy_ecs::{prelude::*, system::SystemState};
use bevy_math::{
    Dir3, Ray3d, UVec2, Vec2, Vec3,
    primitives::{Cuboid, Sphere},
};
use bevy_mesh::{Mesh, Mesh3d, Meshable};
use bevy_picking::{
    Pickable,
    mesh_picking::ray_cast::{MeshRayCast, MeshRayCastSettings, RayCastVisibility},
};
use bevy_transform::components::Transform;
use hitscan_bevy::{
    HitscanPolygons, HitscanRayCast, HitscanScene, HitscanWorld, SceneFilter, box_region,
    hitscan::{
        BuildOptions, Faces, TriMesh,
        glam::{DAffine3, DVec3},
        picking::{
            ClickCycle, Element, ElementKind, PickOptions, RegionMode, ScreenRegionError,
            SelectOptions, SnapOptions, SnapTarget,
        },
        scene::{self, Instance, QueryOptions, WorldRay},
    },
    sphere_region,
};

use crate::harness::{Backend, Harness, Rng, from_front};

pub(crate) const CENTER: Vec2 = Vec2::new(400.0, 300.0);

/// Runs a query in the app.
pub(crate) fn query<T>(harness: &mut Harness, query: impl FnOnce(HitscanScene<'_, '_>) -> T) -> T {
    let world = harness.app.world_mut();
    let mut state = SystemState::<HitscanScene<'_, '_>>::new(world);
    query(state.get_mut(world).unwrap())
}

/// Cubes of edge 1 in a row behind each other, 3 apart, with a camera before them.
pub(crate) fn row(n: usize) -> (Harness, Entity, Vec<Entity>) {
    let mut harness = Harness::new(Backend::Hitscan);
    let mesh = harness.add_mesh(Cuboid::new(1.0, 1.0, 1.0));
    harness.app.world_mut().resource_mut::<HitscanPolygons>().insert(&mesh, [2; 6]);
    let camera = harness.spawn_camera(from_front(10.0), 0, None);
    let cubes = (0..n)
        .map(|i| {
            let transform = Transform::from_xyz(0.0, 0.0, -3.0 * i as f32);
            harness.app.world_mut().spawn((Mesh3d(mesh.clone()), transform)).id()
        })
        .collect();
    harness.settle();
    (harness, camera, cubes)
}

fn down() -> Ray3d {
    Ray3d::new(Vec3::new(0.1, 0.2, 10.0), Dir3::NEG_Z)
}

#[test]
fn the_ray_cast_returns_what_the_built_in_one_returns() {
    let mut harness = Harness::new(Backend::Hitscan);
    let meshes = [
        Mesh::from(Cuboid::new(1.0, 1.0, 1.0)),
        Sphere::new(0.6).mesh().uv(24, 16),
        Sphere::new(0.5).mesh().ico(3).unwrap(),
    ]
    .map(|mesh| harness.add_mesh(mesh));
    let mut rng = Rng::new(5);
    for _ in 0..300 {
        let transform = Transform::from_translation(rng.vec3(Vec3::splat(6.0)))
            .with_rotation(rng.rotation())
            .with_scale(Vec3::splat(rng.between(0.3, 2.0)));
        let mesh = meshes[rng.below(3)].clone();
        harness.app.world_mut().spawn((Mesh3d(mesh), transform));
    }
    harness.settle();
    let world = harness.app.world_mut();
    let mut state = SystemState::<(MeshRayCast<'_, '_>, HitscanRayCast<'_, '_>)>::new(world);
    let mut n_hits = 0;
    for _ in 0..500 {
        let (mut built_in, mut hitscan) = state.get_mut(world).unwrap();
        let direction = Dir3::new(rng.vec3(Vec3::ONE)).unwrap();
        let ray = Ray3d::new(rng.vec3(Vec3::splat(8.0)), direction);
        let odd = |entity: Entity| entity.index_u32() % 2 == 1;
        let settings = MeshRayCastSettings::default()
            .with_visibility(RayCastVisibility::Any)
            .with_early_exit_test(&odd);
        let (expected, found) =
            (built_in.cast_ray(ray, &settings), hitscan.cast_ray(ray, &settings));
        assert_eq!(found.len(), expected.len(), "{ray:?}");
        n_hits += found.len();
        for ((a, expected), (b, found)) in expected.iter().zip(found) {
            assert_eq!((a, expected.triangle_index), (b, found.triangle_index), "{ray:?}");
            assert!((expected.distance - found.distance).abs() < 1e-4);
            assert!(expected.point.distance(found.point) < 1e-4);
            assert!(expected.normal.normalize().distance(found.normal) < 1e-3);
            assert!(expected.barycentric_coords.distance(found.barycentric_coords) < 2e-3);
            assert!(expected.uv.unwrap().distance(found.uv.unwrap()) < 2e-3);
            let corners = expected.triangle.unwrap().into_iter().zip(found.triangle.unwrap());
            assert!(corners.into_iter().all(|(a, b)| a.distance(b) < 1e-4));
        }
    }
    assert!(n_hits > 200, "{n_hits}");
}

#[test]
fn closest_and_all_obey_the_filter() {
    let (mut harness, _, cubes) = row(4);
    let world = harness.app.world_mut();
    world.entity_mut(cubes[1]).insert(Visibility::Hidden);
    world.entity_mut(cubes[2]).insert(Pickable::IGNORE);
    harness.frame();
    let filter = SceneFilter::default();
    let hit = query(&mut harness, |scene| scene.closest(down(), &filter)).unwrap();
    assert_eq!((hit.entity, hit.polygon, hit.point.z), (cubes[0], Some(0), 0.5));
    let entities = |harness: &mut Harness, filter: &SceneFilter<'_>| {
        let hits = query(harness, |scene| scene.all(down(), filter));
        assert!(hits.is_sorted_by_key(|hit| hit.distance));
        hits.iter().map(|hit| hit.entity).collect::<Vec<_>>()
    };
    assert_eq!(entities(&mut harness, &filter), [cubes[0], cubes[3]]);
    let both = SceneFilter { faces: Some(Faces::Both), ..filter };
    assert_eq!(entities(&mut harness, &both), [cubes[0], cubes[0], cubes[3], cubes[3]]);
    let all = SceneFilter { include_hidden: true, include_unpickable: true, ..filter };
    assert_eq!(entities(&mut harness, &all), cubes);
    let ignore = [cubes[0]];
    assert_eq!(entities(&mut harness, &SceneFilter::ignoring(&ignore)), [cubes[3]]);
    let not_last = |entity| entity != cubes[3];
    let accept = SceneFilter { accept: Some(&not_last), ..filter };
    assert_eq!(entities(&mut harness, &accept), [cubes[0]]);
    let layers = RenderLayers::layer(3);
    let layer = SceneFilter { layers: Some(&layers), ..filter };
    assert_eq!(entities(&mut harness, &layer), []);
}

#[test]
fn repeated_clicks_go_deeper_and_start_again() {
    let (mut harness, camera, cubes) = row(3);
    let mut cycle = ClickCycle::default();
    let clicks: Vec<_> = (0..4)
        .map(|_| {
            query(&mut harness, |scene| {
                let (options, filter) = (PickOptions::default(), SceneFilter::default());
                scene.click(&mut cycle, camera, CENTER, &options, &filter).unwrap().entity
            })
        })
        .collect();
    assert_eq!(clicks, [cubes[0], cubes[1], cubes[2], cubes[0]]);
}

#[test]
fn a_pick_names_the_quad_and_skips_the_diagonal() {
    let (mut harness, camera, cubes) = row(1);
    let pick = |harness: &mut Harness, kind, pixel| {
        query(harness, |scene| {
            scene.pick(camera, pixel, &PickOptions::for_kind(kind), &SceneFilter::default())
        })
    };
    let face = pick(&mut harness, ElementKind::Face, CENTER + Vec2::new(9.0, 5.0)).unwrap();
    assert_eq!((face.entity, face.element), (cubes[0], Element::Face(0)));
    assert_eq!(face.hit.as_ref().unwrap().point.z, 0.5);
    // The diagonal of the front face runs through the centre, and is no edge.
    assert_eq!(pick(&mut harness, ElementKind::Edge, CENTER), None);
    // The front face spans half a unit of 9.5, seen with a field of 45 degrees over 600 pixels.
    let half = 0.5 / 9.5 * 300.0 / (std::f32::consts::PI / 8.0).tan();
    let edge = pick(&mut harness, ElementKind::Edge, CENTER + Vec2::new(half + 3.0, 0.0)).unwrap();
    assert!((edge.pixel_distance - 3.0).abs() < 0.01, "{edge:?}");
    let corner = CENTER + Vec2::new(half - 2.0, -half);
    let vertex = pick(&mut harness, ElementKind::Vertex, corner).unwrap();
    assert!(vertex.point.distance(Vec3::new(0.5, 0.5, 0.5)) < 1e-6);
    assert!((vertex.pixel.x - CENTER.x - half).abs() < 0.01);
}

#[test]
fn marquee_and_lasso_touch_or_enclose_and_see_only_what_is_visible() {
    let (mut harness, camera, cubes) = row(3);
    let side = Transform::from_xyz(2.5, 0.0, 0.0);
    let mesh = harness.app.world().get::<Mesh3d>(cubes[0]).unwrap().clone();
    let beside = harness.app.world_mut().spawn((mesh, side)).id();
    harness.settle();
    let marquee = |harness: &mut Harness, min: Vec2, max: Vec2, options: SelectOptions<'_>| {
        let filter = SceneFilter::default();
        let found = query(harness, |scene| scene.marquee(camera, min, max, &options, &filter));
        found.iter().map(|selected| selected.entity).collect::<Vec<_>>()
    };
    let touch = SelectOptions::default();
    let enclose = SelectOptions { mode: RegionMode::Enclose, ..touch };
    let visible = SelectOptions { visible_only: true, ..touch };
    let (min, max) = (CENTER - 20.0, CENTER + 20.0);
    assert_eq!(marquee(&mut harness, min, max, touch), cubes);
    assert_eq!(marquee(&mut harness, min, max, enclose), []);
    assert_eq!(marquee(&mut harness, min, max, visible), [cubes[0]]);
    assert_eq!(marquee(&mut harness, CENTER - 60.0, CENTER + 60.0, enclose), cubes);
    let all = [cubes.clone(), vec![beside]].concat();
    assert_eq!(marquee(&mut harness, Vec2::ZERO, 2.0 * CENTER, enclose), all);

    let lasso = |harness: &mut Harness, outline: &[Vec2]| {
        query(harness, |scene| {
            let filter = SceneFilter::ignoring(&cubes[1..]);
            let selected = scene.lasso(camera, outline.iter().copied(), &touch, &filter)?;
            Ok::<_, ScreenRegionError>(
                selected.iter().map(|selected| selected.entity).collect::<Vec<_>>(),
            )
        })
    };
    let triangle = [CENTER - 50.0, CENTER + Vec2::new(0.0, 50.0), CENTER + Vec2::new(50.0, -50.0)];
    assert_eq!(lasso(&mut harness, &triangle), Ok(vec![cubes[0]]));
    let error = lasso(&mut harness, &triangle[..2]).unwrap_err();
    assert!(error.to_string().contains("corners"), "{error}");
    // The caller's rule takes part in what hides what.
    let filter = SceneFilter { accept: Some(&|entity| entity != cubes[0]), ..Default::default() };
    let found = query(&mut harness, |s| s.marquee(camera, min, max, &visible, &filter));
    assert_eq!(found.iter().map(|s| s.entity).collect::<Vec<_>>(), [cubes[1]]);
}

#[test]
fn snapping_prefers_vertices_and_skips_what_is_dragged() {
    let (mut harness, camera, cubes) = row(2);
    let half = 0.5 / 9.5 * 300.0 / (std::f32::consts::PI / 8.0).tan();
    let near_corner = CENTER + (half - 5.0);
    let snap = |harness: &mut Harness, filter: SceneFilter<'_>| {
        query(harness, |s| s.snap(camera, near_corner, &SnapOptions::default(), &filter))
    };
    let found = snap(&mut harness, SceneFilter::default()).unwrap();
    assert_eq!((found.target, found.pick.entity), (SnapTarget::Vertex, cubes[0]));
    assert!(found.pick.point.distance(Vec3::new(0.5, -0.5, 0.5)) < 1e-6);
    let found = snap(&mut harness, SceneFilter::ignoring(&cubes[..1])).unwrap();
    assert_eq!(found.pick.entity, cubes[1]);
}

#[test]
fn queries_in_space() {
    let (mut harness, camera, cubes) = row(3);
    query(&mut harness, |scene| {
        let filter = SceneFilter::default();
        let closest = scene.closest_point(Vec3::new(0.0, 2.0, -3.0), 10.0, &filter).unwrap();
        assert_eq!((closest.entity, closest.distance), (cubes[1], 1.5));
        assert_eq!(closest.point, Vec3::new(0.0, 0.5, -3.0));
        assert_eq!(scene.closest_point(Vec3::new(0.0, 2.0, -3.0), 1.0, &filter), None);
        let ball = sphere_region(Vec3::new(0.0, 0.0, -1.5), 1.2);
        assert_eq!(scene.overlapping(&ball, &filter), cubes[..2]);
        assert_eq!(scene.within(&ball, &filter), []);
        let room = box_region(Vec3::new(-1.0, -1.0, -4.0), Vec3::new(1.0, 1.0, 1.0));
        assert_eq!(scene.within(&room, &filter), cubes[..2]);
        assert_eq!(scene.containing(Vec3::new(0.1, 0.2, -6.2), &filter), cubes[2..]);
        assert!(scene.is_visible(camera, Vec3::new(0.0, 0.0, 0.5), &filter));
        assert!(!scene.is_visible(camera, Vec3::new(0.0, 0.0, -3.0), &filter));
    });
}

#[test]
fn queries_through_a_camera_and_in_space_obey_the_filter_and_every_change() {
    let (mut harness, camera, cubes) = row(4);
    let world = harness.app.world_mut();
    world.entity_mut(cubes[1]).insert(Visibility::Hidden);
    world.entity_mut(cubes[2]).insert(Pickable::IGNORE);
    world.entity_mut(cubes[3]).insert(RenderLayers::layer(1));
    harness.frame();
    let marquee = |harness: &mut Harness, filter: &SceneFilter<'_>| {
        let (min, max) = (CENTER - 5.0, CENTER + 5.0);
        let options = SelectOptions::default();
        let found = query(harness, |scene| scene.marquee(camera, min, max, &options, filter));
        found.iter().map(|selected| selected.entity).collect::<Vec<_>>()
    };
    let room = box_region(Vec3::new(-1.0, -1.0, -20.0), Vec3::new(1.0, 1.0, 1.0));
    let within = |harness: &mut Harness, filter: &SceneFilter<'_>| {
        query(harness, |scene| scene.within(&room, filter))
    };
    let filter = SceneFilter::default();
    assert_eq!(marquee(&mut harness, &filter), [cubes[0]]);
    // Layers are those of a camera, so queries in space ignore them.
    assert_eq!(within(&mut harness, &filter), [cubes[0], cubes[3]]);
    let hidden = SceneFilter { include_hidden: true, ..filter };
    assert_eq!(marquee(&mut harness, &hidden), cubes[..2]);
    let unpickable = SceneFilter { include_unpickable: true, ..filter };
    assert_eq!(marquee(&mut harness, &unpickable), [cubes[0], cubes[2]]);
    let layers = RenderLayers::from_layers(&[1]);
    let layer = SceneFilter { layers: Some(&layers), ..filter };
    assert_eq!(marquee(&mut harness, &layer), [cubes[3]]);
    assert_eq!(within(&mut harness, &layer), [cubes[3]]);
    let all_layers = RenderLayers::from_layers(&[0, 1]);
    let not_last = |entity| entity != cubes[3];
    let accept = SceneFilter {
        accept: Some(&not_last),
        include_hidden: true,
        include_unpickable: true,
        layers: Some(&all_layers),
        ..filter
    };
    assert_eq!(marquee(&mut harness, &accept), cubes[..3]);

    harness.app.world_mut().entity_mut(camera).insert(all_layers.clone());
    harness.frame();
    assert_eq!(marquee(&mut harness, &filter), [cubes[0], cubes[3]]);
    let world = harness.app.world_mut();
    world.entity_mut(cubes[1]).insert(Visibility::Visible);
    world.entity_mut(cubes[2]).remove::<Pickable>();
    world.entity_mut(cubes[3]).remove::<RenderLayers>();
    world.entity_mut(camera).remove::<RenderLayers>();
    harness.frame();
    assert_eq!(marquee(&mut harness, &filter), cubes);
}

#[test]
fn a_view_has_the_rays_of_the_camera() {
    let turned = Transform::from_xyz(3.0, 4.0, 5.0).looking_at(Vec3::new(0.3, 0.2, 0.1), Vec3::Y);
    // The right half of the window, in physical pixels.
    let right = (UVec2::new(800, 0), UVec2::new(800, 1200));
    for (scale_factor, viewport) in [(1.0, None), (2.0, None), (2.0, Some(right))] {
        let mut harness = Harness::with_scale(Backend::Hitscan, scale_factor);
        let camera = harness.spawn_camera(turned, 0, viewport);
        harness.frame();
        query(&mut harness, |scene| {
            let view = scene.view(camera).unwrap().unwrap();
            for pixel in [Vec2::new(410.0, 20.0), CENTER, Vec2::new(790.0, 333.0)] {
                let expected = scene.ray(camera, pixel).unwrap();
                let ray = view.ray([f64::from(pixel.x), f64::from(pixel.y)]);
                let origin = Vec3::from_array(ray.origin.as_vec3().to_array());
                let direction = Vec3::from_array(ray.direction.as_vec3().to_array());
                assert!(origin.distance(expected.origin) < 1e-4, "{scale_factor} {viewport:?}");
                assert!(direction.distance(*expected.direction) < 1e-4);
            }
            assert!(scene.view(Entity::PLACEHOLDER).is_none());
            assert!(scene.ray(Entity::PLACEHOLDER, CENTER).is_none());
        });
    }
}

/// Positions in Bevy's meshes are f32. A mesh of a file may have an offset, and joins them in a snapshot.
#[test]
fn a_mesh_far_from_the_origin_stands_where_its_file_says_in_a_snapshot() {
    let (harness, _, cubes) = row(1);
    let world = harness.app.world().resource::<HitscanWorld>();
    let mut scene = world.snapshot();
    let (x, y) = (507_960.88, 5_039_558.63);
    let corners = [[x, y, 35.04], [x + 8.1, y, 35.04], [x, y + 8.1, 35.04]];
    let mesh = TriMesh::from_f64(corners, vec![[0, 1, 2]], true).unwrap().value;
    assert_ne!(mesh.offset(), DVec3::ZERO);
    let mesh = Arc::new(scene::Mesh::new(mesh, &BuildOptions::default()));
    let far = scene.insert(Instance::new(mesh, DAffine3::IDENTITY)).unwrap();
    let hit = |x: f64, y: f64| {
        let ray = WorldRay::new([x, y, 100.0], [0.0, 0.0, -1.0]);
        let hit = scene.closest_hit(&ray, &QueryOptions::default())?;
        Some((hit.instance, scene.describe(&hit).unwrap().point()))
    };
    let (instance, point) = hit(x + 0.1, y + 3.3).unwrap();
    assert_eq!(instance, far);
    assert!(point.distance(DVec3::new(x + 0.1, y + 3.3, 35.04)) < 2e-6, "{point}");
    assert_eq!(hit(x - 0.1, y + 3.3), None);
    let (instance, point) = hit(0.1, 0.2).unwrap();
    assert_eq!(world.entity(instance), Some(cubes[0]));
    assert!(point.distance(DVec3::new(0.1, 0.2, 0.5)) < 1e-6, "{point}");
}
