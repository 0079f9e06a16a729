//! Writing and reading whole files.

use std::{
    borrow::Cow,
    io::{self, Write},
    ops::Range,
    path::Path,
};

use bytemuck::cast_slice;
use hitscan_bvh::{Isa, MeshBvh, RawBvhBuffers};
use hitscan_files::{Bytes, LoadOptions};
use hitscan_primitives::{CornerAttributes, TriMesh};

use crate::{
    BuiltMesh, CacheError, CacheErrorKind,
    about::{self, About},
    atomic,
    built_mesh::MeshParts,
    checksum,
    format::{Header, MAGIC, N_SECTIONS, SCENE_MAGIC, Section},
    input::Sections,
    materials, parallel, records,
};

/// Writes a cache file atomically: a reader sees the old file or the complete new one. Several
/// threads and processes may write the same file. If `path` is a link to a file, this replaces the
/// file, not the link.
///
/// # Errors
/// A path that cannot be written.
pub fn save(built: &BuiltMesh, path: impl AsRef<Path>) -> Result<(), CacheError> {
    atomic::write(path.as_ref(), |file| write_parts(&built.into(), file))
}

/// [`save`] to any writer. It writes large pieces, so it needs no buffer.
///
/// # Errors
/// An error of `out`.
pub fn write(built: &BuiltMesh, out: impl Write) -> io::Result<()> {
    write_parts(&built.into(), out).map_err(CacheErrorKind::into_io)
}

fn write_parts(built: &MeshParts<'_>, out: impl Write) -> Result<(), CacheErrorKind> {
    Encoded::new(built)?.write(out)?;
    Ok(())
}

/// The bytes of a mesh with its tree, most of them borrowed.
pub(crate) struct Encoded<'a> {
    header: Header,
    /// In the order of [`Section`].
    sections: [Cow<'a, [u8]>; N_SECTIONS],
}

impl<'a> Encoded<'a> {
    pub(crate) fn new(built: &MeshParts<'a>) -> Result<Self, CacheErrorKind> {
        if cfg!(target_endian = "big") {
            return Err(CacheErrorKind::Machine);
        }
        let CornerAttributes { normals, normal_indices, uvs, uv_indices } = built.mesh.attributes();
        let memory = built.bvh.raw_parts();
        let sections = [
            about::encode(built, &memory).into(),
            materials::encode(built.materials).into(),
            cast_slice(built.mesh.positions()).into(),
            cast_slice(built.mesh.triangles()).into(),
            cast_slice(normals).into(),
            cast_slice(normal_indices).into(),
            cast_slice(uvs).into(),
            cast_slice(uv_indices).into(),
            records::encode(built.mesh.records()).into(),
            memory.nodes,
            memory.blocks,
            memory.corners,
        ];
        let lengths = sections
            .each_ref()
            .map(|bytes: &Cow<'_, [u8]>| (bytes.len() as u64, checksum::of(bytes)));
        Ok(Self { header: Header::new(lengths), sections })
    }

    pub(crate) fn len(&self) -> u64 {
        self.header.file_len()
    }

    pub(crate) fn write(&self, mut out: impl Write) -> io::Result<()> {
        out.write_all(&self.header.to_bytes())?;
        for section in &self.sections {
            out.write_all(section)?;
        }
        out.flush()
    }
}

/// Whether a file starts with the signature of a cache file, whatever its name. A file that ends
/// within the signature is one if its name ends in `.hitscan`, because it may be truncated. An
/// unreadable file is none.
pub fn is_cache_file(path: impl AsRef<Path>) -> bool {
    let path = path.as_ref();
    let Ok(bytes) = Bytes::open(path, u64::MAX) else { return false };
    let is_named = || path.extension().is_some_and(|end| end.eq_ignore_ascii_case("hitscan"));
    bytes
        .start(MAGIC.len())
        .is_ok_and(|start| is_cache(&start) || (MAGIC.starts_with(&start) && is_named()))
}

/// Whether the bytes start with the signature of a cache file, of a mesh or of a scene.
pub fn is_cache(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC) || bytes.starts_with(&SCENE_MAGIC)
}

/// Whether a file starts with the signature of a cache file of a scene.
pub fn is_scene_cache_file(path: impl AsRef<Path>) -> bool {
    let bytes = Bytes::open(path.as_ref(), u64::MAX);
    bytes.is_ok_and(|bytes| bytes.start(MAGIC.len()).is_ok_and(|start| start == SCENE_MAGIC))
}

/// Reads a cache file of at most 16 GiB on rayon's current pool (feature `parallel`). Its queries use the best
/// instruction set of this machine.
///
/// The limit is that of [`LoadOptions::max_file_bytes`]; [`load_within`] takes another one. This does not check
/// whether the source has changed; see [`Source::check`](crate::Source::check).
///
/// # Errors
/// A file that differs from what [`save`] writes; see [`CacheErrorKind`].
pub fn load(path: impl AsRef<Path>) -> Result<BuiltMesh, CacheError> {
    load_within(path, LoadOptions::default().max_file_bytes)
}

