//! Arguments of scenes and solids: transforms, and the options of queries in scenes.

use hitscan_primitives::{
    HitOptions,
    glam::{DAffine3, DMat4},
};
use hitscan_scene::QueryOptions;

use crate::{arguments::hit_options, output};

/// Bit 0: hidden instances as well. Bit 1: locked ones.
pub(crate) fn query_options(
    faces_code: u32,
    once: u32,
    layers: u32,
    flags: u32,
) -> QueryOptions<'static> {
    let HitOptions { faces, mode } = hit_options(faces_code, once);
    QueryOptions {
        faces,
        mode,
        layers,
        include_hidden: flags & 1 != 0,
        include_locked: flags & 2 != 0,
        ..QueryOptions::default()
    }
}

/// The matrix of sixteen numbers, column-major, from a place on.
pub(crate) fn matrix(first: usize) -> DMat4 {
    DMat4::from_cols_array(&std::array::from_fn(|i| output::read(first + i)))
}

/// The transform of sixteen numbers; `None` if the last row is not that of an affine one.
pub(crate) fn transform(first: usize) -> Option<DAffine3> {
    let matrix = matrix(first);
    (matrix.row(3).to_array() == [0.0, 0.0, 0.0, 1.0]).then(|| DAffine3::from_mat4(matrix))
}
