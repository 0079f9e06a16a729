//! Texts that the format permits, or that common programs write.

use hitscan_obj::{LoadOptions, LoadWarning, parse};
use hitscan_primitives::CornerAttributes;

use crate::load_text;

const NONE: u32 = CornerAttributes::NONE;

fn positions(text: &str) -> Vec<[f32; 3]> {
    load_text(text).mesh.positions().iter().map(|p| p.to_array()).collect()
}

fn triangles(text: &str) -> Vec<[u32; 3]> {
    load_text(text).mesh.triangles().to_vec()
}

#[test]
fn any_line_ending_mark_and_blank_gives_the_same_mesh() {
    let expected = load_text("v 2 1 0\nv 4 1 0\nv 2 3 0\nf 1 2 3\n").mesh;
    for text in [
        "v 2 1 0\r\nv 4 1 0\r\nv 2 3 0\r\nf 1 2 3\r\n",
        "v 2 1 0\rv 4 1 0\rv 2 3 0\rf 1 2 3",
        "\u{feff}v 2 1 0\nv 4 1 0\nv 2 3 0\nf 1 2 3\n",
        "\tv\t2\t1\t0\t\n  v  4  1  0  \nv 2 3 0\n\x0cf 1 2\t3",
        "v 2 1 0\nv 4 \\\n1 0\nv 2 3 0\nf 1 2 \\\r\n\\\r 3",
        "v 2 1 0 # a\nv 4 1 0 #b\nv 2 3 0#c\nf 1 2 3 # d\n",
        "V 2 1 0\nV 4 1 0\nV 2 3 0\nF 1 2 3\n",
        "v 2 1 0\nv 4 1 0\nv 2 3 0\nf 1 2 3\n\x1a",
        "v +2 1. 0e0\nv 4.0 .1e1 -0.0e5\nv 2 3 0\nf 1 2 3",
    ] {
        let mesh = load_text(text).mesh;
        assert_eq!(mesh.triangles(), expected.triangles(), "{text:?}");
        assert_eq!(mesh.positions(), expected.positions(), "{text:?}");
    }
}

#[test]
fn a_weight_divides_and_a_colour_does_nothing() {
    let text = "v 4 2 0 2\nv 1 1.5 0 0.5\nv 1 2 3 -1\nv 1 2 3 0.1 0.2 0.3\nv 1 2 3 1 1 1 1\n\
                v 1 2 3 red green blue\n";
    let expected = [
        [2.0, 1.0, 0.0],
        [2.0, 3.0, 0.0],
        [-1.0, -2.0, -3.0],
        [1.0, 2.0, 3.0],
        [1.0, 2.0, 3.0],
        [1.0, 2.0, 3.0],
    ];
    assert_eq!(positions(text), expected);
    assert_eq!(load_text(text).report.count(LoadWarning::VertexColours).n, 3);
}

#[test]
fn relative_indices_count_back_from_the_face() {
    let text = "v 0 0 50\nv 2 1 0\nv 4 1 0\nv 2 3 0\nf -3 -2 -1\nv 9 9 9\nf -3 -2 -1\nf 1 -1 2\n";
    assert_eq!(triangles(text), [[1, 2, 3], [2, 3, 4], [0, 4, 1]]);
}

#[test]
fn a_vertex_may_come_after_its_face() {
    assert_eq!(triangles("f 1 2 3\ng x\nv 0 0 0\nv 1 0 0\nv 0 1 0\n"), [[0, 1, 2]]);
}

#[test]
fn corners_keep_the_attributes_they_have() {
    let text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0.5\nvt 1 2 3\nvn 0 0 1\nvn 1 0 0\n\
                f 1 2 3\nf 1/2 2/1 3/-1\nf 1//1 2//-1 3\nf 1/1/ 2/1/2 3//1\n";
    let mesh = load_text(text).mesh;
    let attributes = mesh.attributes();
    assert_eq!(
        attributes.uvs.iter().map(|uv| uv.to_array()).collect::<Vec<_>>(),
        [[0.5, 0.], [1., 2.]]
    );
    let uv_indices = [[NONE; 3], [1, 0, 1], [NONE; 3], [0, 0, NONE]];
    assert_eq!(attributes.uv_indices, uv_indices);
    let normal_indices = [[NONE; 3], [NONE; 3], [0, 1, NONE], [NONE, 1, 0]];
    assert_eq!(attributes.normal_indices, normal_indices);
}

