//! glTF files.

use std::sync::Arc;

use base64::{Engine, engine::general_purpose::STANDARD};
use hitscan_formats::{Format, LoadOptions, Loaded, ReadErrorKind, load, parse, parse_with_files};
use hitscan_primitives::glam::{DVec3, Vec2, Vec3};
use serde_json::{Value, json};

use crate::support::{corners, read};

/// A square of two triangles in the plane of x and y: indices, positions, normals, texture coordinates.
pub(crate) fn buffer() -> Vec<u8> {
    let mut bytes: Vec<u8> = [0u16, 1, 2, 0, 2, 3].into_iter().flat_map(u16::to_le_bytes).collect();
    let positions = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    let normals = [[0.0f32, 0.0, 1.0]; 4];
    let floats = positions.iter().chain(&normals).flatten();
    bytes.extend(floats.flat_map(|f: &f32| f.to_le_bytes()));
    // As integers with a maximum of 65535.
    let uvs = [[0u16, 65535], [65535, 65535], [65535, 0], [0, 0]];
    bytes.extend(uvs.iter().flatten().flat_map(|u: &u16| u.to_le_bytes()));
    bytes
}

/// A tree of nodes: the square unchanged, moved and rotated by a parent, and mirrored.
pub(crate) fn document() -> Value {
    json!({
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0, 1]}],
        "nodes": [
            {"name": "flat", "mesh": 0},
            {"name": "parent", "translation": [10.0, 0.0, 0.0], "children": [2, 3],
             "rotation": [0.0, 0.0, std::f64::consts::FRAC_1_SQRT_2, std::f64::consts::FRAC_1_SQRT_2]},
            {"name": "turned", "mesh": 0, "scale": [2.0, 2.0, 2.0]},
            {"mesh": 0, "matrix": [-1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 5.0, 1.0]},
            {"name": "elsewhere", "mesh": 0},
        ],
        "meshes": [{"name": "square", "primitives": [{
            "attributes": {"POSITION": 1, "NORMAL": 2, "TEXCOORD_0": 3}, "indices": 0, "material": 0,
        }]}],
        "materials": [{"name": "paint", "alphaMode": "BLEND", "pbrMetallicRoughness": {
            "baseColorFactor": [0.5, 0.25, 0.125, 0.75], "baseColorTexture": {"index": 0}}}],
        "textures": [{"source": 0}],
        "images": [{"uri": "wood.png"}],
        "accessors": [
            {"bufferView": 0, "componentType": 5123, "count": 6, "type": "SCALAR"},
            {"bufferView": 1, "componentType": 5126, "count": 4, "type": "VEC3",
             "min": [0.0, 0.0, 0.0], "max": [1.0, 1.0, 0.0]},
            {"bufferView": 1, "byteOffset": 48, "componentType": 5126, "count": 4, "type": "VEC3"},
            {"bufferView": 2, "componentType": 5123, "normalized": true, "count": 4, "type": "VEC2"},
        ],
        "bufferViews": [
            {"buffer": 0, "byteOffset": 0, "byteLength": 12},
            {"buffer": 0, "byteOffset": 12, "byteLength": 96},
            {"buffer": 0, "byteOffset": 108, "byteLength": 16},
        ],
        "buffers": [{"byteLength": 124}],
    })
}

fn data_uri(bytes: &[u8]) -> String {
    format!("data:application/octet-stream;base64,{}", STANDARD.encode(bytes))
}

/// A text that contains its buffer.
pub(crate) fn text(mut document: Value) -> Vec<u8> {
    if document["buffers"][0]["uri"].is_null() {
        document["buffers"][0]["uri"] = data_uri(&buffer()).into();
    }
    document.to_string().into_bytes()
}

pub(crate) fn glb(document: &Value, binary: &[u8]) -> Vec<u8> {
    let mut json = document.to_string().into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut bytes = b"glTF\x02\0\0\0".to_vec();
    bytes.extend((28 + json.len() as u32 + binary.len() as u32).to_le_bytes());
    bytes.extend((json.len() as u32).to_le_bytes());
    bytes.extend(b"JSON");
    bytes.extend(json);
    bytes.extend((binary.len() as u32).to_le_bytes());
    bytes.extend(b"BIN\0");
    bytes.extend(binary);
    bytes
}

