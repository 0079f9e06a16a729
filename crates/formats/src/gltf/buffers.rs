//! Reading buffers: GLB chunks, data URIs and side files.

use std::{borrow::Cow, path::PathBuf};

use base64::{Engine, engine::general_purpose::STANDARD};
use gltf::{Document, buffer::Source};
use hitscan_files::{InsideError, LoadOptions, ReadErrorKind};

use crate::{
    error_at::quoted,
    side_files::{SideFile, SideFileError, SideFiles},
};

/// The buffers of a document by index.
#[derive(Debug)]
pub(super) struct Buffers<'a> {
    buffers: Vec<Cow<'a, [u8]>>,
    files: Vec<PathBuf>,
}

impl<'a> Buffers<'a> {
    pub(super) fn read(
        document: &Document,
        binary: Option<&'a [u8]>,
        mut side_files: SideFiles<'_>,
        options: &LoadOptions,
    ) -> Result<Self, ReadErrorKind> {
        let mut read = Self { buffers: Vec::new(), files: Vec::new() };
        let mut n_bytes_left = options.max_file_bytes;
        for buffer in document.buffers() {
            let what = format!("buffer {}", buffer.index());
            let bytes: Cow<'a, [u8]> = match buffer.source() {
                Source::Bin => Cow::Borrowed(binary.ok_or_else(|| {
                    ReadErrorKind::syntax(format!("{what} without `uri`"), "a GLB file with it")
                })?),
                Source::Uri(uri) => Cow::Owned(match uri.strip_prefix("data:") {
                    Some(data) => decode(data).ok_or_else(|| {
                        let found = format!("{what} with data {}", quoted(data.as_bytes()));
                        ReadErrorKind::syntax(found, "base64")
                    })?,
                    None => {
                        let SideFile { bytes, path } =
                            side_file(uri, &mut side_files, n_bytes_left).map_err(|error| {
                                match error {
                                    SideFileError::TooLarge(error) => error.into(),
                                    SideFileError::Other(reason) => {
                                        let uri = quoted(uri.as_bytes());
                                        let found = format!("{what} in {uri} ({reason})");
                                        let expected = "a file in the folder of this one or below";
                                        ReadErrorKind::syntax(found, expected)
                                    }
                                }
                            })?;
                        read.files.extend(path);
                        bytes
                    }
                }),
            };
            if bytes.len() < buffer.length() {
                let found = format!("{what} of {} bytes", bytes.len());
                let expected = format!("{}, which its `byteLength` says", buffer.length());
                return Err(ReadErrorKind::syntax(found, expected));
            }
            n_bytes_left = n_bytes_left.saturating_sub(bytes.len() as u64);
            read.buffers.push(bytes);
        }
        Ok(read)
    }

    pub(super) fn get(&self, index: usize) -> Option<&[u8]> {
        self.buffers.get(index).map(|buffer| &**buffer)
    }

    /// The total length of the buffers.
    pub(super) fn n_bytes(&self) -> u64 {
        self.buffers.iter().map(|buffer| buffer.len() as u64).sum()
    }

    pub(super) fn into_files(self) -> Vec<PathBuf> {
        self.files
    }
}

/// Decodes what follows `data:` in a URI; `None` if it is not base64.
pub(super) fn decode(data: &str) -> Option<Vec<u8>> {
    let (kind, text) = data.split_once(',')?;
    kind.ends_with(";base64").then(|| STANDARD.decode(text).ok())?
}

/// Reads the file that a relative URI names.
fn side_file(
    uri: &str,
    side_files: &mut SideFiles<'_>,
    max_bytes: u64,
) -> Result<SideFile, SideFileError> {
    let other = |reason: &str| SideFileError::Other(reason.to_owned());
    let name = percent_decoded(uri).ok_or_else(|| other("it is not UTF-8"))?;
    if name.contains("://") {
        return Err(other(&InsideError::Outside.to_string()));
    }
    side_files.read(&name, max_bytes)
}

/// Replaces the percent escapes of a URI; `None` if the result is not UTF-8.
pub(super) fn percent_decoded(uri: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(uri.len());
    let mut rest = uri.as_bytes();
    while let [byte, after @ ..] = rest {
        let code = match (byte, after) {
            (b'%', [a, b, ..]) => {
                str::from_utf8(&[*a, *b]).ok().and_then(|code| u8::from_str_radix(code, 16).ok())
            }
            _ => None,
        };
        bytes.push(code.unwrap_or(*byte));
        rest = if code.is_some() { &after[2..] } else { after };
    }
    String::from_utf8(bytes).ok()
}
