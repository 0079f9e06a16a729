//! The data of a PLY file, after its header.

use hitscan_files::ReadErrorKind;

use super::header::{Element, Encoding, Header, Property, Scalar};
use crate::{
    error_at::{ErrorAt, Position},
    words::{self, Words},
};

/// The arrangement of the elements of a text file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rows {
    /// Blanks and line endings separate numbers alike.
    Free,
    /// Each element is on one line, which may have more numbers than the header declares.
    Lines,
}

/// A cursor over the numbers of a text or binary file.
#[derive(Clone, Debug)]
pub(super) struct Body<'a> {
    bytes: &'a [u8],
    encoding: Encoding,
    rows: Rows,
    words: Words<'a>,
    /// The line of the current element, with [`Rows::Lines`].
    row: Option<u64>,
    n_long_rows: u64,
    /// The offset in a binary file.
    at: usize,
}

impl<'a> Body<'a> {
    pub(super) fn new(bytes: &'a [u8], header: &Header, rows: Rows) -> Self {
        let words = Words::new(bytes, header.len, header.n_lines + 1);
        let encoding = header.encoding;
        Self { bytes, encoding, rows, words, row: None, n_long_rows: 0, at: header.len }
    }

    pub(super) fn n_left(&self) -> usize {
        match self.encoding {
            // The last number needs no blank after it.
            Encoding::Text => self.words.n_left() + 1,
            _ => self.bytes.len() - self.at,
        }
    }

    /// The minimum number of bytes of an element.
    pub(super) fn shortest(&self, element: &Element) -> u64 {
        let size = |property: &Property| match self.encoding {
            // One digit and one blank.
            Encoding::Text => 2,
            _ => property.list.unwrap_or(property.scalar).size() as u64,
        };
        element.properties.iter().map(size).sum()
    }

    /// The line of the last number in a text file, or the offset of the next one in a binary file.
    pub(super) fn position(&self) -> Position {
        match self.encoding {
            Encoding::Text => Position::Line(self.words.line),
            _ => Position::Byte(self.at as u64),
        }
    }

    /// Skips to the start of an element, so that [`position`](Self::position) is that of its first
    /// number.
    pub(super) fn begin(&mut self, element: &Element) -> Result<(), ErrorAt> {
        if self.encoding == Encoding::Text {
            self.end_row()?;
            self.words.skip_blanks();
            if self.words.n_left() == 0 {
                return Err(self.words.error(None, format!("an element {}", element.name)));
            }
            self.row = (self.rows == Rows::Lines).then_some(self.words.line);
        }
        Ok(())
    }

    /// Skips the numbers after the last declared one of a row, and counts the row.
    fn end_row(&mut self) -> Result<(), ErrorAt> {
        if self.row.take().is_none() {
            return Ok(());
        }
        let rest = self.words.rest_of_line();
        if let Some(word) = rest.split(u8::is_ascii_whitespace).find(|word| !is_number(word)) {
            return Err(self.words.error(Some(word), "a number"));
        }
        self.n_long_rows += u64::from(!rest.is_empty());
        Ok(())
    }

    /// Whether the numbers are words.
    pub(super) fn is_text(&self) -> bool {
        self.encoding == Encoding::Text
    }

    pub(super) fn number(&mut self, scalar: Scalar) -> Result<f64, ErrorAt> {
        if self.is_text() {
            let number = match scalar {
                // Rounds only once. Rounding to `f64` first could give another number.
                Scalar::F32 => self.words.number::<f32>("a number").map(f64::from),
                _ => self.words.number("a number"),
            };
            self.check_row(Some(b"\n"))?;
            return number;
        }
        Ok(match scalar {
            Scalar::I8 => f64::from(i8::from_le_bytes(self.take()?)),
            Scalar::U8 => f64::from(u8::from_le_bytes(self.take()?)),
            Scalar::I16 => f64::from(i16::from_le_bytes(self.take()?)),
            Scalar::U16 => f64::from(u16::from_le_bytes(self.take()?)),
            Scalar::I32 => f64::from(i32::from_le_bytes(self.take()?)),
            Scalar::U32 => f64::from(u32::from_le_bytes(self.take()?)),
            Scalar::I64 => i64::from_le_bytes(self.take()?) as f64,
            Scalar::U64 => u64::from_le_bytes(self.take()?) as f64,
            Scalar::F32 => f64::from(f32::from_le_bytes(self.take()?)),
            Scalar::F64 => f64::from_le_bytes(self.take()?),
            Scalar::Unknown => unreachable!("only text may have it"),
        })
    }

