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

/// The triangles and the report of a file.
#[track_caller]
fn read_all(bytes: &[u8]) -> (usize, Vec<String>) {
    let loaded = read(bytes, Format::Stl).expect("the triangles are known");
    (loaded.meshes[0].triangles().len(), loaded.report.lines())
}

const FACET: &str =
    "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n";

#[test]
fn bytes_around_binary_triangles_and_wrong_counts_are_reported() {
    let cube = binary_of(&generate::cuboid(1.0, 1.0, 1.0, 0).expect("it is a cuboid"));
    let counted = |n: u32| [&cube[..80], &n.to_le_bytes(), &cube[84..]].concat();
    let wrong = |n: u32, right: u32| {
        format!("wrong numbers of triangles in the header ({n}, not {right}), replaced: 1")
    };
    let behind = |n: usize| format!("bytes after the last triangle, left out: {n}");
    let missing = |n| format!("missing bytes at the end of the last triangle, not needed: {n}");
    let further = "further binary solids in the file, read: 1".to_owned();
    let mut newline = cube.clone();
    newline[20..22].copy_from_slice(b"\n\n");
    let payload: Vec<u8> =
        (0..1000u32).flat_map(|i| i.wrapping_mul(0x9e37_79b9).to_le_bytes()).collect();
    let cases = [
        (cube.clone(), 12, vec![]),
        (newline.clone(), 12, vec![]),
        ([&newline[..], b"\n"].concat(), 12, vec![behind(1)]),
        ([&cube[..], &[0, 0]].concat(), 12, vec![behind(2)]),
        ([&cube[..], &payload].concat(), 12, vec![behind(4000)]),
        ([&cube[..], &[0; 4000]].concat(), 12, vec![behind(4000)]),
        ([&cube[..], &cube, &cube[84..]].concat(), 12, vec![behind(84 + 24 * 50)]),
        ([&cube[..], &cube].concat(), 24, vec![further]),
        (cube[..cube.len() - 1].to_vec(), 12, vec![missing(1)]),
        (cube[..cube.len() - 2].to_vec(), 12, vec![missing(2)]),
        (cube[..cube.len() - 3].to_vec(), 11, vec![wrong(12, 11), behind(47)]),
        (cube[..300].to_vec(), 4, vec![wrong(12, 4), behind(16)]),
        (counted(0), 12, vec![wrong(0, 12)]),
        (counted(5), 12, vec![wrong(5, 12)]),
        (counted(13), 12, vec![wrong(13, 12)]),
        (counted(u32::MAX), 12, vec![wrong(u32::MAX, 12)]),
    ];
    for (bytes, n, lines) in cases {
        assert_eq!(read_all(&bytes), (n, lines), "{} bytes", bytes.len());
    }
}

#[test]
fn solids_end_in_any_spelling_and_also_at_the_end_of_the_file() {
    for end in [
        "endsolid",
        "endsolid a",
        "end solid a",
        "END SOLID",
        "endsolida",
        "EndSolid_a",
        "end_solid a",
        "end-solid",
        "end",
    ] {
        let text = format!("solid a\n{FACET}{end}\nsolid b\n{FACET}{end}");
        assert_eq!(read_all(text.as_bytes()), (2, vec![]), "{end}");
    }
    let first = "missing `endsolid`, not needed: 2 (the first on line 9)".to_owned();
    let text = format!("solid a\n{FACET}solid b\n{FACET}");
    assert_eq!(read_all(text.as_bytes()), (2, vec![first]));
    let text = format!("solid a\nendsolid a\n{FACET}endsolid");
    assert_eq!(
        read_all(text.as_bytes()),
        (1, vec!["facets outside of a solid, read: 1 (line 3)".to_owned()])
    );
    assert_eq!(read_all(format!("{FACET}{FACET}endsolid").as_bytes()).0, 2);
    let one_line =
        format!("solid a b {FACET}endsolid a b solid c {FACET}endsolid").replace('\n', " ");
    let mesh = mesh(one_line.as_bytes(), Format::Stl);
    let records = mesh.records().expect("there are some");
    assert_eq!((records.object(0), records.object(1)), (Some("a b"), None));
}

#[test]
fn keywords_of_facets_may_be_split_joined_or_missing() {
    let whole = corners(&mesh(format!("solid\n{FACET}endsolid").as_bytes(), Format::Stl));
    let without = "facets without `outer loop`, `endloop` or `endfacet`, read: 1 (line 2)";
    for (from, to, lines) in [
        ("endfacet", "end facet", vec![]),
        ("endloop", "END LOOP", vec![]),
        ("outer loop", "outerloop", vec![]),
        ("normal 0 0 1", "normal -nan(ind) 1.#QNAN inf", vec![]),
        ("normal 0 0 1\n", "", vec![]),
        ("outer loop\n", "", vec![without]),
        ("endloop\n", "", vec![without]),
        ("endfacet\n", "", vec![without]),
        ("endloop\nendfacet\n", "", vec![without]),
        (
            "1 0 0\n",
            "1 0 0 7 8\n",
            vec!["vertices of more than 3 numbers, the rest left out: 1 (line 5)"],
        ),
    ] {
        let text = format!("solid\n{FACET}endsolid\n").replacen(from, to, 1);
        let loaded = read(text.as_bytes(), Format::Stl).expect(to);
        assert_eq!(
            (corners(&loaded.meshes[0]), loaded.report.lines()),
            (whole.clone(), lines.iter().map(|l| (*l).to_owned()).collect()),
            "{to}"
        );
    }
    let quad = FACET.replace("endloop", "vertex -1 0.5 0\nendloop");
    let (n, lines) = read_all(format!("solid\n{quad}endsolid\n").as_bytes());
    assert_eq!(
        (n, &lines[..]),
        (2, &["facets of more than 3 corners, cut into triangles: 1".to_owned()][..])
    );
}

