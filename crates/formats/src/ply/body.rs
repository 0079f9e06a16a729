//! The data of a PLY file, after its header.

use hitscan_files::ReadErrorKind;

use super::header::{Element, Encoding, Header, Property, Scalar};
use crate::{
    error_at::{ErrorAt, Position},
    words::Words,
};

/// A cursor over the numbers of a text or binary file.
#[derive(Debug)]
pub(super) struct Body<'a> {
    bytes: &'a [u8],
    encoding: Encoding,
    words: Words<'a>,
    /// The offset in a binary file.
    at: usize,
}

impl<'a> Body<'a> {
    pub(super) fn new(bytes: &'a [u8], header: &Header) -> Self {
        let words = Words::new(bytes, header.len, header.n_lines + 1);
        Self { bytes, encoding: header.encoding, words, at: header.len }
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
            self.words.skip_blanks();
            if self.words.n_left() == 0 {
                return Err(self.words.error(None, format!("an element {}", element.name)));
            }
        }
        Ok(())
    }

    pub(super) fn number(&mut self, scalar: Scalar) -> Result<f64, ErrorAt> {
        if self.encoding == Encoding::Text {
            return match scalar {
                // Rounds only once. Rounding to `f64` first could give another number.
                Scalar::F32 => self.words.number::<f32>("a number").map(f64::from),
                _ => self.words.number("a number"),
            };
        }
        Ok(match scalar {
            Scalar::I8 => f64::from(i8::from_le_bytes(self.take()?)),
            Scalar::U8 => f64::from(u8::from_le_bytes(self.take()?)),
            Scalar::I16 => f64::from(i16::from_le_bytes(self.take()?)),
            Scalar::U16 => f64::from(u16::from_le_bytes(self.take()?)),
            Scalar::I32 => f64::from(i32::from_le_bytes(self.take()?)),
            Scalar::U32 => f64::from(u32::from_le_bytes(self.take()?)),
            Scalar::F32 => f64::from(f32::from_le_bytes(self.take()?)),
            Scalar::F64 => f64::from_le_bytes(self.take()?),
        })
    }

    /// The next bytes of a binary file, the least significant first.
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
            self.number(property.scalar)?;
        }
        Ok(())
    }

    pub(super) fn skip(&mut self, element: &Element) -> Result<(), ErrorAt> {
        element.properties.iter().try_for_each(|property| self.skip_property(property))
    }

    /// Checks that only blanks, or line endings in a binary file, are unread.
    pub(super) fn end(mut self) -> Result<(), ErrorAt> {
        let rest = match self.encoding {
            Encoding::Text => match self.words.next() {
                Some(word) => return Err(self.words.error(Some(word), "the end of the file")),
                None => return Ok(()),
            },
            _ => &self.bytes[self.at..],
        };
        match rest.iter().position(|byte| !byte.is_ascii_whitespace()) {
            None => Ok(()),
            Some(_) => {
                let found = format!("{} bytes after the last element", rest.len());
                let kind = ReadErrorKind::syntax(found, "the end of the file");
                Err(Position::Byte(self.at as u64).error(kind))
            }
        }
    }
}
