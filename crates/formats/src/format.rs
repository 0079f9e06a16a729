//! Which format a file has.

use std::path::Path;

use hitscan_files::Bytes;

/// A format of meshes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// STL, text or binary.
    Stl,
    /// PLY, text or binary.
    Ply,
    /// glTF 2.0, text or GLB.
    Gltf,
}

impl Format {
    /// The format of a file by how it begins, and by the name where that leaves a doubt. `None` for
    /// anything else, and for what cannot be read.
    pub fn of_file(path: impl AsRef<Path>) -> Option<Self> {
        let path = path.as_ref();
        let bytes = Bytes::open(path, u64::MAX).ok()?;
        Self::of_start(&bytes.start(1024).ok()?, bytes.len()).or_else(|| Self::of_name(path))
    }

    /// The format of a file of `len` bytes that begins like this: 1 KiB is enough.
    pub fn of_start(start: &[u8], len: u64) -> Option<Self> {
        if start.starts_with(b"glTF") {
            return Some(Self::Gltf);
        }
        if start.starts_with(b"ply\n") || start.starts_with(b"ply\r") {
            return Some(Self::Ply);
        }
        if let Some(n) = start.get(80..84) {
            let n = u32::from_le_bytes([n[0], n[1], n[2], n[3]]);
            if len == 84 + 50 * u64::from(n) {
                return Some(Self::Stl);
            }
        }
        let text = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start).trim_ascii_start();
        if text.starts_with(b"{") {
            return Some(Self::Gltf);
        }
        let word = text.split(u8::is_ascii_whitespace).next().unwrap_or_default();
        word.eq_ignore_ascii_case(b"solid").then_some(Self::Stl)
    }

    /// The format that the extension of a name promises.
    pub fn of_name(path: impl AsRef<Path>) -> Option<Self> {
        match path.as_ref().extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "stl" => Some(Self::Stl),
            "ply" => Some(Self::Ply),
            "gltf" | "glb" => Some(Self::Gltf),
            _ => None,
        }
    }

    /// What it is called.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Stl => "STL",
            Self::Ply => "PLY",
            Self::Gltf => "glTF",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_tell_before_the_name() {
        let mut binary = b"solid but binary".to_vec();
        binary.resize(84 + 50, 0);
        binary[80] = 1;
        for (start, expected) in [
            (&binary[..], Some(Format::Stl)),
            (b"\n SOLID x\nfacet", Some(Format::Stl)),
            (b"solidity 1 2 3", None),
            (b"ply\r\nformat", Some(Format::Ply)),
            (b"plywood", None),
            (b"glTF\x02\0\0\0", Some(Format::Gltf)),
            (b"\xef\xbb\xbf {\"asset\":1}", Some(Format::Gltf)),
            (b"v 1 2 3", None),
            (b"", None),
        ] {
            assert_eq!(Format::of_start(start, start.len() as u64), expected, "{start:?}");
        }
        assert_eq!(Format::of_name("a.GLB"), Some(Format::Gltf));
        assert_eq!(Format::of_name("a.obj"), None);
    }
}
