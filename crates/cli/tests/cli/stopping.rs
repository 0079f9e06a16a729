//! Long commands that stop on Ctrl-C.

#![cfg(unix)]

use std::process::{Command, Stdio};
use std::time::Duration;

use crate::support::{command, folder, hitscan, path};

#[test]
fn an_interrupted_selection_prints_nothing() {
    let folder = folder();
    let mesh = path(folder.path(), "terrain.obj");
    hitscan(&format!("make terrain --triangles 1M -o {mesh}")).expect_code(0);
    let select = format!(
        "select {mesh} --eye 0,9,9 --target 0,0,0 --size 4000x4000 --marquee 0,0,4000,4000 \
         --element face --visible"
    );
    let child = command(&select)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    std::thread::sleep(Duration::from_millis(300));
    let status = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(status.expect("kill exists").success());
    let output = child.wait_with_output().expect("it ends");
    assert!(!output.status.success() && output.stdout.is_empty());
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}
