//! The key to the source of a cache file.

use std::{
    fs::{self, File},
    path::Path,
    time::{Duration, SystemTime},
};

use hitscan_cache::{CacheErrorKind, Source};

fn write(path: &Path, text: &str) {
    fs::write(path, text).expect("the folder is ours");
}

/// Sets the time of the last change.
fn touch(path: &Path, time: SystemTime) {
    let file = File::options().write(true).open(path).expect("it is there");
    file.set_modified(time).expect("it is ours");
}

/// The change in words; `None` if there is none.
fn change(source: &Source, reader: &str, cache: &Path) -> Option<String> {
    let error = source.check(reader, cache).err()?;
    assert!(matches!(error.kind, CacheErrorKind::Stale { .. }), "{error}");
    let text = error.to_string();
    assert!(text.ends_with("run `hitscan build` again"), "{text}");
    Some(text)
}

#[test]
fn every_change_of_a_source_that_is_there_is_found() {
    let folder = tempfile::tempdir().expect("there is a folder");
    let (mesh, library) = (folder.path().join("a.obj"), folder.path().join("a.mtl"));
    let cache = folder.path().join("a.hitscan");
    let (text, colours) = ("v 1 2 3\n", "newmtl red\n");
    let old = SystemTime::now() - Duration::from_secs(3600);
    // Changed long ago, or just now.
    for time in [old, SystemTime::now()] {
        write(&mesh, text);
        write(&library, colours);
        touch(&mesh, time);
        touch(&library, time);
        let source = Source::of("r", [&mesh, &library], &cache).expect("both are there");
        assert_eq!(source.files[0].path, Path::new("a.obj"));
        assert_eq!(source.files[0].modified.is_some(), time == old);
        assert_eq!(change(&source, "r", &cache), None);

        // Another time with the same content is no change.
        touch(&mesh, SystemTime::now() - Duration::from_secs(60));
        assert_eq!(change(&source, "r", &cache), None);

        write(&mesh, "v 1 2 3 \n");
        let longer = change(&source, "r", &cache).expect("it is longer");
        assert!(longer.contains("has 9 bytes now, and had 8"), "{longer}");
        write(&mesh, "v 1 2 4\n");
        if time != old {
            // A change of content counts even if the time is the old one.
            touch(&mesh, time);
        }
        let other = change(&source, "r", &cache).expect("it is another one");
        assert!(other.contains("a.obj has other contents"), "{other}");
        write(&mesh, text);
        assert_eq!(change(&source, "r", &cache), None);

        let reader = change(&source, "s", &cache).expect("another reader");
        assert!(reader.contains("is read by s now, and was by r"), "{reader}");

        write(&library, "newmtl tan\n");
        let colours = change(&source, "r", &cache).expect("it is another one");
        assert!(colours.contains("a.mtl has other contents"), "{colours}");
        fs::remove_file(&library).expect("it is ours");
        let gone = change(&source, "r", &cache).expect("it is gone");
        assert!(gone.contains("a.mtl is gone"), "{gone}");
        // Without its source, a cache file is valid.
        fs::remove_file(&mesh).expect("it is ours");
        assert_eq!(change(&source, "s", &cache), None);
    }
}

#[test]
fn a_source_moves_with_its_cache_file_or_stays_where_it_is() {
    let folder = tempfile::tempdir().expect("there is a folder");
    let (near, far) = (folder.path().join("near"), folder.path().join("far"));
    for folder in [&near, &far] {
        fs::create_dir(folder).expect("the folder is ours");
    }
    let (beside, elsewhere) = (near.join("a.obj"), far.join("b.obj"));
    write(&beside, "v 1 2 3\n");
    write(&elsewhere, "v 1 2 3\n");
    let cache = near.join("a.hitscan");
    let source = Source::of("r", [&beside, &elsewhere], &cache).expect("both are there");
    assert!(source.files[0].path.is_relative() && source.files[1].path.is_absolute());

    let moved = folder.path().join("moved");
    fs::rename(&near, &moved).expect("the folder is ours");
    assert_eq!(change(&source, "r", &moved.join("a.hitscan")), None);
    write(&moved.join("a.obj"), "v 1 2 4\n");
    assert!(change(&source, "r", &moved.join("a.hitscan")).is_some());
    write(&moved.join("a.obj"), "v 1 2 3\n");
    write(&elsewhere, "v 9 2 3\n");
    assert!(change(&source, "r", &moved.join("a.hitscan")).is_some());
}

