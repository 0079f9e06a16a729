//! The lines of a text, with their numbers.

use std::io::{BufRead, Read};

use anyhow::{Context, bail};

/// The longest line. No ray needs more, and a file without line ends shall not fill the memory.
const LONGEST_LINE: usize = 1 << 16;

/// Reads a text line by line, leaving out blank ones.
pub(super) struct Lines<R> {
    input: R,
    line: Vec<u8>,
    number: u64,
    name: String,
}

impl<R: BufRead> Lines<R> {
    /// The lines of `input`; `name` stands for it in errors.
    pub(super) fn new(input: R, name: String) -> Self {
        Self { input, line: Vec::new(), number: 0, name }
    }

    /// The next line that is not blank, without white space around it and without a byte order mark;
    /// `None` at the end.
    pub(super) fn next(&mut self) -> anyhow::Result<Option<&[u8]>> {
        loop {
            self.line.clear();
            self.number += 1;
            let mut limited = self.input.by_ref().take(LONGEST_LINE as u64 + 1);
            let n = limited
                .read_until(b'\n', &mut self.line)
                .with_context(|| format!("cannot read {}", self.name))?;
            if n > LONGEST_LINE {
                bail!("{}: the line is longer than {LONGEST_LINE} bytes", self.place());
            }
            if self.number == 1 && self.line.starts_with(b"\xef\xbb\xbf") {
                self.line.drain(..3);
            }
            if n == 0 {
                return Ok(None);
            }
            if !self.line.trim_ascii().is_empty() {
                return Ok(Some(self.line.trim_ascii()));
            }
        }
    }

    /// Where the last line is: `rays.csv:7`.
    pub(super) fn place(&self) -> String {
        format!("{}:{}", self.name, self.number)
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, repeat};

    use super::*;

    #[test]
    fn blank_lines_are_counted_and_left_out() {
        let mut lines = Lines::new("\u{feff}a\r\n\r\n  b \n\n".as_bytes(), "x".into());
        assert_eq!(lines.next().unwrap(), Some(&b"a"[..]));
        assert_eq!(lines.next().unwrap(), Some(&b"b"[..]));
        assert_eq!(lines.place(), "x:3");
        assert_eq!(lines.next().unwrap(), None);
    }

    #[test]
    fn a_file_without_line_ends_does_not_fill_the_memory() {
        let mut endless = Lines::new(BufReader::new(repeat(b' ')), "x".into());
        assert!(endless.next().unwrap_err().to_string().contains("x:1: the line is longer than"));
    }
}
