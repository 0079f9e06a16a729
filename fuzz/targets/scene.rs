//! Any bytes as a scene file whose meshes all exist: a valid scene has the answers of the loop over its
//! instances, and the same instances after it was saved.

#![no_main]

use std::str;
use std::sync::Arc;

use hitscan::BuildOptions;
use hitscan::primitives::generate;
use hitscan::scene::{Instance, Mesh, Scene};
use hitscan::scene_file::{MeshFile, parse, to_text};
use hitscan_fuzz::{ONE_THREAD, bounded, check_scene, seed_of};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| bounded(data.len(), || ONE_THREAD.install(|| check(data))));

fn check(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    let mut load = |_: &MeshFile| {
        let cuboid = generate::cuboid(1.0, 2.0, 3.0, 0).expect("an ordinary size");
        Ok(Arc::new(Mesh::new(cuboid, &BuildOptions::default())))
    };
    match parse(text, "scene.toml", &mut load) {
        Ok(scene) => {
            check_saving(&scene);
            for (id, _) in scene.iter() {
                assert!(scene.world_transform(id).is_some_and(|world| world.is_finite()));
            }
            check_scene(&scene, seed_of(data));
        }
        Err(error) => {
            let message = error.to_string();
            assert!(message.starts_with("scene.toml"), "{message}");
        }
    }
}

/// A scene that is saved and read again has the same instances.
fn check_saving(scene: &Scene) {
    let text = to_text(scene, |_| Some(MeshFile::new("mesh.obj"))).expect("every mesh has a file");
    let mut mesh = None;
    let mut load = |_: &MeshFile| {
        let first = scene.iter().find_map(|(_, instance)| instance.mesh.clone());
        Ok(mesh.get_or_insert_with(|| first.expect("only a mesh has a file")).clone())
    };
    let again = parse(&text, "saved.toml", &mut load).expect("what we write is right");
    assert_eq!(facts(&again), facts(scene), "{text}");
}

/// The facts of each instance, by its order.
fn facts(scene: &Scene) -> Vec<(u64, String, Vec<u64>)> {
    let order = |id| scene.insertion_order(id).expect("it is in the scene");
    let facts = |id| {
        let Instance { transform, parent, name, layers, hidden, locked, mesh } =
            scene.get(id).expect("it is in the scene");
        let bits = transform.to_cols_array().map(f64::to_bits).to_vec();
        let rest = (parent.map(order), name, layers, hidden, locked, mesh.is_some());
        (order(id), format!("{rest:?}"), bits)
    };
    scene.depth_first().into_iter().map(facts).collect()
}
