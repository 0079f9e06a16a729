//! glTF files whose vertices or instances depend on more than positions and transforms: quantised data,
//! morph targets, skins, instancing, visibility and a centre of the scene.

use base64::{Engine, engine::general_purpose::STANDARD};
use hitscan_formats::{Format, Loaded};
use hitscan_primitives::glam::{DVec3, Vec3};
use serde_json::{Value, json};

use crate::support::{corners, read};

/// A document under construction, with all its data in one buffer.
#[derive(Default)]
pub(crate) struct Build {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl Build {
    /// Adds an accessor of items with the component type of `T`, and returns its index.
    pub(crate) fn add<T: Number, const N: usize>(&mut self, items: &[[T; N]]) -> usize {
        let at = self.bytes.len();
        self.bytes.extend(items.iter().flatten().flat_map(|value| value.bytes()));
        let view = json!({"buffer": 0, "byteOffset": at, "byteLength": self.bytes.len() - at});
        // Four bytes, so that the next accessor is aligned.
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let kind = ["SCALAR", "VEC2", "VEC3", "VEC4"].get(N - 1).unwrap_or(&"MAT4");
        self.accessors.push(json!({
            "bufferView": self.views.len(), "componentType": T::TYPE, "count": items.len(), "type": kind,
        }));
        self.views.push(view);
        self.accessors.len() - 1
    }

    pub(crate) fn accessor(&mut self, index: usize) -> &mut Value {
        &mut self.accessors[index]
    }

    /// The document with its data and the members of `rest`.
    pub(crate) fn document(&self, rest: &Value) -> Value {
        let mut document = rest.clone();
        let uri = format!("data:application/octet-stream;base64,{}", STANDARD.encode(&self.bytes));
        document["asset"] = json!({"version": "2.0"});
        document["buffers"] = json!([{"byteLength": self.bytes.len(), "uri": uri}]);
        document["bufferViews"] = self.views.clone().into();
        document["accessors"] = self.accessors.clone().into();
        document
    }

    pub(crate) fn read(&self, rest: &Value) -> Loaded {
        let text = self.document(rest).to_string();
        read(text.as_bytes(), Format::Gltf).expect("the text is right")
    }
}

/// A number that accessors hold.
pub(crate) trait Number: Copy {
    const TYPE: u32;
    fn bytes(self) -> Vec<u8>;
}

macro_rules! numbers {
    ($($number:ty: $kind:literal),*) => {
        $(impl Number for $number {
            const TYPE: u32 = $kind;
            fn bytes(self) -> Vec<u8> {
                self.to_le_bytes().to_vec()
            }
        })*
    };
}

numbers! { i8: 5120, u8: 5121, i16: 5122, u16: 5123, u32: 5125, f32: 5126 }

const TRIANGLE: [[f32; 3]; 3] = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 2.0, 0.0]];

/// The corners of the first triangle of an instance in the space of the scene.
fn in_scene(loaded: &Loaded, instance: usize) -> [DVec3; 3] {
    let instance = &loaded.instances[instance];
    let corners = corners(&loaded.meshes[instance.mesh])[0];
    corners.map(|corner| instance.transform.transform_point3(corner.as_dvec3()))
}

fn triangle_at(x: f64, y: f64, z: f64) -> [DVec3; 3] {
    TRIANGLE.map(|corner| Vec3::from(corner).as_dvec3() + DVec3::new(x, y, z))
}

/// One mesh of one primitive in one node, with further members of the three.
fn one_mesh(attributes: &Value, primitive: &Value, mesh: &Value, node: &Value) -> Value {
    let with = |mut object: Value, key: &str, value: Value| {
        object[key] = value;
        object
    };
    let primitive = with(primitive.clone(), "attributes", attributes.clone());
    let mesh = with(mesh.clone(), "primitives", json!([primitive]));
    json!({"nodes": [with(node.clone(), "mesh", 0.into())], "meshes": [mesh]})
}

