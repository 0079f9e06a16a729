//! The elements of a scene: objects, and the faces, edges and vertices of their meshes.

use hitscan_primitives::TriMesh;

/// The kind of element that a query searches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ElementKind {
    /// Whole instances.
    #[default]
    Object,
    /// Polygons, before triangulation. Without records each triangle is a polygon.
    Face,
    /// Edges of polygons, without the diagonals of the triangulation.
    Edge,
    /// Corners of triangles.
    Vertex,
}

/// An instance, or a face, edge or vertex of its mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Element {
    /// The instance as a whole.
    Object,
    /// The index of a polygon in the mesh's records; without records, the index of a triangle.
    Face(u32),
    /// An edge of a polygon: the indices of its two vertices, the smaller one first.
    Edge([u32; 2]),
    /// The index of a vertex in the mesh.
    Vertex(u32),
}

impl Element {
    /// The kind of the element.
    pub fn kind(&self) -> ElementKind {
        match self {
            Self::Object => ElementKind::Object,
            Self::Face(_) => ElementKind::Face,
            Self::Edge(_) => ElementKind::Edge,
            Self::Vertex(_) => ElementKind::Vertex,
        }
    }
}

/// The edges of all polygons that contain these triangles, sorted and without duplicates.
pub(crate) fn polygon_edges(
    mesh: &TriMesh,
    triangles: impl IntoIterator<Item = u32>,
) -> Vec<[u32; 2]> {
    let mut polygons: Vec<u32> =
        triangles.into_iter().map(|triangle| mesh.polygon_of(triangle)).collect();
    polygons.sort_unstable();
    polygons.dedup();
    let mut edges = vec![];
    for polygon in polygons {
        append_polygon_edges(mesh, polygon, &mut edges);
    }
    edges.sort_unstable();
    edges.dedup();
    edges
}

/// Appends the edges of a polygon: the triangle edges that no two of its triangles share. Each has its
/// smaller vertex first. O(n log n) for a polygon of n triangles.
fn append_polygon_edges(mesh: &TriMesh, polygon: u32, edges: &mut Vec<[u32; 2]>) {
    let first = edges.len();
    let triangles = mesh.triangles_of(polygon);
    if let [[a, b, c]] = mesh.triangles()[triangles.start as usize..triangles.end as usize]
        && a != b
        && b != c
        && c != a
    {
        // Its sides differ, so all of them are edges.
        edges.extend([[a, b], [b, c], [c, a]].map(|[a, b]| [a.min(b), a.max(b)]));
        edges[first..].sort_unstable();
        return;
    }
    for triangle in triangles {
        let [a, b, c] = mesh.triangles()[triangle as usize];
        let sides = [[a, b], [b, c], [c, a]].map(|[a, b]| [a.min(b), a.max(b)]);
        edges.extend(sides.into_iter().filter(|[a, b]| a != b));
    }
    edges[first..].sort_unstable();
    // Keep the edges that occur once.
    let (mut kept, mut at) = (first, first);
    while at < edges.len() {
        let edge = edges[at];
        let n_equal = edges[at..].iter().take_while(|&&other| other == edge).count();
        if n_equal == 1 {
            edges[kept] = edge;
            kept += 1;
        }
        at += n_equal;
    }
    edges.truncate(kept);
}

#[cfg(test)]
mod tests {
    use hitscan_primitives::FaceRecords;

    use super::*;

    #[test]
    fn diagonals_are_no_edges() {
        let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
        let mesh = TriMesh::new(corners, vec![[0, 1, 2], [0, 2, 3]]).unwrap();
        let edges = |mesh: &TriMesh, polygon| {
            let mut edges = vec![[9, 9]];
            append_polygon_edges(mesh, polygon, &mut edges);
            edges
        };
        assert_eq!(edges(&mesh, 1), [[9, 9], [0, 2], [0, 3], [2, 3]]);
        let quad = mesh.with_records(FaceRecords::from_triangle_counts([2])).unwrap();
        assert_eq!(edges(&quad, 0), [[9, 9], [0, 1], [0, 3], [1, 2], [2, 3]]);
        assert_eq!((quad.polygon_of(1), quad.triangles_of(0)), (0, 0..2));
    }
}
