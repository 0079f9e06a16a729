//! `overlap`: two meshes, placed and not, and one with itself.

use serde_json::{Value, json};

use crate::support::{cuboid, file, folder, hitscan};

/// The cuboid is 10 by 12 by 4 around the origin.
fn with_itself(flags: &str) -> String {
    format!("overlap {0} {0} {flags}", cuboid())
}

#[test]
fn parts_overlap_exactly_when_they_touch_and_else_have_a_distance() {
    let run = hitscan(&with_itself("--translate 10,0,0 --distance --json")).expect_code(0);
    let report = &run.json_lines()[0];
    assert_eq!((&report["overlap"], &report["distance"]["distance"]), (&json!(true), &json!(0.0)));
    assert!(report.get("pairs").is_none() && report.get("crossings").is_none());

    let run = hitscan(&with_itself("--translate 10.25,0,0 --distance")).expect_code(0);
    assert!(run.text().starts_with("overlap   no\ndistance  0.25\n  from 5.0 "), "{}", run.text());
    let run = hitscan(&with_itself("--translate 10.25,0,0")).expect_code(1);
    assert_eq!(run.text(), "overlap   no\n");
    let run = hitscan(&with_itself("--translate 10.25,0,0 --distance --within 0.2")).expect_code(1);
    assert_eq!(run.text(), "overlap   no\ndistance  more than 0.2\n");
}

#[test]
fn pairs_and_crossings_are_those_of_the_placed_meshes() {
    // A quarter turn about z, by either matrix.
    let turn = "0,1,0,0,-1,0,0,0,0,0,1,0,0.5,0.25,3,1";
    let run = hitscan(&with_itself(&format!("--matrix {turn} --pairs --crossings --json")));
    let report = &run.expect_code(0).json_lines()[0];
    let pairs = report["pairs"].as_array().expect("a list");
    let crossings = report["crossings"].as_array().expect("a list");
    assert!(pairs.len() >= crossings.len() && crossings.len() > 50, "{}", crossings.len());
    for crossing in crossings {
        assert!(pairs.contains(&crossing["triangles"]));
        // The upper cuboid stands from z = 1 to 5, the lower one ends at 2.
        let z = crossing["segment"][0][2].as_f64().expect("a number");
        assert!((1.0..=2.0).contains(&z), "{crossing}");
    }
    let run = hitscan(&with_itself(&format!("--matrix-a {turn} --pairs --json"))).expect_code(0);
    let swapped = run.json_lines()[0]["pairs"].as_array().map(Vec::len);
    assert_eq!(swapped, Some(pairs.len()));
    let text = hitscan(&with_itself(&format!("--matrix {turn} --pairs"))).expect_code(0);
    assert_eq!(text.text().lines().count(), 2 + pairs.len());
}

#[test]
fn one_mesh_overlaps_itself_where_its_triangles_intersect_beyond_shared_corners_and_edges() {
    let run = hitscan(&format!("overlap {}", cuboid())).expect_code(1);
    assert_eq!(run.text(), "overlap   no\n");
    let folder = folder();
    // Two triangles that share an edge, one of them twice, and one that stands in the first.
    let text = "v 0 0 0\nv 4 0 0\nv 0 4 0\nv 4 4 0\nv 1 1 -1\nv 2 1 1\nv 1 2 1\n\
                f 1 2 3\nf 2 4 3\nf 3 4 2\nf 5 6 7\n";
    let crossing = file(folder.path(), "crossing.obj", text);
    let run = hitscan(&format!("overlap {crossing} --pairs")).expect_code(0);
    assert_eq!(run.text(), "overlap   yes\npairs     2\n  triangle 0, 3\n  triangle 1, 2\n");
    let run = hitscan(&format!("overlap {crossing} --json")).expect_code(0);
    assert_eq!(run.json_lines(), [json!({ "overlap": true })]);
    for flag in ["--translate 1,0,0", "--crossings", "--distance"] {
        hitscan(&format!("overlap {crossing} {flag}")).expect_error(&["<B>"]);
    }
}

#[test]
fn meshes_far_from_zero_are_placed_with_their_offsets() {
    let folder = folder();
    let square = |x: &str| format!("v {x}0 0 0\nv {x}1 0 0\nv {x}0 1 0\nf 1 2 3\n");
    let near = file(folder.path(), "near.obj", square(""));
    let far = file(folder.path(), "far.obj", square("5000000"));
    let run = hitscan(&format!("overlap {near} {far} --distance --json")).expect_code(0);
    let distance = &run.json_lines()[0]["distance"];
    assert_eq!(distance["distance"], json!(49_999_999.0));
    assert_eq!(distance["points"], json!([[1.0, 0.0, 0.0], [50_000_000.0, 0.0, 0.0]]));
    let run = hitscan(&format!("overlap {near} {far} --translate -50000000,0,0")).expect_code(0);
    assert_eq!(run.text(), "overlap   yes\n");
}

#[test]
fn bad_places_and_empty_meshes_are_told() {
    hitscan("overlap - -").expect_error(&["both meshes are `-`"]);
    let error = hitscan(&with_itself("--matrix 1,0,0,5,0,1,0,0,0,0,1,0,0,0,0,1"));
    error.expect_error(&["--matrix: the last row is [5.0, 0.0, 0.0, 1.0]", "expected 0, 0, 0, 1"]);
    hitscan(&with_itself("--distance --within -1")).expect_error(&["expected 0 or more"]);
    hitscan(&with_itself("--within 1")).expect_error(&["--distance"]);
    hitscan(&with_itself("--translate 1e200,0,0")).expect_error(&["beyond 1e120 units"]);

    let folder = folder();
    let empty = file(folder.path(), "empty.obj", "v 0 0 0\n");
    let run = hitscan(&format!("overlap {empty} {} --distance --json", cuboid())).expect_code(1);
    assert_eq!(run.json_lines()[0], json!({ "overlap": false, "distance": Value::Null }));
}
