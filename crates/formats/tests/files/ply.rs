//! PLY files.

use hitscan_formats::Format;
use hitscan_primitives::glam::{Vec2, Vec3};

use crate::support::{assert_errors, assert_no_damage_panics, mesh, read};

const HEADER: &str = "ply\nformat ENCODING 1.0\ncomment made by a test\nelement vertex 6\n\
    property float x\nproperty double y\nproperty float32 z\nproperty uchar red\n\
    property float nx\nproperty float ny\nproperty float nz\nproperty float s\nproperty float t\n\
    element edge 1\nproperty int vertex1\nproperty list uchar short weights\n\
    element face 3\nproperty uint8 flag\nproperty list uchar int vertex_indices\nend_header\n";

/// Two adjacent squares, one of them cut in two, and a line, which is no face.
fn body(encoding: &str) -> Vec<u8> {
    let vertices = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [2.0, 0.0], [2.0, 1.0]];
    let faces: [&[i32]; 3] = [&[0, 1, 2, 3], &[1, 4, 5], &[0, 1]];
    if encoding == "ascii" {
        let vertex = |[x, y]: [f64; 2]| format!("{x} {y} 0.5 255 0 0 1 {x} 0.25\n");
        let face = |face: &[i32]| {
            let numbers: Vec<String> = face.iter().map(i32::to_string).collect();
            format!("7 {} {}\n", face.len(), numbers.join(" "))
        };
        let edge = "3 2 1 2\n".to_owned();
        let lines = vertices.map(vertex).into_iter().chain([edge]).chain(faces.map(face));
        return lines.collect::<String>().into_bytes();
    }
    let is_big = encoding == "binary_big_endian";
    let mut bytes = Vec::new();
    let mut put = |mut number: Vec<u8>| {
        if is_big {
            number.reverse();
        }
        bytes.extend(number);
    };
    for [x, y] in vertices {
        put((x as f32).to_le_bytes().to_vec());
        put(f64::to_le_bytes(y).to_vec());
        put(0.5f32.to_le_bytes().to_vec());
        put(vec![255]);
        for value in [0.0, 0.0, 1.0, x as f32, 0.25] {
            put(value.to_le_bytes().to_vec());
        }
    }
    put(3i32.to_le_bytes().to_vec());
    put(vec![2]);
    put(1i16.to_le_bytes().to_vec());
    put(2i16.to_le_bytes().to_vec());
    for face in faces {
        put(vec![7]);
        put(vec![face.len() as u8]);
        face.iter().for_each(|index| put(index.to_le_bytes().to_vec()));
    }
    bytes
}

fn file(encoding: &str) -> Vec<u8> {
    [HEADER.replace("ENCODING", encoding).into_bytes(), body(encoding)].concat()
}

const ENCODINGS: [&str; 3] = ["ascii", "binary_little_endian", "binary_big_endian"];

#[test]
fn all_encodings_are_the_same_mesh() {
    for encoding in ENCODINGS {
        let loaded = read(&file(encoding), Format::Ply).expect(encoding);
        let mesh = &loaded.meshes[0];
        assert_eq!(mesh.triangles(), [[0, 1, 2], [0, 2, 3], [1, 4, 5]], "{encoding}");
        assert_eq!(mesh.positions()[5], Vec3::new(2.0, 1.0, 0.5));
        assert_eq!(mesh.attributes().normals_of(0), Some([Vec3::Z; 3]));
        let uvs = [1.0, 2.0, 2.0].map(|x| Vec2::new(x, 0.25));
        assert_eq!(mesh.attributes().uvs_of(2), Some(uvs));
        let records = mesh.records().expect("there are some");
        assert_eq!((records.n_polygons(), records.polygon(2)), (2, 1));
        assert_eq!(records.lines().get(0), (encoding == "ascii").then_some(28));
        let remarks = [
            "vertex colours, left out: 6",
            "elements edge, left out: 1",
            "face properties flag, left out: 1",
            "faces of fewer than 3 corners, left out: 1",
        ];
        assert_eq!(loaded.report.lines(), remarks, "{encoding}");
    }
}

