//! What the builder sorts: triangles, and parts of split ones.

use super::{needles::parts_of_needles, polygon::Part, triangle_set::TriangleSet};
use crate::{box3::Box3, scaled_mesh::ScaledMesh};

/// The triangles of a mesh as the builder sees them: one reference for each, more for split ones.
///
/// A reference is a number. Those below the number of triangles are the triangles, where a split triangle
/// stands for its first part. The other parts follow.
pub(crate) struct References<'a> {
    mesh: ScaledMesh<'a>,
    split: TriangleSet,
    /// The first parts, by rising index of the triangle.
    first_parts: Vec<Part>,
    other_parts: Vec<Part>,
}

impl<'a> References<'a> {
    /// The references of a mesh of which some triangles are worth splitting; `None` for all others.
    pub(crate) fn of_worthwhile_splits(mesh: ScaledMesh<'a>) -> Option<Self> {
        let parts = parts_of_needles(&mesh);
        let mut split = TriangleSet::with_room_for(mesh.n_triangles());
        let is_first = |part: &Part| split.insert(part.triangle) == Some(true);
        let (first_parts, other_parts): (Vec<_>, Vec<_>) = parts.into_iter().partition(is_first);
        (!other_parts.is_empty()).then_some(Self { mesh, split, first_parts, other_parts })
    }

    /// The number of references.
    pub(crate) fn len(&self) -> usize {
        self.mesh.n_triangles() + self.other_parts.len()
    }

    /// The box of a reference.
    #[inline(always)]
    pub(crate) fn bounds(&self, reference: u32) -> Box3 {
        match self.other_parts.get((reference as usize).wrapping_sub(self.mesh.n_triangles())) {
            Some(part) => part.bounds,
            None if self.split.contains(reference) => self.first_part(reference),
            None => self.mesh.triangle_box(reference),
        }
    }

    #[cold]
    fn first_part(&self, triangle: u32) -> Box3 {
        let at = self.first_parts.partition_point(|part| part.triangle < triangle);
        self.first_parts[at].bounds
    }

    /// The triangle of a reference, and whether it is split.
    #[inline]
    pub(crate) fn triangle(&self, reference: u32) -> (u32, bool) {
        match self.other_parts.get((reference as usize).wrapping_sub(self.mesh.n_triangles())) {
            Some(part) => (part.triangle, true),
            None => (reference, self.split.contains(reference)),
        }
    }
}
