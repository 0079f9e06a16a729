//! glTF files that break rules or use extensions, none of which hides the geometry. The reader takes it, and
//! the report names what it left out.

use hitscan_formats::Format;
use serde_json::{Value, json};

use crate::gltf::{buffer, check, document, glb, text};
use crate::support::read;

/// The notes about the document after a change that leaves the triangles.
#[track_caller]
fn notes(change: impl FnOnce(&mut Value)) -> Vec<String> {
    let mut document = document();
    // So that no note is about a node.
    document["nodes"].as_array_mut().expect("it is one").pop();
    change(&mut document);
    let loaded = read(&text(document), Format::Gltf).expect("the geometry is right");
    assert_eq!(loaded.meshes[0].triangles(), [[0, 1, 2], [0, 2, 3]]);
    assert_eq!(loaded.instances.len(), 3);
    loaded.report.lines()
}

/// A change of a document.
type Change = fn(&mut Value);

/// Nothing unknown vanishes in silence.
#[test]
fn unknown_extensions_attributes_and_chunks_are_read_with_a_report_that_names_them() {
    let levels = [
        ("", "the document"),
        ("/scenes/0", "scenes"),
        ("/nodes/2", "nodes"),
        ("/meshes/0", "meshes"),
        ("/meshes/0/primitives/0", "primitives"),
        ("/materials/0", "materials"),
        ("/textures/0", "textures"),
        ("/accessors/1", "accessors"),
        ("/bufferViews/1", "buffer views"),
        ("/buffers/0", "buffers"),
    ];
    for (pointer, level) in levels {
        for is_used in [true, false] {
            let found = notes(|document| {
                let element = document.pointer_mut(pointer).expect("it is there");
                element["extensions"] = json!({"ACME_bend": {"angle": 30}});
                if is_used {
                    document["extensionsUsed"] = json!(["ACME_bend"]);
                }
            });
            let expected = format!("unknown extension \"ACME_bend\" of {level}, ignored: 1");
            assert_eq!(found, [expected]);
        }
    }
    let used = notes(|document| document["extensionsUsed"] = json!(["ACME_bend", "ACME\nx"]));
    assert_eq!(
        used,
        [
            "unknown extension \"ACME\\nx\" of the document, ignored: 1",
            "unknown extension \"ACME_bend\" of the document, ignored: 1",
        ]
    );
    let attributes = notes(|document| {
        let attributes = &mut document["meshes"][0]["primitives"][0]["attributes"];
        for name in ["_HEAT", "FEATURE_ID_0", "heat", "COLOR_0"] {
            attributes[name] = 2.into();
        }
    });
    let named = ["COLOR_0", "FEATURE_ID_0", "_HEAT", "heat"];
    assert_eq!(attributes, named.map(|name| format!("attributes \"{name}\", left out: 1")));

    let mut bytes = glb(&document(), &buffer());
    bytes.extend(*b"\x04\0\0\0ACMEdata");
    let len = bytes.len() as u32;
    bytes[8..12].copy_from_slice(&len.to_le_bytes());
    let loaded = read(&bytes, Format::Gltf).expect("the chunk is whole");
    assert_eq!(loaded.report.lines()[0], "GLB chunks of the kind \"ACME\", left out: 1");
}

#[test]
fn required_extensions_without_effect_on_the_geometry_are_read() {
    for name in [
        "KHR_texture_basisu",
        "EXT_texture_webp",
        "EXT_texture_avif",
        "MSFT_texture_dds",
        "KHR_lights_punctual",
        "KHR_materials_unlit",
        "KHR_texture_transform",
        "KHR_animation_pointer",
        "KHR_technique_webgl",
        "KHR_xmp_json_ld",
        "EXT_mesh_features",
        "EXT_structural_metadata",
        "VRM",
    ] {
        let found = notes(|document| document["extensionsRequired"] = json!([name]));
        assert_eq!(found, ["extensions without effect on the geometry, ignored: 1"], "{name}");
    }
    let both = notes(|document| {
        document["extensionsRequired"] = json!(["KHR_texture_basisu"]);
        document["extensionsUsed"] = json!(["KHR_texture_basisu"]);
        document["textures"] = json!([{"extensions": {"KHR_texture_basisu": {"source": 0}}}]);
    });
    assert_eq!(
        both,
        [
            "extensions without effect on the geometry, ignored: 1",
            "base-colour textures without an image that can be read, left out: 1",
        ]
    );
}

