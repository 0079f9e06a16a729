//! Zstandard files, which consist of frames.

use std::io::{self, BufRead, BufReader, Read};

use ruzstd::decoding::{
    BlockDecodingStrategy, FrameDecoder,
    errors::{FrameDecoderError, ReadFrameHeaderError},
};

/// The uncompressed bytes of all frames of a file.
pub(crate) struct Frames<R: Read> {
    input: BufReader<R>,
    decoder: FrameDecoder,
    is_in_frame: bool,
}

impl<R: Read> Frames<R> {
    pub(crate) fn new(input: R) -> Self {
        Self { input: BufReader::new(input), decoder: FrameDecoder::new(), is_in_frame: false }
    }

    /// Begins the next frame with data, and returns whether there is one.
    fn begin(&mut self) -> io::Result<bool> {
        while !self.input.fill_buf()?.is_empty() {
            match self.decoder.init(&mut self.input) {
                Ok(()) => return Ok(true),
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

    /// Compares the checksum of the frame, if it has one, with that of the data.
    fn check(&self) -> io::Result<()> {
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
                return self.decoder.read(into);
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
