//! Writing and reading the cache files of scenes.

use std::{
    io::{self, Write},
    ops::Range,
    path::Path,
    sync::Arc,
};

use hitscan_files::{Bytes, LoadOptions};
use hitscan_scene::Mesh;

use crate::{
    BuiltMesh, BuiltScene, BuiltSceneMesh, CacheError, CacheErrorKind, atomic,
    built_mesh::MeshParts,
    checksum,
    file::{Encoded, read_bytes},
    format::{BYTE_ORDER, MAGIC, SCENE_MAGIC},
    input::zeros,
    scene_section::{self, About, MeshEntry},
    wire::{Reader, Writer},
};

/// The length of the header before the section about the scene.
const HEADER_LEN: usize = 56;

/// The version of the header and of the section about the scene. The meshes have their own.
const VERSION: u32 = 1;

/// Writes a scene as a cache file, atomically, like [`save`](crate::save).
///
/// # Errors
/// A path that cannot be written; a mesh of an instance that is not in [`BuiltScene::meshes`]; an insertion order
/// beyond [`Scene::MAX_INSERTION_ORDER`](hitscan_scene::Scene::MAX_INSERTION_ORDER).
pub fn save_scene(built: &BuiltScene, path: impl AsRef<Path>) -> Result<(), CacheError> {
    atomic::write(path.as_ref(), |file| write_kind(built, file))
}

/// [`save_scene`] to any writer.
///
/// # Errors
/// As [`save_scene`].
pub fn write_scene(built: &BuiltScene, out: impl Write) -> io::Result<()> {
    write_kind(built, out).map_err(CacheErrorKind::into_io)
}

fn write_kind(built: &BuiltScene, mut out: impl Write) -> Result<(), CacheErrorKind> {
    // One at a time, because the checksums of a mesh use all threads.
    let mut lengths = Vec::with_capacity(built.meshes.len());
    for mesh in &built.meshes {
        lengths.push(encoded(mesh)?.len());
    }
    let section = scene_section::encode(built, &lengths)?;
    let file_len = (HEADER_LEN + section.len()) as u64 + lengths.iter().sum::<u64>();
    let mut header = Writer { bytes: SCENE_MAGIC.to_vec() };
    header.u32(BYTE_ORDER);
    header.u32(VERSION);
    header.u64(file_len);
    header.u64(section.len() as u64);
    header.u64(checksum::of(&section));
    header.u64(built.meshes.len() as u64);
    header.u64(checksum::of_piece(&header.bytes));
    out.write_all(&header.bytes)?;
    out.write_all(&section)?;
    for mesh in &built.meshes {
        encoded(mesh)?.write(&mut out)?;
    }
    out.flush()?;
    Ok(())
}

fn encoded(mesh: &BuiltSceneMesh) -> Result<Encoded<'_>, CacheErrorKind> {
    Encoded::new(&MeshParts {
        mesh: mesh.mesh.tri_mesh(),
        bvh: mesh.mesh.bvh(),
        quality: mesh.quality,
        materials: &[],
        n_ignored: 0,
        remarks: &[],
        source: None,
    })
}

/// Reads a scene from a cache file of at most 16 GiB, checked like [`load`](crate::load).
///
/// # Errors
/// A file that differs from what [`save_scene`] writes; see [`CacheErrorKind`].
pub fn load_scene(path: impl AsRef<Path>) -> Result<BuiltScene, CacheError> {
    load_scene_within(path, LoadOptions::default().max_file_bytes)
}

/// [`load_scene`] for a file of at most `limit` bytes.
///
/// # Errors
/// As [`load_scene`], and a file longer than `limit`.
pub fn load_scene_within(path: impl AsRef<Path>, limit: u64) -> Result<BuiltScene, CacheError> {
    let path = path.as_ref();
    let bytes = Bytes::open(path, limit).map_err(CacheErrorKind::from);
    bytes.and_then(|bytes| read_kind(&bytes)).map_err(|kind| kind.at(path))
}

/// [`load_scene`] from memory. Errors call the file `name`.
///
/// # Errors
/// As [`load_scene`].
pub fn read_scene(bytes: &[u8], name: &str) -> Result<BuiltScene, CacheError> {
    read_kind(&bytes.into()).map_err(|kind| kind.in_file(name))
}

