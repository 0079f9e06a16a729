//! Rays as a NumPy array: float32 or float64, shape (n, 6) or (n, 8).
//!
//! The header is read by our own few lines: the crate that writes our arrays believes what a header
//! says of its own length, multiplies the shape unchecked and nests without bound, and a file of rays
//! may come from anywhere. Format: NumPy Enhancement Proposal 1, "A Simple File Format for NumPy
//! Arrays".

use std::fs::File;
use std::io::{BufRead, ErrorKind, Read, Seek, SeekFrom};

use anyhow::{Context, bail};
use hitscan::Ray;

use super::{DefaultRange, RayReader, ray_of};

/// The first bytes of every NPY file.
pub(crate) const MAGIC: &[u8] = b"\x93NUMPY";

/// NumPy writes 128 bytes for an array of numbers.
const LONGEST_HEADER: usize = 1 << 12;

/// A stream of rays in NPY.
pub(crate) struct NpyRays<R> {
    data: Data<R>,
    layout: Layout,
    next_row: u64,
    name: String,
    range: DefaultRange,
}

/// Where the numbers are.
enum Data<R> {
    /// Row after row.
    Rows(R),
    /// Column after column, from this place on: a file that can be read anywhere.
    Columns(File, u64),
}

/// What the header says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Layout {
    number: Number,
    big_endian: bool,
    fortran_order: bool,
    n_rows: u64,
    n_columns: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Number {
    F32,
    F64,
}

impl<R: BufRead> NpyRays<R> {
    /// Reads the header. An array in Fortran order is copied to a temporary file, because its rows
    /// are spread over all of it.
    ///
    /// # Errors
    /// A header that is damaged or describes something else than rays, or too little data.
    pub(crate) fn new(mut input: R, name: String, range: DefaultRange) -> anyhow::Result<Self> {
        let layout = read_header(&mut input).with_context(|| name.clone())?;
        let data = if layout.fortran_order {
            Data::Columns(spooled(&mut input, &layout).with_context(|| name.clone())?, 0)
        } else {
            if layout.n_rows == 0 {
                check_end(&mut input, 0).with_context(|| name.clone())?;
            }
            Data::Rows(input)
        };
        Ok(Self { data, layout, next_row: 0, name, range })
    }

