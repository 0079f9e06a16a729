//! Tables of numbers, as streams of rows: the text and array formats that rays and points share.

mod columns;
mod csv;
mod format;
mod input;
pub(crate) mod json;
mod lines;
mod npy;
mod number;
mod rows;
mod source;

pub(crate) use columns::Schema;
pub use format::TableFormat;
#[cfg(test)]
pub(crate) use npy::MAGIC;
pub use number::Decimal;
pub(crate) use number::Number;
pub use rows::RowReader;
pub(crate) use rows::{MAX_COLUMNS, Row, SingleRow, Table};
pub(crate) use source::{TableInput, TableSource};
