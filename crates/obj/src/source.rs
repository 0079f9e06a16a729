//! Where the bytes come from: memory, or a regular file read piece by piece.

use std::{
    fs::{self, File},
    io,
    ops::Range,
    path::Path,
};

use crate::{LoadOptions, ObjErrorKind, windows::Windows};

/// The text of an OBJ file, without byte order mark and end-of-file mark.
#[derive(Debug)]
pub(crate) struct Source<'a> {
    bytes: Bytes<'a>,
    /// The part that is text.
    range: Range<u64>,
}

#[derive(Debug)]
enum Bytes<'a> {
    Memory(&'a [u8]),
    #[cfg_attr(not(any(unix, windows)), allow(dead_code, reason = "read as a whole there"))]
    File(File),
    #[cfg_attr(any(unix, windows), allow(dead_code, reason = "read piece by piece there"))]
    Owned(Vec<u8>),
}

impl<'a> Source<'a> {
    pub(crate) fn memory(bytes: &'a [u8], options: &LoadOptions) -> Result<Self, ObjErrorKind> {
        check_size(bytes.len() as u64, options)?;
        Self::new(Bytes::Memory(bytes), bytes.len() as u64)
    }

    /// Opens a regular file, and nothing else: reading a pipe or a device may never end.
    pub(crate) fn open(path: &Path, options: &LoadOptions) -> Result<Self, ObjErrorKind> {
        let is_regular = |metadata: &fs::Metadata| match metadata.file_type() {
            kind if kind.is_file() => Ok(()),
            kind if kind.is_dir() => Err(ObjErrorKind::NotAFile { found: "a directory" }),
            _ => Err(ObjErrorKind::NotAFile { found: "a device or pipe" }),
        };
        // Before opening, as opening a pipe waits for a writer; and after, as it may have changed.
        is_regular(&fs::metadata(path)?)?;
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        is_regular(&metadata)?;
        check_size(metadata.len(), options)?;
        if cfg!(any(unix, windows)) {
            Self::new(Bytes::File(file), metadata.len())
        } else {
            let bytes = fs::read(path)?;
            check_size(bytes.len() as u64, options)?;
            let len = bytes.len() as u64;
            Self::new(Bytes::Owned(bytes), len)
        }
    }

    fn new(bytes: Bytes<'a>, len: u64) -> Result<Self, ObjErrorKind> {
        let mut source = Self { bytes, range: 0..len };
        let mut start = [0; 64];
        let start = &mut start[..len.min(64) as usize];
        source.read_at(0, start)?;
        check_kind(start)?;
        if start.starts_with(b"\xef\xbb\xbf") {
            source.range.start = 3;
        }
        // Control-Z, with which some tools for DOS and CP/M ended every text.
        let mut last = [0];
        while source.range.end > source.range.start {
            source.read_at(source.range.end - 1, &mut last)?;
            if last != [0x1a] {
                break;
            }
            source.range.end -= 1;
        }
        Ok(source)
    }

    pub(crate) fn len(&self) -> u64 {
        self.range.end - self.range.start
    }

    pub(crate) fn range(&self) -> Range<u64> {
        self.range.clone()
    }

    /// All of it, if it is in memory.
    pub(crate) fn as_slice(&self) -> Option<&[u8]> {
        match &self.bytes {
            Bytes::Memory(bytes) => Some(bytes),
            Bytes::Owned(bytes) => Some(bytes),
            Bytes::File(_) => None,
        }
    }

    pub(crate) fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<()> {
        match &self.bytes {
            Bytes::Memory(bytes) => into.copy_from_slice(&bytes[offset as usize..][..into.len()]),
            Bytes::Owned(bytes) => into.copy_from_slice(&bytes[offset as usize..][..into.len()]),
            Bytes::File(file) => read_file_at(file, offset, into)?,
        }
        Ok(())
    }

