//! A mesh in the space of its tree.

use glam::{Vec3, Vec3A};
use hitscan_primitives::{TriMesh, brute_force::scaled};

use crate::box3::Box3;

/// A mesh with the power of two that brings it into the scaled space of its tree.
///
/// The scale is 1 for a mesh of usual size. Extreme meshes are scaled, so that products in the kernels
/// neither overflow nor vanish.
#[derive(Clone, Copy)]
pub(crate) struct ScaledMesh<'a> {
    pub(crate) mesh: &'a TriMesh,
    /// [`TriMesh::query_scale`].
    pub(crate) scale: f64,
    /// The largest coordinate in absolute value, in scaled space.
    pub(crate) max_abs: f32,
}

impl<'a> ScaledMesh<'a> {
    pub(crate) fn new(mesh: &'a TriMesh) -> Self {
        let scale = mesh.query_scale();
        let max_abs = (f64::from(mesh.bounds().max_abs_coordinate()) * scale) as f32;
        Self { mesh, scale, max_abs }
    }

    /// The number of triangles.
    pub(crate) fn n_triangles(&self) -> usize {
        self.mesh.triangles().len()
    }

    /// A position in scaled space.
    #[inline(always)]
    pub(crate) fn scaled(&self, position: Vec3) -> Vec3 {
        if self.scale == 1.0 { position } else { scaled(position, self.scale) }
    }

    /// The corners of a triangle in scaled space.
    #[inline(always)]
    pub(crate) fn corners(&self, triangle: u32) -> [Vec3; 3] {
        // Element by element, because `map` on arrays is left out of line where there are many calls of it.
        let [a, b, c] = self.mesh.triangles()[triangle as usize];
        let positions = self.mesh.positions();
        let [a, b, c] = [positions[a as usize], positions[b as usize], positions[c as usize]];
        if self.scale == 1.0 {
            [a, b, c]
        } else {
            [scaled(a, self.scale), scaled(b, self.scale), scaled(c, self.scale)]
        }
    }

    /// The box of a triangle in scaled space.
    #[inline(always)]
    pub(crate) fn triangle_box(&self, triangle: u32) -> Box3 {
        let [a, b, c] = self.corners(triangle);
        let [a, b, c]: [Vec3A; 3] = [a.into(), b.into(), c.into()];
        Box3 { min: a.min(b).min(c), max: a.max(b).max(c) }
    }
}
