//! The stream of a single ray.

use anyhow::Context;
use hitscan::Ray;
use hitscan::scene::WorldRay;

use super::reader::RayReader;

/// The single ray of a command line, as a stream.
pub(crate) struct SingleRay(pub(crate) Option<(Ray, WorldRay)>);

impl RayReader for SingleRay {
    fn read(&mut self, rays: &mut Vec<Ray>, max_rays: usize) -> anyhow::Result<()> {
        if let Some((ray, _)) = self.0.take_if(|_| max_rays > 0) {
            // A short segment far from the origin may be valid in double precision alone.
            rays.push(ray.checked().context("the ray is invalid")?);
        }
        Ok(())
    }

    fn read_world(&mut self, rays: &mut Vec<WorldRay>, max_rays: usize) -> anyhow::Result<()> {
        rays.extend(self.0.take_if(|_| max_rays > 0).map(|(_, ray)| ray));
        Ok(())
    }

    fn total(&self) -> Option<u64> {
        Some(1)
    }
}