#[test]
fn quantized_positions_and_texture_coordinates_are_read_in_every_type() {
    fn check<T: Number>(values: [T; 4], is_normalized: bool, expected: [f32; 4]) {
        let [a, b, c, d] = values;
        let mut build = Build::default();
        let position = build.add(&[[a, a, a], [b, c, d], [c, b, a]]);
        let uv = build.add(&[[a, b], [c, d], [a, a]]);
        for accessor in [position, uv] {
            build.accessor(accessor)["normalized"] = is_normalized.into();
        }
        let mut document = one_mesh(
            &json!({"POSITION": position, "TEXCOORD_0": uv}),
            &json!({}),
            &json!({}),
            &json!({}),
        );
        document["extensionsUsed"] = json!(["KHR_mesh_quantization"]);
        document["extensionsRequired"] = json!(["KHR_mesh_quantization"]);
        let loaded = build.read(&document);
        let [a, b, c, d] = expected;
        let mesh = &loaded.meshes[0];
        assert_eq!(corners(mesh)[0], [[a, a, a], [b, c, d], [c, b, a]].map(Vec3::from));
        let uvs = mesh.attributes().uvs_of(0).expect("there are some").map(|uv| uv.to_array());
        assert_eq!(uvs, [[a, 1.0 - b], [c, 1.0 - d], [a, 1.0 - a]]);
        assert!(loaded.report.lines().is_empty(), "{}", loaded.report);
    }
    check([0i8, 127, -127, -128], false, [0.0, 127.0, -127.0, -128.0]);
    check([0i8, 127, -127, -128], true, [0.0, 1.0, -1.0, -1.0]);
    check([0u8, 255, 51, 1], false, [0.0, 255.0, 51.0, 1.0]);
    check([0u8, 255, 51, 1], true, [0.0, 1.0, 51.0 / 255.0, 1.0 / 255.0]);
    check([0i16, 32767, -32767, -32768], false, [0.0, 32767.0, -32767.0, -32768.0]);
    check([0i16, 32767, -32767, -32768], true, [0.0, 1.0, -1.0, -1.0]);
    check([0u16, 65535, 13107, 1], false, [0.0, 65535.0, 13107.0, 1.0]);
    check([0u16, 65535, 13107, 1], true, [0.0, 1.0, 0.2, 1.0 / 65535.0]);
}

#[test]
fn weights_of_a_node_override_those_of_its_mesh() {
    let mut build = Build::default();
    let position = build.add(&TRIANGLE);
    // Quantised, and with one displaced vertex out of three.
    let up = build.add(&[[0i8, 0, 8]; 3]);
    let right = build.add(&TRIANGLE.map(|_| [0.0f32; 3]));
    let value = build.add(&[[16.0f32, 0.0, 0.0]]);
    let index = build.add(&[[1u8]]);
    *build.accessor(right) = json!({
        "componentType": 5126, "count": 3, "type": "VEC3",
        "sparse": {"count": 1, "indices": {"bufferView": index, "componentType": 5121},
                   "values": {"bufferView": value}},
    });
    let zeros = build.add(&TRIANGLE.map(|_| [0.0f32; 3]));
    *build.accessor(zeros) = json!({"componentType": 5126, "count": 3, "type": "VEC3"});
    let read = |of_mesh: Value, of_node: Value| {
        let targets = json!([{"POSITION": up}, {"POSITION": right}, {"POSITION": zeros}, {}]);
        let mut mesh = json!({});
        let mut node = json!({});
        if !of_mesh.is_null() {
            mesh["weights"] = of_mesh;
        }
        if !of_node.is_null() {
            node["weights"] = of_node;
        }
        let attributes = json!({"POSITION": position});
        let loaded = build.read(&one_mesh(&attributes, &json!({"targets": targets}), &mesh, &node));
        assert_eq!(loaded.report.lines(), ["morph targets, read in the rest pose: 4"]);
        in_scene(&loaded, 0)
    };
    let displaced = |right: f64, up: f64| {
        let [a, b, c] = triangle_at(0.0, 0.0, up);
        [a, b + DVec3::new(right, 0.0, 0.0), c]
    };
    let none = Value::Null;
    assert_eq!(read(none.clone(), none.clone()), displaced(0.0, 0.0));
    assert_eq!(read(json!([0.5, 0.25, 1.0, 1.0]), none.clone()), displaced(4.0, 4.0));
    assert_eq!(read(json!([1.0, 1.0]), json!([0.0, -1.0, 0.0, 0.0])), displaced(-16.0, 0.0));
    assert_eq!(read(json!([1.0, 1.0]), json!([0.0, 0.0])), displaced(0.0, 0.0));
    assert_eq!(read(none, json!([1])), displaced(0.0, 8.0));
}

