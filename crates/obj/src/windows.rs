//! Windows on a source that start and end at statements.

use std::{io, ops::Range};

use crate::{Limit, ReadErrorKind, lines::is_statement_start, source::Source};

/// The number of bytes that show a line ending and the `\` before it.
const LOOK_BACK: u64 = 3;

/// An iterator over the statements that start in a range of a source, in windows.
///
/// If ranges cover the source, every statement is in the windows of exactly one range. A window is
/// larger than requested only for a long statement, up to the limit of the options. Files are read
/// into one buffer that stays in the CPU cache, because reading a whole file costs a page fault per
/// 4 KiB.
#[derive(Debug)]
pub(crate) struct Windows<'s> {
    source: &'s Source<'s>,
    range: Range<u64>,
    window_len: u64,
    max_statement_bytes: u64,
    /// The start of the next window in the source; at least the end of the range if there is none.
    at: u64,
    is_aligned: bool,
    /// The bytes of the source in memory, from `base` on.
    buffer: Vec<u8>,
    filled: usize,
    base: u64,
}

impl<'s> Windows<'s> {
    pub(crate) fn new(
        source: &'s Source<'s>,
        range: Range<u64>,
        window_len: usize,
        max_statement_bytes: u64,
    ) -> Self {
        let max_statement_bytes = max_statement_bytes.max(1);
        Self {
            source,
            window_len: (window_len.max(1) as u64).min(max_statement_bytes),
            max_statement_bytes,
            at: range.start,
            is_aligned: range.start == source.range().start,
            buffer: Vec::new(),
            filled: 0,
            base: if source.as_slice().is_some() { 0 } else { range.start },
            range,
        }
    }

    /// The next window; `None` at the end of the range.
    ///
    /// # Errors
    /// A source that cannot be read, or a first statement longer than the limit.
    pub(crate) fn next(&mut self) -> Result<Option<&[u8]>, ReadErrorKind> {
        if !self.is_aligned {
            self.align()?;
        }
        if self.at >= self.range.end {
            return Ok(None);
        }
        let start = self.at;
        let mut len = self.window_len;
        let end = loop {
            let limit = self.fill(start + len)?;
            let end = if self.range.end <= limit {
                (self.range.end..=limit).find(|&at| self.is_start(at))
            } else {
                (start + 1..=limit).rev().find(|&at| self.is_start(at))
            };
            let max = self.max_statement_bytes;
            match end {
                Some(end) => break end,
                None if len < max => len = len.saturating_mul(2).min(max),
                // If the first statement does not end within the limit, it is too long.
                None => {
                    let last = (start + 1..limit.min(self.range.end)).rev();
                    break last.into_iter().find(|&at| self.is_start(at)).ok_or(
                        ReadErrorKind::TooLarge {
                            what: "bytes of one statement, or more",
                            found: limit - start + 1,
                            limit: max,
                            raised_by: Some(Limit::StatementBytes),
                        },
                    )?;
                }
            }
        };
        self.at = end;
        let (start, end) = ((start - self.base) as usize, (end - self.base) as usize);
        Ok(Some(&self.in_memory()[start..end]))
    }

    /// Skips to the first statement that starts in the range.
    fn align(&mut self) -> io::Result<()> {
        self.is_aligned = true;
        while self.at < self.range.end {
            let limit = self.fill(self.at + self.window_len)?.min(self.range.end);
            match (self.at..limit).find(|&at| self.is_start(at)) {
                Some(start) => {
                    self.at = start;
                    return Ok(());
                }
                None => self.at = limit,
            }
        }
        Ok(())
    }

    fn in_memory(&self) -> &[u8] {
        self.source.as_slice().unwrap_or(&self.buffer[..self.filled])
    }

    fn is_start(&self, at: u64) -> bool {
        at == self.source.range().end
            || is_statement_start(self.in_memory(), (at - self.base) as usize)
    }

