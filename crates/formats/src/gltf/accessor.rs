//! Reading accessors: typed numbers in buffers.

use std::fmt;

use hitscan_files::{Limit, LoadOptions, ReadErrorKind};

use super::{
    buffers::Buffers,
    document::{Accessor, Root, Sparse},
    extensions,
    lenient::{Index, printable},
};

/// The document with its buffers, and the limits of what is read from them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source<'a> {
    pub(super) root: &'a Root<'a>,
    pub(super) buffers: &'a Buffers<'a>,
    pub(super) options: &'a LoadOptions,
}

/// An accessor with its index.
#[derive(Clone, Copy, Debug)]
pub(super) struct AccessorAt<'a> {
    pub(super) index: usize,
    accessor: &'a Accessor<'a>,
}

impl AccessorAt<'_> {
    pub(super) fn count(&self) -> usize {
        self.accessor.count.0
    }

    /// Whether every item is zero, because the file has no bytes for it.
    pub(super) fn is_zero(&self) -> bool {
        self.accessor.buffer_view.is_none() && self.accessor.sparse.is_none()
    }

    pub(super) fn has_bytes(&self) -> bool {
        self.accessor.buffer_view.is_some()
    }
}

/// Adds the path of a place to an error.
pub(super) fn at(path: impl fmt::Display) -> impl Fn(ReadErrorKind) -> ReadErrorKind {
    move |error| match error {
        ReadErrorKind::Syntax { found, expected } => {
            ReadErrorKind::Syntax { found: format!("{path}: {found}"), expected }
        }
        other => other,
    }
}

impl<'a> Source<'a> {
    /// Compares a number of values or triangles with the limits, before memory is allocated for them.
    pub(super) fn check(
        self,
        what: &'static str,
        what_if_shared: &'static str,
        found: u64,
    ) -> Result<(), ReadErrorKind> {
        /// The minimum number of bytes of a vertex or triangle, so that a file without sharing stays below.
        const MIN_BYTES: u64 = 3;
        ReadErrorKind::check_vertices(what, found, self.options)?;
        let limit = (self.buffers.n_bytes() / MIN_BYTES).saturating_add(self.options.max_repeated);
        if found <= limit {
            return Ok(());
        }
        let raised_by = Some(Limit::Repeated);
        Err(ReadErrorKind::TooLarge { what: what_if_shared, found, limit, raised_by })
    }

