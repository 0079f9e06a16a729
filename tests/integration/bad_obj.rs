//! OBJ files that are wrong or odd, from the bytes to the hit. Each is an error that names the line, or
//! a mesh that rays hit where it should be; none panics. Debug and release builds run the same cases.

use std::panic::catch_unwind;
use std::path::Path;
use std::time::{Duration, Instant};

use hitscan::obj::{LoadWarning, ObjReport};
use hitscan::{Faces, Format, LoadOptions, Loaded, Ray, ReadError, load, parse};

use crate::asking::{every_bvh, with_threads};
use crate::shared::{number, read_json, shared, vector};

/// The expected result of a text: an error on that line, or a number of triangles. Rays from `z = 5` hit
/// above the first points and miss above the second; the last field says whether the report mentions
/// anything.
enum Outcome {
    Error(u64),
    Mesh(usize, &'static [[f32; 2]], &'static [[f32; 2]]),
    Odd(usize, LoadWarning),
}
use Outcome::{Error, Mesh, Odd};

/// A triangle (0, 0), (2, 0), (0, 2), to which a case adds its own statements.
const HIT: &[[f32; 2]] = &[[0.5, 0.5], [0.1, 1.8]];
const MISSED: &[[f32; 2]] = &[[1.5, 1.5], [-0.1, 0.5]];

