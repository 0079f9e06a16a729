//! How the triangles of a mesh meet: open edges, other faults of a surface, and its components.

mod boundary;
mod components;
mod duplicates;
mod edges;
mod same_vertex;

pub use boundary::BoundaryLoop;
pub use duplicates::DuplicateTriangle;
pub use edges::FaultyEdge;
pub use same_vertex::SameVertex;

use crate::TriMesh;
use boundary::OpenEdge;
use edges::EdgeTable;

/// The faults that keep a mesh from being a closed, well-wound surface, and its components.
///
/// An edge is a pair of different vertices that are neighbours in a triangle; [`SameVertex`] defines
/// which vertices are the same. Every triangle has three edges, also a triangle of zero area, because it
/// may close the surface. A triangle with two corners at the same vertex has no edges: two of its sides
/// cancel, and the third is a point.
///
/// The number of triangles at an edge decides its kind:
///
/// | triangles | directions | the edge is |
/// |---|---|---|
/// | 1 | | open, and part of a [boundary loop](Self::boundary_loops) |
/// | 2 | opposite | regular |
/// | 2 | equal | [inconsistently wound](Self::inconsistent_edges): one triangle is turned over |
/// | 3 or more | any | [non-manifold](Self::non_manifold_edges) |
///
/// All lists are in a fixed order that depends on the mesh alone.
///
/// ```
/// use hitscan_primitives::{SameVertex, Topology, TriMesh, generate};
///
/// let mesh = generate::cuboid(1.0, 1.0, 1.0, 0)?;
/// assert!(Topology::new(&mesh, SameVertex::ByPosition).is_closed());
///
/// // The same box without its first triangle has a triangular hole.
/// let open = TriMesh::new(mesh.positions().to_vec(), mesh.triangles()[1..].to_vec())?;
/// let topology = Topology::new(&open, SameVertex::ByPosition);
/// assert!(!topology.is_closed());
/// let [hole] = topology.boundary_loops.as_slice() else { panic!("there is one hole") };
/// assert_eq!((hole.vertices.len(), hole.is_closed), (3, true));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Topology {
    /// The number of edges of all kinds.
    pub n_edges: usize,
    /// The open edges, joined to loops and chains, in the order of their vertex lists.
    pub boundary_loops: Vec<BoundaryLoop>,
    /// The edges of three triangles or more, in the order of their vertices.
    pub non_manifold_edges: Vec<FaultyEdge>,
    /// The edges of two triangles that run along it in the same direction, in the order of their
    /// vertices.
    pub inconsistent_edges: Vec<FaultyEdge>,
    /// The triangles that have the vertices of an earlier triangle, in the order of the mesh. A triangle
    /// without edges is no duplicate.
    pub duplicate_triangles: Vec<DuplicateTriangle>,
    /// The triangles of zero area ([`TriMesh::is_degenerate`]), in the order of the mesh.
    pub zero_area_triangles: Vec<u32>,
    /// The component of each triangle. Triangles that share a vertex are in one component. Components
    /// are numbered from 0 in the order of their first triangles.
    pub component_ids: Vec<u32>,
    /// The number of components.
    pub n_components: usize,
}

impl Topology {
    /// Examines a mesh. Linear except for sorts of the positions, the triangles, and the edges at each
    /// vertex. Allocates about 45 bytes per triangle, or more if triangles share no vertices.
    pub fn new(mesh: &TriMesh, same_vertex: SameVertex) -> Self {
        let vertices = same_vertex.merged(mesh);
        let triangles = match &vertices {
            None => mesh.triangles().to_vec(),
            Some(merged) => {
                let merge = |corners: &[u32; 3]| corners.map(|corner| merged[corner as usize]);
                mesh.triangles().iter().map(merge).collect()
            }
        };
        drop(vertices);
        let n_vertices = mesh.positions().len();
        let (component_ids, n_components) = components::of(&triangles, n_vertices);
        let mut topology = Self {
            duplicate_triangles: duplicates::of(&triangles),
            zero_area_triangles: (0..triangles.len() as u32)
                .filter(|&triangle| mesh.is_degenerate(triangle))
                .collect(),
            component_ids,
            n_components,
            ..Self::default()
        };
        topology.sort_edges(&EdgeTable::new(&triangles, n_vertices));
        topology
    }

    /// Puts each edge into the list of its kind.
    fn sort_edges(&mut self, table: &EdgeTable) {
        let mut open = Vec::new();
        table.for_each_edge(|vertices, uses| {
            self.n_edges += 1;
            match uses {
                [only] => {
                    let [from, to] = only.direction(vertices);
                    open.push(OpenEdge { from, to, triangle: only.triangle() });
                }
                [a, b] if a.is_forward() != b.is_forward() => {}
                [_, _] => self.inconsistent_edges.push(FaultyEdge::new(vertices, uses)),
                _ => self.non_manifold_edges.push(FaultyEdge::new(vertices, uses)),
            }
        });
        self.boundary_loops = boundary::loops(&open);
    }

    /// The number of open edges, which have a single triangle.
    pub fn n_open_edges(&self) -> usize {
        self.boundary_loops.iter().map(|boundary| boundary.triangles.len()).sum()
    }

