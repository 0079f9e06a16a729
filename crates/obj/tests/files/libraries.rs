//! Material libraries: found, refused, damaged.

use std::{collections::HashSet, fs, io, path::Path};

use hitscan_obj::{
    LibraryProblem, LoadOptions, LoadWarning, ObjModel, load, parse, parse_with_libraries,
};

const TRIANGLE: &str = "v 2 1 0\nv 4 1 0\nv 2 3 0\nusemtl red\nf 1 2 3\n";
const RED: &str = "newmtl red\nKd 1 0 0\n";

fn load_in(folder: &Path, mtllib: &str) -> ObjModel {
    let path = folder.join("mesh.obj");
    fs::write(&path, format!("{mtllib}\n{TRIANGLE}")).unwrap();
    let loaded = load(&path, &LoadOptions::default()).unwrap();
    assert_eq!(loaded.mesh.triangles().len(), 1);
    loaded
}

fn problems(loaded: &ObjModel) -> Vec<(&str, &LibraryProblem)> {
    loaded.report.libraries.iter().map(|issue| (issue.name.as_str(), &issue.problem)).collect()
}

#[test]
fn libraries_in_the_folder_or_below_are_read_once() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("sub")).unwrap();
    fs::write(folder.path().join("a.mtl"), RED).unwrap();
    fs::write(folder.path().join("with blank.mtl"), "newmtl blank\n").unwrap();
    fs::write(folder.path().join("sub/c.mtl"), "newmtl sub\n").unwrap();
    for (mtllib, names) in [
        ("mtllib a.mtl", vec!["red"]),
        ("mtllib ./a.mtl\nmtllib a.mtl\nmtllib ./././a.mtl", vec!["red"]),
        ("mtllib with blank.mtl a.mtl\nmtllib a.mtl", vec!["red"]),
        ("mtllib with blank.mtl\nmtllib a.mtl # comment", vec!["blank", "red"]),
        ("mtllib a.mtl sub/c.mtl", vec!["red", "sub"]),
        ("MTLLIB\tsub\\c.mtl", vec!["sub"]),
        ("mtllib", vec![]),
    ] {
        let loaded = load_in(folder.path(), mtllib);
        let found: Vec<&str> = loaded.materials.iter().map(|m| m.name.as_str()).collect();
        assert_eq!(found, names, "{mtllib}");
        let is_known = names.contains(&"red");
        assert_eq!(loaded.report.count(LoadWarning::UnknownMaterials).n, u64::from(!is_known));
        assert_eq!(loaded.material("red").is_some(), is_known);
    }
}

#[test]
fn nothing_outside_the_folder_is_opened() {
    let outer = tempfile::tempdir().unwrap();
    let folder = outer.path().join("inner");
    fs::create_dir(&folder).unwrap();
    fs::create_dir(folder.join("a folder")).unwrap();
    fs::write(outer.path().join("secret.mtl"), RED).unwrap();
    let absolute = outer.path().join("secret.mtl");
    let mut cases = vec![
        ("../secret.mtl".to_owned(), LibraryProblem::OutsideFolder),
        ("a folder/../../secret.mtl".into(), LibraryProblem::OutsideFolder),
        (absolute.to_string_lossy().into_owned(), LibraryProblem::OutsideFolder),
        ("missing.mtl".into(), LibraryProblem::NotFound),
        ("a folder".into(), LibraryProblem::NotARegularFile),
        ("nul\0nul.mtl".into(), LibraryProblem::NotFound),
        ("x".repeat(5000), LibraryProblem::NotFound),
        ("http://example.com/a.mtl".into(), LibraryProblem::NotFound),
    ];
    if cfg!(unix) {
        cases.push(("/dev/zero".into(), LibraryProblem::OutsideFolder));
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&absolute, folder.join("link.mtl")).unwrap();
        std::os::unix::fs::symlink("/dev/zero", folder.join("zero.mtl")).unwrap();
        cases.push(("link.mtl".into(), LibraryProblem::OutsideFolder));
        cases.push(("zero.mtl".into(), LibraryProblem::OutsideFolder));
    }
    for (name, problem) in cases {
        let loaded = load_in(&folder, &format!("mtllib {name}"));
        assert_eq!(problems(&loaded), [(name.as_str(), &problem)]);
        assert_eq!(loaded.report.libraries[0].line, 1);
        assert!(loaded.materials.is_empty());
    }
}

#[test]
fn a_damaged_library_costs_only_what_is_damaged() {
    let folder = tempfile::tempdir().unwrap();
    for (library, n_bad, first) in [
        ("newmtl red\nKd 0.5\nKs\nKe 1\n", 1, 3),
        ("newmtl red\nKd 1 0 0\nd -halo 0.5\nillum 300\nKa spectral x.rfl 1\n", 2, 4),
        ("newmtl\nnewmtl red\nNs many\nNi\n", 3, 1),
        ("newmtl red\nTr\nmap_Kd\nbump\nmap_d \n", 4, 2),
    ] {
        fs::write(folder.path().join("a.mtl"), library).unwrap();
        let loaded = load_in(folder.path(), "mtllib a.mtl");
        assert!(loaded.material("red").is_some(), "{library}");
        match loaded.report.libraries[..] {
            [ref issue] => {
                let expected = LibraryProblem::BadStatements { n: n_bad, first_line: first };
                assert_eq!(issue.problem, expected, "{library}");
            }
            _ => panic!("{library}: {:?}", loaded.report.libraries),
        }
    }
    // The OBJ file as a library has no materials.
    let loaded = load_in(folder.path(), "mtllib mesh.obj");
    assert!(loaded.materials.is_empty() && loaded.report.n_ignored() > 0);
}

