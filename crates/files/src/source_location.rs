//! Names of files and positions in them, as errors show them.

use std::fmt::{self, Display, Write as _};

/// Text with its control characters escaped, because a terminal would obey them.
#[derive(Clone, Copy, Debug)]
pub struct Escaped<'a>(pub &'a str);

impl Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|char| match char.is_control() {
            true => char.escape_default().try_for_each(|char| f.write_char(char)),
            false => f.write_char(char),
        })
    }
}

/// A file with an optional position in it: `house.obj:12`, or `house.ply, byte 340`.
#[derive(Clone, Copy, Debug)]
pub struct SourceLocation<'a> {
    /// The file name, which is written escaped.
    pub file: &'a str,
    /// The line of a text file, counted from 1.
    pub line: Option<u64>,
    /// The offset in a binary file, counted from 0.
    pub byte: Option<u64>,
}

impl Display for SourceLocation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", Escaped(self.file))?;
        match (self.line, self.byte) {
            (Some(line), _) => write!(f, ":{line}"),
            (None, Some(byte)) => write!(f, ", byte {byte}"),
            (None, None) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_acts_on_the_terminal() {
        let location = SourceLocation { file: "a\u{1b}[2J\n.obj", line: Some(7), byte: None };
        assert_eq!(location.to_string(), "a\\u{1b}[2J\\n.obj:7");
        let location = SourceLocation { file: "größe.ply", line: None, byte: Some(7) };
        assert_eq!(location.to_string(), "größe.ply, byte 7");
        let location = SourceLocation { byte: None, ..location };
        assert_eq!(location.to_string(), "größe.ply");
    }
}
