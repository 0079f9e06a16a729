//! Names of files as errors show them.

use std::fmt::{self, Display, Write as _};

/// Text whose control characters, which would act on a terminal, are escaped.
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

/// A file, and the line of it that is to blame where one is: `house.obj:12`.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// The file; written escaped.
    pub file: &'a str,
    /// The line, 1-based.
    pub line: Option<u64>,
}

impl Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", Escaped(self.file))?;
        self.line.map_or(Ok(()), |line| write!(f, ":{line}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_acts_on_the_terminal() {
        let place = Place { file: "a\u{1b}[2J\n.obj", line: Some(7) };
        assert_eq!(place.to_string(), "a\\u{1b}[2J\\n.obj:7");
        assert_eq!(Place { file: "größe.obj", line: None }.to_string(), "größe.obj");
    }
}
