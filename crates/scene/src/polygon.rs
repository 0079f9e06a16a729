//! The polygons of a mesh before triangulation.

use std::{collections::HashSet, ops::Range};

use crate::Mesh;

impl Mesh {
    /// The triangles of the polygon that contains a triangle; only the triangle if the mesh has no records.
    ///
    /// # Panics
    /// If `triangle` is not a triangle of the mesh.
    pub fn polygon_triangles(&self, triangle: u32) -> Range<u32> {
        assert!((triangle as usize) < self.tri_mesh().triangles().len(), "triangle {triangle}");
        self.tri_mesh().triangles_of(self.tri_mesh().polygon_of(triangle))
    }

    /// The edges of the polygon that contains a triangle, without the diagonals of its triangulation.
    ///
    /// Each edge is a pair of vertex indices in the direction of the polygon's winding. An edge is a
    /// diagonal if another triangle of the polygon has it in the opposite direction. O(corners of the
    /// polygon).
    ///
    /// # Panics
    /// If `triangle` is not a triangle of the mesh.
    pub fn polygon_edges(&self, triangle: u32) -> Vec<[u32; 2]> {
        let triangles = self.polygon_triangles(triangle);
        let mut edges: Vec<[u32; 2]> = triangles
            .flat_map(|t| {
                let [a, b, c] = self.tri_mesh().triangles()[t as usize];
                [[a, b], [b, c], [c, a]]
            })
            .collect();
        if edges.len() > 3 {
            let all: HashSet<[u32; 2]> = edges.iter().copied().collect();
            edges.retain(|&[a, b]| !all.contains(&[b, a]));
        }
        edges
    }
}

#[cfg(test)]
mod tests {
    use hitscan_bvh::BuildOptions;
    use hitscan_primitives::{FaceRecords, TriMesh};

    use super::*;

    #[test]
    fn a_polygon_has_no_diagonals() {
        // A triangle, and a pentagon as a fan.
        let corners = (0..8).map(|i| [i as f32, (i * i) as f32, 0.0]);
        let triangles = vec![[5, 6, 7], [0, 1, 2], [0, 2, 3], [0, 3, 4]];
        let mesh = TriMesh::new(corners, triangles).expect("indices within range");
        let bare = Mesh::new(mesh.clone(), &BuildOptions::default());
        assert_eq!(bare.polygon_edges(2), [[0, 2], [2, 3], [3, 0]]);
        let mesh = mesh.with_records(FaceRecords::from_triangle_counts([1, 3]));
        let mesh = Mesh::new(mesh.expect("four triangles"), &BuildOptions::default());
        assert_eq!(mesh.polygon_edges(0), [[5, 6], [6, 7], [7, 5]]);
        let mut edges = mesh.polygon_edges(2);
        edges.sort_unstable();
        assert_eq!(edges, [[0, 1], [1, 2], [2, 3], [3, 4], [4, 0]]);
    }
}
