//! The triangles of a Bevy mesh, copied piece by piece and checked.

use hitscan::{MeshError, TriMesh, glam::Vec3};

use crate::bevy_api::{Arrangement, BYTES, Indices, LeftOut, MeshData};

/// A copy of the positions and triangles of a mesh, which several frames may share.
#[derive(Debug, Default)]
pub(crate) struct Copying {
    positions: Vec<Vec3>,
    /// The corners of every triangle that the list or strip names, valid or not.
    triangles: Vec<[u32; 3]>,
    /// The triangle with which the current strip began.
    strip_start: usize,
    /// Whether the mesh has strips, so that one index separates them.
    restart: Option<u32>,
    /// The content that the copy began with; `None` before.
    shape: Option<Shape>,
    n_starts: usize,
    /// Whether the copy takes more than one piece; the caller's.
    pub(crate) is_large: bool,
}

/// What a copy in pieces cannot see change.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Shape {
    n_positions: usize,
    n_triangles: usize,
    arrangement: Arrangement,
    /// The bytes of an index.
    index_bytes: u8,
}

impl Shape {
    fn new(data: &MeshData<'_>) -> Self {
        let index_bytes = match data.indices {
            None => 0,
            Some(Indices::U16(_)) => 2,
            Some(Indices::U32(_)) => 4,
        };
        let MeshData { positions, arrangement, .. } = *data;
        Self {
            n_positions: positions.len(),
            n_triangles: data.n_triangles(),
            arrangement,
            index_bytes,
        }
    }
}

/// The checked triangles of a mesh.
#[derive(Debug)]
pub(crate) struct Triangles {
    pub(crate) tri_mesh: TriMesh,
    /// The number that Bevy's built-in ray cast gives each triangle; `None` if equal to its index.
    pub(crate) numbers: Option<Box<[u32]>>,
    /// The number of triangles with an index out of range or a position that is not finite.
    pub(crate) n_dropped: usize,
}

impl Copying {
    pub(crate) fn has_begun(&self) -> bool {
        self.shape.is_some()
    }

    /// Whether the copy has not begun, or began with content of this size.
    pub(crate) fn fits(&self, data: &MeshData<'_>) -> bool {
        self.shape.is_none_or(|shape| shape == Shape::new(data))
    }

    /// Copies at most `budget` bytes and subtracts them from it. Returns whether the copy is complete.
    ///
    /// Where the content changes between calls, the copy has pieces of both. Where its size changes, the copy starts
    /// anew; the third start ignores the budget, so that a copy ends however often the size changes.
    pub(crate) fn step(&mut self, data: &MeshData<'_>, budget: &mut usize) -> bool {
        if !self.has_begun() || !self.fits(data) {
            const MAX_STARTS: usize = 3;
            let n_starts = (self.n_starts + 1).min(MAX_STARTS);
            *self = Self {
                shape: Some(Shape::new(data)),
                n_starts,
                is_large: self.is_large,
                ..Self::default()
            };
            if n_starts == MAX_STARTS {
                let mut all = usize::MAX;
                *budget = budget.saturating_sub(data.n_bytes());
                return self.copy(data, &mut all);
            }
        }
        self.copy(data, budget)
    }

