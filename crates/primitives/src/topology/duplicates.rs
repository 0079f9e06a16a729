//! Triangles of the same three vertices.

use super::edges::has_edges;

/// A triangle that has the three vertices of an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DuplicateTriangle {
    /// The triangle.
    pub triangle: u32,
    /// The first triangle of these vertices.
    pub first: u32,
    /// Whether it is wound the other way than the first.
    pub is_reversed: bool,
}

/// The duplicates among triangles, in their order. A triangle with two equal corners is no duplicate.
pub(super) fn of(triangles: &[[u32; 3]]) -> Vec<DuplicateTriangle> {
    let key = |(triangle, corners): (usize, &[u32; 3])| {
        let [a, b, c] = sorted(*corners).map(u128::from);
        a << 96 | b << 64 | c << 32 | triangle as u128
    };
    let mut keys: Vec<u128> =
        triangles.iter().enumerate().filter(|(_, corners)| has_edges(corners)).map(key).collect();
    keys.sort_unstable();
    let mut duplicates = Vec::new();
    for equal in keys.chunk_by(|a, b| a >> 32 == b >> 32) {
        let first = equal[0] as u32;
        for &key in &equal[1..] {
            let triangle = key as u32;
            let [a, b] = [first, triangle].map(|triangle| is_even(triangles[triangle as usize]));
            duplicates.push(DuplicateTriangle { triangle, first, is_reversed: a != b });
        }
    }
    duplicates.sort_unstable_by_key(|duplicate| duplicate.triangle);
    duplicates
}

fn sorted(mut corners: [u32; 3]) -> [u32; 3] {
    corners.sort_unstable();
    corners
}

/// Whether three different corners are an even permutation of their sorted order.
fn is_even([a, b, c]: [u32; 3]) -> bool {
    (a < b) ^ (b < c) ^ (a < c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rotations_are_even_and_swaps_are_odd() {
        for corners in [[1, 2, 3], [2, 3, 1], [3, 1, 2]] {
            let [a, b, c] = corners;
            assert!(is_even(corners) && !is_even([b, a, c]), "{corners:?}");
        }
    }
}
