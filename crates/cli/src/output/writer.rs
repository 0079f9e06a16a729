//! Writes results of rays or of points in any format.

use std::io::Write;
use std::ops::Range;
use std::path::PathBuf;

use super::archive::{Archive, write_archive};
use super::target::Target;
use crate::args::OutputFormat;

/// Results of some rays or points, in the form of each format.
pub(crate) trait Chunk: Sync {
    type Arrays: Arrays;

    /// The number of rays or points.
    fn len(&self) -> usize;

    /// Appends the results of a range as text, NDJSON or CSV.
    fn append(&self, format: OutputFormat, range: Range<usize>, out: &mut Vec<u8>);

    /// # Errors
    /// A full disk, and more results than the arrays can number.
    fn push(&self, arrays: &mut Self::Arrays) -> anyhow::Result<()>;
}

/// The arrays of an NPZ file, which the writer writes at the end.
pub(crate) trait Arrays {
    /// Moves the arrays into an archive.
    ///
    /// # Errors
    /// A full disk.
    fn write(self, archive: &mut Archive) -> anyhow::Result<()>;
}

/// Writes results as they come, and arrays at the end.
pub(crate) struct Writer<A> {
    target: Target,
    format: OutputFormat,
    arrays: Option<Box<A>>,
}

impl<A: Arrays> Writer<A> {
    /// Writes the header of CSV, or creates the arrays of NPZ.
    ///
    /// # Errors
    /// A target that cannot be written, and an error of `arrays`.
    pub(crate) fn new(
        format: OutputFormat,
        csv_header: &str,
        arrays: impl FnOnce() -> anyhow::Result<A>,
        mut target: Target,
    ) -> anyhow::Result<Self> {
        if format == OutputFormat::Csv {
            target.write_all(csv_header.as_bytes())?;
        }
        let arrays = (format == OutputFormat::Npz).then(arrays).transpose()?.map(Box::new);
        Ok(Self { target, format, arrays })
    }

    /// Takes the next results.
    ///
    /// # Errors
    /// A target that cannot be written, and an error of [`Chunk::push`].
    pub(crate) fn write(&mut self, chunk: &impl Chunk<Arrays = A>) -> anyhow::Result<()> {
        if let Some(arrays) = &mut self.arrays {
            return chunk.push(arrays);
        }
        let format = self.format;
        self.target.write_formatted(chunk.len(), |range, out| chunk.append(format, range, out))
    }

    /// Completes the output. The file appears now.
    ///
    /// # Errors
    /// An output file that is one of `inputs`, and a target that cannot be written.
    pub(crate) fn finish(mut self, inputs: &[PathBuf]) -> anyhow::Result<()> {
        if let Some(arrays) = self.arrays {
            write_archive(&mut self.target, |archive| arrays.write(archive))?;
        }
        self.target.finish(inputs)
    }
}
