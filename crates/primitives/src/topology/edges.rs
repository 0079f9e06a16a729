//! All edges of a mesh, with the triangles that have them.

/// An edge at which triangles do not meet as on a manifold surface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultyEdge {
    /// Its vertices, the lower index first.
    pub vertices: [u32; 2],
    /// The triangles that have it, in the order of the mesh.
    pub triangles: Vec<u32>,
    /// The number of those triangles that run from the first vertex to the second.
    pub n_forward: usize,
}

impl FaultyEdge {
    pub(super) fn new(vertices: [u32; 2], uses: &[EdgeUse]) -> Self {
        Self {
            vertices,
            triangles: uses.iter().map(|edge| edge.triangle()).collect(),
            n_forward: uses.iter().filter(|edge| edge.is_forward()).count(),
        }
    }

    /// Whether as many triangles run along it in one direction as in the other.
    pub fn is_balanced(&self) -> bool {
        2 * self.n_forward == self.triangles.len()
    }
}

/// One triangle at an edge: 32 bits of the higher vertex, 31 of the triangle, one of the direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct EdgeUse(u64);

impl EdgeUse {
    fn new(higher: u32, triangle: usize, is_forward: bool) -> Self {
        Self(u64::from(higher) << 32 | (triangle as u64) << 1 | u64::from(is_forward))
    }

    fn higher(self) -> u32 {
        (self.0 >> 32) as u32
    }

    pub(super) fn triangle(self) -> u32 {
        self.0 as u32 >> 1
    }

    /// Whether the triangle runs from the lower vertex to the higher one.
    pub(super) fn is_forward(self) -> bool {
        self.0 & 1 == 1
    }

    /// The vertices of its edge, lower first, in the direction of the triangle.
    pub(super) fn direction(self, [lower, higher]: [u32; 2]) -> [u32; 2] {
        if self.is_forward() { [lower, higher] } else { [higher, lower] }
    }
}

/// The edges, in groups by their lower vertex.
#[derive(Debug)]
pub(super) struct EdgeTable {
    /// The group of vertex `v` is `uses[starts[v]..starts[v + 1]]`, sorted.
    starts: Vec<u32>,
    uses: Vec<EdgeUse>,
}

impl EdgeTable {
    /// The edges of triangles whose corners are less than `n_vertices`. Equal corners are one vertex.
    pub(super) fn new(triangles: &[[u32; 3]], n_vertices: usize) -> Self {
        let mut starts = vec![0u32; n_vertices + 2];
        for &[a, b, c] in triangles.iter().filter(|corners| has_edges(corners)) {
            for (from, to) in [(a, b), (b, c), (c, a)] {
                starts[from.min(to) as usize + 2] += 1;
            }
        }
        for vertex in 1..starts.len() {
            starts[vertex] += starts[vertex - 1];
        }
        // Entry `v + 1` is the next free place of group `v`, and its end after the loop.
        let mut uses = vec![EdgeUse(0); starts[n_vertices + 1] as usize];
        for (triangle, &[a, b, c]) in triangles.iter().enumerate() {
            if !has_edges(&[a, b, c]) {
                continue;
            }
            for (from, to) in [(a, b), (b, c), (c, a)] {
                let place = &mut starts[from.min(to) as usize + 1];
                uses[*place as usize] = EdgeUse::new(from.max(to), triangle, from < to);
                *place += 1;
            }
        }
        starts.truncate(n_vertices + 1);
        for group in starts.windows(2) {
            uses[group[0] as usize..group[1] as usize].sort_unstable();
        }
        Self { starts, uses }
    }

    /// Calls `visit` for each edge in the order of its vertices, the lower first, with its uses in the
    /// order of the triangles.
    pub(super) fn for_each_edge(&self, mut visit: impl FnMut([u32; 2], &[EdgeUse])) {
        for (lower, group) in self.starts.windows(2).enumerate() {
            let uses = &self.uses[group[0] as usize..group[1] as usize];
            for uses in uses.chunk_by(|a, b| a.higher() == b.higher()) {
                visit([lower as u32, uses[0].higher()], uses);
            }
        }
    }
}

/// Whether the corners are three different vertices.
pub(super) fn has_edges(&[a, b, c]: &[u32; 3]) -> bool {
    a != b && b != c && c != a
}
