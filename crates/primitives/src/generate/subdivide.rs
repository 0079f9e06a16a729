//! Subdivision of every triangle of a mesh into four.

use std::collections::HashMap;
use std::ops::Add;

use glam::Vec3;

use crate::{CornerAttributes, MeshError, TriMesh};

impl TriMesh {
    /// The same surface with every triangle split in four at the midpoints of its edges.
    ///
    /// Triangle `i = (a, b, c)` becomes the triangles `4 i` to `4 i + 3`:
    /// `(a, ab, ca)`, `(b, bc, ab)`, `(c, ca, bc)`, `(ab, bc, ca)`. A midpoint is one new vertex for
    /// all triangles on its edge; new vertices follow the old ones in the order of first use, `ab`
    /// before `bc` before `ca`. Midpoints are rounded once. Normals and texture coordinates are split
    /// in the same way, and each polygon of the face records keeps its triangles. O(n).
    ///
    /// # Errors
    /// More than [`TriMesh::MAX_TRIANGLES`] triangles, or possibly more than 2^32 - 1 vertices.
    ///
    /// ```
    /// # use hitscan_primitives::TriMesh;
    /// let mesh = TriMesh::new([[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0]], vec![[0, 1, 2]])?;
    /// let split = mesh.subdivided()?;
    /// assert_eq!(split.triangles(), [[0, 3, 5], [1, 4, 3], [2, 5, 4], [3, 4, 5]]);
    /// assert_eq!(split.positions()[3].to_array(), [1.0, 0.0, 0.0]);
    /// # Ok::<(), hitscan_primitives::MeshError>(())
    /// ```
    pub fn subdivided(&self) -> Result<Self, MeshError> {
        let n_triangles = self.triangles().len().saturating_mul(4);
        if n_triangles > Self::MAX_TRIANGLES {
            return Err(MeshError::TooManyTriangles { n_triangles });
        }
        // Every edge may be new: at most three midpoints a triangle.
        let n_positions = self.positions().len() + 3 * self.triangles().len();
        if n_positions > u32::MAX as usize {
            return Err(MeshError::TooManyPositions { n_positions });
        }
        let (positions, triangles) = split(self.positions(), self.triangles(), midpoint);
        let split_mesh = Self::from_vecs(positions, triangles)?;

        let CornerAttributes { normals, normal_indices, uvs, uv_indices } = self.attributes();
        let (normals, normal_indices) = split(normals, normal_indices, midpoint);
        let (uvs, uv_indices) = split(uvs, uv_indices, |a, b| 0.5 * a + 0.5 * b);
        let attributes = CornerAttributes { normals, normal_indices, uvs, uv_indices };
        let split_mesh = split_mesh.with_attributes(attributes)?;
        match self.records() {
            Some(records) => split_mesh.with_records(records.subdivided()),
            None => Ok(split_mesh),
        }
    }
}

/// Splits every index triple in four, with a new value at the middle of each pair. The middle has no
/// value if an end has none.
fn split<T: Copy + Add<Output = T>>(
    values: &[T],
    triples: &[[u32; 3]],
    middle: impl Fn(T, T) -> T,
) -> (Vec<T>, Vec<[u32; 3]>) {
    let mut values = values.to_vec();
    let mut quarters = Vec::with_capacity(4 * triples.len());
    // A closed mesh has three edges for two triangles.
    let mut middles: HashMap<(u32, u32), u32> = HashMap::with_capacity(3 * triples.len() / 2);
    let mut middle_of = |p: u32, q: u32| {
        if p == CornerAttributes::NONE || q == CornerAttributes::NONE {
            return CornerAttributes::NONE;
        }
        *middles.entry((p.min(q), p.max(q))).or_insert_with(|| {
            values.push(middle(values[p as usize], values[q as usize]));
            values.len() as u32 - 1
        })
    };
    for &[a, b, c] in triples {
        let (ab, bc, ca) = (middle_of(a, b), middle_of(b, c), middle_of(c, a));
        quarters.extend([[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]);
    }
    (values, quarters)
}

/// The midpoint, rounded once: the sum of two f32 cannot overflow f64.
fn midpoint(a: Vec3, b: Vec3) -> Vec3 {
    (0.5 * (a.as_dvec3() + b.as_dvec3())).as_vec3()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FaceRecords;
    use glam::Vec2;

    fn two_triangles() -> TriMesh {
        let corners = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [4.0, 4.0, 0.0], [0.0, 4.0, 0.0]];
        TriMesh::new(corners, vec![[0, 1, 2], [0, 2, 3]]).unwrap()
    }

    #[test]
    fn neighbours_share_the_vertex_in_the_middle_of_their_edge() {
        let split = two_triangles().subdivided().unwrap();
        assert_eq!(split.positions().len(), 4 + 5);
        assert_eq!(split.triangles()[0], [0, 4, 6]);
        // The second triangle's first edge is the first one's last, whose middle is vertex 6.
        assert_eq!(split.triangles()[4..], [[0, 6, 8], [2, 7, 6], [3, 8, 7], [6, 7, 8]]);
        assert_eq!(split.bounds(), two_triangles().bounds());
    }

    #[test]
    fn attributes_and_records_follow_their_triangles() {
        let none = CornerAttributes::NONE;
        let attributes = CornerAttributes {
            uvs: vec![Vec2::ZERO, Vec2::X, Vec2::Y],
            uv_indices: vec![[0, 1, 2], [0, none, 2]],
            ..CornerAttributes::default()
        };
        let mesh = two_triangles().with_attributes(attributes).unwrap();
        let mesh = mesh.with_records(FaceRecords::from_triangle_counts([2])).unwrap();
        let split = mesh.subdivided().unwrap();
        let attributes = split.attributes();
        let expected = [Vec2::ZERO, Vec2::new(0.5, 0.0), Vec2::new(0.0, 0.5)];
        assert_eq!(attributes.uvs_of(0), Some(expected));
        assert_eq!(attributes.uv_indices[4], [0, none, 5]);
        assert_eq!(split.records().unwrap().triangles_of(0), 0..8);
    }

    #[test]
    fn a_midpoint_of_the_largest_numbers_does_not_overflow() {
        let max = Vec3::splat(f32::MAX);
        assert_eq!(midpoint(max, max), max);
    }
}