pub(crate) fn check(loaded: &Loaded) {
    let [mesh] = &loaded.meshes[..] else { panic!("{} meshes", loaded.meshes.len()) };
    assert_eq!(mesh.triangles(), [[0, 1, 2], [0, 2, 3]]);
    assert_eq!(mesh.positions()[2], Vec3::new(1.0, 1.0, 0.0));
    assert_eq!(mesh.attributes().normals_of(1), Some([Vec3::Z; 3]));
    // v points up.
    assert_eq!(mesh.attributes().uvs_of(0), Some([Vec2::ZERO, Vec2::X, Vec2::ONE]));
    let records = mesh.records().expect("there are some");
    assert_eq!((records.object(0), records.material(1)), (Some("square"), Some("paint")));
    let paint = &loaded.materials[0];
    assert_eq!((paint.diffuse, paint.opacity), (Some([0.5, 0.25, 0.125]), Some(0.75)));
    assert_eq!(paint.map_kd.as_deref(), Some("wood.png"));
    assert_eq!(loaded.report.lines(), ["nodes outside the scene, left out: 1"]);

    let names: Vec<_> = loaded.instances.iter().map(|i| i.name.as_deref()).collect();
    assert_eq!(names, [Some("flat"), Some("turned"), Some("square")]);
    let node = |i: usize| {
        let node = &loaded.nodes[i];
        (node.name.as_deref(), node.parent, node.mesh)
    };
    assert_eq!(
        [node(0), node(1), node(2), node(3)],
        [
            (Some("flat"), None, Some(0)),
            (Some("parent"), None, None),
            (Some("turned"), Some(1), Some(0)),
            (Some("square"), Some(1), Some(0)),
        ]
    );
    let world = loaded.nodes[1].transform * loaded.nodes[2].transform;
    assert_eq!(world, loaded.instances[1].transform);
    let place = |instance: usize, point: DVec3| {
        let moved = loaded.instances[instance].transform.transform_point3(point);
        (moved * 1e6).round() / 1e6
    };
    assert_eq!(place(0, DVec3::X), DVec3::X);
    assert_eq!(place(1, DVec3::X), DVec3::new(10.0, 2.0, 0.0));
    assert_eq!(place(2, DVec3::X), DVec3::new(10.0, -1.0, 5.0));
}

#[test]
fn texts_glb_files_and_external_buffers_are_the_same() {
    check(&read(&text(document()), Format::Gltf).expect("the text is right"));
    check(&read(&glb(&document(), &buffer()), Format::Gltf).expect("the GLB is right"));

    let folder = tempfile::tempdir().expect("there is a folder");
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("it has one")).expect("it is ours");
        std::fs::write(&path, bytes).expect("the folder is ours");
        path
    };
    let data = write("inner/data/the buffer.bin", &buffer());
    let secret = write("secret.bin", &buffer());
    let with_uri = |uri: &str| {
        let mut document = document();
        document["buffers"][0]["uri"] = uri.into();
        write("inner/a.gltf", document.to_string().as_bytes())
    };
    let loaded = load(with_uri("data/the%20buffer.bin"), &LoadOptions::default());
    let loaded = loaded.expect("the buffer is below");
    check(&loaded);
    assert_eq!(loaded.files, [data.canonicalize().expect("it is there")]);
    let secret = secret.to_str().expect("it is text").to_owned();
    for (uri, part) in [
        ("../secret.bin", "it leads elsewhere"),
        (&secret, "it leads elsewhere"),
        ("data/../../secret.bin", "it leads elsewhere"),
        ("%2e%2e/secret.bin", "it leads elsewhere"),
        ("https://example.com/a.bin", "it leads elsewhere"),
        ("data/none.bin", "No such file"),
        ("data", "is a directory"),
    ] {
        let error = load(with_uri(uri), &LoadOptions::default()).expect_err(uri).to_string();
        assert!(error.contains("a.gltf") && error.contains(part), "{error}");
    }
    #[cfg(unix)]
    {
        let link = folder.path().join("inner/link.bin");
        std::os::unix::fs::symlink(&secret, link).expect("the folder is ours");
        let error = load(with_uri("link.bin"), &LoadOptions::default()).expect_err("it is outside");
        assert!(error.to_string().contains("it leads elsewhere"), "{error}");
    }
}

