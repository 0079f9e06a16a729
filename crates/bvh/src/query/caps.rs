//! Caps: triangles that span the boundary of a surface.

use glam::Vec3;
use hitscan_primitives::TriMesh;

use super::boundary::Edge;

/// Triangles with the boundary of a surface, over its vertices. The surface and the turned caps together are closed.
/// `None` if they were more than `max_triangles`.
///
/// As many edges of a boundary leave a vertex as enter it, because those of each triangle do. So they form loops. A chord
/// halves the vertices of a loop, chords halve those of its halves, and so on. Most caps are therefore small and close to
/// the boundary, whatever its length; a triangle without neighbours is its own cap.
pub(super) fn caps(boundary: &[Edge], max_triangles: usize) -> Option<TriMesh> {
    let n_edges: u64 = boundary.iter().map(|edge| edge.n.unsigned_abs()).sum();
    // A loop of n edges has n - 2 caps, at least a third of n.
    if n_edges.div_ceil(3) > max_triangles as u64 {
        return None;
    }
    let mut keys: Vec<[u32; 3]> = boundary.iter().flat_map(|edge| edge.ends).collect();
    keys.sort_unstable();
    keys.dedup();
    let mut edges = Vec::with_capacity(n_edges as usize);
    for edge in boundary {
        let [lesser, greater] = edge.ends.map(|end| keys.partition_point(|key| *key < end) as u32);
        let directed = if edge.n > 0 { (lesser, greater) } else { (greater, lesser) };
        edges.extend(std::iter::repeat_n(directed, edge.n.unsigned_abs() as usize));
    }
    let mut triangles = Vec::new();
    each_loop(edges, keys.len(), |vertices| span(vertices, &mut triangles));
    let positions = keys.iter().map(|key| Vec3::from_array(key.map(f32::from_bits)));
    let is_few = triangles.len() <= max_triangles;
    is_few.then(|| TriMesh::from_vecs(positions.collect(), triangles).expect("vertices of a mesh"))
}

/// Splits edges, of which as many leave each vertex as enter it, into loops that meet no vertex twice.
fn each_loop(mut edges: Vec<(u32, u32)>, n_vertices: usize, mut f: impl FnMut(&[u32])) {
    edges.sort_unstable();
    const NOT_ON_PATH: usize = usize::MAX;
    let mut places = vec![NOT_ON_PATH; n_vertices];
    // The next edge of each vertex, as edges leave it in a run.
    let start = |vertex: u32| edges.partition_point(|edge| edge.0 < vertex);
    let mut next: Vec<usize> = (0..n_vertices as u32).map(start).collect();
    let mut path = Vec::new();
    for first in 0..n_vertices as u32 {
        let mut at = first;
        loop {
            if places[at as usize] != NOT_ON_PATH {
                let start = places[at as usize];
                f(&path[start..]);
                path.drain(start..).for_each(|vertex: u32| places[vertex as usize] = NOT_ON_PATH);
            }
            let edge = next[at as usize];
            // A walk ends only where it began, because elsewhere it left a vertex as often as it came.
            let Some(&(_, to)) = edges.get(edge).filter(|edge| edge.0 == at) else { break };
            next[at as usize] += 1;
            places[at as usize] = path.len();
            path.push(at);
            at = to;
        }
    }
}

/// Spans a loop by triangles whose boundary it is.
fn span(vertices: &[u32], triangles: &mut Vec<[u32; 3]>) {
    let [first, .., last] = *vertices else { return };
    if vertices.len() > 2 {
        let middle = vertices.len() / 2;
        triangles.push([first, vertices[middle], last]);
        span(&vertices[..=middle], triangles);
        span(&vertices[middle..], triangles);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn edge(from: u32, to: u32, n: i64) -> Edge {
        let end = |vertex: u32| [(vertex as f32).to_bits(), 0, 0];
        Edge { ends: [end(from), end(to)], n }
    }

    /// What remains of the boundary after that of the caps is taken away.
    fn rest(boundary: &[Edge], caps: &TriMesh) -> BTreeMap<[u32; 2], i64> {
        let mut sums = BTreeMap::new();
        let mut add = |from: u32, to: u32, n: i64| {
            *sums.entry([from.min(to), from.max(to)]).or_insert(0) +=
                if from < to { n } else { -n };
        };
        for edge in boundary {
            let [from, to] = edge.ends.map(|end| f32::from_bits(end[0]) as u32);
            add(from, to, edge.n);
        }
        let vertex = |index: u32| caps.positions()[index as usize].x as u32;
        for &[a, b, c] in caps.triangles() {
            for (from, to) in [(a, b), (b, c), (c, a)] {
                add(vertex(from), vertex(to), -1);
            }
        }
        sums.retain(|_, n| *n != 0);
        sums
    }

    #[test]
    fn caps_have_the_boundary_of_the_surface() {
        let ring = |first: u32, n: u32| -> Vec<Edge> {
            let mut edges: Vec<Edge> =
                (first..first + n - 1).map(|vertex| edge(vertex, vertex + 1, 1)).collect();
            edges.push(edge(first, first + n - 1, -1));
            edges
        };
        for n in [3, 4, 5, 8, 100] {
            let boundary = ring(1, n);
            let found = caps(&boundary, 1000).expect("few");
            assert_eq!(found.triangles().len(), n as usize - 2);
            assert_eq!(rest(&boundary, &found), BTreeMap::new());
        }
        // Two loops through vertex 6, and one that is run through twice.
        let mut boundary = [ring(1, 6), ring(6, 5), ring(20, 7)].concat();
        boundary[11..].iter_mut().for_each(|edge| edge.n *= 2);
        let found = caps(&boundary, 1000).expect("few");
        assert_eq!(rest(&boundary, &found), BTreeMap::new());
        assert_eq!(found.triangles().len(), 4 + 3 + 2 * 5);
        assert!(caps(&boundary, 16).is_none() && caps(&boundary, 17).is_some());
        assert!(caps(&[], 0).expect("none").triangles().is_empty());
    }
}
