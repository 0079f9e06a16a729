//! GLB: JSON and a binary buffer in one file.

use hitscan_files::ReadErrorKind;

use crate::{
    LoadReport,
    error_at::{ErrorAt, Position},
};

/// The JSON and binary chunks of a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chunks<'a> {
    pub(super) json: &'a [u8],
    /// The binary chunk of a GLB file.
    pub(super) binary: Option<&'a [u8]>,
}

/// The error for a file of glTF 1.0.
pub(super) fn version_1() -> ReadErrorKind {
    let expected = "glTF 2.0; `gltf-pipeline -i old.gltf -o new.gltf` converts it";
    ReadErrorKind::syntax("a file of glTF 1.0, which hitscan does not read", expected)
}

/// Splits a GLB file into chunks. A text file is one JSON chunk.
pub(super) fn split<'a>(bytes: &'a [u8], report: &mut LoadReport) -> Result<Chunks<'a>, ErrorAt> {
    if !bytes.starts_with(b"glTF") {
        return Ok(Chunks { json: text(bytes), binary: None });
    }
    let word = |at: usize| {
        let word = bytes.get(at..at + 4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
        word.ok_or_else(|| {
            let found = format!("the end of the file after {} bytes", bytes.len());
            Position::Byte(at as u64)
                .error(ReadErrorKind::syntax(found, "the rest of a GLB header"))
        })
    };
    match word(4)? {
        2 => {}
        1 => return Err(Position::Byte(4).error(version_1())),
        version => {
            let kind = ReadErrorKind::syntax(format!("GLB of version {version}"), "version 2");
            return Err(Position::Byte(4).error(kind));
        }
    }
    let len = word(8)? as usize;
    let (json, mut next) = chunk(bytes, 12, word(12)?)?;
    if &bytes[16..20] != b"JSON" {
        let found = format!("a first chunk of the kind \"{}\"", bytes[16..20].escape_ascii());
        return Err(Position::Byte(16).error(ReadErrorKind::syntax(found, "\"JSON\"")));
    }
    // A header may count fewer or more bytes than the file has; the chunks say where they end.
    let end = if len <= next { bytes.len() } else { len.min(bytes.len()) };
    let mut binary = None;
    while end.saturating_sub(next) >= 8 {
        let kind = &bytes[next + 4..next + 8];
        let (contents, after) = chunk(bytes, next, word(next)?)?;
        match kind {
            b"BIN\0" if binary.is_none() => binary = Some(contents),
            _ => report.add(&format!("GLB chunks of the kind \"{}\"", kind.escape_ascii()), 1),
        }
        next = after;
    }
    let n_after = bytes.len().saturating_sub(next) as u64;
    report.add_as("bytes after the last GLB chunk", "ignored", n_after);
    if len != bytes.len() && n_after == 0 {
        report.add_as("GLB lengths that differ from that of the file", "ignored", 1);
    }
    Ok(Chunks { json: text(json), binary })
}

/// JSON without a byte order mark before it and the padding after it, which some writers fill with zeros.
fn text(bytes: &[u8]) -> &[u8] {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let n_padding = bytes.iter().rev().take_while(|&&byte| byte == 0).count();
    &bytes[..bytes.len() - n_padding]
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
