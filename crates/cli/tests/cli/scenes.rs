//! Scenes in every command: TOML, the nodes of glTF, and cache files.

use std::path::Path;

use serde_json::{Value, json};

use crate::support::{Run, file, folder, hitscan, names_in, path};

const SQUARE: &str = "v 0 0 0\nv 4 0 0\nv 4 4 0\nv 0 4 0\nf 1 2 3 4\n";

/// Two squares far from the origin, the second in a group, and a hidden third.
const SCENE: &str = "[meshes]\nsquare = 'square.obj'\nagain = './square.obj'\n\
    [[instances]]\nname = 'group'\ntranslation = [10000000.5, 0, 0]\n\
    [[instances]]\nname = 'near'\nmesh = 'square'\ntranslation = [10000000.5, 0, 0]\n\
    [[instances]]\nname = 'far'\nmesh = 'again'\nparent = 'group'\ntranslation = [0, 0, -10]\n\
    [[instances]]\nmesh = 'square'\nhidden = true\n";

fn scene(folder: &Path) -> String {
    file(folder, "square.obj", SQUARE);
    file(folder, "scene.toml", SCENE)
}

fn json_of(run: &Run) -> Value {
    serde_json::from_slice(&run.stdout).expect("it is JSON")
}

#[test]
fn a_cache_file_replaces_its_scene_in_every_command() {
    let folder = folder();
    let scene = scene(folder.path());
    let cache = path(folder.path(), "scene.hitscan");
    let run = hitscan(&format!("build {scene} -o {cache}")).expect_code(0);
    assert!(run.stderr.contains("4 instances of 1 meshes, 2 triangles, "), "{}", run.stderr);
    let camera = "--eye 10000002.5,2,30 --target 10000002.5,2,0 --size 80x60";
    for (command, flags) in [
        ("cast", "--from 10000001.9,1,9 --dir 0,0,-1 --all --format ndjson".to_owned()),
        ("cast", "--from 10000001.9,1,9 --dir 0,0,-1 --quality high --layout compact".to_owned()),
        ("cast", "--from 10000001.9,1,9 --dir 0,0,-1 --count --brute".to_owned()),
        ("pick", format!("{camera} --pixel 40,30 --element face --format ndjson")),
        ("select", format!("{camera} --marquee 0,0,80,60 --format ndjson")),
        ("render", camera.to_owned()),
        ("check", "--rays 60".to_owned()),
        ("points", "--at 10000001.9,1,9 --format ndjson".to_owned()),
    ] {
        let of_scene = hitscan(&format!("{command} {scene} {flags}")).expect_code(0);
        let of_cache = hitscan(&format!("{command} {cache} {flags}")).expect_code(0);
        assert!(of_scene.stdout == of_cache.stdout, "{command} {flags}");
        assert_eq!(
            of_cache.stderr.contains("of another quality or layout"),
            flags.contains("compact"),
            "{}",
            of_cache.stderr
        );
    }
    file(folder.path(), "square.obj", SQUARE.replace("4 4 0", "5 5 0"));
    let run = hitscan(&format!("info {cache}"));
    run.expect_error(&["square.obj has other contents", "run `hitscan build` again"]);
    assert_eq!(names_in(folder.path()), ["scene.hitscan", "scene.toml", "square.obj"]);
    hitscan(&format!("build {cache} -o {cache}2")).expect_error(&["cache file", "expected a mesh"]);
}

/// In single precision the ray would pass 0.1 beside the edge of the square.
#[test]
fn rays_at_a_scene_keep_double_precision() {
    let folder = folder();
    let scene = scene(folder.path());
    let x = 10_000_000.6;
    let csv = file(folder.path(), "rays.csv", format!("{x},1,9,0,0,-1\n10000000.4,1,9,0,0,-1\n"));
    let ndjson = format!("{{\"origin\":[{x},1,9],\"direction\":[0,0,-1]}}\n");
    let ndjson = file(folder.path(), "rays.ndjson", ndjson);
    for rays in [
        format!("--rays {csv}"),
        format!("--rays {ndjson}"),
        format!("--from {x},1,9 --dir 0,0,-1"),
    ] {
        let run =
            hitscan(&format!("cast {scene} {rays} --fields point --format csv")).expect_code(0);
        let [header, hit] = run.text().lines().collect::<Vec<_>>()[..] else {
            panic!("{rays}: {}", run.text());
        };
        let found = hit.split(',').nth(1).and_then(|x| x.parse::<f64>().ok());
        assert_eq!(header, "ray,x,y,z");
        assert!(found.is_some_and(|found| (found - x).abs() < 1e-6), "{rays}: {hit}");
    }
    // A segment of 0.03 is a point in single precision.
    let segment =
        format!("cast {scene} --from 10000000.6,1,0.01 --to 10000000.63,1,-0.02 --fields t");
    hitscan(&segment).expect_code(0);
    hitscan(&format!("cast {scene} --from 1,1,1 --dir 0,0,0"))
        .expect_error(&["the ray is invalid"]);
}

