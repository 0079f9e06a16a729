//! The columns of an NPZ file: an array for each field, with an entry per ray or per hit.

use std::collections::HashMap;
use std::io::{BufWriter, Write};

use anyhow::Context;
use tempfile::SpooledTempFile;

use super::archive::Archive;
use super::record::HitRecord;
use super::value::{Value, joined};
use crate::args::Field;

/// The index of a miss and of an absent name, as in Open3D.
pub(crate) const NO_INDEX: u32 = u32::MAX;

/// The bytes of an array that stay in memory. More go to a temporary file.
const MAX_BYTES_IN_MEMORY: usize = 64 << 20;

/// An array that grows at its end.
pub(crate) struct Column {
    name: String,
    dtype: &'static str,
    /// The numbers of an entry; 1 for an array of one dimension.
    width: u64,
    n_entries: u64,
    bytes: BufWriter<SpooledTempFile>,
}

impl Column {
    pub(crate) fn new(name: impl Into<String>, dtype: &'static str, width: u64) -> Self {
        let bytes = BufWriter::new(SpooledTempFile::new(MAX_BYTES_IN_MEMORY));
        Self { name: name.into(), dtype, width, n_entries: 0, bytes }
    }

    /// Appends the bytes of an entry.
    ///
    /// # Errors
    /// A full disk.
    pub(crate) fn push<const N: usize>(
        &mut self,
        numbers: impl IntoIterator<Item = [u8; N]>,
    ) -> anyhow::Result<()> {
        for bytes in numbers {
            self.bytes.write_all(&bytes).context("cannot write to a temporary file")?;
        }
        self.n_entries += 1;
        Ok(())
    }

    pub(crate) fn n_entries(&self) -> u64 {
        self.n_entries
    }

    /// Moves the array into an archive.
    ///
    /// # Errors
    /// A full disk.
    pub(crate) fn write(self, archive: &mut Archive) -> anyhow::Result<()> {
        let file = self.bytes.into_inner().map_err(std::io::IntoInnerError::into_error)?;
        let shape: &[u64] = match self.width {
            1 => &[self.n_entries],
            width => &[self.n_entries, width],
        };
        archive.add(&self.name, self.dtype, shape, file)
    }
}

/// The arrays of the hits, in the order of the fields.
pub(crate) struct HitColumns(Vec<HitColumn>);

struct HitColumn {
    field: Field,
    column: Column,
    /// The different names of a column of names, by their index.
    names: Option<Names>,
}

#[derive(Default)]
struct Names {
    indices: HashMap<String, u32>,
    in_order: Vec<String>,
}

impl Names {
    fn index(&mut self, name: &str) -> u32 {
        if let Some(&index) = self.indices.get(name) {
            return index;
        }
        let index = self.in_order.len() as u32;
        self.indices.insert(name.to_owned(), index);
        self.in_order.push(name.to_owned());
        index
    }
}

impl HitColumns {
    /// `t` is an f64 if it is exact, else an f32.
    pub(super) fn new(fields: &[Field], exact_t: bool) -> Self {
        let mut columns: Vec<HitColumn> = Vec::new();
        for &field in fields {
            // One array has both weights.
            let field = if field == Field::W2 { Field::W1 } else { field };
            if columns.iter().any(|column| column.field == field) {
                continue;
            }
            let (name, dtype, width) = match field {
                Field::T => ("t_hit", if exact_t { "<f8" } else { "<f4" }, 1),
                Field::Distance => ("distances", "<f8", 1),
                Field::Point => ("points", "<f8", 3),
                Field::Normal => ("primitive_normals", "<f4", 3),
                Field::InterpolatedNormal => ("interpolated_normals", "<f4", 3),
                Field::Side => ("is_front", "|b1", 1),
                Field::Feature => ("feature_ids", "<u4", 1),
                Field::W1 | Field::W2 => ("primitive_uvs", "<f4", 2),
                Field::Instance => ("geometry_ids", "<u4", 1),
                Field::Path => ("path_ids", "<u4", 1),
                Field::Triangle => ("primitive_ids", "<u4", 1),
                Field::Vertices => ("vertex_ids", "<u4", 3),
                Field::Polygon => ("polygon_ids", "<u4", 1),
                Field::Line => ("lines", "<u8", 1),
                Field::Object => ("object_ids", "<u4", 1),
                Field::Group => ("group_ids", "<u4", 1),
                Field::Material => ("material_ids", "<u4", 1),
                Field::Colour => ("colours", "<f4", 3),
                Field::Texture => ("texture_uvs", "<f8", 2),
            };
            let is_name = matches!(
                field,
                Field::Feature | Field::Path | Field::Object | Field::Group | Field::Material
            );
            let names = is_name.then(Names::default);
            columns.push(HitColumn { field, column: Column::new(name, dtype, width), names });
        }
        Self(columns)
    }

