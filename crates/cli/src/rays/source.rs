//! Opens streams of rays.

use std::io::Read;

use super::range::DefaultRange;
use super::reader::RayReader;
use super::{csv, ndjson, npy};
use crate::table::{TableFormat, TableInput, TableSource};

/// Opens a stream of rays. Without `format`, the extension gives the format, or else the first bytes.
///
/// # Errors
/// A file that cannot be read or does not start in its format.
pub(crate) fn open(
    source: &TableSource,
    format: Option<TableFormat>,
    range: DefaultRange,
) -> anyhow::Result<Box<dyn RayReader>> {
    reader_of(source.open(format, "rays")?, range)
}

/// A stream of rays from bytes. Errors call the input `name`. Without `format`, the first bytes give it.
///
/// # Errors
/// Input that cannot be read or does not start in its format.
pub fn from_reader(
    input: impl Read + 'static,
    name: String,
    format: Option<TableFormat>,
    range: DefaultRange,
) -> anyhow::Result<Box<dyn RayReader>> {
    reader_of(TableInput::new(input, name, format, "rays")?, range)
}

fn reader_of(input: TableInput, range: DefaultRange) -> anyhow::Result<Box<dyn RayReader>> {
    let TableInput { reader, name, format } = input;
    Ok(match format {
        TableFormat::Csv => Box::new(csv::CsvRays::new(reader, name, range)?),
        TableFormat::Ndjson => Box::new(ndjson::NdjsonRays::new(reader, name, range)),
        TableFormat::Npy => Box::new(npy::NpyRays::new(reader, name, range)?),
    })
}