    /// Whether the surface is closed: at every edge, as many triangles run in one direction as in the
    /// other. No ray slips through a closed mesh, and its winding numbers are whole. A mesh without
    /// edges is not closed.
    ///
    /// A closed mesh may have [non-manifold edges](Self::non_manifold_edges), all of which are
    /// [balanced](FaultyEdge::is_balanced). Merging vertices keeps a mesh closed, so a mesh that is closed
    /// by index is closed by position, too, unless all of its edges collapse.
    pub fn is_closed(&self) -> bool {
        self.n_edges > 0
            && self.boundary_loops.is_empty()
            && self.inconsistent_edges.is_empty()
            && self.non_manifold_edges.iter().all(FaultyEdge::is_balanced)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TETRAHEDRON: [[f32; 3]; 4] =
        [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    const FACES: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];

    fn topology(triangles: &[[u32; 3]]) -> Topology {
        let mesh = TriMesh::new(TETRAHEDRON, triangles.to_vec()).unwrap();
        Topology::new(&mesh, SameVertex::ByIndex)
    }

    #[test]
    fn a_tetrahedron_is_closed_until_a_triangle_is_missing_turned_over_or_repeated() {
        let [a, b, c, d] = FACES;
        let whole = topology(&FACES);
        assert!(whole.is_closed());
        assert_eq!((whole.n_edges, whole.n_components), (6, 1));
        assert_eq!(whole.component_ids, [0; 4]);

        let open = topology(&[b, c, d]);
        let hole =
            BoundaryLoop { vertices: vec![0, 1, 2], triangles: vec![0, 1, 2], is_closed: true };
        assert_eq!((open.n_open_edges(), &open.boundary_loops), (3, &vec![hole]));
        assert!(!open.is_closed());

        let turned = topology(&[[a[1], a[0], a[2]], b, c, d]);
        let edge = |vertices, triangles: [u32; 2], n_forward| FaultyEdge {
            vertices,
            triangles: triangles.into(),
            n_forward,
        };
        let expected = [edge([0, 1], [0, 1], 2), edge([0, 2], [0, 3], 0), edge([1, 2], [0, 2], 2)];
        assert_eq!(turned.inconsistent_edges, expected);
        assert!(turned.boundary_loops.is_empty() && !turned.is_closed());

        let repeated = topology(&[a, b, c, d, a]);
        assert_eq!(repeated.non_manifold_edges.len(), 3);
        assert_eq!(repeated.non_manifold_edges[0].triangles, [0, 1, 4]);
        let duplicate = DuplicateTriangle { triangle: 4, first: 0, is_reversed: false };
        assert_eq!(repeated.duplicate_triangles, [duplicate]);
        assert!(!repeated.is_closed());

        assert!(!topology(&[]).is_closed());
        assert!(!topology(&[[0, 0, 0]]).is_closed());
    }

    #[test]
    fn repeated_positions_and_collapsed_triangles_leave_a_surface_closed_by_position() {
        let corners = FACES.iter().flatten().map(|&v| TETRAHEDRON[v as usize]);
        // Every other vertex has -0.0 in place of 0.0.
        let signed =
            |(i, p): (usize, [f32; 3])| p.map(|x| if x == 0.0 && i % 2 == 1 { -0.0 } else { x });
        let corners: Vec<_> = corners.enumerate().map(signed).collect();
        let triangles = vec![[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11], [0, 0, 4]];
        let mesh = TriMesh::new(corners, triangles).unwrap();
        let by_position = Topology::new(&mesh, SameVertex::ByPosition);
        assert!(by_position.is_closed());
        assert_eq!((by_position.n_edges, by_position.n_components), (6, 1));
        assert_eq!(by_position.zero_area_triangles, [4]);
        let by_index = Topology::new(&mesh, SameVertex::ByIndex);
        assert_eq!((by_index.n_edges, by_index.n_components), (12, 3));
        assert_eq!(by_index.component_ids, [0, 0, 1, 2, 0]);
        assert_eq!(by_index.boundary_loops.len(), 4);
    }

    /// Both neighbours of an edge have a vertex of their own in its middle, and a triangle of zero area
    /// that closes the gap. By position the middles are one vertex, at edges of four triangles.
    #[test]
    fn an_edge_that_both_neighbours_stitch_at_one_place_stays_closed_by_position() {
        let positions = TETRAHEDRON.into_iter().chain([[0.5, 0.0, 0.0]; 2]);
        let triangles = vec![
            [0, 2, 4],
            [4, 2, 1],
            [0, 4, 1],
            [0, 5, 3],
            [5, 1, 3],
            [0, 1, 5],
            [1, 2, 3],
            [2, 0, 3],
        ];
        let mesh = TriMesh::new(positions, triangles).unwrap();
        let by_index = Topology::new(&mesh, SameVertex::ByIndex);
        assert!(by_index.is_closed() && by_index.non_manifold_edges.is_empty());
        let by_position = Topology::new(&mesh, SameVertex::ByPosition);
        assert!(by_position.is_closed());
        let edges = by_position.non_manifold_edges;
        assert_eq!(edges.iter().map(|edge| edge.vertices).collect::<Vec<_>>(), [[0, 4], [1, 4]]);
        assert!(edges.iter().all(|edge| edge.triangles.len() == 4 && edge.is_balanced()));
        let duplicate = DuplicateTriangle { triangle: 5, first: 2, is_reversed: true };
        assert_eq!(by_position.duplicate_triangles, [duplicate]);
    }
}