    fn copy(&mut self, data: &MeshData<'_>, budget: &mut usize) -> bool {
        self.positions.reserve_exact(data.positions.len() - self.positions.len());
        let n = take(budget, data.positions.len() - self.positions.len());
        let first = self.positions.len();
        self.positions
            .extend(data.positions[first..first + n].iter().map(|&p| Vec3::from_array(p)));

        let n_triangles = data.n_triangles();
        self.triangles.reserve_exact(n_triangles - self.triangles.len());
        let n = take(budget, n_triangles - self.triangles.len());
        let first = self.triangles.len();
        match (data.arrangement, data.indices) {
            (Arrangement::List, None) => {
                self.triangles
                    .extend((first..first + n).map(|t| [0, 1, 2].map(|k| (3 * t + k) as u32)));
            }
            (Arrangement::List, Some(Indices::U16(indices))) => {
                let corners = indices[3 * first..3 * (first + n)].as_chunks::<3>().0;
                self.triangles.extend(corners.iter().map(|corners| corners.map(u32::from)));
            }
            (Arrangement::List, Some(Indices::U32(indices))) => {
                self.triangles
                    .extend_from_slice(indices[3 * first..3 * (first + n)].as_chunks::<3>().0);
            }
            (Arrangement::Strip, None) => {
                self.append_strips(first..first + n, None, |corner| corner as u32);
            }
            (Arrangement::Strip, Some(Indices::U16(indices))) => {
                let restart = Some(u32::from(u16::MAX));
                self.append_strips(first..first + n, restart, |corner| indices[corner].into());
            }
            (Arrangement::Strip, Some(Indices::U32(indices))) => {
                self.append_strips(first..first + n, Some(u32::MAX), |corner| indices[corner]);
            }
        }
        self.positions.len() == data.positions.len() && self.triangles.len() == n_triangles
    }

    /// Appends triangles of strips. Every second triangle of a strip runs the other way round.
    fn append_strips(
        &mut self,
        triangles: std::ops::Range<usize>,
        restart: Option<u32>,
        index: impl Fn(usize) -> u32,
    ) {
        self.restart = restart;
        for triangle in triangles {
            let corners = [index(triangle), index(triangle + 1), index(triangle + 2)];
            if let Some(last) = corners.iter().rposition(|&corner| Some(corner) == restart) {
                self.strip_start = triangle + last + 1;
            }
            let [a, b, c] = corners;
            let is_even = triangle.wrapping_sub(self.strip_start).is_multiple_of(2);
            self.triangles.push(if is_even { [a, b, c] } else { [b, a, c] });
        }
    }

    /// The triangles that rays can hit: the others have an index out of range or a position that is not
    /// finite, or join two strips.
    pub(crate) fn finish(mut self) -> Result<Triangles, LeftOut> {
        let is_finite: Vec<bool> = self.positions.iter().map(|p| p.is_finite()).collect();
        let is_valid = |&corner: &u32| is_finite.get(corner as usize) == Some(&true);
        let joins_strips =
            |corners: &[u32; 3]| self.restart.is_some_and(|restart| corners.contains(&restart));
        let (mut numbers, mut n_dropped) = (None, 0);
        if !self.triangles.iter().flatten().all(is_valid) {
            let (mut kept, mut kept_numbers) = (vec![], vec![]);
            for (number, corners) in self.triangles.iter().enumerate() {
                if corners.iter().all(is_valid) {
                    kept.push(*corners);
                    kept_numbers.push(number as u32);
                } else if !joins_strips(corners) {
                    n_dropped += 1;
                }
            }
            self.triangles = kept;
            numbers = Some(kept_numbers.into_boxed_slice());
        }
        for (position, is_finite) in self.positions.iter_mut().zip(&is_finite) {
            if !is_finite {
                *position = Vec3::ZERO;
            }
        }
        let tri_mesh =
            TriMesh::from_vecs(self.positions, self.triangles).map_err(|error| match error {
                MeshError::TooManyTriangles { .. } | MeshError::TooManyPositions { .. } => {
                    LeftOut::TooLarge(error)
                }
                _ => unreachable!("the indices are in range and the positions finite"),
            })?;
        Ok(Triangles { tri_mesh, numbers, n_dropped })
    }
}

/// Takes `n` elements from the budget, or as many as it allows. Returns their number.
fn take(budget: &mut usize, n: usize) -> usize {
    let taken = n.min(*budget / BYTES);
    *budget -= taken * BYTES;
    taken
}

#[cfg(test)]
mod tests {
    use super::*;

