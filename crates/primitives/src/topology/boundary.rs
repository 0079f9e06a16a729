//! Open edges, joined to loops.

/// Open edges that follow each other: the outline of a hole or the rim of a surface.
///
/// It runs along the direction of its triangles, so that the surface lies to its left seen from the
/// front. Where triangles are turned over, it runs along the direction of most of them. No vertex occurs
/// twice: loops that touch at a vertex are separate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoundaryLoop {
    /// The vertices in order. A closed loop starts at its lowest index and does not repeat it at the
    /// end.
    pub vertices: Vec<u32>,
    /// The triangle of each edge: entry `i` has the edge from vertex `i` to vertex `i + 1`, and the
    /// last entry of a closed loop that from the last vertex to the first.
    pub triangles: Vec<u32>,
    /// Whether the last vertex is joined to the first. A chain that is not closed ends at vertices with
    /// an odd number of open edges, which lie on non-manifold or inconsistently wound edges.
    pub is_closed: bool,
}

impl BoundaryLoop {
    /// The edges in order: each with its two vertices and its triangle.
    pub fn edges(&self) -> impl Iterator<Item = ([u32; 2], u32)> {
        let ends = self.vertices.iter().skip(1).chain(self.vertices.first());
        let edges = self.vertices.iter().zip(ends).map(|(&from, &to)| [from, to]);
        edges.zip(self.triangles.iter().copied())
    }

    /// Turns the direction around.
    fn reverse(&mut self) {
        self.vertices.reverse();
        self.triangles.reverse();
        if self.is_closed {
            // The edge from the last vertex to the first stays the last.
            self.triangles.rotate_left(1);
        }
    }
}

/// An edge of a single triangle, in the direction of the triangle.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpenEdge {
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) triangle: u32,
}

/// Joins edges to loops and chains, which use each edge once. The number of chains is the minimum: each
/// chain joins two vertices with an odd number of edges. O(n log n).
pub(super) fn loops(edges: &[OpenEdge]) -> Vec<BoundaryLoop> {
    let mut walk = Walk::new(edges);
    // Chains come first, if possible from their first vertex. The remaining edges form closed loops.
    for vertex in 0..walk.n_vertices() {
        if walk.balances[vertex as usize] > 0 && walk.is_odd(vertex) {
            walk.follow(vertex);
        }
    }
    for vertex in 0..walk.n_vertices() {
        if walk.is_odd(vertex) {
            walk.follow(vertex);
        }
    }
    for edge in 0..edges.len() {
        if !walk.is_used[edge] {
            walk.follow(walk.ends[edge][0]);
        }
    }
    let mut loops = walk.loops;
    loops.sort_unstable_by(|a, b| a.vertices.cmp(&b.vertices));
    loops
}

/// A walk over open edges that uses each once. Vertices are numbered anew, in their order.
struct Walk<'a> {
    edges: &'a [OpenEdge],
    /// The numbers of the vertices of each edge.
    ends: Vec<[u32; 2]>,
    is_used: Vec<bool>,
    /// The edges at vertex `v` are `edges_at[starts[v]..starts[v + 1]]`: first the edges that leave it,
    /// then the edges that arrive.
    starts: Vec<usize>,
    edges_at: Vec<u32>,
    /// The first of the edges at each vertex that may be unused.
    next: Vec<usize>,
    /// The number of unused edges at each vertex.
    n_unused: Vec<u32>,
    /// The number of edges that leave each vertex, minus the number of edges that arrive.
    balances: Vec<i64>,
    /// The step of the path that leaves each vertex.
    steps: Vec<Option<u32>>,
    loops: Vec<BoundaryLoop>,
}

impl<'a> Walk<'a> {
    fn new(edges: &'a [OpenEdge]) -> Self {
        let mut vertices: Vec<u32> = edges.iter().flat_map(|edge| [edge.from, edge.to]).collect();
        vertices.sort_unstable();
        vertices.dedup();
        let number = |vertex| vertices.partition_point(|&other| other < vertex) as u32;
        let ends: Vec<_> = edges.iter().map(|edge| [edge.from, edge.to].map(number)).collect();
        let n = vertices.len();
        let (mut n_unused, mut balances) = (vec![0; n], vec![0; n]);
        for &[from, to] in &ends {
            n_unused[from as usize] += 1;
            n_unused[to as usize] += 1;
            balances[from as usize] += 1;
            balances[to as usize] -= 1;
        }
        let mut starts = vec![0; n + 1];
        for vertex in 0..n {
            starts[vertex + 1] = starts[vertex] + n_unused[vertex] as usize;
        }
        let mut edges_at = vec![0; 2 * edges.len()];
        let mut places = starts.clone();
        for end in 0..2 {
            for (edge, ends) in ends.iter().enumerate() {
                let place = &mut places[ends[end] as usize];
                edges_at[*place] = edge as u32;
                *place += 1;
            }
        }
        Self {
            edges,
            ends,
            is_used: vec![false; edges.len()],
            next: starts[..n].to_vec(),
            starts,
            edges_at,
            n_unused,
            balances,
            steps: vec![None; n],
            loops: Vec::new(),
        }
    }

    fn n_vertices(&self) -> u32 {
        self.n_unused.len() as u32
    }

    fn is_odd(&self, vertex: u32) -> bool {
        self.n_unused[vertex as usize] % 2 == 1
    }