#[test]
fn index_lists_exist_only_where_a_corner_has_one() {
    let attributes = load_text("v 0 0 0\nvt 1 1\nvn 0 0 1\nf 1 1 1\nf 1/ 1/ 1/\n").mesh;
    let attributes = attributes.attributes();
    assert!(attributes.uv_indices.is_empty() && attributes.normal_indices.is_empty());
    assert_eq!((attributes.uvs.len(), attributes.normals.len()), (1, 1));
}

#[test]
fn bad_attribute_indices_are_dropped_and_counted() {
    let text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvn 0 0 1\n\
                f 1/2/0 2/1/1 3/-2/12297829382473034412\nf 1/0 2/-1 3/99999999999999999999999\n";
    let loaded = load_text(text);
    assert_eq!(loaded.mesh.attributes().uv_indices, [[NONE, 0, NONE], [NONE, 0, NONE]]);
    assert_eq!(loaded.mesh.attributes().normal_indices, [[NONE, 0, NONE], [NONE; 3]]);
    let count = loaded.report.count(LoadWarning::BadTextureIndices);
    assert_eq!((count.n, count.first_line), (4, Some(6)));
    assert_eq!(loaded.report.count(LoadWarning::BadNormalIndices).n, 2);
}

#[test]
fn settings_hold_until_the_next_of_their_kind() {
    let text = "v 0 0 0\nf 1 1 1\no house\ng walls north\nusemtl brick # red\ns 3\nf 1 1 1\n\
                usemtl Material #25\nf 1 1 1\ng\ns off\nf 1 1 1\no\nusemtl\nf 1 1 1\n";
    let loaded = load_text(text);
    let records = loaded.mesh.records().unwrap();
    let of = |polygon| {
        (
            records.object(polygon),
            records.group(polygon),
            records.material(polygon),
            records.smoothing().get(polygon).copied().unwrap_or(0),
            records.lines().get(polygon).unwrap(),
        )
    };
    assert_eq!(of(0), (None, None, None, 0, 2));
    assert_eq!(of(1), (Some("house"), Some("walls north"), Some("brick"), 3, 7));
    assert_eq!(of(2), (Some("house"), Some("walls north"), Some("Material #25"), 3, 9));
    assert_eq!(of(3), (Some("house"), None, Some("Material #25"), 0, 12));
    assert_eq!(of(4), (None, None, None, 0, 15));
}

#[test]
fn settings_without_faces_leave_no_trace() {
    let with = load_text("v 0 0 0\no a\no b\nusemtl x\nf 1 1 1\nusemtl y\ng z\n");
    assert_eq!(with.report.unknown_materials, ["x"]);
    let records = with.mesh.records().unwrap();
    assert_eq!(records.objects().iter().count(), 1);
    assert_eq!(records.groups().iter().count(), 0);
}

#[test]
fn names_in_any_encoding_load() {
    let options = LoadOptions::default();
    let text = b"v 0 0 0\no B\xf6schung\nf 1 1 1\no \x83\x5c\x83\x7e\nf 1 1 1\n# \xff\xfe\xfd\n";
    let loaded = parse(text, "t.obj", &options).unwrap();
    let records = loaded.mesh.records().unwrap();
    assert_eq!(records.object(0), Some("Böschung"));
    assert_ne!(records.object(1), records.object(0));
}

#[test]
fn polygons_keep_their_triangles_together() {
    let text = "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 2 2 0\nv 0 2 0\nf 1 2 3 4 5\nf 1 2 4\nf 1 3 4 5\n\
                f 1 1 1 1\nf 1 2 5\n";
    let loaded = load_text(text);
    let records = loaded.mesh.records().unwrap();
    let polygons: Vec<u32> = (0..9).map(|triangle| records.polygon(triangle)).collect();
    assert_eq!(polygons, [0, 0, 0, 1, 2, 2, 3, 3, 4]);
    assert_eq!(loaded.mesh.triangles()[3..6], [[0, 1, 3], [0, 2, 3], [0, 3, 4]]);
    assert_eq!(loaded.report.n_degenerate_triangles, 3);
    assert!(loaded.report.to_string().contains("3 triangles of zero area"));
}