#[test]
fn nodes_of_one_mesh_with_two_poses_have_two_meshes() {
    let mut build = Build::default();
    let position = build.add(&TRIANGLE);
    let up = build.add(&[[0.0f32, 0.0, 1.0]; 3]);
    let primitive = json!({"attributes": {"POSITION": position}, "targets": [{"POSITION": up}]});
    let loaded = build.read(&json!({
        "nodes": [
            {"mesh": 0, "weights": [1]}, {"mesh": 0}, {"mesh": 0, "weights": [1]},
            {"mesh": 0, "weights": [2], "translation": [0, 0, 7]},
        ],
        "meshes": [{"primitives": [primitive]}],
    }));
    let meshes: Vec<_> = loaded.instances.iter().map(|instance| instance.mesh).collect();
    assert_eq!((loaded.meshes.len(), meshes), (3, vec![0, 1, 0, 2]));
    let heights: Vec<_> = (0..4).map(|instance| in_scene(&loaded, instance)[0].z).collect();
    assert_eq!(heights, [1.0, 0.0, 1.0, 9.0]);
}

/// A mesh of one triangle whose corners follow the joints 0, 1, and half of both.
fn skinned(build: &mut Build, inverse_bind: &[[f32; 16]]) -> Value {
    let position = build.add(&TRIANGLE);
    let normal = build.add(&[[0.0f32, 0.0, 1.0]; 3]);
    let joints = build.add(&[[0u8, 9, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0]]);
    let weights = build.add(&[[255u8, 0, 0, 0], [255, 0, 0, 0], [127, 127, 0, 0]]);
    build.accessor(weights)["normalized"] = true.into();
    let matrices = build.add(inverse_bind);
    json!({
        "meshes": [{"primitives": [{"attributes": {
            "POSITION": position, "NORMAL": normal, "JOINTS_0": joints, "WEIGHTS_0": weights}}]}],
        "skins": [{"joints": [1, 2], "inverseBindMatrices": matrices}],
    })
}

const IDENTITY: [f32; 16] =
    [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];

#[test]
fn joints_place_a_skinned_mesh_whatever_the_transform_of_its_node() {
    let mut build = Build::default();
    // The second joint was bound at x = 4.
    let mut bound = IDENTITY;
    bound[12] = -4.0;
    let mut document = skinned(&mut build, &[IDENTITY, bound]);
    document["nodes"] = json!([
        {"name": "armature", "translation": [0, 0, 10], "children": [1, 3]},
        {"name": "hips", "scale": [2, 2, 2], "children": [2]},
        {"name": "knee", "translation": [5, 0, 0]},
        {"name": "body", "mesh": 0, "skin": 0, "translation": [77, 0, 0], "scale": [0, 0, 0],
         "children": [4]},
        {"name": "hat", "mesh": 1, "translation": [0, 1, 0]},
    ]);
    document["scenes"] = json!([{"nodes": [0]}]);
    let hat = json!({"primitives": [{"attributes": {"POSITION": 0}}]});
    document["meshes"].as_array_mut().expect("it is one").push(hat);
    document["nodes"][3]["scale"] = json!([1, 1, 3]);
    let loaded = build.read(&document);
    let body = loaded.instances.iter().position(|i| i.name.as_deref() == Some("body"));
    let [a, b, c] = in_scene(&loaded, body.expect("it is there"));
    // The joints are at x = 0 and 10, twice as large.
    assert_eq!((a, b), (DVec3::new(0.0, 0.0, 10.0), DVec3::new(10.0, 0.0, 10.0)));
    assert_eq!(c, DVec3::new(1.0, 4.0, 10.0));
    let body = &loaded.nodes[1];
    assert_eq!((body.name.as_deref(), body.parent), (Some("body"), None));
    // The node keeps its own transform for its children.
    let hat = &loaded.instances[1];
    assert_eq!(hat.transform.translation, DVec3::new(77.0, 1.0, 10.0));
    let path: Vec<_> =
        loaded.nodes.iter().map(|node| (node.name.as_deref(), node.parent)).collect();
    let path_of_hat = [
        (Some("armature"), None),
        (Some("body"), None),
        (Some("body"), Some(0)),
        (Some("hat"), Some(2)),
    ];
    assert_eq!(path, path_of_hat);
    let normals = loaded.meshes[0].attributes().normals_of(0);
    assert_eq!(normals, Some([Vec3::Z; 3]));
    assert_eq!(loaded.report.lines(), ["nodes with a skin, read in the rest pose: 1"]);
}

