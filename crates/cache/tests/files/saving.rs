//! Files on disk: whole or absent.

use std::{fs, thread};

use hitscan_cache::{CacheErrorKind, is_cache_file, load, load_within, save};

use crate::support::{assert_same, bytes_of, samples};

#[test]
fn a_file_is_recognised_by_its_first_bytes_under_any_name() {
    let folder = tempfile::tempdir().expect("there is a folder");
    for (what, original) in samples() {
        let path = folder.path().join(format!("{what}.obj"));
        save(&original, &path).expect(what);
        assert!(is_cache_file(&path), "{what}");
        assert_same(what, &load(&path).expect(what), &original);
    }
    let text = folder.path().join("text.hitscan");
    fs::write(&text, "v 1 2 3\n").expect("the folder is ours");
    assert!(!is_cache_file(&text) && !is_cache_file(folder.path().join("none")));
    assert!(!is_cache_file(folder.path()));
}

#[test]
fn a_file_cut_off_in_its_signature_is_recognised_by_its_name() {
    let folder = tempfile::tempdir().expect("there is a folder");
    for start in [&b""[..], b"\x89hit"] {
        let (named, other) = (folder.path().join("a.hitscan"), folder.path().join("a.obj"));
        fs::write(&named, start).expect("the folder is ours");
        fs::write(&other, start).expect("the folder is ours");
        assert!(is_cache_file(&named) && !is_cache_file(&other), "{start:?}");
        let error = load(&named).expect_err("it is cut off").to_string();
        let expected =
            format!("has {} bytes, expected 424; run `hitscan build` again", start.len());
        assert!(error.ends_with(&expected), "{error}");
    }
}

#[test]
fn a_file_beyond_the_limit_is_not_read() {
    let folder = tempfile::tempdir().expect("there is a folder");
    let path = folder.path().join("a.hitscan");
    let (what, original) = samples().swap_remove(1);
    save(&original, &path).expect("the folder is ours");
    let len = fs::metadata(&path).expect("it is there").len();
    assert_same(what, &load_within(&path, len).expect("it is as long"), &original);
    let error = load_within(&path, len - 1).expect_err("it is longer").to_string();
    let expected = format!("a.hitscan: has {len} bytes; expected at most {}", len - 1);
    assert!(error.ends_with(&expected), "{error}");
}

#[test]
fn every_load_is_whole_while_many_threads_save_one_file() {
    let folder = tempfile::tempdir().expect("there is a folder");
    let path = folder.path().join("shared.hitscan");
    let originals = samples();
    save(&originals[0].1, &path).expect("the folder is ours");
    thread::scope(|scope| {
        for (what, original) in &originals {
            let path = &path;
            scope.spawn(move || (0..20).for_each(|_| save(original, path).expect(what)));
        }
        for _ in 0..2 {
            scope.spawn(|| {
                for _ in 0..50 {
                    let found = bytes_of(&load(&path).expect("it is whole at any time"));
                    assert!(originals.iter().any(|(_, original)| found == bytes_of(original)));
                }
            });
        }
    });
    let names: Vec<_> = fs::read_dir(folder.path()).expect("it is a folder").collect();
    assert_eq!(names.len(), 1, "{names:?}");
}

#[test]
fn a_failed_save_leaves_nothing_behind() {
    let folder = tempfile::tempdir().expect("there is a folder");
    let (_, original) = &samples()[1];
    for path in [folder.path().join("no/such/folder.hitscan"), folder.path().to_owned()] {
        let error = save(original, &path).expect_err("it is no file");
        assert!(matches!(error.kind, CacheErrorKind::Io(_)), "{error}");
        assert!(error.to_string().contains(path.to_str().expect("it is text")), "{error}");
    }
    assert_eq!(fs::read_dir(folder.path()).expect("it is a folder").count(), 0);
    // A full buffer is an error.
    let full = hitscan_cache::write(original, &mut [0u8; 1000][..]);
    assert!(full.is_err());
}

#[test]
fn only_regular_files_are_opened() {
    let folder = tempfile::tempdir().expect("there is a folder");
    let error = load(folder.path()).expect_err("it is a folder").to_string();
    assert!(error.ends_with("is a directory; expected a regular file"), "{error}");
    let missing = load(folder.path().join("a\u{1b}.hitscan")).expect_err("there is none");
    assert!(!missing.to_string().contains('\u{1b}'), "{missing}");
    #[cfg(unix)]
    assert!(load("/dev/null").is_err());
}
