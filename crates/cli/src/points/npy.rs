//! Points as a NumPy array of shape (n, 3).

use super::reader::PointReader;
use crate::table::{Arrivals, NpyTable, Number};

/// A stream of points in NPY.
pub(super) struct NpyPoints<R>(NpyTable<R>);

impl<R: Arrivals> NpyPoints<R> {
    /// Reads the header.
    ///
    /// # Errors
    /// A damaged header, an array that is not points, or missing data.
    pub(super) fn new(input: R, name: String) -> anyhow::Result<Self> {
        Ok(Self(NpyTable::new(input, name, &[3])?))
    }
}

impl<R: Arrivals> NpyPoints<R> {
    fn points<N: Number>(
        &mut self,
        points: &mut Vec<[N; 3]>,
        max_points: usize,
    ) -> anyhow::Result<()> {
        let numbers: Vec<N> = self.0.read(max_points)?;
        points.extend(numbers.as_chunks::<3>().0);
        Ok(())
    }
}

impl<R: Arrivals> PointReader for NpyPoints<R> {
    fn read(&mut self, points: &mut Vec<[f32; 3]>, max_points: usize) -> anyhow::Result<()> {
        self.points(points, max_points)
    }

    fn read_f64(&mut self, points: &mut Vec<[f64; 3]>, max_points: usize) -> anyhow::Result<()> {
        self.points(points, max_points)
    }

    fn total(&self) -> Option<u64> {
        Some(self.0.n_rows())
    }
}
