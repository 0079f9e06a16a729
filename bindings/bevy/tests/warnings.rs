//! One warning for each mesh that rays cannot hit, or only in part. A process of its own, because the log
//! belongs to the process.

use std::{
    fmt::{Debug, Write},
    sync::{Arc, Mutex},
};

use bevy_app::{App, TaskPoolPlugin};
use bevy_asset::{AssetPlugin, Assets, Handle, RenderAssetUsages};
use bevy_mesh::{Indices, Mesh, Mesh3d, MeshPlugin, PrimitiveTopology};
use bevy_picking::mesh_picking::MeshPickingPlugin;
use bevy_transform::components::Transform;
use hitscan_bevy::{HitscanPickingPlugin, HitscanPlugin, HitscanPolygons, HitscanWorld};
use tracing::{
    Event, Level, Metadata, Subscriber,
    field::{Field, Visit},
    span,
};

/// Keeps the warnings.
#[derive(Clone, Default)]
struct Warnings(Arc<Mutex<Vec<String>>>);

impl Subscriber for Warnings {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() == Level::WARN && metadata.target().starts_with("hitscan_bevy")
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, event: &Event<'_>) {
        struct Message(String);
        impl Visit for Message {
            fn record_debug(&mut self, _: &Field, value: &dyn Debug) {
                write!(self.0, "{value:?}").expect("a string takes everything");
            }
        }
        let mut message = Message(String::new());
        event.record(&mut message);
        self.0.lock().unwrap().push(message.0);
    }

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

fn mesh(topology: PrimitiveTopology) -> Mesh {
    let positions = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    Mesh::new(topology, RenderAssetUsages::default())
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, positions)
}

/// Meshes, each with its warning.
fn cases() -> [(Mesh, Option<&'static str>); 6] {
    let triangles = || mesh(PrimitiveTopology::TriangleList);
    let flat = triangles()
        .with_removed_attribute(Mesh::ATTRIBUTE_POSITION)
        .with_inserted_attribute(Mesh::ATTRIBUTE_UV_0, vec![[0.0, 0.0]; 3]);
    let mut moved = Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::RENDER_WORLD);
    moved.insert_attribute(Mesh::ATTRIBUTE_POSITION, vec![[0.0, 0.0, 0.0]; 3]);
    moved.take_gpu_data().unwrap();
    let broken = triangles().with_inserted_indices(Indices::U32(vec![0, 1, 2, 0, 1, 7, 9, 1, 2]));
    let quads = triangles();
    [
        (triangles(), None),
        (mesh(PrimitiveTopology::LineList), Some("topology LineList has no triangles")),
        (flat, Some("no positions; insert Mesh::ATTRIBUTE_POSITION")),
        (moved, Some("add RenderAssetUsages::MAIN_WORLD")),
        (broken, Some("no ray hits 2 of its triangles")),
        (quads, Some("do not add up to its 1 triangles")),
    ]
}

#[test]
fn each_mesh_that_rays_cannot_hit_warns_once_and_says_what_to_do() {
    let warnings = Warnings::default();
    tracing::subscriber::set_global_default(warnings.clone()).unwrap();
    let mut app = App::new();
    app.add_plugins((TaskPoolPlugin::default(), AssetPlugin::default(), MeshPlugin, HitscanPlugin));

    let cases = cases();
    let handles: Vec<Handle<Mesh>> = cases
        .iter()
        .map(|(mesh, _)| app.world_mut().resource_mut::<Assets<Mesh>>().add(mesh.clone()))
        .collect();
    app.world_mut().resource_mut::<HitscanPolygons>().insert(&handles[5], [2, 2]);
    for handle in &handles {
        // Two entities each, and a change below: still one warning.
        app.world_mut().spawn((Mesh3d(handle.clone()), Transform::IDENTITY));
        app.world_mut().spawn((Mesh3d(handle.clone()), Transform::IDENTITY));
    }
    for _ in 0..2 {
        for _ in 0..100 {
            app.update();
            std::thread::sleep(std::time::Duration::from_millis(1));
            if app.world().resource::<HitscanWorld>().n_pending() == 0 {
                break;
            }
        }
        let mut meshes = app.world_mut().resource_mut::<Assets<Mesh>>();
        for handle in &handles {
            // Marks the asset as changed.
            meshes.get_mut(handle).unwrap().into_inner();
        }
    }
    let found = warnings.0.lock().unwrap().clone();
    for (handle, (_, expected)) in handles.iter().zip(&cases) {
        let name = format!("mesh {}: ", handle.id());
        let of_mesh: Vec<_> = found.iter().filter(|warning| warning.starts_with(&name)).collect();
        match expected {
            None => assert!(of_mesh.is_empty(), "{of_mesh:?}"),
            Some(expected) => {
                assert_eq!(of_mesh.len(), 1, "{found:#?}");
                assert!(of_mesh[0].contains(expected), "{of_mesh:?}");
            }
        }
    }
    assert_eq!(found.len(), 5, "{found:#?}");
    // Three of the meshes have a tree, and two entities each.
    assert_eq!(app.world().resource::<HitscanWorld>().snapshot().len(), 6);
}

#[test]
fn both_backends_at_once_warn_when_the_app_starts_and_one_alone_does_not() {
    let warnings_of = |add: fn(&mut App)| {
        let warnings = Warnings::default();
        tracing::subscriber::with_default(warnings.clone(), || {
            let mut app = App::new();
            app.add_plugins((TaskPoolPlugin::default(), AssetPlugin::default(), MeshPlugin));
            add(&mut app);
            app.finish();
        });
        warnings.0.lock().unwrap().clone()
    };
    let both = warnings_of(|app| _ = app.add_plugins((HitscanPickingPlugin, MeshPickingPlugin)));
    assert_eq!(both.len(), 1, "{both:?}");
    assert!(both[0].contains("remove MeshPickingPlugin"), "{both:?}");
    let reverse = warnings_of(|app| _ = app.add_plugins((MeshPickingPlugin, HitscanPickingPlugin)));
    assert_eq!(reverse, both);
    assert!(warnings_of(|app| _ = app.add_plugins(HitscanPickingPlugin)).is_empty());
}
