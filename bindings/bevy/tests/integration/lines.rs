//! Points and lines within a radius in pixels.

use bevy_asset::RenderAssetUsages;
use bevy_camera::visibility::{InheritedVisibility, RenderLayers, Visibility};
use bevy_ecs::{prelude::*, system::SystemState};
use bevy_math::{Vec2, Vec3, primitives::Cuboid};
use bevy_mesh::{Indices, Mesh, Mesh3d, PrimitiveTopology};
use bevy_transform::components::Transform;
use hitscan_bevy::{HitscanLines, HitscanScene, LinePickOptions, SceneFilter, SceneLinePick};

use crate::harness::{Backend, Harness, Tag, from_front};

const CENTER: Vec2 = Vec2::new(400.0, 300.0);

fn lines(topology: PrimitiveTopology, points: &[Vec3], indices: Option<Vec<u32>>) -> Mesh {
    let points: Vec<[f32; 3]> = points.iter().map(|p| p.to_array()).collect();
    let mut mesh = Mesh::new(topology, RenderAssetUsages::default())
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, points);
    if let Some(indices) = indices {
        mesh.insert_indices(Indices::U32(indices));
    }
    mesh
}

fn component(mesh: &Mesh) -> HitscanLines {
    HitscanLines::from_mesh(mesh).expect("the mesh has lines").expect("its points are finite")
}

struct Drawing {
    harness: Harness,
    camera: Entity,
}

impl Drawing {
    fn new() -> Self {
        let mut harness = Harness::new(Backend::Hitscan);
        let camera = harness.spawn_camera(from_front(10.0), 0, None);
        Self { harness, camera }
    }

    fn spawn(&mut self, mesh: &Mesh, at: Vec3) -> Entity {
        let world = self.harness.app.world_mut();
        let place = Transform::from_translation(at);
        let id = world.spawn((component(mesh), place, Visibility::default())).id();
        assert!(world.get::<InheritedVisibility>(id).is_some());
        id
    }

    fn pick(
        &mut self,
        by: Vec2,
        options: &LinePickOptions,
        filter: &SceneFilter,
    ) -> Option<SceneLinePick> {
        let world = self.harness.app.world_mut();
        let mut state = SystemState::<HitscanScene<'_, '_>>::new(world);
        state.get(world).unwrap().pick_line(self.camera, CENTER + by, options, filter)
    }

    /// The entity, item and segment near the centre.
    fn at(&mut self, by: Vec2) -> Option<(Entity, u32, u32)> {
        let pick = self.pick(by, &LinePickOptions::default(), &SceneFilter::default())?;
        Some((pick.entity, pick.item, pick.segment))
    }
}

#[test]
fn the_topologies_of_lines_have_their_items_and_triangles_none() {
    let points = [Vec3::NEG_X, Vec3::ZERO, Vec3::X, Vec3::new(1.0, 1.0, 0.0)];
    let n_items =
        |topology, indices| component(&lines(topology, &points, indices)).lines().n_items();
    assert_eq!(n_items(PrimitiveTopology::PointList, None), 4);
    assert_eq!(n_items(PrimitiveTopology::LineList, None), 2);
    assert_eq!(n_items(PrimitiveTopology::LineList, Some(vec![0, 1, 1, 2, 2, 3])), 3);
    assert_eq!(n_items(PrimitiveTopology::LineStrip, None), 1);
    assert!(HitscanLines::from_mesh(&Mesh::from(Cuboid::default())).is_none());
    let wrong = lines(PrimitiveTopology::LineList, &points, Some(vec![0, 9]));
    assert!(HitscanLines::from_mesh(&wrong).is_none());
    let nan = lines(PrimitiveTopology::PointList, &[Vec3::NAN], None);
    assert!(HitscanLines::from_mesh(&nan).unwrap().is_err());
}

#[test]
fn the_nearest_line_within_the_radius_is_picked_in_its_place() {
    let mut drawing = Drawing::new();
    let strip = [Vec3::NEG_X, Vec3::ZERO, Vec3::X];
    let wire = drawing.spawn(&lines(PrimitiveTopology::LineStrip, &strip, None), Vec3::Y);
    let dots = drawing.spawn(&lines(PrimitiveTopology::PointList, &strip, None), 2.0 * Vec3::Y);
    drawing.harness.settle();
    // A unit in the plane of the lines has 72.4 pixels.
    let unit = 300.0 / (10.0 * (std::f32::consts::PI / 8.0).tan());
    assert_eq!(drawing.at(Vec2::new(0.5 * unit, 5.0 - unit)), Some((wire, 0, 1)));
    assert_eq!(drawing.at(Vec2::new(0.5 * unit, 9.0 - unit)), None);
    assert_eq!(drawing.at(Vec2::new(unit, 5.0 - 2.0 * unit)), Some((dots, 2, 0)));
    let near = LinePickOptions { radius: 4.0, ..Default::default() };
    assert_eq!(drawing.pick(Vec2::new(0.0, 5.0 - unit), &near, &SceneFilter::default()), None);
    let wide = LinePickOptions { radius: unit, ..Default::default() };
    let between = Vec2::new(0.0, -1.4 * unit);
    let pick = drawing.pick(between, &wide, &SceneFilter::default()).unwrap();
    assert_eq!(pick.entity, wire);
    assert!(
        (pick.point - Vec3::Y).length() < 1e-4 && (pick.pixel_distance - 0.4 * unit).abs() < 0.01
    );
    let ignored = [wire];
    let without = SceneFilter::ignoring(&ignored);
    assert_eq!(drawing.pick(between, &wide, &without).map(|pick| pick.entity), Some(dots));
    // Layers and visibility hide it as well.
    let world = drawing.harness.app.world_mut();
    world.entity_mut(wire).insert(RenderLayers::layer(3));
    world.entity_mut(dots).insert(Visibility::Hidden);
    drawing.harness.frame();
    assert_eq!(drawing.pick(between, &wide, &SceneFilter::default()), None);
    let hidden = SceneFilter { include_hidden: true, ..Default::default() };
    assert_eq!(drawing.pick(between, &wide, &hidden).map(|pick| pick.entity), Some(dots));
}

#[test]
fn a_line_behind_a_surface_is_picked_only_through_it() {
    let mut drawing = Drawing::new();
    let strip = [4.0 * Vec3::NEG_X, 4.0 * Vec3::X];
    let wire = drawing.spawn(&lines(PrimitiveTopology::LineList, &strip, None), -2.0 * Vec3::Z);
    let cube = drawing.harness.add_mesh(Cuboid::new(1.0, 1.0, 1.0));
    drawing.harness.app.world_mut().spawn((Mesh3d(cube), Transform::IDENTITY, Tag(0)));
    drawing.harness.settle();
    let filter = SceneFilter::default();
    let through = LinePickOptions::default();
    let seen = LinePickOptions { visible_only: true, ..through };
    let entity = |drawing: &mut Drawing, by: Vec2, options: &LinePickOptions| {
        drawing.pick(by, options, &filter).map(|pick| pick.entity)
    };
    assert_eq!(entity(&mut drawing, Vec2::ZERO, &through), Some(wire));
    assert_eq!(entity(&mut drawing, Vec2::ZERO, &seen), None);
    assert_eq!(entity(&mut drawing, Vec2::new(150.0, 0.0), &seen), Some(wire));
    // A rule that accepts the line alone leaves the cube before it.
    let only = |entity| entity == wire;
    let filter = SceneFilter { accept: Some(&only), ..Default::default() };
    assert_eq!(drawing.pick(Vec2::ZERO, &seen, &filter), None);
}
