//! The encoding of the small sections: little-endian numbers and texts.
//!
//! A reader compares each count with the unread bytes before it allocates, so memory stays in
//! proportion to the input.

use bytemuck::{AnyBitPattern, NoUninit, cast_slice_mut};

/// Writes numbers and texts.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    pub(crate) bytes: Vec<u8>,
}

impl Writer {
    pub(crate) fn u32(&mut self, value: u32) {
        self.bytes.extend(value.to_le_bytes());
    }

    pub(crate) fn u64(&mut self, value: u64) {
        self.bytes.extend(value.to_le_bytes());
    }

    pub(crate) fn f32(&mut self, value: f32) {
        self.u32(value.to_bits());
    }

    pub(crate) fn bool(&mut self, value: bool) {
        self.u32(u32::from(value));
    }

    /// Writes a list of numbers as its length and its memory.
    pub(crate) fn numbers<T: NoUninit>(&mut self, values: &[T]) {
        self.u64(values.len() as u64);
        self.bytes.extend_from_slice(bytemuck::cast_slice(values));
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.blob(text.as_bytes());
    }

    /// Writes bytes as a text, padded so that the encoding is never much shorter than the list in
    /// memory.
    pub(crate) fn blob(&mut self, bytes: &[u8]) {
        self.u64(bytes.len() as u64);
        self.bytes.extend_from_slice(bytes);
        self.bytes.resize(self.bytes.len() + padding(bytes.len()), 0);
    }

    pub(crate) fn texts(&mut self, texts: &[String]) {
        self.u64(texts.len() as u64);
        texts.iter().for_each(|text| self.text(text));
    }
}

/// The padding of a text to a multiple of [`SHORTEST_TEXT`].
fn padding(len: usize) -> usize {
    (len + 8).next_multiple_of(SHORTEST_TEXT) - (len + 8)
}

/// The minimum size of a text in bytes.
const SHORTEST_TEXT: usize = 16;

/// Reads the output of a [`Writer`]. Errors describe the problem.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    fn take(&mut self, n: usize) -> Result<&'a [u8], String> {
        let (taken, rest) = self
            .bytes
            .split_at_checked(n)
            .ok_or_else(|| format!("{} bytes left, expected {n}", self.bytes.len()))?;
        self.bytes = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], String> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    pub(crate) fn u32(&mut self) -> Result<u32, String> {
        self.array().map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self) -> Result<u64, String> {
        self.array().map(u64::from_le_bytes)
    }

    pub(crate) fn f32(&mut self) -> Result<f32, String> {
        self.u32().map(f32::from_bits)
    }

    pub(crate) fn bool(&mut self) -> Result<bool, String> {
        match self.u32()? {
            0 => Ok(false),
            1 => Ok(true),
            found => Err(format!("found {found}, expected 0 or 1")),
        }
    }

    /// Reads a count of items of at least `size` bytes each.
    pub(crate) fn count(&mut self, size: usize) -> Result<usize, String> {
        let (found, most) = (self.u64()?, self.bytes.len() / size);
        match usize::try_from(found) {
            Ok(n) if n <= most => Ok(n),
            _ => Err(format!("a count of {found}, there are bytes for {most}")),
        }
    }

    pub(crate) fn numbers<T: AnyBitPattern + NoUninit>(&mut self) -> Result<Vec<T>, String> {
        let n = self.count(size_of::<T>())?;
        let bytes = self.take(n * size_of::<T>())?;
        let mut numbers = room_for(n)?;
        numbers.resize(n, T::zeroed());
        cast_slice_mut(&mut numbers).copy_from_slice(bytes);
        Ok(numbers)
    }

    pub(crate) fn blob(&mut self) -> Result<&'a [u8], String> {
        let len = self.count(1)?;
        let bytes = self.take(len)?;
        self.take(padding(len))?;
        Ok(bytes)
    }

    pub(crate) fn text(&mut self) -> Result<String, String> {
        let text = str::from_utf8(self.blob()?);
        let text = text.map_err(|error| format!("a text that is none: {error}"))?;
        let mut owned = String::new();
        owned.try_reserve_exact(text.len()).map_err(|_| no_memory(text.len()))?;
        owned.push_str(text);
        Ok(owned)
    }

    /// Items behind their number. Each takes at least `shortest` bytes.
    pub(crate) fn list<T>(
        &mut self,
        shortest: usize,
        mut item: impl FnMut(&mut Self) -> Result<T, String>,
    ) -> Result<Vec<T>, String> {
        let n = self.count(shortest)?;
        let mut items = room_for(n)?;
        for _ in 0..n {
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// A value that may be none, and whose bytes are there all the same.
    pub(crate) fn optional<T>(
        &mut self,
        value: impl FnOnce(&mut Self) -> Result<T, String>,
    ) -> Result<Option<T>, String> {
        let (is_some, value) = (self.bool()?, value(self)?);
        Ok(is_some.then_some(value))
    }

    pub(crate) fn texts(&mut self) -> Result<Vec<String>, String> {
        self.list(SHORTEST_TEXT, Self::text)
    }

    /// Checks that no bytes are unread.
    pub(crate) fn end(self) -> Result<(), String> {
        match self.bytes.len() {
            0 => Ok(()),
            n => Err(format!("{n} bytes more than expected")),
        }
    }
}

/// An empty vector with room for `n` items, or an error where there is no memory for them.
fn room_for<T>(n: usize) -> Result<Vec<T>, String> {
    let mut items = Vec::new();
    items.try_reserve_exact(n).map_err(|_| no_memory(n.saturating_mul(size_of::<T>())))?;
    Ok(items)
}

fn no_memory(n_bytes: usize) -> String {
    format!("no memory for {n_bytes} bytes")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read() {
        let mut writer = Writer::default();
        writer.texts(&[String::new(), "of eight".to_owned(), "of nine b".to_owned()]);
        writer.numbers(&[1u64, u64::MAX]);
        writer.bool(true);
        assert_eq!(writer.bytes.len(), 8 + 16 + 16 + 32 + 8 + 16 + 4);
        let mut reader = Reader::new(&writer.bytes);
        assert_eq!(reader.texts().unwrap()[2], "of nine b");
        assert_eq!(reader.numbers::<u64>().unwrap(), [1, u64::MAX]);
        assert!(reader.bool().unwrap());
        reader.end().unwrap();
    }

    #[test]
    fn counts_that_the_bytes_cannot_hold_are_refused() {
        for n in [2, 1 << 40, u64::MAX] {
            let mut writer = Writer::default();
            writer.u64(n);
            writer.bytes.extend([0; 16]);
            assert!(Reader::new(&writer.bytes).texts().is_err(), "{n}");
        }
        assert!(Reader::new(&[1, 0, 0, 0, 0, 0, 0, 0, 0xff].repeat(4)).text().is_err());
        assert!(Reader::new(&[2, 0, 0, 0]).bool().is_err());
        assert!(Reader::new(&[0]).end().is_err());
    }
}
