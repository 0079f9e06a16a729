//! Normals and texture coordinates at the corners of triangles.

use glam::{Vec2, Vec3};

/// Normals and texture coordinates at the corners of the triangles.
///
/// Each attribute has a list of indices, three per triangle, separate from those of the positions.
/// [`CornerAttributes::NONE`] marks a corner that lacks the attribute. An empty index list means that no
/// triangle has the attribute.
///
/// The fields are public and unchecked. [`TriMesh::with_attributes`](crate::TriMesh::with_attributes) checks the indices, not the values,
/// so a normal or a texture coordinate may be zero or NaN.
///
/// ```
/// use hitscan_primitives::{CornerAttributes, TriMesh, glam::Vec2};
///
/// let mesh = TriMesh::new([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], vec![[0, 1, 2]])?;
/// let mesh = mesh.with_attributes(CornerAttributes {
///     uvs: vec![Vec2::ZERO, Vec2::X, Vec2::Y],
///     uv_indices: vec![[0, 1, 2]],
///     ..CornerAttributes::default()
/// })?;
/// assert_eq!(mesh.attributes().uvs_of(0), Some([Vec2::ZERO, Vec2::X, Vec2::Y]));
/// assert_eq!(mesh.attributes().normals_of(0), None);
/// # Ok::<(), hitscan_primitives::MeshError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CornerAttributes {
    /// Normals in local space, of any length.
    pub normals: Vec<Vec3>,
    /// Three indices into `normals` per triangle; empty or as long as the triangles.
    pub normal_indices: Vec<[u32; 3]>,
    /// Texture coordinates: (0, 0) is the lower left corner of the picture, (1, 1) the upper right one.
    pub uvs: Vec<Vec2>,
    /// Three indices into `uvs` per triangle; empty or as long as the triangles.
    pub uv_indices: Vec<[u32; 3]>,
}

impl CornerAttributes {
    /// The index of a corner that lacks the attribute.
    pub const NONE: u32 = u32::MAX;

    /// The three normals of a triangle; `None` if a corner lacks one or there is no such triangle.
    pub fn normals_of(&self, triangle: u32) -> Option<[Vec3; 3]> {
        gather(&self.normals, &self.normal_indices, triangle)
    }

    /// The three texture coordinates of a triangle; `None` if a corner lacks one or there is no such
    /// triangle.
    pub fn uvs_of(&self, triangle: u32) -> Option<[Vec2; 3]> {
        gather(&self.uvs, &self.uv_indices, triangle)
    }
}

fn gather<T: Copy>(values: &[T], indices: &[[u32; 3]], triangle: u32) -> Option<[T; 3]> {
    let [a, b, c] = *indices.get(triangle as usize)?;
    let value = |i: u32| values.get(i as usize).copied();
    Some([value(a)?, value(b)?, value(c)?])
}
