//! The words of a text, with their lines.

use std::str::FromStr;

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

    /// The rest of the line up to the text `stop`, trimmed. Names end there if a file has no line endings.
    pub(crate) fn rest_of_line_before(&mut self, stop: &[u8]) -> &'a [u8] {
        let rest = &self.bytes[self.at..];
        let is_stop = |at: usize| {
            rest.get(at..at + stop.len()).is_some_and(|part| part.eq_ignore_ascii_case(stop))
        };
        let is_end = |at: usize| matches!(rest[at], b'\n' | b'\r') || is_stop(at);
        let len = (0..rest.len()).find(|&at| is_end(at)).unwrap_or(rest.len());
        self.at += len;
        rest[..len].trim_ascii()
    }

    /// Whether nothing has been read yet.
    pub(crate) fn is_at_start(&self) -> bool {
        self.at == 0
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
    pub(crate) fn number<T: FromStr + From<f32>>(&mut self, expected: &str) -> Result<T, ErrorAt> {
        let word = self.next();
        word.and_then(number).ok_or_else(|| self.error(word, expected))
    }

    /// Reads the next word if `is_wanted`, and returns whether it did.
    pub(crate) fn next_if(&mut self, is_wanted: impl FnOnce(&[u8]) -> bool) -> bool {
        let mut after = self.clone();
        let found = after.next().is_some_and(is_wanted);
        if found {
            *self = after;
        }
        found
    }
}

/// The number that a word is, correctly rounded; NaN for the words that C libraries print for numbers that
/// are not finite.
pub(crate) fn number<T: FromStr + From<f32>>(word: &[u8]) -> Option<T> {
    let parsed = str::from_utf8(word).ok()?.parse().ok();
    parsed.or_else(|| is_not_finite(word).then(|| f32::NAN.into()))
}

/// Whether a word such as `nan(ind)`, `-1.#IND` or `1.#INF00` stands for a number that is not finite. Rust
/// itself parses `nan`, `inf` and `infinity`.
fn is_not_finite(word: &[u8]) -> bool {
    let unsigned = word.strip_prefix(b"-").or(word.strip_prefix(b"+")).unwrap_or(word);
    let lower = unsigned.to_ascii_lowercase();
    // MSVC rounds `1.#INF` to `1.#J` and `1.#QNAN` to `1.#R` where few digits are asked for.
    let from_msvc = lower
        .strip_prefix(b"1.#")
        .is_some_and(|kind| matches!(kind.first(), Some(b'i' | b'j' | b'q' | b'r' | b's')));
    let of_nan = |rest: &[u8]| {
        matches!(rest, b"" | b"q" | b"s") || (rest.starts_with(b"(") && rest.ends_with(b")"))
    };
    let nan = lower.strip_prefix(b"q").or(lower.strip_prefix(b"s")).unwrap_or(&lower);
    from_msvc || nan.strip_prefix(b"nan").is_some_and(of_nan)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_nan_and_infinity_is_a_number() {
        for word in [
            "nan",
            "-NaN",
            "nan(ind)",
            "-nan(ind)",
            "NAN(SNAN)",
            "nan(0x7ff)",
            "1.#QNAN",
            "1.#QNAN0",
            "-1.#IND",
            "-1.#IND00",
            "1.#INF",
            "-1.#INF00",
            "+1.#SNAN",
            "1.#J",
            "-1.#R",
            "inf",
            "-Inf",
            "+inf",
            "Infinity",
            "-infinity",
            "qnan",
            "-SNAN",
            "nanq",
            "1e999",
        ] {
            assert!(number(word.as_bytes()).is_some_and(|x: f32| !x.is_finite()), "{word}");
            assert!(number(word.as_bytes()).is_some_and(|x: f64| !x.is_finite()), "{word}");
        }
        for word in ["", "x", "1,5", "1.#", "1.#x", "nano", "nan(", "--1", "0x10", "in", "\u{a0}1"]
        {
            assert_eq!(number::<f32>(word.as_bytes()), None, "{word}");
        }
    }

    #[test]
    fn a_word_is_taken_only_if_it_is_wanted() {
        let mut words = Words::new(b"a\n b", 0, 1);
        assert!(!words.next_if(|word| word == b"b") && words.line == 1);
        assert!(words.next_if(|word| word == b"a") && !words.next_if(|word| word == b"a"));
        assert_eq!((words.next(), words.line), (Some(&b"b"[..]), 2));
        assert!(!words.next_if(|_| true));
    }
}
