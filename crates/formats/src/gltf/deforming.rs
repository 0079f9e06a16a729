//! Reading the values that move the vertices of a primitive.

use hitscan_files::ReadErrorKind;

use super::{
    accessor::{AccessorAt, Source, at},
    document::Primitive,
    lenient::Index,
};

/// The vertices of a primitive that a mesh needs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Vertices<'a> {
    pub(super) primitive: &'a Primitive<'a>,
    /// The path of the primitive.
    pub(super) path: &'a str,
    /// The number of vertices in the file.
    pub(super) n: usize,
    /// The indices of those that are read; `None` for all.
    pub(super) used: Option<&'a [u32]>,
}

/// Reads the values that move vertices, within the limits.
pub(super) struct Deforming<'a> {
    pub(super) source: Source<'a>,
    /// The number of values that were read so far.
    pub(super) n: &'a mut u64,
}

impl Deforming<'_> {
    /// Whether every value is zero, because the file has no bytes for it.
    pub(super) fn is_zero(&self, accessor: Index, path: &str) -> Result<bool, ReadErrorKind> {
        Ok(self.source.accessor(accessor, path)?.is_zero())
    }

    fn accessor(
        &mut self,
        accessor: Index,
        vertices: Vertices<'_>,
        path: &str,
    ) -> Result<AccessorAt<'_>, ReadErrorKind> {
        let accessor = self.source.accessor(accessor, path)?;
        if accessor.count() != vertices.n {
            return Err(wrong_count(accessor, vertices.n, path));
        }
        let n = vertices.used.map_or(vertices.n, <[u32]>::len);
        *self.n = self.n.saturating_add(n as u64);
        let what = "values of skins and morph targets";
        let what_if_shared = "values of skins and morph targets that share data";
        self.source.check(what, what_if_shared, *self.n)?;
        Ok(accessor)
    }

    pub(super) fn floats<const N: usize>(
        &mut self,
        accessor: Index,
        vertices: Vertices<'_>,
        path: &str,
    ) -> Result<Vec<[f32; N]>, ReadErrorKind> {
        let source = self.source;
        let accessor = self.accessor(accessor, vertices, path)?;
        source.floats(accessor, vertices.used).map_err(at(path))
    }

    pub(super) fn integers<const N: usize>(
        &mut self,
        accessor: Index,
        vertices: Vertices<'_>,
        path: &str,
    ) -> Result<Vec<[u32; N]>, ReadErrorKind> {
        let source = self.source;
        let accessor = self.accessor(accessor, vertices, path)?;
        source.integers(accessor, vertices.used).map_err(at(path))
    }
}

/// The error for an accessor that has not one value a vertex.
pub(super) fn wrong_count(accessor: AccessorAt<'_>, n: usize, path: &str) -> ReadErrorKind {
    let found = format!("{path}: {} values in accessors[{}]", accessor.count(), accessor.index);
    ReadErrorKind::syntax(found, format!("one for each of the {n} vertices"))
}
