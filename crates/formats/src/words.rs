//! The words of a text, with their lines.

use hitscan_files::ReadErrorKind;

use crate::error_at::{ErrorAt, Position, quoted};

/// An iterator over the words of a text.
#[derive(Clone, Debug)]
pub(crate) struct Words<'a> {
    bytes: &'a [u8],
    at: usize,
    /// The line of the last word, 1-based.
    pub(crate) line: u64,
}

impl<'a> Words<'a> {
    /// The words from the offset `at` on, which is on line `line`.
    pub(crate) fn new(bytes: &'a [u8], at: usize, line: u64) -> Self {
        Self { bytes, at, line }
    }

    /// Skips to the start of the next word.
    pub(crate) fn skip_blanks(&mut self) {
        while let Some(byte) = self.bytes.get(self.at).filter(|byte| byte.is_ascii_whitespace()) {
            // CR LF counts as one line ending, and so does CR alone.
            let after = self.bytes.get(self.at + 1);
            self.line += u64::from(*byte == b'\n' || (*byte == b'\r' && after != Some(&b'\n')));
            self.at += 1;
        }
    }

    /// The next word; `None` at the end.
    pub(crate) fn next(&mut self) -> Option<&'a [u8]> {
        self.skip_blanks();
        let rest = &self.bytes[self.at..];
        let len = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        self.at += len;
        (len > 0).then(|| &rest[..len])
    }

    /// The rest of the line, trimmed.
    pub(crate) fn rest_of_line(&mut self) -> &'a [u8] {
        let rest = &self.bytes[self.at..];
        let len = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(rest.len());
        self.at += len;
        rest[..len].trim_ascii()
    }

    /// The number of unread bytes.
    pub(crate) fn n_left(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// An error on the line of the last word.
    pub(crate) fn error(&self, found: Option<&[u8]>, expected: impl Into<String>) -> ErrorAt {
        let found = found.map_or("the end of the file".to_owned(), quoted);
        Position::Line(self.line).error(ReadErrorKind::syntax(found, expected))
    }

    /// Parses the next word as a number.
    pub(crate) fn number<T: std::str::FromStr>(&mut self, expected: &str) -> Result<T, ErrorAt> {
        let word = self.next();
        let number = word.and_then(|word| str::from_utf8(word).ok()?.parse().ok());
        number.ok_or_else(|| self.error(word, expected))
    }

    /// Reads a word, which must be `expected` in any case.
    pub(crate) fn expect(&mut self, expected: &str) -> Result<(), ErrorAt> {
        match self.next() {
            Some(word) if word.eq_ignore_ascii_case(expected.as_bytes()) => Ok(()),
            found => Err(self.error(found, format!("`{expected}`"))),
        }
    }
}
