//! The editor in a window.

use std::{path::PathBuf, vec};

use bevy::{
    core_pipeline::tonemapping::Tonemapping,
    input::mouse::{AccumulatedMouseMotion, AccumulatedMouseScroll},
    prelude::*,
    render::{
        RenderPlugin,
        view::screenshot::{Screenshot, save_to_disk},
    },
    window::PrimaryWindow,
};
use bevy_picking::pointer::{Location, PointerAction, PointerId, PointerInput};
use hitscan_bevy::{
    HitscanPickingPlugin, HitscanWorld,
    debug::{HitscanDebug, HitscanDebugPlugin, Outline},
};

use crate::{
    script::{self, Step},
    tools::{self, Editor, EditorCamera, EditorInput},
    world::{self, Look, Waist},
};

/// Opens the window. With a folder, plays the session of the script and saves a picture of each act.
pub(crate) fn run(pictures: Option<PathBuf>) {
    if let Some(folder) = &pictures
        && let Err(error) = std::fs::create_dir_all(folder)
    {
        eprintln!("{}: {error}; name a folder for the pictures", folder.display());
        std::process::exit(1);
    }
    let mut window = Window { title: "hitscan editor".into(), ..default() };
    if pictures.is_some() {
        // A renderer in software takes seconds a frame.
        window.resolution.set(960.0, 540.0);
    }
    let mut app = App::new();
    // Without pipelines, a picture is black.
    let synchronous_pipeline_compilation = pictures.is_some();
    app.add_plugins(
        DefaultPlugins
            .set(WindowPlugin { primary_window: Some(window), ..default() })
            .set(RenderPlugin { synchronous_pipeline_compilation, ..default() }),
    )
    // In place of `MeshPickingPlugin`.
    .add_plugins((HitscanPickingPlugin, HitscanDebugPlugin))
    .insert_resource(HitscanDebug { boxes: false, ..default() })
    .insert_resource(ClearColor(Color::srgb(0.05, 0.06, 0.08)))
    .insert_resource(GlobalAmbientLight { brightness: 300.0, ..default() })
    .init_resource::<Outlines>()
    .add_systems(Startup, (set_up, paint).chain())
    .add_systems(Update, (draw_outlines, draw_marquee, draw_snap, show_state));
    tools::plugin(&mut app);
    match pictures {
        Some(folder) => {
            let steps = script::steps().into_iter();
            app.insert_non_send(Playback { folder, steps, wait: WARM_UP, shown: None })
                .add_systems(PreUpdate, play);
        }
        None => {
            app.add_systems(PreUpdate, read_input).add_systems(Update, (orbit, sway, toggle_boxes));
        }
    }
    app.run();
}

fn set_up(world: &mut World) {
    let msaa = match world.get_non_send::<Playback>() {
        Some(_) => Msaa::Off,
        None => Msaa::default(),
    };
    // Outlines and marquees show through the objects before them.
    let mut gizmos = world.resource_mut::<GizmoConfigStore>();
    gizmos.config_mut::<DefaultGizmoConfigGroup>().0.depth_bias = -1.0;
    world::spawn(world);
    world.spawn((
        Camera3d::default(),
        // Needs no look-up table.
        Tonemapping::AcesFitted,
        msaa,
        script::camera_transform(),
        EditorCamera,
    ));
    world.spawn((
        DirectionalLight { illuminance: 7000.0, ..default() },
        Transform::from_xyz(6.0, 12.0, 9.0).looking_at(Vec3::ZERO, Vec3::Y),
    ));
}

/// Gives every object a material.
fn paint(
    mut commands: Commands,
    looks: Query<(Entity, &Look)>,
    mut materials: ResMut<Assets<StandardMaterial>>,
) {
    let mut material = |color| materials.add(StandardMaterial::from_color(color));
    let floor = material(Color::srgb(0.16, 0.17, 0.19));
    let character = material(Color::srgb(0.75, 0.42, 0.25));
    let objects = [
        material(Color::srgb(0.35, 0.45, 0.55)),
        material(Color::srgb(0.45, 0.5, 0.4)),
        material(Color::srgb(0.5, 0.4, 0.5)),
    ];
    for (entity, look) in &looks {
        let material = match look {
            Look::Floor => &floor,
            Look::Object(kind) => &objects[*kind],
            Look::Character => &character,
        };
        commands.entity(entity).insert(MeshMaterial3d(material.clone()));
    }
}

/// The outlines of the meshes that were hovered or selected.
#[derive(Resource, Default)]
struct Outlines(bevy::platform::collections::HashMap<AssetId<Mesh>, Outline>);

fn draw_outlines(
    editor: Res<Editor>,
    objects: Query<(&Mesh3d, &GlobalTransform, &Look)>,
    camera: Single<&GlobalTransform, With<EditorCamera>>,
    meshes: Res<Assets<Mesh>>,
    mut outlines: ResMut<Outlines>,
    world: Res<HitscanWorld>,
    mut gizmos: Gizmos,
) {
    let eye = camera.translation();
    let selected = editor.selected.iter().map(|&entity| (entity, Color::srgb(1.0, 0.6, 0.1)));
    let hovered = editor.hovered.map(|entity| (entity, Color::WHITE));
    for (entity, color) in selected.chain(hovered) {
        let Ok((mesh, transform, look)) = objects.get(entity) else { continue };
        if *look == Look::Character {
            // Its outline at rest is not that of its pose.
            let bounds = world.instance(entity).and_then(|id| world.snapshot().world_bounds(id));
            if let Some(bounds) = bounds {
                hitscan_bevy::debug::draw_box(&mut gizmos, &bounds, color);
            }
            continue;
        }
        let Some(asset) = meshes.get(mesh) else { continue };
        let outline = outlines.0.entry(mesh.id()).or_insert_with(|| Outline::new(asset));
        outline.draw(&mut gizmos, transform, eye, color);
    }
}

