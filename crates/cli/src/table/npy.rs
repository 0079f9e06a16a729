//! Rows of numbers as a NumPy array: float32 or float64, in either byte order and either array order.

use std::fs::File;
use std::io::{BufRead, ErrorKind, Read, Seek, SeekFrom};

use anyhow::{Context, bail};

use super::input::{Arrivals, Arrived};
use super::number::Number;

/// The first bytes of every NPY file.
pub(crate) const MAGIC: &[u8] = b"\x93NUMPY";

/// The maximum length of a header. NumPy writes 128 bytes for an array of numbers.
const MAX_HEADER_BYTES: usize = 1 << 12;

/// A stream of rows in NPY.
pub(super) struct NpyTable<R> {
    data: Data<R>,
    layout: Layout,
    next_row: u64,
    name: String,
}

/// The numbers of the array.
enum Data<R> {
    /// Row by row.
    Rows(R),
    /// Column by column (Fortran order), in a temporary file.
    Columns(File),
}

/// The contents of the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Layout {
    precision: Precision,
    big_endian: bool,
    fortran_order: bool,
    n_rows: u64,
    n_columns: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Precision {
    F32,
    F64,
}

impl<R: Arrivals> NpyTable<R> {
    /// Reads the header of an array of rows, whose width is one of `widths`. Copies an array in Fortran order to a temporary file, because each of its rows
    /// is spread over the whole array.
    ///
    /// # Errors
    /// A damaged header, another shape or dtype, or missing data.
    pub(crate) fn new(mut input: R, name: String, widths: &[usize]) -> anyhow::Result<Self> {
        let layout = read_header(&mut input, widths).with_context(|| name.clone())?;
        let data = if layout.fortran_order {
            Data::Columns(spooled(&mut input, &layout).with_context(|| name.clone())?)
        } else {
            if layout.n_rows == 0 {
                check_end(&mut input, 0).with_context(|| name.clone())?;
            }
            Data::Rows(input)
        };
        Ok(Self { data, layout, next_row: 0, name })
    }

    /// The numbers of the next rows, at most `max_rows`, row by row. There are none at the end. Waits for
    /// the first row alone, and returns those that have arrived by then.
    ///
    /// # Errors
    /// Too little data, or too much.
    pub(crate) fn read<N: Number>(&mut self, max_rows: usize) -> anyhow::Result<Vec<N>> {
        let left = self.layout.n_rows - self.next_row;
        let most = usize::try_from(left).unwrap_or(usize::MAX).min(max_rows);
        let n = self.arrived_rows(most).with_context(|| self.name.clone())?;
        let numbers = self.rows(n).with_context(|| self.name.clone())?;
        self.next_row += n as u64;
        // A pipe may stay open behind its last row, which gets its answer before the end is known.
        if let Data::Rows(input) = &mut self.data
            && self.layout.n_rows > 0
            && self.next_row == self.layout.n_rows
            && (n == 0 || input.arrived_bytes(1) != Arrived::Nothing)
        {
            check_end(input, self.next_row).with_context(|| self.name.clone())?;
        }
        Ok(numbers)
    }

    /// The number of all rows.
    pub(crate) fn n_rows(&self) -> u64 {
        self.layout.n_rows
    }

    /// The number of numbers per row.
    pub(crate) fn width(&self) -> usize {
        self.layout.n_columns
    }

    /// The number of rows that have arrived, at least one of `most` and at most all.
    fn arrived_rows(&mut self, most: usize) -> anyhow::Result<usize> {
        let row_bytes = self.layout.n_columns * self.layout.number_size();
        let Data::Rows(input) = &mut self.data else { return Ok(most) };
        if most == 0 {
            return Ok(0);
        }
        input.fill_buf()?;
        Ok(match input.arrived_bytes(most.saturating_mul(row_bytes)) {
            Arrived::All => most,
            Arrived::Part(bytes) => (bytes / row_bytes).clamp(1, most),
            Arrived::Nothing => 1,
        })
    }

    /// The numbers of the next `n` rows, row by row.
    fn rows<N: Number>(&mut self, n: usize) -> anyhow::Result<Vec<N>> {
        let Layout { n_columns, n_rows, .. } = self.layout;
        let size = self.layout.number_size();
        match &mut self.data {
            Data::Rows(input) => {
                let mut bytes = vec![0; n * n_columns * size];
                input.read_exact(&mut bytes).map_err(|error| match error.kind() {
                    ErrorKind::UnexpectedEof => anyhow::anyhow!(
                        "the file ends before row {}; expected {n_rows} rows",
                        self.next_row + n as u64
                    ),
                    _ => error.into(),
                })?;
                Ok(bytes.chunks_exact(size).map(|bytes| self.layout.decode(bytes)).collect())
            }
            Data::Columns(file) => {
                let mut numbers = vec![N::from_f32(0.0); n * n_columns];
                let mut bytes = vec![0; n * size];
                for column in 0..n_columns {
                    let at = column as u64 * n_rows + self.next_row;
                    file.seek(SeekFrom::Start(at * size as u64))?;
                    file.read_exact(&mut bytes)?;
                    for (row, bytes) in bytes.chunks_exact(size).enumerate() {
                        numbers[row * n_columns + column] = self.layout.decode(bytes);
                    }
                }
                Ok(numbers)
            }
        }
    }
}

