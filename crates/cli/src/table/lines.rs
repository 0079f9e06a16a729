//! The lines of a text, with their numbers.

use std::io::{BufRead, Read};

use anyhow::{Context, bail};

use super::input::{Arrivals, Arrived};

/// The maximum length of a line. Every row fits, and a file without line ends cannot fill the memory.
const MAX_LINE_BYTES: usize = 1 << 16;

/// Reads a text line by line and skips blank lines.
pub(super) struct Lines<R> {
    input: R,
    line: Vec<u8>,
    number: u64,
    name: String,
}

impl<R: Arrivals> Lines<R> {
    /// The lines of `input`. Errors call it `name`.
    pub(crate) fn new(input: R, name: String) -> Self {
        Self { input, line: Vec::new(), number: 0, name }
    }

    /// The next line that is not blank, without a byte order mark and without surrounding white space;
    /// `None` at the end.
    pub(crate) fn next(&mut self) -> anyhow::Result<Option<&[u8]>> {
        loop {
            self.line.clear();
            self.number += 1;
            let mut limited = self.input.by_ref().take(MAX_LINE_BYTES as u64 + 1);
            let n = limited
                .read_until(b'\n', &mut self.line)
                .with_context(|| format!("{}: cannot read the file", self.name))?;
            if n > MAX_LINE_BYTES {
                bail!(
                    "{}: the line has more than {MAX_LINE_BYTES} bytes; expected a row of numbers",
                    self.location()
                );
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

    /// Whether the next line is here, so that [`next`](Self::next) does not wait for another program. Drops
    /// blank lines, and those that `is_skipped` names, as they arrive. `rows` is the number of rows that
    /// wait for an answer.
    pub(crate) fn has_arrived(&mut self, rows: usize, is_skipped: fn(&[u8]) -> bool) -> bool {
        loop {
            match self.input.arrived_line(rows) {
                Arrived::All => return true,
                Arrived::Nothing => return false,
                Arrived::Part(line) => {
                    let text = line.trim_ascii();
                    if self.number == 0 || !text.is_empty() && !is_skipped(text) {
                        return true;
                    }
                    let n = line.len();
                    self.input.consume(n);
                    self.number += 1;
                }
            }
        }
    }

    /// The location of the last line, as in `rays.csv:7`.
    pub(crate) fn location(&self) -> String {
        format!("{}:{}", self.name, self.number)
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, repeat};

    use super::*;

    #[test]
    fn blank_lines_count_but_are_skipped() {
        let mut lines = Lines::new("\u{feff}a\r\n\r\n  b \n\n".as_bytes(), "x".into());
        assert_eq!(lines.next().unwrap(), Some(&b"a"[..]));
        assert_eq!(lines.next().unwrap(), Some(&b"b"[..]));
        assert_eq!(lines.location(), "x:3");
        assert_eq!(lines.next().unwrap(), None);
    }

    #[test]
    fn a_file_without_line_ends_does_not_fill_the_memory() {
        let mut endless = Lines::new(BufReader::new(repeat(b' ')), "x".into());
        assert!(endless.next().unwrap_err().to_string().contains("x:1: the line has more than"));
    }
}
