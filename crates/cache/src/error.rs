//! The error of cache files.

use std::{error::Error, fmt, io, path::Path};

use hitscan_bvh::InvalidBvh;
use hitscan_files::{Escaped, FileError};
use thiserror::Error;

/// The error of cache files.
///
/// The text has the form `<where>: <what is wrong>; <what to do>`.
#[derive(Debug)]
#[non_exhaustive]
pub struct CacheError {
    /// The path of the file, or the name given to [`read`](crate::read()).
    pub file: String,
    /// The problem.
    pub kind: CacheErrorKind,
}

/// The problem with a cache file.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CacheErrorKind {
    /// The file cannot be opened, read or written.
    #[error("cannot be read or written")]
    Io(#[from] io::Error),
    /// The path names something that is not a regular file.
    #[error("is {found}; expected a regular file")]
    NotAFile {
        /// The kind of file.
        found: &'static str,
    },
    /// The file does not start with the signature of a cache file.
    #[error("starts with {found}; expected the signature of a cache file")]
    NotACache {
        /// The first bytes, escaped.
        found: String,
    },
    /// The file holds a scene, and the caller expected a mesh.
    #[error("holds a scene; expected a mesh")]
    IsAScene,
    /// The file has big-endian numbers.
    #[error("has big-endian numbers, but cache files are little-endian")]
    ByteOrder,
    /// This machine is big-endian, so it can neither write nor read cache files.
    #[error("cannot be used on this big-endian machine; use a little-endian one")]
    Machine,
    /// The file has another version of the format.
    #[error("is of version {found}, expected {expected}; build it again with `hitscan build`")]
    Version {
        /// The version of the file and of its tree.
        found: String,
        /// The versions that this program reads and writes.
        expected: String,
    },
    /// The length of the file contradicts its header.
    #[error("has {found} bytes, expected {expected}")]
    Length {
        /// The length of the file.
        found: u64,
        /// The length in the header, or the length of a header.
        expected: u64,
    },
    /// The file is longer than the limit of the caller.
    #[error("has {found} bytes; expected at most {limit}")]
    TooLarge {
        /// The length of the file.
        found: u64,
        /// The maximum length in bytes.
        limit: u64,
    },
    /// A checksum does not match.
    #[error("the checksum of the {part} does not match")]
    Damaged {
        /// The section.
        part: &'static str,
    },
    /// The checksums match, but the contents do not make a mesh with its hierarchy.
    #[error("the {part} {} invalid: {reason}", verb(.part))]
    Invalid {
        /// The section.
        part: &'static str,
        /// The values that were found and expected.
        reason: String,
    },
    /// The source of the mesh has changed since the file was built.
    #[error("{source_file} {change} since this was built from it")]
    Stale {
        /// The path of the source, escaped.
        source_file: String,
        /// The change.
        change: String,
    },
}

/// The verb for the name of a section.
fn verb(part: &str) -> &'static str {
    if part.ends_with('s') { "are" } else { "is" }
}

impl From<FileError> for CacheErrorKind {
    fn from(error: FileError) -> Self {
        match error {
            FileError::Io(error) => Self::Io(error),
            FileError::NotRegular { found } => Self::NotAFile { found },
            FileError::TooLarge { found, limit } => Self::TooLarge { found, limit },
        }
    }
}

impl From<InvalidBvh> for CacheErrorKind {
    fn from(error: InvalidBvh) -> Self {
        Self::invalid("tree", error)
    }
}

impl CacheErrorKind {
    pub(crate) fn invalid(part: &'static str, reason: impl fmt::Display) -> Self {
        Self::Invalid { part, reason: reason.to_string() }
    }

    /// The error for a writer, which knows no path.
    pub(crate) fn into_io(self) -> io::Error {
        match self {
            Self::Io(error) => error,
            other => io::Error::new(io::ErrorKind::Unsupported, other),
        }
    }

    pub(crate) fn in_file(self, file: &str) -> CacheError {
        CacheError { file: file.to_owned(), kind: self }
    }

    pub(crate) fn at(self, path: &Path) -> CacheError {
        self.in_file(&path.to_string_lossy())
    }
}

impl fmt::Display for CacheError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", Escaped(&self.file), self.kind)?;
        match self.kind {
            CacheErrorKind::Io(_)
            | CacheErrorKind::NotAFile { .. }
            | CacheErrorKind::NotACache { .. }
            | CacheErrorKind::IsAScene
            | CacheErrorKind::TooLarge { .. }
            | CacheErrorKind::Machine => Ok(()),
            _ => write!(f, "; run `hitscan build` again"),
        }
    }
}

impl Error for CacheError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.kind {
            CacheErrorKind::Io(error) => Some(error),
            _ => None,
        }
    }
}