/// As in OBJ files: a concave quad gets the diagonal that lies inside it.
#[test]
fn polygons_are_cut_like_those_of_obj_files() {
    let text = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\n\
        property float z\nelement face 1\nproperty list uchar int vertex_index\nend_header\n\
        0 0 0\n4 2 0\n0 4 0\n1 2 0\n4 0 1 2 3";
    for text in [text.to_owned(), text.replace('\n', "\r\n"), text.replace('\n', "\r")] {
        assert_eq!(mesh(text.as_bytes(), Format::Ply).triangles(), [[1, 2, 3], [1, 3, 0]]);
    }
    // A vertex that is not finite removes its faces.
    let loaded = read(text.replace("4 2 0", "inf 2 0").as_bytes(), Format::Ply);
    let loaded = loaded.expect("the file is right");
    assert_eq!((loaded.meshes[0].triangles().len(), loaded.report.n_ignored()), (0, 1));
}

#[test]
fn a_cloud_of_points_is_a_mesh_without_triangles() {
    let text = "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n\
        property float z\nend_header\n1 nan 3\n";
    let mesh = mesh(text.as_bytes(), Format::Ply);
    assert_eq!((mesh.positions().len(), mesh.triangles().len()), (1, 0));
}

/// The number is just above the midpoint of two `f32`, and rounds to it in `f64`.
#[test]
fn numbers_in_text_are_rounded_once() {
    let text = "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float32 y\n\
        property double z\nend_header\nN -N N\n";
    let text = text.replace('N', "1.00000005960464477540");
    let next = 1.0f32.next_up();
    // A property of type double is rounded to `f64` first, as in a binary file.
    assert_eq!(mesh(text.as_bytes(), Format::Ply).positions(), [Vec3::new(next, -next, 1.0)]);
}

#[test]
fn header_lines_that_are_no_statement_are_skipped_and_counted() {
    for encoding in ENCODINGS {
        let bytes = file(encoding);
        let at = bytes.windows(8).position(|w| w == b"comment ").expect("there is one");
        let bytes = [&bytes[..at], b"Created by a program, \xe9\n\n", &bytes[at..]].concat();
        let loaded = read(&bytes, Format::Ply).expect(encoding);
        assert_eq!(loaded.meshes[0].triangles().len(), 3);
        assert_eq!(loaded.report.lines()[0], "header lines that are no statement, left out: 1");
    }
}

#[test]
fn rows_with_more_numbers_than_declared_are_read_and_counted() {
    let text = String::from_utf8(file("ascii")).expect("it is text");
    let expected = mesh(text.as_bytes(), Format::Ply);
    let long =
        text.replace("7 4 0 1 2 3\n", "7 4 0 1 2 3 0.5 -1e3 7\n").replace(" 0.25\n", " 0.25 9 \n");
    for long in [long.clone(), long.replace('\n', "\r\n"), long.replace('\n', "\n \n")] {
        let loaded = read(long.as_bytes(), Format::Ply).expect("each line is a row");
        let mesh = &loaded.meshes[0];
        assert_eq!(mesh.positions(), expected.positions());
        assert_eq!(mesh.triangles(), expected.triangles());
        let note = "rows with more numbers than declared, the rest left out: 7".to_owned();
        assert!(loaded.report.lines().contains(&note), "{:?}", loaded.report.lines());
    }
    // Line endings mean nothing in a file that is right without them.
    let one_line = text.split_once("end_header\n").expect("it has a header");
    let one_line = format!("{}end_header\n{}", one_line.0, one_line.1.replace('\n', " "));
    assert_eq!(mesh(one_line.as_bytes(), Format::Ply).triangles(), expected.triangles());
}

#[test]
fn colours_are_one_note() {
    let colours: String = ["red", "green", "blue", "alpha", "diffuse_red", "specular_blue"]
        .map(|name| format!("property uchar {name}\n"))
        .concat();
    let text = format!(
        "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\n{colours}property float y\n\
         property float z\nelement face 1\nproperty list uchar int vertex_indices\n{colours}\
         property uchar hot_red\nend_header\n{}3 0 1 2 1 2 3 4 5 6 7\n",
        "0 1 2 3 4 5 6 0 0\n".repeat(3)
    );
    let remarks = read(text.as_bytes(), Format::Ply).expect("the file is right").report.lines();
    let expected = [
        "vertex colours, left out: 3",
        "face colours, left out: 1",
        "face properties hot_red, left out: 1",
    ];
    assert_eq!(remarks, expected);
}