    const GRID: [[f32; 3]; 6] = [
        [0.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [1.0, 0.0, 0.0],
        [1.0, 1.0, 0.0],
        [2.0, 0.0, 0.0],
        [2.0, 1.0, 0.0],
    ];

    fn read(arrangement: Arrangement, indices: Option<&Indices>, budget: usize) -> Triangles {
        let data = MeshData { positions: &GRID, indices, arrangement };
        let mut copying = Copying::default();
        let mut n_steps = 0;
        while !copying.step(&data, &mut budget.clone()) {
            n_steps += 1;
            assert!(n_steps < 100, "the copy makes no progress");
        }
        copying.finish().unwrap()
    }

    #[test]
    fn a_copy_in_pieces_equals_a_copy_at_once() {
        let indices = Indices::U32(vec![0, 2, 1, 1, 2, 3, 3, 2, 4, 3, 4, 5]);
        let whole = read(Arrangement::List, Some(&indices), usize::MAX);
        let pieces = read(Arrangement::List, Some(&indices), BYTES);
        assert_eq!(whole.tri_mesh, pieces.tri_mesh);
        assert_eq!(whole.tri_mesh.triangles(), [[0, 2, 1], [1, 2, 3], [3, 2, 4], [3, 4, 5]]);
        let narrow = Indices::U16(vec![0, 2, 1, 1, 2, 3, 3, 2, 4, 3, 4, 5]);
        assert_eq!(read(Arrangement::List, Some(&narrow), BYTES).tri_mesh, whole.tri_mesh);
    }

    #[test]
    fn positions_and_triangles_share_the_budget_of_a_step() {
        let data = MeshData { positions: &GRID, indices: None, arrangement: Arrangement::List };
        let mut copying = Copying::default();
        let mut budget = 7 * BYTES + 1;
        assert!(!copying.step(&data, &mut budget));
        assert_eq!((copying.positions.len(), copying.triangles.len(), budget), (6, 1, 1));
        let mut rest = 100;
        assert!(copying.step(&data, &mut rest));
        assert_eq!(rest, 100 - BYTES);
    }

    #[test]
    fn a_strip_alternates_its_winding_and_starts_anew_after_a_restart() {
        let strip = read(Arrangement::Strip, None, BYTES);
        assert_eq!(strip.tri_mesh.triangles(), [[0, 1, 2], [2, 1, 3], [2, 3, 4], [4, 3, 5]]);
        assert!(strip.numbers.is_none());
        let indices = Indices::U16(vec![0, 1, 2, u16::MAX, 2, 3, 4, 5]);
        for budget in [BYTES, usize::MAX] {
            let strips = read(Arrangement::Strip, Some(&indices), budget);
            assert_eq!(strips.tri_mesh.triangles(), [[0, 1, 2], [2, 3, 4], [4, 3, 5]]);
            assert_eq!(strips.numbers.as_deref(), Some(&[0, 4, 5][..]));
            assert_eq!(strips.n_dropped, 0);
        }
    }

    #[test]
    fn invalid_triangles_are_dropped_and_counted_and_the_others_keep_their_numbers() {
        let indices = Indices::U32(vec![0, 2, 1, 0, 9, 1, 3, 2, 4, 5]);
        let triangles = read(Arrangement::List, Some(&indices), usize::MAX);
        assert_eq!(triangles.tri_mesh.triangles(), [[0, 2, 1], [3, 2, 4]]);
        assert_eq!(triangles.numbers.as_deref(), Some(&[0, 2][..]));
        assert_eq!(triangles.n_dropped, 1);

        let positions = [[0.0; 3], [f32::NAN; 3], [1.0, 0.0, 0.0]];
        let data =
            MeshData { positions: &positions, indices: None, arrangement: Arrangement::List };
        let mut copying = Copying::default();
        assert!(copying.step(&data, &mut 1000));
        let triangles = copying.finish().unwrap();
        assert_eq!((triangles.tri_mesh.triangles().len(), triangles.n_dropped), (0, 1));
    }
}