    /// Refuses a word on the line after the element, or none.
    fn check_row(&self, found: Option<&[u8]>) -> Result<(), ErrorAt> {
        if found.is_none() || self.row.is_some_and(|row| row != self.words.line) {
            return Err(self.words.error(found, "a number"));
        }
        Ok(())
    }

    /// The next bytes of a binary file, in little-endian order.
    fn take<const N: usize>(&mut self) -> Result<[u8; N], ErrorAt> {
        let Some(bytes) = self.bytes.get(self.at..self.at + N) else {
            let found = format!("the end of the file after {} bytes", self.bytes.len());
            let kind = ReadErrorKind::syntax(found, "the rest of an element");
            return Err(self.position().error(kind));
        };
        self.at += N;
        let mut array = [0; N];
        array.copy_from_slice(bytes);
        if self.encoding == Encoding::BigEndian {
            array.reverse();
        }
        Ok(array)
    }

    /// The length of a list. The unread bytes must be enough for it.
    pub(super) fn list_len(&mut self, property: &Property) -> Result<usize, ErrorAt> {
        let Some(list) = property.list else { return Ok(1) };
        let start = self.position();
        let len = self.number(list)?;
        let size = if self.encoding == Encoding::Text { 2 } else { property.scalar.size() };
        let most = self.n_left() / size;
        if !(len >= 0.0 && len <= most as f64 && len.fract() == 0.0) {
            let found = format!("a list {} of {len} items", property.name);
            let expected = format!("at most {most}, for which there are bytes");
            let kind = ReadErrorKind::syntax(found, expected);
            // In a text file the line is known only after the number.
            let position = if start.line().is_some() { self.position() } else { start };
            return Err(position.error(kind));
        }
        Ok(len as usize)
    }

    pub(super) fn skip_property(&mut self, property: &Property) -> Result<(), ErrorAt> {
        for _ in 0..self.list_len(property)? {
            if property.scalar == Scalar::Unknown {
                let word = self.words.next();
                self.check_row(word)?;
            } else {
                self.number(property.scalar)?;
            }
        }
        Ok(())
    }

    /// Skips all elements of a kind.
    pub(super) fn skip_all(&mut self, element: &Element) -> Result<(), ErrorAt> {
        for _ in 0..element.n {
            self.begin(element)?;
            element.properties.iter().try_for_each(|property| self.skip_property(property))?;
        }
        Ok(())
    }

    /// Returns the number of rows with more numbers than declared, and of the words or bytes after the last
    /// element, which must be 0 unless the file `may_go_on`. Blanks do not count.
    pub(super) fn end(mut self, may_go_on: bool) -> Result<(u64, u64), ErrorAt> {
        self.end_row()?;
        let rest = match self.encoding {
            Encoding::Text => match self.words.next() {
                Some(_) if may_go_on => {
                    let n_words = std::iter::from_fn(|| self.words.next()).count() as u64;
                    return Ok((self.n_long_rows, n_words + 1));
                }
                Some(word) => return Err(self.words.error(Some(word), "the end of the file")),
                None => return Ok((self.n_long_rows, 0)),
            },
            _ => &self.bytes[self.at..],
        };
        match rest.iter().position(|byte| !byte.is_ascii_whitespace()) {
            None => Ok((0, 0)),
            Some(_) if may_go_on => Ok((0, rest.len() as u64)),
            Some(_) => {
                let found = format!("{} bytes after the last element", rest.len());
                let kind = ReadErrorKind::syntax(found, "the end of the file");
                Err(Position::Byte(self.at as u64).error(kind))
            }
        }
    }
}

/// Whether a word is a number, or empty.
fn is_number(word: &[u8]) -> bool {
    word.is_empty() || words::number::<f64>(word).is_some()
}
