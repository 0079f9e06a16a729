//! The error of all readers of meshes.

use std::{error::Error, fmt, io};

use hitscan_primitives::{MeshError, TriMesh};
use thiserror::Error;

use crate::{FileError, Limit, LoadOptions, SourceLocation};

/// The reason why a mesh file cannot be read, and its location.
///
/// The text has the form `<where>: <what is wrong>; <what to do>`:
/// `house.obj:12: face corner "7/x"; expected an index such as 7, -1, 7/2, 7//3 or 7/2/3`.
#[derive(Debug)]
#[non_exhaustive]
pub struct ReadError {
    /// The path of the file, or the name that the caller gave to the bytes.
    pub file: String,
    /// The line of a text file, counted from 1, if the error is on one line. A statement that several
    /// lines continue is on its first line.
    pub line: Option<u64>,
    /// The offset in a binary file, counted from 0, if the error is at one place.
    pub byte: Option<u64>,
    /// The problem.
    pub kind: ReadErrorKind,
}

impl ReadError {
    /// An error at the line `line` of `file`, or in the file as a whole.
    pub fn new(file: impl Into<String>, line: Option<u64>, kind: impl Into<ReadErrorKind>) -> Self {
        Self { file: file.into(), line, byte: None, kind: kind.into() }
    }

    /// The same error at an offset of a binary file.
    #[must_use]
    pub fn at_byte(self, byte: Option<u64>) -> Self {
        Self { byte, ..self }
    }

    /// The location, to be printed.
    pub fn location(&self) -> SourceLocation<'_> {
        SourceLocation { file: &self.file, line: self.line, byte: self.byte }
    }
}

/// The problem with a mesh file.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReadErrorKind {
    /// The file cannot be opened or read.
    #[error("cannot be read")]
    Io(#[from] io::Error),
    /// The path names something that is not a regular file.
    #[error("is {found}; expected a regular file")]
    NotAFile {
        /// The kind of file.
        found: &'static str,
    },
    /// The contents belong to no format that this crate reads.
    #[error("{found}; expected a mesh file (OBJ, STL, PLY or glTF)")]
    UnknownFormat {
        /// A description of the contents.
        found: String,
    },
    /// The format is switched off by a Cargo feature.
    #[error("is a {format} file, which this build does not read; enable its Cargo feature")]
    FormatLeftOut {
        /// The name of the format.
        format: &'static str,
    },
    /// A part of the file breaks the rules of the format or contradicts another part.
    #[error("{found}; expected {expected}")]
    Syntax {
        /// The part; quoted input is escaped and shortened.
        found: String,
        /// The contents that would be valid.
        expected: String,
    },
    /// A face refers to a vertex that does not exist.
    #[error("face corner {corner} names no vertex; expected {expected}")]
    Index {
        /// The corner as written; escaped and shortened.
        corner: String,
        /// The indices that exist.
        expected: String,
    },
    /// The file exceeds a limit.
    #[error("{found} {what}; expected at most {limit}")]
    TooLarge {
        /// The things that were counted.
        what: &'static str,
        /// Their number.
        found: u64,
        /// The maximum number.
        limit: u64,
        /// The option that raises the maximum; `None` if no mesh could hold more.
        raised_by: Option<Limit>,
    },
    /// The caller's progress function returned `Break`.
    #[error("loading was cancelled")]
    Cancelled,
    /// The positions, triangles and attributes do not make a mesh.
    #[error(transparent)]
    Mesh(#[from] MeshError),
}

impl ReadErrorKind {
    /// A [`Syntax`](Self::Syntax) error.
    pub fn syntax(found: impl Into<String>, expected: impl Into<String>) -> Self {
        Self::Syntax { found: found.into(), expected: expected.into() }
    }

    /// Compares a number of vertices or triangles with [`LoadOptions::max_vertices`], and with the number
    /// that a mesh can index.
    ///
    /// # Errors
    /// [`TooLarge`](Self::TooLarge); `what` is the plural of the counted things.
    pub fn check_vertices(
        what: &'static str,
        found: u64,
        options: &LoadOptions,
    ) -> Result<(), Self> {
        let limit = options.max_vertices.min(TriMesh::MAX_TRIANGLES as u64);
        if found <= limit {
            return Ok(());
        }
        let raised_by = (limit < TriMesh::MAX_TRIANGLES as u64).then_some(Limit::Vertices);
        Err(Self::TooLarge { what, found, limit, raised_by })
    }
}

impl From<FileError> for ReadErrorKind {
    fn from(error: FileError) -> Self {
        match error {
            FileError::Io(error) => Self::Io(error),
            FileError::NotRegular { found } => Self::NotAFile { found },
            FileError::TooLarge { found, limit } => {
                let raised_by = Some(Limit::FileBytes);
                Self::TooLarge { what: "bytes", found, limit, raised_by }
            }
        }
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.location(), self.kind)?;
        match self.kind {
            ReadErrorKind::TooLarge { raised_by: Some(limit), .. } => {
                write!(f, "; `LoadOptions::{}` raises the limit", limit.option())
            }
            _ => Ok(()),
        }
    }
}

impl Error for ReadError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.kind {
            ReadErrorKind::Io(error) => Some(error),
            ReadErrorKind::Mesh(error) => error.source(),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_says_where_what_and_what_to_do() {
        let error = ReadError::new("a.obj", Some(7), ReadErrorKind::syntax("\"x\"", "a number"));
        assert_eq!(error.to_string(), "a.obj:7: \"x\"; expected a number");
        let options = LoadOptions { max_vertices: 10, ..Default::default() };
        let many = |options| ReadErrorKind::check_vertices("triangles", 1 << 40, options);
        let error = ReadError::new("a.ply", None, many(&options).unwrap_err()).at_byte(Some(9));
        assert_eq!(
            error.to_string(),
            "a.ply, byte 9: 1099511627776 triangles; expected at most 10; \
             `LoadOptions::max_vertices` raises the limit"
        );
        let unlimited = LoadOptions { max_vertices: u64::MAX, ..Default::default() };
        let error = many(&unlimited).unwrap_err();
        assert!(matches!(error, ReadErrorKind::TooLarge { raised_by: None, .. }), "{error}");
    }
}
