//! Files that gzip or Zstandard compressed.

use std::{fs, io::Write, ops::ControlFlow, sync::Mutex};

use flate2::{Compression, write::GzEncoder};
use hitscan_formats::{
    Format, LoadOptions, Loaded, ReadError, load, load_with_progress, parse_any,
};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

const OBJ: &[u8] = b"mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl red\nf 1 2 3\nl 1 2\n";

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).expect("memory takes everything");
    encoder.finish().expect("memory takes everything")
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    compress_to_vec(bytes, CompressionLevel::Fastest)
}

/// One triangle as binary STL.
fn stl() -> Vec<u8> {
    let mut bytes = vec![0; 84 + 50];
    bytes[80] = 1;
    bytes[84 + 24..84 + 28].copy_from_slice(&1.0f32.to_le_bytes());
    bytes[84 + 40..84 + 44].copy_from_slice(&1.0f32.to_le_bytes());
    bytes
}

fn any(bytes: &[u8], options: &LoadOptions) -> Result<Loaded, ReadError> {
    parse_any(bytes, "<stdin>", options)
}

#[test]
fn a_compressed_file_under_any_name_is_its_contents() {
    let folder = tempfile::tempdir().expect("there is a folder");
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).expect("the folder is ours");
        path
    };
    write("a.mtl", b"newmtl red\nKd 1 0 0\n");
    let options = LoadOptions::default();
    let plain = load(write("a.obj", OBJ), &options).expect("the text is right");
    for (name, bytes) in
        [("a.obj.gz", gzip(OBJ)), ("a.obj.zst", zstd(OBJ)), ("a.obj", gzip(OBJ)), ("a", zstd(OBJ))]
    {
        let path = write(name, &bytes);
        assert_eq!(Format::of_file(&path), Some(Format::Obj), "{name}");
        let loaded = load(&path, &options).expect(name);
        assert_eq!((&loaded.meshes, &loaded.materials), (&plain.meshes, &plain.materials));
        assert_eq!((&loaded.files, &loaded.report), (&plain.files, &plain.report), "{name}");
    }
    for (name, bytes) in [("a.stl.gz", gzip(&stl())), ("b", zstd(&stl()))] {
        let loaded = load(write(name, &bytes), &options).expect(name);
        assert_eq!((loaded.format, loaded.meshes[0].triangles().len()), (Format::Stl, 1), "{name}");
    }
}

#[test]
fn bytes_from_memory_are_of_any_format_compressed_or_not() {
    let options = LoadOptions::default();
    for (bytes, format) in [(OBJ.to_vec(), Format::Obj), (stl(), Format::Stl)] {
        for bytes in [bytes.clone(), gzip(&bytes), zstd(&bytes)] {
            assert_eq!(any(&bytes, &options).expect("the bytes are right").format, format);
            assert_eq!(Format::of_bytes(&bytes, format!("a.{}", format.name())), Some(format));
        }
    }
}

#[test]
fn several_members_and_frames_are_one_file() {
    let (first, second) = OBJ.split_at(20);
    // A frame that decoders skip.
    let skipped = b"\x50\x2a\x4d\x18\x03\0\0\0abc".to_vec();
    let options = LoadOptions::default();
    for bytes in [
        [gzip(first), gzip(second)].concat(),
        [zstd(first), zstd(second)].concat(),
        [skipped.clone(), zstd(first), skipped.clone(), zstd(second), skipped].concat(),
    ] {
        let loaded = any(&bytes, &options).expect("the parts make the text");
        assert_eq!(loaded.meshes[0].triangles(), [[0, 1, 2]]);
    }
}

#[test]
fn a_bomb_is_an_error_that_names_the_limit() {
    let folder = tempfile::tempdir().expect("there is a folder");
    let text = vec![b'\n'; 1 << 20];
    for (name, bytes) in [("a.obj.gz", gzip(&text)), ("a.obj.zst", zstd(&text))] {
        assert!(bytes.len() < 1 << 14, "{}", bytes.len());
        let path = folder.path().join(name);
        fs::write(&path, bytes).expect("the folder is ours");
        let limited = |max_file_bytes| LoadOptions { max_file_bytes, ..LoadOptions::default() };
        load(&path, &limited(1 << 20)).expect("it is no longer");
        let error = load(&path, &limited((1 << 20) - 1)).expect_err("it is longer").to_string();
        let part = "1048576 uncompressed bytes, or more; expected at most 1048575; \
                    `LoadOptions::max_file_bytes` raises the limit";
        assert!(error.contains(name) && error.ends_with(part), "{error}");
    }
}

/// A Zstandard frame with a window of 1 MiB and `n` blocks of 128 KiB of line endings each, whose header says the
/// length if there is one.
fn frame_of_blocks(n: usize, says: Option<u64>, window: u8) -> Vec<u8> {
    let mut bytes = b"\x28\xb5\x2f\xfd".to_vec();
    bytes.push(if says.is_some() { 0xc0 } else { 0 });
    bytes.push(window);
    bytes.extend(says.iter().flat_map(|says| says.to_le_bytes()));
    for i in 0..n {
        // The last one has bit 0. Bit 1 says that one byte is repeated.
        bytes.extend([2 | u8::from(i + 1 == n), 0, 0x10, b'\n']);
    }
    bytes
}

