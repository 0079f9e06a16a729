//! Rows of comma-separated values, also as NumPy and pandas write them.
//!
//! A header names the columns; `numpy.savetxt` puts it into a comment. Without a header, the columns are
//! those of the schema. Semicolons, commas or white space separate the fields of a row.

use anyhow::{Context, bail};

use super::columns::{Columns, Schema, shown};
use super::input::Arrivals;
use super::lines::Lines;
use super::number::Number;

/// A stream of rows in CSV. No field spans lines, so a line is a row.
pub(super) struct CsvTable<R> {
    lines: Lines<R>,
    rows: Rows,
    /// The first row of a file without a header, with its location.
    first_row: Option<(Vec<u8>, String)>,
    name: String,
}

/// The form of the rows.
struct Rows {
    schema: &'static Schema,
    columns: Columns,
    /// The separator of the fields, known from the first row on.
    separator: Option<Separator>,
}

/// The separator of the fields of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Separator {
    Byte(u8),
    WhiteSpace,
}

impl<R: Arrivals> CsvTable<R> {
    /// Reads up to the header, or up to the first row of a file without one.
    ///
    /// # Errors
    /// A header that does not name the columns, and a first row with another number of values.
    pub(crate) fn new(input: R, name: String, schema: &'static Schema) -> anyhow::Result<Self> {
        let mut lines = Lines::new(input, name.clone());
        let (columns, first_row) = loop {
            let line = lines.next()?.unwrap_or_default().to_vec();
            if let Some(comment) = line.strip_prefix(b"#") {
                // Three names are no accident: better an error than rows with swapped columns.
                if schema.n_names(fields(comment, Separator::of(comment))) >= 3 {
                    break (header(schema, comment, &lines.location())?, None);
                }
                continue;
            }
            if line.is_empty() || !is_row(schema, &line) {
                break (header(schema, &line, &lines.location())?, None);
            }
            let n = fields(&line, Separator::of(&line)).count();
            let location = lines.location();
            let columns = Columns::by_position(schema, n).with_context(|| {
                format!("{location}: found {n} numbers and no header; {}", schema.expected)
            })?;
            break (columns, Some((line, location)));
        };
        Ok(Self { lines, rows: Rows { schema, columns, separator: None }, first_row, name })
    }

    /// Reads the next row into `numbers`, which have the order of the schema. Absent columns and empty
    /// optional fields leave their numbers alone. Returns whether there was a row.
    ///
    /// # Errors
    /// A row with a wrong number of values or with something else than numbers.
    pub(crate) fn read_row<N: Number>(&mut self, numbers: &mut [N]) -> anyhow::Result<bool> {
        if let Some((line, location)) = self.first_row.take() {
            self.rows.parse(&line, numbers).context(location)?;
            return Ok(true);
        }
        while let Some(line) = self.lines.next()? {
            if !line.starts_with(b"#") {
                let parsed = self.rows.parse(line, numbers);
                parsed.with_context(|| self.lines.location())?;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether the next row is here; see [`Lines::has_arrived`].
    pub(crate) fn has_arrived(&mut self, rows: usize) -> bool {
        self.first_row.is_some() || self.lines.has_arrived(rows, |line| line.starts_with(b"#"))
    }

    /// A sentence about the columns that the reader ignores, if there are any.
    pub(crate) fn remarks(&self) -> Vec<String> {
        match self.rows.columns.ignored() {
            [] => vec![],
            names => vec![format!("{}: ignoring the columns {}", self.name, names.join(", "))],
        }
    }
}

impl Rows {
    fn parse<N: Number>(&mut self, line: &[u8], numbers: &mut [N]) -> anyhow::Result<()> {
        let separator = *self.separator.get_or_insert_with(|| Separator::of(line));
        let targets = self.columns.targets();
        let n_found = fields(line, separator).count();
        if n_found != targets.len() {
            bail!("found {n_found} values; expected {}", targets.len());
        }
        for (field, target) in fields(line, separator).zip(targets) {
            let Some(target) = *target else { continue };
            if field.is_empty() && target >= self.schema.n_required {
                continue; // An empty optional field takes the default.
            }
            numbers[target] = number(field).with_context(|| {
                let column = self.schema.names[target];
                format!("found {} in column {column}; expected a number", shown(field))
            })?;
        }
        Ok(())
    }
}

impl Separator {
    /// The separator of a line: a semicolon if it has one, else a comma if it has one.
    fn of(line: &[u8]) -> Self {
        let found = [b';', b','].into_iter().find(|byte| line.contains(byte));
        found.map_or(Self::WhiteSpace, Self::Byte)
    }
}

/// The columns of a header line.
fn header(schema: &Schema, line: &[u8], location: &str) -> anyhow::Result<Columns> {
    let columns = Columns::from_header(schema, fields(line, Separator::of(line)));
    columns.map_err(|error| {
        anyhow::anyhow!("{location}: {error}; found {}; {}", shown(line), schema.expected)
    })
}

/// Whether every field is a number, or an empty optional field.
fn is_row(schema: &Schema, line: &[u8]) -> bool {
    fields(line, Separator::of(line)).enumerate().all(|(i, field)| {
        number::<f32>(field).is_some() || field.is_empty() && i >= schema.n_required
    })
}

fn number<N: Number>(field: &[u8]) -> Option<N> {
    N::parse(str::from_utf8(field).ok()?)
}

/// The fields of a line, without white space and quotes around them. A separator within quotes belongs
/// to its field. Runs of white space are one separator.
fn fields(line: &[u8], separator: Separator) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(line.trim_ascii());
    std::iter::from_fn(move || {
        let line = rest?.trim_ascii_start();
        if separator == Separator::WhiteSpace && line.is_empty() {
            return None;
        }
        let is_separator = |byte: &u8| match separator {
            Separator::Byte(separator) => *byte == separator,
            Separator::WhiteSpace => byte.is_ascii_whitespace(),
        };
        let quoted = quoted_length(line);
        let start = quoted.unwrap_or(0);
        let end = line[start..].iter().position(is_separator).map(|end| start + end);
        rest = end.map(|end| &line[end + 1..]);
        let field = line[..end.unwrap_or(line.len())].trim_ascii();
        Some(match quoted {
            Some(length) if field.len() == length => &field[1..length - 1],
            _ => field,
        })
    })
}

/// The length of the quoted text at the start of a line, with its quotes. Two quotes stand for one.
fn quoted_length(line: &[u8]) -> Option<usize> {
    let mut at = line.starts_with(b"\"").then_some(1)?;
    loop {
        at += line[at..].iter().position(|&byte| byte == b'"')? + 1;
        if line.get(at) != Some(&b'"') {
            return Some(at);
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Vec<String> {
        let fields = fields(line.as_bytes(), Separator::of(line.as_bytes()));
        fields.map(|field| String::from_utf8_lossy(field).into_owned()).collect()
    }

    #[test]
    fn separators_within_quotes_belong_to_the_field() {
        assert_eq!(read("1,\"a, b\", 2 ,"), ["1", "a, b", "2", ""]);
        assert_eq!(read("\"x\";1,5;\"z\""), ["x", "1,5", "z"]);
        assert_eq!(read("  1 \t 2  \"a b\" "), ["1", "2", "a b"]);
        assert_eq!(read("\"a\"\"b\",\"open"), ["a\"\"b", "\"open"]);
    }
}
