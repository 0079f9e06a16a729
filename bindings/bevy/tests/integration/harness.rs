//! A headless app with a window, cameras, pointers and a log of everything that picking reports.

use bevy_app::{App, Last, PostUpdate, TaskPoolOptions, TaskPoolPlugin};
use bevy_asset::{AssetPlugin, Assets, Handle};
use bevy_camera::{
    Camera, Camera3d, CameraPlugin, NormalizedRenderTarget, Projection, RenderTarget,
    RenderTargetInfo, Viewport, visibility::VisibilitySystems,
};
use bevy_ecs::prelude::*;
use bevy_math::{Quat, UVec2, Vec2, Vec3};
use bevy_mesh::{Mesh, MeshPlugin};
use bevy_picking::{
    InteractionPlugin, PickingPlugin,
    backend::{HitData, PointerHits},
    events::{Click, Drag, DragEnd, DragStart, Move, Out, Over, Pointer, Press, Release},
    mesh_picking::MeshPickingPlugin,
    pointer::{Location, PointerAction, PointerId, PointerInput},
};
use bevy_time::TimePlugin;
use bevy_transform::{TransformPlugin, components::Transform};
use bevy_window::{PrimaryWindow, Window, WindowRef, WindowResolution};
use hitscan_bevy::{HitscanPickingPlugin, HitscanWorld};

/// The backend of an app.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Backend {
    BuiltIn,
    Hitscan,
}

impl Backend {
    /// Adds the plugin.
    pub(crate) fn add_to(self, app: &mut App) {
        match self {
            Self::BuiltIn => app.add_plugins(MeshPickingPlugin),
            Self::Hitscan => app.add_plugins(HitscanPickingPlugin),
        };
    }
}

pub(crate) const BOTH: [Backend; 2] = [Backend::BuiltIn, Backend::Hitscan];

/// The name of an entity that two apps share.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Tag(pub(crate) usize);

/// A message of picking, with tags in place of entities.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub(crate) frame: usize,
    pub(crate) pointer: PointerId,
    pub(crate) kind: &'static str,
    pub(crate) target: Option<Tag>,
    pub(crate) camera: Option<Tag>,
    /// The order of `PointerHits`.
    pub(crate) order: f32,
    pub(crate) hit: Option<HitData>,
}

impl Record {
    /// Everything but positions, which differ by rounding.
    pub(crate) fn key(&self) -> (usize, String, &'static str, Option<Tag>, Option<Tag>, u32) {
        let pointer = format!("{:?}", self.pointer);
        (self.frame, pointer, self.kind, self.target, self.camera, self.order.to_bits())
    }
}

#[derive(Resource, Default)]
struct Log {
    frame: usize,
    records: Vec<Record>,
}

pub(crate) struct Harness {
    pub(crate) app: App,
    pub(crate) window: Entity,
    n_cameras: usize,
}

/// The logical size of the window.
pub(crate) const SIZE: Vec2 = Vec2::new(800.0, 600.0);
/// The size of each image that a camera draws to.
pub(crate) const IMAGE_SIZE: Vec2 = Vec2::new(256.0, 128.0);

impl Harness {
    pub(crate) fn new(backend: Backend) -> Self {
        Self::with_scale(backend, 1.0)
    }

    pub(crate) fn with_scale(backend: Backend, scale_factor: f32) -> Self {
        Self::with_plugins(scale_factor, |app| backend.add_to(app))
    }

    /// An app with a backend of the caller's.
    pub(crate) fn with_plugins(scale_factor: f32, add_backend: impl FnOnce(&mut App)) -> Self {
        let mut app = App::new();
        app.add_plugins((
            pools(),
            TimePlugin,
            TransformPlugin,
            AssetPlugin::default(),
            MeshPlugin,
            CameraPlugin,
            PickingPlugin,
            InteractionPlugin,
        ));
        add_backend(&mut app);
        app.init_resource::<Log>()
            .add_systems(PostUpdate, fill_cameras.before(VisibilitySystems::UpdateFrusta))
            .add_systems(Last, (log_hits, log_events).chain());
        app.finish();
        app.cleanup();
        let mut harness = Self { app, window: Entity::PLACEHOLDER, n_cameras: 0 };
        harness.window = harness.spawn_window(scale_factor, true);
        harness.app.world_mut().spawn(PointerId::Mouse);
        harness
    }

