//! Files that gzip or Zstandard compressed.

use std::{
    io::{self, Read},
    ops::ControlFlow,
};

use hitscan_files::{Limit, LoadOptions, ReadErrorKind};

#[cfg(feature = "compressed")]
use crate::zstandard::{Frames, Refused};

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

    /// The uncompressed bytes of a whole file of `len` bytes, within the limits of the options. Calls
    /// `progress` about once per megabyte.
    pub(crate) fn decompress(
        self,
        input: impl Read,
        len: u64,
        options: &LoadOptions,
        progress: &dyn Fn() -> ControlFlow<()>,
    ) -> Result<Vec<u8>, ReadErrorKind> {
        const STEP: usize = 1 << 20;
        let limit = SizeLimit::new(len, options);
        let mut input = self.decoder(input, limit.bytes)?;
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
            let room = limit.bytes.saturating_sub(bytes.len() as u64).saturating_add(1);
            let step = input.by_ref().take(room.min(STEP as u64)).read_to_end(&mut bytes);
            let n = step.map_err(|error| self.error(&error, &limit))?;
            if bytes.len() as u64 > limit.bytes {
                return Err(limit.error("uncompressed bytes, or more", bytes.len() as u64));
            }
            if n == 0 {
                return Ok(bytes);
            }
        }
    }

    /// The first `n` uncompressed bytes, or all if there are fewer.
    pub(crate) fn start(self, input: impl Read, n: usize) -> Result<Vec<u8>, ReadErrorKind> {
        let mut start = Vec::new();
        self.decoder(input, u64::MAX)?.take(n as u64).read_to_end(&mut start)?;
        Ok(start)
    }

    /// A decoder that may refuse data whose header says that they are longer than `limit`.
    #[cfg(feature = "compressed")]
    fn decoder<'i>(
        self,
        input: impl Read + 'i,
        limit: u64,
    ) -> Result<Box<dyn Read + 'i>, ReadErrorKind> {
        Ok(match self {
            Self::Gzip => Box::new(flate2::read::MultiGzDecoder::new(input)),
            Self::Zstandard => Box::new(Frames::new(input, limit)),
        })
    }

    #[cfg(not(feature = "compressed"))]
    fn decoder<'i>(self, _: impl Read + 'i, _: u64) -> Result<Box<dyn Read + 'i>, ReadErrorKind> {
        Err(ReadErrorKind::FormatLeftOut { format: self.name() })
    }

    /// The error for an error of the decoder.
    #[cfg_attr(not(feature = "compressed"), allow(unused_variables, reason = "no size is known"))]
    fn error(self, error: &io::Error, limit: &SizeLimit) -> ReadErrorKind {
        #[cfg(feature = "compressed")]
        match error.get_ref().and_then(|error| error.downcast_ref()) {
            Some(Refused::Size { found }) => {
                return limit.error("uncompressed bytes, as a frame says", *found);
            }
            Some(Refused::Window { found, limit }) => {
                return ReadErrorKind::syntax(
                    format!("a Zstandard frame that needs a window of {found} bytes"),
                    format!("at most {limit}; compress it without --long or --ultra"),
                );
            }
            None => {}
        }
        let text: String = error.to_string().chars().take(200).collect();
        let found = format!("damaged {} data ({})", self.name(), text.escape_default());
        ReadErrorKind::syntax(found, "a complete compressed file")
    }
}

/// The maximum number of uncompressed bytes.
#[derive(Clone, Copy, Debug)]
struct SizeLimit {
    bytes: u64,
    raised_by: Limit,
}

impl SizeLimit {
    /// The lower limit of the options for a compressed file of `len` bytes.
    fn new(len: u64, options: &LoadOptions) -> Self {
        let expanded = len.saturating_mul(LoadOptions::EXPANSION);
        let expanded = expanded.saturating_add(options.max_expanded_bytes);
        match options.max_file_bytes <= expanded {
            true => Self { bytes: options.max_file_bytes, raised_by: Limit::FileBytes },
            false => Self { bytes: expanded, raised_by: Limit::ExpandedBytes },
        }
    }

    fn error(self, what: &'static str, found: u64) -> ReadErrorKind {
        let Self { bytes: limit, raised_by } = self;
        ReadErrorKind::TooLarge { what, found, limit, raised_by: Some(raised_by) }
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
