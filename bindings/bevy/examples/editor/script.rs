//! A session of the editor without a person: every tool once, at points of the world.

use bevy_camera::Camera;
use bevy_ecs::{prelude::*, system::SystemState};
use bevy_math::{Vec2, Vec3};
use bevy_transform::components::{GlobalTransform, Transform};

use crate::{
    tools::{Editor, EditorCamera, EditorInput},
    world::{N_INSTANCES, Waist, bend, place},
};

/// A step, which lasts a few frames.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Step {
    /// Moves the cursor to the image of a point.
    To(Vec3),
    Press,
    Release,
    /// Draws marquees from now on, or not.
    Marquee(bool),
    /// Snaps from now on, or not.
    Snap(bool),
    /// Bends the character by an angle.
    Bend(f32),
    /// The end of an act, whose name says what the editor shows.
    Show(&'static str),
}

/// The names of the acts, in order.
pub(crate) const ACTS: [&str; 7] =
    ["hover", "click", "click-through", "marquee", "drag", "snap", "character"];

/// The index of an instance before the camera, a cube.
pub(crate) const TARGET: usize = 114;
/// The height at which the bent character has its head.
pub(crate) const HEAD: Vec3 = Vec3::new(-1.2, 1.5, 6.0);

/// All steps.
pub(crate) fn steps() -> Vec<Step> {
    use Step::{Bend, Marquee, Press, Release, Show, Snap, To};
    let target = place(TARGET) + 0.9 * Vec3::Y;
    let [hover, click, through, marquee, drag, snap, character] = ACTS;
    vec![
        To(target),
        Show(hover),
        Press,
        Release,
        Show(click),
        Press,
        Release,
        Show(through),
        Marquee(true),
        To(Vec3::new(-9.0, 0.0, -4.0)),
        Press,
        To(Vec3::new(9.0, 0.0, 9.0)),
        Show(marquee),
        Release,
        Marquee(false),
        To(target),
        Press,
        To(Vec3::new(0.0, 0.0, 1.5)),
        Show(drag),
        Snap(true),
        To(corner()),
        Show(snap),
        Release,
        Snap(false),
        Bend(std::f32::consts::FRAC_PI_2),
        To(HEAD),
        Press,
        Release,
        Show(character),
    ]
}

/// An upper corner of the cube to which the script snaps.
pub(crate) fn corner() -> Vec3 {
    let turn = bevy_math::Quat::from_rotation_y(0.7 * SNAP_TARGET as f32);
    place(SNAP_TARGET) + 0.5 * Vec3::Y + turn * Vec3::splat(0.5)
}

/// The index of a cube near the camera.
pub(crate) const SNAP_TARGET: usize = 126;

/// Sends the input of a step. Returns the position of the cursor, if the step moves it.
pub(crate) fn perform(world: &mut World, step: Step) -> Option<Vec2> {
    let mut input = *world.resource::<EditorInput>();
    match step {
        Step::To(point) => input.cursor = Some(image_of(world, point)),
        Step::Press => input.is_pressed = true,
        Step::Release => input.is_pressed = false,
        Step::Marquee(on) => input.draws_marquee = on,
        Step::Snap(on) => input.snaps = on,
        Step::Bend(angle) => {
            let mut state = SystemState::<Query<&mut Transform, With<Waist>>>::new(world);
            bend(&mut state.get_mut(world).expect("a query is always valid"), angle);
        }
        Step::Show(_) => {}
    }
    *world.resource_mut::<EditorInput>() = input;
    input.cursor
}

fn image_of(world: &mut World, point: Vec3) -> Vec2 {
    let mut cameras = world.query_filtered::<(&Camera, &GlobalTransform), With<EditorCamera>>();
    let (camera, transform) = cameras.single(world).expect("the editor has one camera");
    camera.world_to_viewport(transform, point).expect("the point is before the camera")
}

/// A line about the editor's state.
pub(crate) fn summary(world: &World) -> String {
    let editor = world.resource::<Editor>();
    format!(
        "{N_INSTANCES} instances, {} selected, hovering {}{}{}",
        editor.selected.len(),
        editor.hovered.map_or("nothing".to_owned(), |entity| entity.to_string()),
        if editor.marquee.is_some() { ", drawing a marquee" } else { "" },
        editor.snap.as_ref().map_or("", |_| ", snapped"),
    )
}

/// Where the camera of the editor stands.
pub(crate) fn camera_transform() -> Transform {
    Transform::from_xyz(0.0, 8.0, 27.0).looking_at(Vec3::new(0.0, 0.0, 2.0), Vec3::Y)
}
