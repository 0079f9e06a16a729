//! Rays of the user, drawn into a picture with what they hit.

use hitscan::Ray;
use hitscan::glam::{DVec2, DVec3};
use hitscan::picking::View;
use hitscan::scene::{SceneHit, WorldRay};

use crate::film::Sampling;
use crate::picture::Picture;
use crate::stroke::{Stroke, seen_part};
use crate::subject::Subject;

/// The colours of a ray up to its hit, of one that hits nothing, and of hits.
const HITTING: [u8; 3] = [255, 120, 20];
const MISSING: [u8; 3] = [120, 130, 150];
const HIT: [u8; 3] = [230, 20, 60];
const RIM: [u8; 3] = [255, 255, 255];

/// How much of a line is seen through what is before it.
const HIDDEN: f32 = 0.22;

/// What lies deeper than the surface by less than this share is on it.
const ON_SURFACE: f64 = 1e-3;

/// Draws rays of the world into a picture of the subject, chunk by chunk.
///
/// # Errors
/// Those of `next`, which appends the next rays, or none at the end.
pub fn draw_rays<E>(
    picture: &mut Picture,
    subject: &Subject,
    view: &View,
    mut next: impl FnMut(&mut Vec<Ray>) -> Result<(), E>,
) -> Result<(), E> {
    let distance = |hit: Option<SceneHit>| hit.map_or(f32::INFINITY, |hit| hit.t as f32);
    let size = [picture.width(), picture.height()];
    let sampling = Sampling { view: view.clone(), size, n_samples: 1, seed: 0, is_random: false };
    let distances = sampling.seen(|rays| subject.hits(rays), distance);
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

/// How rays are drawn: sizes in pixels, and how far the picture sees.
#[derive(Debug)]
struct RayLines<'a> {
    view: &'a View,
    /// How far the surface is along the ray of each pixel; infinite where there is none.
    distances: &'a [f32],
    half_width: f32,
    /// How far rays without an end are drawn, in world units.
    reach: f64,
}

impl<'a> RayLines<'a> {
    /// `distances` are those of the picture's pixels, row by row.
    fn new(view: &'a View, subject: &Subject, distances: &'a [f32]) -> Self {
        let half_width = (view.viewport().size.y / 900.0).max(0.8) as f32;
        let reach = subject.bounds().extent().as_dvec3().length();
        Self { view, distances, half_width, reach }
    }

    /// Draws rays, each from its least t to its hit, to its end, or for as long as the mesh is large.
    fn draw(&self, picture: &mut Picture, subject: &Subject, rays: &[Ray]) {
        let world_rays: Vec<WorldRay> = rays.iter().map(|&ray| ray.into()).collect();
        let hits = subject.hits(&world_rays);
        let drawn = rays.iter().zip(hits).filter(|(ray, _)| ray.is_valid());
        for (ray, hit) in drawn.clone() {
            let (origin, direction) = (ray.origin.as_dvec3(), ray.direction.as_dvec3());
            // A ray ends a mesh's size from where it begins, and a line begins so far before that.
            let reach = self.reach / direction.length();
            let start = f64::from(ray.t_min).max(-reach);
            let (end, color) = match &hit {
                Some(hit) => (hit.t, HITTING),
                None => (f64::from(ray.t_max).min(start.max(0.0) + reach), MISSING),
            };
            self.segment(picture, origin + start * direction, origin + end * direction, color);
        }
        for hit in drawn.filter_map(|(_, hit)| hit) {
            let point = subject.scene().describe(&hit).map(|details| details.point());
            point.into_iter().for_each(|point| self.mark(picture, subject, point));
        }
    }

    fn segment(&self, picture: &mut Picture, from: DVec3, to: DVec3, color: [u8; 3]) {
        let Some((from, to)) = seen_part(self.view, from, to) else { return };
        let stroke = Stroke { view: self.view, scale: DVec2::ONE, half_width: self.half_width };
        let size = [picture.width(), picture.height()];
        stroke.pixels_of_seen(from, to, size, |x, y, coverage, on_line| {
            let distance = self.distance_at(on_line, from, to);
            let share = if self.is_hidden(x, y, distance) { HIDDEN } else { 1.0 };
            picture.blend(x, y, color, share * coverage);
        });
    }

    /// A disc with a rim where a ray hits.
    fn mark(&self, picture: &mut Picture, subject: &Subject, point: DVec3) {
        let Some(seen) = self.view.project(point) else { return };
        let size = self.view.viewport().size;
        if seen.pixel.cmplt(DVec2::ZERO).any() || seen.pixel.cmpge(size).any() {
            return;
        }
        let (x, y) = (seen.pixel.x as i32, seen.pixel.y as i32);
        // By the ray of the point itself: a surface that is seen from aside is at many distances
        // within a pixel.
        let sight = subject.hit(&self.view.ray(seen.pixel));
        let is_hidden = sight.is_some_and(|hit| hit.t * (1.0 + ON_SURFACE) < seen.distance);
        let share = if is_hidden { HIDDEN } else { 1.0 };
        let (radius, rim) = (2.6 * self.half_width + 0.8, 1.2 * self.half_width);
        let reach = (radius + rim) as i32 + 1;
        for y in y - reach..=y + reach {
            for x in x - reach..=x + reach {
                let pixel = DVec2::new(f64::from(x) + 0.5, f64::from(y) + 0.5);
                let away = pixel.distance(seen.pixel) as f32;
                let within = |radius: f32| (radius + 0.5 - away).clamp(0.0, 1.0);
                picture.blend(x, y, RIM, share * within(radius + rim));
                picture.blend(x, y, HIT, share * within(radius));
            }
        }
    }

    /// How far the line through two points is from where sight begins at a pixel that it is seen at.
    fn distance_at(&self, pixel: DVec2, from: DVec3, to: DVec3) -> f64 {
        let sight = self.view.ray(pixel);
        let (way, between) = (to - from, from - sight.origin);
        // The nearest point of two lines; the one of sight has unit direction.
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
        distance > f64::from(self.distances[y * size.x as usize + x]) * (1.0 + ON_SURFACE)
    }
}
