//! The trait of all ray streams.

use hitscan::Ray;
use hitscan::scene::WorldRay;

/// A stream of rays.
pub trait RayReader {
    /// Appends the next rays, at most `max_rays`, to `rays`. Appends none at the end of the stream.
    /// Waits for the first alone: if the input pauses, it appends those that have arrived.
    ///
    /// The reader passes invalid rays on; they miss.
    ///
    /// # Errors
    /// Text or data that is not a ray, with its file and its line or row.
    fn read(&mut self, rays: &mut Vec<Ray>, max_rays: usize) -> anyhow::Result<()>;

    /// [`read`](Self::read) in double precision, for scenes.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    fn read_world(&mut self, rays: &mut Vec<WorldRay>, max_rays: usize) -> anyhow::Result<()>;

    /// The number of all rays, if the format gives it.
    fn total(&self) -> Option<u64> {
        None
    }

    /// A sentence for each oddity of the file's beginning that changes no ray.
    fn remarks(&self) -> Vec<String> {
        vec![]
    }
}
