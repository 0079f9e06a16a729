//! The exit codes of the program: success only with figures.

use std::path::Path;
use std::process::{Command, Output};

/// Runs the program without any file of a scene.
fn peers(args: &[&str]) -> Output {
    let nowhere = Path::new(env!("CARGO_TARGET_TMPDIR")).join("no-meshes");
    Command::new(env!("CARGO_BIN_EXE_peers"))
        .args(args)
        .env("HITSCAN_MESHES", nowhere)
        .env_remove("EMBREE_LIB")
        .output()
        .expect("the program starts")
}

fn text(bytes: &[u8]) -> &str {
    str::from_utf8(bytes).expect("the program writes UTF-8")
}

#[test]
fn a_run_that_measures_nothing_fails_and_says_how_to_get_the_scenes() {
    let run = peers(&["--scenes", "kitchen,bunny", "--rays", "16", "--reps", "1"]);
    let errors = text(&run.stderr);
    assert_eq!(run.status.code(), Some(2), "{errors}");
    for part in ["kitchen.obj", "stanford-bunny.obj", "nothing was measured", "--missing-scenes"] {
        assert!(errors.contains(part), "no {part:?} in {errors}");
    }
}

#[test]
fn a_run_with_figures_succeeds_although_a_scene_lacks_its_file() {
    let args = ["--scenes", "kitchen,sphere", "--peers", "hitscan", "--rays", "16", "--reps", "1"];
    let run = peers(&args);
    let errors = text(&run.stderr);
    assert_eq!(run.status.code(), Some(0), "{errors}");
    assert!(errors.contains("skipped") && text(&run.stdout).contains("### sphere"), "{errors}");
}

#[test]
fn the_missing_scenes_have_commands_that_download_and_check_them() {
    let run = peers(&["--missing-scenes"]);
    assert_eq!(run.status.code(), Some(0));
    let commands = text(&run.stdout);
    for part in ["kitchen.obj", "https://", "sha256sum"] {
        assert!(commands.contains(part), "no {part:?} in {commands}");
    }
}

#[test]
fn a_scene_of_instances_has_tables_of_queries_and_edits_without_embree() {
    let run = peers(&["--instances", "spread-cuboid-100", "--rays", "16", "--reps", "2"]);
    let (errors, tables) = (text(&run.stderr), text(&run.stdout));
    assert_eq!(run.status.code(), Some(0), "{errors}");
    for part in ["### spread-cuboid-100", "| camera, closest |", "| random, any |", "| move 1 % |"]
    {
        assert!(tables.contains(part), "no {part:?} in {tables}");
    }
}

#[test]
fn solids_have_a_row_for_each_question() {
    let run = peers(&["--solids", "--scenes", "sphere", "--reps", "2"]);
    let (errors, table) = (text(&run.stderr), text(&run.stdout));
    assert_eq!(run.status.code(), Some(0), "{errors}");
    for part in ["ball along a ray", "do two meshes touch", "distance of two meshes"] {
        assert!(table.contains(part), "no {part:?} in {table}");
    }
}