    pub(crate) fn spawn_window(&mut self, scale_factor: f32, is_primary: bool) -> Entity {
        let physical = (scale_factor * SIZE).as_uvec2();
        let resolution =
            WindowResolution::new(physical.x, physical.y).with_scale_factor_override(scale_factor);
        let window = Window { resolution, ..Default::default() };
        let mut entity = self.app.world_mut().spawn(window);
        if is_primary {
            entity.insert(PrimaryWindow);
        }
        entity.id()
    }

    /// A camera on the primary window; `viewport` is in physical pixels.
    pub(crate) fn spawn_camera(
        &mut self,
        transform: Transform,
        order: isize,
        viewport: Option<(UVec2, UVec2)>,
    ) -> Entity {
        let viewport = viewport.map(|(physical_position, physical_size)| Viewport {
            physical_position,
            physical_size,
            ..Default::default()
        });
        self.n_cameras += 1;
        let camera = Camera { order, viewport, ..Default::default() };
        let tag = Tag(1_000_000 + self.n_cameras);
        self.app.world_mut().spawn((Camera3d::default(), camera, transform, tag)).id()
    }

    /// Draws a camera to another window.
    pub(crate) fn set_window(&mut self, camera: Entity, window: Entity) {
        let target = RenderTarget::Window(WindowRef::Entity(window));
        self.app.world_mut().entity_mut(camera).insert(target);
    }

    pub(crate) fn add_mesh(&mut self, mesh: impl Into<Mesh>) -> Handle<Mesh> {
        self.app.world_mut().resource_mut::<Assets<Mesh>>().add(mesh.into())
    }

    pub(crate) fn frame(&mut self) {
        self.app.world_mut().resource_mut::<Log>().frame += 1;
        self.app.update();
    }

    /// Runs frames until all trees are ready. The log then starts at frame 0.
    pub(crate) fn settle(&mut self) {
        for _ in 0..3 {
            self.frame();
        }
        while self.n_pending() > 0 {
            std::thread::sleep(std::time::Duration::from_millis(1));
            self.frame();
        }
        self.clear_log();
    }

    pub(crate) fn clear_log(&mut self) {
        *self.app.world_mut().resource_mut::<Log>() = Log::default();
    }

    pub(crate) fn n_pending(&self) -> usize {
        self.app.world().get_resource::<HitscanWorld>().map_or(0, HitscanWorld::n_pending)
    }

    /// Sends an input of a pointer, in logical pixels of the primary window.
    pub(crate) fn input(&mut self, pointer: PointerId, position: Vec2, action: PointerAction) {
        self.input_in(self.window, pointer, position, action);
    }

    pub(crate) fn input_in(
        &mut self,
        window: Entity,
        pointer: PointerId,
        position: Vec2,
        action: PointerAction,
    ) {
        let window = WindowRef::Entity(window).normalize(None).expect("the window is an entity");
        let target = NormalizedRenderTarget::Window(window);
        let input = PointerInput::new(pointer, Location { target, position }, action);
        self.app.world_mut().write_message(input);
    }

    /// Moves the mouse and runs a frame.
    pub(crate) fn hover(&mut self, position: Vec2) {
        self.input(PointerId::Mouse, position, PointerAction::Move { delta: Vec2::ONE });
        self.frame();
    }

    /// The records so far, in an order that does not depend on hash maps.
    pub(crate) fn take_log(&mut self) -> Vec<Record> {
        let mut records = std::mem::take(&mut self.app.world_mut().resource_mut::<Log>().records);
        records.sort_by_key(Record::key);
        records
    }

    /// The tags of the entities that the mouse hits at a pixel, sorted.
    pub(crate) fn hits_at(&mut self, position: Vec2) -> Vec<usize> {
        self.take_log();
        self.hover(position);
        let records = self.take_log();
        records
            .iter()
            .filter(|record| record.kind == "hit")
            .filter_map(|record| Some(record.target?.0))
            .collect()
    }
}

