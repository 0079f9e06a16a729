//! Files that cannot be loaded, and their errors.

use std::{error::Error, io};

use hitscan_obj::{LoadOptions, ReadErrorKind, load, parse};

use crate::error_of;

#[test]
fn errors_name_file_line_what_is_found_and_what_is_expected() {
    let index = "expected an index such as 7, -1, 7/2, 7//3 or 7/2/3";
    let vertices = "v 2 1 0\nv 4 1 0\nv 2 3 0\n";
    for (face, expected) in [
        (
            "f 3 0 1",
            "t.obj:4: face corner \"0\" names no vertex; expected 1 for the first".to_owned(),
        ),
        (
            "f 1 3 12",
            "t.obj:4: face corner \"12\" names no vertex; expected one of the file's 3".into(),
        ),
        ("f -1 -2 -7//1", "t.obj:4: face corner \"-7//1\" names no vertex; expected one of".into()),
        ("f 4294967297 2 3", "t.obj:4: face corner \"4294967297\" names no vertex".into()),
        (
            "f 1 2 18446744073709551617",
            "t.obj:4: face corner \"18446744073709551617\" names no".into(),
        ),
        ("f 1 2 3.0", format!("t.obj:4: face corner \"3.0\"; {index}")),
        ("f 1 2 x", format!("t.obj:4: face corner \"x\"; {index}")),
        ("f 1 2 3/1/1/1", format!("t.obj:4: face corner \"3/1/1/1\"; {index}")),
        ("f /1/1 2 3", format!("t.obj:4: face corner \"/1/1\"; {index}")),
        ("f 1 / 2 3", format!("t.obj:4: face corner \"/\"; {index}")),
        ("f 1 2 0x3", format!("t.obj:4: face corner \"0x3\"; {index}")),
        ("f 1 2 3/", String::new()),
        ("v 4,0 1,0 0,0", "t.obj:4: vertex with \"4,0\"; expected a number".into()),
        ("v 1 1.0d0 0", "t.obj:4: vertex with \"1.0d0\"; expected a number".into()),
        ("v 1 2", "t.obj:4: vertex with 2 numbers; expected 3 coordinates".into()),
        ("v 1 2 3 w", "t.obj:4: vertex weight with \"w\"; expected a number".into()),
        ("vn 1", "t.obj:4: normal with 1 number; expected 3 numbers".into()),
        ("vt", "t.obj:4: texture coordinate with 0 numbers; expected 1 to 3 numbers".into()),
        ("f 1 2 \x1b[2J", format!("t.obj:4: face corner \"\\u{{1b}}[2J\"; {index}")),
        ("\n\\\n\n\nf 1 2 x", format!("t.obj:8: face corner \"x\"; {index}")),
        ("\rf 1 \\\r2 x", format!("t.obj:5: face corner \"x\"; {index}")),
    ] {
        let text = format!("{vertices}{face}\n");
        if expected.is_empty() {
            crate::load_text(&text);
            continue;
        }
        let found = error_of(&text);
        assert!(found.starts_with(&expected), "{face}: {found}");
    }
}

#[test]
fn the_first_wrong_statement_is_named() {
    let error = error_of("v 0 0 0\nf 1 1 9\nf 1 1 8\nv x 0 0\nf 1 1 x\n");
    assert!(error.starts_with("t.obj:4: vertex"), "{error}");
    let error = error_of("v 0 0 0\nf 1 1 1\nf 1 1 9\nf 1 1 -2\n");
    assert!(error.starts_with("t.obj:3: face corner \"9\""), "{error}");
}

#[test]
fn long_words_are_cut_in_messages() {
    let error = error_of(format!("v {}x 0 0\n", "1".repeat(1_000_000)));
    assert!(error.len() < 200, "{error}");
}

#[test]
fn anything_but_obj_text_is_refused() {
    for (bytes, found) in [
        (&b"\x89PNG\r\n\x1a\n"[..], "a PNG image"),
        (b"\xff\xd8\xff\xe0", "a JPEG image"),
        (b"\x1f\x8b\x08", "gzip data"),
        (b"\xff\xfe\0\0v\0\0\0", "UTF-32 text"),
        (b"version https://git-lfs.github.com/spec/v1\n", "a Git LFS pointer"),
        (b"<!DOCTYPE html>", "HTML or XML"),
        (b"solid cube\nfacet normal 0 0 1\nendfacet\n", "3 lines that are no statements"),
        (b"v\0 \x001\0\n\0", "2 lines that are no statements"),
    ] {
        let error = error_of(bytes);
        assert!(error.contains(found) && error.contains("expected a mesh file"), "{error}");
    }
}

#[test]
fn an_error_names_the_limit_and_its_option() {
    let options = LoadOptions { max_file_bytes: 10, ..Default::default() };
    let error = parse(&[b' '; 11], "t.obj", &options).unwrap_err();
    assert_eq!(
        error.to_string(),
        "t.obj: 11 bytes; expected at most 10; `LoadOptions::max_file_bytes` raises the limit"
    );
    let options = LoadOptions { max_polygon_corners: 4, ..Default::default() };
    assert!(parse(b"v 0 0 0\nf 1 1 1 1\n# and some more\n", "t.obj", &options).is_ok());
    let error = parse(b"v 0 0 0\nf 1 1 1 1 1\n# and some more\n", "t.obj", &options).unwrap_err();
    assert_eq!(
        error.to_string(),
        "t.obj:2: 5 corners of a face; expected at most 4; `LoadOptions::max_polygon_corners` raises the limit"
    );
}

#[test]
fn files_that_cannot_be_read_keep_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing.obj");
    let error = load(&missing, &LoadOptions::default()).unwrap_err();
    // The text of the error omits the reason, which is its source, so that a caller who prints both
    // repeats nothing.
    assert!(error.to_string().ends_with("missing.obj: cannot be read"));
    let source = error.source().and_then(|source| source.downcast_ref::<io::Error>()).unwrap();
    assert_eq!(source.kind(), io::ErrorKind::NotFound);
    let error = load(folder.path(), &LoadOptions::default()).unwrap_err();
    assert!(matches!(error.kind, ReadErrorKind::NotAFile { found: "a directory" }));
}

#[cfg(unix)]
#[test]
fn devices_and_pipes_are_not_opened() {
    for path in ["/dev/zero", "/dev/stdin", "/dev/tty"] {
        assert!(load(path, &LoadOptions::default()).is_err(), "{path}");
    }
}