#[test]
fn a_scaled_armature_and_its_inverse_matrices_cancel() {
    let mut build = Build::default();
    let hundred = IDENTITY.map(|value| value * 100.0);
    let mut document = skinned(&mut build, &[hundred, hundred]);
    document["nodes"] = json!([
        {"scale": [0.01, 0.01, 0.01], "children": [1, 2, 3]}, {}, {},
        {"mesh": 0, "skin": 0},
    ]);
    let loaded = build.read(&document);
    let error = |[corner, expected]: [DVec3; 2]| (corner - expected).length();
    let pairs = in_scene(&loaded, 0).into_iter().zip(triangle_at(0.0, 0.0, 0.0));
    assert!(pairs.map(|(a, b)| error([a, b])).all(|error| error < 1e-6));
}

#[test]
fn faulty_skins_are_errors_with_the_place_if_something_uses_them() {
    let mut build = Build::default();
    let mut document = skinned(&mut build, &[IDENTITY, IDENTITY]);
    document["nodes"] = json!([{"mesh": 0, "skin": 0}, {}, {}]);
    for (pointer, value, part) in [
        ("/skins/0/joints", json!([1]), "attributes.JOINTS_0: joint 1 of vertex 1; expected less"),
        ("/skins/0/joints", json!([1, 7]), "skins[0].joints[1]: node 7 does not exist"),
        ("/skins/0/joints", json!("x"), "skins[0].joints: invalid type: string"),
        ("/skins/0/joints", json!([1, 2, 1]), "skins[0].inverseBindMatrices: 2 matrices"),
        ("/skins/0/inverseBindMatrices", json!(0), "skins[0].inverseBindMatrices: accessors[0]"),
        ("/nodes/0/skin", json!(3), "nodes[0].skin: skin 3 does not exist; expected an index"),
        ("/nodes/1/children", json!([1]), "nodes[1]: its own ancestor"),
        ("/accessors/3/count", json!(2), "attributes.WEIGHTS_0: 2 values in accessors[3]"),
    ] {
        let mut document = build.document(&document);
        document["scenes"] = json!([{"nodes": [0]}]);
        let (parent, key) = pointer.rsplit_once('/').expect("it is a path");
        document.pointer_mut(parent).expect("it is there")[key] = value;
        let error =
            read(document.to_string().as_bytes(), Format::Gltf).expect_err(part).to_string();
        assert!(error.contains(part), "{error}");
        document["nodes"][0].as_object_mut().expect("it is one").remove("skin");
        read(document.to_string().as_bytes(), Format::Gltf).expect("nothing uses the skin");
    }
}

#[test]
fn each_instance_of_a_node_is_placed() {
    let mut build = Build::default();
    let position = build.add(&TRIANGLE);
    let translation = build.add(&[[1.0f32, 0.0, 0.0], [2.0, 0.0, 0.0], [3.0, 0.0, 0.0]]);
    let rotation = build.add(&[[0i8, 0, 0, 127], [0, 0, 0, 127], [0, 0, 127, 0]]);
    build.accessor(rotation)["normalized"] = true.into();
    let scale = build.add(&[[1.0f32, 1.0, 1.0], [0.0, 1.0, 1.0], [1.0, 2.0, 1.0]]);
    let ids = build.add(&[[7.0f32], [8.0], [9.0]]);
    let instancing = |attributes: Value| {
        let extensions = json!({"EXT_mesh_gpu_instancing": {"attributes": attributes}});
        json!({
            "extensionsRequired": ["EXT_mesh_gpu_instancing"],
            "meshes": [{"primitives": [{"attributes": {"POSITION": position}}]}],
            "nodes": [
                {"name": "root", "translation": [0, 0, 5], "children": [1]},
                {"name": "tree", "mesh": 0, "scale": [2, 2, 2], "extensions": extensions,
                 "children": [2]},
                {"name": "sign", "mesh": 0},
            ],
        })
    };
    let all = instancing(json!(
        {"TRANSLATION": translation, "ROTATION": rotation, "SCALE": scale, "_ID": ids}
    ));
    let loaded = build.read(&all);
    assert_eq!(loaded.report.lines(), ["nodes whose transform has no inverse, left out: 1"]);
    let names: Vec<_> = loaded.instances.iter().map(|i| i.name.as_deref()).collect();
    assert_eq!(names, [Some("tree"), Some("tree"), Some("sign")]);
    let second = [[2.0, 0.0, 5.0], [10.0, 0.0, 5.0], [2.0, 4.0, 5.0]].map(DVec3::from);
    assert_eq!(in_scene(&loaded, 0), second);
    // Half a turn about z, so that x and y change their signs.
    let third = [[6.0, 0.0, 5.0], [-2.0, 0.0, 5.0], [6.0, -8.0, 5.0]].map(DVec3::from);
    let rounded = |point: DVec3| (point * 1e9).round() / 1e9;
    assert_eq!(in_scene(&loaded, 1).map(rounded), third);
    // The child is below the node.
    assert_eq!(in_scene(&loaded, 2)[1], DVec3::new(8.0, 0.0, 5.0));
    let scene: Vec<_> = loaded.nodes.iter().map(|node| (node.parent, node.mesh)).collect();
    let expected =
        [(None, None), (Some(0), Some(0)), (Some(0), Some(0)), (Some(0), None), (Some(3), Some(0))];
    assert_eq!(scene, expected);

    let errors = [
        (json!({"TRANSLATION": 99}), "EXT_mesh_gpu_instancing.attributes.TRANSLATION: accessor 99"),
        (json!({"TRANSLATION": translation, "SCALE": position}), ""),
        (json!({"TRANSLATION": ids}), "TRANSLATION: accessors[4] of the type SCALAR; expected 3"),
    ];
    for (attributes, part) in errors {
        let text = build.document(&instancing(attributes)).to_string();
        match read(text.as_bytes(), Format::Gltf) {
            Ok(_) => assert!(part.is_empty(), "{part}"),
            Err(error) => assert!(error.to_string().contains(part), "{error}"),
        }
    }
}

