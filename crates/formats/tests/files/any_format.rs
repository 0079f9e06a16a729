//! One interface: the same calls for every format.

use std::{fs, io};

use hitscan_formats::{
    Format, Limit, LoadOptions, ReadErrorKind, load, load_with_progress, parse, parse_with_files,
};
#[cfg(feature = "ply")]
use hitscan_primitives::CornerAttributes;

const OBJ: &str = "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl red\nf 1 2 3\nl 1 2\n";
const MTL: &str = "newmtl red\nKd 1 0 0\n";

#[test]
fn an_obj_file_has_one_mesh_its_materials_and_its_report() {
    let folder = tempfile::tempdir().expect("there is a folder");
    let path = folder.path().join("a.obj");
    fs::write(&path, OBJ).expect("the folder is ours");
    fs::write(folder.path().join("a.mtl"), MTL).expect("the folder is ours");
    let loaded = load(&path, &LoadOptions::default()).expect("the file is right");
    assert_eq!((loaded.format, loaded.meshes.len(), loaded.instances.len()), (Format::Obj, 1, 1));
    assert_eq!(loaded.material("red").and_then(|red| red.diffuse), Some([1.0, 0.0, 0.0]));
    assert!(loaded.files[0].ends_with("a.mtl"), "{:?}", loaded.files);
    assert_eq!(loaded.report.obj.as_ref().map(|report| report.n_triangles), Some(1));
    assert_eq!(loaded.report.lines(), ["1 line element left out (line 7)"]);
    assert_eq!(loaded.report.to_string(), "1 line element left out (line 7)\n");
    assert_eq!(loaded.into_mesh().expect("one mesh").triangles(), [[0, 1, 2]]);
}

#[test]
fn a_file_without_signature_is_read_as_obj() {
    let folder = tempfile::tempdir().expect("there is a folder");
    let path = folder.path().join("mesh");
    fs::write(&path, "v 0 0 0\nf 1 1 1\n").expect("the folder is ours");
    assert_eq!(Format::of_file(&path), Some(Format::Obj));
    assert!(load(&path, &LoadOptions::default()).is_ok());
    fs::write(&path, b"\x89PNG\r\n\x1a\n").expect("the folder is ours");
    let error = load(&path, &LoadOptions::default()).expect_err("it is a picture");
    assert!(matches!(error.kind, ReadErrorKind::UnknownFormat { .. }), "{error}");
    let text = error.to_string();
    assert!(text.ends_with("a PNG image; expected a mesh file (OBJ, STL, PLY or glTF)"), "{text}");
}

#[test]
fn a_function_can_provide_side_files() {
    let mut provide = |name: &str| match name {
        "a.mtl" => Ok(MTL.into()),
        _ => Err(io::ErrorKind::NotFound.into()),
    };
    let options = LoadOptions::default();
    let loaded = parse_with_files(OBJ.as_bytes(), "a", Format::Obj, &options, &mut provide);
    assert!(loaded.expect("the text is right").material("red").is_some());
}

#[test]
fn progress_ends_with_1_and_can_cancel() {
    let folder = tempfile::tempdir().expect("there is a folder");
    for (name, text) in [("a.obj", OBJ), ("a.stl", "solid\nendsolid\n")] {
        if name == "a.stl" && !cfg!(feature = "stl") {
            continue;
        }
        let path = folder.path().join(name);
        fs::write(&path, text).expect("the folder is ours");
        let last = std::sync::Mutex::new(0.0);
        let options = LoadOptions::default();
        let result = load_with_progress(&path, &options, &|share| {
            *last.lock().expect("no thread panics") = share;
            std::ops::ControlFlow::Continue(())
        });
        assert!(result.is_ok() && last.into_inner().is_ok_and(|last| last == 1.0), "{name}");
        let result = load_with_progress(&path, &options, &|_| std::ops::ControlFlow::Break(()));
        let error = result.expect_err("it was cancelled");
        assert!(matches!(error.kind, ReadErrorKind::Cancelled), "{name}: {error}");
    }
}