    /// Fills the buffer so that [`is_start`](Self::is_start) works for `self.at..=end`, as far as
    /// the source reaches. Returns how far that is.
    fn fill(&mut self, end: u64) -> io::Result<u64> {
        let source_range = self.source.range();
        let end = end.min(source_range.end);
        if self.source.as_slice().is_some() {
            return Ok(end);
        }
        let keep_from = self.at.saturating_sub(LOOK_BACK).max(source_range.start);
        if self.filled == 0 {
            self.base = keep_from;
        }
        let dropped = (keep_from - self.base) as usize;
        self.buffer.copy_within(dropped..self.filled, 0);
        self.base = keep_from;
        self.filled -= dropped;
        // One byte more, because a CR ends a line only without a following LF.
        let wanted = ((end + 1).min(source_range.end) - self.base) as usize;
        if wanted > self.filled {
            if self.buffer.len() < wanted {
                self.buffer.resize(wanted, 0);
            }
            let unread = &mut self.buffer[self.filled..wanted];
            self.source.read_at(self.base + self.filled as u64, unread)?;
            self.filled = wanted;
        }
        Ok(end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LoadOptions;

    const TEXT: &[u8] = b"v 1\nv 2\\\n3\r\n\r\nf\r# x\\\nv 4\n\n\nlonger than any window\nlast";

    fn pieces(source: &Source<'_>, part_len: u64, window_len: usize) -> Vec<Vec<u8>> {
        let whole = source.range();
        let mut pieces = Vec::new();
        let mut start = whole.start;
        while start < whole.end {
            let end = (start + part_len).min(whole.end);
            let mut windows = Windows::new(source, start..end, window_len, u64::MAX);
            while let Some(window) = windows.next().unwrap() {
                pieces.push(window.to_vec());
            }
            start = end;
        }
        pieces
    }

    #[test]
    fn windows_of_any_size_hold_every_byte_once_and_cut_no_statement() {
        let options = LoadOptions::default();
        let file = tempfile::NamedTempFile::new().unwrap();
        for mark in ["", "\u{feff}"] {
            let text = [mark.as_bytes(), TEXT].concat();
            std::fs::write(file.path(), &text).unwrap();
            let memory = Source::memory(&text, &options).unwrap();
            let on_disk = Source::open(file.path(), &options).unwrap();
            for source in [&memory, &on_disk] {
                for (part_len, window_len) in (1..80).flat_map(|p| (1..30).map(move |w| (p, w))) {
                    let pieces = pieces(source, part_len, window_len);
                    assert_eq!(pieces.concat(), TEXT, "{part_len} {window_len}");
                    let mut at = 0;
                    for piece in pieces {
                        assert!(!piece.is_empty() && is_statement_start(TEXT, at));
                        at += piece.len();
                    }
                }
            }
        }
    }

    #[test]
    fn a_text_without_line_ends_is_one_window() {
        let text = [b'x'; 1000];
        let source = Source::memory(&text, &LoadOptions::default()).unwrap();
        assert_eq!(pieces(&source, 10, 7), [text.to_vec()]);
        assert_eq!(pieces(&source, 1000, 7), [text.to_vec()]);
    }

    #[test]
    fn a_statement_may_be_as_long_as_the_limit_wherever_windows_are_cut() {
        // Statements of 8, 2, 19 (continued) and 8 bytes with their endings.
        let text = b"v 1 2 3\ng\nf 1 2 3 \\\n4 5 6 7 \nv 4 5 6\n";
        let source = Source::memory(text, &LoadOptions::default()).unwrap();
        for (part_len, window_len) in (1..50).flat_map(|p| (1..50).map(move |w| (p, w))) {
            for max in 1..40 {
                let mut result = Ok(0);
                let mut start = 0;
                while start < text.len() as u64 && result.is_ok() {
                    let end = (start + part_len).min(text.len() as u64);
                    let mut windows = Windows::new(&source, start..end, window_len, max);
                    result = loop {
                        match windows.next() {
                            Ok(None) => break result,
                            Ok(Some(window)) => result = result.map(|n| n + window.len()),
                            Err(error) => break Err(error.to_string()),
                        }
                    };
                    start = end;
                }
                let context = format!("{part_len} {window_len} {max}");
                match result {
                    Ok(n) => assert!(n == text.len() && max >= 19, "{context}"),
                    Err(error) => assert!(max < 19 && error.contains("one statement"), "{error}"),
                }
            }
        }
    }
}