const CASES: [(&str, &[u8], Outcome); 38] = [
    ("index 0", b"v 0 0 0\nv 2 0 0\nv 0 2 0\nf 1 0 2\n", Error(4)),
    ("index past the end", b"v 0 0 0\nv 2 0 0\n\nv 0 2 0\nf 1 2 3\nf 2 3 4\n", Error(6)),
    ("relative index before the start", b"v 0 0 0\nv 2 0 0\nv 0 2 0\nf -1 -2 -4\n", Error(4)),
    ("index that wraps in 32 bits", b"v 0 0 0\nv 2 0 0\nv 0 2 0\nf 4294967298 2 3\n", Error(4)),
    ("index that wraps in 64 bits", b"v 0 0 0\nv 2 0 0\nv 0 2 0\nf 18446744073709551617 2 3\n", Error(4)),
    ("index that is no number", b"v 0 0 0\nv 2 0 0\nv 0 2 0\nf 1 2 three\n", Error(4)),
    ("fraction as an index", b"v 0 0 0\nv 2 0 0\nv 0 2 0\nf 1 2 3.5\n", Error(4)),
    ("decimal comma", b"v 0 0 0\nv 2,5 0 0\nv 0 2 0\nf 1 2 3\n", Error(2)),
    ("coordinate that is a word", b"v 0 0 0\nv 2 zero 0\nv 0 2 0\nf 1 2 3\n", Error(2)),
    ("two coordinates", b"v 0 0 0\nv 2 0\nv 0 2 0\nf 1 2 3\n", Error(2)),
    ("relative indices", b"v 9 9 9\nv 0 0 0\nv 2 0 0\nv 0 2 0\nf -3 -2 -1\n", Mesh(1, HIT, MISSED)),
    ("DOS lines", b"v 0 0 0\r\nv 2 0 0\r\nv 0 2 0\r\nf 1 2 3\r\n", Mesh(1, HIT, MISSED)),
    ("Mac lines", b"v 0 0 0\rv 2 0 0\rv 0 2 0\rf 1 2 3", Mesh(1, HIT, MISSED)),
    ("mixed lines", b"v 0 0 0\rv 2 0 0\r\nv 0 2 0\n\rf 1 2 3", Mesh(1, HIT, MISSED)),
    ("byte order mark", b"\xef\xbb\xbfv 0 0 0\nv 2 0 0\nv 0 2 0\nf 1 2 3", Mesh(1, HIT, MISSED)),
    ("tabs and blanks", b"\tv  0\t0 0 \n v 2 0 0\t\nv\t0 2 0\n f\t1  2 3 ", Mesh(1, HIT, MISSED)),
    ("comments", b"# \xff\nv 0 0 0#x\nv 2 0 0 # 9 9\nv 0 2 0\nf 1 2 3 # 4", Mesh(1, HIT, MISSED)),
    ("continuations", b"v 0 \\\n0 0\nv 2 0 0\nv 0 2 \\\r\n0\nf 1\\\n 2 3", Mesh(1, HIT, MISSED)),
    ("homogeneous", b"v 0 0 0 4\nv 4 0 0 2\nv 0 1 0 0.5\nf 1 2 3", Mesh(1, HIT, MISSED)),
    ("some colours", b"v 0 0 0 1 0 0\nv 2 0 0\nv 0 2 0 0 1 1\nf 1 2 3", Mesh(1, HIT, MISSED)),
    ("exponents", b"v 0e9 -0 +0\nv 2.e0 .0 0\nv 0 20E-1 0\nf 1 2 3", Mesh(1, HIT, MISSED)),
    ("8-bit names", b"o B\xf6schung\ng \xe9 \xff\nv 0 0 0\nv 2 0 0\nv 0 2 0\nf 1 2 3", Mesh(1, HIT, MISSED)),
    ("no names", b"o\ng\nusemtl\ns\nv 0 0 0\nv 2 0 0\nv 0 2 0\nf 1 2 3", Mesh(1, HIT, MISSED)),
    ("vertices after the face", b"f 1 2 3\nv 0 0 0\nv 2 0 0\nv 0 2 0\n", Mesh(1, HIT, MISSED)),
    (
        "arrowhead",
        b"v 3 1 0\nv 0 2 0\nv 1 1 0\nv 0 0 0\nf 1 2 3 4",
        Mesh(2, &[[1.5, 1.0], [0.2, 1.85]], &[[0.5, 1.0], [0.1, 1.0]]),
    ),
    (
        "a square with a corner in the middle of a side",
        b"v 0 0 0\nv 1 0 0\nv 2 0 0\nv 2 2 0\nv 0 2 0\nf 1 2 3 4 5",
        Mesh(3, &[[0.1, 0.1], [1.9, 0.1], [1.0, 1.9]], &[[2.1, 1.0], [1.0, -0.1]]),
    ),
    (
        "a comb",
        b"v 0 0 0\nv 5 0 0\nv 5 3 0\nv 4 3 0\nv 4 1 0\nv 3 1 0\nv 3 3 0\nv 2 3 0\nv 2 1 0\nv 1 1 0\nv 1 3 0\nv 0 3 0\nf 1 2 3 4 5 6 7 8 9 10 11 12",
        Mesh(10, &[[0.5, 2.0], [2.5, 2.0], [4.5, 2.0], [2.5, 0.5]], &[[1.5, 2.0], [3.5, 2.0]]),
    ),
    ("lines and points", b"v 0 0 0\nv 2 0 0\nv 0 2 0\np 1\nl 1 2 3\nf 1 2 3", Odd(1, LoadWarning::Lines)),
    ("only points", b"v 0 0 0\nv 2 0 0\np 1 2\n", Odd(0, LoadWarning::Points)),
    ("a curve", b"v 0 0 0\nv 1 0 0\ncstype bezier\ndeg 1\ncurv 0 1 1 2\nend", Odd(0, LoadWarning::FreeForm)),
    ("two corners", b"v 0 0 0\nv 2 0 0\nv 0 2 0\nf 1 2\nf 1 2 3", Odd(1, LoadWarning::ShortFaces)),
    (
        "not a number",
        b"v 0 0 0\nv nan 0 0\nv 0 2 0\nv 0 0 1\nv 1 0 1\nv 0 1 1\nf 1 2 3\nf 4 5 6",
        Odd(1, LoadWarning::FacesNotFinite),
    ),
    (
        "too large for f32",
        b"v 0 0 0\nv 4e38 0 0\nv 0 2 0\nv 0 0 1\nv 1 0 1\nv 0 1 1\nf 1 2 3\nf 4 5 6",
        Odd(1, LoadWarning::FacesNotFinite),
    ),
    (
        "infinite by its weight",
        b"v 0 0 0\nv 1 0 0 0\nv 0 2 0\nv 0 0 1\nv 1 0 1\nv 0 1 1\nf 1 2 3\nf 4 5 6",
        Odd(1, LoadWarning::FacesNotFinite),
    ),
    ("normal out of range", b"v 0 0 0\nv 2 0 0\nv 0 2 0\nf 1//1 2 3", Odd(1, LoadWarning::BadNormalIndices)),
    ("a library", b"mtllib a.mtl\nv 0 0 0\nv 2 0 0\nv 0 2 0\nf 1 2 3", Odd(1, LoadWarning::Libraries)),
    ("a material", b"v 0 0 0\nv 2 0 0\nv 0 2 0\nusemtl a\nf 1 2 3", Odd(1, LoadWarning::UnknownMaterials)),
    ("another word", b"v 0 0 0\nv 2 0 0\nv 0 2 0\nteapot\nf 1 2 3", Odd(1, LoadWarning::Unknown)),
];

/// The texts of all cases.
pub(crate) fn texts() -> Vec<Vec<u8>> {
    CASES.iter().map(|(_, text, _)| text.to_vec()).collect()
}

fn report_of(loaded: &Loaded) -> &ObjReport {
    loaded.report.obj.as_ref().expect("the format is OBJ")
}

fn parsed(bytes: &[u8]) -> Result<Loaded, ReadError> {
    parse(bytes, "case.obj", Format::Obj, &LoadOptions::default())
}