#[test]
fn data_that_is_stored_beside_its_compression_is_read() {
    let message = |change: Change| {
        let mut document = document();
        change(&mut document);
        read(&text(document), Format::Gltf).map_err(|error| error.to_string())
    };
    for extension in ["EXT_meshopt_compression", "KHR_meshopt_compression"] {
        let compress = |document: &mut Value, uri: bool| {
            let json = json!({"buffer": 0, "byteLength": 9, "byteStride": 12, "count": 4, "mode": "ATTRIBUTES"});
            document["bufferViews"][1]["extensions"] = json!({extension: json});
            document["bufferViews"][1]["buffer"] = 1.into();
            let fallback =
                json!({"byteLength": 124, "extensions": {extension: {"fallback": true}}});
            let own = text(document.clone());
            document["buffers"] = json!([{"byteLength": 0}, fallback]);
            let own: Value = serde_json::from_slice(&own).expect("it is JSON");
            document["buffers"][0] = own["buffers"][0].clone();
            if uri {
                document["buffers"][1]["uri"] = own["buffers"][0]["uri"].clone();
            }
            document["extensionsUsed"] = json!([extension]);
            document["extensionsRequired"] = json!([extension]);
        };
        let found = notes(|document| compress(document, true));
        assert!(found.is_empty(), "{found:?}");
        let mut without = document();
        compress(&mut without, false);
        let error =
            read(&text(without), Format::Gltf).expect_err("nobody has the data").to_string();
        let expected = format!(
            "test: meshes[0].primitives[0].attributes.POSITION: bufferViews[1]: compressed with \
             {extension}, which hitscan does not read; expected a file without it, as \
             `gltfpack -noq -i in.glb -o out.glb` writes it"
        );
        assert_eq!(error, expected);
    }
    let draco = |document: &mut Value| {
        let draco = json!({"KHR_draco_mesh_compression": {"bufferView": 0, "attributes": {}}});
        document["meshes"][0]["primitives"][0]["extensions"] = draco;
    };
    assert!(notes(draco).is_empty());
    let error = message(|document| {
        let draco = json!({"KHR_draco_mesh_compression": {"bufferView": 0, "attributes": {}}});
        document["meshes"][0]["primitives"][0]["extensions"] = draco;
        document["accessors"][1].as_object_mut().expect("it is one").remove("bufferView");
    });
    let error = error.expect_err("only Draco has the positions");
    let expected = "meshes[0].primitives[0]: compressed with KHR_draco_mesh_compression, which hitscan does \
                    not read; expected a file without it, as `gltf-transform copy in.glb out.glb` writes it";
    assert!(error.contains(expected), "{error}");
}