    /// The statements that start in `range` of the source, a window of about `window_len` bytes
    /// after the other. A statement longer than `max_statement_bytes` is an error.
    pub(crate) fn windows(
        &self,
        range: Range<u64>,
        window_len: usize,
        max_statement_bytes: u64,
    ) -> Windows<'_> {
        Windows::new(self, range, window_len, max_statement_bytes)
    }
}

#[cfg(unix)]
fn read_file_at(file: &File, offset: u64, into: &mut [u8]) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, into, offset)
}

#[cfg(windows)]
fn read_file_at(file: &File, mut offset: u64, mut into: &mut [u8]) -> io::Result<()> {
    while !into.is_empty() {
        let n = std::os::windows::fs::FileExt::seek_read(file, into, offset)?;
        if n == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        offset += n as u64;
        into = &mut into[n..];
    }
    Ok(())
}

#[cfg(not(any(unix, windows)))]
fn read_file_at(_: &File, _: u64, _: &mut [u8]) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

fn check_size(found: u64, options: &LoadOptions) -> Result<(), ObjErrorKind> {
    let limit = options.max_file_bytes;
    if found > limit {
        return Err(ObjErrorKind::TooLarge { what: "bytes", found, limit });
    }
    Ok(())
}

/// Refuses what is certainly something else, by how it starts.
fn check_kind(start: &[u8]) -> Result<(), ObjErrorKind> {
    const KINDS: [(&[u8], &str); 16] = [
        (b"\xff\xfe", "UTF-16 text"),
        (b"\xfe\xff", "UTF-16 text"),
        (b"\x89PNG", "a PNG image"),
        (b"\xff\xd8\xff", "a JPEG image"),
        (b"GIF8", "a GIF image"),
        (b"\x1f\x8b", "gzip data"),
        (b"\x28\xb5\x2f\xfd", "Zstandard data"),
        (b"PK\x03\x04", "a ZIP archive"),
        (b"%PDF", "a PDF document"),
        (b"glTF", "a binary glTF file"),
        (b"ply\n", "a PLY file"),
        (b"ply\r", "a PLY file"),
        (b"Kaydara FBX", "an FBX file"),
        (b"version https://git-lfs", "a Git LFS pointer, not the file itself"),
        (b"<", "HTML or XML"),
        (b"\x7fELF", "a program"),
    ];
    match KINDS.iter().find(|(magic, _)| start.starts_with(magic)) {
        Some((_, found)) => Err(ObjErrorKind::NotObj { found: (*found).to_owned() }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(bytes: &[u8]) -> Result<Range<u64>, ObjErrorKind> {
        Source::memory(bytes, &LoadOptions::default()).map(|source| source.range())
    }

    #[test]
    fn marks_at_both_ends_are_no_text() {
        assert_eq!(open(b"\xef\xbb\xbfv 1\x1a\x1a").unwrap(), 3..6);
        assert_eq!(open(b"\x1a").unwrap(), 0..0);
        assert_eq!(open(b"").unwrap(), 0..0);
    }

    #[test]
    fn other_formats_are_named() {
        let error = open(b"\x89PNG\r\n\x1a\n").unwrap_err();
        assert_eq!(error.to_string(), "a PNG image, expected Wavefront OBJ text");
        assert!(open(b"\xff\xfev\0 \0").unwrap_err().to_string().starts_with("UTF-16"));
    }

    #[test]
    fn only_regular_files_within_the_limit_are_opened() {
        let folder = tempfile::tempdir().unwrap();
        let options = LoadOptions { max_file_bytes: 3, ..Default::default() };
        let error = Source::open(folder.path(), &options).unwrap_err();
        assert_eq!(error.to_string(), "is a directory, expected a regular file");
        let file = folder.path().join("a.obj");
        fs::write(&file, "v 1").unwrap();
        assert_eq!(Source::open(&file, &options).unwrap().range(), 0..3);
        fs::write(&file, "v 1\n").unwrap();
        let error = Source::open(&file, &options).unwrap_err();
        assert_eq!(error.to_string(), "4 bytes, expected at most 3");
        #[cfg(unix)]
        assert!(Source::open(Path::new("/dev/null"), &options).is_err());
    }
}