const WINDOW_1_MIB: u8 = 10 << 3;

#[test]
fn a_megabyte_that_expands_to_32_gigabytes_is_refused_in_seconds() {
    let folder = tempfile::tempdir().expect("there is a folder");
    let n = 1 << 18;
    let size = n as u64 * (128 << 10);
    let mut gzipped = GzEncoder::new(Vec::new(), Compression::best());
    (0..400).for_each(|_| gzipped.write_all(&[b'\n'; 1 << 20]).expect("memory takes everything"));
    let gzipped = gzipped.finish().expect("memory takes everything");
    let expected = |len: usize| {
        let limit = 100 * len + (64 << 20);
        format!("expected at most {limit}; `LoadOptions::max_expanded_bytes` raises the limit")
    };
    let options = LoadOptions::default();
    for (bytes, part) in [
        (frame_of_blocks(n, None, WINDOW_1_MIB), "uncompressed bytes, or more; "),
        (
            frame_of_blocks(n, Some(size), WINDOW_1_MIB),
            "34359738368 uncompressed bytes, as a frame says; ",
        ),
        (frame_of_blocks(n, Some(u64::MAX), WINDOW_1_MIB), "bytes, as a frame says; "),
        (gzipped, "uncompressed bytes, or more; "),
    ] {
        let start = std::time::Instant::now();
        let path = folder.path().join("a.obj");
        fs::write(&path, &bytes).expect("the folder is ours");
        for error in [any(&bytes, &options), load(&path, &options)] {
            let error = error.expect_err("it is too long").to_string();
            assert!(error.contains(part) && error.ends_with(&expected(bytes.len())), "{error}");
        }
        // Most machines take half a second. All of it would take minutes.
        assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
    }
    // The same data are read if the option allows it.
    let limited = |max_expanded_bytes| LoadOptions { max_expanded_bytes, ..Default::default() };
    let bytes = frame_of_blocks(8, Some(1 << 20), WINDOW_1_MIB);
    assert!(any(&bytes, &limited(1 << 19)).is_err());
    let report = any(&bytes, &limited(1 << 20)).expect("it is allowed").report;
    assert_eq!(report.obj.map(|report| report.n_lines), Some(1 << 20));
}

#[test]
fn a_frame_whose_window_or_length_is_wrong_is_an_error() {
    for (bytes, part) in [
        // 1 GiB.
        (
            frame_of_blocks(1, None, 20 << 3),
            "a window of 1073741824 bytes; expected at most 134217728",
        ),
        (frame_of_blocks(1, Some(1), WINDOW_1_MIB), "the length of a frame does not match"),
        (frame_of_blocks(1, Some(1 << 18), WINDOW_1_MIB), "the length of a frame does not match"),
    ] {
        let error = any(&bytes, &LoadOptions::default()).expect_err(part).to_string();
        assert!(error.starts_with("<stdin>: ") && error.contains(part), "{error}");
    }
}

#[test]
fn damaged_compressed_data_is_an_error_that_names_the_file() {
    let options = LoadOptions::default();
    let cut = |bytes: Vec<u8>| bytes[..bytes.len() - 5].to_vec();
    let changed = |mut bytes: Vec<u8>| {
        let last = bytes.len() - 1;
        // The last byte is of a length, or of a checksum.
        bytes[last] ^= 1;
        bytes
    };
    for (bytes, part) in [
        (cut(gzip(OBJ)), "damaged gzip data"),
        (changed(gzip(OBJ)), "damaged gzip data"),
        ([gzip(OBJ), b"more".to_vec()].concat(), "damaged gzip data"),
        (cut(zstd(OBJ)), "damaged Zstandard data"),
        (changed(zstd(OBJ)), "damaged Zstandard data"),
        ([zstd(OBJ), b"more".to_vec()].concat(), "damaged Zstandard data"),
        (b"\x50\x2a\x4d\x18\xff\xff\xff\xffabc".to_vec(), "damaged Zstandard data"),
        (gzip(&gzip(OBJ)), "gzip data; expected a mesh file"),
    ] {
        let error = any(&bytes, &options).expect_err(part).to_string();
        assert!(error.starts_with("<stdin>: ") && error.contains(part), "{error}");
    }
}

#[test]
fn progress_of_a_compressed_file_rises_to_1_and_cancels() {
    let folder = tempfile::tempdir().expect("there is a folder");
    let path = folder.path().join("a.obj.gz");
    fs::write(&path, gzip(&OBJ.repeat(40_000))).expect("the folder is ours");
    let shares = Mutex::new(Vec::new());
    load_with_progress(&path, &LoadOptions::default(), &|share| {
        shares.lock().expect("no thread panics").push(share);
        ControlFlow::Continue(())
    })
    .expect("the text is right");
    let shares = shares.into_inner().expect("no thread panics");
    assert!(shares.is_sorted() && shares[..3] == [0.0; 3], "{shares:?}");
    assert_eq!(shares.last(), Some(&1.0));
    let error = load_with_progress(&path, &LoadOptions::default(), &|_| ControlFlow::Break(()));
    assert_eq!(
        error.expect_err("it was cancelled").to_string().rsplit(": ").next(),
        Some("loading was cancelled")
    );
}
