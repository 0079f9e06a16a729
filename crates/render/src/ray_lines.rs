//! User rays and lines drawn into a picture.

use hitscan::Ray;
use hitscan::glam::{DVec2, DVec3};
use hitscan::picking::View;
use hitscan::scene::{SceneHit, WorldRay};

use crate::film::PixelSampler;
use crate::picture::Picture;
use crate::stroke::{Stroke, visible_part};
use crate::subject::Subject;

/// Colours of a ray that hits, a ray that misses, and a hit point with its rim.
const HIT_RAY: [u8; 3] = [255, 120, 20];
const MISSED_RAY: [u8; 3] = [120, 130, 150];
const HIT_POINT: [u8; 3] = [230, 20, 60];
const HIT_RIM: [u8; 3] = [255, 255, 255];

/// Opacity of a line behind a surface.
const HIDDEN_OPACITY: f32 = 0.22;

/// A point counts as hidden only if it lies deeper than the surface by more than this share.
const DEPTH_TOLERANCE: f64 = 1e-3;

/// Draws world-space rays into a picture of the subject. Each call of `next` appends the next chunk
/// of rays, or none to end. A ray ends at its hit, at `t_max`, or after the size of the scene.
/// Skips invalid rays.
///
/// Costs one camera ray per pixel, then one closest hit and O(length in pixels) per ray.
///
/// # Errors
/// Returns the first error of `next`; the rays of earlier chunks are drawn by then.
pub fn draw_rays<E>(
    picture: &mut Picture,
    subject: &Subject,
    view: &View,
    mut next: impl FnMut(&mut Vec<Ray>) -> Result<(), E>,
) -> Result<(), E> {
    let distances = surface_distances(picture, subject, view);
    let lines = RayLines::new(view, subject, &distances);
    let mut rays = Vec::new();
    loop {
        rays.clear();
        next(&mut rays)?;
        if rays.is_empty() {
            return Ok(());
        }
        lines.draw(picture, subject, &rays);
    }
}

/// Draws segments between world positions into a picture of the subject, faint where a surface hides
/// them.
///
/// Costs one camera ray per pixel, then O(length in pixels) per segment.
pub fn draw_segments(
    picture: &mut Picture,
    subject: &Subject,
    view: &View,
    segments: &[[DVec3; 2]],
    color: [u8; 3],
) {
    let distances = surface_distances(picture, subject, view);
    let lines = RayLines::new(view, subject, &distances);
    for &[from, to] in segments {
        lines.segment(picture, from, to, color);
    }
}

/// Distance to the surface at the centre of each pixel, row by row; infinite on a miss.
fn surface_distances(picture: &Picture, subject: &Subject, view: &View) -> Vec<f32> {
    let distance = |hit: Option<SceneHit>| hit.map_or(f32::INFINITY, |hit| hit.t as f32);
    let size = [picture.width(), picture.height()];
    let sampler =
        PixelSampler { view: view.clone(), size, n_samples: 1, seed: 0, is_random: false };
    sampler.center_hits(|rays| subject.hits(rays), distance)
}

/// State for drawing lines into one picture.
#[derive(Debug)]
struct RayLines<'a> {
    view: &'a View,
    /// Distance to the surface at each pixel; infinite on a miss.
    distances: &'a [f32],
    half_width: f32,
    /// Drawn length of an endless ray, in world units.
    max_length: f64,
}

impl<'a> RayLines<'a> {
    /// `distances` belong to the picture's pixels, row by row.
    fn new(view: &'a View, subject: &Subject, distances: &'a [f32]) -> Self {
        let half_width = (view.viewport().size.y / 900.0).max(0.8) as f32;
        let max_length = subject.bounds().extent().as_dvec3().length();
        Self { view, distances, half_width, max_length }
    }

