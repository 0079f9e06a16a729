//! Splitting bytes into statements, words and names.

use std::fmt::Write;

/// A statement: its text without comment, the start of the next one, and the number of line endings
/// up to there.
#[derive(Debug)]
pub(crate) struct Statement<'t> {
    pub(crate) text: &'t [u8],
    pub(crate) next: usize,
    pub(crate) n_endings: u64,
}

/// Returns the statement at `at`, which must be less than the length of the text.
///
/// A `\` before a line ending continues the statement on the next line, with a blank between. In a
/// comment it has no meaning, so `# C:\models\` does not swallow a line. `joined` is scratch space.
pub(crate) fn statement<'t>(text: &'t [u8], at: usize, joined: &'t mut Vec<u8>) -> Statement<'t> {
    joined.clear();
    let mut from = at;
    let mut n_endings = 0;
    let mut in_name = None;
    loop {
        let rest = &text[from..];
        let len = rest.iter().position(|&byte| is_line_end(byte)).unwrap_or(rest.len());
        let line = &rest[..len];
        let end = from + len;
        let next = after_line_end(text, end).unwrap_or(end);
        n_endings += u64::from(next > end);

        if in_name.is_none() {
            let word = first_word(line.strip_suffix(b"\\").unwrap_or(line));
            in_name = (!word.is_empty()).then(|| is_name_keyword(word));
        }
        let comment = comment_start(line, in_name == Some(true));
        let body = &line[..comment.unwrap_or(len)];
        let is_continued = comment.is_none() && body.ends_with(b"\\");
        if !is_continued && from == at {
            return Statement { text: body, next, n_endings };
        }
        joined.extend_from_slice(if is_continued { &body[..len - 1] } else { body });
        joined.push(b' ');
        if !is_continued || next >= text.len() {
            return Statement { text: joined, next, n_endings };
        }
        from = next;
    }
}

/// Whether a statement certainly starts at `at`, judged by the few bytes before it.
///
/// A line after a `\` counts as a continuation even if the `\` is in a comment. Missing such a
/// start is harmless, because the text is cut only at certain starts.
pub(crate) fn is_statement_start(text: &[u8], at: usize) -> bool {
    let ending_len = match text[..at] {
        [.., b'\r', b'\n'] => 2,
        [.., b'\n'] => 1,
        [.., b'\r'] if text.get(at) != Some(&b'\n') => 1,
        [] => return true,
        _ => return false,
    };
    !text[..at - ending_len].ends_with(b"\\")
}

#[inline(always)]
pub(crate) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | 0x0b | 0x0c)
}

#[inline(always)]
fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// The end of the line ending at `at`, if there is one. LF, CR LF and CR count as one each.
#[inline(always)]
pub(crate) fn after_line_end(text: &[u8], at: usize) -> Option<usize> {
    match text.get(at) {
        Some(b'\n') => Some(at + 1),
        Some(b'\r') => Some(at + 1 + usize::from(text.get(at + 1) == Some(&b'\n'))),
        _ => None,
    }
}

/// The words of a statement, which blanks separate.
pub(crate) fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|&byte| is_blank(byte)).filter(|word| !word.is_empty())
}

pub(crate) fn first_word(text: &[u8]) -> &[u8] {
    words(text).next().unwrap_or_default()
}

/// The rest after the first word, trimmed.
pub(crate) fn after_first_word(text: &[u8]) -> &[u8] {
    let text = trim(text);
    trim(&text[first_word(text).len()..])
}

pub(crate) fn trim(text: &[u8]) -> &[u8] {
    let start = text.iter().position(|&byte| !is_blank(byte)).unwrap_or(text.len());
    let end = text.iter().rposition(|&byte| !is_blank(byte)).map_or(start, |last| last + 1);
    &text[start..end]
}

/// Whether the argument of a statement is a name, which may contain `#`.
fn is_name_keyword(word: &[u8]) -> bool {
    const NAMED: [&[u8]; 6] = [b"o", b"g", b"usemtl", b"mtllib", b"newmtl", b"bump"];
    let is_map = word.get(..4).is_some_and(|start| start.eq_ignore_ascii_case(b"map_"));
    is_map || NAMED.iter().any(|named| word.eq_ignore_ascii_case(named))
}

