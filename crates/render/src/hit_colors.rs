//! Modes that colour a property of the hit, without shadows.

use std::sync::atomic::{AtomicU64, Ordering};

use hitscan::glam::{DVec2, DVec3, Vec4};
use hitscan::scene::{SceneHit, WorldRay};

use crate::color::{self, opaque};
use crate::film::TileRays;
use crate::subject::{NameKind, Subject};

/// Colours each ray by its hit; transparent on a miss.
pub(crate) fn by_hit(
    tile: &TileRays,
    mut color: impl FnMut(&WorldRay, &SceneHit) -> Vec4,
) -> Vec<Vec4> {
    let color_of =
        |(ray, hit): (&WorldRay, &Option<SceneHit>)| hit.map_or(Vec4::ZERO, |hit| color(ray, &hit));
    tile.rays.iter().zip(&tile.hits).map(color_of).collect()
}

/// Colours each ray by its hit and [`Subject::normal`]; transparent on a miss.
pub(crate) fn by_normal(
    subject: &Subject,
    tile: &TileRays,
    color: impl Fn(&WorldRay, &SceneHit, DVec3) -> Vec4,
) -> Vec<Vec4> {
    let hits = tile.rays.iter().copied().zip(&tile.hits);
    let (rays, hits): (Vec<WorldRay>, Vec<SceneHit>) =
        hits.filter_map(|(ray, hit)| Some((ray, (*hit)?))).unzip();
    let mut surfaces = subject.surfaces(&rays, &hits).into_iter();
    by_hit(tile, |ray, hit| match surfaces.next() {
        Some((_, normal)) => color(ray, hit, normal),
        None => Vec4::ZERO,
    })
}

/// Maps a unit normal from -1..1 to 0..255 per axis.
pub(crate) fn normal(normal: DVec3) -> Vec4 {
    opaque(normal.to_array().map(|x| (127.5 * (x + 1.0)).round() as u8))
}

/// Palette colour of the hit polygon.
pub(crate) fn face_id(subject: &Subject, hit: &SceneHit) -> Vec4 {
    opaque(color::of_index(subject.polygon(hit)))
}

/// Texture coordinates over a checkerboard of eighths; barycentric coordinates if the mesh has
/// none.
pub(crate) fn uv(subject: &Subject, hit: &SceneHit) -> Vec4 {
    let weights = DVec2::new(f64::from(hit.local.u), f64::from(hit.local.v));
    let mesh = subject.mesh(hit.instance);
    let uv = match mesh.and_then(|mesh| mesh.attributes().uvs_of(hit.triangle())) {
        Some([a, b, c]) => {
            let [a, b, c] = [a, b, c].map(|uv| uv.as_dvec2());
            a + weights.x * (b - a) + weights.y * (c - a)
        }
        None => weights,
    };
    let within = uv - uv.floor();
    let cell = (8.0 * within).floor();
    let is_dark = (cell.x + cell.y) % 2.0 == 1.0;
    let [red, green] = within.to_array().map(|x| (255.0 * x.clamp(0.0, 1.0)) as u8);
    let color = [red, green, 90];
    // Infinite coordinates end up black.
    opaque(if is_dark { color.map(|byte| byte / 4 * 3) } else { color })
}

/// Colours by name, lit by a lamp at the camera. Counts the hits of each name for the legend.
#[derive(Debug)]
pub(crate) struct NameColors {
    kind: NameKind,
    n_hits: Vec<AtomicU64>,
}

impl NameColors {
    pub(crate) fn new(subject: &Subject, kind: NameKind) -> Self {
        Self { kind, n_hits: subject.names().iter().map(|_| AtomicU64::new(0)).collect() }
    }

    pub(crate) fn color(
        &self,
        subject: &Subject,
        ray: &WorldRay,
        hit: &SceneHit,
        normal: DVec3,
    ) -> Vec4 {
        let name = subject.name(hit, self.kind);
        if let Some(name) = name {
            self.n_hits[name as usize].fetch_add(1, Ordering::Relaxed);
        }
        let cosine = normal.as_vec3().dot(ray.direction.as_vec3().normalize_or_zero()).abs();
        let color = color::linear(name.map_or(color::UNNAMED, color::of_index));
        ((0.3 + 0.7 * cosine) * color).extend(1.0)
    }

    /// The visible names and their colours, in descending order of hits.
    pub(crate) fn seen(&self, subject: &Subject) -> Vec<(String, [u8; 3])> {
        let counts = self.n_hits.iter().map(|n| n.load(Ordering::Relaxed));
        let mut seen: Vec<(u64, u32)> = counts.zip(0..).filter(|&(n_hits, _)| n_hits > 0).collect();
        seen.sort_unstable_by_key(|&(n_hits, name)| (std::cmp::Reverse(n_hits), name));
        let names = subject.names();
        let entry = |(_, name)| (names[name as usize].clone(), color::of_index(name));
        seen.into_iter().map(entry).collect()
    }
}

/// Distance from the ray's origin to the hit, as a value for false colour.
pub(crate) fn distance(_ray: &WorldRay, hit: &SceneHit) -> Vec4 {
    // Rays of a view have unit directions, so `t` is the distance.
    value(hit.t as f32)
}

/// Nodes and blocks tested by each ray, hit or miss, as a value for false colour.
pub(crate) fn work(subject: &Subject, tile: &TileRays) -> Vec<Vec4> {
    tile.rays.iter().map(|ray| value(subject.work(ray) as f32)).collect()
}

pub(crate) fn value(value: f32) -> Vec4 {
    Vec4::new(value, 0.0, 0.0, 1.0)
}
