//! The files beside the repository, if they exist. Their manifests define the expected results.

use std::{
    fs,
    path::{Path, PathBuf},
};

use hitscan_obj::{LoadOptions, ObjModel, load};
use hitscan_primitives::{Faces, Ray, brute_force};
use serde_json::Value;

/// A folder of the collection beside the repository; `None` if it is missing.
pub(crate) fn folder(name: &str) -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(3)?;
    let folder = root.join("shared").join(name);
    folder.is_dir().then_some(folder)
}

fn json(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn check_manifest(folder: &Path) -> usize {
    let manifest = json(&folder.join("manifest.json"));
    let cases = manifest["cases"].as_array().unwrap();
    for case in cases {
        let name = case["file"].as_str().unwrap();
        let outcome = case["outcome"].as_str().unwrap();
        match load(folder.join(name), &LoadOptions::default()) {
            Ok(loaded) => {
                assert_ne!(outcome, "error", "{name}");
                check_loaded(name, case, &loaded);
            }
            Err(error) => {
                assert_ne!(outcome, "ok", "{name}: {error}");
                let text = error.to_string();
                assert!(text.contains(name), "{text}");
                if let Some(lines) = case["error_line"].as_array() {
                    let line = error.line.unwrap_or_else(|| panic!("{text}"));
                    assert!(lines.iter().any(|l| l.as_u64() == Some(line)), "{name}: {text}");
                    assert!(text.contains(&format!(":{line}: ")), "{text}");
                }
            }
        }
    }
    cases.len()
}

fn check_loaded(name: &str, case: &Value, loaded: &ObjModel) {
    let n = loaded.mesh.triangles().len() as u64;
    match &case["triangles"] {
        Value::Array(range) => {
            let [least, most] = [0, 1].map(|i| range[i].as_u64().unwrap());
            assert!((least..=most).contains(&n), "{name}: {n} triangles");
        }
        expected => assert_eq!(Some(n), expected.as_u64(), "{name}"),
    }
    for probe in case["probes"].as_array().into_iter().flatten() {
        let vector = |key: &str| [0, 1, 2].map(|i| probe[key][i].as_f64().unwrap() as f32);
        let ray = Ray::new(vector("origin"), vector("dir"));
        let t =
            brute_force::closest_hit(&loaded.mesh, &ray, Faces::Both).map(|hit| f64::from(hit.t));
        match (t, probe["t"].as_f64()) {
            (None, None) => {}
            (Some(t), Some(expected)) if (t - expected).abs() <= 1e-4 * expected => {}
            (t, expected) => panic!("{name}: {t:?}, expected {expected:?}, at {probe}"),
        }
    }
    if case["warn"].as_bool() == Some(true) {
        assert!(!loaded.report.to_string().is_empty(), "{name}");
    }
}

#[test]
fn hostile_files_give_the_result_of_their_manifest() {
    let Some(folder) = folder("bad-obj") else { return };
    assert_eq!(check_manifest(&folder), 33);
}

#[test]
fn awkward_files_load_as_in_their_manifest() {
    let Some(folder) = folder("meshes/awkward") else { return };
    assert_eq!(check_manifest(&folder), 14);
}

#[test]
fn counts_and_bounds_are_those_of_an_independent_reader() {
    let Some(folder) = folder("meshes") else { return };
    let stats = json(&folder.join("stats.json"));
    let stats = stats.as_object().unwrap();
    assert!(stats.len() >= 33);
    for (name, stats) in stats {
        let ObjModel { mesh, report, .. } =
            load(folder.join(name), &LoadOptions::default()).unwrap();
        let counts = [
            ("vertices", report.n_vertices),
            ("vt", report.n_texture_coordinates),
            ("vn", report.n_normals),
            ("faces", report.n_polygons),
            ("triangles", report.n_triangles),
        ];
        for (key, found) in counts {
            assert_eq!(Some(found), stats[key].as_u64(), "{name}: {key}");
        }
        assert_eq!(mesh.triangles().len() as u64, report.n_triangles);
        if let Some(zero_area) = stats["zero_area_triangles"].as_u64() {
            println!("{name}: {} degenerate, theirs {zero_area}", report.n_degenerate_triangles);
        }
        if mesh.triangles().is_empty() {
            continue;
        }
        let bounds = mesh.bounds();
        for (key, corner) in [("bbox_min", bounds.min), ("bbox_max", bounds.max)] {
            for axis in 0..3 {
                let expected = stats[key][axis].as_f64().unwrap() as f32;
                assert_eq!(corner[axis], expected, "{name}: {key}");
            }
        }
    }
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
