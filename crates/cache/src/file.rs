//! Writing and reading whole files.

use std::{
    io::{self, Write},
    path::Path,
};

use bytemuck::cast_slice;
use hitscan_bvh::{Isa, MeshBvh, RawBvhBuffers};
use hitscan_files::Bytes;
use hitscan_primitives::{CornerAttributes, TriMesh};

use crate::{
    BuiltMesh, CacheError, CacheErrorKind,
    about::{self, About},
    checksum,
    format::{Header, MAGIC, N_SECTIONS, Section},
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
    let path = path.as_ref();
    let real = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = real.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."));
    let save = || -> Result<(), CacheErrorKind> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(".hitscan-");
        #[cfg(unix)]
        {
            // The permissions of any new file, which the umask of the user restricts.
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(std::fs::Permissions::from_mode(0o666));
        }
        let mut file = builder.tempfile_in(folder)?;
        write_kind(built, &mut file)?;
        file.persist(&real).map_err(|error| error.error)?;
        Ok(())
    };
    save().map_err(|kind| kind.at(path))
}

/// [`save`] to any writer. It writes large pieces, so it needs no buffer.
///
/// # Errors
/// An error of `out`.
pub fn write(built: &BuiltMesh, out: impl Write) -> io::Result<()> {
    write_kind(built, out).map_err(|kind| match kind {
        CacheErrorKind::Io(error) => error,
        other => io::Error::new(io::ErrorKind::Unsupported, other),
    })
}

fn write_kind(built: &BuiltMesh, mut out: impl Write) -> Result<(), CacheErrorKind> {
    if cfg!(target_endian = "big") {
        return Err(CacheErrorKind::Machine);
    }
    let BuiltMesh { mesh, bvh, materials, .. } = built;
    let CornerAttributes { normals, normal_indices, uvs, uv_indices } = mesh.attributes();
    let memory = bvh.raw_parts();
    let (about, materials) = (about::encode(built), materials::encode(materials));
    let records = records::encode(mesh.records());
    // In the order of `Section`.
    let sections: [&[u8]; N_SECTIONS] = [
        &about,
        &materials,
        cast_slice(mesh.positions()),
        cast_slice(mesh.triangles()),
        cast_slice(normals),
        cast_slice(normal_indices),
        cast_slice(uvs),
        cast_slice(uv_indices),
        &records,
        memory.nodes,
        memory.blocks,
        memory.corners,
    ];
    let header = Header::new(sections.map(|bytes| (bytes.len() as u64, checksum::of(bytes))));
    out.write_all(&header.to_bytes())?;
    for section in sections {
        out.write_all(section)?;
    }
    out.flush()?;
    Ok(())
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
        .is_ok_and(|start| start == MAGIC || (MAGIC.starts_with(&start) && is_named()))
}

/// Whether the bytes start with the signature of a cache file.
pub fn is_cache(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// Reads a cache file on rayon's current pool (feature `parallel`). Its queries use the best
/// instruction set of this machine.
///
/// This does not check whether the source has changed; see [`Source::check`](crate::Source::check).
///
/// # Errors
/// A file that differs from what [`save`] writes; see [`CacheErrorKind`].
pub fn load(path: impl AsRef<Path>) -> Result<BuiltMesh, CacheError> {
    load_within(path, u64::MAX)
}

/// [`load`] for a file of at most `limit` bytes. The file takes about as much memory.
///
/// # Errors
/// As [`load`], and a file longer than `limit`.
pub fn load_within(path: impl AsRef<Path>, limit: u64) -> Result<BuiltMesh, CacheError> {
    let path = path.as_ref();
    let bytes = Bytes::open(path, limit).map_err(CacheErrorKind::from);
    bytes.and_then(read_bytes).map_err(|kind| kind.at(path))
}

/// [`load`] from memory. Errors call the file `name`.
///
/// # Errors
/// As [`load`].
pub fn read(bytes: &[u8], name: &str) -> Result<BuiltMesh, CacheError> {
    read_bytes(bytes.into()).map_err(|kind| kind.in_file(name))
}

fn read_bytes(bytes: Bytes<'_>) -> Result<BuiltMesh, CacheErrorKind> {
    let sections = Sections::of(bytes)?;
    let invalid = |section: Section| move |reason| CacheErrorKind::invalid(section.name(), reason);
    let about = sections.read::<u8>(Section::About)?;
    let about = about::decode(&about).map_err(invalid(Section::About))?;
    let materials = sections.read::<u8>(Section::Materials)?;
    let materials = materials::decode(&materials).map_err(invalid(Section::Materials))?;
    let (mesh, blank) = parallel::join(|| read_mesh(&sections), || read_tree(&sections, &about));
    let mesh = mesh?;
    let bvh = into_bvh(blank?, &mesh)?;
    let About { quality, n_ignored, remarks, source, .. } = about;
    Ok(BuiltMesh { mesh, bvh, quality, materials, n_ignored, remarks, source })
}

fn read_mesh(sections: &Sections<'_>) -> Result<TriMesh, CacheErrorKind> {
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
    let mut blank = RawBvhBuffers::new(about.layout, about.built_cost, lengths)
        .map_err(|error| CacheErrorKind::invalid("tree", error))?;
    for (bytes, part) in blank.bytes_mut().into_iter().zip(parts) {
        sections.read_into(part, bytes)?;
    }
    Ok(blank)
}

fn into_bvh(blank: RawBvhBuffers, mesh: &TriMesh) -> Result<MeshBvh, CacheErrorKind> {
    let bvh = blank.into_bvh(mesh, Isa::detect());
    bvh.map_err(|error| CacheErrorKind::invalid("tree", error))
}
