//! Why a cache file cannot be written, read or trusted.

use std::{error::Error, fmt, io, path::Path};

use hitscan_files::{Escaped, FileError};
use thiserror::Error;

/// Why a cache file cannot be written, read or trusted.
///
/// Its text names the file, what was found and expected, and what to do.
#[derive(Debug)]
#[non_exhaustive]
pub struct CacheError {
    /// The file, or the name given to [`read`](crate::read()).
    pub file: String,
    /// What is wrong.
    pub kind: CacheErrorKind,
}

/// What is wrong with a cache file.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CacheErrorKind {
    /// The file cannot be opened, read or written.
    #[error("cannot be read or written")]
    Io(#[from] io::Error),
    /// The path names something that is not a regular file.
    #[error("is {found}, expected a regular file")]
    NotAFile {
        /// What it is.
        found: &'static str,
    },
    /// The file starts like something else.
    #[error("starts with {found}, expected the mark of a cache file")]
    NotACache {
        /// The first bytes, escaped.
        found: String,
    },
    /// The numbers have the other byte order.
    #[error("has big-endian numbers, expected little-endian ones")]
    ByteOrder,
    /// A machine of the other byte order, whose memory cannot be written to a file or read from one.
    #[error("this machine is big-endian, cache files are for little-endian ones")]
    Machine,
    /// The file is of another version of the format.
    #[error("is of version {found}, expected {expected}")]
    Version {
        /// The version, and the form of the tree, of the file.
        found: String,
        /// Those that this program reads and writes.
        expected: String,
    },
    /// The file is shorter or longer than it says.
    #[error("has {found} bytes, expected {expected}")]
    Length {
        /// The length of the file.
        found: u64,
        /// The length by its header, or of a header.
        expected: u64,
    },
    /// The file is longer than the caller allows.
    #[error("has {found} bytes, expected at most {limit}")]
    TooLarge {
        /// The length of the file.
        found: u64,
        /// The most bytes that the caller takes.
        limit: u64,
    },
    /// Some bytes are not those that were written.
    #[error("the {part} {} damaged: {} checksum is another one", verb(.part).0, verb(.part).1)]
    Damaged {
        /// Where.
        part: &'static str,
    },
    /// The bytes are those that were written, but make no mesh with its hierarchy.
    #[error("the {part} {} wrong: {reason}", verb(.part).0)]
    Invalid {
        /// Where.
        part: &'static str,
        /// What is found and expected.
        reason: String,
    },
    /// What the file was made from has changed since.
    #[error("{source_file} {change} since this was built from it")]
    Stale {
        /// The source, escaped.
        source_file: String,
        /// How it has changed.
        change: String,
    },
}

/// "is" and "its", or "are" and "their".
fn verb(part: &str) -> (&'static str, &'static str) {
    if part.ends_with('s') { ("are", "their") } else { ("is", "its") }
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

impl CacheErrorKind {
    pub(crate) fn invalid(part: &'static str, reason: impl fmt::Display) -> Self {
        Self::Invalid { part, reason: reason.to_string() }
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
