//! The stream of a single point.

use super::reader::PointReader;

/// The single point of a command line, as a stream.
pub(crate) struct SinglePoint(pub(crate) Option<[f32; 3]>);

impl PointReader for SinglePoint {
    fn read(&mut self, points: &mut Vec<[f32; 3]>, max_points: usize) -> anyhow::Result<()> {
        points.extend(self.0.take_if(|_| max_points > 0));
        Ok(())
    }

    fn total(&self) -> Option<u64> {
        Some(1)
    }
}
