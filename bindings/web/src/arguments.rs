//! Arguments that are codes: JavaScript checks their names, so any other code is the default.

use hitscan_bvh::{BuildOptions, BuildQuality, Isa, Layout};
use hitscan_primitives::{
    Faces, HitMode, HitOptions,
    glam::{DAffine3, DMat4},
};
use hitscan_scene::QueryOptions;

use crate::output;

pub(crate) fn faces(code: u32) -> Faces {
    match code {
        1 => Faces::Front,
        2 => Faces::Back,
        _ => Faces::Both,
    }
}

pub(crate) fn hit_options(faces_code: u32, once: u32) -> HitOptions {
    let mode = if once == 0 { HitMode::EveryTriangle } else { HitMode::OncePerCrossing };
    HitOptions { faces: faces(faces_code), mode }
}

pub(crate) fn build_options(quality: u32, layout: u32) -> BuildOptions {
    BuildOptions {
        quality: match quality {
            0 => BuildQuality::Fast,
            2 => BuildQuality::High,
            _ => BuildQuality::Balanced,
        },
        layout: if layout == 0 { Layout::Full } else { Layout::Compact },
        isa: Isa::detect(),
    }
}

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
