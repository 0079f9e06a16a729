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
    assert_eq!((loaded.meshes[0].triangles().len(), loaded.report.n_ignored()), (0, 2));
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
        assert_eq!(loaded.report.lines()[0], "header lines \"Created\", left out: 1 (line 3)");
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

/// A file with vertices at (0, 0), (2, 0), (0, 2) and (2, 2), the elements `faces` before or after them.
fn square(faces: &str, body: &str, is_first: bool) -> String {
    let vertex = "element vertex 4\nproperty float x\nproperty float y\nproperty float z\n";
    let (vertices, start) = ("0 0 0\n2 0 0\n0 2 0\n2 2 0\n", "ply\nformat ascii 1.0\n");
    match is_first {
        true => format!("{start}{faces}{vertex}end_header\n{body}{vertices}"),
        false => format!("{start}{vertex}{faces}end_header\n{vertices}{body}"),
    }
}

#[test]
fn faces_may_precede_their_vertices() {
    let faces = "element face 2\nproperty list uchar int vertex_index\nproperty uchar flag\n";
    for is_first in [false, true] {
        let text = square(faces, "3 0 1 2 9\n3 1 3 2 9\n", is_first);
        let loaded = read(text.as_bytes(), Format::Ply).expect("the file is right");
        assert_eq!(loaded.meshes[0].triangles(), [[0, 1, 2], [1, 3, 2]]);
        assert_eq!(loaded.report.lines(), ["face properties flag, left out: 1"]);
    }
    let text = "ply\nformat ascii 1.0\nelement face 1\nproperty list uchar int vertex_index\nend_header\n3 0 1 2\n";
    let error = read(text.as_bytes(), Format::Ply).expect_err("there are no vertices").to_string();
    assert_eq!(error, "test:3: an element face; expected an element vertex beside it");
}

#[test]
fn strips_turn_every_other_triangle_and_start_again_at_minus_one() {
    let faces = "element tristrips 2\nproperty list int int vertex_indices\n";
    for is_first in [false, true] {
        let text = square(faces, "13 0 1 2 3 -1 3 2 1 -1 0 1 1 3\n3 -1 0 1\n", is_first);
        let loaded = read(text.as_bytes(), Format::Ply).expect("the file is right");
        assert_eq!(loaded.meshes[0].triangles(), [[0, 1, 2], [2, 1, 3], [3, 2, 1]]);
        let lines = [
            "triangles of strips with a vertex twice, left out: 2",
            "strips of fewer than 3 corners, left out: 1",
        ];
        assert_eq!(loaded.report.lines(), lines);
    }
    // The same for every type of index, in a binary file of either byte order.
    for (name, numbers) in [
        ("char", [0, 1, 2, 255, 1, 2, 3].map(|i: u64| vec![i as u8])),
        ("int16", [0, 1, 2, 0xffff, 1, 2, 3].map(|i: u64| (i as u16).to_le_bytes().to_vec())),
        ("int", [0, 1, 2, 0xffff_ffff, 1, 2, 3].map(|i: u64| (i as u32).to_le_bytes().to_vec())),
        ("uint", [0, 1, 2, 0xffff_ffff, 1, 2, 3].map(|i: u64| (i as u32).to_le_bytes().to_vec())),
        ("int64", [0, 1, 2, u64::MAX, 1, 2, 3].map(|i: u64| i.to_le_bytes().to_vec())),
        ("double", [0.0, 1.0, 2.0, -1.0, 1.0, 2.0, 3.0].map(|i: f64| i.to_le_bytes().to_vec())),
    ] {
        for is_big in [false, true] {
            let order = if is_big { "binary_big_endian" } else { "binary_little_endian" };
            let header = square(
                &faces.replace("2\n", "1\n").replace("int int", &format!("uint64 {name}")),
                "",
                false,
            );
            let end = header.find("0 0 0").expect("it is there");
            let mut bytes = header[..end].replace("ascii", order).into_bytes();
            let mut put = |number: &[u8]| match is_big {
                true => bytes.extend(number.iter().rev()),
                false => bytes.extend(number),
            };
            for coordinate in [0.0f32, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 2.0, 0.0, 2.0, 2.0, 0.0] {
                put(&coordinate.to_le_bytes());
            }
            put(&7u64.to_le_bytes());
            numbers.iter().for_each(|number| put(number));
            let mesh = mesh(&bytes, Format::Ply);
            assert_eq!(mesh.triangles(), [[0, 1, 2], [1, 2, 3]], "{name} {order}");
        }
    }
}

#[test]
fn faces_may_have_texture_coordinates_of_their_own() {
    let faces = "element face 3\nproperty list uchar int vertex_indices\n\
        property list uchar float texcoord\nproperty int texnumber\n";
    let body = "3 0 1 2 6 0 0 0.5 0 0 0.25 0\n4 0 1 3 2 8 0 0 1 0 1 1 0 1 0\n3 1 3 2 2 7 7 0\n";
    let loaded = read(square(faces, body, false).as_bytes(), Format::Ply).expect("it is right");
    let attributes = loaded.meshes[0].attributes();
    let uvs = |list: [[f32; 2]; 3]| Some(list.map(Vec2::from));
    assert_eq!(attributes.uvs_of(0), uvs([[0.0, 0.0], [0.5, 0.0], [0.0, 0.25]]));
    assert_eq!(attributes.uvs_of(1), uvs([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]]));
    assert_eq!(attributes.uvs_of(2), uvs([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0]]));
    assert_eq!(attributes.uvs_of(3), None);
    let lines = [
        "face properties texnumber, left out: 1",
        "texture coordinates of faces, of another number than their corners, left out: 1",
    ];
    assert_eq!(loaded.report.lines(), lines);
}

