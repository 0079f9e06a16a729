//! Every surface along a ray, as if all of them were glass.

use hitscan::glam::{Vec3, Vec4};

use crate::film::TileRays;
use crate::subject::Subject;

/// Surfaces beyond this many are too deep in the fog to matter.
const DEEPEST: usize = 24;

/// How much a pane takes of what is behind it: seen straight on, and along its surface.
const STRAIGHT: f32 = 0.16;
const GRAZING: f32 = 0.62;

/// Panes seen from their front and from their back.
const FRONT: Vec3 = Vec3::new(0.20, 0.42, 0.62);
const BACK: Vec3 = Vec3::new(0.42, 0.30, 0.22);

/// The panes along each ray, those in front over those behind.
pub(crate) fn paint(subject: &Subject, tile: &TileRays) -> Vec<Vec4> {
    let mut hits = Vec::new();
    let color = |ray: &hitscan::scene::WorldRay| {
        subject.nearest_hits(ray, DEEPEST, &mut hits);
        let direction = ray.direction.normalize_or_zero();
        let (mut light, mut passing) = (Vec3::ZERO, 1.0);
        for hit in &hits {
            let (color, cover) = pane(subject.normal(hit, ray).dot(direction) as f32);
            light += passing * cover * color;
            passing *= 1.0 - cover;
        }
        light.extend(1.0 - passing)
    };
    tile.rays.iter().map(color).collect()
}

/// The colour of a pane, and how much it covers, by the cosine of its normal and the ray.
fn pane(cosine: f32) -> (Vec3, f32) {
    let edge = (1.0 - cosine.abs()).powi(3);
    let color = if cosine <= 0.0 { FRONT } else { BACK };
    ((0.75 + 0.6 * edge) * color, STRAIGHT + edge * (GRAZING - STRAIGHT))
}
