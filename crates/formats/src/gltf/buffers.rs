//! Reading buffers: GLB chunks, data URIs and side files.

use std::{borrow::Cow, path::PathBuf};

use base64::{
    Engine, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use hitscan_files::{FileError, InsideError, LoadOptions, ReadErrorKind};

use super::{document::Root, extensions, lenient::Index};
use crate::{
    LoadReport,
    error_at::quoted,
    side_files::{SideFile, SideFileError, SideFiles},
};

/// The buffers of a document by index.
#[derive(Debug)]
pub(super) struct Buffers<'a> {
    buffers: Vec<Result<Cow<'a, [u8]>, Problem>>,
    /// The total length.
    n_bytes: u64,
    files: Vec<PathBuf>,
}

/// The reason why a buffer has no bytes. It is an error only if something uses the buffer.
#[derive(Debug)]
enum Problem {
    TooLarge { found: u64, limit: u64 },
    Other { found: String, expected: &'static str },
}

impl Problem {
    fn other(found: impl Into<String>, expected: &'static str) -> Self {
        Self::Other { found: found.into(), expected }
    }

    fn kind(&self) -> ReadErrorKind {
        match self {
            Self::TooLarge { found, limit } => {
                FileError::TooLarge { found: *found, limit: *limit }.into()
            }
            Self::Other { found, expected } => ReadErrorKind::syntax(found, *expected),
        }
    }
}

impl<'a> Buffers<'a> {
    pub(super) fn read(
        root: &'a Root<'_>,
        binary: Option<&'a [u8]>,
        mut side_files: SideFiles<'_>,
        options: &LoadOptions,
        report: &mut LoadReport,
    ) -> Self {
        let mut read = Self { buffers: Vec::new(), n_bytes: 0, files: Vec::new() };
        let mut n_bytes_left = options.max_file_bytes;
        for index in 0..root.buffers.len() {
            let bytes = match root.buffers.get(Index(index), "") {
                // The list has the reason.
                Err(_) => Err(Problem::other("is invalid", "a buffer of glTF 2.0")),
                Ok(buffer) => match &buffer.uri {
                    // A buffer of uncompressed data that nobody needs to store.
                    None if extensions::meshopt(&buffer.extensions).is_some() => {
                        Err(Problem::other("has no data", "a `uri`"))
                    }
                    None => binary
                        .filter(|_| index == 0)
                        .map(Cow::Borrowed)
                        .ok_or(Problem::other("has no `uri`", "one, or a GLB file with its bytes")),
                    Some(uri) => match uri.get(..5) {
                        Some(scheme) if scheme.eq_ignore_ascii_case("data:") => {
                            decode(&uri[5..]).map(Cow::Owned).ok_or_else(|| {
                                let found = format!("with data {}", quoted(&uri.as_bytes()[5..]));
                                Problem::other(found, "base64 or percent-encoded bytes")
                            })
                        }
                        _ => read.side_file(uri, &mut side_files, n_bytes_left),
                    },
                },
            };
            if let Ok(bytes) = &bytes {
                read.n_bytes += bytes.len() as u64;
                n_bytes_left = n_bytes_left.saturating_sub(bytes.len() as u64);
                let said = root.buffers.get(Index(index), "").ok().and_then(|b| b.byte_length.0);
                let is_short = said.is_some_and(|said| bytes.len() < said.0);
                report.add_as("buffers shorter than their byteLength", "read", is_short.into());
            }
            read.buffers.push(bytes);
        }
        read
    }

    /// Reads the file that a relative URI names.
    fn side_file(
        &mut self,
        uri: &str,
        side_files: &mut SideFiles<'_>,
        max_bytes: u64,
    ) -> Result<Cow<'a, [u8]>, Problem> {
        let name = percent_decoded(uri).ok_or(SideFileError::Other("it is not UTF-8".to_owned()));
        let file = name.and_then(|name| match name.contains("://") {
            true => Err(SideFileError::Other(InsideError::Outside.to_string())),
            false => side_files.read(&name, max_bytes),
        });
        match file {
            Ok(SideFile { bytes, path }) => {
                self.files.extend(path);
                Ok(Cow::Owned(bytes))
            }
            Err(SideFileError::TooLarge(FileError::TooLarge { found, limit })) => {
                Err(Problem::TooLarge { found, limit })
            }
            Err(SideFileError::TooLarge(error)) => {
                Err(Problem::other(error.to_string(), "a file within the limit"))
            }
            Err(SideFileError::Other(reason)) => {
                let found = format!("in {} ({reason})", quoted(uri.as_bytes()));
                Err(Problem::other(found, "a file in the folder of this one or below"))
            }
        }
    }

    /// The bytes of a buffer that the value at the path `at` refers to.
    pub(super) fn get(
        &self,
        index: Index,
        root: &Root<'_>,
        at: &str,
    ) -> Result<&[u8], ReadErrorKind> {
        root.buffers.get(index, at)?;
        match &self.buffers[index.0] {
            Ok(bytes) => Ok(bytes),
            Err(problem) => Err(match problem.kind() {
                ReadErrorKind::Syntax { found, expected } => {
                    ReadErrorKind::syntax(format!("buffer {} {found}", index.0), expected)
                }
                too_large => too_large,
            }),
        }
    }

    /// The total length of the buffers.
    pub(super) fn n_bytes(&self) -> u64 {
        self.n_bytes
    }

    pub(super) fn into_files(self) -> Vec<PathBuf> {
        self.files
    }
}

/// Decodes the part of a URI after `data:`: base64 with or without padding, or percent-encoded bytes.
pub(super) fn decode(data: &str) -> Option<Vec<u8>> {
    const LENIENT: GeneralPurposeConfig = GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true);
    const STANDARD: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, LENIENT);
    const URL_SAFE: GeneralPurpose = GeneralPurpose::new(&alphabet::URL_SAFE, LENIENT);
    let (kind, text) = data.split_once(',')?;
    let is_base64 =
        kind.rsplit(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("base64"));
    if !is_base64 {
        return text.is_ascii().then(|| unescaped(text));
    }
    // Most texts are pure base64, and take no second copy.
    STANDARD
        .decode(text)
        .or_else(|_| {
            let mut bytes = unescaped(text);
            bytes.retain(|byte| !byte.is_ascii_whitespace());
            STANDARD.decode(&bytes).or_else(|_| URL_SAFE.decode(&bytes))
        })
        .ok()
}

/// Replaces the percent escapes of a URI; `None` if the result is not UTF-8.
pub(super) fn percent_decoded(uri: &str) -> Option<String> {
    String::from_utf8(unescaped(uri)).ok()
}

/// The bytes of a URI after its percent escapes are replaced.
fn unescaped(uri: &str) -> Vec<u8> {
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
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_uris_may_be_unpadded_escaped_or_of_the_url_alphabet() {
        let bytes = Some(vec![0xfb, 0xff, 0xfe, 0x00]);
        for data in [
            ";base64,+//+AA==",
            "application/octet-stream;base64,+//+AA",
            "application/gltf-buffer;charset=x;BASE64,-__-AA",
            ";base64,%2B//%2BAA%3D%3D",
            ";base64,+//\n+A A==",
            "application/octet-stream,%fb%FF%fe%00",
        ] {
            assert_eq!(decode(data), bytes, "{data}");
        }
        assert_eq!(decode("text/plain,abc"), Some(b"abc".to_vec()));
        for data in [";base64,!!!", ";base64", "text/plain,é", ""] {
            assert_eq!(decode(data), None, "{data}");
        }
    }
}