/// Each change breaks a rule of glTF, and no ray sees any of them.
// Longer than 60 lines: one table with a row per fault.
#[test]
fn faults_that_leave_the_geometry_are_no_errors() {
    let silent: [(&str, Change); 19] = [
        ("no bounds", |d| d["accessors"][1]["min"] = json!("all")),
        ("no asset", |d| d["asset"] = Value::Null),
        ("an empty version", |d| d["asset"]["version"] = json!("")),
        ("a scene without nodes", |d| d["scenes"] = json!([d["scenes"][0].clone(), {"name": "b"}])),
        ("a sampler", |d| d["samplers"] = json!([{"magFilter": -1}, 3])),
        ("an image without a type", |d| {
            d["images"] = json!([{"uri": "wood.png"}, {"bufferView": 0}]);
        }),
        ("an image of nothing", |d| d["images"] = json!([{"uri": "wood.png"}, {}, 7])),
        ("a skin that no node has", |d| d["skins"] = json!([{"joints": "none"}, 3])),
        ("an accessor of an animation", |d| {
            let accessor = json!({"componentType": 5124, "count": -1, "type": "MAT9"});
            d["accessors"].as_array_mut().expect("it is one").push(accessor);
        }),
        ("a buffer that nothing uses", |d| {
            let placeholder = json!({"byteLength": 48});
            let own: Value = serde_json::from_slice(&text(d.clone())).expect("it is JSON");
            d["buffers"] = json!([own["buffers"][0], placeholder, {"uri": "none.bin"}, 5]);
        }),
        ("a long view", |d| d["bufferViews"][1]["byteLength"] = 4000.into()),
        ("a stride of none", |d| d["bufferViews"][0]["byteStride"] = 0.into()),
        ("numbers with a point", |d| {
            d["accessors"][1]["count"] = json!(4.0);
            d["nodes"][0]["mesh"] = json!(0.0);
            d["meshes"][0]["primitives"][0]["mode"] = json!(4.0);
        }),
        ("names of numbers", |d| d["nodes"][1]["name"] = json!(3)),
        ("a wrong member that nobody knows", |d| d["nodes"][1]["meshy"] = json!([{}])),
        ("extensions that are no object", |d| d["nodes"][1]["extensions"] = json!([1])),
        ("cameras of no type", |d| d["nodes"][1]["camera"] = json!("first")),
        ("an alpha mode", |d| d["materials"][0]["alphaMode"] = json!(3)),
        ("a target without bytes", |d| d["nodes"][1]["weights"] = json!([1.0])),
    ];
    for (what, change) in silent {
        assert_eq!(notes(change), [""; 0], "{what}");
    }
    let told: [(Change, &str); 8] = [
        (
            |d| d["animations"] = json!([{"channels": [{"sampler": 0}]}, 3]),
            "animations, left out: 2",
        ),
        (|d| d["cameras"] = json!([{"type": "x"}]), "cameras, left out: 1"),
        (
            |d| d["accessors"][2]["count"] = 3.into(),
            "faulty parts that no ray needs (the first is meshes[0].primitives[0].attributes.NORMAL: \
             3 values in accessors[2]; expected one for each of the 4 vertices), left out: 1",
        ),
        (
            |d| d["accessors"][3]["bufferView"] = 9.into(),
            "faulty parts that no ray needs (the first is meshes[0].primitives[0].attributes.TEXCOORD_0: \
             accessors[3].bufferView: buffer view 9 does not exist; expected an index below 3, their \
             number), left out: 1",
        ),
        (
            |d| d["meshes"][0]["primitives"][0]["material"] = 6.into(),
            "faulty parts that no ray needs (the first is meshes[0].primitives[0].material: material 6 \
             does not exist; expected an index below 1, their number), left out: 1",
        ),
        (
            |d| {
                let broken = json!({"primitives": [{"attributes": {"POSITION": 66}}]});
                d["meshes"].as_array_mut().expect("it is one").push(broken);
            },
            "faulty parts that no ray needs (the first is meshes[1].primitives[0].attributes.POSITION: \
             accessor 66 does not exist; expected an index below 4, their number), left out: 1 | \
             meshes without a node in the file, not placed: 1",
        ),
        (
            |d| {
                let without = json!({"attributes": {"NORMAL": 2}});
                d["meshes"][0]["primitives"].as_array_mut().expect("it is one").push(without);
            },
            "primitives without POSITION, left out: 1",
        ),
        (
            |d| {
                d["nodes"][2]["matrix"] =
                    json!([2, 0, 0, 1e-9, 0, 2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0.9999999]);
            },
            "matrices with a rounded last row, mended: 1",
        ),
    ];
    for (change, expected) in told {
        assert_eq!(notes(change).join(" | "), expected);
    }
    // A file without a material that is right still has one with its name.
    let mut broken = document();
    broken["materials"] = json!([7]);
    let loaded = read(&text(broken), Format::Gltf).expect("materials are no geometry");
    assert_eq!(loaded.materials[0].name, "material 0");
}

