//! `make` and `info`.

use serde_json::Value;

use crate::support::{file, folder, hitscan, names_in, path, shared};

fn info(mesh: &str) -> Value {
    let run = hitscan(&format!("info {mesh} --json")).expect_code(0);
    serde_json::from_slice(&run.stdout).expect("it is JSON")
}

#[test]
fn make_writes_every_shape() {
    let folder = folder();
    for (shape, closed, n_triangles) in [
        ("cuboid 1 2 3 --level 2", true, Some(192)),
        ("sphere --triangles 500 --radius 2", true, Some(500)),
        ("torus --triangles 500 --major 3 --minor 1", true, Some(500)),
        ("grid --triangles 500 --width 2 --depth 3", false, None),
        ("terrain --triangles 500 --seed 7", false, None),
        ("city --triangles 500 --seed 7", false, Some(500)),
        ("soup --triangles 500 --seed 7", false, Some(500)),
    ] {
        let mesh = path(folder.path(), "mesh.obj");
        let run = hitscan(&format!("make {shape} -o {mesh}")).expect_code(0);
        assert_eq!(run.text(), "");
        let info = info(&mesh);
        let counts =
            format!("{} vertices, {} triangles, bounds ", info["vertices"], info["triangles"]);
        assert!(run.stderr.starts_with(&counts), "{shape}: {}", run.stderr);
        assert_eq!(info["closed"], closed, "{shape}");
        if let Some(n) = n_triangles {
            assert_eq!(info["triangles"], n, "{shape}");
        }
        assert_eq!((&info["degenerate"], &info["ignored"]), (&0.into(), &0.into()), "{shape}");
        // Standard output gets the same bytes.
        let run = hitscan(&format!("make {shape}")).expect_code(0);
        assert!(run.stdout == std::fs::read(&mesh).unwrap(), "{shape}");
    }
    assert_eq!(names_in(folder.path()), ["mesh.obj"]);
}

#[test]
fn another_seed_makes_another_mesh() {
    let make = |seed: u32| hitscan(&format!("make terrain --triangles 200 --seed {seed}")).stdout;
    assert!(make(1) == make(1) && make(1) != make(2));
}

#[test]
fn info_prints_counts_names_bounds_and_the_tree() {
    let folder = folder();
    let mesh = file(
        folder.path(),
        "scene.obj",
        "v 0 0 0\nv 2 0 0\nv 2 3 0\nv 0 3 0\nv 9 9 9\nvt 0 0\nvn 0 0 1\n\
         o floor\ng a b\nusemtl oak\nf 1 2 3 4\no lamp\ng\nf 1/1/1 2/1/1 3/1/1\nf 1 1 2\nl 1 2\n\
         o floor\nf 4 3 2 1\n",
    );
    let info = info(&mesh);
    for (key, expected) in [
        ("vertices", serde_json::json!(5)),
        ("polygons", serde_json::json!(4)),
        ("triangles", serde_json::json!(6)),
        ("degenerate", serde_json::json!(1)),
        ("normals", serde_json::json!(1)),
        ("uvs", serde_json::json!(1)),
        ("objects", serde_json::json!(["floor", "lamp"])),
        ("groups", serde_json::json!(["a b"])),
        ("materials", serde_json::json!(["oak"])),
        ("bounds", serde_json::json!({"min": [0.0, 0.0, 0.0], "max": [2.0, 3.0, 0.0]})),
        ("closed", serde_json::json!(false)),
        // The line element, and a material that no library has.
        ("ignored", serde_json::json!(2)),
    ] {
        assert_eq!(info[key], expected, "{key}");
    }
    assert_eq!(info["remarks"].as_array().unwrap().len(), 3);
    for key in ["depth", "sah_cost", "bytes_per_triangle", "build_ms"] {
        assert!(info["tree"][key].as_f64().unwrap() > 0.0, "{key}");
    }
    let run = hitscan(&format!("info {mesh}")).expect_code(0);
    for part in
        ["vertices    5\n", "\"floor\", \"lamp\"", "closed      no: edges of", "left out    2"]
    {
        assert!(run.text().contains(part), "no {part:?} in {}", run.text());
    }
    assert!(run.stderr.contains("line element left out"), "{}", run.stderr);
}

