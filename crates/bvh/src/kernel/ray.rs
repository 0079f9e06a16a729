//! A ray as the kernels take it.

use hitscan_primitives::{Faces, WatertightRay};

use super::{BoxRay, TriangleRay};
use crate::simd::Simd;

/// A ray with its constants in lanes, for one tree.
pub(crate) struct QueryRay<'a, S: Simd> {
    pub(crate) boxes: BoxRay<S>,
    pub(crate) triangles: TriangleRay<'a, S>,
}

impl<'a, S: Simd> QueryRay<'a, S> {
    /// `origin_shift` is that of [`BoxRay::new`].
    #[inline(always)]
    pub(crate) fn new(
        simd: S,
        ray: &'a WatertightRay,
        faces: Faces,
        origin_shift: Option<f32>,
    ) -> Self {
        Self {
            boxes: BoxRay::new(simd, ray, origin_shift),
            triangles: TriangleRay::new(simd, ray, faces),
        }
    }
}