#[test]
fn statements_other_than_faces_are_skipped_and_counted() {
    let text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nl 1 2 3\np 1 2\np 3\ncstype bezier\ndeg 2\n\
                curv 0 1 1 2 3\nend\nbevel on\nlod 3\ncall other.obj\ncsh rm -rf x\nfancy 1 2\n\
                f 1 2\nf 1\nf\nf 1 2 3\nfo 1 2 3\ns maybe\n";
    let report = load_text(text).report;
    let counts: Vec<_> = report.warnings().map(|(warning, count)| (warning, count.n)).collect();
    let expected = [
        (LoadWarning::Lines, 1),
        (LoadWarning::Points, 2),
        (LoadWarning::FreeForm, 4),
        (LoadWarning::Display, 2),
        (LoadWarning::Commands, 2),
        (LoadWarning::Unknown, 1),
        (LoadWarning::ShortFaces, 3),
        (LoadWarning::BadSmoothing, 1),
    ];
    assert_eq!(counts, expected);
    assert_eq!(report.n_ignored(), 16);
    assert_eq!(report.count(LoadWarning::ShortFaces).first_line, Some(16));
    assert_eq!((report.n_polygons, report.n_triangles, report.n_lines), (2, 2, 21));
}

#[test]
fn a_text_without_faces_says_so() {
    for text in ["", "# nothing\n", "v 0 0 0\np 1\n", "v 0 0 0\ng x\n"] {
        let loaded = load_text(text);
        assert_eq!(loaded.mesh.triangles().len(), 0);
        assert!(loaded.report.to_string().contains("no triangles"), "{text:?}");
    }
}

#[test]
fn faces_at_vertices_that_are_not_finite_are_skipped() {
    for bad in ["nan", "inf", "-Infinity", "1e400", "7e38", "1.#IND", "-nan(ind)"] {
        let text = format!(
            "v 0 0 0\nv 1 {bad} 0\nv 1 0 0\nv 0 1 0\no a\nf 1 2 3\nusemtl m\nf 1 3 4\no b\n\
             f 1 3 4 2\nf 4 3 1\n"
        );
        let loaded = load_text(&text);
        assert_eq!(loaded.mesh.triangles(), [[0, 2, 3], [3, 2, 0]], "{bad}");
        let records = loaded.mesh.records().unwrap();
        assert_eq!(records.n_polygons(), 2);
        assert_eq!((records.object(0), records.object(1)), (Some("a"), Some("b")));
        assert_eq!((records.lines().get(0), records.lines().get(1)), (Some(8), Some(11)));
        assert_eq!(loaded.report.count(LoadWarning::FacesNotFinite).n, 2);
        assert_eq!(loaded.report.count(LoadWarning::FacesNotFinite).first_line, Some(6));
        assert_eq!(loaded.report.count(LoadWarning::VerticesNotFinite).first_line, Some(2));
    }
    for weight in ["0", "nan", "1e-44"] {
        let text = format!("v 0 0 0\nv 1 1 1 {weight}\nv 1 0 0\nf 1 2 3\n");
        assert_eq!(triangles(&text).len(), 0, "{weight}");
    }
}

#[test]
fn numbers_of_any_length_are_rounded_once() {
    let digits = "3".repeat(3000);
    let text = format!("v 0.{digits} 1{}e-3000 0.{}1\n", "0".repeat(3000), "0".repeat(5000));
    assert_eq!(positions(&text), [[1.0 / 3.0, 1.0, 0.0]]);
    let halfway = "v 1.00000005960464477539062500000000000000000000000000000001 \
                   1.000000059604644775390625 -0\n";
    let [[above, at, minus_zero]] = positions(halfway)[..] else { panic!() };
    assert_eq!((above, at), (1.0 + f32::EPSILON, 1.0));
    assert_eq!(minus_zero.to_bits(), 0x8000_0000);
}

#[test]
fn options_drop_records_and_attributes() {
    let options =
        LoadOptions { records: false, attributes: false, materials: false, ..Default::default() };
    let text = b"mtllib x.mtl\nv 0 0 0\nvt a b\nvn 0\nusemtl x\nf 1/9/9 1//7 1\n";
    let loaded = parse(text, "t.obj", &options).unwrap();
    assert!(loaded.mesh.records().is_none());
    assert_eq!(*loaded.mesh.attributes(), CornerAttributes::default());
    assert_eq!(loaded.report.n_ignored(), 0);
    assert_eq!((loaded.report.n_texture_coordinates, loaded.report.n_normals), (1, 1));
}

