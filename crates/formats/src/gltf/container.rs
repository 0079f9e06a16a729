//! GLB: JSON and a binary buffer in one file.

use hitscan_files::ReadErrorKind;

use crate::error_at::{ErrorAt, Position};

/// The JSON and binary chunks of a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chunks<'a> {
    pub(super) json: &'a [u8],
    /// The binary chunk of a GLB file.
    pub(super) binary: Option<&'a [u8]>,
}

/// Splits a GLB file into chunks. A text file is one JSON chunk.
pub(super) fn split(bytes: &[u8]) -> Result<Chunks<'_>, ErrorAt> {
    if !bytes.starts_with(b"glTF") {
        let json = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        return Ok(Chunks { json, binary: None });
    }
    let word = |at: usize| {
        let word = bytes.get(at..at + 4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
        word.ok_or_else(|| {
            let found = format!("the end of the file after {} bytes", bytes.len());
            Position::Byte(at as u64)
                .error(ReadErrorKind::syntax(found, "the rest of a GLB header"))
        })
    };
    let version = word(4)?;
    if version != 2 {
        let kind = ReadErrorKind::syntax(format!("GLB of version {version}"), "version 2");
        return Err(Position::Byte(4).error(kind));
    }
    let len = word(8)? as usize;
    if len != bytes.len() {
        let found = format!("{} bytes", bytes.len());
        let kind = ReadErrorKind::syntax(found, format!("{len}, which its header says"));
        return Err(Position::Byte(8).error(kind));
    }
    let (json, next) = chunk(bytes, 12, word(12)?)?;
    if &bytes[16..20] != b"JSON" {
        let found = format!("a first chunk of the kind \"{}\"", bytes[16..20].escape_ascii());
        return Err(Position::Byte(16).error(ReadErrorKind::syntax(found, "\"JSON\"")));
    }
    let mut binary = None;
    if next < bytes.len() {
        let (contents, _) = chunk(bytes, next, word(next)?)?;
        if &bytes[next + 4..next + 8] == b"BIN\0" {
            binary = Some(contents);
        }
    }
    Ok(Chunks { json, binary })
}

/// The contents of the chunk at the offset `at`, and the offset of the next chunk.
fn chunk(bytes: &[u8], at: usize, len: u32) -> Result<(&[u8], usize), ErrorAt> {
    let start = at + 8;
    let contents = bytes.get(start..).and_then(|rest| rest.get(..len as usize));
    let contents = contents.ok_or_else(|| {
        let found = format!("a chunk of {len} bytes in a file of {}", bytes.len());
        Position::Byte(at as u64).error(ReadErrorKind::syntax(found, "one within the file"))
    })?;
    Ok((contents, start + contents.len()))
}
