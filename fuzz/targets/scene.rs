//! Any bytes as a scene file whose meshes all exist: a valid scene has the answers of the loop over its
//! instances.

#![no_main]

use std::str;
use std::sync::Arc;

use hitscan::BuildOptions;
use hitscan::primitives::generate;
use hitscan::scene::Mesh;
use hitscan_cli::scene_file::from_text;
use hitscan_fuzz::{ONE_THREAD, bounded, check_scene, seed_of};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| bounded(data.len(), || ONE_THREAD.install(|| check(data))));

fn check(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    let mut load = |_: &std::path::Path| {
        let cuboid = generate::cuboid(1.0, 2.0, 3.0, 0).expect("an ordinary size");
        Ok(Arc::new(Mesh::new(cuboid, &BuildOptions::default())))
    };
    match from_text(text, "scene.toml", &mut load) {
        Ok(scene) => {
            for (id, _) in scene.iter() {
                assert!(scene.world_transform(id).is_some_and(|world| world.is_finite()));
            }
            check_scene(&scene, seed_of(data));
        }
        Err(error) => {
            let message = format!("{error:#}");
            assert!(message.starts_with("scene.toml"), "{message}");
        }
    }
}
