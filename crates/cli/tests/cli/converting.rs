//! `convert`, and `make` in every format.

use std::fs;

use serde_json::Value;

use crate::support::{file, folder, hitscan, hitscan_in, names_in, path};

const FORMATS: [&str; 4] = ["obj", "stl", "ply", "glb"];

#[test]
fn make_writes_the_format_of_the_extension() {
    let folder = folder();
    let obj = path(folder.path(), "c.obj");
    hitscan(&format!("make cuboid 2 4 6 --level 1 -o {obj}")).expect_code(0);
    let hits = |mesh: &str| {
        let ray = "--from 9,1.5,0.5 --dir -1,0,0 --all --format ndjson";
        let run = hitscan(&format!("cast {mesh} {ray}")).expect_code(0);
        let hits = run.json_lines()[0]["hits"].as_array().expect("it is a list").clone();
        assert!(hits.len() >= 2);
        let part = |hit: &Value| ["t", "w1", "w2", "triangle"].map(|key| hit[key].clone());
        hits.iter().map(part).collect::<Vec<_>>()
    };
    for format in FORMATS {
        let mesh = path(folder.path(), &format!("c.{format}"));
        let run = hitscan(&format!("make cuboid 2 4 6 --level 1 -o {mesh}")).expect_code(0);
        assert!(!run.stderr.contains("note"), "{format}: {}", run.stderr);
        assert_eq!(hits(&mesh), hits(&obj), "{format}");
    }
    for (format, start) in [("stl", "binary STL"), ("ply", "ply\nformat binary"), ("glb", "glTF")] {
        let bytes = fs::read(path(folder.path(), &format!("c.{format}"))).expect("it was written");
        assert!(bytes.starts_with(start.as_bytes()), "{format}");
    }
    for name in ["c.gltf", "c.png", "c.hitscan", "c.obj.gz"] {
        let output = path(folder.path(), name);
        hitscan(&format!("make sphere -o {output}")).expect_error(&[name, "cannot write", ".glb"]);
    }
    assert_eq!(names_in(folder.path()), ["c.glb", "c.obj", "c.ply", "c.stl"]);
}

#[test]
fn a_mesh_through_every_format_is_the_same_mesh() {
    let folder = folder();
    let original = path(folder.path(), "0.obj");
    hitscan(&format!("make sphere --triangles 300 --radius 3 -o {original}")).expect_code(0);
    let mut last = original.clone();
    for (i, format) in ["ply", "glb", "ply", "obj"].into_iter().enumerate() {
        let next = path(folder.path(), &format!("{}.{format}", i + 1));
        let run = hitscan(&format!("convert {last} {next}")).expect_code(0);
        assert!(run.stderr.contains(" triangles, "), "{}", run.stderr);
        last = next;
    }
    let text = |mesh: &str| fs::read_to_string(mesh).expect("it was written");
    assert_eq!(text(&last), text(&original));
    let piped = hitscan_in(folder.path(), "convert - -", text(&original).as_bytes());
    assert_eq!(piped.expect_code(0).text(), text(&original));
}

#[test]
fn scale_and_up_move_positions_and_normals() {
    let folder = folder();
    let mesh =
        file(folder.path(), "a.obj", "v 1 2 3\nv 4 5 6\nv 7 8 10\nvn 0 0 1\nf 1//1 2//1 3//1\n");
    let converted =
        |flags: &str| hitscan(&format!("convert {mesh} - {flags}")).expect_code(0).stdout;
    for (flags, expected) in [
        ("", "v 1 2 3\nv 4 5 6\nv 7 8 10\nvn 0 0 1\nf 1//1 2//1 3//1\n"),
        ("--scale 0.5", "v 0.5 1 1.5\nv 2 2.5 3\nv 3.5 4 5\nvn 0 0 1\nf 1//1 2//1 3//1\n"),
        ("--up z", "v 1 -3 2\nv 4 -6 5\nv 7 -10 8\nvn 0 -1 0\nf 1//1 2//1 3//1\n"),
        ("--up y --scale 2", "v 2 6 -4\nv 8 12 -10\nv 14 20 -16\nvn 0 1 -0\nf 1//1 2//1 3//1\n"),
    ] {
        assert_eq!(String::from_utf8_lossy(&converted(flags)), expected, "{flags}");
    }
    let output = path(folder.path(), "b.ply");
    for (flags, part) in [
        ("--scale 0", "a positive finite number"),
        ("--scale -1", "a positive finite number"),
        ("--scale inf", "a positive finite number"),
        ("--scale 1e39", "a.obj: --scale gives positions"),
        ("--up x", "--up <AXIS>"),
    ] {
        let run = hitscan(&format!("convert {mesh} {output} {flags}"));
        run.expect_error(&[part]);
    }
    assert_eq!(names_in(folder.path()), ["a.obj"]);
}

#[test]
fn convert_notes_what_is_lost_and_replaces_no_input() {
    let folder = folder();
    let text =
        "o lamp\nusemtl red\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nf 1/1 2/1 3/1 4/1\n";
    let mesh = file(folder.path(), "a.obj", text);
    let output = path(folder.path(), "b.stl");
    let run = hitscan(&format!("convert {mesh} {output}")).expect_code(0);
    for part in ["STL output: names of objects, left out: 1", "texture coordinates, left out: 1"] {
        assert!(run.stderr.contains(part), "no {part:?} in {}", run.stderr);
    }
    let run = hitscan(&format!("convert {mesh} {mesh}")).expect_code(2);
    assert!(run.stderr.contains("a.obj: the output is also an input"), "{}", run.stderr);
    assert_eq!(fs::read_to_string(&mesh).expect("it is there"), text);
    hitscan(&format!("convert {mesh} {}", path(folder.path(), "b.xyz"))).expect_error(&[
        "b.xyz: hitscan cannot write .xyz files; use a name that ends in .obj, .stl, .ply, .glb",
    ]);
}