    /// Draws each ray from `t_min` to its hit, its end, or the size of the scene.
    fn draw(&self, picture: &mut Picture, subject: &Subject, rays: &[Ray]) {
        let world_rays: Vec<WorldRay> = rays.iter().map(|&ray| ray.into()).collect();
        let hits = subject.hits(&world_rays);
        let drawn = rays.iter().zip(hits).filter(|(ray, _)| ray.is_valid());
        for (ray, hit) in drawn.clone() {
            let (origin, direction) = (ray.origin.as_dvec3(), ray.direction.as_dvec3());
            // An endless ray is drawn for the size of the scene from its origin; an endless line
            // also backwards.
            let max_length = self.max_length / direction.length();
            let start = f64::from(ray.t_min).max(-max_length);
            let (end, color) = match &hit {
                Some(hit) => (hit.t, HIT_RAY),
                None => (f64::from(ray.t_max).min(start.max(0.0) + max_length), MISSED_RAY),
            };
            self.segment(picture, origin + start * direction, origin + end * direction, color);
        }
        for hit in drawn.filter_map(|(_, hit)| hit) {
            let point = subject.scene().describe(&hit).map(|details| details.point());
            point.into_iter().for_each(|point| self.mark(picture, subject, point));
        }
    }

    fn segment(&self, picture: &mut Picture, from: DVec3, to: DVec3, color: [u8; 3]) {
        let Some((from, to)) = visible_part(self.view, from, to) else { return };
        let stroke = Stroke { view: self.view, scale: DVec2::ONE, half_width: self.half_width };
        let size = [picture.width(), picture.height()];
        stroke.pixels_of_visible(from, to, size, |x, y, coverage, on_line| {
            let distance = self.distance_at(on_line, from, to);
            let share = if self.is_hidden(x, y, distance) { HIDDEN_OPACITY } else { 1.0 };
            picture.blend(x, y, color, share * coverage);
        });
    }

    /// Draws a hit point as a disc with a rim.
    fn mark(&self, picture: &mut Picture, subject: &Subject, point: DVec3) {
        let Some(projected) = self.view.project(point) else { return };
        let size = self.view.viewport().size;
        if projected.pixel.cmplt(DVec2::ZERO).any() || projected.pixel.cmpge(size).any() {
            return;
        }
        let (x, y) = (projected.pixel.x as i32, projected.pixel.y as i32);
        // Trace the point's own ray, because distances within one pixel vary widely on a surface
        // seen at a grazing angle.
        let sight = subject.hit(&self.view.ray(projected.pixel));
        let is_hidden =
            sight.is_some_and(|hit| hit.t * (1.0 + DEPTH_TOLERANCE) < projected.distance);
        let share = if is_hidden { HIDDEN_OPACITY } else { 1.0 };
        let (radius, rim) = (2.6 * self.half_width + 0.8, 1.2 * self.half_width);
        let half_side = (radius + rim) as i32 + 1;
        for y in y - half_side..=y + half_side {
            for x in x - half_side..=x + half_side {
                let pixel = DVec2::new(f64::from(x) + 0.5, f64::from(y) + 0.5);
                let away = pixel.distance(projected.pixel) as f32;
                let within = |radius: f32| (radius + 0.5 - away).clamp(0.0, 1.0);
                picture.blend(x, y, HIT_RIM, share * within(radius + rim));
                picture.blend(x, y, HIT_POINT, share * within(radius));
            }
        }
    }

    /// Distance from the eye to the line through two points, along the ray of a pixel.
    fn distance_at(&self, pixel: DVec2, from: DVec3, to: DVec3) -> f64 {
        let sight = self.view.ray(pixel);
        let (way, between) = (to - from, from - sight.origin);
        // Closest point of two lines; the direction of sight has unit length.
        let (dot, square) = (way.dot(sight.direction), way.length_squared());
        let determinant = square - dot * dot;
        if determinant <= 1e-12 * square {
            return between.dot(sight.direction);
        }
        (square * between.dot(sight.direction) - dot * between.dot(way)) / determinant
    }

    fn is_hidden(&self, x: i32, y: i32, distance: f64) -> bool {
        let size = self.view.viewport().size;
        let x = x.clamp(0, size.x as i32 - 1) as usize;
        let y = y.clamp(0, size.y as i32 - 1) as usize;
        distance > f64::from(self.distances[y * size.x as usize + x]) * (1.0 + DEPTH_TOLERANCE)
    }
}
