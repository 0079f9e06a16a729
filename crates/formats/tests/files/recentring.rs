//! Coordinates that f32 cannot hold, in every format.

use glam::{DAffine3, DVec3};
use hitscan_formats::{Format, Instance, LoadOptions, Loaded, merge, parse, write};
use hitscan_primitives::TriMesh;

const CORNERS: [[f64; 3]; 4] = [
    [507_960.88, 5_039_558.63, 35.04],
    [507_968.88, 5_039_558.63, 35.04],
    [507_960.88, 5_039_566.63, 35.04],
    [507_960.88, 5_039_558.63, 43.04],
];
const TRIANGLES: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];

fn ascii_stl() -> Vec<u8> {
    let mut text = "solid house\n".to_owned();
    for triangle in TRIANGLES {
        text += "facet normal 0 0 0 outer loop\n";
        for [x, y, z] in triangle.map(|corner| CORNERS[corner as usize]) {
            text += &format!("vertex {x} {y} {z}\n");
        }
        text += "endloop endfacet\n";
    }
    (text + "endsolid house\n").into_bytes()
}

fn header(format: &str, number: &str) -> String {
    format!(
        "ply\nformat {format} 1.0\nelement vertex 4\nproperty {number} x\nproperty {number} y\n\
         property {number} z\nelement face 4\nproperty list uchar int vertex_indices\nend_header\n"
    )
}

fn ascii_ply() -> Vec<u8> {
    let mut text = header("ascii", "float");
    for [x, y, z] in CORNERS {
        text += &format!("{x} {y} {z}\n");
    }
    for [a, b, c] in TRIANGLES {
        text += &format!("3 {a} {b} {c}\n");
    }
    text.into_bytes()
}

fn double_ply() -> Vec<u8> {
    let mut bytes = header("binary_big_endian", "double").into_bytes();
    bytes.extend(CORNERS.as_flattened().iter().flat_map(|x| x.to_be_bytes()));
    for triangle in TRIANGLES {
        bytes.push(3);
        bytes.extend(triangle.iter().flat_map(|x| x.to_be_bytes()));
    }
    bytes
}

fn obj() -> Vec<u8> {
    let vertices = CORNERS.map(|[x, y, z]| format!("v {x} {y} {z}\n"));
    let faces = TRIANGLES.map(|[a, b, c]| format!("f {} {} {}\n", a + 1, b + 1, c + 1));
    (vertices.concat() + &faces.concat()).into_bytes()
}

fn load(bytes: &[u8], format: Format) -> Loaded {
    parse(bytes, "house", format, &LoadOptions::default()).unwrap()
}

/// The corners of all triangles in the coordinates of the file, to the bit.
fn corners(mesh: &TriMesh) -> Vec<[u64; 3]> {
    let vertices = mesh.triangles().as_flattened().iter();
    vertices.map(|&vertex| mesh.file_position(vertex).to_array().map(f64::to_bits)).collect()
}

fn expected() -> Vec<[u64; 3]> {
    let vertices = TRIANGLES.as_flattened().iter();
    vertices.map(|&vertex| CORNERS[vertex as usize].map(f64::to_bits)).collect()
}

#[test]
fn every_format_with_f64_numbers_keeps_them() {
    let files = [
        (obj(), Format::Obj),
        (ascii_stl(), Format::Stl),
        (ascii_ply(), Format::Ply),
        (double_ply(), Format::Ply),
    ];
    for (bytes, format) in files {
        let loaded = load(&bytes, format);
        assert_eq!(loaded.report.lines(), [""; 0], "{format:?}");
        let mesh = loaded.into_mesh().unwrap();
        assert_eq!(mesh.offset().to_array(), [507_965.0, 5_039_563.0, 39.0], "{format:?}");
        assert_eq!(corners(&mesh), expected(), "{format:?}");
        assert_eq!(mesh.n_degenerate(), 0);
    }
}

#[test]
fn every_format_is_written_in_the_coordinates_of_the_file() {
    let mesh = load(&obj(), Format::Obj).into_mesh().unwrap();
    for format in [Format::Obj, Format::Stl, Format::Ply, Format::Gltf] {
        let mut bytes = Vec::new();
        write(&mesh, &[], format, &mut bytes).unwrap();
        let again = load(&bytes, format).into_mesh().unwrap();
        assert_eq!(corners(&again), expected(), "{format:?}");
        assert_eq!(again.offset(), mesh.offset(), "{format:?}");
    }
}

#[test]
fn without_recentring_the_report_tells_the_loss() {
    let options = LoadOptions { recentre: false, ..LoadOptions::default() };
    for (bytes, format) in [(ascii_stl(), Format::Stl), (double_ply(), Format::Ply)] {
        let loaded = parse(&bytes, "house", format, &options).unwrap();
        let lines = loaded.report.lines();
        assert_eq!(lines.len(), 1, "{lines:?}");
        assert!(lines[0].starts_with("positions rounded by up to 0.1"), "{lines:?}");
        assert_eq!(loaded.meshes[0].offset(), DVec3::ZERO);
        assert_eq!(loaded.meshes[0].positions()[0].to_array(), CORNERS[0].map(|x| x as f32));
    }
}

#[test]
fn a_binary_file_of_f32_numbers_keeps_its_bits() {
    let far = CORNERS.map(|corner| corner.map(|x| x as f32));
    let mesh = TriMesh::new(far, TRIANGLES.to_vec()).unwrap();
    for format in [Format::Obj, Format::Stl, Format::Ply, Format::Gltf] {
        let mut bytes = Vec::new();
        write(&mesh, &[], format, &mut bytes).unwrap();
        let again = load(&bytes, format).into_mesh().unwrap();
        assert_eq!(again.offset(), DVec3::ZERO, "{format:?}");
        assert_eq!(corners(&again), corners(&mesh), "{format:?}");
    }
}

#[test]
fn a_merged_scene_far_from_the_origin_keeps_its_details() {
    let near = CORNERS.map(|corner| (DVec3::from(corner) - DVec3::from(CORNERS[0])).as_vec3());
    let near = TriMesh::from_vecs(near.to_vec(), TRIANGLES.to_vec()).unwrap();
    let recentred = load(&obj(), Format::Obj).into_mesh().unwrap();
    let place = |mesh, transform| Instance { mesh, transform, name: None };
    let instances = [
        place(0, DAffine3::from_translation(CORNERS[0].into())),
        place(1, DAffine3::from_translation([0.0, 0.0, 0.25].into())),
    ];
    let options = LoadOptions::default();
    let merged = merge(&[near, recentred], &instances, &options).unwrap();
    assert_ne!(merged.offset(), DVec3::ZERO);
    for (vertex, corner) in CORNERS.iter().cycle().enumerate().take(8) {
        let expected = DVec3::from(*corner) + DVec3::Z * if vertex < 4 { 0.0 } else { 0.25 };
        let found = merged.file_position(vertex as u32);
        assert!(found.distance(expected) < 1e-6, "{vertex}: {found}");
    }
}
