//! NPY files for the program to read, and a reader of those that it writes.

use std::io::Read;

/// An NPY file of rows of equal length; `encode` gives the bytes of a number.
pub(crate) fn npy_file(
    descr: &str,
    fortran_order: bool,
    rows: &[Vec<f64>],
    encode: impl Fn(f64) -> Vec<u8>,
) -> Vec<u8> {
    let (n_rows, n_columns) = (rows.len(), rows[0].len());
    let data: Vec<u8> = if fortran_order {
        (0..n_columns).flat_map(|c| rows.iter().map(move |row| row[c])).flat_map(encode).collect()
    } else {
        rows.iter().flatten().copied().flat_map(encode).collect()
    };
    let order = if fortran_order { "True" } else { "False" };
    let header = format!(
        "{{'descr': '{descr}', 'fortran_order': {order}, 'shape': ({n_rows}, {n_columns}), }}\n"
    );
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((header.len() as u16).to_le_bytes());
    file.extend(header.bytes());
    file.extend(data);
    file
}

/// An array as NumPy reads it.
pub(crate) struct Npy {
    pub(crate) shape: Vec<u64>,
    pub(crate) dtype: String,
    data: Vec<u8>,
}

impl Npy {
    /// Reads an array; panics if NumPy would refuse it.
    pub(crate) fn read(mut file: impl Read) -> Self {
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).expect("the file is whole");
        let rest = bytes.strip_prefix(b"\x93NUMPY\x01\x00").expect("NPY of version 1.0");
        let (length, rest) = rest.split_first_chunk::<2>().expect("the length of the header");
        let (header, data) = rest.split_at(usize::from(u16::from_le_bytes(*length)));
        let header = std::str::from_utf8(header).expect("the header is text");
        let between = |start: &str, end: &str| {
            let (_, rest) = header.split_once(start).unwrap_or_else(|| panic!("{start}: {header}"));
            rest.split_once(end).unwrap_or_else(|| panic!("{end}: {header}")).0
        };
        assert_eq!(between("'fortran_order': ", ","), "False");
        let dimensions = between("'shape': (", ")").split(',').filter(|n| !n.trim().is_empty());
        let shape = dimensions.map(|n| n.trim().parse().expect("a dimension")).collect();
        Self { shape, dtype: between("'descr': '", "'").to_owned(), data: data.to_vec() }
    }

    /// The values; panics if the array has another dtype or size.
    pub(crate) fn values<T: NpyValue>(&self) -> Vec<T> {
        assert_eq!(self.dtype, T::DTYPE);
        let values = T::values(&self.data);
        assert_eq!(values.len() as u64, self.shape.iter().product::<u64>());
        values
    }

    /// The values of an array of text.
    pub(crate) fn text(&self) -> Vec<String> {
        let length: usize =
            self.dtype.strip_prefix("<U").and_then(|n| n.parse().ok()).expect("text");
        let character = |bytes: &[u8; 4]| char::from_u32(u32::from_le_bytes(*bytes)).expect("text");
        let names = self.data.chunks_exact(4 * length);
        let names: Vec<String> = names
            .map(|name| name.as_chunks().0.iter().map(character).filter(|&c| c != '\0').collect())
            .collect();
        assert_eq!(names.len() as u64, self.shape.iter().product::<u64>());
        names
    }
}

pub(crate) trait NpyValue: Sized {
    const DTYPE: &'static str;

    fn values(data: &[u8]) -> Vec<Self>;
}

macro_rules! npy_values {
    ($($number:ty => $dtype:literal),*) => {$(
        impl NpyValue for $number {
            const DTYPE: &'static str = $dtype;

            fn values(data: &[u8]) -> Vec<Self> {
                let (numbers, rest) = data.as_chunks();
                assert_eq!(rest.len(), 0, "the data are whole numbers");
                numbers.iter().map(|&bytes| Self::from_le_bytes(bytes)).collect()
            }
        }
    )*};
}

npy_values!(f32 => "<f4", f64 => "<f8", u32 => "<u4", u64 => "<u8");

impl NpyValue for bool {
    const DTYPE: &'static str = "|b1";

    fn values(data: &[u8]) -> Vec<Self> {
        data.iter().map(|&byte| byte == 1).collect()
    }
}
