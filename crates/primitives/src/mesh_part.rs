//! Some polygons of a mesh, as a mesh.

use crate::{CornerAttributes, FaceRecords, TriMesh};

/// Some polygons of a mesh, under the indices that they have in the whole mesh.
///
/// Vertices and polygons keep their indices, so a polygon outside the part has no triangles. Triangles
/// get new indices; [`triangles`](Self::triangles) maps them back.
#[derive(Clone, Debug)]
pub struct MeshPart {
    /// The polygons of the part, with all positions, attributes and names of the whole mesh.
    pub mesh: TriMesh,
    /// The index in the whole mesh of each triangle of `mesh`, in rising order.
    pub triangles: Vec<u32>,
}

impl TriMesh {
    /// The polygons whose index passes `keeps`. Calls it once per polygon, in order. O(n).
    ///
    /// ```
    /// let cube = hitscan_primitives::generate::cuboid(2.0, 2.0, 2.0, 0)?;
    /// let part = cube.part(|polygon| polygon != 0);
    /// let n_removed = cube.triangles_of(0).len();
    /// assert_eq!(part.mesh.triangles().len(), cube.triangles().len() - n_removed);
    /// assert_eq!(part.mesh.polygon_of(0), 1);
    /// assert_eq!(part.triangles[0], n_removed as u32);
    /// # Ok::<(), hitscan_primitives::generate::GenerateError>(())
    /// ```
    #[must_use]
    #[expect(clippy::missing_panics_doc, reason = "a part of a valid mesh is valid")]
    pub fn part(&self, mut keeps: impl FnMut(u32) -> bool) -> MeshPart {
        let n_triangles = self.triangles().len();
        let n_polygons = self.records().map_or(n_triangles, FaceRecords::n_polygons) as u32;
        let mut triangles = vec![];
        let mut counts = Vec::with_capacity(n_polygons as usize);
        for polygon in 0..n_polygons {
            let kept = if keeps(polygon) { self.triangles_of(polygon) } else { 0..0 };
            counts.push(kept.len() as u32);
            triangles.extend(kept);
        }
        let of_kept = |all: &[[u32; 3]]| -> Vec<[u32; 3]> {
            if all.is_empty() {
                return vec![];
            }
            triangles.iter().map(|&triangle| all[triangle as usize]).collect()
        };
        let all = self.attributes();
        let attributes = CornerAttributes {
            normal_indices: of_kept(&all.normal_indices),
            uv_indices: of_kept(&all.uv_indices),
            normals: all.normals.clone(),
            uvs: all.uvs.clone(),
        };
        let records = match self.records() {
            Some(records) => records.with_triangle_counts(counts),
            None => FaceRecords::from_triangle_counts(counts),
        };
        let mesh = Self::from_vecs(self.positions().to_vec(), of_kept(self.triangles()))
            .and_then(|mesh| mesh.with_attributes(attributes))
            .and_then(|mesh| mesh.with_records(records));
        let mesh = mesh.expect("a part of a valid mesh is valid").with_offset(self.offset());
        MeshPart { mesh, triangles }
    }
}

#[cfg(test)]
mod tests {
    use glam::{Vec2, Vec3};

    use crate::PolygonProperties;

    use super::*;

    #[test]
    fn a_part_keeps_the_indices_of_vertices_and_polygons_and_all_attributes() {
        let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
        let triangles = vec![[0, 1, 2], [0, 2, 3], [2, 1, 0], [3, 2, 0]];
        let mut properties =
            PolygonProperties { names: vec!["roof".to_owned()], ..Default::default() };
        properties.objects.push(2, Some(0));
        let records = FaceRecords::from_triangle_counts([2, 1, 1]).with_properties(properties);
        let records = records.unwrap();
        let attributes = CornerAttributes {
            normals: vec![Vec3::X, Vec3::Y],
            normal_indices: vec![[0; 3], [0; 3], [0; 3], [1; 3]],
            uvs: vec![Vec2::ZERO, Vec2::ONE],
            uv_indices: vec![[0, 1, 0], [CornerAttributes::NONE; 3], [1, 0, 0], [1, 1, 1]],
        };
        let mesh = TriMesh::new(corners, triangles).unwrap();
        let mesh = mesh.with_attributes(attributes).unwrap().with_records(records).unwrap();
        let MeshPart { mesh: part, triangles } = mesh.part(|polygon| polygon != 1);
        assert_eq!(triangles, [0, 1, 3]);
        assert_eq!(part.triangles(), [[0, 1, 2], [0, 2, 3], [3, 2, 0]]);
        assert_eq!([0, 1, 2].map(|triangle| part.polygon_of(triangle)), [0, 0, 2]);
        assert_eq!((part.triangles_of(1), part.triangles_of(2)), (2..2, 2..3));
        assert_eq!(part.records().unwrap().object(2), Some("roof"));
        assert_eq!(part.attributes().normals_of(2), Some([Vec3::Y; 3]));
        assert_eq!(part.attributes().uvs_of(2), Some([Vec2::ONE; 3]));
        assert_eq!(part.positions(), mesh.positions());
    }

    #[test]
    fn without_records_each_triangle_is_a_polygon() {
        let mesh = crate::generate::cuboid(1.0, 2.0, 3.0, 0).unwrap();
        let bare =
            TriMesh::from_vecs(mesh.positions().to_vec(), mesh.triangles().to_vec()).unwrap();
        let part = bare.part(|polygon| polygon % 2 == 1);
        assert_eq!(part.triangles, [1, 3, 5, 7, 9, 11]);
        assert_eq!((part.mesh.polygon_of(0), part.mesh.polygon_of(5)), (1, 11));
        let nothing = bare.part(|_| false);
        assert!(nothing.mesh.triangles().is_empty() && nothing.mesh.bounds().is_empty());
    }
}
