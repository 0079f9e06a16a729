//! Results as NumPy arrays in a zip archive, under the names of Open3D's `RaycastingScene`.

use std::fs::File;
use std::io::{self, Read, Seek, Write};

use anyhow::Context;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::columns::{Column, HitColumns};
use super::npy::{self, NpyNumber};
use super::results::Results;
use super::target::Target;
use crate::field::Field;
use crate::query::{Answer, Query};

/// The arrays of a query. They are complete after the last push.
pub(crate) enum Arrays {
    /// An entry per ray.
    Closest(HitColumns),
    /// An entry per hit. The hits of ray i start at `ray_splits[i]` and end before `ray_splits[i + 1]`.
    All { ray_splits: Column, ray_ids: Column, hits: HitColumns },
    /// Whether each ray hits anything, or how often.
    Plain(Column),
}

impl Arrays {
    /// # Errors
    /// A full disk.
    pub(super) fn new(query: Query, fields: &[Field], of_scene: bool) -> anyhow::Result<Self> {
        let hits = || HitColumns::new(fields, of_scene);
        Ok(match query {
            Query::Closest => Self::Closest(hits()),
            Query::All(_) => {
                let mut ray_splits = Column::new("ray_splits", "<u8", 1);
                ray_splits.push([0u64.to_le_bytes()])?;
                Self::All { ray_splits, ray_ids: Column::new("ray_ids", "<u4", 1), hits: hits() }
            }
            Query::Any => Self::Plain(Column::new("occluded", "|b1", 1)),
            Query::Count => Self::Plain(Column::new("crossings", "<u4", 1)),
        })
    }

    pub(super) fn push(&mut self, results: &Results<'_>) -> anyhow::Result<()> {
        for i in 0..results.rays.len() {
            match (&mut *self, results.answers.of(i)) {
                (Self::Closest(columns), Answer::Hits(hits)) => {
                    let record = hits.first().map(|hit| results.record(i, hit));
                    columns.push(record.as_ref())?;
                }
                (Self::All { ray_splits, ray_ids, hits: columns }, Answer::Hits(hits)) => {
                    let ray = u32::try_from(results.first_ray + i as u64)
                        .context("found more than 2^32 rays; expected fewer, because ray_ids are 32-bit numbers")?;
                    for hit in hits {
                        ray_ids.push([ray.to_le_bytes()])?;
                        columns.push(Some(&results.record(i, hit)))?;
                    }
                    ray_splits.push([ray_ids.n_entries().to_le_bytes()])?;
                }
                (Self::Plain(column), Answer::Occluded(is_occluded)) => {
                    column.push([[u8::from(is_occluded)]])?;
                }
                (Self::Plain(column), Answer::Crossings(n)) => column.push([n.to_le_bytes()])?,
                _ => unreachable!("the arrays belong to the query of the answers"),
            }
        }
        Ok(())
    }

    pub(super) fn write(self, target: &mut Target) -> anyhow::Result<()> {
        write_archive(target, |archive| match self {
            Self::Closest(columns) => columns.write(archive),
            Self::All { ray_splits, ray_ids, hits } => {
                ray_splits.write(archive)?;
                ray_ids.write(archive)?;
                hits.write(archive)
            }
            Self::Plain(column) => column.write(archive),
        })
    }
}

/// Writes an archive. `fill` adds its arrays.
///
/// # Errors
/// Those of `fill`, and a target that cannot be written.
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
    /// Adds an array in C order, with the dtype of `T`.
    ///
    /// # Errors
    /// A full disk.
    pub(crate) fn add<T: NpyNumber>(
        &mut self,
        name: &str,
        shape: &[u64],
        values: &[T],
    ) -> anyhow::Result<()> {
        self.start(name, size_of_val(values) as u64)?;
        Ok(npy::write(&mut self.zip, shape, values)?)
    }

    /// Adds an array in C order, whose values are the bytes of a file.
    ///
    /// # Errors
    /// A full disk.
    pub(super) fn add_file(
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
