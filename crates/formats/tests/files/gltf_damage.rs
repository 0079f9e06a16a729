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

// Longer than 60 lines: one table with a row per kind of damage.
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
        (b"{\"asset\": {\"version\": \"1.0\"}}".to_vec(), "a file of glTF 1.0"),
        (b"{\"meshes\": {\"a\": {}}, \"buffers\": {}}".to_vec(), "gltf-pipeline"),
        (with("/asset/version", "3.0".into()), "asset.version: 3.0; expected 2.0"),
        (with("/asset/minVersion", "2.1".into()), "asset.minVersion: 2.1; expected 2.0"),
        (
            with("/nodes/0/mesh", 1.into()),
            "nodes[0].mesh: mesh 1 does not exist; expected an index below 1, their number",
        ),
        (with("/nodes/0/mesh", "a".into()), "nodes[0].mesh: invalid type: string \"a\""),
        (with("/nodes", json!([[0, 0]])), "nodes[0]: no object; expected a node of glTF 2.0"),
        (with("/meshes/0/primitives/0/targets", json!({})), "meshes[0]: primitives[0].targets: "),
        (with("/nodes/0/scale", json!([1, 2])), "nodes[0].scale: invalid length 2"),
        (with("/nodes/1/children", json!([2, 77])), "nodes[1].children[1]: node 77 does not exist"),
        (with("/scenes/0/nodes", json!([77])), "scenes[0].nodes[0]: node 77 does not exist"),
        (with("/scene", 3.into()), "scene: scene 3 does not exist; expected an index below 1"),
        (
            with("/extensionsRequired", json!(["KHR_lights_punctual", "ACME_bend"])),
            "extensionsRequired[1]: the extension \"ACME_bend\", which may change positions",
        ),
        (
            with("/buffers/0/uri", "data:;base64,!!!".into()),
            "buffer 0 with data \";base64,!!!\"; expected base64 or percent-encoded bytes",
        ),
        (with("/buffers/0/uri", "a.bin".into()), "text in memory has no folder"),
        (document().to_string().into_bytes(), "buffer 0 has no `uri`; expected one, or a GLB file"),
        (with("/bufferViews/1/byteOffset", 4_000_000_000u32.into()), "within bufferViews[1]"),
        (with("/bufferViews/1/byteStride", 252.into()), "252 bytes apart"),
        (with("/bufferViews/1/byteStride", 4.into()), "4 bytes apart"),
        (with("/bufferViews/1/buffer", 4.into()), "bufferViews[1].buffer: buffer 4 does not exist"),
        (
            accessor(0, "count", 7.into()),
            "meshes[0].primitives[0].indices: accessors[0]: 7 items of 2 bytes",
        ),
        (accessor(0, "bufferView", 9.into()), "accessors[0].bufferView: buffer view 9 does not"),
        (accessor(1, "count", 4_000_000_000u32.into()), "expected at most"),
        (accessor(1, "count", json!(u64::MAX)), "expected at most"),
        (accessor(1, "byteOffset", 92.into()), "from 92 on; expected them within"),
        (accessor(1, "byteOffset", json!(u64::MAX)), "expected them within bufferViews[1]"),
        (
            accessor(1, "type", "VEC2".into()),
            "accessors[1] of the type VEC2; expected 3 components",
        ),
        (accessor(0, "componentType", 5122.into()), "the component type 5122; expected unsigned"),
        (accessor(1, "componentType", 5124.into()), "the component type 5124; expected one of"),
        (accessor(0, "byteOffset", 3.into()), "accessors[0]: 6 items"),
        (text(foreign), "indices: index 16256 of triangle 0; expected less than its 4 vertices"),
        (
            with("/meshes/0/primitives/0/attributes/POSITION", 4.into()),
            "meshes[0].primitives[0].attributes.POSITION: accessor 4 does not exist; \
             expected an index below 4",
        ),
        (with("/meshes/0/primitives/0/mode", 7.into()), "meshes[0].primitives[0].mode: 7"),
        (text(children), "nodes[1]: twice in the scene; expected it once"),
        (text(twice), "nodes[2]: twice in the scene"),
        (text(itself), "nodes[4]: twice in the scene"),
        (
            text(projection),
            "nodes[3]: matrix with the last row [0.5, 0.0, 0.0, 1.0]; expected 0, 0, 0, 1",
        ),
        (cut(6), "the end of the file after 6 bytes"),
        (cut(14), "the end of the file after 14 bytes"),
        (cut(300), "in a file of 300; expected one within the file"),
        (cut(whole.len() - 1), "in a file of"),
        (changed(4, 1), "a file of glTF 1.0, which hitscan does not read; expected glTF 2.0"),
        (changed(4, 3), "GLB of version 3; expected version 2"),
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
