//! Cache files that are long and say little: holes take no room on a disk.

use std::error::Error;
use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::Path;

use hitscan::cache::{self, BuiltMesh, Source};
use hitscan::{BuildOptions, MeshBvh, TriMesh, generate};
use xxhash_rust::xxh3::xxh3_64;

use crate::{MEMORY, alone, bytes_taken};

const HEADER_LEN: usize = 424;
const POSITIONS: usize = 2;
const TRIANGLES: usize = 3;
const NODES: usize = 9;
const BLOCKS: usize = 10;

/// The cache file of a mesh with sections that grow by holes to these lengths. Their checksums are right only if
/// `signed`.
fn write_sparse(path: &Path, mesh: TriMesh, holes: &[(usize, u64)], signed: bool) {
    let bvh = MeshBvh::build(&mesh, &BuildOptions::default());
    let mut bytes = Vec::new();
    cache::write(&BuiltMesh::new(mesh, bvh), &mut bytes).expect("memory takes all");
    let number = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
    let file = File::create(path).expect("the folder is ours");
    let mut header = bytes[..HEADER_LEN].to_vec();
    let mut offset = HEADER_LEN as u64;
    for section in 0..12 {
        let entry = 32 + 32 * section;
        let (from, len) = (number(entry + 8) as usize, number(entry + 16) as usize);
        let hole = holes.iter().find(|hole| hole.0 == section);
        let grown = hole.map_or(len as u64, |hole| hole.1);
        file.write_all_at(&bytes[from..from + len], offset).expect("there is room");
        header[entry + 8..entry + 16].copy_from_slice(&offset.to_le_bytes());
        header[entry + 16..entry + 24].copy_from_slice(&grown.to_le_bytes());
        if hole.is_some() && signed {
            let alone = path.with_extension("section");
            fs::write(&alone, &bytes[from..from + len]).expect("there is room");
            File::options().write(true).open(&alone).and_then(|file| file.set_len(grown)).unwrap();
            let source = Source::of("", [&alone], path).expect("it is there");
            header[entry + 24..entry + 32].copy_from_slice(&source.files[0].checksum.to_le_bytes());
        }
        offset += grown;
    }
    header[24..32].copy_from_slice(&offset.to_le_bytes());
    let sum = xxh3_64(&header[..HEADER_LEN - 8]);
    header[HEADER_LEN - 8..].copy_from_slice(&sum.to_le_bytes());
    file.write_all_at(&header, 0).expect("there is room");
    file.set_len(offset).expect("the system has sparse files");
}

/// The error of a file with its cause, and the bytes that loading it took.
fn error_of(path: &Path) -> (String, usize) {
    let mut text = String::new();
    let bytes = bytes_taken(|| {
        let error = cache::load(path).expect_err("it is none");
        text = format!("{error}: {:?}", error.source().map(|cause| cause.to_string()));
    });
    (text, bytes)
}

#[test]
fn a_cache_file_of_holes_takes_no_memory_for_them() {
    let _alone = alone();
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let path = folder.path().join("sparse.hitscan");
    let ball = || generate::sphere(1.0, 2000).expect("an ordinary size");
    let n = ball().triangles().len();
    /// The sections, whether their checksums are right, and the error.
    type Case<'a> = (&'a [(usize, u64)], bool, &'a str);
    let cases: [Case<'_>; 6] = [
        (&[(BLOCKS, 416 * 10_000_000)], false, "10000000 blocks, expected at most"),
        (&[(NODES, 256 * 16_000_000)], false, "16000000 nodes, expected at most"),
        (&[(TRIANGLES, 12 << 24)], false, "checksum of the triangles does not match"),
        (&[(POSITIONS, 12 << 24)], false, "checksum of the positions does not match"),
        // Zeros with the right checksum are no tree, and the rest of them takes no memory.
        (&[(TRIANGLES, 12 << 22), (BLOCKS, 416 << 20)], true, "has the triangles [0, 0, 0, 0"),
        (
            &[(TRIANGLES, 12 << 22), (BLOCKS, 416 << 20), (NODES, 256 << 20)],
            true,
            "has children of no tree",
        ),
    ];
    for (holes, signed, expected) in cases {
        write_sparse(&path, ball(), holes, signed);
        let (error, bytes) = error_of(&path);
        assert!(error.contains(expected), "{holes:?}: {error}, expected {expected}, {n} triangles");
        // Signed, this counts buffers that nothing has touched.
        assert!(signed || bytes < 32 << 20, "{holes:?}: {bytes} bytes");
    }
}

#[test]
fn a_cache_file_beyond_the_memory_is_an_error_and_no_abort() {
    let _alone = alone();
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let path = folder.path().join("sparse.hitscan");
    for holes in [
        &[(POSITIONS, 12 << 24)][..],
        &[(TRIANGLES, 12 << 24)],
        &[(TRIANGLES, 12 << 21), (BLOCKS, 416 << 20)],
        &[(TRIANGLES, 12 << 21), (BLOCKS, 416 << 20), (NODES, 256 << 20)],
    ] {
        write_sparse(&path, generate::sphere(1.0, 2000).expect("an ordinary size"), holes, true);
        // The readers of both halves run at once, so either error may come.
        MEMORY.set_limit(MEMORY.allocated() + (64 << 20)).expect("it is more than now");
        let (error, _) = error_of(&path);
        MEMORY.set_limit(usize::MAX).expect("it is more than now");
        assert!(error.contains("no memory for"), "{holes:?}: {error}");
    }
}
