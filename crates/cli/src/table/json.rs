//! JSON values on lines of a text. Numbers stay text until one rounding.

use std::borrow::Cow;

use anyhow::{anyhow, bail};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::number::Number;

/// The text of a line. Bare words for numbers that JSON cannot write become strings.
///
/// # Errors
/// Bytes that are not UTF-8.
pub(crate) fn text(line: &[u8]) -> anyhow::Result<Cow<'_, str>> {
    let text = str::from_utf8(line).map_err(|error| {
        anyhow!(error).context("found bytes that are not UTF-8; expected UTF-8")
    })?;
    Ok(with_quoted_infinities(text))
}

/// The value of a line. `expected` ends errors.
///
/// # Errors
/// Text that is not JSON, or not a `T`.
pub(crate) fn parse<'a, T: Deserialize<'a>>(text: &'a str, expected: &str) -> anyhow::Result<T> {
    serde_json::from_str(text).map_err(|error| {
        // serde_json sees a single line, so its line number is always 1.
        let message = error.to_string();
        let message = message.split(" at line ").next().unwrap_or_default().to_owned();
        anyhow!("{message} at column {}; expected {expected}", error.column())
    })
}

/// Three numbers. Errors call them `what`.
///
/// # Errors
/// Another count of values, or something else than numbers.
pub(crate) fn vector<N: Number>(
    values: Vec<&RawValue>,
    what: &'static str,
) -> anyhow::Result<[N; 3]> {
    let [x, y, z] = values.as_slice() else {
        bail!("found {} numbers in {what}; expected 3", values.len());
    };
    let numbers = [number(x), number(y), number(z)];
    match numbers {
        [Ok(x), Ok(y), Ok(z)] => Ok([x, y, z]),
        [x, y, z] => Err(x.and(y).and(z).expect_err("one of them is an error").context(what)),
    }
}

/// A JSON number, or a string with a number such as "inf" that JSON cannot write.
///
/// # Errors
/// Anything else.
pub(crate) fn number<N: Number>(value: &RawValue) -> anyhow::Result<N> {
    let text = value.get();
    let unquoted = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text);
    N::parse(unquoted).ok_or_else(|| {
        let found: String = text.chars().take(40).collect();
        anyhow!("found {found}; expected a number")
    })
}

/// Quotes the bare words `Infinity` and `NaN`. They are not JSON, but some programs write them, such as
/// Python's json module.
fn with_quoted_infinities(text: &str) -> Cow<'_, str> {
    if !text.contains("Infinity") && !text.contains("NaN") {
        return Cow::Borrowed(text);
    }
    let mut quoted = String::with_capacity(text.len() + 16);
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let word = ["-Infinity", "Infinity", "NaN"].into_iter().find(|word| rest.starts_with(word));
        let n = if let Some(word) = word {
            quoted.push('"');
            quoted.push_str(word);
            quoted.push('"');
            word.len()
        } else {
            let n = if first == '"' { string_length(rest) } else { first.len_utf8() };
            quoted.push_str(&rest[..n]);
            n
        };
        rest = &rest[n..];
    }
    Cow::Owned(quoted)
}

/// The length of the JSON string at the start of `text`, quotes included.
fn string_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            b'"' if !escaped => return at + 1,
            b'\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_inside_strings_stay_unquoted() {
        let text = r#"{"a\"NaN":"Infinity","b":[NaN,-Infinity]}"#;
        let quoted = r#"{"a\"NaN":"Infinity","b":["NaN","-Infinity"]}"#;
        assert_eq!(with_quoted_infinities(text), quoted);
    }
}
