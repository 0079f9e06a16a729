//! STL, PLY and glTF files in place of OBJ files.

use serde_json::{Value, json};

use crate::support::{file, folder, hitscan};

/// Two instances of a square, ten units apart.
fn gltf() -> Value {
    json!({
        "asset": {"version": "2.0"},
        "nodes": [{"name": "near", "mesh": 0},
                  {"name": "far", "mesh": 0, "translation": [10.0, 0.0, 0.0]}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "mode": 5, "material": 0}]}],
        "materials": [{"name": "paint"}],
        "cameras": [{"type": "orthographic",
                     "orthographic": {"xmag": 1.0, "ymag": 1.0, "zfar": 9.0, "znear": 1.0}}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3",
                       "min": [0.0, 0.0, 0.0], "max": [1.0, 1.0, 0.0]}],
        "bufferViews": [{"buffer": 0, "byteLength": 48}],
        "buffers": [{"byteLength": 48, "uri": "a%20b.bin"}],
    })
}

fn buffer() -> Vec<u8> {
    let positions = [[0.0f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]];
    positions.into_iter().flatten().flat_map(f32::to_le_bytes).collect()
}

const STL: &str = "solid part\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n\
    vertex 0 1 0\nendloop\nendfacet\nendsolid\n";
const PLY: &str = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\n\
    property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n\
    0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n";

#[test]
fn the_contents_give_the_format_of_a_mesh_file() {
    let folder = folder();
    file(folder.path(), "a b.bin", buffer());
    for (name, contents, polygons, object) in [
        ("part.stl", STL.to_owned(), 1, "part"),
        ("part.txt", STL.to_owned(), 1, "part"),
        ("square.ply", PLY.to_owned(), 1, ""),
        ("scene.gltf", gltf().to_string(), 2, "near"),
    ] {
        let mesh = file(folder.path(), name, contents);
        let cache = format!("{mesh}.hitscan");
        hitscan(&format!("build {mesh} -o {cache}")).expect_code(0);
        for file in [&mesh, &cache] {
            let run = hitscan(&format!("info {file} --json")).expect_code(0);
            let info: Value = serde_json::from_slice(&run.stdout).expect("it is JSON");
            // A glTF file is a scene, whose nodes are instances; so is its cache file.
            let is_scene = file.contains(".gltf");
            let of_meshes = if is_scene { &info["meshes"][0] } else { &info };
            assert_eq!(of_meshes["polygons"], polygons, "{file}");
            assert_eq!(info["ignored"], u32::from(name == "scene.gltf"), "{file}");
            let cast = format!("cast {file} --from 0.2,0.3,9 --dir 0,0,-1 --format ndjson");
            let hit = &hitscan(&cast).expect_code(0).json_lines()[0]["hits"][0];
            assert_eq!(hit["point"], json!([f64::from(0.2f32), f64::from(0.3f32), 0.0]), "{file}");
            let name = if is_scene { &hit["path"][0] } else { &hit["object"] };
            assert_eq!(name.as_str().unwrap_or_default(), object, "{file}");
            assert_eq!(hit.get("instance").is_some(), is_scene, "{file}");
        }
        hitscan(&format!("check {mesh} --rays 200")).expect_code(0);
    }
    // The source includes the buffer.
    let mut other = buffer();
    other[0] = 1;
    file(folder.path(), "a b.bin", other);
    let cache = folder.path().join("scene.gltf.hitscan");
    let run = hitscan(&format!("info {}", cache.display()));
    run.expect_error(&["a b.bin has other contents", "run `hitscan build` again"]);
}

#[test]
fn nodes_of_gltf_are_instances_for_pick_and_select() {
    let folder = folder();
    file(folder.path(), "a b.bin", buffer());
    let scene = file(folder.path(), "scene.gltf", gltf().to_string());
    let camera = "--eye 5,0.5,30 --target 5,0.5,0 --size 800x600 --fov 30";
    let select =
        format!("select {scene} {camera} --marquee 0,0,800,600 --element object --format ndjson");
    let run = hitscan(&select).expect_code(0);
    let names: Vec<Value> = run.json_lines().iter().map(|line| line["instance"].clone()).collect();
    assert_eq!(names.len(), 2, "{}", run.text());
    assert!(run.text().contains("near") && run.text().contains("far"), "{}", run.text());
    assert!(run.stderr.contains("cameras, left out: 1"), "{}", run.stderr);
}

#[test]
fn damaged_files_are_errors_with_a_location() {
    let folder = folder();
    let cases = [
        ("a.stl", STL.replace("vertex 1 0 0", "vertex 1 0 x"), "a.stl:5: \"x\"; expected"),
        ("b.stl", "no solid".to_owned(), "b.stl: 8 bytes that start with \"no solid\""),
        ("c.ply", PLY.replace("4 0 1 2 3", "4 0 1 2 9"), "c.ply:14: corner 9 of face 0"),
        ("d.glb", "glTF".to_owned(), "d.glb, byte 4: the end of the file after 4 bytes"),
        ("e.gltf", gltf().to_string(), "attributes.POSITION: buffer 0 in \"a%20b.bin\""),
        ("f.gltf", "{}".to_owned(), "f.gltf:1: invalid glTF"),
    ];
    for (name, contents, part) in cases {
        let mesh = file(folder.path(), name, contents);
        for command in ["info", "check", "pick --eye 0,0,9 --target 0,0,0 --size 9x9 --pixel 4,4"] {
            let run = hitscan(&format!("{command} {mesh}"));
            run.expect_error(&[part]);
            assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
        }
    }
}
