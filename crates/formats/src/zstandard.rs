//! Zstandard files, which consist of frames.

use std::io::{self, BufRead, BufReader, Read};

use ruzstd::decoding::{
    BlockDecodingStrategy, FrameDecoder,
    errors::{FrameDecoderError, ReadFrameHeaderError},
};
use thiserror::Error;

/// The maximum number of bytes that a decoder keeps to copy from. Programs that compress ask for more only on
/// request.
const MAX_WINDOW: u64 = 128 << 20;

/// The reason why a decoder refuses data that may be sound.
#[derive(Debug, Error)]
pub(crate) enum Refused {
    /// The data are longer than the limit.
    #[error("{found} bytes")]
    Size { found: u64 },
    /// The decoder would keep more bytes than it may.
    #[error("a window of {found} bytes; expected at most {limit}")]
    Window { found: u64, limit: u64 },
}

/// The uncompressed bytes of all frames of a file.
pub(crate) struct Frames<R: Read> {
    input: BufReader<R>,
    decoder: FrameDecoder,
    is_in_frame: bool,
    /// The number of bytes of the frame so far.
    n_of_frame: u64,
    /// The maximum number of bytes that the headers of the unfinished frames may promise.
    n_left: u64,
}

impl<R: Read> Frames<R> {
    pub(crate) fn new(input: R, limit: u64) -> Self {
        let mut decoder = FrameDecoder::new();
        decoder.set_max_window_size(MAX_WINDOW);
        let input = BufReader::new(input);
        Self { input, decoder, is_in_frame: false, n_of_frame: 0, n_left: limit }
    }

    /// Begins the next frame with data, and returns whether there is one.
    fn begin(&mut self) -> io::Result<bool> {
        while !self.input.fill_buf()?.is_empty() {
            match self.decoder.init(&mut self.input) {
                Ok(()) => {
                    let found = self.decoder.content_size();
                    if found > self.n_left {
                        return Err(io::Error::other(Refused::Size { found }));
                    }
                    self.n_of_frame = 0;
                    return Ok(true);
                }
                // The size of a frame may be that of its window.
                Err(FrameDecoderError::WindowSizeTooBig { requested, max }) => {
                    let window = Refused::Window { found: requested, limit: max };
                    return Err(io::Error::other(window));
                }
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    let mut skipped = self.input.by_ref().take(u64::from(length));
                    if io::copy(&mut skipped, &mut io::sink())? < u64::from(length) {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                }
                Err(error) => return Err(io::Error::other(error)),
            }
        }
        Ok(false)
    }

    /// Compares the length and the checksum of the frame, if it has them, with those of the data.
    fn check(&self) -> io::Result<()> {
        let expected = self.decoder.content_size();
        if expected > 0 && expected != self.n_of_frame {
            return Err(io::Error::other("the length of a frame does not match its data"));
        }
        match (self.decoder.get_checksum_from_data(), self.decoder.get_calculated_checksum()) {
            (Some(expected), Some(found)) if expected != found => {
                Err(io::Error::other("the checksum of a frame does not match its data"))
            }
            _ => Ok(()),
        }
    }
}

impl<R: Read> Read for Frames<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if into.is_empty() {
            return Ok(0);
        }
        loop {
            if !self.is_in_frame {
                if !self.begin()? {
                    return Ok(0);
                }
                self.is_in_frame = true;
            }
            if self.decoder.can_collect() > 0 {
                let n = self.decoder.read(into)?;
                self.n_of_frame += n as u64;
                self.n_left = self.n_left.saturating_sub(n as u64);
                return Ok(n);
            }
            if self.decoder.is_finished() {
                self.check()?;
                self.is_in_frame = false;
                continue;
            }
            let strategy = BlockDecodingStrategy::UptoBlocks(1);
            self.decoder.decode_blocks(&mut self.input, strategy).map_err(io::Error::other)?;
        }
    }
}