/// Checks that the data ends with the last row. Otherwise a wrong header would drop rays silently.
fn check_end(input: &mut impl BufRead, n_rows: u64) -> anyhow::Result<()> {
    if input.fill_buf()?.is_empty() {
        return Ok(());
    }
    match n_rows.checked_sub(1) {
        Some(last) => bail!("found data after row {last}; expected the end"),
        None => bail!("found data after a header of no rows; expected the end"),
    }
}

impl Layout {
    fn number_size(&self) -> usize {
        match self.precision {
            Precision::F32 => 4,
            Precision::F64 => 8,
        }
    }

    /// A number from its bytes, rounded to the nearest `N`.
    fn decode<N: Number>(&self, bytes: &[u8]) -> N {
        let mut reversed = [0; 8];
        for (to, &from) in reversed.iter_mut().zip(bytes.iter().rev()) {
            *to = from;
        }
        let mut forward = [0; 8];
        forward[..bytes.len()].copy_from_slice(bytes);
        let b = if self.big_endian { reversed } else { forward };
        match self.precision {
            Precision::F32 => N::from_f32(f32::from_le_bytes([b[0], b[1], b[2], b[3]])),
            Precision::F64 => N::from_f64(f64::from_le_bytes(b)),
        }
    }
}

fn read_header(input: &mut impl Read, widths: &[usize]) -> anyhow::Result<Layout> {
    let mut start = [0; 8];
    read_exactly(input, &mut start)?;
    if !start.starts_with(MAGIC) {
        bail!("the file starts with {:?}; expected an NPY file", String::from_utf8_lossy(&start));
    }
    let length = match start[6] {
        1 => {
            let mut length = [0; 2];
            read_exactly(input, &mut length)?;
            usize::from(u16::from_le_bytes(length))
        }
        2 | 3 => {
            let mut length = [0; 4];
            read_exactly(input, &mut length)?;
            u32::from_le_bytes(length) as usize
        }
        version => bail!("found NPY version {version}; expected 1, 2 or 3"),
    };
    if length > MAX_HEADER_BYTES {
        bail!("found a header of {length} bytes; expected at most {MAX_HEADER_BYTES}");
    }
    let mut header = vec![0; length];
    read_exactly(input, &mut header)?;
    parse_header(&String::from_utf8_lossy(&header), widths)
}

fn read_exactly(input: &mut impl Read, bytes: &mut [u8]) -> anyhow::Result<()> {
    input.read_exact(bytes).context("cannot read the NPY header")
}

/// Parses the Python dictionary `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 6), }`.
fn parse_header(header: &str, widths: &[usize]) -> anyhow::Result<Layout> {
    let damaged = || {
        let found: String = header.trim().chars().take(120).collect();
        format!(
            "found the NPY header {found:?}; expected one like \
             {{'descr': '<f4', 'fortran_order': False, 'shape': (n, {}), }}",
            widths[0]
        )
    };
    let value = |key: &str| {
        let (_, rest) = header.split_once(key)?;
        let rest = rest.trim_start_matches(['\'', '"']).trim_start();
        Some(rest.strip_prefix(':')?.trim_start())
    };
    let descr = value("descr").with_context(damaged)?;
    let quote = descr.chars().next().filter(|c| *c == '\'' || *c == '"').with_context(|| {
        let found: String = descr.chars().take(40).collect();
        format!("found dtype {found}; expected float32 or float64")
    })?;
    let (dtype, _) = descr[1..].split_once(quote).with_context(damaged)?;
    let (precision, big_endian) = match dtype {
        "<f4" => (Precision::F32, false),
        ">f4" => (Precision::F32, true),
        "<f8" => (Precision::F64, false),
        ">f8" => (Precision::F64, true),
        _ => bail!("found dtype {dtype:?}; expected float32 or float64 (<f4, >f4, <f8, >f8)"),
    };
    let fortran_order = match value("fortran_order").with_context(damaged)? {
        text if text.starts_with("True") => true,
        text if text.starts_with("False") => false,
        _ => bail!(damaged()),
    };
    let shape = value("shape").and_then(|text| text.strip_prefix('(')).with_context(damaged)?;
    let (shape, _) = shape.split_once(')').with_context(damaged)?;
    let sizes: Vec<&str> = shape.split(',').map(str::trim).filter(|s| !s.is_empty()).collect();
    let width = sizes.get(1).and_then(|size| size.parse().ok());
    let n_columns = width.filter(|width| sizes.len() == 2 && widths.contains(width));
    let Some((rows, n_columns)) = sizes.first().zip(n_columns) else {
        let expected: Vec<String> = widths.iter().map(|width| format!("(n, {width})")).collect();
        bail!("found shape ({shape}); expected {}", expected.join(" or "));
    };
    let n_rows: u64 = rows.parse().ok().with_context(damaged)?;
    if n_rows > 1 << 48 {
        bail!("found shape ({shape}); expected at most 2^48 rows");
    }
    Ok(Layout { precision, big_endian, fortran_order, n_rows, n_columns })
}

/// Copies the data of an array to a temporary file.
fn spooled(input: &mut impl BufRead, layout: &Layout) -> anyhow::Result<File> {
    let expected = layout.n_rows * (layout.n_columns * layout.number_size()) as u64;
    let mut file = tempfile::tempfile().context("cannot create a temporary file")?;
    let found = std::io::copy(&mut input.by_ref().take(expected), &mut file)?;
    if found < expected {
        bail!("found {found} bytes of data; expected {expected} for {} rows", layout.n_rows);
    }
    check_end(input, layout.n_rows)?;
    Ok(file)
}
