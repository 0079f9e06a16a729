//! The report in words.

use hitscan_obj::{LoadOptions, LoadWarning, parse, parse_with_libraries};

use crate::load_text;

const TRIANGLE: &str = "v 2 1 0\nv 4 1 0\nv 2 3 0\nf 1 2 3\n";

#[test]
fn a_warning_has_the_line_of_its_first_occurrence() {
    let loaded = load_text(&format!("{TRIANGLE}l 1 2\np 1\np 2\nf 1 1 2\n"));
    assert_eq!(
        loaded.report.to_string(),
        "1 line element left out (line 5)\n\
         2 point elements left out (the first on line 6)\n\
         1 triangle of zero area\n"
    );
}

#[test]
fn libraries_and_materials_are_named_up_to_four() {
    let told = |libraries: &[&str]| {
        let statements: String = libraries.iter().map(|name| format!("mtllib {name}\n")).collect();
        load_text(&format!("usemtl x\n{statements}{TRIANGLE}")).report.to_string()
    };
    let of_libraries = |names: &[&str]| -> String {
        let problem = "not read, the text comes without a folder";
        let told: Vec<_> = names.iter().map(|name| format!("\"{name}\" {problem}")).collect();
        told.join(", ")
    };
    let material = "1 material in no library (line 1): \"x\"\n";
    let names = ["a", "b", "c", "d", "e"];
    for (n, more) in [(2, ""), (4, ""), (5, ", …")] {
        let expected = format!(
            "{material}{n} material libraries not fully read (the first on line 2): {}{more}\n",
            of_libraries(&names[..n.min(4)])
        );
        assert_eq!(told(&names[..n]), expected);
    }
}

#[test]
fn unknown_statements_are_named_with_their_first_lines() {
    let text = format!("{TRIANGLE}fancy 1\nFancy 2\nfancy 3\n\u{1b}[2J\n");
    assert_eq!(
        load_text(&text).report.to_string(),
        "4 unknown statements left out (the first on line 5): \"fancy\" on line 5, \"Fancy\" on line 6, \
         \"\\u{1b}[2J\" on line 8\n"
    );
    let text = format!("{TRIANGLE}weights 1 0\n");
    let report = load_text(&text).report;
    assert_eq!(
        report.to_string(),
        "1 unknown statement left out (line 5): \"weights\" on line 5\n"
    );
    // A hostile file may have one keyword per line.
    let many: String = (0..1000).map(|i| format!("x{i}\n")).collect();
    let report = load_text(&format!("{TRIANGLE}{many}")).report;
    assert_eq!(report.unknown_statements.as_slice().len(), 64);
    assert!(report.to_string().ends_with("\"x15\" on line 20, …\n"));
}

/// The vertex keeps its index, so a face may use it, and such a face is not in the mesh.
#[test]
fn a_vertex_that_is_not_finite_is_said_to_be_replaced_even_if_a_face_uses_it() {
    let lines = |text: &str| load_text(text).report.to_string();
    assert_eq!(
        lines("v 0 0 0\nv nan 0 0\nv 0 3 0\nf 1 2 3\n"),
        "1 face at a vertex that is not finite left out (line 4)\n\
         1 vertex that is not finite set to (0, 0, 0) (line 2)\n\
         no triangles: the file has no usable face\n"
    );
    assert_eq!(
        lines(&format!("{TRIANGLE}v inf 0 0\n")),
        "1 vertex that is not finite set to (0, 0, 0) (line 5)\n"
    );
}

#[test]
fn text_in_utf_16_has_the_same_lines_and_names() {
    let text = format!(
        "mtllib a.mtl\r\no B\u{f6}schung\r\n\r\n{TRIANGLE}usemtl \u{4e2d}\nf 1 2 3\nl 1 2\n"
    );
    let library = "newmtl \u{4e2d}\nKd 1 0 0\n";
    let expected = load_text(&text);
    for to_bytes in [u16::to_le_bytes, u16::to_be_bytes] {
        let encoded = |text: &str| -> Vec<u8> {
            format!("\u{feff}{text}").encode_utf16().flat_map(to_bytes).collect()
        };
        let bytes = encoded(&text);
        let model = parse_with_libraries(&bytes, "t.obj", &LoadOptions::default(), &mut |_| {
            Ok(encoded(library))
        });
        let model = model.expect("the text is right");
        assert_eq!(model.mesh, expected.mesh);
        assert!(model.material("\u{4e2d}").is_some());
        assert_eq!(model.report.to_string(), "1 line element left out (line 10)\n");
        let damaged = [&bytes[..], &to_bytes(0xd800), b"#"].concat();
        let report =
            parse(&damaged, "t.obj", &LoadOptions::default()).expect("it has triangles").report;
        assert_eq!(report.count(LoadWarning::BadUtf16).n, 2);
        let limited = LoadOptions { max_file_bytes: bytes.len() as u64, ..Default::default() };
        assert!(parse(&bytes, "t.obj", &limited).is_ok());
        let bad = encoded("v 0 0 0\r\n\r\nv 1 x 0\r\n");
        let error = parse(&bad, "t.obj", &LoadOptions::default()).expect_err("x").to_string();
        assert!(error.starts_with("t.obj:3: "), "{error}");
    }
}
