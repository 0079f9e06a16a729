//! The text of an OBJ file, in memory or in a regular file.

use std::{io, ops::Range, path::Path};

use hitscan_files::{Bytes, FileError, Utf16Text, decode_utf16};

use crate::{LoadOptions, ReadErrorKind};

/// The text of an OBJ file, without byte order mark and end-of-file marks. UTF-16 text becomes UTF-8 text in
/// memory.
#[derive(Debug)]
pub(crate) struct Source<'a> {
    bytes: Bytes<'a>,
    /// The range without the marks.
    range: Range<u64>,
    /// The number of UTF-16 units that are no characters.
    n_replaced: u64,
}

impl<'a> Source<'a> {
    pub(crate) fn memory(bytes: &'a [u8], options: &LoadOptions) -> Result<Self, ReadErrorKind> {
        let (found, limit) = (bytes.len() as u64, options.max_file_bytes);
        if found > limit {
            return Err(FileError::TooLarge { found, limit }.into());
        }
        Self::new(bytes.into(), limit)
    }

    pub(crate) fn open(path: &Path, options: &LoadOptions) -> Result<Self, ReadErrorKind> {
        Self::new(Bytes::open(path, options.max_file_bytes)?, options.max_file_bytes)
    }

    fn new(mut bytes: Bytes<'a>, limit: u64) -> Result<Self, ReadErrorKind> {
        let mut n_replaced = 0;
        if matches!(bytes.start(2)?[..], [0xff, 0xfe] | [0xfe, 0xff]) {
            let decoded = match bytes.as_slice() {
                Some(slice) => decode_utf16(slice, limit)?,
                None => decode_utf16(&bytes.to_vec()?, limit)?,
            };
            if let Some(Utf16Text { utf8, n_replaced: n }) = decoded {
                (bytes, n_replaced) = (utf8.into(), n);
            }
        }
        let len = bytes.len();
        let mut source = Self { bytes, range: 0..len, n_replaced };
        let start = source.bytes.start(64)?;
        check_kind(&start)?;
        if start.starts_with(b"\xef\xbb\xbf") {
            source.range.start = 3;
        }
        // Control-Z, which some DOS and CP/M tools write at the end of a text.
        let mut block = [0; 4096];
        loop {
            let len = (source.range.end - source.range.start).min(block.len() as u64);
            let last = &mut block[..len as usize];
            source.read_at(source.range.end - len, last)?;
            let n_marks = last.iter().rev().take_while(|&&byte| byte == 0x1a).count() as u64;
            source.range.end -= n_marks;
            if n_marks < len || len == 0 {
                return Ok(source);
            }
        }
    }

    pub(crate) fn len(&self) -> u64 {
        self.range.end - self.range.start
    }

    pub(crate) fn n_replaced(&self) -> u64 {
        self.n_replaced
    }

    pub(crate) fn range(&self) -> Range<u64> {
        self.range.clone()
    }

    /// All bytes, if they are in memory.
    pub(crate) fn as_slice(&self) -> Option<&[u8]> {
        self.bytes.as_slice()
    }

    pub(crate) fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<()> {
        self.bytes.read_at(offset, into)
    }
}

/// Refuses files with the signature of another format.
fn check_kind(start: &[u8]) -> Result<(), ReadErrorKind> {
    const KINDS: [(&[u8], &str); 15] = [
        (b"\xff\xfe\0\0", "UTF-32 text"),
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
        Some((_, found)) => Err(ReadErrorKind::UnknownFormat { found: (*found).to_owned() }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(bytes: &[u8]) -> Result<Range<u64>, ReadErrorKind> {
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
        assert_eq!(error.to_string(), "a PNG image; expected a mesh file (OBJ, STL, PLY or glTF)");
        assert!(open(b"\xff\xfe\0\0v\0\0\0").unwrap_err().to_string().starts_with("UTF-32"));
    }
}
