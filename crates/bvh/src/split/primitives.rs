//! The primitives of a build: triangles, and parts of split ones.

use super::{needles::parts_of_needles, polygon::Part, triangle_set::TriangleSet};
use crate::{box3::Box3, scaled_mesh::ScaledMesh, simd::Isa};

/// The triangles of a mesh as the builder sees them: one primitive for each, more for split ones.
///
/// A primitive is a number. Those below the number of triangles are the triangles, where a split triangle
/// stands for its first part. The other parts follow.
pub(crate) struct Primitives<'a> {
    mesh: ScaledMesh<'a>,
    split: TriangleSet,
    /// The first parts, by rising index of the triangle.
    first_parts: Vec<Part>,
    other_parts: Vec<Part>,
}

impl<'a> Primitives<'a> {
    /// The primitives of a mesh whose needles are worth splitting; `None` for all others.
    pub(crate) fn of_split_needles(mesh: ScaledMesh<'a>, isa: Isa) -> Option<Self> {
        let parts = parts_of_needles(&mesh, isa);
        let mut split = TriangleSet::with_room_for(mesh.n_triangles());
        let is_first = |part: &Part| split.insert(part.triangle) == Some(true);
        let (first_parts, other_parts): (Vec<_>, Vec<_>) = parts.into_iter().partition(is_first);
        (!other_parts.is_empty()).then_some(Self { mesh, split, first_parts, other_parts })
    }

    /// The number of primitives.
    pub(crate) fn len(&self) -> usize {
        self.mesh.n_triangles() + self.other_parts.len()
    }

    /// The box of a primitive.
    #[inline(always)]
    pub(crate) fn bounds(&self, primitive: u32) -> Box3 {
        match self.other_parts.get((primitive as usize).wrapping_sub(self.mesh.n_triangles())) {
            Some(part) => part.bounds,
            None if self.split.contains(primitive) => self.first_part(primitive),
            None => self.mesh.triangle_box(primitive),
        }
    }

    #[cold]
    fn first_part(&self, triangle: u32) -> Box3 {
        let at = self.first_parts.partition_point(|part| part.triangle < triangle);
        self.first_parts[at].bounds
    }

    /// Whether a triangle is split.
    pub(crate) fn is_split(&self, triangle: u32) -> bool {
        self.split.contains(triangle)
    }

    /// The triangle of a primitive, and whether it is split.
    #[inline]
    pub(crate) fn triangle(&self, primitive: u32) -> (u32, bool) {
        match self.other_parts.get((primitive as usize).wrapping_sub(self.mesh.n_triangles())) {
            Some(part) => (part.triangle, true),
            None => (primitive, self.split.contains(primitive)),
        }
    }
}
