//! The stream of a single ray.

use hitscan::Ray;

use super::reader::RayReader;

/// The single ray of a command line, as a stream.
pub(crate) struct SingleRay(pub(crate) Option<Ray>);

impl RayReader for SingleRay {
    fn read(&mut self, rays: &mut Vec<Ray>, max_rays: usize) -> anyhow::Result<()> {
        rays.extend(self.0.take_if(|_| max_rays > 0));
        Ok(())
    }

    fn total(&self) -> Option<u64> {
        Some(1)
    }
}
