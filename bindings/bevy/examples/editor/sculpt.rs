//! A terrain of 200,000 triangles that a brush changes in each frame, while objects with new meshes appear.

use std::path::PathBuf;

use bevy::{
    asset::RenderAssetUsages,
    core_pipeline::tonemapping::Tonemapping,
    mesh::{Indices, PrimitiveTopology, VertexAttributeValues},
    prelude::*,
    render::{
        RenderPlugin,
        view::screenshot::{Screenshot, save_to_disk},
    },
};
use hitscan_bevy::{
    HitscanEdits, HitscanPickingPlugin, HitscanWorld,
    debug::{HitscanDebug, HitscanDebugPlugin},
};

/// The quads of the terrain along each axis; twice their square is the number of triangles.
const N_QUADS: usize = 317;
const SIZE: f32 = 40.0;
const BRUSH_RADIUS: f32 = 4.0;
const N_OBJECTS: usize = 24;
/// The frames between two new objects.
const FRAMES_PER_OBJECT: u32 = 5;
/// From this frame on, the brush reports the vertices that it moves.
const FIRST_REPORT: u32 = 160;
/// The frames of the pictures. At the third one, the last object has been there for some forty frames.
const PICTURES: [(u32, &str); 4] =
    [(8, "start"), (40, "objects-appear"), (159, "trees-ready"), (220, "reported")];

#[derive(Resource)]
struct Terrain {
    mesh: Handle<Mesh>,
    heights: Vec<f32>,
}

#[derive(Resource)]
struct Progress {
    folder: Option<PathBuf>,
    frame: u32,
    objects: Vec<Handle<Mesh>>,
}

/// Opens the window. With a folder, saves pictures there and ends.
pub(crate) fn run(folder: Option<PathBuf>) -> AppExit {
    if let Some(folder) = &folder
        && let Err(error) = std::fs::create_dir_all(folder)
    {
        eprintln!("{}: {error}; name a folder for the pictures", folder.display());
        return AppExit::error();
    }
    let mut window = Window { title: "hitscan: sculpting".into(), ..default() };
    if folder.is_some() {
        // A renderer in software takes a tenth of a second a frame.
        window.resolution.set(960.0, 540.0);
    }
    let synchronous_pipeline_compilation = folder.is_some();
    App::new()
        .add_plugins(
            DefaultPlugins
                .set(WindowPlugin { primary_window: Some(window), ..default() })
                .set(RenderPlugin { synchronous_pipeline_compilation, ..default() }),
        )
        .add_plugins((HitscanPickingPlugin, HitscanDebugPlugin))
        .insert_resource(HitscanDebug {
            box_color: Color::srgb(0.2, 1.0, 0.4),
            stale_color: Color::srgb(1.0, 0.45, 0.1),
            ..default()
        })
        .insert_resource(ClearColor(Color::srgb(0.05, 0.06, 0.08)))
        .insert_resource(GlobalAmbientLight { brightness: 200.0, ..default() })
        .insert_resource(Progress { folder, frame: 0, objects: vec![] })
        .add_systems(Startup, set_up)
        .add_systems(Update, (brush, add_objects, take_pictures).chain())
        .run()
}

/// The place of a vertex of the terrain on the ground.
fn ground(vertex: usize) -> Vec2 {
    let row = N_QUADS + 1;
    let cell = Vec2::new((vertex % row) as f32, (vertex / row) as f32) / N_QUADS as f32;
    SIZE * (cell - 0.5)
}

fn set_up(
    mut commands: Commands,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
    progress: Res<Progress>,
) {
    let row = N_QUADS as u32 + 1;
    let heights = vec![0.0; (row * row) as usize];
    let positions: Vec<[f32; 3]> =
        (0..heights.len()).map(|i| ground(i).extend(0.0).xzy().to_array()).collect();
    let quads = (0..row - 1).flat_map(|z| (0..row - 1).map(move |x| z * row + x));
    let indices = quads.flat_map(|i| [i, i + row, i + 1, i + 1, i + row, i + row + 1]).collect();
    let terrain = Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::default())
        .with_inserted_attribute(Mesh::ATTRIBUTE_NORMAL, vec![[0.0, 1.0, 0.0]; positions.len()])
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, positions)
        .with_inserted_indices(Indices::U32(indices));
    let mesh = meshes.add(terrain);
    let material = materials.add(StandardMaterial::from_color(Color::srgb(0.35, 0.32, 0.28)));
    commands.spawn((Mesh3d(mesh.clone()), MeshMaterial3d(material), Transform::IDENTITY));
    commands.insert_resource(Terrain { mesh, heights });
    commands.spawn((
        Camera3d::default(),
        // Needs no look-up table.
        Tonemapping::AcesFitted,
        if progress.folder.is_some() { Msaa::Off } else { Msaa::default() },
        Transform::from_xyz(0.0, 20.0, 34.0).looking_at(Vec3::new(0.0, 1.0, 2.0), Vec3::Y),
    ));
    commands.spawn((
        DirectionalLight { illuminance: 7000.0, ..default() },
        Transform::from_xyz(12.0, 9.0, 5.0).looking_at(Vec3::ZERO, Vec3::Y),
    ));
}

