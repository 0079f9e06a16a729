//! Why a file cannot be loaded.

use std::{error::Error, fmt, io};

use hitscan_files::{FileError, Place};
use hitscan_primitives::MeshError;
use thiserror::Error;

/// Why a file cannot be loaded, and where.
///
/// Its text names the file, the place, what was found and what was expected.
#[derive(Debug)]
#[non_exhaustive]
pub struct FormatError {
    /// The file, or the name given to [`parse`](crate::parse).
    pub file: String,
    /// The line, 1-based, of a text.
    pub line: Option<u64>,
    /// What is wrong.
    pub kind: FormatErrorKind,
}

/// What is wrong with a file.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FormatErrorKind {
    /// The file cannot be opened or read.
    #[error("cannot be read")]
    Io(#[from] io::Error),
    /// The path names something that is not a regular file.
    #[error("is {found}, expected a regular file")]
    NotAFile {
        /// What it is.
        found: &'static str,
    },
    /// A format that this build of the crate leaves out.
    #[error("is a file of the format {format}, which was left out when this was compiled")]
    LeftOut {
        /// Its name.
        format: &'static str,
    },
    /// Something that cannot be understood, or does not fit the rest.
    #[error("{found}, expected {expected}")]
    Wrong {
        /// What is there; quoted input is escaped and cut.
        found: String,
        /// What should be.
        expected: String,
    },
    /// A limit of [`LoadOptions`](crate::LoadOptions) is exceeded.
    #[error("{found} {what}, expected at most {limit}")]
    TooLarge {
        /// What is counted.
        what: &'static str,
        /// The number found.
        found: u64,
        /// The limit.
        limit: u64,
    },
    /// The parts do not make a mesh.
    #[error(transparent)]
    Mesh(#[from] MeshError),
}

impl FormatErrorKind {
    pub(crate) fn wrong(found: impl Into<String>, expected: impl Into<String>) -> Self {
        Self::Wrong { found: found.into(), expected: expected.into() }
    }

    /// The error at a line of a file that is named later.
    pub(crate) fn on_line(self, line: u64) -> Mistake {
        Mistake { line: Some(line), kind: self }
    }
}

impl From<FileError> for FormatErrorKind {
    fn from(error: FileError) -> Self {
        match error {
            FileError::Io(error) => Self::Io(error),
            FileError::NotRegular { found } => Self::NotAFile { found },
            FileError::TooLarge { found, limit } => Self::TooLarge { what: "bytes", found, limit },
        }
    }
}

/// A mistake in a file whose name is not known here.
#[derive(Debug)]
pub(crate) struct Mistake {
    pub(crate) line: Option<u64>,
    pub(crate) kind: FormatErrorKind,
}

impl Mistake {
    pub(crate) fn in_file(self, file: &str) -> FormatError {
        FormatError { file: file.to_owned(), line: self.line, kind: self.kind }
    }
}

impl<E: Into<FormatErrorKind>> From<E> for Mistake {
    fn from(error: E) -> Self {
        Self { line: None, kind: error.into() }
    }
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", Place { file: &self.file, line: self.line }, self.kind)
    }
}

impl Error for FormatError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.kind {
            FormatErrorKind::Io(error) => Some(error),
            _ => None,
        }
    }
}

/// Input as it is shown in errors: escaped, and cut.
pub(crate) fn quoted(bytes: &[u8]) -> String {
    const LONGEST: usize = 40;
    let cut = if bytes.len() > LONGEST { "..." } else { "" };
    format!("\"{}{cut}\"", bytes[..bytes.len().min(LONGEST)].escape_ascii())
}