#[test]
fn text_of_any_format_may_be_utf_16() {
    let ply = "ply\r\nformat ascii 1.0\r\nelement vertex 3\r\nproperty float x\r\nproperty float y\r\n\
        property float z\r\nelement face 1\r\nproperty list uchar int vertex_indices\r\nend_header\r\n\
        0 0 0\r\n1 0 0\r\n0 1 0\r\n3 0 1 2\r\n";
    let stl = "solid \u{e4}\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n\
        endloop\nendfacet\nendsolid\n";
    let obj = "o \u{e4}\nv 0 0 0\nv 1 0 0\nv 0 1 0\n\nf 1 2 3\nf 1 2 x\n";
    let folder = tempfile::tempdir().expect("there is a folder");
    for (format, text, is_there) in [
        (Format::Obj, obj, true),
        (Format::Stl, stl, cfg!(feature = "stl")),
        (Format::Ply, ply, cfg!(feature = "ply")),
    ] {
        for to_bytes in [u16::to_le_bytes, u16::to_be_bytes].iter().filter(|_| is_there) {
            let encoded = |text: &str| -> Vec<u8> {
                format!("\u{feff}{text}").encode_utf16().flat_map(to_bytes).collect()
            };
            let path = folder.path().join(format!("a.{}", format.name()));
            let right = text.replace("f 1 2 x\n", "");
            fs::write(&path, encoded(&right)).expect("the folder is ours");
            assert_eq!(Format::of_file(&path), Some(format));
            let options = LoadOptions::default();
            let expected = parse(right.as_bytes(), "a", format, &options).expect("it is right");
            for loaded in [load(&path, &options), parse(&encoded(&right), "a", format, &options)] {
                let loaded = loaded.expect("the text is right");
                assert_eq!(
                    (loaded.meshes, loaded.report),
                    (expected.meshes.clone(), expected.report.clone())
                );
            }
            let limited = LoadOptions { max_file_bytes: 60, ..LoadOptions::default() };
            assert!(parse(&encoded(text), "a", format, &limited).is_err());
            if format == Format::Obj {
                let error = parse(&encoded(text), "a", format, &options).expect_err("x");
                assert!(error.to_string().starts_with("a:7: face corner \"x\""), "{error}");
            }
        }
    }
}

#[test]
fn the_error_names_the_option_that_raises_a_limit() {
    let options = LoadOptions { max_polygon_corners: 3, ..LoadOptions::default() };
    let error = parse(b"v 0 0 0\nf 1 1 1 1\n", "a", Format::Obj, &options).expect_err("four");
    let raised = |kind: &ReadErrorKind| match kind {
        ReadErrorKind::TooLarge { raised_by, .. } => *raised_by,
        _ => None,
    };
    assert_eq!(raised(&error.kind), Some(Limit::PolygonCorners), "{error}");
    assert!(error.to_string().ends_with("`LoadOptions::max_polygon_corners` raises the limit"));
}

#[cfg(feature = "ply")]
#[test]
fn options_drop_records_and_attributes_of_any_format() {
    let text = b"ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n\
        property float z\nproperty float nx\nproperty float ny\nproperty float nz\nelement face 1\n\
        property list uchar int vertex_indices\nend_header\n\
        0 0 0 0 0 1\n1 0 0 0 0 1\n0 1 0 0 0 1\n3 0 1 2\n";
    let options = LoadOptions { records: false, attributes: false, ..LoadOptions::default() };
    let less = parse(text, "a", Format::Ply, &options).and_then(|loaded| loaded.into_mesh());
    let less = less.expect("the text is right");
    assert_eq!((less.records(), less.attributes()), (None, &CornerAttributes::default()));
    let more = parse(text, "a", Format::Ply, &LoadOptions::default());
    let more = more.and_then(|loaded| loaded.into_mesh()).expect("the text is right");
    assert!(more.records().is_some() && more.attributes().normals.len() == 3);
}

#[cfg(not(feature = "stl"))]
#[test]
fn a_format_that_is_switched_off_is_named() {
    let error = parse(b"solid\nendsolid\n", "a", Format::Stl, &LoadOptions::default());
    let error = error.expect_err("it is switched off");
    assert!(matches!(error.kind, ReadErrorKind::FormatLeftOut { format: "STL" }), "{error}");
}
