//! Writes the results of rays in any format.

use std::io::Write;
use std::ops::Range;
use std::path::PathBuf;

use super::results::Results;
use super::target::Target;
use super::{csv, ndjson, npz, text};
use crate::args::{Field, OutputFormat};
use crate::query::Query;

/// Appends the results of a range of the rays.
type FormatSlice = fn(&Results<'_>, Range<usize>, &mut Vec<u8>);

/// Writes results as they come.
pub(crate) enum ResultWriter {
    /// A format with separate results for each ray.
    Stream { target: Target, format: FormatSlice },
    /// Arrays over all rays, written at the end.
    Arrays { target: Target, arrays: Box<npz::Arrays> },
}

impl ResultWriter {
    /// Writes the header of the format, if it has one.
    ///
    /// # Errors
    /// A target that cannot be written.
    pub(crate) fn new(
        format: OutputFormat,
        query: Query,
        fields: &[Field],
        of_scene: bool,
        mut target: Target,
    ) -> anyhow::Result<Self> {
        let format: FormatSlice = match format {
            OutputFormat::Text => text::append,
            OutputFormat::Ndjson => ndjson::append,
            OutputFormat::Csv => {
                target.write_all(csv::header(query, fields).as_bytes())?;
                csv::append
            }
            OutputFormat::Npz => {
                let arrays = npz::Arrays::new(query, fields, of_scene)?;
                return Ok(Self::Arrays { target, arrays: Box::new(arrays) });
            }
        };
        Ok(Self::Stream { target, format })
    }

    /// Takes the next results.
    ///
    /// # Errors
    /// A target that cannot be written, and more rays than the format can number.
    pub(crate) fn write(&mut self, results: &Results<'_>) -> anyhow::Result<()> {
        match self {
            Self::Stream { target, format } => {
                target.write_formatted(results.rays.len(), |rays, out| format(results, rays, out))
            }
            Self::Arrays { arrays, .. } => arrays.push(results),
        }
    }

    /// Completes the output. The file appears now.
    ///
    /// # Errors
    /// An output file that is one of `inputs`, and a target that cannot be written.
    pub(crate) fn finish(self, inputs: &[PathBuf]) -> anyhow::Result<()> {
        match self {
            Self::Stream { target, .. } => target.finish(inputs),
            Self::Arrays { mut target, arrays } => {
                arrays.write(&mut target)?;
                target.finish(inputs)
            }
        }
    }
}

/// The fields that a format has without the flag. Only a scene has instances.
pub(crate) fn default_fields(format: OutputFormat, of_scene: bool) -> Vec<Field> {
    use Field::{
        Distance, Group, Instance, Material, Normal, Object, Path, Point, Polygon, Side, T,
        Triangle, Vertices, W1, W2,
    };
    let fields: &[Field] = match format {
        OutputFormat::Npz => &[T, Instance, Triangle, W1, W2, Normal],
        OutputFormat::Csv => &[
            T, Point, Normal, Side, W1, W2, Instance, Path, Triangle, Polygon, Object, Group,
            Material,
        ],
        OutputFormat::Text | OutputFormat::Ndjson => &[
            T, Distance, Point, Normal, Side, W1, W2, Instance, Path, Triangle, Vertices, Polygon,
            Object, Group, Material,
        ],
    };
    let has = |field: &Field| of_scene || !matches!(field, Instance | Path);
    fields.iter().copied().filter(has).collect()
}
