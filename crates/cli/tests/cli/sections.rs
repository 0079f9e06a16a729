//! `section`: the polylines of meshes and scenes in every format, and bad planes.

use std::fs;

use serde_json::{Value, json};

use crate::support::{cuboid, file, folder, hitscan, path};

/// The cuboid is 10 by 12 by 4 around the origin.
const AT: &str = "--plane 0,0,1,-0.1";

#[test]
fn a_section_is_closed_and_names_its_triangles_and_polygons() {
    let run = hitscan(&format!("section {} {AT} --json", cuboid())).expect_code(0);
    let [line]: [Value; 1] = run.json_lines().try_into().expect("one polyline");
    assert_eq!((&line["polyline"], &line["closed"]), (&json!(0), &json!(true)));
    assert!((line["length"].as_f64().expect("a number") - 44.0).abs() < 1e-9);
    let n = |key: &str| line[key].as_array().map(Vec::len);
    assert!(n("points") > Some(100) && n("points") == n("triangles"));
    assert_eq!(n("points"), n("polygons"));
    assert_eq!(line["points"][0][2], json!(0.1));
    // The same plane by a point and a normal of another length.
    let same = format!("section {} --point 0,0,0.1 --normal 0,0,7 --json", cuboid());
    assert_eq!(hitscan(&same).expect_code(0).text(), run.text());
    // The bottom lies in the plane, and so above it.
    hitscan(&format!("section {} --normal 0,0,1 --point 0,0,-2", cuboid())).expect_code(1);
    hitscan(&format!("section {} --normal 0,0,1 --point 0,0,2", cuboid())).expect_code(0);
}

#[test]
fn every_format_has_the_same_points_by_extension_or_flag() {
    let folder = folder();
    let run = hitscan(&format!("section {} {AT} --json", cuboid())).expect_code(0);
    let points = run.json_lines()[0]["points"].as_array().expect("a list").len();
    for extension in ["csv", "obj", "svg", "txt", "ndjson"] {
        let out = path(folder.path(), &format!("cut.{extension}"));
        hitscan(&format!("section {} {AT} -o {out}", cuboid())).expect_code(0);
        let text = fs::read_to_string(&out).expect("it was written");
        let format = if extension == "txt" { "text" } else { extension };
        let flag = hitscan(&format!("section {} {AT} --format {format}", cuboid())).expect_code(0);
        assert_eq!(flag.text(), text, "{extension}");
        let count = |start: &str| text.lines().filter(|line| line.starts_with(start)).count();
        match extension {
            "csv" => assert_eq!(count("0,true,0,"), points),
            "obj" => assert_eq!((count("v "), count("l 1 2 3")), (points, 1)),
            "svg" => assert_eq!(text.matches('L').count() + 1, points),
            "txt" => assert!(text.starts_with(&format!("polyline 0: closed, {points} points"))),
            _ => assert_eq!(text, run.text()),
        }
    }
}

#[test]
fn instances_of_a_scene_have_polylines_of_their_own() {
    let folder = folder();
    fs::copy(cuboid(), folder.path().join("box.obj")).expect("it is copied");
    let text = "[meshes]\nbox = 'box.obj'\n[[instances]]\nname = 'one'\nmesh = 'box'\n\
                [[instances]]\nname = 'two'\nmesh = 'box'\nscale = [-1, 1, 1]\n\
                translation = [20, 0, 1]\n";
    let scene = file(folder.path(), "scene.toml", text);
    let run = hitscan(&format!("section {scene} {AT} --json")).expect_code(0);
    let facts: Vec<_> = run
        .json_lines()
        .iter()
        .map(|line| (line["instance"].clone(), line["path"].clone(), line["closed"].clone()))
        .collect();
    let expected =
        [(json!(0), json!(["one"]), json!(true)), (json!(1), json!(["two"]), json!(true))];
    assert_eq!(facts, expected);
    let obj = hitscan(&format!("section {scene} {AT} --format obj")).expect_code(0);
    assert!(obj.text().starts_with("o one\nv ") && obj.text().contains("\no two\nv "));
}

#[test]
fn a_plane_without_a_normal_is_an_error_that_names_it() {
    for (flags, expected) in [
        ("--plane 0,0,0,1", "--plane: the normal of the plane is (0, 0, 0), expected finite"),
        ("--normal 0,0,0", "the normal of the plane is (0, 0, 0)"),
        ("--normal 0,nan,1", "expected a finite number"),
        ("--normal 0,0,1 --point 1e200,0,0", "0, 0), expected finite coordinates of at most 1e100"),
        ("--plane 0,0,1", "expected 4"),
        ("--point 0,0,1", "--normal"),
        ("--plane 0,0,1,0 --normal 0,0,1", "cannot be used with"),
        ("--normal 0,0,1 -o cut.dxf", "cut.dxf: section cannot write .dxf files"),
    ] {
        let run = hitscan(&format!("section {} {flags}", cuboid())).expect_code(2);
        assert!(run.stderr.contains(expected), "{flags}: {}", run.stderr);
    }
}