/// Pools with two threads for systems. Bevy's default has one on a machine of two cores, so that systems run one by one.
fn pools() -> TaskPoolPlugin {
    let mut task_pool_options = TaskPoolOptions::default();
    task_pool_options.compute.min_threads = 2;
    TaskPoolPlugin { task_pool_options }
}

/// A camera at a distance on the z axis.
pub(crate) fn from_front(distance: f32) -> Transform {
    Transform::from_xyz(0.0, 0.0, distance)
}

/// What Bevy's renderer computes for cameras.
fn fill_cameras(
    mut cameras: Query<(&mut Camera, &mut Projection, &RenderTarget)>,
    windows: Query<&Window>,
    primary: Query<Entity, With<PrimaryWindow>>,
) {
    for (mut camera, mut projection, target) in &mut cameras {
        let of_window = |window: Entity| {
            let resolution = &windows.get(window).unwrap().resolution;
            let scale_factor = resolution.scale_factor();
            RenderTargetInfo { physical_size: resolution.physical_size(), scale_factor }
        };
        camera.computed.target_info = Some(match target {
            RenderTarget::Window(WindowRef::Entity(window)) => of_window(*window),
            RenderTarget::Image(_) => {
                RenderTargetInfo { physical_size: IMAGE_SIZE.as_uvec2(), scale_factor: 1.0 }
            }
            _ => of_window(primary.single().unwrap()),
        });
        let size = camera.logical_viewport_size().unwrap();
        projection.update(size.x, size.y);
        camera.computed.clip_from_view = projection.get_clip_from_view();
    }
}

fn log_hits(mut log: ResMut<Log>, mut hits: MessageReader<PointerHits>, tags: Query<&Tag>) {
    let tag = |entity| tags.get(entity).ok().copied();
    let frame = log.frame;
    for group in hits.read() {
        for (entity, hit) in &group.picks {
            if tag(*entity).is_none() {
                // The window.
                continue;
            }
            log.records.push(Record {
                frame,
                pointer: group.pointer,
                kind: "hit",
                target: tag(*entity),
                camera: tag(hit.camera),
                order: group.order,
                hit: Some(hit.clone()),
            });
        }
    }
}

macro_rules! event_logger {
    ($($reader:ident: $event:ident $(. $hit:ident)?),+ $(,)?) => {
        fn log_events(
            mut log: ResMut<Log>,
            $(mut $reader: MessageReader<Pointer<$event>>,)+
            tags: Query<&Tag>,
        ) {
            let frame = log.frame;
            $(for pointer in $reader.read() {
                let hit: Option<HitData> = None $(.or(Some(pointer.event.$hit.clone())))?;
                let Ok(&target) = tags.get(pointer.entity) else { continue };
                log.records.push(Record {
                    frame,
                    pointer: pointer.pointer_id,
                    kind: stringify!($event),
                    target: Some(target),
                    camera: hit.as_ref().and_then(|hit| tags.get(hit.camera).ok().copied()),
                    order: 0.0,
                    hit,
                });
            })+
        }
    };
}

event_logger! {
    over: Over.hit,
    out: Out.hit,
    moves: Move.hit,
    press: Press.hit,
    release: Release.hit,
    click: Click.hit,
    drag_start: DragStart.hit,
    drag: Drag,
    drag_end: DragEnd,
}

/// A small generator of numbers, the same on every machine.
pub(crate) struct Rng(u64);

impl Rng {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// SplitMix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", 2014).
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    /// From 0 to 1.
    pub(crate) fn unit(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1 << 24) as f32
    }

    pub(crate) fn between(&mut self, min: f32, max: f32) -> f32 {
        min + (max - min) * self.unit()
    }

    pub(crate) fn vec3(&mut self, half: Vec3) -> Vec3 {
        Vec3::new(
            self.between(-half.x, half.x),
            self.between(-half.y, half.y),
            self.between(-half.z, half.z),
        )
    }

    pub(crate) fn rotation(&mut self) -> Quat {
        Quat::from_euler(
            bevy_math::EulerRot::XYZ,
            self.between(-3.0, 3.0),
            self.between(-3.0, 3.0),
            self.between(-3.0, 3.0),
        )
    }
}
