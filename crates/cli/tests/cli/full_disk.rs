//! Full devices and file size limits are errors that leave no file behind.

#![cfg(unix)]

use std::fs;
use std::process::Command;

use crate::support::{command, cuboid, file, folder, names_in};

/// A camera in front of the cuboid.
const CAMERA: &str = "--eye 0,0,30 --target 0,0,0 --size 80x60";

#[test]
fn a_full_standard_output_is_an_error_of_every_command() {
    if !std::path::Path::new("/dev/full").exists() {
        return;
    }
    let mesh = cuboid();
    for args in [
        "--help".to_owned(),
        "--version".to_owned(),
        "help cast".to_owned(),
        "cast --help".to_owned(),
        "completions bash".to_owned(),
        "man".to_owned(),
        "make sphere --triangles 100".to_owned(),
        format!("info {mesh}"),
        format!("info {mesh} --format json"),
        format!("cast {mesh} --from 4,-7,-4 --to 2,3,4"),
        format!("cast {mesh} --from 4,-7,-4 --to 2,3,4 --format npz"),
        format!("pick {mesh} {CAMERA} --pixel 40,30"),
        format!("select {mesh} {CAMERA} --marquee 0,0,80,60"),
        format!("render {mesh} {CAMERA}"),
        format!("view {mesh} --no-open"),
        format!("check {mesh} --rays 10"),
        format!("bench {mesh} --rays 10"),
    ] {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let run = command(&args).stdout(full).output().unwrap();
        let errors = String::from_utf8_lossy(&run.stderr);
        assert_eq!(run.status.code(), Some(2), "{args}: {errors}");
        let expected = "error: standard output: cannot write: No space left on device";
        assert!(errors.contains(expected), "{args}: {errors}");
    }
}

#[test]
fn a_file_size_limit_is_an_error_that_leaves_no_file() {
    let folder = folder();
    let mesh = cuboid();
    let rows = "4,-7,-4,-2,10,8\n".repeat(500);
    file(folder.path(), "rays.csv", format!("ox,oy,oz,dx,dy,dz\n{rows}"));
    for args in [
        "make sphere -o out.obj".to_owned(),
        format!("build {mesh} -o out.hitscan"),
        format!("cast {mesh} --rays rays.csv -o out.txt"),
        format!("cast {mesh} --rays rays.csv -o out.npz"),
        format!("render {mesh} -o out.png"),
    ] {
        // The unit of the limit is 512 or 1024 bytes; every output is larger.
        let shell = format!("ulimit -f 4 && exec \"$0\" {args}");
        let run = Command::new("sh")
            .args(["-c", &shell, env!("CARGO_BIN_EXE_hitscan")])
            .current_dir(folder.path())
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&run.stderr);
        assert_eq!(run.status.code(), Some(2), "{args}: {:?} {errors}", run.status);
        assert!(errors.contains("File too large"), "{args}: {errors}");
        assert_eq!(names_in(folder.path()), ["rays.csv"], "{args}");
    }
}