    /// Appends a hit, or a miss.
    ///
    /// # Errors
    /// A full disk.
    pub(super) fn push(&mut self, hit: Option<&HitRecord<'_>>) -> anyhow::Result<()> {
        for HitColumn { field, column, names } in &mut self.0 {
            let value = hit.map_or(Value::None, |hit| hit.value(*field));
            match (*field, value) {
                (Field::T, Value::F32(t)) => column.push([t.to_le_bytes()])?,
                (Field::T, _) if column.dtype == "<f4" => {
                    column.push([f32::INFINITY.to_le_bytes()])?;
                }
                (Field::T | Field::Distance, Value::F64(x)) => column.push([x.to_le_bytes()])?,
                (Field::T | Field::Distance, _) => column.push([f64::INFINITY.to_le_bytes()])?,
                (Field::Point, Value::Vector(point)) => column.push(point.map(f64::to_le_bytes))?,
                (Field::Point, _) => column.push([f64::NAN; 3].map(f64::to_le_bytes))?,
                (Field::Normal | Field::InterpolatedNormal | Field::Colour, Value::Vector(v)) => {
                    column.push(v.map(|x| (x as f32).to_le_bytes()))?;
                }
                // An array cannot hold "none".
                (Field::Normal | Field::InterpolatedNormal, _) => {
                    column.push([0f32; 3].map(f32::to_le_bytes))?;
                }
                (Field::Colour, _) => column.push([f32::NAN; 3].map(f32::to_le_bytes))?,
                (Field::Side, side) => column.push([[u8::from(side == Value::Name("front"))]])?,
                (Field::W1 | Field::W2, _) => {
                    let weights = hit.map_or([0.0; 2], HitRecord::weights);
                    column.push(weights.map(f32::to_le_bytes))?;
                }
                (Field::Vertices, Value::Indices(i)) => column.push(i.map(u32::to_le_bytes))?,
                (Field::Vertices, _) => column.push([NO_INDEX; 3].map(u32::to_le_bytes))?,
                (Field::Line, Value::Index(line)) => column.push([line.to_le_bytes()])?,
                (Field::Line, _) => column.push([0u64.to_le_bytes()])?,
                (Field::Texture, Value::Pair(uv)) => column.push(uv.map(f64::to_le_bytes))?,
                (Field::Texture, _) => column.push([f64::NAN; 2].map(f64::to_le_bytes))?,
                (_, value) => {
                    let index = match (value, names) {
                        (Value::Name(name), Some(names)) => names.index(name),
                        (Value::Path(path), Some(names)) => names.index(&joined(&path)),
                        (Value::Index(i), _) => u32::try_from(i).context(
                            "found an index of 2^32 or more; expected less, because ids are 32-bit numbers",
                        )?,
                        _ => NO_INDEX,
                    };
                    column.push([index.to_le_bytes()])?;
                }
            }
        }
        Ok(())
    }

    /// Moves the arrays into an archive.
    ///
    /// # Errors
    /// A full disk.
    pub(super) fn write(self, archive: &mut Archive) -> anyhow::Result<()> {
        for HitColumn { field, column, names } in self.0 {
            column.write(archive)?;
            if let Some(names) = names {
                archive.add_names(&format!("{}_names", field.name()), &names.in_order)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use zip::ZipArchive;

    use super::*;
    use crate::output::Target;
    use crate::output::archive::write_archive;
    use crate::output::npy::{ALIGNMENT, PREFIX};

    /// The NPY file of a column in an archive.
    fn npy(column: Column) -> Vec<u8> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("a.npz");
        let mut target = Target::open(Some(&path)).expect("the folder is writable");
        write_archive(&mut target, |archive| column.write(archive)).expect("the disk has space");
        target.finish(&[]).expect("the folder is writable");
        let file = std::fs::File::open(&path).expect("the file is there");
        let mut archive = ZipArchive::new(file).expect("an archive");
        let mut bytes = vec![];
        archive.by_name("a.npy").expect("the array").read_to_end(&mut bytes).expect("it is whole");
        bytes
    }

    /// Equals the output of `np.save` of NumPy 2 for `np.array([[1, 2, 3]], np.uint32)`.
    #[test]
    fn an_array_has_the_bytes_of_numpy() {
        let mut column = Column::new("a", "<u4", 3);
        column.push([1u32, 2, 3].map(u32::to_le_bytes)).expect("memory has space");
        let bytes = npy(column);
        let (start, rest) = bytes.split_at(PREFIX);
        assert_eq!(start, b"\x93NUMPY\x01\x00\x76\x00");
        let (header, data) = rest.split_at(0x76);
        let text = std::str::from_utf8(header).expect("the header is text");
        assert_eq!(text.trim_end(), "{'descr': '<u4', 'fortran_order': False, 'shape': (1, 3), }");
        assert!(text.ends_with(" \n") && (PREFIX + header.len()).is_multiple_of(ALIGNMENT));
        assert_eq!(data, [1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0]);
    }

    #[test]
    fn all_values_are_written_in_order() {
        let values: Vec<u64> = (0..49_159).collect();
        let mut column = Column::new("a", "<u8", 1);
        for value in &values {
            column.push([value.to_le_bytes()]).expect("memory has space");
        }
        let bytes = npy(column);
        let data = &bytes[bytes.len() - 8 * values.len()..];
        let (numbers, []) = data.as_chunks::<8>() else { panic!("whole numbers") };
        assert!(numbers.iter().copied().map(u64::from_le_bytes).eq(values));
        assert!(String::from_utf8_lossy(&bytes).contains("'shape': (49159,), }"));
    }
}
