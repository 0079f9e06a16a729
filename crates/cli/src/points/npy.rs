//! Points as a NumPy array of shape (n, 3).

use super::reader::PointReader;
use crate::table::{Arrivals, NpyTable};

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

impl<R: Arrivals> PointReader for NpyPoints<R> {
    fn read(&mut self, points: &mut Vec<[f32; 3]>, max_points: usize) -> anyhow::Result<()> {
        let numbers = self.0.read(max_points)?;
        points.extend(numbers.chunks_exact(3).map(|row| [row[0], row[1], row[2]]));
        Ok(())
    }

    fn total(&self) -> Option<u64> {
        Some(self.0.n_rows())
    }
}
