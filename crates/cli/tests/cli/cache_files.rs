//! `build`, and cache files in place of meshes.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::{cuboid, file, folder, hitscan, names_in, path};

/// A house with a material library, and its cache file.
fn house(folder: &Path) -> (String, String) {
    file(folder, "house.mtl", "newmtl brick\nKd 0.7 0.2 0.1\n");
    let mesh = file(
        folder,
        "house.obj",
        "mtllib house.mtl\no walls\nusemtl brick\nv 0 0 0\nv 4 0 0\nv 4 3 0\nv 0 3 0\nv 2 5 1\nv 2 1 9\n\
         f 1 2 3 4\no roof\ng tiles\nusemtl slate\nf 4 3 5\nl 1 2\nf 1 2 6\n",
    );
    let cache = path(folder, "house.hitscan");
    let run = hitscan(&format!("build {mesh} -o {cache}")).expect_code(0);
    assert_eq!(run.text(), "");
    assert!(run.stderr.contains("4 triangles, a tree of "), "{}", run.stderr);
    (mesh, cache)
}

/// Every command prints the same for the cache file and for the mesh.
#[test]
fn a_cache_file_replaces_its_mesh_in_every_command() {
    let folder = folder();
    let (mesh, cache) = house(folder.path());
    let scene = |file: &str| {
        let name = Path::new(file).file_name().unwrap().to_str().unwrap();
        let text = format!("[meshes]\nhouse = \"{name}\"\n[[instances]]\nmesh = \"house\"\n");
        crate::support::file(folder.path(), &format!("{name}.toml"), text)
    };
    let (mesh_scene, cache_scene) = (scene(&mesh), scene(&cache));
    let camera = "--eye 2,2,30 --target 2,2,0 --size 80x60";
    let select = format!("{camera} --marquee 0,0,80,60 --element face --format ndjson");
    for (command, flags) in [
        ("cast", "--from 1,1,9 --dir 0,0,-1 --all --format ndjson".to_owned()),
        ("cast", "--from 2,4,9 --dir 0,0,-1 --format csv".to_owned()),
        ("cast", "--from 2,4,9 --dir 0,0,-1 --brute".to_owned()),
        ("cast", "--from 2,4,9 --dir 0,0,-1 --count --layout compact --quality high".to_owned()),
        ("pick", format!("{camera} --pixel 40,30 --element face --format ndjson")),
        ("select", select.clone()),
        ("render", format!("--mode material {camera}")),
        ("render", format!("--mode shaded {camera}")),
        ("check", "--rays 500".to_owned()),
    ] {
        let of_mesh = hitscan(&format!("{command} {mesh} {flags}")).expect_code(0);
        let of_cache = hitscan(&format!("{command} {cache} {flags}")).expect_code(0);
        assert!(of_mesh.stdout == of_cache.stdout, "{command} {flags}");
        assert!(of_cache.stderr.contains("line element left out (line 15)"), "{}", of_cache.stderr);
        assert_eq!(
            of_cache.stderr.contains("another quality or layout"),
            flags.contains("compact")
        );
    }
    let of_mesh = hitscan(&format!("select {mesh_scene} {select}")).expect_code(0);
    let of_cache = hitscan(&format!("select {cache_scene} {select}")).expect_code(0);
    assert_eq!(of_mesh.text(), of_cache.text());
    hitscan(&format!("bench {cache} --rays 100")).expect_code(0);
}

#[test]
fn info_of_a_cache_file_equals_info_of_its_mesh() {
    let folder = folder();
    let (mesh, cache) = house(folder.path());
    let info = |file: &str| -> Value {
        let run = hitscan(&format!("info {file} --json")).expect_code(0);
        serde_json::from_slice(&run.stdout).expect("it is JSON")
    };
    let (of_mesh, of_cache) = (info(&mesh), info(&cache));
    for (key, expected) in of_mesh.as_object().expect("it is an object") {
        if !["file", "built_from", "load_ms", "tree"].contains(&key.as_str()) {
            assert_eq!(&of_cache[key], expected, "{key}");
        }
    }
    // Both are in one folder.
    let name = Path::new(&mesh).file_name().unwrap().to_str().unwrap();
    assert_eq!(
        (&of_mesh["built_from"], &of_cache["built_from"][0]),
        (&serde_json::json!([]), &name.into())
    );
    let text = hitscan(&format!("info {cache}")).expect_code(0);
    assert!(text.text().contains(&format!("built from  \"{name}\"")), "{}", text.text());
    for key in ["depth", "nodes", "leaves", "sah_cost", "bytes", "isa"] {
        assert_eq!(of_cache["tree"][key], of_mesh["tree"][key], "{key}");
    }
}

