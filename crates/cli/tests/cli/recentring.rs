//! Files in coordinates that single precision cannot hold, in every command.

use std::fs;

use serde_json::Value;

use crate::support::{file, folder, hitscan, hitscan_in, path};

/// A cube of side 8 in UTM metres.
const HOUSE: &str = "v 507960.880 5039558.630 35.040\nv 507968.880 5039558.630 35.040
v 507960.880 5039566.630 35.040\nv 507968.880 5039566.630 35.040
v 507960.880 5039558.630 43.040\nv 507968.880 5039558.630 43.040
v 507960.880 5039566.630 43.040\nv 507968.880 5039566.630 43.040
f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";

/// Twice the rounding of single precision within 8 units.
const TOLERANCE: f64 = 2e-6;

#[track_caller]
fn assert_near(found: &Value, expected: &[f64]) {
    let found = found.as_array().expect("a list");
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        let found = found.as_f64().expect("a number");
        assert!((found - expected).abs() < TOLERANCE, "{found}, expected {expected}");
    }
}

/// The house in every form that commands read.
fn houses(folder: &std::path::Path) -> Vec<String> {
    let obj = file(folder, "house.obj", HOUSE);
    let mut files = vec![obj.clone()];
    for name in ["house.stl", "house.ply", "house.glb", "again.obj"] {
        let other = path(folder, name);
        hitscan(&format!("convert {obj} {other}")).expect_code(0);
        files.push(other);
    }
    let scene = "meshes.house = \"house.obj\"\ninstances = [{ mesh = \"house\" }]\n";
    files.push(file(folder, "scene.toml", scene));
    for (name, from) in [("house.hitscan", &obj), ("scene.hitscan", &files[5].clone())] {
        let other = path(folder, name);
        hitscan(&format!("build {from} -o {other}")).expect_code(0);
        files.push(other);
    }
    files
}

#[test]
fn rays_hit_the_house_and_miss_beside_it() {
    let folder = folder();
    for house in houses(folder.path()) {
        for flags in ["", "--brute", "--all --once-per-crossing"] {
            let cast = |x: &str| {
                let ray = format!("--from {x},5039562,150 --dir 0,0,-1 --format ndjson");
                hitscan(&format!("cast {house} {ray} {flags}"))
            };
            let run = cast("507960.98").expect_code(0);
            let hit = &run.json_lines()[0]["hits"][0];
            assert_near(&hit["point"], &[507_960.98, 5_039_562.0, 43.04]);
            assert_near(&serde_json::json!([hit["t"]]), &[106.96]);
            cast("507960.78").expect_code(1);
            cast("507968.98").expect_code(1);
        }
    }
}

#[test]
fn points_are_measured_in_the_coordinates_of_the_file() {
    let folder = folder();
    let points = "507960.63,5039562,39\n507961.13,5039562,39\n";
    for house in houses(folder.path()) {
        let run = hitscan_in(
            folder.path(),
            &format!("points {house} --points - --points-format csv --format ndjson"),
            points.as_bytes(),
        );
        let lines = run.expect_code(0).json_lines();
        for (line, [x, distance]) in lines.iter().zip([[507_960.63, 0.25], [507_961.13, -0.25]]) {
            assert_near(&line["closest"], &[507_960.88, 5_039_562.0, 39.0]);
            assert_near(&line["position"], &[x, 5_039_562.0, 39.0]);
            assert_near(&serde_json::json!([line["signed_distance"]]), &[distance]);
        }
        let at = "--at 507960.63,5039562,39 --format ndjson";
        let single = hitscan(&format!("points {house} {at}")).expect_code(0).json_lines();
        assert_eq!(single[0]["closest"], lines[0]["closest"]);
    }
}

#[test]
fn info_tells_the_offset_and_the_bounds_of_the_file() {
    let folder = folder();
    let house = file(folder.path(), "house.obj", HOUSE);
    let cache = path(folder.path(), "house.hitscan");
    hitscan(&format!("build {house} -o {cache}")).expect_code(0);
    for file in [&house, &cache] {
        let text = hitscan(&format!("info {file}")).expect_code(0);
        let bounds = "bounds      [507960.88, 5039558.63, 35.04] to [507968.88, 5039566.63, 43.04]";
        assert!(text.text().contains(bounds), "{}", text.text());
        let line = "recentred   by [507965.0, 5039563.0, 39.0], because single precision has steps \
                    of 0.5 there";
        assert!(text.text().contains(line), "{}", text.text());
        let json = hitscan(&format!("info {file} --json")).expect_code(0);
        let json: Value = serde_json::from_slice(&json.stdout).expect("it is JSON");
        assert_eq!(json["offset"], serde_json::json!([507_965.0, 5_039_563.0, 39.0]));
        assert_eq!(json["bounds"]["min"], serde_json::json!([507_960.88, 5_039_558.63, 35.04]));
        assert_eq!((&json["degenerate"], &json["closed"]), (&0.into(), &true.into()));
    }
}

#[test]
fn convert_writes_the_coordinates_of_the_file() {
    let folder = folder();
    houses(folder.path());
    let again = fs::read_to_string(folder.path().join("again.obj")).expect("it was written");
    let numbers = |text: &str| -> Vec<f64> {
        let vertices = text.lines().filter(|line| line.starts_with("v "));
        let words = vertices.flat_map(|line| line.split(' ').skip(1));
        words.map(|word| word.parse().expect("a number")).collect()
    };
    assert_eq!(numbers(&again), numbers(HOUSE));
    // Millimetres, with y up.
    let up = path(folder.path(), "up.obj");
    let house = path(folder.path(), "house.obj");
    hitscan(&format!("convert {house} {up} --scale 1000 --up y")).expect_code(0);
    let up = fs::read_to_string(up).expect("it was written");
    assert!(up.starts_with("v 507960880 35040 -5.03955863e9\n"), "{up}");
}