#[test]
fn a_source_is_found_after_its_roundabout_path_is_gone() {
    let folder = tempfile::tempdir().expect("there is a folder");
    let (mesh, sub) = (folder.path().join("a.obj"), folder.path().join("sub"));
    fs::create_dir(&sub).expect("the folder is ours");
    write(&mesh, "v 1 2 3\n");
    for cache in ["a.hitscan", "sub/../a.hitscan"] {
        let cache = folder.path().join(cache);
        let source = Source::of("r", [sub.join("../a.obj")], &cache).expect("it is there");
        assert_eq!(source.files[0].path, Path::new("a.obj"));
    }
    let cache = folder.path().join("a.hitscan");
    let elsewhere = sub.join("a.hitscan");
    let of = |cache: &Path| Source::of("r", [sub.join("../a.obj")], cache).expect("it is there");
    let (source, far) = (of(&cache), of(&elsewhere));
    fs::remove_dir(&sub).expect("it is empty");
    write(&mesh, "v 1 2 4\n");
    assert!(change(&source, "r", &cache).is_some());
    assert!(far.files[0].path.is_absolute());
    assert!(change(&far, "r", &cache).is_some());
}

#[cfg(unix)]
#[test]
fn a_source_is_found_through_a_link_to_the_cache_file_and_without_it() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().expect("there is a folder");
    let (store, home) = (folder.path().join("store"), folder.path().join("home"));
    for folder in [&store, &home] {
        fs::create_dir(folder).expect("the folder is ours");
    }
    let (real, link) = (store.join("a.hitscan"), home.join("a.hitscan"));
    let (_, original) = crate::support::samples().swap_remove(1);
    hitscan_cache::save(&original, &real).expect("the folder is ours");
    symlink(&real, &link).expect("the folder is ours");
    hitscan_cache::save(&original, &link).expect("the folder is ours");
    assert!(fs::symlink_metadata(&link).expect("it is there").is_symlink());
    // Also if the file was not there when the source was named.
    fs::remove_file(&real).expect("it is ours");
    let mesh = home.join("early.obj");
    write(&mesh, "v 1 2 3\n");
    let source = Source::of("r", [&mesh], &link).expect("it is there");
    hitscan_cache::save(&original, &link).expect("the folder is ours");
    assert!(fs::symlink_metadata(&link).expect("it is there").is_symlink());
    assert!([&real, &link].into_iter().all(|cache| change(&source, "r", cache).is_none()));
    for mesh in [home.join("a.obj"), store.join("a.obj")] {
        for built_at in [&real, &link] {
            write(&mesh, "v 1 2 3\n");
            let source = Source::of("r", [&mesh], built_at).expect("it is there");
            for cache in [&real, &link] {
                write(&mesh, "v 1 2 3\n");
                assert_eq!(change(&source, "r", cache), None);
                write(&mesh, "v 1 2 4\n");
                assert!(change(&source, "r", cache).is_some(), "{built_at:?} {cache:?}");
            }
        }
    }
    // If the mesh is a link, its current target counts.
    write(&store.join("1.obj"), "v 1 2 3\n");
    write(&store.join("2.obj"), "v 1 2 4\n");
    let current = home.join("current.obj");
    symlink(store.join("1.obj"), &current).expect("the folder is ours");
    let source = Source::of("r", [&current], &real).expect("it is there");
    assert_eq!(change(&source, "r", &real), None);
    fs::remove_file(&current).expect("it is ours");
    symlink(store.join("2.obj"), &current).expect("the folder is ours");
    assert!(change(&source, "r", &real).is_some());
}

#[test]
fn long_files_differ_by_any_byte() {
    let folder = tempfile::tempdir().expect("there is a folder");
    let path = folder.path().join("long.obj");
    let mut bytes = vec![b'#'; (5 << 20) + 17];
    let checksum = |bytes: &[u8]| {
        fs::write(&path, bytes).expect("the folder is ours");
        Source::of("r", [&path], &path).expect("it is there").files[0].checksum
    };
    let original = checksum(&bytes);
    for at in [0, 1 << 18, 4 << 20, bytes.len() - 1] {
        bytes[at] ^= 1;
        assert_ne!(checksum(&bytes), original, "{at}");
        bytes[at] ^= 1;
    }
    assert_eq!(checksum(&bytes), original);
}
