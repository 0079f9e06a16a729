//! Modes that show a property of what is hit, without shadows.

use std::sync::atomic::{AtomicU64, Ordering};

use hitscan::glam::{DVec2, DVec3, Vec4};
use hitscan::scene::{SceneHit, WorldRay};
use rayon::prelude::*;

use crate::color::{self, opaque};
use crate::film::{Film, TileRays};
use crate::subject::{Naming, Subject};

/// A colour for each ray by what it hits; nothing on a miss.
pub(crate) fn by_hit(
    tile: &TileRays,
    mut color: impl FnMut(&WorldRay, &SceneHit) -> Vec4,
) -> Vec<Vec4> {
    let color_of =
        |(ray, hit): (&WorldRay, &Option<SceneHit>)| hit.map_or(Vec4::ZERO, |hit| color(ray, &hit));
    tile.rays.iter().zip(&tile.hits).map(color_of).collect()
}

/// A colour for each ray by what it hits and [`Subject::normal`] there; nothing on a miss.
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

/// The geometric normal by winding: -1 to 1 as 0 to 255.
pub(crate) fn normal(normal: DVec3) -> Vec4 {
    opaque(normal.to_array().map(|x| (127.5 * (x + 1.0)).round() as u8))
}

/// A colour for the polygon.
pub(crate) fn face_id(subject: &Subject, hit: &SceneHit) -> Vec4 {
    opaque(color::of_number(subject.polygon(hit)))
}

/// Texture coordinates, or weights where there are none, over a chequer of eighths.
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
    // Infinite coordinates have no place in the chequer, and are black.
    opaque(if is_dark { color.map(|byte| byte / 4 * 3) } else { color })
}

/// Colours by name under a lamp at the camera, and how often each name was hit.
#[derive(Debug)]
pub(crate) struct Named {
    naming: Naming,
    n_hits: Vec<AtomicU64>,
}

impl Named {
    pub(crate) fn new(subject: &Subject, naming: Naming) -> Self {
        Self { naming, n_hits: subject.names().iter().map(|_| AtomicU64::new(0)).collect() }
    }

    pub(crate) fn color(
        &self,
        subject: &Subject,
        ray: &WorldRay,
        hit: &SceneHit,
        normal: DVec3,
    ) -> Vec4 {
        let name = subject.name(hit, self.naming);
        if let Some(name) = name {
            self.n_hits[name as usize].fetch_add(1, Ordering::Relaxed);
        }
        let cosine = normal.as_vec3().dot(ray.direction.as_vec3().normalize_or_zero()).abs();
        let color = color::linear(name.map_or(color::UNNUMBERED, color::of_number));
        ((0.3 + 0.7 * cosine) * color).extend(1.0)
    }

    /// The names that were seen and their colours, those with the most hits first.
    pub(crate) fn seen(&self, subject: &Subject) -> Vec<(String, [u8; 3])> {
        let counts = self.n_hits.iter().map(|n| n.load(Ordering::Relaxed));
        let mut seen: Vec<(u64, u32)> = counts.zip(0..).filter(|&(n_hits, _)| n_hits > 0).collect();
        seen.sort_unstable_by_key(|&(n_hits, name)| (std::cmp::Reverse(n_hits), name));
        let names = subject.names();
        let entry = |(_, name)| (names[name as usize].clone(), color::of_number(name));
        seen.into_iter().map(entry).collect()
    }
}

/// How far each ray goes until it hits, as a sample of [`Film::recolored`].
pub(crate) fn distance(_ray: &WorldRay, hit: &SceneHit) -> Vec4 {
    // Rays of pixels have directions of unit length.
    value(hit.t as f32)
}

/// The work of each ray, as a sample of [`Film::recolored`], hit or miss.
pub(crate) fn work(subject: &Subject, tile: &TileRays) -> Vec<Vec4> {
    tile.rays.iter().map(|ray| value(subject.work(ray) as f32)).collect()
}

fn value(value: f32) -> Vec4 {
    Vec4::new(value, 0.0, 0.0, 1.0)
}

/// What a film of values spans.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Range {
    pub(crate) least: f32,
    pub(crate) most: f32,
    pub(crate) mean: f64,
    /// Greater than all values but a thousandth.
    pub(crate) nearly_most: f32,
}

impl Film {
    /// The values of a film whose samples are values; `None` where nothing was hit.
    fn values(&self) -> impl IndexedParallelIterator<Item = Option<f32>> {
        self.pixels.par_iter().map(|pixel| (pixel.w > 0.0).then(|| pixel.x / pixel.w))
    }

    /// What the values span; `None` if there are none.
    pub(crate) fn range(&self) -> Option<Range> {
        let mut values: Vec<f32> = self.values().flatten_iter().collect();
        let n = values.len();
        if n == 0 {
            return None;
        }
        let mean = values.iter().map(|&value| f64::from(value)).sum::<f64>() / n as f64;
        let (least, most) =
            values.iter().fold((f32::MAX, f32::MIN), |(a, b), &x| (a.min(x), b.max(x)));
        let (_, nearly_most, _) = values.select_nth_unstable_by(n - 1 - n / 1000, f32::total_cmp);
        Some(Range { least, most, mean, nearly_most: *nearly_most })
    }

    /// The film with its values as colours: `start` and `end` are the ends of the ramp.
    pub(crate) fn recolored(&self, start: f32, end: f32, ramp: color::Ramp) -> Self {
        let width = (end - start).max(f32::MIN_POSITIVE);
        let pixels = self
            .values()
            .zip(&self.pixels)
            .map(|(value, pixel)| {
                let color = |value| pixel.w * opaque(ramp((value - start) / width));
                value.map_or(Vec4::ZERO, color)
            })
            .collect();
        Self { pixels, ..*self }
    }
}
