//! Files that gzip or Zstandard compressed.

use std::{
    io::{self, Read},
    ops::ControlFlow,
};

use hitscan_files::{Limit, ReadErrorKind};

/// A method of compression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compression {
    Gzip,
    Zstandard,
}

impl Compression {
    /// The method that the first bytes of a file show.
    pub(crate) fn of_start(start: &[u8]) -> Option<Self> {
        match start {
            [0x1f, 0x8b, ..] => Some(Self::Gzip),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Self::Zstandard),
            // A frame of other data, which decoders skip.
            [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Some(Self::Zstandard),
            _ => None,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Zstandard => "Zstandard",
        }
    }

    /// The uncompressed bytes of a whole file, at most `limit`. Calls `progress` about once per megabyte.
    pub(crate) fn decompress(
        self,
        input: impl Read,
        limit: u64,
        progress: &dyn Fn() -> ControlFlow<()>,
    ) -> Result<Vec<u8>, ReadErrorKind> {
        const STEP: usize = 1 << 20;
        let mut input = self.decoder(input)?;
        let mut bytes = Vec::new();
        loop {
            if progress().is_break() {
                return Err(ReadErrorKind::Cancelled);
            }
            bytes.try_reserve(STEP).map_err(|_| {
                let text = format!("no memory for {} uncompressed bytes", bytes.len() + STEP);
                io::Error::new(io::ErrorKind::OutOfMemory, text)
            })?;
            // One byte beyond the limit shows that there are more.
            let room = limit.saturating_sub(bytes.len() as u64).saturating_add(1);
            let step = input.by_ref().take(room.min(STEP as u64)).read_to_end(&mut bytes);
            let n = step.map_err(|error| self.damaged(&error))?;
            if bytes.len() as u64 > limit {
                return Err(ReadErrorKind::TooLarge {
                    what: "uncompressed bytes, or more",
                    found: bytes.len() as u64,
                    limit,
                    raised_by: Some(Limit::FileBytes),
                });
            }
            if n == 0 {
                return Ok(bytes);
            }
        }
    }

    /// The first `n` uncompressed bytes, or all if there are fewer.
    pub(crate) fn start(self, input: impl Read, n: usize) -> Result<Vec<u8>, ReadErrorKind> {
        let mut start = Vec::new();
        self.decoder(input)?.take(n as u64).read_to_end(&mut start)?;
        Ok(start)
    }

    #[cfg(feature = "compressed")]
    fn decoder<'i>(self, input: impl Read + 'i) -> Result<Box<dyn Read + 'i>, ReadErrorKind> {
        Ok(match self {
            Self::Gzip => Box::new(flate2::read::MultiGzDecoder::new(input)),
            Self::Zstandard => Box::new(crate::zstandard::Frames::new(input)),
        })
    }

    #[cfg(not(feature = "compressed"))]
    fn decoder<'i>(self, _: impl Read + 'i) -> Result<Box<dyn Read + 'i>, ReadErrorKind> {
        Err(ReadErrorKind::FormatLeftOut { format: self.name() })
    }

    fn damaged(self, error: &io::Error) -> ReadErrorKind {
        let text: String = error.to_string().chars().take(200).collect();
        let found = format!("damaged {} data ({})", self.name(), text.escape_default());
        ReadErrorKind::syntax(found, "a complete compressed file")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_bytes_show_the_method() {
        for (start, method) in [
            (&b"\x1f\x8b\x08"[..], Some(Compression::Gzip)),
            (b"\x28\xb5\x2f\xfd", Some(Compression::Zstandard)),
            (b"\x5a\x2a\x4d\x18", Some(Compression::Zstandard)),
            (b"v 1 2 3", None),
            (b"\x1f", None),
            (b"", None),
        ] {
            assert_eq!(Compression::of_start(start), method, "{start:?}");
        }
    }
}