/// [`load`] for a file of at most `limit` bytes. The file takes about as much memory.
///
/// # Errors
/// As [`load`], and a file longer than `limit`.
pub fn load_within(path: impl AsRef<Path>, limit: u64) -> Result<BuiltMesh, CacheError> {
    let path = path.as_ref();
    let bytes = Bytes::open(path, limit).map_err(CacheErrorKind::from);
    bytes.and_then(|bytes| read_bytes(&bytes, 0..bytes.len())).map_err(|kind| kind.at(path))
}

/// [`load`] from memory. Errors call the file `name`.
///
/// # Errors
/// As [`load`].
pub fn read(bytes: &[u8], name: &str) -> Result<BuiltMesh, CacheError> {
    let bytes = Bytes::from(bytes);
    read_bytes(&bytes, 0..bytes.len()).map_err(|kind| kind.in_file(name))
}

/// Reads the mesh in this range of the bytes.
pub(crate) fn read_bytes(
    bytes: &Bytes<'_>,
    range: Range<u64>,
) -> Result<BuiltMesh, CacheErrorKind> {
    let sections = Sections::of(bytes, range)?;
    let invalid = |section: Section| move |reason| CacheErrorKind::invalid(section.name(), reason);
    let about = sections.read::<u8>(Section::About)?;
    let about = about::decode(&about).map_err(invalid(Section::About))?;
    let materials = sections.read::<u8>(Section::Materials)?;
    let materials = materials::decode(&materials).map_err(invalid(Section::Materials))?;
    let (mesh, blank) = parallel::join(|| read_mesh(&sections), || read_tree(&sections, &about));
    let mesh = mesh?.with_offset(about.offset);
    let bvh = into_bvh(blank?, &mesh)?;
    let About { quality, n_ignored, remarks, source, .. } = about;
    Ok(BuiltMesh { mesh, bvh, quality, materials, n_ignored, remarks, source })
}

fn read_mesh(sections: &Sections<'_>) -> Result<TriMesh, CacheErrorKind> {
    let expected = sections.len(Section::Triangles)?;
    for section in [Section::NormalIndices, Section::UvIndices] {
        let found = sections.len(section)?;
        if found != 0 && found != expected {
            let reason = format!("{found} bytes, expected none or {expected}, as triangles have");
            return Err(CacheErrorKind::invalid(section.name(), reason));
        }
    }
    let positions = sections.read(Section::Positions)?;
    let triangles = sections.read(Section::Triangles)?;
    let attributes = CornerAttributes {
        normals: sections.read(Section::Normals)?,
        normal_indices: sections.read(Section::NormalIndices)?,
        uvs: sections.read(Section::Uvs)?,
        uv_indices: sections.read(Section::UvIndices)?,
    };
    let records = sections.read::<u8>(Section::Records)?;
    let records = records::decode(&records)
        .map_err(|reason| CacheErrorKind::invalid(Section::Records.name(), reason))?;
    let mesh = TriMesh::from_vecs(positions, triangles)
        .and_then(|mesh| mesh.with_attributes(attributes))
        .and_then(|mesh| match records {
            Some(records) => mesh.with_records(records),
            None => Ok(mesh),
        });
    mesh.map_err(|error| CacheErrorKind::invalid("mesh", error))
}

/// The arrays of the tree, not yet compared with the mesh.
fn read_tree(sections: &Sections<'_>, about: &About) -> Result<RawBvhBuffers, CacheErrorKind> {
    let parts = [Section::Nodes, Section::Blocks, Section::Corners];
    let mut lengths = [0; 3];
    for (len, part) in lengths.iter_mut().zip(parts) {
        *len = sections.len(part)?;
    }
    let n_triangles = sections.len(Section::Triangles)? / size_of::<[u32; 3]>();
    let About { layout, built_cost, near_reach, .. } = *about;
    let mut blank = RawBvhBuffers::new(layout, built_cost, near_reach, lengths, n_triangles)?;
    parts.into_iter().try_for_each(|part| sections.check_if_sparse(part))?;
    let mut sums = [const { Vec::new() }; 3];
    blank.fill(|part, offset, bytes| -> Result<(), CacheErrorKind> {
        sums[part].extend(sections.read_part(parts[part], offset, bytes)?);
        Ok(())
    })?;
    for (part, sums) in parts.into_iter().zip(sums) {
        sections.check(part, checksum::of_pieces(sums))?;
    }
    Ok(blank)
}

fn into_bvh(blank: RawBvhBuffers, mesh: &TriMesh) -> Result<MeshBvh, CacheErrorKind> {
    Ok(blank.into_bvh(mesh, Isa::detect())?)
}