/// Raises the terrain below a brush that runs in circles.
fn brush(
    mut terrain: ResMut<Terrain>,
    mut meshes: ResMut<Assets<Mesh>>,
    mut edits: ResMut<HitscanEdits>,
    mut progress: ResMut<Progress>,
) {
    progress.frame += 1;
    let angle = 0.05 * progress.frame as f32;
    let center = 0.3 * SIZE * Vec2::new(angle.cos(), angle.sin());
    let terrain = &mut *terrain;
    let Some(mut mesh) = meshes.get_mut(&terrain.mesh) else { return };
    let mut moved = vec![];
    for (i, height) in terrain.heights.iter_mut().enumerate() {
        let share = ground(i).distance(center) / BRUSH_RADIUS;
        if share < 1.0 {
            *height += 0.12 * (1.0 - share * share).powi(2);
            moved.push(i as u32);
        }
    }
    if let Some(VertexAttributeValues::Float32x3(positions)) =
        mesh.attribute_mut(Mesh::ATTRIBUTE_POSITION)
    {
        moved.iter().for_each(|&i| positions[i as usize][1] = terrain.heights[i as usize]);
    }
    if let Some(VertexAttributeValues::Float32x3(normals)) =
        mesh.attribute_mut(Mesh::ATTRIBUTE_NORMAL)
    {
        let (row, step) = (N_QUADS + 1, 2.0 * SIZE / N_QUADS as f32);
        for &i in &moved {
            let i = i as usize;
            let height = |i: usize| terrain.heights[i];
            let slope = [height(i + 1) - height(i - 1), height(i + row) - height(i - row)];
            let normal = Vec3::new(-slope[0], step, -slope[1]).normalize();
            normals[i] = normal.to_array();
        }
    }
    if progress.frame >= FIRST_REPORT {
        edits.moved_vertices(&terrain.mesh, moved);
    }
}

/// Adds an object with a new mesh every few frames.
fn add_objects(
    mut commands: Commands,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
    mut progress: ResMut<Progress>,
) {
    let n = progress.objects.len();
    if n >= N_OBJECTS || !progress.frame.is_multiple_of(FRAMES_PER_OBJECT) {
        return;
    }
    let mesh = match n % 3 {
        0 => Sphere::new(1.0).mesh().uv(64 + 4 * n as u32, 48),
        1 => Torus::new(0.5, 1.0).mesh().build(),
        _ => Cuboid::from_length(1.6).mesh().build(),
    };
    let mesh = meshes.add(mesh);
    progress.objects.push(mesh.clone());
    let at = Vec3::new(4.5 * (n % 6) as f32 - 11.25, 5.0, 5.0 * (n / 6) as f32 - 9.0);
    let color = Color::hsl(15.0 * n as f32, 0.5, 0.6);
    let material = MeshMaterial3d(materials.add(StandardMaterial::from_color(color)));
    commands.spawn((Mesh3d(mesh), material, Transform::from_translation(at)));
}

/// Prints the state of the trees and saves a picture at some frames, then ends.
fn take_pictures(
    mut commands: Commands,
    world: Res<HitscanWorld>,
    terrain: Res<Terrain>,
    progress: Res<Progress>,
    mut exit: MessageWriter<AppExit>,
) {
    let Progress { folder: Some(folder), frame, objects } = &*progress else { return };
    let n_ready = objects.iter().filter(|&object| world.is_ready(object)).count();
    for (_, name) in PICTURES.iter().filter(|(at, _)| at == frame) {
        println!(
            "{name}, frame {frame}: {n_ready} of {} objects have their tree; that of the terrain \
             is {}",
            objects.len(),
            if world.is_ready(&terrain.mesh) { "current" } else { "some frames old" },
        );
        let path = folder.join(format!("sculpt-{name}.png"));
        commands.spawn(Screenshot::primary_window()).observe(save_to_disk(path));
    }
    if *frame == FIRST_REPORT && n_ready < N_OBJECTS {
        eprintln!("only {n_ready} of {N_OBJECTS} objects have their tree");
        exit.write(AppExit::error());
    }
    // Some frames later, the last picture is saved.
    if *frame > PICTURES[PICTURES.len() - 1].0 + 30 {
        exit.write(AppExit::Success);
    }
}