#[test]
fn a_scene_as_one_mesh_has_its_nodes_as_objects_and_its_fronts_outside() {
    let loaded = read(&text(document()), Format::Gltf).expect("the text is right");
    let mesh = loaded.clone().into_mesh().expect("it is small");
    assert_eq!((mesh.triangles().len(), mesh.positions().len()), (6, 12));
    let records = mesh.records().expect("there are some");
    let objects: Vec<_> = (0..6).map(|polygon| records.object(polygon)).collect();
    assert_eq!(objects, ["flat", "flat", "turned", "turned", "square", "square"].map(Some));
    for triangle in 0..6 {
        assert_eq!(mesh.unit_normal(triangle).map(DVec3::round), Some(DVec3::Z), "{triangle}");
        let normals = mesh.attributes().normals_of(triangle).expect("all have them");
        assert!(normals.iter().all(|normal| (*normal - Vec3::Z).length() < 1e-6));
    }
    let few = LoadOptions { max_vertices: 11, ..LoadOptions::default() };
    let few = parse(&text(document()), "test", Format::Gltf, &few).expect("a mesh has 4");
    let error = few.into_mesh().expect_err("the scene has 12");
    assert!(matches!(error.kind, ReadErrorKind::TooLarge { found: 12, .. }), "{error}");
}

#[test]
fn names_are_in_the_order_of_their_triangles() {
    let mut document = document();
    document["materials"] = json!([{"name": "a"}, {}, {"name": "a"}, {"name": "unused"}]);
    let primitive = document["meshes"][0]["primitives"][0].take();
    let with = |material: u32| {
        let mut primitive = primitive.clone();
        primitive["material"] = material.into();
        primitive
    };
    // The second has points, and therefore no name.
    let mut points = with(3);
    points["mode"] = 0.into();
    document["meshes"][0]["primitives"] = json!([with(1), points, with(0), with(1), with(2)]);
    document["nodes"][0] = json!({"mesh": 0});
    let loaded = read(&text(document), Format::Gltf).expect("the text is right");
    let flattened = loaded.clone().into_mesh().expect("it is small");
    for (mesh, n, names) in [
        (&loaded.meshes[0], 1, &["square", "material 1", "a"][..]),
        (&flattened, 3, &["square", "material 1", "a", "turned"]),
    ] {
        let records = mesh.records().expect("there are some");
        assert_eq!(records.names(), names);
        let materials: Vec<_> = (0..8 * n).map(|i| records.material(i)).collect();
        let expected = ["material 1", "a", "material 1", "a"].map(|name| [Some(name); 2]);
        assert_eq!(materials, expected.concat().repeat(n as usize));
        assert_eq!(records.object(0), Some("square"));
    }
}

#[test]
fn strips_fans_and_sparse_accessors_are_read() {
    let mode = |mode: u32| {
        let mut document = document();
        let primitive = &mut document["meshes"][0]["primitives"][0];
        primitive["mode"] = mode.into();
        primitive.as_object_mut().expect("it is one").remove("indices");
        read(&text(document), Format::Gltf).expect("the text is right")
    };
    assert_eq!(mode(5).meshes[0].triangles(), [[0, 1, 2], [2, 1, 3]]);
    assert_eq!(mode(6).meshes[0].triangles(), [[0, 1, 2], [0, 2, 3]]);
    assert_eq!(mode(4).meshes[0].triangles(), [[0, 1, 2]]);
    let points = mode(0);
    assert_eq!((points.meshes[0].triangles().len(), points.report.n_ignored()), (0, 2));

    // The second position comes from the normals, over zeros.
    let mut document = document();
    document["accessors"][1] = json!({
        "componentType": 5126, "count": 4, "type": "VEC3", "min": [0.0, 0.0, 0.0], "max": [0.0, 0.0, 1.0],
        "sparse": {"count": 1, "indices": {"bufferView": 0, "byteOffset": 2, "componentType": 5123},
                   "values": {"bufferView": 1, "byteOffset": 48}},
    });
    let loaded = read(&text(document), Format::Gltf).expect("the text is right");
    let expected = [Vec3::ZERO, Vec3::Z, Vec3::ZERO];
    assert_eq!(corners(&loaded.meshes[0])[0], expected);
}