#[test]
fn without_recentring_a_note_tells_the_loss() {
    let folder = folder();
    let house = file(folder.path(), "house.obj", HOUSE);
    let run = hitscan(&format!("info {house} --no-recentre")).expect_code(0);
    assert!(!run.text().contains("recentred"), "{}", run.text());
    assert!(run.stderr.contains("positions rounded by up to 0.12"), "{}", run.stderr);
}

/// A triangle in glTF, whose node lies at `x`.
fn gltf(folder: &std::path::Path, x: f64) -> String {
    let bytes: Vec<u8> = [0f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]
        .iter()
        .flat_map(|x| x.to_le_bytes())
        .collect();
    file(folder, "triangle.bin", bytes);
    let text = serde_json::json!({
        "asset": { "version": "2.0" },
        "scene": 0,
        "scenes": [{ "nodes": [0] }],
        "nodes": [{ "mesh": 0, "translation": [x, 0.0, 0.0] }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 } }] }],
        "accessors": [{
            "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3",
            "min": [0, 0, 0], "max": [1, 1, 0]
        }],
        "bufferViews": [{ "buffer": 0, "byteLength": 36 }],
        "buffers": [{ "uri": "triangle.bin", "byteLength": 36 }]
    });
    file(folder, "far.gltf", text.to_string())
}

#[test]
fn without_recentring_a_note_tells_the_loss_of_a_merged_scene() {
    let folder = folder();
    let far = gltf(folder.path(), 5_000_000.3);
    let out = path(folder.path(), "out.obj");
    let note = "positions rounded by up to 0.2";
    let scene = "meshes.t = { file = \"far.gltf\", mesh = 0 }\n\
                 instances = [{ mesh = \"t\", translation = [5e6, 0.3, 0.3] }]\n";
    let scene = file(folder.path(), "scene.toml", scene.replace("5e6", "5000000.3"));
    for input in [&far, &scene] {
        let run = hitscan(&format!("convert {input} {out} --no-recentre")).expect_code(0);
        assert_eq!(run.stderr.matches(note).count(), 1, "{input}: {}", run.stderr);
        let run = hitscan(&format!("convert {input} {out}")).expect_code(0);
        assert!(!run.stderr.contains("rounded"), "{input}: {}", run.stderr);
    }
    let near = gltf(folder.path(), 3.3);
    let run = hitscan(&format!("convert {near} {out} --no-recentre")).expect_code(0);
    assert!(!run.stderr.contains("rounded"), "{}", run.stderr);
    // A far place that comes from --scale.
    let house =
        file(folder.path(), "near.obj", "v 1 2 3\nv 1.0078125 2 3\nv 1 2.0078125 3\nf 1 2 3\n");
    let run =
        hitscan(&format!("convert {house} {out} --no-recentre --scale 1000.1")).expect_code(0);
    assert_eq!(run.stderr.matches("positions rounded by").count(), 1, "{}", run.stderr);
}

#[test]
fn a_note_tells_of_a_mesh_that_is_too_large_for_an_offset_and_far() {
    let folder = folder();
    // The size is a share of the distance from the origin.
    let square = |size: f64| {
        let [a, b] = [5_400_000.0, 5_400_000.0 + size];
        let text = format!("v {a} 0 0\nv {b} 0 0\nv {a} {size} 0.1\nf 1 2 3\n");
        file(folder.path(), "square.obj", text)
    };
    let note = "no offset, because the mesh is larger than a sixteenth of its distance from the \
                origin; single precision has steps of 0.5 there";
    let city = square(450_000.0);
    let run = hitscan(&format!("info {city}")).expect_code(0);
    assert!(run.text().contains(note) && run.stderr.contains(note), "{}", run.text());
    let run = hitscan(&format!("cast {city} --from 5500000,1,9 --dir 0,0,-1")).expect_code(0);
    assert!(run.stderr.contains(note), "{}", run.stderr);
    // Nearer, or farther, where the mesh has an offset.
    for size in [2_000_000.0, 8.1] {
        let run = hitscan(&format!("info {}", square(size))).expect_code(0);
        assert!(!run.text().contains("no offset"), "{size}: {}", run.text());
        assert_eq!(run.text().contains("recentred"), size == 8.1, "{size}: {}", run.text());
    }
}

#[test]
fn check_and_pick_work_far_from_the_origin() {
    let folder = folder();
    let house = file(folder.path(), "house.obj", HOUSE);
    let run = hitscan(&format!("check {house} --rays 500")).expect_code(0);
    assert!(run.text().contains(", 0 differences"), "{}", run.text());
    let run = hitscan(&format!(
        "pick {house} --eye 508000,5039600,100 --target 507964.88,5039562.63,39 --size 800x600 --pixel 400,300 --format ndjson"
    ));
    let line = &run.expect_code(0).json_lines()[0];
    let point = line["point"].as_array().expect("a point");
    let x = point[0].as_f64().expect("a number");
    assert!((507_960.87..507_968.89).contains(&x), "{line}");
    let picture = path(folder.path(), "house.png");
    hitscan(&format!("render {house} --size 64x48 -o {picture}")).expect_code(0);
}