    /// The accessor that the value at the path `path` refers to.
    pub(super) fn accessor(
        self,
        index: Index,
        path: impl fmt::Display,
    ) -> Result<AccessorAt<'a>, ReadErrorKind> {
        Ok(AccessorAt { index: index.0, accessor: self.root.accessors.get(index, path)? })
    }

    /// Reads an accessor of `N` components as `f32`, or its items at the sorted indices `used`, which must be
    /// in range. Normalized integers become numbers in [0, 1] or [-1, 1].
    pub(super) fn floats<const N: usize>(
        self,
        accessor: AccessorAt<'_>,
        used: Option<&[u32]>,
    ) -> Result<Vec<[f32; N]>, ReadErrorKind> {
        let is_normalized = accessor.accessor.normalized.0 == Some(true);
        self.items(accessor, used, |kind, bytes| kind.float(bytes, is_normalized))
    }

    /// Reads an accessor of `N` unsigned integers an item.
    pub(super) fn integers<const N: usize>(
        self,
        accessor: AccessorAt<'_>,
        used: Option<&[u32]>,
    ) -> Result<Vec<[u32; N]>, ReadErrorKind> {
        let kind = Component::of(accessor.accessor.component_type);
        if !matches!(kind, Some(Component::U8 | Component::U16 | Component::U32)) {
            let number = accessor.accessor.component_type.0;
            let found = format!("accessors[{}] of the component type {number}", accessor.index);
            return Err(ReadErrorKind::syntax(found, "unsigned integers (5121, 5123 or 5125)"));
        }
        self.items(accessor, used, |_, bytes| integer(bytes))
    }

    /// Reads the items of an accessor. The caller has compared their number with a limit.
    fn items<const N: usize, T: Copy + Default>(
        self,
        AccessorAt { index, accessor }: AccessorAt<'_>,
        used: Option<&[u32]>,
        read: impl Fn(Component, &[u8]) -> T,
    ) -> Result<Vec<[T; N]>, ReadErrorKind> {
        let path = format!("accessors[{index}]");
        let Some(component) = Component::of(accessor.component_type) else {
            let found = format!("{path} of the component type {}", accessor.component_type.0);
            return Err(ReadErrorKind::syntax(found, "one of 5120 to 5123, 5125 and 5126"));
        };
        if n_components(&accessor.kind) != Some(N) {
            let found = format!("{path} of the type {}", printable(&accessor.kind));
            return Err(ReadErrorKind::syntax(found, format!("{N} components")));
        }
        let size = N * component.size();
        let item = |bytes: &[u8]| {
            let mut item = [T::default(); N];
            for (value, bytes) in item.iter_mut().zip(bytes.chunks_exact(component.size())) {
                *value = read(component, bytes);
            }
            item
        };
        let count = accessor.count.0;
        let n_items = used.map_or(count, <[u32]>::len);
        let mut items = match accessor.buffer_view {
            None => vec![[T::default(); N]; n_items],
            Some(view) => {
                let data = self.strided(view, accessor.byte_offset, size, count, &path)?;
                match used {
                    None => data.iter().map(item).collect(),
                    Some(used) => {
                        used.iter().map(|&index| item(data.get(index as usize))).collect()
                    }
                }
            }
        };
        if let Some(sparse) = &accessor.sparse {
            let path = format!("{path}.sparse");
            let (indices, values) = self.sparse(sparse, size, &path)?;
            for (index, value) in indices.iter().zip(values.iter()) {
                let index = integer(index);
                if index as usize >= count {
                    let found = format!("item {index} of {path}");
                    return Err(ReadErrorKind::syntax(found, format!("less than {count}")));
                }
                let place = match used {
                    None => Some(index as usize),
                    Some(used) => used.binary_search(&index).ok(),
                };
                if let Some(place) = place {
                    items[place] = item(value);
                }
            }
        }
        Ok(items)
    }

    /// The indices and the values, of `size` bytes each, with which a sparse accessor replaces items.
    fn sparse(
        self,
        sparse: &Sparse,
        size: usize,
        path: &str,
    ) -> Result<(Strided<'a>, Strided<'a>), ReadErrorKind> {
        let component = sparse.indices.component_type.and_then(Component::of);
        let Some(component @ (Component::U8 | Component::U16 | Component::U32)) = component else {
            let found = format!("{path}.indices of another component type");
            return Err(ReadErrorKind::syntax(found, "one of 5121, 5123 and 5125"));
        };
        let (n, indices, values) = (sparse.count.0, &sparse.indices, &sparse.values);
        let indices = self.strided(
            indices.buffer_view,
            indices.byte_offset,
            component.size(),
            n,
            &format!("{path}.indices"),
        )?;
        let values = self.strided(
            values.buffer_view,
            values.byte_offset,
            size,
            n,
            &format!("{path}.values"),
        )?;
        Ok((indices, values))
    }

    /// The items of `size` bytes in a buffer view, for the accessor at `path`.
    fn strided(
        self,
        view_index: Index,
        offset: Option<Index>,
        size: usize,
        count: usize,
        path: &str,
    ) -> Result<Strided<'a>, ReadErrorKind> {
        let (index, at_view) = (view_index.0, format!("{path}.bufferView"));
        let view = self.root.buffer_views.get(view_index, &at_view)?;
        let at_buffer = format!("bufferViews[{index}].buffer");
        let bytes = self.buffers.get(view.buffer, self.root, &at_buffer).map_err(|error| {
            match extensions::meshopt(&view.extensions) {
                Some(name) => at(format!("bufferViews[{index}]"))(extensions::compressed(name)),
                None => error,
            }
        })?;
        let offset = offset.unwrap_or_default().0;
        let start = view.byte_offset.unwrap_or_default().0;
        let bytes = bytes
            .get(start..)
            .map(|bytes| &bytes[..bytes.len().min(view.byte_length.0)])
            .and_then(|bytes| bytes.get(offset..));
        // A stride of 0 stands for none.
        let stride = view.byte_stride.map_or(size, |stride| stride.0);
        let stride = if stride == 0 { size } else { stride };
        // No padding is needed after the last item.
        let needed = match count {
            0 => Some(0),
            n => (n - 1).checked_mul(stride).and_then(|len| len.checked_add(size)),
        };
        match (bytes, needed) {
            (Some(bytes), Some(needed)) if needed <= bytes.len() && stride >= size => {
                Ok(Strided { bytes, size, stride, count })
            }
            _ => {
                let found = format!(
                    "{path}: {count} items of {size} bytes, {stride} bytes apart from {offset} on"
                );
                let n = bytes.map_or(0, <[u8]>::len);
                let expected = format!(
                    "them within bufferViews[{index}] and its buffer, which have {n} bytes there"
                );
                Err(ReadErrorKind::syntax(found, expected))
            }
        }
    }

    /// The bytes of a buffer view.
    pub(super) fn view(self, index: Index, path: &str) -> Result<&'a [u8], ReadErrorKind> {
        let view = self.root.buffer_views.get(index, path)?;
        let data = self.strided(index, None, view.byte_length.0, 1, path)?;
        Ok(data.get(0))
    }
}

/// Items of `size` bytes, `stride` bytes apart, all in the buffer.
struct Strided<'a> {
    bytes: &'a [u8],
    size: usize,
    stride: usize,
    count: usize,
}

impl<'a> Strided<'a> {
    fn iter(&self) -> impl Iterator<Item = &'a [u8]> {
        (0..self.count).map(|i| self.get(i))
    }

    fn get(&self, index: usize) -> &'a [u8] {
        &self.bytes[index * self.stride..][..self.size]
    }
}

fn n_components(kind: &str) -> Option<usize> {
    Some(match kind {
        "SCALAR" => 1,
        "VEC2" => 2,
        "VEC3" => 3,
        "VEC4" => 4,
        "MAT4" => 16,
        _ => return None,
    })
}

/// The type of a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Component {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

impl Component {
    fn of(Index(number): Index) -> Option<Self> {
        Some(match number {
            5120 => Self::I8,
            5121 => Self::U8,
            5122 => Self::I16,
            5123 => Self::U16,
            5125 => Self::U32,
            5126 => Self::F32,
            _ => return None,
        })
    }

    fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }

    fn float(self, bytes: &[u8], is_normalized: bool) -> f32 {
        let bits = integer(bytes);
        let (value, largest) = match self {
            Self::F32 => return f32::from_bits(bits),
            Self::U8 => (bits as f32, 255.0),
            Self::U16 => (bits as f32, 65535.0),
            Self::U32 => (bits as f32, u32::MAX as f32),
            Self::I8 => (f32::from(bits as u8 as i8), 127.0),
            Self::I16 => (f32::from(bits as u16 as i16), 32767.0),
        };
        if is_normalized { (value / largest).max(-1.0) } else { value }
    }
}

/// An unsigned integer of one, two or four bytes.
fn integer(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |value, &byte| value << 8 | u32::from(byte))
}