#[test]
fn info_shows_how_sizes_and_depths_spread() {
    let folder = folder();
    // Longest edges of 5 and 0.5, twice 1.5, and corners at one place.
    let mesh = file(
        folder.path(),
        "sizes.obj",
        "v 0 0 0\nv 3 0 0\nv 0 4 0\nv .3 0 0\nv 0 .4 0\nv 1.5 0 0\nv 0 1 0\nv 1 1 0\n\
         f 1 2 3\nf 1 4 5\nf 1 6 8\nf 8 6 1\nf 1 1 1\n",
    );
    let found = info(&mesh);
    let class = |from: f64, to: f64, triangles: u32| serde_json::json!({"from": from, "to": to, "triangles": triangles});
    let expected =
        [class(0.5, 1.0, 1), class(1.0, 2.0, 2), class(2.0, 5.0, 0), class(5.0, 10.0, 1)];
    assert_eq!(found["longest_edges"], Value::from(expected.to_vec()));
    assert_eq!(found["tree"]["leaves_by_depth"], serde_json::json!([0, 1]));
    let run = hitscan(&format!("info {mesh}")).expect_code(0);
    let bar = "#".repeat(40);
    for part in [
        format!("  0.5 to 1  1  {}\n", &bar[..20]),
        format!("    1 to 2  2  {bar}\n"),
        "    2 to 5  0\n".to_owned(),
        format!("leaves by the number of nodes above them\n            1  1  {bar}\n"),
    ] {
        assert!(run.text().contains(&part), "no {part:?} in {}", run.text());
    }
    let points = file(folder.path(), "points.obj", "v 1 2 3\nf 1 1 1\n");
    assert_eq!(info(&points)["longest_edges"], serde_json::json!([]));
    let text = hitscan(&format!("info {points}")).expect_code(0);
    assert!(!text.text().contains("longest"), "{}", text.text());
}

#[test]
fn a_surface_is_closed_when_every_edge_has_two_sides() {
    let folder = folder();
    let whole = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
    // Separate vertices for each triangle, one coordinate as -0.
    let unshared = "v 0 0 0\nv 0 1 0\nv 1 0 0\nf -3 -2 -1\nv -0 0 0\nv 1 0 0\nv 0 0 1\nf -3 -2 -1\n\
                    v 1 0 0\nv 0 1 0\nv 0 0 1\nf -3 -2 -1\nv 0 1 0\nv 0 0 0\nv 0 0 1\nf -3 -2 -1\n";
    for (text, closed, what) in [
        (whole.to_owned(), true, "whole"),
        (unshared.to_owned(), true, "unshared"),
        (whole.replace("f 3 1 4\n", ""), false, "open"),
        (whole.replace("f 3 1 4\n", "f 1 3 4\n"), false, "inconsistent"),
        (format!("{whole}f 3 1 4\n"), false, "non_manifold"),
    ] {
        let info = info(&file(folder.path(), "mesh.obj", text));
        assert_eq!(info["closed"], closed, "{what}");
        if let Some(n) = info["edges"].get(what) {
            assert!(n.as_u64().unwrap() > 0, "{what}");
        }
    }
}

/// The meshes of the folder `shared`, if it exists, have known counts.
#[test]
fn info_agrees_with_the_known_counts_of_real_meshes() {
    let Some(stats) = shared("meshes/stats.json") else { return };
    let stats: Value = serde_json::from_slice(&std::fs::read(stats).unwrap()).unwrap();
    let meshes =
        [("spot.obj", 0), ("suzanne.obj", 42), ("teapot.obj", 160), ("stanford-bunny.obj", 223)];
    for (name, n_open) in meshes {
        let info = info(shared("meshes").unwrap().join(name).to_str().unwrap());
        assert_eq!(info["edges"]["open"], n_open, "{name}");
        assert_eq!(info["closed"], n_open == 0, "{name}");
    }
    assert!(!stats.is_null());
}
