//! Whether a mesh is closed: how its triangles meet along their edges.

use std::fmt;

use hitscan::TriMesh;
use hitscan::glam::Vec3;
use rayon::prelude::*;
use serde::Serialize;

/// How many edges there are, and what keeps the surface from being closed.
///
/// Vertices of equal position count as one, as a file often repeats them along seams. A triangle of zero
/// area has edges like any other, because it may be what closes the surface. Only one that has two corners
/// at one place has none here: its sides cancel, so it closes nothing and opens nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct EdgeCounts {
    /// All edges.
    pub(crate) total: usize,
    /// Edges of a single triangle.
    pub(crate) open: usize,
    /// Edges of three triangles or more.
    pub(crate) crowded: usize,
    /// Edges of two triangles that run along it in the same direction: one is turned over.
    pub(crate) flipped: usize,
}

impl EdgeCounts {
    /// Counts the edges of a mesh. O(n log n), in parallel.
    pub(crate) fn of(mesh: &TriMesh) -> Self {
        let vertices = merged(mesh.positions());
        // An edge is its two vertices in order, with the direction in the lowest bit.
        let mut edges: Vec<(u64, bool)> = mesh
            .triangles()
            .par_iter()
            .flat_map_iter(|triangle| {
                let [a, b, c] = triangle.map(|corner| vertices[corner as usize]);
                let has_edges = a != b && b != c && c != a;
                let edges = [(a, b), (b, c), (c, a)].map(|(from, to)| {
                    (u64::from(from.min(to)) << 32 | u64::from(from.max(to)), from < to)
                });
                edges.into_iter().filter(move |_| has_edges)
            })
            .collect();
        edges.par_sort_unstable();
        let mut counts = Self::default();
        for edge in edges.chunk_by(|a, b| a.0 == b.0) {
            counts.total += 1;
            match edge {
                [_] => counts.open += 1,
                [a, b] => counts.flipped += usize::from(a.1 == b.1),
                _ => counts.crowded += 1,
            }
        }
        counts
    }

    /// Whether every edge belongs to exactly two triangles that run along it in opposite directions.
    /// No surface is not a closed one.
    pub(crate) fn closed(&self) -> bool {
        self.total > 0 && self.open == 0 && self.crowded == 0 && self.flipped == 0
    }
}

impl fmt::Display for EdgeCounts {
    /// Empty if there is nothing to tell, else `: 3 edges of a single triangle, ...`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reasons = [
            (self.open, "of a single triangle"),
            (self.crowded, "of more than two triangles"),
            (self.flipped, "of two triangles that run the same way"),
        ];
        let mut separator = ": edges";
        for (n, reason) in reasons.into_iter().filter(|(n, _)| *n > 0) {
            write!(f, "{separator} {reason}: {n}")?;
            separator = ",";
        }
        Ok(())
    }
}

/// A number for each vertex, the same for equal positions (0.0 and -0.0 are equal).
fn merged(positions: &[Vec3]) -> Vec<u32> {
    let key = |vertex: u32| (positions[vertex as usize] + 0.0).to_array().map(f32::to_bits);
    let mut order: Vec<u32> = (0..positions.len() as u32).collect();
    order.par_sort_unstable_by_key(|&vertex| (key(vertex), vertex));
    let mut numbers = vec![0; positions.len()];
    for equal in order.chunk_by(|&a, &b| key(a) == key(b)) {
        for &vertex in equal {
            numbers[vertex as usize] = equal[0];
        }
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    const TETRAHEDRON: [[f32; 3]; 4] =
        [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    const FACES: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];

    fn counts(triangles: &[[u32; 3]]) -> EdgeCounts {
        EdgeCounts::of(&TriMesh::new(TETRAHEDRON, triangles.to_vec()).unwrap())
    }

    #[test]
    fn a_tetrahedron_is_closed_until_something_is_wrong_with_it() {
        let closed = EdgeCounts { total: 6, ..EdgeCounts::default() };
        assert_eq!(counts(&FACES), closed);
        assert!(closed.closed());
        assert_eq!(counts(&FACES[1..]), EdgeCounts { open: 3, ..closed });
        let [a, b, c, d] = FACES;
        assert_eq!(counts(&[[a[1], a[0], a[2]], b, c, d]), EdgeCounts { flipped: 3, ..closed });
        assert_eq!(counts(&[a, b, c, d, a]), EdgeCounts { crowded: 3, ..closed });
        assert!(!counts(&[]).closed());
    }

    #[test]
    fn repeated_positions_and_collapsed_triangles_change_nothing() {
        let corners = FACES.iter().flatten().map(|&v| TETRAHEDRON[v as usize].map(|x| -x));
        let triangles = vec![[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11], [0, 0, 4]];
        let mesh = TriMesh::new(corners, triangles).unwrap();
        assert!(EdgeCounts::of(&mesh).closed());
    }
}