#[test]
fn odd_texts_give_their_result_on_any_number_of_threads() {
    for (name, text, outcome) in &CASES {
        for n_threads in [1, 4] {
            let result = with_threads(n_threads, || parsed(text));
            match (outcome, result) {
                (Error(line), Err(error)) => {
                    assert_eq!(error.line, Some(*line), "{name}: {error}");
                    assert!(
                        error.to_string().starts_with(&format!("case.obj:{line}: ")),
                        "{error}"
                    );
                    assert!(error.to_string().contains("expected"), "{name}: {error}");
                }
                (Mesh(n_triangles, hit, missed), Ok(loaded)) => {
                    assert_eq!(loaded.meshes[0].triangles().len(), *n_triangles, "{name}");
                    let above = |p: &[f32; 2]| Ray::new([p[0], p[1], 5.0], [0.0, 0.0, -1.0]);
                    for (bvh_name, bvh) in every_bvh(&loaded.meshes[0]) {
                        for (points, t) in [(hit, Some(5.0)), (missed, None)] {
                            for point in *points {
                                let found = bvh.closest_hit(&above(point), Faces::Both);
                                let found = found.map(|hit| hit.t);
                                assert_eq!(found, t, "{name}, {bvh_name}: above {point:?}");
                            }
                        }
                    }
                }
                (Odd(n_triangles, warning), Ok(loaded)) => {
                    assert_eq!(loaded.meshes[0].triangles().len(), *n_triangles, "{name}");
                    let report = report_of(&loaded);
                    assert!(report.count(*warning).n > 0, "{name}: {report}");
                    assert!(!report.to_string().is_empty(), "{name}");
                }
                (_, Ok(loaded)) => panic!("{name} was loaded: {:?}", loaded.report),
                (_, Err(error)) => panic!("{name}: {error}"),
            }
        }
    }
}

#[test]
fn binary_data_is_an_error_or_an_empty_mesh() {
    let picture: Vec<u8> =
        (0..5000).map(|i: u32| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let mut jpeg = b"\xff\xd8\xff\xe0\x00\x10JFIF\x00".to_vec();
    jpeg.extend(&picture);
    for bytes in [&b""[..], b"\n", b"\0", b"   ", b"#", b"\\", b"\xef\xbb\xbf", &picture, &jpeg] {
        if let Ok(loaded) = parsed(bytes) {
            assert!(loaded.meshes[0].triangles().is_empty());
            assert!(!loaded.report.to_string().is_empty(), "{:?}", loaded.report);
        }
    }
}

#[test]
fn a_path_without_a_file_is_an_error_that_names_it() {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    for path in [folder.path().join("missing.obj"), folder.path().to_path_buf()] {
        let error = load(&path, &LoadOptions::default()).unwrap_err();
        assert!(error.to_string().contains(path.to_str().expect("a plain path")), "{error}");
        assert_eq!(error.line, None);
    }
}

#[test]
fn the_shared_bad_and_awkward_files_give_their_result() {
    for (folder, n_cases) in [("bad-obj", 33), ("meshes/awkward", 14)] {
        if let Some(folder) = shared(folder) {
            assert!(check_manifest(&folder) >= n_cases, "{}", folder.display());
        }
    }
}

/// Compares the files of a folder with its manifest. Returns their number.
fn check_manifest(folder: &Path) -> usize {
    let manifest = read_json(&folder.join("manifest.json"));
    let cases = manifest["cases"].as_array().expect("a list of cases");
    for case in cases {
        let name = case["file"].as_str().expect("a file name");
        let path = folder.join(name);
        let start = Instant::now();
        let result = catch_unwind(|| load(&path, &LoadOptions::default()))
            .unwrap_or_else(|_| panic!("{name}: a panic"));
        assert!(start.elapsed() < Duration::from_secs_f64(number(&case["time_s"])), "{name}");
        let outcome = case["outcome"].as_str().expect("an outcome");
        let loaded = match result {
            Ok(loaded) => loaded,
            Err(error) => {
                assert_ne!(outcome, "ok", "{error}");
                assert!(error.to_string().contains(name), "{error}");
                if let Some(lines) = case["error_line"].as_array() {
                    let line = error.line.unwrap_or_else(|| panic!("{error}: without a line"));
                    assert!(lines.iter().any(|expected| *expected == line), "{error}: {lines:?}");
                    assert!(error.to_string().contains(&format!(":{line}: ")), "{error}");
                }
                continue;
            }
        };
        assert_ne!(outcome, "error", "{name} was loaded");
        let n_triangles = loaded.meshes[0].triangles().len() as f64;
        let (least, most) = match case["triangles"].as_array() {
            Some(range) => (number(&range[0]), number(&range[1])),
            None => (number(&case["triangles"]), number(&case["triangles"])),
        };
        assert!((least..=most).contains(&n_triangles), "{name}: {n_triangles} triangles");
        if case["warn"] == true {
            assert!(!loaded.report.to_string().is_empty(), "{name}: nothing is reported");
        }
        for probe in case["probes"].as_array().unwrap_or(&Vec::new()) {
            let ray = Ray::new(vector(&probe["origin"]), vector(&probe["dir"]));
            for (bvh_name, bvh) in every_bvh(&loaded.meshes[0]) {
                let t = bvh.closest_hit(&ray, Faces::Both).map(|hit| f64::from(hit.t));
                let is_right = match (t, probe["t"].as_f64()) {
                    (None, None) => true,
                    (Some(t), Some(expected)) => (t - expected).abs() <= 1e-4 * expected,
                    _ => false,
                };
                assert!(is_right, "{name}, {bvh_name}: {t:?} for {probe}");
            }
        }
    }
    cases.len()
}