    /// Walks from a vertex until no unused edge is left at the end of the path. Each time the path
    /// returns to one of its vertices, the loop leaves the path.
    fn follow(&mut self, start: u32) {
        let mut path: Vec<(u32, u32)> = Vec::new();
        let mut at = start;
        loop {
            if let Some(step) = self.steps[at as usize] {
                self.push(&path[step as usize..], None);
                path.truncate(step as usize);
            }
            let Some(edge) = self.take_edge(at) else { break };
            self.steps[at as usize] = Some(path.len() as u32);
            path.push((at, edge));
            let [from, to] = self.ends[edge as usize];
            at = if from == at { to } else { from };
        }
        if !path.is_empty() {
            self.push(&path, Some(at));
        }
    }

    /// An unused edge at a vertex, preferably one that leaves it.
    fn take_edge(&mut self, vertex: u32) -> Option<u32> {
        let (next, end) = (&mut self.next[vertex as usize], self.starts[vertex as usize + 1]);
        while *next < end && self.is_used[self.edges_at[*next] as usize] {
            *next += 1;
        }
        let edge = *self.edges_at[..end].get(*next)?;
        self.is_used[edge as usize] = true;
        for end in self.ends[edge as usize] {
            self.n_unused[end as usize] -= 1;
        }
        Some(edge)
    }

    /// Adds the loop of some steps, or the chain that ends at `last`. Its vertices leave the path.
    fn push(&mut self, steps: &[(u32, u32)], last: Option<u32>) {
        let mut n_forward = 0;
        let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
        for &(vertex, edge) in steps {
            self.steps[vertex as usize] = None;
            let OpenEdge { from, to, triangle } = self.edges[edge as usize];
            let is_forward = self.ends[edge as usize][0] == vertex;
            n_forward += usize::from(is_forward);
            vertices.push(if is_forward { from } else { to });
            triangles.push(triangle);
        }
        if let Some(last) = last {
            let (_, edge) = steps[steps.len() - 1];
            let OpenEdge { from, to, .. } = self.edges[edge as usize];
            vertices.push(if self.ends[edge as usize][1] == last { to } else { from });
        }
        let mut boundary = BoundaryLoop { vertices, triangles, is_closed: last.is_none() };
        if 2 * n_forward < steps.len() {
            boundary.reverse();
        }
        if boundary.is_closed {
            let lowest = (0..steps.len()).min_by_key(|&i| boundary.vertices[i]).unwrap_or(0);
            boundary.vertices.rotate_left(lowest);
            boundary.triangles.rotate_left(lowest);
        }
        self.loops.push(boundary);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vertices_of(edges: &[[u32; 2]]) -> Vec<(Vec<u32>, bool)> {
        let open = |(i, &[from, to]): (usize, &[u32; 2])| OpenEdge { from, to, triangle: i as u32 };
        let edges: Vec<_> = edges.iter().enumerate().map(open).collect();
        let loops = loops(&edges);
        for boundary in &loops {
            for (ends, triangle) in boundary.edges() {
                let OpenEdge { from, to, .. } = edges[triangle as usize];
                assert!(ends == [from, to] || ends == [to, from], "{boundary:?}");
            }
        }
        loops.into_iter().map(|boundary| (boundary.vertices, boundary.is_closed)).collect()
    }

    #[test]
    fn a_loop_starts_at_its_lowest_vertex_and_runs_along_its_edges() {
        assert_eq!(vertices_of(&[[7, 3], [5, 7], [3, 5]]), [(vec![3, 5, 7], true)]);
        assert_eq!(vertices_of(&[[7, 5], [5, 3], [3, 7]]), [(vec![3, 7, 5], true)]);
        assert_eq!(vertices_of(&[]), []);
    }

    #[test]
    fn loops_that_touch_at_a_vertex_are_separate() {
        let edges = [[0, 1], [1, 2], [2, 0], [2, 3], [3, 4], [4, 2]];
        assert_eq!(vertices_of(&edges), [(vec![0, 1, 2], true), (vec![2, 3, 4], true)]);
    }

    #[test]
    fn a_turned_edge_does_not_break_a_loop() {
        let edges = [[0, 1], [1, 2], [3, 2], [3, 0]];
        assert_eq!(vertices_of(&edges), [(vec![0, 1, 2, 3], true)]);
        let edges = [[1, 0], [1, 2], [3, 2], [0, 3]];
        assert_eq!(vertices_of(&edges).len(), 1);
    }

    #[test]
    fn vertices_of_an_odd_number_of_edges_end_chains() {
        assert_eq!(vertices_of(&[[4, 2], [2, 9]]), [(vec![4, 2, 9], false)]);
        // Against the direction of its only start.
        assert_eq!(vertices_of(&[[2, 4], [9, 2]]), [(vec![9, 2, 4], false)]);
        let star = [[1, 0], [2, 0], [3, 0], [0, 4]];
        assert_eq!(vertices_of(&star).iter().filter(|(_, closed)| !closed).count(), 2);
        // A tail at a triangle.
        let edges = [[0, 1], [1, 2], [2, 0], [2, 5]];
        let expected = [(vec![0, 1, 2], true), (vec![2, 5], false)];
        assert_eq!(vertices_of(&edges), expected);
    }
}
