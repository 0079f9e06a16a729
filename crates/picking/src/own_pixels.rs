//! The search for one object at the pixel centres of its rectangle on the screen.
//!
//! A ray that misses the object cannot find it, so each ray tests the object first, and the rest of the scene
//! only in front of a hit there. Neighbouring rays are mostly hidden by the same instance. So the instance that hid
//! the last ray is tested for all others before the scene is.

use glam::DVec2;
use hitscan_scene::{InstanceId, SceneHit, WorldRay};

use crate::{pixel_centers::PixelCenters, sight::Sight, visible_samples::VisibleSamples};

/// The number of rays that enter a mesh together.
const CHUNK: usize = 32;

/// A ray need not look for what hides a hit beyond the hit. Larger than the rounding of its end to f32.
const REACH: f64 = 1.0 + 1.0 / (1 << 20) as f64;

/// The pixel centres of a region, from coarse to fine, without repetition.
pub(crate) struct OwnPixels<'a> {
    samples: VisibleSamples<'a>,
    grids: [PixelCenters; 5],
}

/// A ray with its hit on the object.
type OwnHit = (WorldRay, SceneHit);

impl<'a> OwnPixels<'a> {
    pub(crate) fn new(samples: VisibleSamples<'a>) -> Self {
        let VisibleSamples { min, max, .. } = samples;
        let coarse = |stride| PixelCenters::in_rectangle(min, max, stride);
        let rest = PixelCenters::except_coarser(min, max, &[2, 4, 8, 16]);
        Self { samples, grids: [coarse(16), coarse(8), coarse(4), coarse(2), rest] }
    }

    /// Whether the ray of some pixel centre of the region in the rectangle hits an object first.
    pub(crate) fn show(&self, id: InstanceId, min: DVec2, max: DVec2) -> bool {
        let VisibleSamples { sight, region, .. } = self.samples;
        let (mut rays, mut hits, mut hits_of_object) = (vec![], vec![], vec![]);
        let mut hider = None;
        self.grids.iter().any(|grid| {
            let centers = grid.centers_of(grid.within(min, max));
            rays.clear();
            rays.extend(centers.filter(|&at| region.contains(at)).map(|at| sight.view.ray(at)));
            rays.chunks(CHUNK).any(|rays| {
                hits.clear();
                hits.resize(rays.len(), None);
                sight.scene.closest_hits_of_instance(id, rays, sight.query, &mut hits);
                hits_of_object.clear();
                let with_hit = |(ray, hit): (&WorldRay, &Option<SceneHit>)| Some((*ray, (*hit)?));
                hits_of_object.extend(rays.iter().zip(&hits).filter_map(with_hit));
                is_any_visible(sight, &mut hits_of_object, &mut hider)
            })
        })
    }
}

/// Whether some hit of an object is the first of its ray. `hider` is an instance that may hide them, and then
/// one that hides the last.
fn is_any_visible(
    sight: Sight<'_>,
    hits: &mut Vec<OwnHit>,
    hider: &mut Option<InstanceId>,
) -> bool {
    loop {
        if let Some(hider) = *hider {
            retain_not_hidden(sight, hits, hider);
        }
        let Some((ray, own)) = hits.pop() else { return false };
        let ray = ray.with_range(ray.t_min, ray.t_max.min(own.t * REACH));
        let is_hidden = sight.scene.is_occluded_where(&ray, sight.query, |hit| {
            let is_before = hit.cmp_along_ray(&own).is_lt();
            if is_before {
                *hider = Some(hit.instance);
            }
            is_before
        });
        if !is_hidden {
            return true;
        }
    }
}

/// Drops the hits that an instance hides.
fn retain_not_hidden(sight: Sight<'_>, hits: &mut Vec<OwnHit>, hider: InstanceId) {
    let rays: Vec<WorldRay> = hits.iter().map(|(ray, _)| *ray).collect();
    let mut before = vec![None; rays.len()];
    sight.scene.closest_hits_of_instance(hider, &rays, sight.query, &mut before);
    let mut before = before.iter();
    hits.retain(|(_, own)| {
        let before = before.next().and_then(Option::as_ref);
        before.is_none_or(|hit| !hit.cmp_along_ray(own).is_lt())
    });
}
