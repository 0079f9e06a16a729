//! Reading accessors: typed numbers in buffers.

use gltf::{
    Accessor,
    accessor::{DataType, Dimensions},
    buffer::View,
};
use hitscan_files::ReadErrorKind;

use super::buffers::Buffers;

/// Reads an accessor of `N` components as `f32`, or its items at the indices `used`, which must be in range.
/// Normalized integers become numbers in [0, 1] or [-1, 1]. A sparse accessor is read as a whole.
pub(super) fn floats<const N: usize>(
    accessor: &Accessor<'_>,
    buffers: &Buffers<'_>,
    used: Option<&[u32]>,
) -> Result<Vec<[f32; N]>, ReadErrorKind> {
    let is_normalized = accessor.normalized();
    items(accessor, buffers, used, |data_type, bytes| float(data_type, bytes, is_normalized))
}

/// Reads an accessor of single unsigned integers.
pub(super) fn integers(
    accessor: &Accessor<'_>,
    buffers: &Buffers<'_>,
) -> Result<Vec<u32>, ReadErrorKind> {
    if !matches!(accessor.data_type(), DataType::U8 | DataType::U16 | DataType::U32) {
        let found = format!("accessor {} of {:?}", accessor.index(), accessor.data_type());
        return Err(ReadErrorKind::syntax(found, "unsigned integers"));
    }
    Ok(items(accessor, buffers, None, |_, bytes| integer(bytes))?
        .into_iter()
        .map(|[i]| i)
        .collect())
}

/// Reads the items of an accessor. The caller has compared the count with a limit.
fn items<const N: usize, T: Copy + Default>(
    accessor: &Accessor<'_>,
    buffers: &Buffers<'_>,
    used: Option<&[u32]>,
    read: impl Fn(DataType, &[u8]) -> T,
) -> Result<Vec<[T; N]>, ReadErrorKind> {
    let what = format!("accessor {}", accessor.index());
    let data_type = accessor.data_type();
    if components(accessor.dimensions()) != N {
        let found = format!("{what} of the type {:?}", accessor.dimensions());
        return Err(ReadErrorKind::syntax(found, format!("{N} components")));
    }
    let size = N * data_type.size();
    let item = |bytes: &[u8]| {
        let mut item = [T::default(); N];
        for (value, bytes) in item.iter_mut().zip(bytes.chunks_exact(data_type.size())) {
            *value = read(data_type, bytes);
        }
        item
    };
    let count = accessor.count();
    let used = used.filter(|_| accessor.sparse().is_none());
    let mut items = match accessor.view() {
        None => vec![[T::default(); N]; used.map_or(count, <[u32]>::len)],
        Some(view) => {
            let data = Strided::new(&view, accessor.offset(), size, count, buffers, &what)?;
            match used {
                None => data.iter().map(item).collect(),
                Some(used) => used.iter().map(|&index| item(data.get(index as usize))).collect(),
            }
        }
    };
    if let Some(sparse) = accessor.sparse() {
        let (indices, values) = (sparse.indices(), sparse.values());
        let n = sparse.count();
        let index_size = match indices.index_type() {
            gltf::accessor::sparse::IndexType::U8 => 1,
            gltf::accessor::sparse::IndexType::U16 => 2,
            gltf::accessor::sparse::IndexType::U32 => 4,
        };
        let item_indices =
            Strided::new(&indices.view(), indices.offset(), index_size, n, buffers, &what)?;
        let values = Strided::new(&values.view(), values.offset(), size, n, buffers, &what)?;
        for (index, value) in item_indices.iter().zip(values.iter()) {
            let index = integer(index) as usize;
            *items.get_mut(index).ok_or_else(|| {
                let found = format!("item {index} of the sparse {what}");
                ReadErrorKind::syntax(found, format!("less than {count}"))
            })? = item(value);
        }
    }
    Ok(items)
}

/// Items of `size` bytes, `stride` bytes apart. The constructor checks that all are in the buffer.
struct Strided<'a> {
    bytes: &'a [u8],
    size: usize,
    stride: usize,
    count: usize,
}

impl<'a> Strided<'a> {
    fn new(
        view: &View<'_>,
        offset: usize,
        size: usize,
        count: usize,
        buffers: &'a Buffers<'_>,
        what: &str,
    ) -> Result<Self, ReadErrorKind> {
        let stride = view.stride().unwrap_or(size);
        let bytes = buffers
            .get(view.buffer().index())
            .and_then(|buffer| buffer.get(view.offset()..)?.get(..view.length())?.get(offset..));
        // No padding is needed after the last item.
        let needed = match count {
            0 => Some(0),
            n => (n - 1).checked_mul(stride).and_then(|len| len.checked_add(size)),
        };
        match (bytes, needed) {
            (Some(bytes), Some(needed)) if needed <= bytes.len() && stride >= size => {
                Ok(Self { bytes, size, stride, count })
            }
            _ => {
                let found = format!(
                    "{what} of {count} items of {size} bytes, {stride} bytes apart from {offset} on"
                );
                let expected = format!("them within the view {} and its buffer", view.index());
                Err(ReadErrorKind::syntax(found, expected))
            }
        }
    }

    fn iter(&self) -> impl Iterator<Item = &'a [u8]> {
        (0..self.count).map(|i| self.get(i))
    }

    fn get(&self, index: usize) -> &'a [u8] {
        &self.bytes[index * self.stride..][..self.size]
    }
}

fn components(dimensions: Dimensions) -> usize {
    match dimensions {
        Dimensions::Scalar => 1,
        Dimensions::Vec2 => 2,
        Dimensions::Vec3 => 3,
        Dimensions::Vec4 | Dimensions::Mat2 => 4,
        Dimensions::Mat3 => 9,
        Dimensions::Mat4 => 16,
    }
}

/// An unsigned integer of one, two or four bytes.
fn integer(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |value, &byte| value << 8 | u32::from(byte))
}

fn float(data_type: DataType, bytes: &[u8], is_normalized: bool) -> f32 {
    let bits = integer(bytes);
    let (value, largest) = match data_type {
        DataType::F32 => return f32::from_bits(bits),
        DataType::U8 | DataType::U16 => (bits as f32, ((1u32 << (8 * bytes.len())) - 1) as f32),
        DataType::U32 => (bits as f32, u32::MAX as f32),
        DataType::I8 => (f32::from(bits as u8 as i8), 127.0),
        DataType::I16 => (f32::from(bits as u16 as i16), 32767.0),
    };
    if is_normalized { (value / largest).max(-1.0) } else { value }
}