/// So a small file cannot ask for a billion instances.
#[test]
fn instances_without_bytes_are_limited() {
    let mut build = Build::default();
    let position = build.add(&TRIANGLE);
    let zeros = build.add(&[[0.0f32; 3]]);
    *build.accessor(zeros) =
        json!({"componentType": 5126, "count": 4_000_000_000u32, "type": "VEC3"});
    let extensions = json!({"EXT_mesh_gpu_instancing": {"attributes": {"TRANSLATION": zeros}}});
    let document = one_mesh(
        &json!({"POSITION": position}),
        &json!({}),
        &json!({}),
        &json!({"extensions": extensions}),
    );
    let text = build.document(&document).to_string();
    let error = read(text.as_bytes(), Format::Gltf).expect_err("they are too many").to_string();
    assert!(error.contains("4000000000 instances; expected at most"), "{error}");
}

#[test]
fn hidden_nodes_and_those_below_them_are_left_out() {
    let mut build = Build::default();
    let position = build.add(&TRIANGLE);
    let visible = |is: bool| json!({"KHR_node_visibility": {"visible": is}});
    let loaded = build.read(&json!({
        "extensionsRequired": ["KHR_node_visibility"],
        "meshes": [{"primitives": [{"attributes": {"POSITION": position}}]}],
        "nodes": [
            {"name": "seen", "mesh": 0, "extensions": visible(true), "children": [1]},
            {"name": "hidden", "mesh": 0, "extensions": visible(false), "children": [2]},
            {"name": "below", "mesh": 0, "extensions": visible(true)},
            {"name": "default", "mesh": 0, "extensions": {"KHR_node_visibility": {}}},
        ],
    }));
    let names: Vec<_> = loaded.instances.iter().map(|i| i.name.as_deref()).collect();
    assert_eq!(names, [Some("seen"), Some("default")]);
    assert_eq!(loaded.report.lines(), ["hidden nodes, left out: 2"]);
}

#[test]
fn the_center_of_cesium_rtc_moves_the_scene_in_double_precision() {
    let mut build = Build::default();
    let mut document = skinned(&mut build, &[IDENTITY, IDENTITY]);
    document["extensionsUsed"] = json!(["CESIUM_RTC"]);
    document["extensions"] = json!({"CESIUM_RTC": {"center": [4_000_000.25, 1.0, -3.5]}});
    document["nodes"] = json!([{"mesh": 0, "skin": 0}, {"translation": [0, 1, 0]}, {"translation": [0, 1, 0]},
               {"mesh": 0, "translation": [0, 0, 1]}]);
    let loaded = build.read(&document);
    assert_eq!(in_scene(&loaded, 0), triangle_at(4_000_000.25, 2.0, -3.5));
    assert_eq!(in_scene(&loaded, 1), triangle_at(4_000_000.25, 1.0, -2.5));
}
