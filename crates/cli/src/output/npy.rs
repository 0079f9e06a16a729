//! The header of an NPY file, NumPy's format of an array.

/// The data starts at a multiple of this, as the format asks for.
pub(super) const ALIGNMENT: usize = 64;

/// The magic bytes, the version 1.0, and the length of the header as 16 bits.
pub(super) const PREFIX: usize = 10;

/// The header of an array in C order, after which its values follow. `dtype` is that of NumPy.
pub(super) fn header(dtype: &str, shape: &[u64]) -> Vec<u8> {
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
