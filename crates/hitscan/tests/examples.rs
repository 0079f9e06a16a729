//! The examples run: each ends without an error and prints something.

use std::path::PathBuf;
use std::process::Command;

const EXAMPLES: [&str; 31] = [
    "all_hits",
    "alpha",
    "batch",
    "closest_point",
    "collide",
    "filter",
    "first_hit",
    "gizmo",
    "inside",
    "line_of_sight",
    "marquee",
    "moving_mesh",
    "names",
    "open_edges",
    "overlap",
    "own_mesh",
    "pixels",
    "progress",
    "rolling_ball",
    "saved_scene",
    "scene",
    "sculpt",
    "section",
    "skinned",
    "snap",
    "undo",
    "which_face",
    "which_point",
    "which_polygon",
    "which_sphere",
    "x_ray",
];

/// The program that cargo built from an example, next to this test.
fn program(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("a test is a file");
    let folder = test.ancestors().nth(2).expect("it is in `deps`, beside `examples`");
    folder.join("examples").join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}

/// Whether the features of this build include those of an example.
fn is_built(name: &str) -> bool {
    cfg!(feature = "scene-files") || name != "saved_scene"
}

#[test]
fn every_example_runs() {
    for name in EXAMPLES.into_iter().filter(|name| is_built(name)) {
        let program = program(name);
        let hint = "run `cargo test` without `--test`, or with `--examples`";
        assert!(program.exists(), "{} is not built: {hint}", program.display());
        let output = Command::new(&program).output().expect("it starts");
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(!output.stdout.is_empty(), "{name} prints nothing");
    }
}

#[test]
fn every_example_is_listed_and_run() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/examples");
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .expect("the examples are here")
        .map(|entry| entry.expect("it is readable").file_name().to_string_lossy().into_owned())
        .filter_map(|name| name.strip_suffix(".rs").map(str::to_owned))
        .collect();
    names.sort();
    assert_eq!(names, EXAMPLES);
    let front_page = include_str!("../src/lib.rs");
    for name in EXAMPLES {
        assert!(front_page.contains(&format!("`{name}`")), "{name} is not on the front page");
    }
}
