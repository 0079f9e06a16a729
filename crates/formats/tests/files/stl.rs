//! STL files.

use std::fmt::Write;

use hitscan_formats::{Format, LoadOptions, load};
use hitscan_primitives::{TriMesh, generate};

use crate::support::{assert_errors, assert_no_damage_panics, corners, mesh, read};

fn text_of(mesh: &TriMesh) -> String {
    let mut text = "solid a shape\n".to_owned();
    for corners in corners(mesh) {
        text.push_str("  facet normal 0 0 0\n    outer loop\n");
        for corner in corners {
            writeln!(text, "      vertex {} {:e} {}", corner.x, corner.y, corner.z)
                .expect("it fits");
        }
        text.push_str("    endloop\n  endfacet\n");
    }
    text + "endsolid a shape\n"
}

fn binary_of(mesh: &TriMesh) -> Vec<u8> {
    let mut bytes = b"solid, as some programs begin binary files".to_vec();
    bytes.resize(80, b' ');
    bytes.extend((mesh.triangles().len() as u32).to_le_bytes());
    for corners in corners(mesh) {
        bytes.extend([0; 12]);
        bytes.extend(corners.iter().flat_map(|c| c.to_array()).flat_map(f32::to_le_bytes));
        bytes.extend([7, 7]);
    }
    bytes
}

#[test]
fn text_and_binary_are_the_mesh_that_was_written() {
    let original = generate::torus(1.0, 0.3, 500).expect("it is a torus");
    for bytes in [text_of(&original).into_bytes(), binary_of(&original)] {
        let read = mesh(&bytes, Format::Stl);
        assert_eq!(corners(&read), corners(&original));
        // Corners at one place become one vertex.
        assert_eq!(read.positions().len(), original.positions().len());
    }
    let text = text_of(&original).replace('\n', "\r\n").to_uppercase().replace("E-", "e-");
    assert_eq!(corners(&mesh(text.as_bytes(), Format::Stl)), corners(&original));
}

#[test]
fn solids_become_objects_and_errors_have_lines() {
    let facet = "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 -0\nvertex 0 1 0\nendloop\nendfacet\n";
    let text = format!("solid a b\n{facet}endsolid a b\nsolid\n{facet}{facet}endsolid\n");
    let mesh = mesh(text.as_bytes(), Format::Stl);
    let records = mesh.records().expect("there are some");
    let objects: Vec<_> = (0..3).map(|polygon| records.object(polygon)).collect();
    assert_eq!(objects, [Some("a b"), None, None]);
    assert_eq!((records.lines().get(0), records.lines().get(2)), (Some(2), Some(18)));
    assert_eq!(mesh.positions().len(), 3);
}

#[test]
fn triangles_that_are_not_finite_are_left_out_and_counted() {
    let mut original = binary_of(&generate::cuboid(1.0, 1.0, 1.0, 0).expect("it is a cuboid"));
    original[84 + 12..84 + 16].copy_from_slice(&f32::NAN.to_le_bytes());
    let loaded = read(&original, Format::Stl).expect("the file is right");
    assert_eq!((loaded.meshes[0].triangles().len(), loaded.report.n_ignored()), (11, 1));
    assert_eq!(loaded.report.lines(), ["triangles at a vertex that is not finite, left out: 1"]);
}

#[test]
fn damaged_files_are_errors_with_the_place() {
    let binary = binary_of(&generate::cuboid(1.0, 1.0, 1.0, 0).expect("it is a cuboid"));
    let mut no_solid = binary.clone();
    no_solid[..5].fill(b'x');
    let with_count = |n: u32| {
        let mut bytes = no_solid.clone();
        bytes[80..84].copy_from_slice(&n.to_le_bytes());
        bytes
    };
    let text = "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid\n";
    let with = |from: &str, to: &str| text.replacen(from, to, 1).into_bytes();
    let cut = |at: &str| text.as_bytes()[..text.find(at).expect("it is there")].to_vec();
    let cases = [
        (vec![], "an empty file; expected text"),
        (b"\0\0\0".to_vec(), "3 bytes that start with \"\\x00\\x00\\x00\"; expected text"),
        (no_solid[..83].to_vec(), "or a header of 84 bytes"),
        (no_solid[..300].to_vec(), "216 bytes after the header; expected 50 for each of its 12"),
        (no_solid[..no_solid.len() - 1].to_vec(), "599 bytes after the header"),
        ([&no_solid[..], &[0]].concat(), "601 bytes after the header"),
        (with_count(0), "each of its 0 triangles"),
        (with_count(13), "each of its 13 triangles"),
        (with_count(u32::MAX), "each of its 4294967295 triangles"),
        (with("facet", "facette"), "test:2: \"facette\"; expected `facet` or `endsolid`"),
        (with("normal 0 0 1", "normal 0 0 1 0"), "test:2: \"0\"; expected `outer loop`"),
        (with("outer", "inner"), "test:3: \"inner\"; expected `outer loop`"),
        (with("loop", "hoop"), "test:3: \"hoop\"; expected `loop`"),
        (with("vertex 0 0 0\n", ""), "test:6: \"endloop\"; expected `vertex`"),
        (with("vertex 1 0 0", "vertex 1 0"), "test:6: \"vertex\"; expected a coordinate"),
        (with("vertex 1 0 0", "vertex 1 0 0 0"), "test:5: \"0\"; expected `vertex`"),
        (with("vertex 1 0 0", "vertex 1 0 1,5"), "test:5: \"1,5\"; expected a coordinate"),
        (with("endloop", "vertex 5 5 5\nendloop"), "test:7: \"vertex\"; expected `endloop`"),
        (with("endfacet\n", ""), "test:8: \"endsolid\"; expected `endfacet`"),
        (with("endsolid\n", ""), "the end of the file; expected `facet` or `endsolid`"),
        (with("endsolid", "endsolid\nfacet"), "test:10: \"facet\"; expected `solid`"),
        (cut("vertex 1"), "the end of the file; expected `vertex`"),
        (cut("0 1 0"), "the end of the file; expected a coordinate"),
        (cut("facet"), "the end of the file; expected `facet`"),
        (with("facet", "\u{1b}[2J"), "\"\\x1b[2J\""),
    ];
    assert_errors(Format::Stl, &cases);
}

#[test]
fn no_damage_panics() {
    let original = generate::cuboid(1.0, 2.0, 3.0, 0).expect("it is a cuboid");
    let originals = [text_of(&original).into_bytes(), binary_of(&original)];
    assert_no_damage_panics(Format::Stl, &originals, 1);
}

#[test]
fn files_are_recognised_by_content_and_limited() {
    let folder = tempfile::tempdir().expect("there is a folder");
    let path = folder.path().join("shape.obj");
    let original = generate::cuboid(1.0, 2.0, 3.0, 0).expect("it is a cuboid");
    std::fs::write(&path, binary_of(&original)).expect("the folder is ours");
    assert_eq!(Format::of_file(&path), Some(Format::Stl));
    let loaded = load(&path, &LoadOptions::default()).expect("the file is right");
    assert_eq!(loaded.clone().into_mesh().expect("it fits"), loaded.meshes[0]);
    for options in [
        LoadOptions { max_file_bytes: 600, ..LoadOptions::default() },
        LoadOptions { max_vertices: 11, ..LoadOptions::default() },
    ] {
        let error = load(&path, &options).expect_err("it is too large").to_string();
        assert!(error.contains("shape.obj: ") && error.contains("expected at most"), "{error}");
    }
    assert!(load(folder.path(), &LoadOptions::default()).is_err());
}