#[test]
fn info_describes_the_scene_and_each_mesh_once() {
    let folder = folder();
    let scene = scene(folder.path());
    let info = json_of(&hitscan(&format!("info {scene} --json")).expect_code(0));
    for (key, expected) in [("instances", 4), ("groups", 1), ("hidden", 1), ("triangles", 6)] {
        assert_eq!(info[key], expected, "{key}");
    }
    let [mesh] = &info["meshes"].as_array().expect("it is a list")[..] else { panic!("{info}") };
    assert_eq!((&mesh["instances"], &mesh["triangles"]), (&json!(3), &json!(2)));
    assert_eq!((&mesh["closed"], &mesh["tree"]["leaves"]), (&json!(false), &json!(1)));
    let text = hitscan(&format!("info {scene}")).expect_code(0);
    for part in [
        "instances   4, 1 groups, 1 hidden, 0 locked",
        "mesh        ",
        "3 instances",
        "closed      no",
    ] {
        assert!(text.text().contains(part), "no {part:?} in {}", text.text());
    }
    let faults = json_of(&hitscan(&format!("info {scene} --open-edges --json")).expect_code(0));
    assert_eq!(faults[0]["boundary_loops"][0]["length"], 16.0);
    let faults = hitscan(&format!("info {scene} --open-edges")).expect_code(0);
    assert!(faults.text().contains("loop of 4 open edges, length 16.0"), "{}", faults.text());
}

#[test]
fn check_compares_scenes_with_the_loop_over_instances() {
    let folder = folder();
    let run = hitscan(&format!("check {} --rays 120", scene(folder.path()))).expect_code(0);
    let last = run.text().lines().last().unwrap_or_default();
    assert!(
        last.starts_with("120 rays (seed 1), ")
            && last.ends_with(", 0 differences, all trees valid"),
        "{last}"
    );
}

#[test]
fn bench_measures_scenes() {
    let folder = folder();
    let run = hitscan(&format!("bench {} --rays 200 --json", scene(folder.path()))).expect_code(0);
    let report = json_of(&run);
    assert_eq!((&report["instances"], &report["triangles"]), (&json!(4), &json!(6)));
    assert_eq!(report["workloads"][0]["name"], "primary");
}

#[test]
fn convert_and_points_take_scenes_as_one_mesh() {
    let folder = folder();
    let scene = scene(folder.path());
    let output = path(folder.path(), "out.obj");
    hitscan(&format!("convert {scene} {output}")).expect_code(0);
    let info = json_of(&hitscan(&format!("info {output} --json")).expect_code(0));
    // Hidden instances are left out.
    assert_eq!((&info["triangles"], &info["objects"]), (&json!(4), &json!(["near", "far"])));
}

/// The parts of a glTF file keep the names of their parents, and their numbers are those of pick.
#[test]
fn a_scene_file_may_name_one_mesh_of_a_gltf_file() {
    let folder = folder();
    let positions = [[0.0f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let bytes: Vec<u8> = positions.into_iter().flatten().flat_map(f32::to_le_bytes).collect();
    file(folder.path(), "a.bin", bytes);
    let mesh = |name| json!({"name": name, "primitives": [{"attributes": {"POSITION": 0}}]});
    let document = json!({
        "asset": {"version": "2.0"},
        "nodes": [
            {"name": "car", "children": [1, 2], "translation": [5, 0, 0]},
            {"name": "wheel", "mesh": 0},
            {"name": "wheel", "mesh": 1, "translation": [2, 0, 0]},
        ],
        "scenes": [{"nodes": [0]}],
        "meshes": [mesh("a"), mesh("b")],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3",
            "min": [0, 0, 0], "max": [1, 1, 0]}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}],
        "buffers": [{"byteLength": 36, "uri": "a.bin"}],
    });
    let gltf = file(folder.path(), "car.gltf", document.to_string());
    let cast =
        format!("cast {gltf} --from 7.2,0.2,9 --dir 0,0,-1 --fields instance,path --format csv");
    assert_eq!(hitscan(&cast).expect_code(0).text(), "ray,instance,path\n0,2,car/wheel\n");
    let text =
        "[meshes]\nb = { file = 'car.gltf', mesh = 1 }\n[[instances]]\nid = 40\nmesh = 'b'\n";
    let scene = file(folder.path(), "one.toml", text);
    let cast = format!("cast {scene} --from 0.2,0.2,9 --dir 0,0,-1 --fields instance --format csv");
    assert_eq!(hitscan(&cast).expect_code(0).text(), "ray,instance\n0,40\n");
    let scene = file(folder.path(), "two.toml", text.replace("mesh = 1", "mesh = 2"));
    hitscan(&format!("info {scene}")).expect_error(&["two.toml, line 2", "there is no mesh 2"]);
}

/// A diamond, turned by its instance so that its sides are parallel to the axes.
#[test]
fn info_has_the_bounds_of_the_vertices_of_a_turned_instance() {
    let folder = folder();
    file(folder.path(), "diamond.obj", "v 1 0 0\nv 0 1 0\nv -1 0 0\nv 0 -1 1\nf 1 2 3 4\n");
    let turn = "rotation = [0.0, 0.0, 0.3826834323650898, 0.9238795325112867]";
    for (transform, side, least) in [(turn, 0.5f64.sqrt(), 1e-15), ("", 1.0, 0.0)] {
        let text = format!("[meshes]\nq = 'diamond.obj'\n[[instances]]\nmesh = 'q'\n{transform}\n");
        let scene = file(folder.path(), "s.toml", text);
        let info = json_of(&hitscan(&format!("info {scene} --json")).expect_code(0));
        for (end, sign) in [("min", -1.0), ("max", 1.0)] {
            for axis in 0..2 {
                let found = info["bounds"][end][axis].as_f64().expect("a number");
                assert!((found - sign * side).abs() <= least, "{transform}: {found}");
            }
        }
        assert_eq!(
            (&info["bounds"]["min"][2], &info["bounds"]["max"][2]),
            (&json!(0.0), &json!(1.0))
        );
    }
}