fn draw_marquee(
    editor: Res<Editor>,
    input: Res<EditorInput>,
    camera: Single<(&Camera, &GlobalTransform), With<EditorCamera>>,
    mut gizmos: Gizmos,
) {
    let (Some(from), Some(to)) = (editor.marquee, input.cursor) else { return };
    let (camera, transform) = *camera;
    let corners = [from, Vec2::new(to.x, from.y), to, Vec2::new(from.x, to.y)];
    // On a plane right behind the near plane.
    let points = corners.map(|pixel| {
        let ray = camera.viewport_to_world(transform, pixel).ok()?;
        Some(ray.get_point(0.02 / ray.direction.dot(*transform.forward())))
    });
    gizmos.lineloop(points.into_iter().flatten(), Color::srgb(0.4, 0.8, 1.0));
}

fn draw_snap(editor: Res<Editor>, mut gizmos: Gizmos) {
    if let Some(snap) = &editor.snap {
        gizmos.sphere(snap.pick.point, 0.12, Color::srgb(0.3, 1.0, 0.4));
    }
}

fn show_state(world: &mut World) {
    let title = format!("hitscan editor: {}", script::summary(world));
    let mut windows = world.query_filtered::<&mut Window, With<PrimaryWindow>>();
    if let Ok(mut window) = windows.single_mut(world)
        && window.title != title
    {
        window.title = title;
    }
}

fn read_input(
    mut input: ResMut<EditorInput>,
    window: Single<&Window, With<PrimaryWindow>>,
    buttons: Res<ButtonInput<MouseButton>>,
    keys: Res<ButtonInput<KeyCode>>,
) {
    *input = EditorInput {
        cursor: window.cursor_position().or(input.cursor),
        is_pressed: buttons.pressed(MouseButton::Left),
        draws_marquee: keys.any_pressed([KeyCode::ShiftLeft, KeyCode::ShiftRight]),
        snaps: keys.pressed(KeyCode::KeyV),
    };
}

/// Orbits about the middle of the world by the right button, and zooms by the wheel.
fn orbit(
    mut camera: Single<&mut Transform, With<EditorCamera>>,
    buttons: Res<ButtonInput<MouseButton>>,
    motion: Res<AccumulatedMouseMotion>,
    scroll: Res<AccumulatedMouseScroll>,
) {
    const CENTER: Vec3 = Vec3::ZERO;
    if buttons.pressed(MouseButton::Right) {
        let turn = Quat::from_rotation_y(-0.006 * motion.delta.x);
        camera.rotate_around(CENTER, turn);
        let tilt = Quat::from_axis_angle(*camera.right(), -0.006 * motion.delta.y);
        let tilted = tilt * (camera.translation - CENTER);
        if tilted.normalize().y.abs() < 0.98 {
            camera.rotate_around(CENTER, tilt);
        }
    }
    if scroll.delta.y != 0.0 {
        camera.translation = CENTER + (camera.translation - CENTER) * 0.9f32.powf(scroll.delta.y);
    }
}

/// Lets the character sway.
fn sway(time: Res<Time>, mut waists: Query<&mut Transform, (With<Waist>, Without<EditorCamera>)>) {
    let angle = 0.8 * (1.3 * time.elapsed_secs()).sin();
    for mut transform in &mut waists {
        transform.rotation = Quat::from_rotation_z(angle);
    }
}

fn toggle_boxes(keys: Res<ButtonInput<KeyCode>>, mut debug: ResMut<HitscanDebug>) {
    if keys.just_pressed(KeyCode::KeyB) {
        debug.boxes = !debug.boxes;
    }
}

/// The session of the script, step by step.
struct Playback {
    folder: PathBuf,
    steps: vec::IntoIter<Step>,
    /// Frames until the next step.
    wait: u32,
    shown: Option<&'static str>,
}

/// Frames until the renderer has the meshes and materials.
const WARM_UP: u32 = 30;
const FRAMES_PER_STEP: u32 = 4;

fn play(world: &mut World) {
    let mut playback = world.remove_non_send::<Playback>().expect("inserted at the start");
    let is_ready = world.resource::<HitscanWorld>().n_pending() == 0;
    playback.wait = playback.wait.saturating_sub(u32::from(is_ready));
    if playback.wait == 0 {
        playback.wait = FRAMES_PER_STEP;
        if let Some(act) = playback.shown.take() {
            println!("{act}: {}", script::summary(world));
            let path = playback.folder.join(format!("{act}.png"));
            world.spawn(Screenshot::primary_window()).observe(save_to_disk(path));
        } else {
            match playback.steps.next() {
                Some(Step::Show(act)) => playback.shown = Some(act),
                Some(step) => {
                    if let Some(cursor) = script::perform(world, step) {
                        move_pointer(world, cursor);
                    }
                }
                // Another step's time for the last picture.
                None if playback.folder.as_os_str().is_empty() => {
                    world.write_message(AppExit::Success);
                }
                None => {
                    playback.folder = PathBuf::new();
                    playback.wait = WARM_UP;
                }
            }
        }
    }
    world.insert_non_send(playback);
}

fn move_pointer(world: &mut World, position: Vec2) {
    let mut windows = world.query_filtered::<Entity, With<PrimaryWindow>>();
    let window = windows.single(world).expect("the app has a window");
    let target = bevy::window::WindowRef::Entity(window).normalize(None).expect("an entity");
    let target = bevy::camera::NormalizedRenderTarget::Window(target);
    let action = PointerAction::Move { delta: Vec2::ONE };
    let input = PointerInput::new(PointerId::Mouse, Location { target, position }, action);
    world.write_message(input);
}
