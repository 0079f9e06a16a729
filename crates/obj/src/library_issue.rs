//! Material libraries that were not read completely.

use std::fmt;

use crate::lines::quoted;

/// A material library that was not read completely.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LibraryIssue {
    /// The name in the OBJ file.
    pub name: String,
    /// The line of the `mtllib` statement.
    pub line: u64,
    /// The reason.
    pub problem: LibraryProblem,
}

/// The reason why a material library was not read completely.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LibraryProblem {
    /// The file does not exist.
    NotFound,
    /// The path leads out of the folder of the OBJ file. The reader did not open it.
    OutsideFolder,
    /// The path names a folder, a device or a pipe. The reader did not open it.
    NotARegularFile,
    /// The file is larger than the rest of [`LoadOptions::max_material_bytes`](crate::LoadOptions).
    TooLarge,
    /// The file cannot be read.
    Unreadable(String),
    /// Text in memory has no folder.
    NoFolder,
    /// The file names more libraries than [`LoadOptions::max_libraries`](crate::LoadOptions).
    TooMany,
    /// Some statements are invalid; the reader used the others.
    BadStatements {
        /// The number of invalid statements.
        n: u64,
        /// The line of the first one in the library, counted from 1.
        first_line: u64,
    },
}

impl fmt::Display for LibraryProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound => write!(f, "not found"),
            Self::OutsideFolder => write!(f, "not in the folder of the OBJ file, not opened"),
            Self::NotARegularFile => write!(f, "not a regular file, not opened"),
            Self::TooLarge => write!(f, "too large, not read"),
            Self::Unreadable(reason) => write!(f, "not readable: {reason}"),
            Self::NoFolder => write!(f, "not read, the text comes without a folder"),
            Self::TooMany => write!(f, "not looked for, there are too many"),
            Self::BadStatements { n: 1, first_line } => {
                write!(f, "read but for line {first_line}")
            }
            Self::BadStatements { n, first_line } => {
                write!(f, "read but for {n} statements, the first on line {first_line}")
            }
        }
    }
}

impl fmt::Display for LibraryIssue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", quoted(self.name.as_bytes()), self.problem)
    }
}
