//! The files beside the repository, if they exist. The integration tests compare them with their manifests.

use std::path::{Path, PathBuf};

use hitscan_obj::{LoadOptions, load};

/// A folder of the collection beside the repository; `None` if it is missing.
pub(crate) fn folder(name: &str) -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(3)?;
    let folder = root.join("shared").join(name);
    folder.is_dir().then_some(folder)
}

#[test]
fn real_models_load_with_nothing_left_out() {
    let Some(folder) = folder("meshes") else { return };
    for name in ["kitchen.obj", "legocar.obj", "stanford-bunny.obj", "suzanne.obj"] {
        let loaded = load(folder.join(name), &LoadOptions::default()).unwrap();
        assert_eq!(loaded.report.n_ignored(), 0, "{name}: {}", loaded.report);
        let records = loaded.mesh.records().unwrap();
        for polygon in 0..records.n_polygons() as u32 {
            let material = records.material(polygon);
            assert!(material.is_none_or(|name| loaded.material(name).is_some()), "{material:?}");
        }
    }
}