fn read_kind(bytes: &Bytes<'_>) -> Result<BuiltScene, CacheErrorKind> {
    if cfg!(target_endian = "big") {
        return Err(CacheErrorKind::Machine);
    }
    let (range, n_meshes) = read_header(bytes)?;
    let mut section = zeros((range.end - range.start) as usize)?;
    bytes.read_at(range.start, &mut section)?;
    let invalid = |reason: String| CacheErrorKind::invalid("section about the scene", reason);
    // The header has the checksum at this offset.
    let mut sum = [0; 8];
    bytes.read_at(32, &mut sum)?;
    if checksum::of(&section) != u64::from_le_bytes(sum) {
        return Err(CacheErrorKind::Damaged { part: "section about the scene" });
    }
    let about = scene_section::decode(&section).map_err(invalid)?;
    if about.meshes.len() as u64 != n_meshes {
        return Err(invalid(format!("{} meshes, expected {n_meshes}", about.meshes.len())));
    }
    let mut start = range.end;
    let mut meshes = Vec::with_capacity(about.meshes.len());
    for MeshEntry { len, name, materials } in &about.meshes {
        let end = start.checked_add(*len).filter(|&end| end <= bytes.len());
        let end = end.ok_or_else(|| invalid(format!("a mesh of {len} bytes beyond the end")))?;
        let BuiltMesh { mesh, bvh, quality, .. } = read_bytes(bytes, start..end)?;
        let mesh = Mesh::from_built(mesh, bvh);
        let mesh = Arc::new(mesh.map_err(|error| CacheErrorKind::invalid("tree", error))?);
        meshes.push(BuiltSceneMesh { mesh, quality, name: name.clone(), materials: *materials });
        start = end;
    }
    if start != bytes.len() {
        return Err(CacheErrorKind::Length { found: bytes.len(), expected: start });
    }
    let About { instances, materials, n_ignored, remarks, source, .. } = about;
    let scene = scene_section::place(instances, &meshes).map_err(invalid)?;
    Ok(BuiltScene { scene, meshes, materials, n_ignored, remarks, source })
}

/// The range of the section about the scene, and the number of meshes.
fn read_header(bytes: &Bytes<'_>) -> Result<(Range<u64>, u64), CacheErrorKind> {
    let start = bytes.start(HEADER_LEN)?;
    if !start.starts_with(&SCENE_MAGIC) {
        let found = format!("\"{}\"", start[..start.len().min(MAGIC.len())].escape_ascii());
        return Err(CacheErrorKind::NotACache { found });
    }
    let damaged = |_: String| CacheErrorKind::Damaged { part: "header" };
    if start.len() < HEADER_LEN {
        let expected = HEADER_LEN as u64;
        return Err(CacheErrorKind::Length { found: bytes.len(), expected });
    }
    let mut reader = Reader::new(&start[SCENE_MAGIC.len()..]);
    let (order, version) = (reader.u32().map_err(damaged)?, reader.u32().map_err(damaged)?);
    if order.swap_bytes() == BYTE_ORDER {
        return Err(CacheErrorKind::ByteOrder);
    } else if order == BYTE_ORDER && version != VERSION {
        let (found, expected) = (version.to_string(), VERSION.to_string());
        return Err(CacheErrorKind::Version { found, expected });
    }
    let (body, sum) = start.split_at(HEADER_LEN - 8);
    if Reader::new(sum).u64() != Ok(checksum::of_piece(body)) {
        return Err(damaged(String::new()));
    }
    let (file_len, section_len) = (reader.u64().map_err(damaged)?, reader.u64().map_err(damaged)?);
    if file_len != bytes.len() {
        return Err(CacheErrorKind::Length { found: bytes.len(), expected: file_len });
    }
    reader.u64().map_err(damaged)?;
    let n_meshes = reader.u64().map_err(damaged)?;
    let first = HEADER_LEN as u64;
    let end = first.checked_add(section_len).filter(|&end| end <= file_len);
    let end = end.ok_or(CacheErrorKind::Length { found: file_len, expected: section_len })?;
    Ok((first..end, n_meshes))
}