#[test]
fn vertices_that_are_not_finite_lose_their_faces_in_any_spelling() {
    let faces = "element face 2\nproperty list uchar int vertex_indices\n";
    for word in ["nan", "-nan(ind)", "1.#QNAN", "-1.#IND00", "1.#INF", "inf", "-Infinity", "1e39"] {
        let text =
            square(faces, "3 0 1 2\n3 1 3 2\n", false).replacen("0 0 0", &format!("0 {word} 0"), 1);
        let loaded = read(text.as_bytes(), Format::Ply).expect(word);
        assert_eq!(loaded.meshes[0].triangles(), [[1, 3, 2]], "{word}");
        let lines = [
            "vertices that are not finite, set to (0, 0, 0): 1",
            "faces at a vertex that is not finite, left out: 1",
        ];
        assert_eq!(loaded.report.lines(), lines, "{word}");
    }
}

#[test]
fn a_header_that_ends_with_cr_may_precede_the_byte_of_lf() {
    // 0a as the first byte of a position, or as the count of the first list.
    for (faces_first, count) in [(true, 10u8), (false, 3)] {
        let list = "element face 1\nproperty list uchar uchar vertex_indices\n";
        let header = square(list, "", faces_first).replace("ascii", "binary_little_endian");
        let header = &header[..header.find("0 0 0").expect("it is there")];
        let mut vertices: Vec<u8> =
            [f32::from_bits(0x3f80_000a), 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 2.0, 0.0, 2.0, 2.0, 0.0]
                .iter()
                .flat_map(|x| x.to_le_bytes())
                .collect();
        let mut body = vec![count];
        body.extend((0..count).map(|i| i % 4));
        match faces_first {
            true => body.append(&mut vertices),
            false => body = [vertices, body].concat(),
        }
        let mut expected = None;
        for ending in ["\n", "\r", "\r\n"] {
            let bytes = [header.replace('\n', ending).as_bytes(), &body].concat();
            let loaded = read(&bytes, Format::Ply).expect("the file is right");
            assert_eq!(loaded.report.n_ignored(), 0);
            let mesh = loaded.into_mesh().expect("it is one mesh");
            assert_eq!(expected.get_or_insert_with(|| mesh.clone()), &mesh, "{ending:?}");
            // With a byte more behind the data, the other reading would be as long as the file.
            let longer = read(&[&bytes[..], b"\n"].concat(), Format::Ply).expect("it is right");
            assert_eq!(longer.meshes[0], mesh, "{ending:?}");
        }
        // Only the last line ends otherwise.
        let mut mixed = header.to_owned();
        mixed.replace_range(mixed.len() - 1.., "\r");
        let mixed = [mixed.as_bytes(), &body].concat();
        assert_eq!(read(&mixed, Format::Ply).expect("it is right").into_mesh().ok(), expected);
    }
}

#[test]
fn unknown_elements_properties_and_types_are_left_out_by_name() {
    let unknown =
        "element grid 2\nproperty string label\nproperty list uchar hex codes\nproperty float w\n";
    let faces = format!(
        "{unknown}element nothing 4000000000\nelement face 1\n\
        property list uint16 uint64 vertex_indices\nproperty list uchar uchar tags\n\
        material wood\nelement \u{1b}[2J 1\nproperty char c\n"
    );
    let body = "north 2 0xa 0xb 1\nsouth 0 2\n3 0 1 2 2 7 7\n1\n";
    let lines = [
        "properties of the type \"string\", left out: 1 (line 8)",
        "properties of the type \"hex\", left out: 1 (line 9)",
        "header lines \"material\", left out: 1 (line 15)",
        "elements grid, left out: 2",
        "elements nothing, left out: 4000000000",
        "face properties tags, left out: 1",
        "elements \\u{1b}[2J, left out: 1",
        "words after the last element, left out: 2",
    ];
    let text = square(&faces, body, false) + "more words";
    let loaded = read(text.as_bytes(), Format::Ply).expect("the triangles are known");
    assert_eq!(
        (loaded.meshes[0].triangles(), loaded.report.lines()),
        (&[[0, 1, 2]][..], lines.map(str::to_owned).to_vec())
    );
    let marked = format!("\u{feff}{text}");
    assert_eq!(
        read(marked.as_bytes(), Format::Ply).expect("a mark is no text").meshes,
        loaded.meshes
    );
    for encoding in &ENCODINGS[1..] {
        let loaded = read(&[&file(encoding)[..], b"abc"].concat(), Format::Ply).expect(encoding);
        let last = "bytes after the last element, left out: 3".to_owned();
        assert_eq!(loaded.report.lines().last(), Some(&last), "{encoding}");
    }
    let fewer = String::from_utf8(file("ascii")).expect("it is text").replace("face 3", "face 2");
    let lines = read(fewer.as_bytes(), Format::Ply).expect("two faces are declared").report.lines();
    assert_eq!(lines.last(), Some(&"words after the last element, left out: 4".to_owned()));
}

// Longer than 60 lines: one table with a row per kind of damage.
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
    let at = binary.windows(7).position(|word| word == b"float x").expect("it is there");
    let real = [&binary[..at], b"real", &binary[at + 5..]].concat();
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
        (real, "test:5: \"property real x\"; expected"),
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
