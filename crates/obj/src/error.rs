//! Why a file cannot be loaded.

use std::{error::Error, fmt, io};

use hitscan_files::{FileError, Place};
use hitscan_primitives::MeshError;
use thiserror::Error;

/// Why a file cannot be loaded, and where.
///
/// Its text names the file, the line, what was found and what was expected:
/// `house.obj:12: face corner "7/x", expected an index such as 7, -1, 7/2, 7//3 or 7/2/3`.
#[derive(Debug)]
#[non_exhaustive]
pub struct ObjError {
    /// The file, or the name given to [`parse`](crate::parse).
    pub file: String,
    /// The line, 1-based, where one line is to blame. A statement that was continued over several
    /// lines counts as its first.
    pub line: Option<u64>,
    /// What is wrong.
    pub kind: ObjErrorKind,
}

/// What is wrong with a file.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ObjErrorKind {
    /// The file cannot be opened or read.
    #[error("cannot be read")]
    Io(#[from] io::Error),
    /// The path names something that is not a regular file.
    #[error("is {found}, expected a regular file")]
    NotAFile {
        /// What it is.
        found: &'static str,
    },
    /// The contents are not OBJ text.
    #[error("{found}, expected Wavefront OBJ text")]
    NotObj {
        /// What they look like.
        found: String,
    },
    /// A statement that cannot be understood.
    #[error("{found}, expected {expected}")]
    Syntax {
        /// What stands there; quoted input is escaped and cut.
        found: String,
        /// What should.
        expected: String,
    },
    /// A face names a vertex that does not exist.
    #[error("face corner {corner} names no vertex, expected {expected}")]
    Index {
        /// The corner as written; escaped and cut.
        corner: String,
        /// The indices that exist.
        expected: String,
    },
    /// A limit of [`LoadOptions`](crate::LoadOptions) or of the mesh is exceeded.
    #[error("{found} {what}, expected at most {limit}")]
    TooLarge {
        /// What is counted.
        what: &'static str,
        /// The number found.
        found: u64,
        /// The limit.
        limit: u64,
    },
    /// The progress function asked to stop.
    #[error("loading was cancelled")]
    Cancelled,
    /// The parts do not make a mesh.
    #[error(transparent)]
    Mesh(#[from] MeshError),
}

impl From<FileError> for ObjErrorKind {
    fn from(error: FileError) -> Self {
        match error {
            FileError::Io(error) => Self::Io(error),
            FileError::NotRegular { found } => Self::NotAFile { found },
            FileError::TooLarge { found, limit } => Self::TooLarge { what: "bytes", found, limit },
        }
    }
}

impl fmt::Display for ObjError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", Place { file: &self.file, line: self.line }, self.kind)
    }
}

impl Error for ObjError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.kind {
            ObjErrorKind::Io(error) => Some(error),
            ObjErrorKind::Mesh(error) => error.source(),
            _ => None,
        }
    }
}