#[test]
fn damaged_files_are_errors_with_the_place() {
    let [text, binary, big] = ENCODINGS.map(file);
    let text = String::from_utf8(text).expect("it is text");
    let with = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        text.replacen(from, to, 1).into_bytes()
    };
    let huge = |bytes: &[u8], what: &str| {
        let end = bytes.windows(11).position(|w| w == b"end_header\n").expect("it is there");
        let header = String::from_utf8_lossy(&bytes[..end])
            .replace(what, &format!("{} 4294967295", &what[..what.len() - 2]));
        [header.as_bytes(), &bytes[end..]].concat()
    };
    let mut far = binary.clone();
    let n = far.len();
    far[n - 4..].copy_from_slice(&6i32.to_le_bytes());
    let mut negative = big.clone();
    let last = negative.len() - 4;
    negative[last] = 0xff;
    let cases = [
        (vec![], "test:1: the end of the file; expected `end_header`"),
        (b"ply".to_vec(), "the end of the file"),
        (with("ply\n", "plywood\n"), "test:1: \"plywood\"; expected `ply`"),
        (with("format ascii 1.0\n", ""), "no `format`; expected one"),
        (with("ascii", "utf16"), "test:2: \"format utf16 1.0\"; expected ascii"),
        (with("1.0", "2.0"), "expected one `format ascii 1.0`"),
        (with("comment", "format ascii 1.0\ncomment"), "test:3: \"format ascii 1.0\""),
        (with("element vertex 6", "element vertex six"), "test:4: \"element vertex six\""),
        (with("element vertex 6", "element vertex -6"), "expected a number of elements"),
        (with("element vertex 6\n", ""), "expected `element` before it"),
        (with("property float x", "property real x"), "test:5: \"property real x\"; expected"),
        (with("list uchar int", "list float int"), "expected `property TYPE NAME`"),
        (with("list uchar int", "list uchar"), "expected `property TYPE NAME`"),
        (with("float x", "float w"), "a vertex without x, y or z; expected all three"),
        (with("vertex_indices", "corners"), "a face without one; expected a list vertex_indices"),
        (with("element edge", "element face"), "a face without one"),
        (with("end_header", "end header"), "test:20: \"end header\"; expected format, element"),
        (
            with("element face", "elemnt face"),
            "test:17: \"elemnt face 3\"; expected format, element",
        ),
        (with("element face 3", "element face"), "expected `element NAME NUMBER`"),
        (with("7 4 0 1 2 3", "7 4 0 1 2 3 x"), "test:28: \"x\"; expected a number"),
        (with("7 4 0 1 2 3", "7 4 0 1 2"), "test:28: corner 7 of face 0; expected one of"),
        (with("vertex 6", "vertex 7"), "3 elements face; expected at most 1, for which"),
        (with("vertex 6", "vertex 60000"), "60000 elements vertex; expected at most"),
        (with("face 3", "face 4"), "the end of the file; expected an element face"),
        (with("face 3", "face 2"), "test:30: \"7\"; expected the end of the file"),
        (with("1 0 0.5", "1 zero 0.5"), "test:22: \"zero\"; expected a number"),
        (with("7 4 0 1 2 3", "7 4 0 1 2 6"), "test:28: corner 6 of face 0; expected one of"),
        (with("7 4 0 1 2 3", "7 4 0 1 2 -1"), "test:28: corner -1 of face 0"),
        (with("7 4 0 1 2 3", "7 4 0 1 2 1.5"), "corner 1.5 of face 0"),
        (
            with("7 4 0 1 2 3", "7 99 0 1 2 3"),
            "a list vertex_indices of 99 items; expected at most",
        ),
        (with("7 4 0 1 2 3", "7 -1 0 1 2 3"), "a list vertex_indices of -1 items"),
        (
            binary[..n - 1].to_vec(),
            "test, byte 656: a list vertex_indices of 2 items; expected at most 1",
        ),
        (binary[..n - 9].to_vec(), "the end of the file after"),
        ([&binary[..], b"abc"].concat(), "3 bytes after the last element; expected the end"),
        (huge(&binary, "vertex 6"), "4294967295 elements vertex; expected at most"),
        (huge(&big, "face 3"), "elements face; expected at most"),
        (far, "corner 6 of face 2"),
        (negative, "corner -16777215 of face 2"),
    ];
    assert_errors(Format::Ply, &cases);
}

#[test]
fn no_damage_panics() {
    assert_no_damage_panics(Format::Ply, &ENCODINGS.map(file), 1);
}
