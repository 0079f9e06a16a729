//! Detecting the format of a file.

use std::path::Path;

use hitscan_files::{Bytes, decode_utf16};

use crate::compressed::Compression;

/// A format of mesh files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Wavefront OBJ.
    Obj,
    /// STL, text or binary.
    Stl,
    /// PLY, text or binary.
    Ply,
    /// glTF 2.0, text or GLB.
    Gltf,
}

impl Format {
    /// The number of bytes from the start of a file that detection needs.
    pub(crate) const N_START_BYTES: usize = 1024;

    /// The format of a file: by its first bytes, else by the extension of its name, else OBJ, which has
    /// no signature. `None` if the file cannot be read.
    ///
    /// For a compressed file, this is the format of its contents. Only the name shows that a compressed
    /// file holds binary STL, because binary STL is recognised by its length.
    pub fn of_file(path: impl AsRef<Path>) -> Option<Self> {
        let path = path.as_ref();
        let bytes = Bytes::open(path, u64::MAX).ok()?;
        let start = bytes.start(Self::N_START_BYTES).ok()?;
        let Some(compression) = Compression::of_start(&start) else {
            return Some(Self::detect(&start, bytes.len(), path));
        };
        let start = compression.start(bytes.reader(), Self::N_START_BYTES);
        Some(Self::detect(&start.ok()?, u64::MAX, path))
    }

    /// [`of_file`](Self::of_file) for a file in memory.
    pub fn of_bytes(bytes: &[u8], name: impl AsRef<Path>) -> Option<Self> {
        let Some(compression) = Compression::of_start(bytes) else {
            return Some(Self::detect_in(bytes, name.as_ref()));
        };
        let start = compression.start(bytes, Self::N_START_BYTES);
        Some(Self::detect(&start.ok()?, u64::MAX, name.as_ref()))
    }

    pub(crate) fn detect(start: &[u8], len: u64, path: &Path) -> Self {
        Self::of_start(start, len).or_else(|| Self::of_name(path)).unwrap_or(Self::Obj)
    }

    /// [`detect`](Self::detect) for a file in memory.
    pub(crate) fn detect_in(bytes: &[u8], path: &Path) -> Self {
        Self::detect(&bytes[..bytes.len().min(Self::N_START_BYTES)], bytes.len() as u64, path)
    }

    /// The format that the first 1024 bytes of a file of `len` bytes prove. `None` for OBJ, which has no
    /// signature, and for anything else.
    pub fn of_start(start: &[u8], len: u64) -> Option<Self> {
        if start.starts_with(b"glTF") {
            return Some(Self::Gltf);
        }
        if start.get(80..84).is_some_and(|n| is_length_of_stl([n[0], n[1], n[2], n[3]], len)) {
            return Some(Self::Stl);
        }
        if let Ok(Some(text)) = decode_utf16(start, u64::MAX) {
            return Self::of_start(&text.utf8, u64::MAX);
        }
        let text = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
        if text.starts_with(b"ply\n") || text.starts_with(b"ply\r") {
            return Some(Self::Ply);
        }
        let text = text.trim_ascii_start();
        if text.starts_with(b"{") {
            return Some(Self::Gltf);
        }
        let word = text.split(u8::is_ascii_whitespace).next().unwrap_or_default();
        word.eq_ignore_ascii_case(b"solid").then_some(Self::Stl)
    }

    /// The format that belongs to the extension of a file name, in any case: OBJ for `a.obj`, and for
    /// `a.obj.gz` and `a.obj.zst`.
    pub fn of_name(path: impl AsRef<Path>) -> Option<Self> {
        let path = path.as_ref();
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            // A name such as `a.stl.gz.gz` belongs to no format.
            "gz" | "zst" => Some(path.with_extension(""))
                .filter(|inner| !is_compressed(inner))
                .and_then(Self::of_name),
            "obj" => Some(Self::Obj),
            "stl" => Some(Self::Stl),
            "ply" => Some(Self::Ply),
            "gltf" | "glb" => Some(Self::Gltf),
            _ => None,
        }
    }

    /// The name of the format.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Obj => "OBJ",
            Self::Stl => "STL",
            Self::Ply => "PLY",
            Self::Gltf => "glTF",
        }
    }
}

/// Whether a file of `len` bytes may be binary STL with that number of triangles. The last two bytes may be
/// missing, and others may follow that are fewer than those of a triangle.
fn is_length_of_stl(n: [u8; 4], len: u64) -> bool {
    let n = u64::from(u32::from_le_bytes(n));
    let exact = 84 + 50 * n;
    len == exact || (n > 0 && (exact - 2..exact + 50).contains(&len))
}

/// Whether a name has the extension of a compressed file.
fn is_compressed(path: &Path) -> bool {
    let is = |end: &str| path.extension().is_some_and(|found| found.eq_ignore_ascii_case(end));
    is("gz") || is("zst")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_tell_before_the_name() {
        let mut binary = b"solid but binary".to_vec();
        binary.resize(84 + 50, 0);
        binary[80] = 1;
        let longer = [&binary[..], b"\n"].concat();
        for (start, expected) in [
            (&binary[..], Some(Format::Stl)),
            (&longer, Some(Format::Stl)),
            (&binary[..132], Some(Format::Stl)),
            (b"\n SOLID x\nfacet", Some(Format::Stl)),
            (b"solidity 1 2 3", None),
            (b"ply\r\nformat", Some(Format::Ply)),
            (b"plywood", None),
            (b"\xef\xbb\xbfply\n", Some(Format::Ply)),
            (b"\xff\xfes\0o\0l\0i\0d\0 \0", Some(Format::Stl)),
            (b"\xfe\xff\0p\0l\0y\0\n", Some(Format::Ply)),
            (b"glTF\x02\0\0\0", Some(Format::Gltf)),
            (b"\xef\xbb\xbf {\"asset\":1}", Some(Format::Gltf)),
            (b"v 1 2 3", None),
            (b"", None),
        ] {
            assert_eq!(Format::of_start(start, start.len() as u64), expected, "{start:?}");
        }
        assert_eq!(Format::of_name("a.GLB"), Some(Format::Gltf));
        assert_eq!(Format::of_name("a.Obj"), Some(Format::Obj));
        assert_eq!(Format::of_name("a.hitscan"), None);
        assert_eq!(Format::of_name("a.Ply.GZ"), Some(Format::Ply));
        assert_eq!(Format::of_name("a.stl.zst"), Some(Format::Stl));
        assert_eq!(Format::of_name("a.gz"), None);
        assert_eq!(Format::of_name("a.stl.gz.gz"), None);
        assert_eq!(Format::detect(b"v 1 2 3", 7, Path::new("a")), Format::Obj);
        assert_eq!(Format::detect(b"v 1 2 3", 7, Path::new("a.ply")), Format::Ply);
    }
}
