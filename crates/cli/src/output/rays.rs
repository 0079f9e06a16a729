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

/// The writer of the results of rays. `t` is exact in scenes and for balls.
///
/// # Errors
/// A target that cannot be written, and a full disk.
pub(crate) fn ray_writer(
    format: OutputFormat,
    query: Query,
    fields: &[Field],
    exact_t: bool,
    target: Target,
) -> anyhow::Result<Writer<RayArrays>> {
    let arrays = || RayArrays::new(query, fields, exact_t);
    Writer::new(format, &csv::header(query, fields), arrays, target)
}

/// The fields that a format has without the flag. Only a scene has instances. A ball touches no side, but a feature.
pub(crate) fn default_fields(format: OutputFormat, of_scene: bool, of_ball: bool) -> Vec<Field> {
    use Field::{
        Distance, Feature, Group, Instance, Material, Normal, Object, Path, Point, Polygon, Side,
        T, Triangle, Vertices, W1, W2,
    };
    let fields: &[Field] = match format {
        OutputFormat::Npz if of_ball => &[T, Instance, Triangle, Point, Normal, Feature],
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
    let of_this = |field| if of_ball && field == Side { Feature } else { field };
    fields.iter().copied().filter(has).map(of_this).collect()
}
