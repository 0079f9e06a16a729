//! The results of rays in every format.

use std::ops::Range;

use super::npz::RayArrays;
use super::results::Results;
use super::target::Target;
use super::writer::{Chunk, Writer};
use super::{csv, ndjson, text};
use crate::args::{Field, OutputFormat};
use crate::query::Query;

impl Chunk for Results<'_> {
    type Arrays = RayArrays;

    fn len(&self) -> usize {
        self.n_rays
    }

    fn append(&self, format: OutputFormat, rays: Range<usize>, out: &mut Vec<u8>) {
        match format {
            OutputFormat::Text | OutputFormat::Npz => text::append(self, rays, out),
            OutputFormat::Ndjson => ndjson::append(self, rays, out),
            OutputFormat::Csv => csv::append(self, rays, out),
        }
    }

    fn push(&self, arrays: &mut RayArrays) -> anyhow::Result<()> {
        arrays.push(self)
    }
}

/// The writer of the results of rays.
///
/// # Errors
/// A target that cannot be written, and a full disk.
pub(crate) fn ray_writer(
    format: OutputFormat,
    query: Query,
    fields: &[Field],
    of_scene: bool,
    target: Target,
) -> anyhow::Result<Writer<RayArrays>> {
    let arrays = || RayArrays::new(query, fields, of_scene);
    Writer::new(format, &csv::header(query, fields), arrays, target)
}

/// The fields that a format has without the flag. Only a scene has instances.
pub(crate) fn default_fields(format: OutputFormat, of_scene: bool) -> Vec<Field> {
    use Field::{
        Distance, Group, Instance, Material, Normal, Object, Path, Point, Polygon, Side, T,
        Triangle, Vertices, W1, W2,
    };
    let fields: &[Field] = match format {
        OutputFormat::Npz => &[T, Instance, Triangle, W1, W2, Normal],
        OutputFormat::Csv => &[
            T, Point, Normal, Side, W1, W2, Instance, Path, Triangle, Polygon, Object, Group,
            Material,
        ],
        OutputFormat::Text | OutputFormat::Ndjson => &[
            T, Distance, Point, Normal, Side, W1, W2, Instance, Path, Triangle, Vertices, Polygon,
            Object, Group, Material,
        ],
    };
    let has = |field: &Field| of_scene || !matches!(field, Instance | Path);
    fields.iter().copied().filter(has).collect()
}
