//! Opens streams of points.

use std::io::Read;

use super::reader::PointReader;
use super::{csv, ndjson, npy};
use crate::table::{TableFormat, TableInput, TableSource};

/// Opens a stream of points. Without `format`, the extension gives the format, or else the first bytes.
///
/// # Errors
/// A file that cannot be read or does not start in its format.
pub(crate) fn open(
    source: &TableSource,
    format: Option<TableFormat>,
) -> anyhow::Result<Box<dyn PointReader>> {
    reader_of(source.open(format, "points")?)
}

/// A stream of points from bytes. Errors call the input `name`. Without `format`, the first bytes give it.
///
/// # Errors
/// Input that cannot be read or does not start in its format.
pub fn from_reader(
    input: impl Read + 'static,
    name: String,
    format: Option<TableFormat>,
) -> anyhow::Result<Box<dyn PointReader>> {
    reader_of(TableInput::new(input, name, format, "points")?)
}

fn reader_of(input: TableInput) -> anyhow::Result<Box<dyn PointReader>> {
    let TableInput { reader, name, format } = input;
    Ok(match format {
        TableFormat::Csv => Box::new(csv::CsvPoints::new(reader, name)?),
        TableFormat::Ndjson => Box::new(ndjson::NdjsonPoints::new(reader, name)),
        TableFormat::Npy => Box::new(npy::NpyPoints::new(reader, name)?),
    })
}