#[test]
fn build_writes_the_requested_tree() {
    let folder = folder();
    let bytes = |file: &str| {
        let run = hitscan(&format!("info {file} --json")).expect_code(0);
        let info: Value = serde_json::from_slice(&run.stdout).expect("it is JSON");
        info["tree"]["bytes"].as_u64().expect("it is a number")
    };
    let cache = path(folder.path(), "small.hitscan");
    let build = format!("build {} -o {cache}", cuboid());
    hitscan(&format!("{build} --layout compact --quality fast")).expect_code(0);
    let expected = bytes(&format!("{} --layout compact --quality fast", cuboid()));
    assert_eq!(bytes(&cache), expected);
    let full = bytes(&format!("{cache} --layout full --quality fast"));
    assert!(full > expected);
    // The same options give the same file.
    let first = fs::read(&cache).unwrap();
    hitscan(&format!("{build} --layout compact --quality fast --threads 1")).expect_code(0);
    assert!(first == fs::read(&cache).unwrap());
    assert_eq!(names_in(folder.path()), ["small.hitscan"]);
    // The size of the mesh decides: a small tree is full, also instead of the one in the file.
    let note = "another quality or layout";
    let auto = |options: &str| hitscan(&format!("info {cache} --layout {options}")).expect_code(0);
    assert!(auto("auto").stderr.contains(note));
    assert_eq!(bytes(&format!("{cache} --layout auto --quality fast")), full);
    hitscan(&format!("{build} --layout auto --quality fast")).expect_code(0);
    assert_eq!(bytes(&cache), full);
    assert_eq!(auto("auto --quality fast").stderr, "");
    assert_eq!(auto("full --quality fast").stderr, "");
}

#[test]
fn a_changed_source_is_an_error_until_the_file_is_built_again() {
    let folder = folder();
    let (mesh, cache) = house(folder.path());
    let cast = format!("cast {cache} --from 2,4,9 --dir 0,0,-1");
    let before = hitscan(&cast).expect_code(0);
    let text = fs::read_to_string(&mesh).unwrap();
    for (name, changed) in [
        ("house.obj", text.replace("v 2 5 1", "v 2 5 2")),
        ("house.obj", format!("{text}# longer\n")),
        ("house.mtl", "newmtl brick\nKd 0.7 0.2 0.9\n".to_owned()),
    ] {
        let original = fs::read(folder.path().join(name)).unwrap();
        file(folder.path(), name, changed);
        let run = hitscan(&cast);
        run.expect_error(&[name, "since this was built from it", "run `hitscan build` again"]);
        assert_eq!(run.text(), "");
        file(folder.path(), name, original);
        assert_eq!(hitscan(&cast).expect_code(0).stdout, before.stdout);
    }
    file(folder.path(), "house.obj", text.replace("v 2 5 1", "v 2 5 2"));
    hitscan(&format!("build {mesh} -o {cache}")).expect_code(0);
    assert!(hitscan(&cast).expect_code(0).stdout != before.stdout);
    // Without its source, the cache file still works.
    fs::remove_file(&mesh).unwrap();
    hitscan(&cast).expect_code(0);
}

#[test]
fn the_contents_identify_a_cache_file() {
    let folder = folder();
    let (_, cache) = house(folder.path());
    let bytes = fs::read(&cache).unwrap();
    let other = file(folder.path(), "other.obj", &bytes);
    hitscan(&format!("cast {other} --from 2,4,9 --dir 0,0,-1")).expect_code(0);
    let text = file(folder.path(), "text.hitscan", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    hitscan(&format!("cast {text} --from 0.2,0.2,9 --dir 0,0,-1")).expect_code(0);

    let cut = file(folder.path(), "cut.hitscan", &bytes[..bytes.len() / 2]);
    let empty = file(folder.path(), "empty.hitscan", "");
    let mut flipped = bytes.clone();
    flipped[bytes.len() - 100] ^= 4;
    let flipped = file(folder.path(), "flipped.hitscan", flipped);
    let mut newer = bytes;
    newer[12] = 9;
    let newer = file(folder.path(), "newer.hitscan", newer);
    for (file, part) in [
        (&cut, "expected"),
        (&empty, "has 0 bytes, expected 424"),
        (&flipped, "the checksum of the blocks does not match"),
        (&newer, "is of version 9.4, expected 2.4"),
    ] {
        for command in ["info FILE", "check FILE", "cast FILE --from 2,4,9 --dir 0,0,-1"] {
            let run = hitscan(&command.replace("FILE", file));
            run.expect_error(&[file, part, "run `hitscan build` again"]);
            assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
        }
    }
}

#[test]
fn a_failed_build_leaves_no_file() {
    let folder = folder();
    let (mesh, cache) = house(folder.path());
    let before = fs::read(&cache).unwrap();
    let names = names_in(folder.path());
    for (args, part) in [
        (format!("build {mesh}.none -o {cache}"), "house.obj.none"),
        (format!("build {cache} -o {cache}.2"), "the file is a cache file; expected a mesh"),
        (format!("build {mesh} -o {}", folder.path().display()), "cannot write to a folder"),
        (format!("build {mesh} -o {}/no/x.hitscan", folder.path().display()), "cannot write"),
    ] {
        hitscan(&args).expect_error(&[part]);
    }
    assert!(before == fs::read(&cache).unwrap());
    assert_eq!(names_in(folder.path()), names);
}
