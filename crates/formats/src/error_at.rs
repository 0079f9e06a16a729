//! Errors at a position in a file whose name the parser does not know.

use hitscan_files::{ReadError, ReadErrorKind};

/// A position in a text or binary file.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Position {
    /// A line, counted from 1.
    Line(u64),
    /// An offset, counted from 0.
    Byte(u64),
}

impl Position {
    pub(crate) fn error(self, kind: ReadErrorKind) -> ErrorAt {
        ErrorAt { position: Some(self), kind }
    }

    pub(crate) fn line(self) -> Option<u64> {
        if let Self::Line(line) = self { Some(line) } else { None }
    }

    fn byte(self) -> Option<u64> {
        if let Self::Byte(byte) = self { Some(byte) } else { None }
    }
}

/// A [`ReadError`] without the name of the file, which [`in_file`](Self::in_file) adds.
#[derive(Debug)]
pub(crate) struct ErrorAt {
    position: Option<Position>,
    kind: ReadErrorKind,
}

impl ErrorAt {
    pub(crate) fn in_file(self, file: &str) -> ReadError {
        let line = self.position.and_then(Position::line);
        ReadError::new(file, line, self.kind).at_byte(self.position.and_then(Position::byte))
    }
}

impl<E: Into<ReadErrorKind>> From<E> for ErrorAt {
    fn from(error: E) -> Self {
        Self { position: None, kind: error.into() }
    }
}

/// Input as errors quote it: escaped, and cut to 40 bytes.
pub(crate) fn quoted(bytes: &[u8]) -> String {
    const LONGEST: usize = 40;
    let cut = if bytes.len() > LONGEST { "..." } else { "" };
    format!("\"{}{cut}\"", bytes[..bytes.len().min(LONGEST)].escape_ascii())
}
