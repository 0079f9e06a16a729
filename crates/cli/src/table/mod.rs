//! Tables of numbers, as streams of rows: the text and array formats that rays and points share.

mod columns;
mod csv;
mod format;
mod input;
pub(crate) mod json;
mod lines;
mod npy;
mod number;
mod source;

pub(crate) use columns::Schema;
pub(crate) use csv::CsvTable;
pub use format::TableFormat;
pub(crate) use input::Arrivals;
pub(crate) use lines::Lines;
#[cfg(test)]
pub(crate) use npy::MAGIC;
pub(crate) use npy::NpyTable;
pub use number::Decimal;
pub(crate) use number::Number;
pub(crate) use source::{TableInput, TableSource};