/// Bones, lights and cameras are no nodes of a scene of meshes. A child of a flattened node stands alone.
#[test]
fn nodes_have_a_mesh_at_or_below_them() {
    let mut document = document();
    document["nodes"] = json!([
        {"name": "bone", "children": [1]}, {"name": "tip"},
        {"name": "flat", "scale": [1.0, 0.0, 1.0], "children": [3], "mesh": 0}, {"name": "below", "mesh": 0},
        {"name": "group", "children": [5]}, {"name": "inner", "children": [6]}, {"name": "leaf", "mesh": 0},
    ]);
    document["scenes"][0]["nodes"] = json!([0, 2, 4]);
    let loaded = read(&text(document), Format::Gltf).expect("the text is right");
    let nodes: Vec<_> = loaded.nodes.iter().map(|n| (n.name.as_deref(), n.parent)).collect();
    assert_eq!(nodes, [(Some("group"), None), (Some("inner"), Some(0)), (Some("leaf"), Some(1))]);
    assert_eq!(loaded.report.lines(), ["nodes whose transform has no inverse, left out: 2"]);
}

/// A name takes memory once, for any number of nodes with the mesh.
#[test]
fn nodes_without_names_share_that_of_their_mesh() {
    let mut document = document();
    let mesh = document["meshes"][0].clone();
    document["meshes"] = json!([mesh, mesh]);
    document["nodes"] = json!([{"mesh": 0}, {"mesh": 1}, {"mesh": 0}, {"mesh": 0, "name": "own"}]);
    document["scenes"][0]["nodes"] = json!([0, 1, 2, 3]);
    let loaded = read(&text(document), Format::Gltf).expect("the text is right");
    let names: Vec<_> = loaded.instances.iter().filter_map(|i| i.name.clone()).collect();
    assert_eq!(names, ["square", "square", "square", "own"].map(Arc::from));
    assert!(Arc::ptr_eq(&names[0], &names[2]));
    let flattened = loaded.clone().into_mesh().expect("it is small");
    let records = flattened.records().expect("there are some");
    assert_eq!(records.names(), ["square", "paint", "own"]);
}

#[test]
fn vertices_and_triangles_of_all_meshes_are_limited() {
    let mut document = document();
    let mesh = document["meshes"][0].clone();
    document["meshes"] = json!([mesh, mesh]);
    // A fan, with one triangle for each vertex after the second.
    let primitive = &mut document["meshes"][1]["primitives"][0];
    primitive["mode"] = 6.into();
    let many_triangles = {
        let mut document = document.clone();
        // Indices without bytes in the file, which are all 0.
        document["accessors"][0] = json!({
            "componentType": 5123, "count": 12, "type": "SCALAR",
            "sparse": {"count": 1, "indices": {"bufferView": 0, "componentType": 5123},
                       "values": {"bufferView": 0}},
        });
        text(document)
    };
    let limited = |bytes: &[u8], max_vertices: u64| {
        let options = LoadOptions { max_vertices, ..LoadOptions::default() };
        parse(bytes, "test", Format::Gltf, &options)
    };
    for (bytes, n, what) in [(text(document), 8, "vertices"), (many_triangles, 14, "triangles")] {
        limited(&bytes, n).expect("it has no more");
        let error = limited(&bytes, n - 1).expect_err("it has one more").to_string();
        let limit = n - 1;
        let expected =
            format!("test: {n} {what}; expected at most {limit}; `LoadOptions::max_vertices`");
        assert!(error.starts_with(&expected), "{error}");
    }
}

