//! glTF files with faults: errors, and deviations that leave the geometry.

use hitscan_formats::Format;
use serde_json::{Value, json};

use crate::gltf::{buffer, check, document, glb, text};
use crate::support::{assert_errors, assert_no_damage_panics, read};

/// A document with one change; `Null` removes the value.
fn with(pointer: &str, value: Value) -> Vec<u8> {
    let mut document = document();
    match value {
        Value::Null => {
            let (parent, key) = pointer.rsplit_once('/').expect("it is a path");
            let parent = document.pointer_mut(parent).expect("it is there");
            parent.as_object_mut().expect("it is an object").remove(key);
        }
        value => {
            let (parent, key) = pointer.rsplit_once('/').expect("it is a path");
            document.pointer_mut(parent).expect("it is there")[key] = value;
        }
    }
    text(document)
}

#[test]
fn damaged_files_are_errors_with_the_place() {
    let whole = glb(&document(), &buffer());
    let changed = |at: usize, word: u32| {
        let mut bytes = whole.clone();
        bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
        bytes
    };
    let cut = |n: usize| {
        let mut bytes = whole[..n].to_vec();
        if n >= 12 {
            bytes[8..12].copy_from_slice(&(n as u32).to_le_bytes());
        }
        bytes
    };
    let accessor =
        |i: usize, key: &str, value: Value| with(&format!("/accessors/{i}/{key}"), value);
    let mut children = document();
    children["nodes"][3]["children"] = json!([1]);
    let mut twice = document();
    twice["nodes"][0]["children"] = json!([2]);
    let mut itself = document();
    itself["nodes"][4]["children"] = json!([4]);
    itself["scenes"][0]["nodes"] = json!([4]);
    let mut foreign = document();
    foreign["accessors"][0]["bufferView"] = 1.into();
    foreign["accessors"][0]["byteOffset"] = 12.into();
    let mut projection = document();
    projection["nodes"][3]["matrix"][3] = 0.5.into();
    let cases = [
        (b"".to_vec(), "test:1: invalid glTF"),
        (b"{".to_vec(), "test:1: invalid glTF"),
        (b"[1, 2]".to_vec(), "invalid glTF"),
        ([&b"{".repeat(100_000)[..], b"1"].concat(), "invalid glTF"),
        (["{\"extras\":", &"[".repeat(100_000)].concat().into_bytes(), "invalid glTF"),
        (with("/asset", Value::Null), "invalid glTF"),
        (with("/nodes/0/mesh", 1.into()), "invalid glTF"),
        (with("/scenes/0/nodes", json!([77])), "invalid glTF"),
        (with("/extensionsRequired", json!(["KHR_draco_mesh_compression"])), "invalid glTF"),
        (with("/buffers/0/uri", "data:;base64,!!!".into()), "expected base64"),
        (with("/buffers/0/uri", "data:text/plain,abc".into()), "expected base64"),
        (with("/buffers/0/uri", "a.bin".into()), "text in memory has no folder"),
        (with("/buffers/0/byteLength", 125.into()), "buffer 0 of 124 bytes; expected 125"),
        (document().to_string().into_bytes(), "buffer 0 without `uri`; expected a GLB file"),
        (with("/bufferViews/1/byteLength", 4000.into()), "within the view 1 and its buffer"),
        (with("/bufferViews/1/byteOffset", 4_000_000_000u32.into()), "within the view 1"),
        (with("/bufferViews/1/byteStride", 252.into()), "252 bytes apart"),
        (with("/bufferViews/1/byteStride", 4.into()), "4 bytes apart"),
        (accessor(0, "count", 7.into()), "accessor 0 of 7 items of 2 bytes"),
        (accessor(1, "count", 4_000_000_000u32.into()), "expected at most"),
        (accessor(1, "count", json!(u64::MAX)), "expected at most"),
        (accessor(1, "byteOffset", 92.into()), "from 92 on; expected them within"),
        (accessor(1, "byteOffset", json!(u64::MAX)), "expected them within the view"),
        (accessor(1, "type", "VEC2".into()), "accessor 1 of the type Vec2; expected 3 components"),
        (accessor(2, "count", 3.into()), "3 NORMAL of a primitive; expected one for each of its 4"),
        (accessor(0, "componentType", 5122.into()), "accessor 0 of I16; expected unsigned"),
        (accessor(0, "byteOffset", 3.into()), "accessor 0 of 6 items"),
        (text(foreign), "of a primitive; expected less than its 4 vertices"),
        (
            with("/meshes/0/primitives/0/attributes/POSITION", 4.into()),
            "POSITION in accessor 4; expected less than 4",
        ),
        (with("/images/0/uri", Value::Null), "image 0 with neither `uri` nor `bufferView`"),
        (
            with("/images", json!([{"bufferView": 0}])),
            "image 0 with `bufferView` but no `mimeType`",
        ),
        (text(children), "node 1 twice in the scene; expected it once"),
        (text(twice), "node 2 with 2 parents; expected at most one"),
        (text(itself), "node 4 twice in the scene"),
        (text(projection), "a matrix of node 3 that is not affine"),
        (cut(6), "the end of the file after 6 bytes"),
        (cut(14), "the end of the file after 14 bytes"),
        (cut(300), "in a file of 300; expected one within the file"),
        (cut(whole.len() - 1), "in a file of"),
        (changed(4, 1), "GLB of version 1; expected version 2"),
        (changed(8, 99), "expected 99, which its header says"),
        (changed(12, u32::MAX), "test, byte 12: a chunk of 4294967295 bytes"),
        (changed(16, 0), "a first chunk of the kind \"\\x00\\x00\\x00\\x00\"; expected \"JSON\""),
    ];
    assert_errors(Format::Gltf, &cases);
}

#[test]
fn no_damage_panics() {
    let originals = [text(document()), glb(&document(), &buffer()), with("/scene", Value::Null)];
    assert_no_damage_panics(Format::Gltf, &originals, 1);
}

#[test]
fn extras_may_be_of_any_type() {
    for extras in [json!(1), json!("a"), json!([1, {"b": null}]), json!(false), json!({"c": 2})] {
        let mut document = document();
        for part in
            ["", "/asset", "/nodes/0", "/meshes/0", "/materials/0", "/accessors/1", "/buffers/0"]
        {
            document.pointer_mut(part).expect("it is there")["extras"] = extras.clone();
        }
        document["meshes"][0]["primitives"][0]["extras"] = extras.clone();
        check(&read(&text(document), Format::Gltf).expect("extras may be anything"));
    }
}

#[test]
fn deviations_that_leave_the_geometry_are_mended_and_counted() {
    let remarks = |document: Value| {
        let loaded = read(&text(document), Format::Gltf).expect("the geometry is right");
        assert_eq!(loaded.meshes[0].triangles(), [[0, 1, 2], [0, 2, 3]]);
        loaded.report.lines()
    };
    let outside = "nodes outside the scene, left out: 1";
    let bounds = "accessors of positions without min and max, read: 1";
    for bound in [Value::Null, json!([0.0]), json!("all")] {
        let mut document = document();
        document["accessors"][1]["min"] = bound;
        assert_eq!(remarks(document), [bounds, outside]);
    }
    let mut extended = document();
    extended["extensionsRequired"] = json!(["KHR_technique_webgl", "KHR_materials_unlit"]);
    extended["accessors"][1].as_object_mut().expect("it is one").remove("max");
    let extensions = "required extensions of materials and lights, ignored: 2";
    assert_eq!(remarks(extended), [bounds, extensions, outside]);
}