#[test]
fn a_file_that_ends_early_has_its_whole_triangles() {
    let text = format!("solid\n{FACET}{FACET}");
    for (at, n) in
        [("outer", 1), ("vertex 0 1", 1), ("1 0\nendl", 1), ("endloop", 1), ("endfacet", 2)]
    {
        let cut = &text[..text.rfind(at).expect("it is there")];
        let (found, lines) = read_all(cut.as_bytes());
        assert_eq!((found, lines.len()), (n, 2), "{at}: {lines:?}");
        let left_out = "facets cut by the end of the file, left out: 1 (line 9)";
        assert!(n == 2 || lines[0] == left_out, "{lines:?}");
    }
}

#[test]
fn unknown_lines_and_words_are_left_out_by_name() {
    let coloured = FACET
        .replace("outer loop", "color 1 0 0.5\nouter loop")
        .replace("vertex 1", "uv 0 0\nvertex 1");
    let text = format!(
        "solid a\nunits mm\n{coloured}{coloured}{}endsolid a\n\x7fPAYLOAD\x01 facet 7\n\n",
        FACET.replace("0 1 0\n", "0 1 0 red\n")
    );
    let lines = [
        "statements \"units\", left out: 1 (line 2)",
        "statements \"color\", left out: 2 (the first on line 4)",
        "statements \"uv\", left out: 2 (the first on line 7)",
        "words \"red\", left out: 1 (line 25)",
        "statements \"\\x7fPAYLOAD\\x01\", left out: 1 (line 29)",
    ];
    assert_eq!(read_all(text.as_bytes()), (3, lines.map(str::to_owned).to_vec()));
}

#[test]
fn damaged_files_are_errors_with_the_place() {
    let binary = binary_of(&generate::cuboid(1.0, 1.0, 1.0, 0).expect("it is a cuboid"));
    let mut no_solid = binary.clone();
    no_solid[..5].fill(b'x');
    let text = format!("solid\n{FACET}endsolid\n");
    let with = |from: &str, to: &str| text.replacen(from, to, 1).into_bytes();
    let cut = |at: &str| text.as_bytes()[..text.find(at).expect("it is there")].to_vec();
    let page = b"<html><body>".repeat(100);
    let zeros = |n: u32| {
        let mut bytes = vec![0; 5000];
        bytes[80..84].copy_from_slice(&n.to_le_bytes());
        bytes
    };
    let cases = [
        (vec![], "an empty file; expected text"),
        (b"\0\0\0".to_vec(), "3 bytes that start with \"\\x00\\x00\\x00\"; expected text"),
        (no_solid[..83].to_vec(), "or a header of 84 bytes"),
        (no_solid[..131].to_vec(), "47 bytes after the header; expected 50 for each of its 12"),
        (page, "1116 bytes after the header"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:".repeat(3), "78 bytes after"),
        (zeros(0), "4916 bytes after the header; expected 50 for each of its 0 triangles"),
        (zeros(99), "each of its 99 triangles"),
        (zeros(u32::MAX), "each of its 4294967295 triangles"),
        (b"solid ground is rare,\nas they say\n".to_vec(), "the end of the file; expected `facet`"),
        (with("facet", "facette"), "test:3: \"outer\"; expected `facet` or `endsolid`"),
        (with("facet", "\u{1b}[2J"), "test:3: \"outer\"; expected `facet`"),
        (with("vertex 0 0 0\n", ""), "test:6: \"endloop\"; expected `vertex`"),
        (with("vertex 1 0 0", "vertex 1 0"), "test:6: \"vertex\"; expected a coordinate"),
        (with("vertex 1 0 0", "vertex 1 0 1,5"), "test:5: \"1,5\"; expected a coordinate"),
        (with("vertex 1 0 0", "vertex 1 \u{1b}[2J 0"), "\"\\x1b[2J\""),
        (with("endloop", "endloop\nvertex 5 5 5"), "test:8: \"vertex\"; expected `endfacet`"),
        (with("endsolid", "endsolid\nendfacet"), "test:10: \"endfacet\"; expected `facet`"),
        (with("vertex 0 0 0", "endfacet"), "test:4: \"endfacet\"; expected `vertex`"),
        (
            with("outer loop\nvertex 0 0 0", "endfacet"),
            "test:3: \"endfacet\"; expected `outer loop`",
        ),
        (cut("vertex 1"), "the end of the file; expected `vertex`"),
        (cut("0 1 0"), "the end of the file; expected a coordinate"),
        (cut("endloop"), "the end of the file; expected `endloop`"),
        (cut("facet"), "the end of the file; expected `facet`"),
    ];
    assert_errors(Format::Stl, &cases);
}

/// One line of a megabyte must not be searched again for each of its solids.
#[test]
fn a_long_line_is_read_in_linear_time() {
    let text = format!("solid a {} endsolid a ", FACET.replace('\n', " "));
    let text = text.repeat((1 << 20) / text.len());
    let start = std::time::Instant::now();
    let (n, _) = read_all(text.as_bytes());
    assert!(n > 8000 && start.elapsed().as_secs() < 5, "{n} in {:?}", start.elapsed());
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
