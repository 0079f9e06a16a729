//! The rows of a table as rays or points, in single or double precision.

use anyhow::Context;

use super::columns::Schema;
use super::csv::CsvTable;
use super::format::TableFormat;
use super::input::Arrivals;
use super::json;
use super::lines::Lines;
use super::npy::NpyTable;
use super::number::{Decimal, Number};
use super::source::TableInput;

/// The maximum number of columns of a schema.
pub(crate) const MAX_COLUMNS: usize = 8;

/// The value of a row: a ray or a point.
pub(crate) trait Row: Sized {
    type Number: Number;

    const SCHEMA: &'static Schema;

    /// Fills the numbers of a line of NDJSON, in the order of the schema. Leaves absent optional ones alone.
    ///
    /// # Errors
    /// Text that is not such a row.
    fn read_json(text: &str, numbers: &mut [Self::Number; MAX_COLUMNS]) -> anyhow::Result<()>;

    /// The value of numbers in the order of the schema.
    fn from_numbers(numbers: [Self::Number; MAX_COLUMNS]) -> Self;
}

/// A stream of rays or points, which are `S` in single and `D` in double precision.
pub trait RowReader<S, D> {
    /// Appends the next rows, at most `max_rows`. Appends none at the end of the stream. Waits for the
    /// first alone: if the input pauses, it appends those that have arrived.
    ///
    /// The reader passes invalid rays on, which miss, and points that are not finite, which have no closest
    /// point.
    ///
    /// # Errors
    /// Text or data that is not such a row, with its file and its line or row.
    fn read(&mut self, rows: &mut Vec<S>, max_rows: usize) -> anyhow::Result<()>;

    /// [`read`](Self::read) in double precision.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    fn read_f64(&mut self, rows: &mut Vec<D>, max_rows: usize) -> anyhow::Result<()>;

    /// The number of all rows, if the format gives it.
    fn total(&self) -> Option<u64> {
        None
    }

    /// A sentence for each oddity of the file's beginning that changes no row.
    fn remarks(&self) -> Vec<String> {
        vec![]
    }
}

/// The single row of a command line, as a stream.
pub(crate) struct SingleRow<S, D>(pub(crate) Option<(anyhow::Result<S>, D)>);

impl<S, D> RowReader<S, D> for SingleRow<S, D> {
    fn read(&mut self, rows: &mut Vec<S>, max_rows: usize) -> anyhow::Result<()> {
        if let Some((row, _)) = self.0.take_if(|_| max_rows > 0) {
            rows.push(row?);
        }
        Ok(())
    }

    fn read_f64(&mut self, rows: &mut Vec<D>, max_rows: usize) -> anyhow::Result<()> {
        rows.extend(self.0.take_if(|_| max_rows > 0).map(|(_, row)| row));
        Ok(())
    }

    fn total(&self) -> Option<u64> {
        Some(1)
    }
}

/// A table of any format.
pub(crate) struct Table {
    data: Data,
    /// The numbers of optional columns that a row lacks.
    defaults: Vec<Decimal>,
}

type Input = Box<dyn Arrivals>;

enum Data {
    Csv(CsvTable<Input>),
    Ndjson(Lines<Input>),
    Npy(NpyTable<Input>),
}

impl Table {
    /// A table of rows of a schema. `defaults` are the numbers of optional columns that a row lacks.
    ///
    /// # Errors
    /// Input that does not start in its format.
    pub(crate) fn new(
        input: TableInput,
        schema: &'static Schema,
        defaults: Vec<Decimal>,
    ) -> anyhow::Result<Self> {
        let TableInput { reader, name, format } = input;
        let data = match format {
            TableFormat::Csv => Data::Csv(CsvTable::new(reader, name, schema)?),
            TableFormat::Ndjson => Data::Ndjson(Lines::new(reader, name)),
            TableFormat::Npy => Data::Npy(NpyTable::new(reader, name, &schema.widths())?),
        };
        Ok(Self { data, defaults })
    }

    fn read_rows<R: Row>(&mut self, rows: &mut Vec<R>, max_rows: usize) -> anyhow::Result<()> {
        let mut defaults = [R::Number::from_f32(0.0); MAX_COLUMNS];
        let optional = &mut defaults[R::SCHEMA.n_required..];
        for (number, default) in optional.iter_mut().zip(&self.defaults) {
            *number = R::Number::of(*default);
        }
        match &mut self.data {
            Data::Csv(table) => {
                for n in 0..max_rows {
                    let mut numbers = defaults;
                    if n > 0 && !table.has_arrived(n) || !table.read_row(&mut numbers)? {
                        break;
                    }
                    rows.push(R::from_numbers(numbers));
                }
            }
            Data::Ndjson(lines) => {
                for n in 0..max_rows {
                    if n > 0 && !lines.has_arrived(n, |_| false) {
                        break;
                    }
                    let Some(line) = lines.next()? else { break };
                    let mut numbers = defaults;
                    let parsed = json::text(line).and_then(|t| R::read_json(&t, &mut numbers));
                    parsed.with_context(|| lines.location())?;
                    rows.push(R::from_numbers(numbers));
                }
            }
            Data::Npy(table) => {
                let read: Vec<R::Number> = table.read(max_rows)?;
                rows.extend(read.chunks_exact(table.width()).map(|row| {
                    let mut numbers = defaults;
                    numbers[..row.len()].copy_from_slice(row);
                    R::from_numbers(numbers)
                }));
            }
        }
        Ok(())
    }
}

impl<S: Row, D: Row> RowReader<S, D> for Table {
    fn read(&mut self, rows: &mut Vec<S>, max_rows: usize) -> anyhow::Result<()> {
        self.read_rows(rows, max_rows)
    }

    fn read_f64(&mut self, rows: &mut Vec<D>, max_rows: usize) -> anyhow::Result<()> {
        self.read_rows(rows, max_rows)
    }

    fn total(&self) -> Option<u64> {
        match &self.data {
            Data::Npy(table) => Some(table.n_rows()),
            Data::Csv(_) | Data::Ndjson(_) => None,
        }
    }

    fn remarks(&self) -> Vec<String> {
        match &self.data {
            Data::Csv(table) => table.remarks(),
            Data::Ndjson(_) | Data::Npy(_) => vec![],
        }
    }
}
