//! Meshes through pipes, and compressed.

use std::path::Path;
use std::process::Command;

use crate::support::{file, folder, hitscan, hitscan_in, names_in, path};

const OBJ: &str = "o roof\nv 0 0 0\nv 4 0 0\nv 0 4 0\nf 1 2 3\n";

/// A glTF file without buffers.
const GLTF: &str = r#"{"asset": {"version": "2.0"}, "nodes": [{"mesh": 0, "name": "piped"}],
    "meshes": [{"primitives": []}]}"#;

#[test]
fn every_command_takes_its_mesh_from_standard_input() {
    let folder = folder();
    let view = "--eye 1,1,9 --target 1,1,0 --size 64x64";
    for (args, code, part) in [
        ("info -".to_owned(), 0, "\"roof\""),
        ("cast - --from 1,1,9 --dir 0,0,-1".to_owned(), 0, "triangle  0,"),
        ("check - --rays 50".to_owned(), 0, ""),
        ("bench - --rays 50 --json".to_owned(), 0, "\"file\""),
        (format!("pick - {view} --pixel 32,32 --element face"), 0, "roof"),
        (format!("select - {view} --marquee 0,0,64,64 --element face"), 0, "roof"),
        ("render - --size 16x16 -o a.png".to_owned(), 0, ""),
        ("build - -o a.hitscan".to_owned(), 0, ""),
        ("cast a.hitscan --from 1,1,9 --dir 0,0,-1".to_owned(), 0, "triangle  0,"),
    ] {
        let run = hitscan_in(folder.path(), &args, OBJ.as_bytes()).expect_code(code);
        assert!(run.text().contains(part), "{args}: {} {}", run.text(), run.stderr);
    }
    assert_eq!(names_in(folder.path()), ["a.hitscan", "a.png"]);
    let picked = format!("pick - {view} --pixel 32,32");
    hitscan_in(folder.path(), &picked, GLTF.as_bytes()).expect_code(1);
}

#[test]
fn standard_input_that_is_no_mesh_is_an_error_at_once() {
    let here = Path::new(".");
    let both = "cast - --rays - --rays-format csv";
    hitscan_in(here, both, OBJ.as_bytes()).expect_error(&["the mesh and --rays", "standard input"]);
    hitscan_in(here, "info -", b"v 0 0 x\n").expect_error(&["<stdin>:1: ", "\"x\""]);
    let limited = "info - --max-file 10";
    hitscan_in(here, limited, OBJ.as_bytes())
        .expect_error(&["<stdin>: ", "expected at most 10; --max-file raises the limit"]);
    let folder = folder();
    let mesh = file(folder.path(), "a.obj", OBJ);
    let cache = path(folder.path(), "a.hitscan");
    hitscan(&format!("build {mesh} -o {cache}")).expect_code(0);
    let cache = std::fs::read(cache).expect("it was written");
    hitscan_in(here, "info -", &cache).expect_error(&["<stdin>: a cache file", "give its path"]);
}

/// With the programs `gzip` and `zstd`, where they exist.
#[test]
fn compressed_files_are_read_as_they_are() {
    let folder = folder();
    let mesh = file(folder.path(), "a.obj", OBJ);
    let plain = hitscan(&format!("cast {mesh} --from 1,1,9 --dir 0,0,-1")).expect_code(0);
    for (program, name) in [("gzip", "a.obj.gz"), ("zstd", "a.obj.zst")] {
        let run = Command::new(program).args(["-q", "-k", &mesh]).output();
        if !run.is_ok_and(|run| run.status.success()) {
            continue;
        }
        let compressed = path(folder.path(), name);
        let run = hitscan(&format!("cast {compressed} --from 1,1,9 --dir 0,0,-1")).expect_code(0);
        assert_eq!(run.text(), plain.text(), "{name}");
        hitscan(&format!("info {compressed} --max-file 30"))
            .expect_error(&[name, "; expected at most 30; --max-file raises the limit"]);
        let cache = path(folder.path(), "c.hitscan");
        hitscan(&format!("build {compressed} -o {cache}")).expect_code(0);
        let run = hitscan(&format!("cast {cache} --from 1,1,9 --dir 0,0,-1")).expect_code(0);
        assert_eq!(run.text(), plain.text(), "{name}");
    }
}
