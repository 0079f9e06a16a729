//! A NumPy array as the bytes of an NPY file.

use std::io::{self, Write};

/// A number of an array, with its name in the header.
pub(crate) trait NpyNumber: Copy {
    /// The dtype: byte order, kind and size in bytes.
    const DTYPE: &'static str;

    /// Appends the bytes, the least significant first.
    fn append_to(self, bytes: &mut Vec<u8>);
}

macro_rules! npy_numbers {
    ($($number:ty => $dtype:literal),*) => {$(
        impl NpyNumber for $number {
            const DTYPE: &'static str = $dtype;

            fn append_to(self, bytes: &mut Vec<u8>) {
                bytes.extend(self.to_le_bytes());
            }
        }
    )*};
}

npy_numbers!(f32 => "<f4", f64 => "<f8", u32 => "<u4", u64 => "<u8");

impl NpyNumber for bool {
    const DTYPE: &'static str = "|b1";

    fn append_to(self, bytes: &mut Vec<u8>) {
        bytes.push(u8::from(self));
    }
}

/// The data starts at a multiple of this, as the format asks for.
const ALIGNMENT: usize = 64;

/// The magic bytes, the version 1.0, and the length of the header as 16 bits.
const PREFIX: usize = 10;

/// The number of values that become bytes at once.
const AT_A_TIME: usize = 1 << 14;

/// The header of an array in C order, after which its values follow. `dtype` is that of NumPy.
pub(crate) fn header(dtype: &str, shape: &[u64]) -> Vec<u8> {
    let dimensions: Vec<String> = shape.iter().map(u64::to_string).collect();
    // A tuple of one number needs a comma in Python.
    let comma = if shape.len() == 1 { "," } else { "" };
    let mut text = format!(
        "{{'descr': '{dtype}', 'fortran_order': False, 'shape': ({}{comma}), }}",
        dimensions.join(", ")
    );
    let unpadded = PREFIX + text.len() + 1;
    text.extend(std::iter::repeat_n(' ', unpadded.next_multiple_of(ALIGNMENT) - unpadded));
    text.push('\n');
    let length = u16::try_from(text.len()).expect("a shape of few dimensions has a short header");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend(length.to_le_bytes());
    bytes.extend(text.into_bytes());
    bytes
}

/// Writes an array in C order.
///
/// # Errors
/// Those of `out`.
pub(crate) fn write<T: NpyNumber>(
    out: &mut impl Write,
    shape: &[u64],
    values: &[T],
) -> io::Result<()> {
    out.write_all(&header(T::DTYPE, shape))?;
    let mut bytes = Vec::new();
    for values in values.chunks(AT_A_TIME) {
        bytes.clear();
        values.iter().for_each(|value| value.append_to(&mut bytes));
        out.write_all(&bytes)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `np.save` of NumPy 2 writes for `np.array([[1, 2, 3]], np.uint32)`.
    #[test]
    fn an_array_has_the_bytes_of_numpy() {
        let mut bytes = Vec::new();
        write(&mut bytes, &[1, 3], &[1u32, 2, 3]).unwrap();
        let (start, rest) = bytes.split_at(PREFIX);
        assert_eq!(start, b"\x93NUMPY\x01\x00\x76\x00");
        let (header, data) = rest.split_at(0x76);
        let text = std::str::from_utf8(header).unwrap();
        assert_eq!(text.trim_end(), "{'descr': '<u4', 'fortran_order': False, 'shape': (1, 3), }");
        assert!(text.ends_with(" \n") && (PREFIX + header.len()).is_multiple_of(ALIGNMENT));
        assert_eq!(data, [1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0]);
    }

    #[test]
    fn all_values_are_written_in_order() {
        let values: Vec<u64> = (0..3 * AT_A_TIME as u64 + 7).collect();
        let mut bytes = Vec::new();
        write(&mut bytes, &[values.len() as u64], &values).unwrap();
        let data = &bytes[bytes.len() - 8 * values.len()..];
        let (numbers, []) = data.as_chunks::<8>() else { panic!("whole numbers") };
        assert!(numbers.iter().copied().map(u64::from_le_bytes).eq(values));
        assert!(String::from_utf8_lossy(&bytes).contains("'shape': (49159,), }"));
    }
}
