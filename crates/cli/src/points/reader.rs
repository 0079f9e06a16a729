//! The trait of all point streams.

/// A stream of points.
pub trait PointReader {
    /// Appends the next points, at most `max_points`, to `points`. Appends none at the end of the stream.
    /// Waits for the first alone: if the input pauses, it appends those that have arrived.
    ///
    /// The reader passes points on that are not finite; they have no closest point.
    ///
    /// # Errors
    /// Text or data that is not a point, with its file and its line or row.
    fn read(&mut self, points: &mut Vec<[f32; 3]>, max_points: usize) -> anyhow::Result<()>;

    /// [`read`](Self::read) in double precision.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    fn read_f64(&mut self, points: &mut Vec<[f64; 3]>, max_points: usize) -> anyhow::Result<()>;

    /// The number of all points, if the format gives it.
    fn total(&self) -> Option<u64> {
        None
    }

    /// A sentence for each oddity of the file's beginning that changes no point.
    fn remarks(&self) -> Vec<String> {
        vec![]
    }
}
