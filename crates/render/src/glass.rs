//! Glass mode: every surface along a ray, drawn as a translucent pane.

use hitscan::glam::{Vec3, Vec4};

use crate::film::TileRays;
use crate::subject::Subject;

/// Deeper surfaces contribute too little to see.
const MAX_SURFACES: usize = 24;

/// Opacity of a pane seen head-on, and at a grazing angle.
const HEAD_ON_OPACITY: f32 = 0.16;
const GRAZING_OPACITY: f32 = 0.62;

/// Colours of a pane's front and back.
const FRONT: Vec3 = Vec3::new(0.20, 0.42, 0.62);
const BACK: Vec3 = Vec3::new(0.42, 0.30, 0.22);

/// Composites the panes along each ray, front to back.
pub(crate) fn paint(subject: &Subject, tile: &TileRays) -> Vec<Vec4> {
    let mut hits = Vec::new();
    let color = |ray: &hitscan::scene::WorldRay| {
        subject.nearest_hits_into(ray, MAX_SURFACES, &mut hits);
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

/// Colour and opacity of a pane, from the cosine between its normal and the ray.
fn pane(cosine: f32) -> (Vec3, f32) {
    let edge = (1.0 - cosine.abs()).powi(3);
    let color = if cosine <= 0.0 { FRONT } else { BACK };
    ((0.75 + 0.6 * edge) * color, HEAD_ON_OPACITY + edge * (GRAZING_OPACITY - HEAD_ON_OPACITY))
}