#[test]
fn primitives_that_share_accessors_share_vertices() {
    let mut document = document();
    let mut primitive = document["meshes"][0]["primitives"][0].clone();
    primitive["mode"] = 6.into();
    document["meshes"][0]["primitives"].as_array_mut().expect("it is one").push(primitive.clone());
    // The second mesh has the indices 2, 0, 2, and so two of the four vertices.
    primitive["mode"] = 4.into();
    primitive["indices"] = 4.into();
    document["accessors"].as_array_mut().expect("it is one").push(json!(
        {"bufferView": 0, "byteOffset": 4, "componentType": 5123, "count": 3, "type": "SCALAR"}
    ));
    document["meshes"].as_array_mut().expect("it is one").push(json!({"primitives": [primitive]}));
    // The third is the first again.
    let first = document["meshes"][0].clone();
    document["meshes"].as_array_mut().expect("it is one").push(first);
    document["nodes"][4]["mesh"] = 2.into();
    document["scenes"][0]["nodes"] = json!([0, 4]);
    let loaded = read(&text(document), Format::Gltf).expect("the text is right");
    let [first, second] = &loaded.meshes[..] else { panic!("{} meshes", loaded.meshes.len()) };
    assert_eq!((first.positions().len(), first.triangles().len()), (4, 6));
    assert_eq!((first.attributes().normals.len(), first.attributes().uvs.len()), (4, 4));
    assert_eq!(second.triangles(), [[1, 0, 1]]);
    assert_eq!(second.positions(), [Vec3::ZERO, Vec3::new(1.0, 1.0, 0.0)]);
    assert_eq!(second.attributes().uvs_of(0), Some([Vec2::ONE, Vec2::ZERO, Vec2::ONE]));
    assert_eq!(loaded.instances.iter().map(|i| i.mesh).collect::<Vec<_>>(), [0, 0]);
}

/// So a small file cannot take the memory of a large one.
#[test]
fn triangles_of_shared_data_are_limited() {
    let mut document = document();
    let primitive = document["meshes"][0]["primitives"][0].clone();
    document["meshes"][0]["primitives"] = vec![primitive; 100].into();
    // 200 triangles, beside 124 bytes.
    let limited = |max_repeated| {
        let options = LoadOptions { max_repeated, ..LoadOptions::default() };
        parse(&text(document.clone()), "test", Format::Gltf, &options)
    };
    let loaded = limited(200 - 124 / 3).expect("there are no more");
    assert_eq!((loaded.meshes[0].triangles().len(), loaded.meshes[0].positions().len()), (200, 4));
    let error = limited(200 - 124 / 3 - 1).expect_err("there is one more").to_string();
    let expected = "test: 200 triangles of primitives that share data; expected at most 199; \
                    `LoadOptions::max_repeated` raises the limit";
    assert_eq!(error, expected);
}

#[test]
fn a_function_can_provide_buffers() {
    let mut document = document();
    document["buffers"][0]["uri"] = "a%20b.bin".into();
    let text = document.to_string().into_bytes();
    let mut names = Vec::new();
    let mut provide = |name: &str| {
        names.push(name.to_owned());
        Ok(buffer())
    };
    let options = LoadOptions::default();
    let loaded = parse_with_files(&text, "test", Format::Gltf, &options, &mut provide);
    assert_eq!(loaded.expect("the text is right").meshes[0].triangles().len(), 2);
    assert_eq!(names, ["a b.bin"]);
    let mut refuse = |_: &str| Err(std::io::ErrorKind::NotFound.into());
    let error = parse_with_files(&text, "test", Format::Gltf, &options, &mut refuse);
    let error = error.expect_err("there is none").to_string();
    assert!(error.contains(": buffer 0 in \"a%20b.bin\""), "{error}");
}