#[test]
fn no_library_makes_the_reader_panic() {
    let words = [
        "newmtl", "Ka", "Kd", "Ks", "Ke", "Ns", "Ni", "d", "Tr", "illum", "map_Kd", "map_Bump",
        "bump", "map_ns", "refl", "1", "0.5", "-1", "nan", "red", "#", "\\", "\n", "\r\n", "\t",
        " ", "\u{2003}", "\u{85}", "\0", "é", "/",
    ];
    let mut state = 99u64;
    for round in 0..3000 {
        let mut text = Vec::new();
        for _ in 0..round % 60 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let at = (state >> 33) as usize;
            text.extend_from_slice(words[at % words.len()].as_bytes());
            match at / words.len() % 8 {
                0 => text.push(at as u8),
                1 | 2 => text.push(b'\n'),
                _ => text.push(b' '),
            }
        }
        let obj = format!("mtllib a\n{TRIANGLE}");
        let read = |text: &[u8]| {
            let mut provide = |_: &str| Ok(text.to_vec());
            parse_with_libraries(obj.as_bytes(), "t", &LoadOptions::default(), &mut provide)
                .unwrap()
        };
        let result = std::panic::catch_unwind(|| read(&text));
        assert!(result.is_ok(), "{round}: {:?}", String::from_utf8_lossy(&text));
    }
}

#[test]
fn libraries_of_text_in_memory_come_from_the_caller() {
    let text = format!("mtllib a b.mtl\nmtllib b.mtl a\n{TRIANGLE}");
    let options = LoadOptions::default();
    let loaded = parse(text.as_bytes(), "t.obj", &options).unwrap();
    assert_eq!(problems(&loaded)[0], ("a b.mtl", &LibraryProblem::NoFolder));
    let mut asked = Vec::new();
    let mut provide = |name: &str| {
        asked.push(name.to_owned());
        if name == "b.mtl" { Ok(RED.into()) } else { Err(io::ErrorKind::NotFound.into()) }
    };
    let loaded = parse_with_libraries(text.as_bytes(), "t.obj", &options, &mut provide).unwrap();
    assert_eq!(loaded.materials.len(), 1);
    assert_eq!(loaded.materials[0].diffuse, Some([1.0, 0.0, 0.0]));
    let asked: HashSet<String> = asked.into_iter().collect();
    assert_eq!(asked, ["a b.mtl", "b.mtl a", "a", "b.mtl"].map(str::to_owned).into());
    assert_eq!(problems(&loaded)[0], ("a", &LibraryProblem::NotFound));
}

#[test]
fn limits_on_libraries_hold() {
    let folder = tempfile::tempdir().unwrap();
    for i in 0..5 {
        fs::write(folder.path().join(format!("{i}.mtl")), RED).unwrap();
    }
    let path = folder.path().join("mesh.obj");
    fs::write(&path, format!("mtllib 0.mtl 1.mtl\nmtllib 2.mtl\nmtllib 3.mtl\n{TRIANGLE}"))
        .unwrap();
    let options = LoadOptions { max_libraries: 4, ..Default::default() };
    let loaded = load(&path, &options).unwrap();
    assert_eq!(loaded.materials.len(), 3);
    assert_eq!(problems(&loaded), [("3.mtl", &LibraryProblem::TooMany)]);
    let options =
        LoadOptions { max_material_bytes: 2 * RED.len() as u64 + 1, ..Default::default() };
    let loaded = load(&path, &options).unwrap();
    assert_eq!(loaded.materials.len(), 2);
    assert_eq!(problems(&loaded)[0], ("2.mtl", &LibraryProblem::TooLarge));
}

#[test]
fn keywords_of_libraries_may_be_in_any_case() {
    let folder = tempfile::tempdir().unwrap();
    let library = "NEWMTL red\nkd 1 0 0\nMAP_KD red.png\nNewmtl blue\nKD 0 0 1\nBump wall#2.png\nTR 0.25\n\
                   newmtl green\nKd 0 1 0\nMap_D leaf #2.png\n";
    fs::write(folder.path().join("a.mtl"), library).unwrap();
    let loaded = load_in(folder.path(), "mtllib a.mtl");
    assert_eq!(loaded.report.n_ignored(), 0, "{}", loaded.report);
    let of = |name: &str| loaded.material(name).unwrap();
    assert_eq!(of("red").diffuse, Some([1.0, 0.0, 0.0]));
    assert_eq!(of("red").map_kd.as_deref(), Some("red.png"));
    assert_eq!(of("blue").diffuse, Some([0.0, 0.0, 1.0]));
    assert_eq!(of("blue").map_bump.as_deref(), Some("wall#2.png"));
    assert_eq!(of("blue").opacity, Some(0.75));
    assert_eq!(of("green").map_d.as_deref(), Some("leaf #2.png"));
}

#[test]
fn a_list_whose_first_library_lies_outside_goes_on() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("in");
    fs::create_dir(&folder).unwrap();
    fs::write(root.path().join("a.mtl"), "newmtl outside\n").unwrap();
    fs::write(folder.join("b.mtl"), "newmtl red\n").unwrap();
    let loaded = load_in(&folder, "mtllib ../a.mtl b.mtl");
    assert!(loaded.material("red").is_some() && loaded.material("outside").is_none());
    assert_eq!(problems(&loaded), [("../a.mtl", &LibraryProblem::OutsideFolder)]);
    // A single name with a blank is reported as one name.
    let loaded = load_in(&folder, "mtllib ../my library.mtl");
    assert_eq!(problems(&loaded), [("../my library.mtl", &LibraryProblem::OutsideFolder)]);
}
