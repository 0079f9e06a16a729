//! Text in UTF-16.

use std::io;

use crate::FileError;

/// The UTF-8 text of UTF-16 text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Utf16Text {
    /// The text, without byte order mark.
    pub utf8: Vec<u8>,
    /// The number of 16-bit units that are no characters. Each became U+FFFD.
    pub n_replaced: u64,
}

/// Decodes bytes that begin with a byte order mark of UTF-16. `None` for other bytes, also for UTF-32.
///
/// The result has at most 1.5 times as many bytes.
///
/// # Errors
/// More than `limit` bytes of UTF-8, or too little memory for them.
pub fn decode_utf16(bytes: &[u8], limit: u64) -> Result<Option<Utf16Text>, FileError> {
    let (units, rest, unit): (_, _, fn([u8; 2]) -> u16) = match bytes {
        [0xff, 0xfe, 0, 0, ..] => return Ok(None),
        [0xff, 0xfe, text @ ..] => (text.as_chunks().0, text.len() % 2, u16::from_le_bytes),
        [0xfe, 0xff, text @ ..] => (text.as_chunks().0, text.len() % 2, u16::from_be_bytes),
        _ => return Ok(None),
    };
    let chars = || char::decode_utf16(units.iter().map(|&bytes| unit(bytes)));
    let len = chars().map(|char| char.map_or(3, char::len_utf8) as u64).sum::<u64>();
    let found = len + 3 * rest as u64;
    if found > limit {
        return Err(FileError::TooLarge { found, limit });
    }
    let mut text = String::new();
    text.try_reserve_exact(found as usize).map_err(|_| {
        io::Error::new(io::ErrorKind::OutOfMemory, format!("no memory for {found} bytes of text"))
    })?;
    let mut n_replaced = rest as u64;
    for char in chars() {
        n_replaced += u64::from(char.is_err());
        text.push(char.unwrap_or(char::REPLACEMENT_CHARACTER));
    }
    if rest > 0 {
        text.push(char::REPLACEMENT_CHARACTER);
    }
    Ok(Some(Utf16Text { utf8: text.into_bytes(), n_replaced }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(text: &str, to_bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
        format!("\u{feff}{text}").encode_utf16().flat_map(to_bytes).collect()
    }

    #[test]
    fn both_byte_orders_are_the_same_text() {
        let text = "v 1 2 3\r\no B\u{f6}schung \u{4e2d} \u{1f600}\n";
        for bytes in [encoded(text, u16::to_le_bytes), encoded(text, u16::to_be_bytes)] {
            let decoded = decode_utf16(&bytes, 100).unwrap().unwrap();
            assert_eq!((&decoded.utf8[..], decoded.n_replaced), (text.as_bytes(), 0));
        }
        for bytes in [&b""[..], b"\xff", b"v 1", b"\xff\xfe\0\0v\0\0\0", b"\xef\xbb\xbfv"] {
            assert_eq!(decode_utf16(bytes, 100).unwrap(), None, "{bytes:?}");
        }
    }

    #[test]
    fn units_that_are_no_characters_are_replaced_and_counted() {
        // A surrogate alone, a letter, and half a unit.
        let decoded = decode_utf16(b"\xfe\xff\xd8\x00\x00v\x00", 7).unwrap().unwrap();
        assert_eq!((&decoded.utf8[..], decoded.n_replaced), ("\u{fffd}v\u{fffd}".as_bytes(), 2));
    }

    #[test]
    fn text_above_the_limit_is_an_error_before_memory_is_taken() {
        let bytes = encoded("\u{4e2d}", u16::to_le_bytes);
        assert!(decode_utf16(&bytes, 3).is_ok());
        let error = decode_utf16(&bytes, 2).unwrap_err();
        assert_eq!(error.to_string(), "3 bytes; expected at most 2");
    }
}
