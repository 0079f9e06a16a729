//! NPZ files: zip archives of NumPy arrays.

use std::fs::File;
use std::io::{self, Read, Seek, Write};

use anyhow::Context;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::npy;
use super::target::Target;

/// Writes an archive. `fill` adds its arrays.
///
/// # Errors
/// The errors of `fill`, and a target that cannot be written.
pub(crate) fn write_archive(
    target: &mut Target,
    fill: impl FnOnce(&mut Archive) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    // Writing an archive needs to seek, so it goes to a file first.
    let file = tempfile::tempfile().context("cannot create a temporary file")?;
    let mut archive = Archive { zip: ZipWriter::new(io::BufWriter::new(file)) };
    fill(&mut archive)?;
    let file = archive.zip.finish()?;
    let mut file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.rewind()?;
    io::copy(&mut file, target)?;
    Ok(())
}

/// A zip archive of arrays in a temporary file.
pub(crate) struct Archive {
    zip: ZipWriter<io::BufWriter<File>>,
}

impl Archive {
    /// Adds an array in C order, whose values are the bytes of a file.
    ///
    /// # Errors
    /// A full disk.
    pub(super) fn add(
        &mut self,
        name: &str,
        dtype: &str,
        shape: &[u64],
        mut values: impl Read + Seek,
    ) -> anyhow::Result<()> {
        let size = values.seek(io::SeekFrom::End(0))?;
        values.rewind()?;
        self.start(name, size)?;
        self.zip.write_all(&npy::header(dtype, shape))?;
        io::copy(&mut values, &mut self.zip)?;
        Ok(())
    }

    /// Adds an array of names, as NumPy stores text: 32-bit characters, each name as long as the longest.
    ///
    /// # Errors
    /// A full disk.
    pub(super) fn add_names(&mut self, name: &str, names: &[String]) -> anyhow::Result<()> {
        let length = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).max(1);
        self.start(name, (4 * length * names.len()) as u64)?;
        self.zip.write_all(&npy::header(&format!("<U{length}"), &[names.len() as u64]))?;
        for name in names {
            let padded = name.chars().chain(std::iter::repeat('\0')).take(length);
            for character in padded {
                self.zip.write_all(&u32::from(character).to_le_bytes())?;
            }
        }
        Ok(())
    }

    /// Starts a member of about `size` bytes.
    fn start(&mut self, name: &str, size: u64) -> anyhow::Result<()> {
        // A member of 4 GiB or more needs zip64. Smaller members do without, for older readers.
        let is_large = size >= u64::from(u32::MAX) - (1 << 16);
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Stored)
            .large_file(is_large);
        Ok(self.zip.start_file(format!("{name}.npy"), options)?)
    }
}
