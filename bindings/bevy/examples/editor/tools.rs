//! The tools of the editor: hover, click, click through, marquee, drag on a surface, snap.
//!
//! They know no window. [`EditorInput`] comes from one, or from a test.

use bevy_app::{App, Update};
use bevy_ecs::prelude::*;
use bevy_math::{Quat, Vec2, Vec3};
use bevy_picking::{hover::HoverMap, pointer::PointerId};
use bevy_transform::components::Transform;
use hitscan_bevy::{
    HitscanScene, SceneFilter, SceneSnap,
    hitscan::picking::{ClickCycle, PickOptions, SelectOptions, SnapOptions, SnapTarget},
};

use crate::world::Movable;

/// The camera of the editor.
#[derive(Component, Clone, Copy, Debug)]
pub(crate) struct EditorCamera;

/// The input of a frame.
#[derive(Resource, Clone, Copy, Debug, Default)]
pub(crate) struct EditorInput {
    /// The cursor, in logical pixels.
    pub(crate) cursor: Option<Vec2>,
    pub(crate) is_pressed: bool,
    /// Whether a drag draws a marquee, even if it starts on an object.
    pub(crate) draws_marquee: bool,
    /// Whether a drag snaps to vertices.
    pub(crate) snaps: bool,
}

/// The state of the editor.
#[derive(Resource, Debug, Default)]
pub(crate) struct Editor {
    pub(crate) hovered: Option<Entity>,
    pub(crate) selected: Vec<Entity>,
    /// The corner where the current marquee started.
    pub(crate) marquee: Option<Vec2>,
    /// The point to which the dragged object snaps.
    pub(crate) snap: Option<SceneSnap>,
    cycle: ClickCycle,
    gesture: Gesture,
}

#[derive(Clone, Copy, Debug, Default)]
enum Gesture {
    #[default]
    None,
    /// The button is down, and the cursor has hardly moved since.
    Pressed {
        at: Vec2,
        target: Option<Entity>,
    },
    Marquee {
        from: Vec2,
    },
    Drag {
        entity: Entity,
    },
}

/// A press becomes a drag beyond this distance, in pixels.
const DRAG_START: f32 = 5.0;
/// The radius of snaps, in pixels.
const SNAP_RADIUS: f64 = 14.0;

/// Adds the tools.
pub(crate) fn plugin(app: &mut App) {
    app.init_resource::<EditorInput>()
        .init_resource::<Editor>()
        .add_systems(Update, (hover, gesture).chain());
}

/// Takes the hovered object from the picking backend.
fn hover(hovers: Res<HoverMap>, movables: Query<&Movable>, mut editor: ResMut<Editor>) {
    let hovered = hovers.get(&PointerId::Mouse).into_iter().flatten();
    let nearest = hovered
        .filter(|(entity, _)| movables.contains(**entity))
        .min_by(|(_, a), (_, b)| a.depth.total_cmp(&b.depth));
    editor.hovered = nearest.map(|(&entity, _)| entity);
}

/// Follows the mouse button: click, marquee or drag.
// Longer than 60 lines, because it is one flat match over the states of a gesture.
fn gesture(
    input: Res<EditorInput>,
    mut editor: ResMut<Editor>,
    scene: HitscanScene,
    movables: Query<&Movable>,
    mut transforms: Query<&mut Transform>,
    camera: Single<Entity, With<EditorCamera>>,
) {
    let Some(cursor) = input.cursor else { return };
    let editor = &mut *editor;
    match editor.gesture {
        Gesture::None if input.is_pressed => {
            let target = editor.hovered.filter(|_| !input.draws_marquee);
            editor.gesture = Gesture::Pressed { at: cursor, target };
        }
        Gesture::Pressed { at, .. } if !input.is_pressed => {
            click(editor, &scene, *camera, at, &movables);
            editor.gesture = Gesture::None;
        }
        Gesture::Pressed { at, target } if at.distance(cursor) > DRAG_START => {
            editor.gesture = match target {
                Some(entity) => Gesture::Drag { entity },
                None => Gesture::Marquee { from: at },
            };
        }
        Gesture::Marquee { from } if !input.is_pressed => {
            let is_movable = |entity| movables.contains(entity);
            let filter = SceneFilter { accept: Some(&is_movable), ..Default::default() };
            let options = SelectOptions::default();
            let selected = scene.marquee(*camera, from, cursor, &options, &filter);
            editor.selected = selected.iter().map(|selected| selected.entity).collect();
            editor.cycle.reset();
            editor.gesture = Gesture::None;
        }
        Gesture::Drag { .. } if !input.is_pressed => {
            editor.snap = None;
            editor.gesture = Gesture::None;
        }
        Gesture::Drag { entity } => {
            let Ok(movable) = movables.get(entity) else { return };
            let dragged = [entity];
            let filter = SceneFilter::ignoring(&dragged);
            editor.snap = None;
            if input.snaps {
                let targets = &[SnapTarget::Vertex, SnapTarget::EdgeMidpoint];
                let options = SnapOptions { targets, radius: SNAP_RADIUS, ..Default::default() };
                editor.snap = scene.snap(*camera, cursor, &options, &filter);
            }
            let Ok(mut transform) = transforms.get_mut(movable.root) else { return };
            if let Some(snap) = &editor.snap {
                transform.translation = snap.pick.point;
            } else if let Some(ray) = scene.ray(*camera, cursor)
                && let Some(hit) = scene.closest(ray, &filter)
            {
                transform.translation = hit.point + movable.height * hit.normal;
                let up = transform.rotation * Vec3::Y;
                transform.rotation = Quat::from_rotation_arc(up, hit.normal) * transform.rotation;
            }
        }
        _ => {}
    }
    editor.marquee = match editor.gesture {
        Gesture::Marquee { from } => Some(from),
        _ => None,
    };
}

/// Selects the object under the cursor, or the next one below with each further click.
fn click(
    editor: &mut Editor,
    scene: &HitscanScene,
    camera: Entity,
    at: Vec2,
    movables: &Query<&Movable>,
) {
    let is_movable = |entity| movables.contains(entity);
    let filter = SceneFilter { accept: Some(&is_movable), ..Default::default() };
    let pick = scene.click(&mut editor.cycle, camera, at, &PickOptions::default(), &filter);
    editor.selected = pick.iter().map(|pick| pick.entity).collect();
}
