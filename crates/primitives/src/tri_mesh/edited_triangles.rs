//! What an edit changed, for all that follows the mesh.

use std::collections::{BTreeSet, HashMap};

use thiserror::Error;

/// The triangles that an edit of a [`TriMesh`](crate::TriMesh) changed. Hierarchies follow the mesh by it.
///
/// An edit leads from one number of triangles to another. Triangles below both numbers keep their corners unless the edit
/// names them. The others are new, or gone.
///
/// ```
/// use hitscan_primitives::TriMesh;
///
/// let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]];
/// let mut mesh = TriMesh::new(corners, vec![[0, 1, 2], [2, 1, 3]])?;
/// let edit = mesh.move_vertices([(0, [0.0, 0.0, 1.0])])?;
/// assert_eq!((edit.changed(), edit.n_before(), edit.n_after()), (&[0][..], 2, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MeshEdit {
    changed: Vec<u32>,
    n_before: usize,
    n_after: usize,
    renamed: Pairs,
}

impl MeshEdit {
    /// An edit of a mesh that the caller holds in another form. It leads from `n_before` triangles to `n_after`. `changed`
    /// names the triangles below both that have other corners, in any order.
    ///
    /// See also [`TriMesh::move_vertices`](crate::TriMesh::move_vertices) and its neighbours, which return one.
    pub fn new(changed: impl IntoIterator<Item = u32>, n_before: usize, n_after: usize) -> Self {
        let stay = n_before.min(n_after);
        let mut changed: Vec<u32> =
            changed.into_iter().filter(|&triangle| (triangle as usize) < stay).collect();
        changed.sort_unstable();
        changed.dedup();
        Self { changed, n_before, n_after, renamed: Vec::new() }
    }

    /// [`MeshEdit::new`] where some triangles took the corners of others. Each pair is an index before the edit and one
    /// after it; no index stands in two pairs.
    pub(super) fn with_renamed(mut self, renamed: Pairs) -> Self {
        self.renamed = renamed;
        self
    }

    /// The triangles with other corners, below both numbers. Rising.
    pub fn changed(&self) -> &[u32] {
        &self.changed
    }

    /// The number of triangles before.
    pub fn n_before(&self) -> usize {
        self.n_before
    }

    /// The number of triangles after.
    pub fn n_after(&self) -> usize {
        self.n_after
    }

    /// Pairs of triangles: the second now has the corners that the first had before. The first is gone or has changed, and
    /// the second has changed or is new. A hint that saves time; it may be empty.
    pub fn renamed(&self) -> &[(u32, u32)] {
        &self.renamed
    }

    /// The number of triangles that came, went or changed.
    pub fn len(&self) -> usize {
        self.changed.len() + self.n_before.abs_diff(self.n_after)
    }

    /// Whether the edit changed nothing.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The edit that undoes this one, for a mesh that is again as it was before.
    #[must_use]
    pub fn inverse(&self) -> Self {
        Self {
            changed: self.changed.clone(),
            n_before: self.n_after,
            n_after: self.n_before,
            renamed: self.renamed.iter().map(|&(from, to)| (to, from)).collect(),
        }
    }

    /// This edit and the one after it, as one.
    ///
    /// # Errors
    /// A `next` that does not start with the triangles that this one ends with.
    pub fn then(&self, next: &Self) -> Result<Self, EditOrderError> {
        if self.n_after != next.n_before {
            return Err(EditOrderError { found: next.n_before, expected: self.n_after });
        }
        if self.is_empty() || next.is_empty() {
            return Ok(if self.is_empty() { next.clone() } else { self.clone() });
        }
        // Those that were gone in between have changed.
        let between = self.n_after.min(self.n_before) as u32..self.n_before as u32;
        let changed = self.changed.iter().chain(&next.changed).copied().chain(between);
        Ok(Self::new(changed, self.n_before, next.n_after))
    }
}

/// Two edits that do not follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("an edit of {found} triangles after one that leads to {expected}")]
pub struct EditOrderError {
    /// The number of triangles that the second edit starts with.
    pub found: usize,
    /// The number that the first one ends with.
    pub expected: usize,
}

/// Pairs of triangles, each an index before and one after.
type Pairs = Vec<(u32, u32)>;

/// The swap-removals of some triangles of `n`, the largest index first: from where to where triangles move, in the order of
/// the moves, and where each survivor that moved came from.
pub(super) fn swap_removals(removed: &BTreeSet<u32>, n: usize) -> [Pairs; 2] {
    let (mut moves, mut origin) = (Vec::new(), HashMap::new());
    let mut last = n as u32;
    for &hole in removed.iter().rev() {
        last -= 1;
        if hole != last {
            moves.push((last, hole));
            let from = origin.remove(&last).unwrap_or(last);
            origin.insert(hole, from);
        }
    }
    let mut renamed: Vec<(u32, u32)> = origin.into_iter().map(|(to, from)| (from, to)).collect();
    renamed.sort_unstable();
    [moves, renamed]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn swap_removals_are_those_of_a_vec() {
        for bits in 0u32..1 << 9 {
            let removed: BTreeSet<u32> = (0..9).filter(|i| bits >> i & 1 == 1).collect();
            let mut expected: Vec<u32> = (0..9).collect();
            for &hole in removed.iter().rev() {
                expected.swap_remove(hole as usize);
            }
            let [moves, renamed] = swap_removals(&removed, 9);
            let mut found: Vec<u32> = (0..9).collect();
            for (from, to) in moves {
                found[to as usize] = found[from as usize];
            }
            found.truncate(9 - removed.len());
            assert_eq!(found, expected);
            let moved: Vec<(u32, u32)> = (0..)
                .zip(&expected)
                .filter(|(i, from)| i != *from)
                .map(|(to, &from)| (from, to))
                .collect();
            let mut moved = moved;
            moved.sort_unstable();
            assert_eq!(renamed, moved);
        }
    }

    #[test]
    fn two_edits_are_one_that_names_what_was_gone_in_between() {
        let removal = MeshEdit::new([1], 5, 3);
        let both = removal.then(&MeshEdit::new([0], 3, 6)).expect("they follow each other");
        assert_eq!((both.changed(), both.n_before(), both.n_after()), (&[0, 1, 3, 4][..], 5, 6));
        assert_eq!(
            removal.then(&removal).unwrap_err().to_string(),
            "an edit of 5 triangles after one that leads to 3"
        );
    }
}
