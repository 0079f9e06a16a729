//! `info --open-edges` lists what keeps a mesh from being closed, and `render --open-edges` draws it.

use serde_json::{Value, json};

use crate::support::{cuboid, file, folder, hitscan};

/// A tetrahedron of unit edges along the axes without its slanted face, and a triangle apart, twice.
const OPEN: &str = "\
v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 5 0 0\nv 6 0 0\nv 5 1 0
f 1 3 2\nf 1 2 4\nf 3 1 4\nf 5 6 7\nf 5 7 6\nf 5 5 6\n";

fn faults(text: &str) -> Value {
    let folder = folder();
    let mesh = file(folder.path(), "mesh.obj", text);
    let run = hitscan(&format!("info {mesh} --open-edges --json")).expect_code(0);
    assert_eq!(run.text().lines().count(), 1);
    serde_json::from_slice(&run.stdout).expect("it is JSON")
}

#[test]
fn open_edges_are_listed_as_loops_with_positions_and_length() {
    let faults = faults(OPEN);
    assert_eq!((&faults["closed"], &faults["components"]), (&json!(false), &json!(2)));
    let edges = json!({"total": 9, "open": 3, "non_manifold": 0, "inconsistent": 0});
    assert_eq!(faults["edges"], edges);
    let [hole] = faults["boundary_loops"].as_array().unwrap().as_slice() else {
        panic!("{faults}")
    };
    assert_eq!(hole["closed"], true);
    assert_eq!(hole["vertices"], json!([1, 3, 2]));
    assert_eq!(hole["positions"], json!([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]]));
    assert_eq!(hole["triangles"], json!([1, 2, 0]));
    let length = hole["length"].as_f64().unwrap();
    assert!((length - 3.0 * 2f64.sqrt()).abs() < 1e-12, "{length}");
    let duplicate = json!([{"triangle": 4, "first": 3, "reversed": true}]);
    assert_eq!(faults["duplicate_triangles"], duplicate);
    assert_eq!(faults["zero_area_triangles"], json!([5]));
}

#[test]
fn faults_are_listed_as_text() {
    let folder = folder();
    let mesh = file(folder.path(), "mesh.obj", format!("{OPEN}f 1 2 7\nf 1 3 7\n"));
    let run = hitscan(&format!("info {mesh} --open-edges")).expect_code(0);
    for part in [
        "closed      no: edges of a single triangle: ",
        "components  1\n",
        "of 3 open edges, length 4.242640687119286\n  vertex 1 at 1.0 0.0 0.0\n",
        "non-manifold edge: length 1.0, triangles 0 1 6\n  vertex 0 at 0.0 0.0 0.0\n",
        "duplicate triangle 4: of triangle 3, reversed winding\n",
        "zero-area triangle 5\n",
    ] {
        assert!(run.text().contains(part), "no {part:?} in {}", run.text());
    }
    let run = hitscan(&format!("info {} --open-edges", cuboid())).expect_code(0);
    assert_eq!(run.text(), "closed      yes\ncomponents  1\n");
}

/// Two neighbours stitch their common edge, each with a vertex in the middle.
#[test]
fn a_mesh_that_is_closed_by_index_is_closed_by_position() {
    let stitched = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0.5 0 0\nv 0.5 0 0\n\
                    f 1 3 5\nf 5 3 2\nf 1 5 2\nf 1 6 4\nf 6 2 4\nf 1 2 6\nf 2 3 4\nf 3 1 4\n";
    let faults = faults(stitched);
    assert_eq!(faults["closed"], true);
    assert_eq!(faults["edges"]["non_manifold"], 2);
    assert_eq!(faults["non_manifold_edges"][0]["triangles"], json!([0, 2, 3, 5]));
}

#[test]
fn open_edges_are_drawn_red_and_a_closed_mesh_has_none() {
    let folder = folder();
    let triangle = file(folder.path(), "t.obj", "v -1 -1 0\nv 1 -1 0\nv 0 1 0\nf 1 2 3\n");
    let camera = "--eye 0,0,5 --target 0,0,0 --ortho 3 --size 90x90";
    let red = |mesh: &str, flags: &str| {
        let run = hitscan(&format!("render {mesh} {camera} {flags}")).expect_code(0);
        let picture = image::load_from_memory(&run.stdout).expect("a picture").into_rgba8();
        let is_red = |p: &&image::Rgba<u8>| p.0[0] > 200 && p.0[1] < 80 && p.0[2] < 100;
        (picture.pixels().filter(is_red).count(), run.stderr)
    };
    assert_eq!(red(&triangle, "").0, 0);
    let (n, note) = red(&triangle, "--open-edges");
    assert!(n > 100, "{n} red pixels");
    assert_eq!(note, "note: edges: 3 open, 0 non-manifold, 0 inconsistently wound\n");
    assert_eq!(red(cuboid(), "--open-edges").0, 0);
}