/// The start of the comment of a line.
///
/// A `#` starts a comment, with two exceptions. In a name it needs blanks around it, because
/// exporters write names such as `Material #25`. In `1.#IND` it is part of a number that is not
/// finite.
fn comment_start(line: &[u8], in_name: bool) -> Option<usize> {
    let is_blank_at = |at: usize| line.get(at).is_none_or(|&byte| is_blank(byte));
    let starts = |at: usize| match (at.checked_sub(1), in_name) {
        (None, _) => true,
        (Some(before), true) => is_blank_at(before) && is_blank_at(at + 1),
        (Some(before), false) => line[before] != b'.',
    };
    (0..line.len()).find(|&at| line[at] == b'#' && starts(at))
}

/// Decodes a name as UTF-8, or else as Latin-1, so that different names stay different.
pub(crate) fn decode_name(name: &[u8]) -> String {
    match std::str::from_utf8(name) {
        Ok(name) => name.to_owned(),
        Err(_) => name.iter().map(|&byte| char::from(byte)).collect(),
    }
}

/// Quotes and escapes at most 40 characters of the input for a message.
pub(crate) fn quoted(text: &[u8]) -> String {
    const MAX_CHARS: usize = 40;
    let start = String::from_utf8_lossy(&text[..text.len().min(4 * MAX_CHARS)]);
    let mut quoted = String::from("\"");
    for char in start.chars().take(MAX_CHARS) {
        // Writing to a String cannot fail.
        let _ = write!(quoted, "{}", char.escape_debug());
    }
    let is_cut = text.len() > 4 * MAX_CHARS || start.chars().count() > MAX_CHARS;
    quoted.push_str(if is_cut { "…\"" } else { "\"" });
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statements(text: &str) -> Vec<(String, u64)> {
        let (mut at, mut found) = (0, Vec::new());
        while at < text.len() {
            let mut joined = Vec::new();
            let statement = statement(text.as_bytes(), at, &mut joined);
            let text = words(statement.text).map(decode_name).collect::<Vec<_>>().join(" ");
            found.push((text, statement.n_endings));
            at = statement.next;
        }
        found
    }

    fn texts(text: &str) -> Vec<String> {
        statements(text).into_iter().map(|(text, _)| text).collect()
    }

    #[test]
    fn every_line_ending_counts_once() {
        assert_eq!(texts("a\nb\r\nc\rd\n\re"), ["a", "b", "c", "d", "", "e"]);
    }

    #[test]
    fn a_continuation_joins_lines_and_counts_both_endings() {
        let found = statements("f 1 2 \\\r\n 3\nv");
        assert_eq!(found, [("f 1 2 3".to_owned(), 2), ("v".to_owned(), 0)]);
        assert_eq!(statements("f 1\\"), [("f 1".to_owned(), 0)]);
        assert_eq!(statements("f 1\\\n"), [("f 1".to_owned(), 1)]);
        assert_eq!(statements("f\\\n\\\n1\n"), [("f 1".to_owned(), 3)]);
    }

    #[test]
    fn a_backslash_in_a_comment_continues_nothing() {
        assert_eq!(texts("# C:\\x\\\nv 1\nf 1 # y\\\nf 2\n"), ["", "v 1", "f 1", "f 2"]);
    }

    #[test]
    fn comments_end_numbers_anywhere_and_names_only_between_blanks() {
        assert_eq!(texts("v 1 2 3#x\n"), ["v 1 2 3"]);
        assert_eq!(texts("v 1 1.#IND 3 # x\n"), ["v 1 1.#IND 3"]);
        assert_eq!(texts("usemtl Material #25\n"), ["usemtl Material #25"]);
        assert_eq!(texts("usemtl red # the red one\n"), ["usemtl red"]);
        assert_eq!(texts("  # all of it\n"), [""]);
    }

    #[test]
    fn statements_start_after_endings_that_are_not_continued() {
        let text = b"a\nb\\\nc\r\nd\re\\\r\nf";
        let starts: Vec<usize> =
            (0..text.len()).filter(|&at| is_statement_start(text, at)).collect();
        assert_eq!(starts, [0, 2, 8, 10]);
    }

    #[test]
    fn quotes_are_escaped_and_cut() {
        assert_eq!(quoted(b"a\x1b\"b"), "\"a\\u{1b}\\\"b\"");
        assert!(quoted(&[b'x'; 41]).ends_with("x…\""));
        assert!(!quoted(&[b'x'; 40]).contains('…'));
    }

    #[test]
    fn names_that_are_not_utf8_stay_different() {
        assert_eq!(decode_name(b"B\xf6schung"), "Böschung");
        assert_eq!(decode_name("Böschung".as_bytes()), "Böschung");
        assert_ne!(decode_name(b"\xe4"), decode_name(b"\xf6"));
    }
}