#[test]
fn a_file_of_meshes_without_nodes_has_each_at_the_origin() {
    let mut document = document();
    let mesh = document["meshes"][0].clone();
    let mut other = mesh.clone();
    other.as_object_mut().expect("it is one").remove("name");
    document["meshes"] = json!([mesh, other]);
    for nodes in [Value::Null, json!([]), json!([{"name": "camera", "camera": 0}])] {
        document["nodes"] = nodes;
        document["scenes"] = Value::Null;
        document["scene"] = Value::Null;
        let loaded = read(&text(document.clone()), Format::Gltf).expect("the meshes are right");
        let names: Vec<_> = loaded.instances.iter().map(|i| i.name.as_deref()).collect();
        assert_eq!(names, [Some("square"), Some("mesh 1")]);
        assert_eq!((loaded.nodes.len(), loaded.meshes.len()), (2, 2));
        let note = "meshes without a node in the file, placed at the origin: 2";
        assert_eq!(loaded.report.lines(), [note]);
        assert_eq!(loaded.into_mesh().expect("it is small").triangles().len(), 4);
    }
}

#[test]
fn glb_files_with_wrong_lengths_bytes_after_the_end_or_padding_of_zeros_are_read() {
    let whole = glb(&document(), &buffer());
    let with_len = |len: u32| {
        let mut bytes = whole.clone();
        bytes[8..12].copy_from_slice(&len.to_le_bytes());
        bytes
    };
    let len = whole.len() as u32;
    let length = "GLB lengths that differ from that of the file, ignored: 1";
    let padded = [&whole[..], &[0; 3]].concat();
    let junk = [&whole[..], b"\xff\xff\xff\xff more than a chunk"].concat();
    for (bytes, note) in [
        (with_len(0), Some(length)),
        (with_len(99), Some(length)),
        (with_len(len + 4), Some(length)),
        (padded, Some("bytes after the last GLB chunk, ignored: 3")),
        (junk, Some("bytes after the last GLB chunk, ignored: 22")),
        (whole.clone(), None),
    ] {
        let mut loaded = read(&bytes, Format::Gltf).expect("its chunks are whole");
        assert_eq!(
            loaded.report.lines().first().map(String::as_str).filter(|l| !l.starts_with("nodes")),
            note
        );
        loaded.report = read(&whole, Format::Gltf).expect("it is right").report;
        check(&loaded);
    }
    // Zeros instead of blanks after the JSON.
    let json_len = u32::from_le_bytes([whole[12], whole[13], whole[14], whole[15]]) as usize;
    let mut zeros = whole.clone();
    let json = &mut zeros[20..20 + json_len];
    let end = json.iter().rposition(|&byte| byte != b' ').expect("it has text") + 1;
    json[end..].fill(0);
    check(&read(&zeros, Format::Gltf).expect("zeros are padding"));
}

#[test]
fn json_may_nest_deeply_and_have_bytes_that_are_not_utf_8() {
    let text = String::from_utf8(text(document())).expect("it is text");
    let nested =
        format!("{{\"deep\":{}{},{}", "[".repeat(100_000), "]".repeat(100_000), &text[1..]);
    check(&read(nested.as_bytes(), Format::Gltf).expect("nobody looks into it"));
    let latin: Vec<u8> = text.replace("\"parent\"", "\"p\u{1}rent\"").into_bytes();
    let latin: Vec<u8> = latin.into_iter().map(|b| if b == 1 { 0xe4 } else { b }).collect();
    let loaded = read(&latin, Format::Gltf).expect("a name is no geometry");
    assert_eq!(loaded.nodes[1].name.as_deref(), Some("p\u{fffd}rent"));
    let note = "texts that are not UTF-8, read without the invalid bytes: 1";
    assert_eq!(loaded.report.lines()[0], note);
}