#[test]
fn large_odd_texts_take_no_more_than_seconds() {
    let start = std::time::Instant::now();
    let triangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    for text in [
        format!("{triangle}# {}\n", "x".repeat(20_000_000)),
        format!("v {}1 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "0".repeat(5_000_000)),
        format!("{triangle}{}", "g a b\nusemtl x\n".repeat(300_000)),
        format!("{triangle}{}", "\\\n".repeat(2_000_000)),
        format!("{triangle}{}", "mtllib x.mtl\n".repeat(500_000)),
        format!(
            "{triangle}{}",
            (0..200_000).map(|i| format!("mtllib {i}.mtl\n")).collect::<String>()
        ),
        format!("{triangle}mtllib {}\n", "a ".repeat(1_000_000)),
        format!(
            "{triangle}{}",
            (0..200_000).map(|i| format!("g {i}\nf 1 2 3\n")).collect::<String>()
        ),
    ] {
        load_text(&text);
    }
    assert!(start.elapsed().as_secs() < 30);
}

#[test]
fn any_number_of_end_of_file_marks_is_skipped() {
    for n in [1, 4095, 4096, 4097, 10_000] {
        let text = format!("v 2 1 0\nv 4 1 0\nv 2 3 0\nf 1 2 3\n{}", "\u{1a}".repeat(n));
        assert_eq!(load_text(&text).report.n_ignored(), 0, "{n}");
        let marks = parse("\u{1a}".repeat(n).as_bytes(), "t.obj", &LoadOptions::default());
        assert!(marks.is_ok_and(|loaded| loaded.mesh.triangles().is_empty()), "{n}");
    }
}

#[test]
fn a_name_on_the_next_line_keeps_its_hash() {
    for text in
        ["usemtl\\\nMaterial#25", "\\\nusemtl Material#25", "\\\n\\\nusemtl\\\n Material#25"]
    {
        let loaded = load_text(&format!("v 0 0 0\n{text}\nf 1 1 1\n"));
        assert_eq!(loaded.mesh.records().unwrap().material(0), Some("Material#25"), "{text:?}");
    }
    // A comment, not a name.
    let loaded = load_text("v 0 0 0\nf\\\n1 1 1#2 3\n");
    assert_eq!(loaded.mesh.triangles().len(), 1);
}

#[test]
fn a_face_with_the_index_0_is_skipped_and_counted() {
    let text = "v 0 0 0\nv 1 0 0\nv 0 1 0\no a\nf 1 2 3\no b\nf 3 0 1\nf 0/1 1 2 3\nf 0 0 0\no c\nf 1 3 2\n";
    let loaded = load_text(text);
    assert_eq!(loaded.mesh.triangles(), [[0, 1, 2], [0, 2, 1]]);
    assert_eq!(loaded.report.count(LoadWarning::ZeroIndices).n, 3);
    let report = loaded.report.to_string();
    assert_eq!(report, "3 faces with the vertex index 0 left out (the first on line 7)\n");
    let records = loaded.mesh.records().expect("records are on by default");
    assert_eq!([0, 1].map(|polygon| records.object(polygon)), [Some("a"), Some("c")]);
    assert_eq!([0, 1].map(|polygon| records.lines().get(polygon)), [Some(5), Some(11)]);
    // The other corners of the face must still be valid.
    let error = parse(format!("{text}f 0 x 1\n").as_bytes(), "t.obj", &LoadOptions::default());
    let error = error.expect_err("x is no index").to_string();
    assert!(error.starts_with("t.obj:12: face corner \"x\""), "{error}");
}

#[test]
fn a_sign_before_the_letter_of_an_exponent_is_read_and_counted() {
    let text = "v 0 2.e+1 3.1+e2\nv +3.1-e2 0 0\nv 1 1-E1 0\nvt 5+e0 1\nf 1 2 3\n";
    assert_eq!(positions(text), [[0.0, 20.0, 310.0], [0.031, 0.0, 0.0], [1.0, 0.1, 0.0]]);
    let report = load_text(text).report.to_string();
    assert_eq!(report, "4 numbers such as 3.1+e2 read as 3.1e+2 (the first on line 1)\n");
}