    /// The numbers of the next `n` rows, row after row.
    fn rows(&mut self, n: usize) -> anyhow::Result<Vec<f32>> {
        let Layout { n_columns, n_rows, .. } = self.layout;
        let size = self.layout.number_size();
        match &mut self.data {
            Data::Rows(input) => {
                let mut bytes = vec![0; n * n_columns * size];
                input.read_exact(&mut bytes).map_err(|error| match error.kind() {
                    ErrorKind::UnexpectedEof => anyhow::anyhow!(
                        "it ends before row {}, expected {n_rows} rows",
                        self.next_row + n as u64
                    ),
                    _ => error.into(),
                })?;
                Ok(bytes.chunks_exact(size).map(|bytes| self.layout.decode(bytes)).collect())
            }
            Data::Columns(file, start) => {
                let mut numbers = vec![0.0; n * n_columns];
                let mut bytes = vec![0; n * size];
                for column in 0..n_columns {
                    let at = column as u64 * n_rows + self.next_row;
                    file.seek(SeekFrom::Start(*start + at * size as u64))?;
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

impl<R: BufRead> RayReader for NpyRays<R> {
    fn read(&mut self, rays: &mut Vec<Ray>, most: usize) -> anyhow::Result<()> {
        let left = self.layout.n_rows - self.next_row;
        let n = usize::try_from(left).unwrap_or(usize::MAX).min(most);
        let numbers = self.rows(n).with_context(|| self.name.clone())?;
        self.next_row += n as u64;
        let rows = numbers.chunks_exact(self.layout.n_columns);
        rays.extend(rows.map(|numbers| ray_of(numbers, self.range)));
        if let Data::Rows(input) = &mut self.data
            && n > 0
            && self.next_row == self.layout.n_rows
        {
            check_end(input, self.next_row).with_context(|| self.name.clone())?;
        }
        Ok(())
    }

    fn total(&self) -> Option<u64> {
        Some(self.layout.n_rows)
    }
}

/// The data must end with the last row: a header that tells fewer rows than there are would leave
/// rays out without a word.
fn check_end(input: &mut impl BufRead, n_rows: u64) -> anyhow::Result<()> {
    if input.fill_buf()?.is_empty() {
        return Ok(());
    }
    match n_rows.checked_sub(1) {
        Some(last) => bail!("data follows row {last}, expected the end"),
        None => bail!("data follows a header of no rows, expected the end"),
    }
}

impl Layout {
    fn number_size(&self) -> usize {
        match self.number {
            Number::F32 => 4,
            Number::F64 => 8,
        }
    }

    /// A number from its bytes, rounded to the nearest f32.
    fn decode(&self, bytes: &[u8]) -> f32 {
        let mut reversed = [0; 8];
        for (to, &from) in reversed.iter_mut().zip(bytes.iter().rev()) {
            *to = from;
        }
        let mut forward = [0; 8];
        forward[..bytes.len()].copy_from_slice(bytes);
        let b = if self.big_endian { reversed } else { forward };
        match self.number {
            Number::F32 => f32::from_le_bytes([b[0], b[1], b[2], b[3]]),
            Number::F64 => f64::from_le_bytes(b) as f32,
        }
    }
}

fn read_header(input: &mut impl Read) -> anyhow::Result<Layout> {
    let mut start = [0; 8];
    read_exactly(input, &mut start)?;
    if !start.starts_with(MAGIC) {
        bail!("found {:?} at its start, expected an NPY file", String::from_utf8_lossy(&start));
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
        version => bail!("NPY version {version}, expected 1, 2 or 3"),
    };
    if length > LONGEST_HEADER {
        bail!("a header of {length} bytes, expected at most {LONGEST_HEADER}");
    }
    let mut header = vec![0; length];
    read_exactly(input, &mut header)?;
    parse_header(&String::from_utf8_lossy(&header))
}

fn read_exactly(input: &mut impl Read, bytes: &mut [u8]) -> anyhow::Result<()> {
    input.read_exact(bytes).context("cannot read the NPY header")
}

/// Parses the Python dictionary `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 6), }`.
fn parse_header(header: &str) -> anyhow::Result<Layout> {
    let damaged = || {
        let found: String = header.trim().chars().take(120).collect();
        format!(
            "found the NPY header {found:?}, expected one like \
             {{'descr': '<f4', 'fortran_order': False, 'shape': (n, 6), }}"
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
        format!("found dtype {found}, expected float32 or float64")
    })?;
    let (dtype, _) = descr[1..].split_once(quote).with_context(damaged)?;
    let (number, big_endian) = match dtype {
        "<f4" => (Number::F32, false),
        ">f4" => (Number::F32, true),
        "<f8" => (Number::F64, false),
        ">f8" => (Number::F64, true),
        _ => bail!("found dtype {dtype:?}, expected float32 or float64 (<f4, >f4, <f8, >f8)"),
    };
    let fortran_order = match value("fortran_order").with_context(damaged)? {
        text if text.starts_with("True") => true,
        text if text.starts_with("False") => false,
        _ => bail!(damaged()),
    };
    let shape = value("shape").and_then(|text| text.strip_prefix('(')).with_context(damaged)?;
    let (shape, _) = shape.split_once(')').with_context(damaged)?;
    let sizes: Vec<&str> = shape.split(',').map(str::trim).filter(|s| !s.is_empty()).collect();
    let (n_rows, n_columns) = match sizes.as_slice() {
        [rows, "6"] => (rows, 6),
        [rows, "8"] => (rows, 8),
        _ => bail!("found shape ({shape}), expected (n, 6) or (n, 8)"),
    };
    let n_rows: u64 = n_rows.parse().ok().with_context(damaged)?;
    if n_rows > 1 << 48 {
        bail!("found shape ({shape}), expected at most 2^48 rows");
    }
    Ok(Layout { number, big_endian, fortran_order, n_rows, n_columns })
}

/// Copies the data of an array to a temporary file.
fn spooled(input: &mut impl BufRead, layout: &Layout) -> anyhow::Result<File> {
    let expected = layout.n_rows * (layout.n_columns * layout.number_size()) as u64;
    let mut file = tempfile::tempfile().context("cannot make a temporary file")?;
    let found = std::io::copy(&mut input.by_ref().take(expected), &mut file)?;
    if found < expected {
        bail!("found {found} bytes of data, expected {expected} for {} rows", layout.n_rows);
    }
    check_end(input, layout.n_rows)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RANGE: DefaultRange = DefaultRange { t_min: 0.0, t_max: 1.0 };

    fn npy(descr: &str, fortran: &str, shape: &str, data: &[u8]) -> Vec<u8> {
        let header =
            format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}\n");
        let mut file = MAGIC.to_vec();
        file.extend([1, 0]);
        file.extend((header.len() as u16).to_le_bytes());
        file.extend(header.bytes());
        file.extend(data);
        file
    }

    fn read(file: &[u8]) -> anyhow::Result<Vec<Ray>> {
        let mut rays = Vec::new();
        let mut reader = NpyRays::new(file, "rays.npy".into(), RANGE)?;
        while {
            let before = rays.len();
            reader.read(&mut rays, 2)?;
            rays.len() > before
        } {}
        Ok(rays)
    }

    const NUMBERS: [f64; 24] = [
        1.0,
        2.0,
        3.0,
        0.0,
        0.0,
        -1.0,
        -1.0,
        2.0, // the first ray with bounds
        4.0,
        5.0,
        6.0,
        1.0,
        0.1,
        0.0,
        0.0,
        f64::INFINITY, //
        7.0,
        8.0,
        9.0,
        0.0,
        1e300,
        0.0,
        f64::NEG_INFINITY,
        3.0,
    ];

    /// The numbers row after row or column after column, through `bytes`.
    fn laid_out(columns: usize, fortran: bool, bytes: impl Fn(f64) -> Vec<u8>) -> Vec<u8> {
        let cells: Vec<(usize, usize)> = if fortran {
            (0..columns).flat_map(|c| (0..3).map(move |r| (r, c))).collect()
        } else {
            (0..3).flat_map(|r| (0..columns).map(move |c| (r, c))).collect()
        };
        cells.into_iter().flat_map(|(r, c)| bytes(NUMBERS[r * 8 + c])).collect()
    }

    #[test]
    fn every_dtype_order_and_width_gives_the_same_rays() {
        let with_bounds = [
            Ray::new([1.0, 2.0, 3.0], [0.0, 0.0, -1.0]).with_range(-1.0, 2.0),
            Ray::new([4.0, 5.0, 6.0], [1.0, 0.1, 0.0]),
            Ray::new([7.0, 8.0, 9.0], [0.0, f32::INFINITY, 0.0]).with_range(f32::NEG_INFINITY, 3.0),
        ];
        type Encode = fn(f64) -> Vec<u8>;
        let encodings: [(&str, Encode); 4] = [
            ("<f4", |x| (x as f32).to_le_bytes().to_vec()),
            (">f4", |x| (x as f32).to_be_bytes().to_vec()),
            ("<f8", |x| x.to_le_bytes().to_vec()),
            (">f8", |x| x.to_be_bytes().to_vec()),
        ];
        for (descr, encode) in encodings {
            for (fortran, word) in [(false, "False"), (true, "True")] {
                let data = laid_out(8, fortran, encode);
                assert_eq!(read(&npy(descr, word, "(3, 8)", &data)).unwrap(), with_bounds);
                let data = laid_out(6, fortran, encode);
                let rays = read(&npy(descr, word, "(3, 6)", &data)).unwrap();
                assert_eq!(rays, with_bounds.map(|ray| ray.with_range(0.0, 1.0)), "{descr} {word}");
            }
        }
    }

    #[test]
    fn what_is_no_array_of_rays_is_told() {
        let row = [0; 24];
        let cases: [(Vec<u8>, &str); 10] = [
            (npy("<i4", "False", "(1, 6)", &row), "found dtype \"<i4\", expected float32"),
            (npy("<f4", "False", "(1, 7)", &row), "found shape (1, 7), expected (n, 6)"),
            (npy("<f4", "False", "(6,)", &row), "found shape (6,), expected (n, 6)"),
            (npy("<f4", "False", "(-1, 6)", &row), "found the NPY header"),
            (npy("<f4", "Maybe", "(1, 6)", &row), "found the NPY header"),
            (npy("<f4", "False", "(2, 6)", &row), "ends before row 2, expected 2 rows"),
            (npy("<f4", "True", "(2, 6)", &row), "found 24 bytes of data, expected 48"),
            (npy("<f4", "False", "(0, 6)", &row)[..20].to_vec(), "cannot read the NPY header"),
            (npy("<f4", "False", "(999999999999999999, 6)", &row), "at most 2^48"),
            (b"\x93NUMPY\x02\x00\xff\xff\xff\xff".to_vec(), "a header of 4294967295 bytes"),
        ];
        for (file, expected) in cases {
            let error = format!("{:#}", read(&file).unwrap_err());
            assert!(error.starts_with("rays.npy: ") && error.contains(expected), "{error}");
        }
        for order in ["False", "True"] {
            for (shape, expected) in [
                ("(1, 6)", "data follows row 0, expected the end"),
                ("(0, 6)", "data follows a header of no rows, expected the end"),
            ] {
                let longer = npy("<f4", order, shape, &[0; 48]);
                assert!(format!("{:#}", read(&longer).unwrap_err()).contains(expected), "{shape}");
            }
        }
    }

    #[test]
    fn no_rows_are_no_rays() {
        assert_eq!(read(&npy("<f8", "False", "(0, 6)", &[])).unwrap(), []);
    }
}
