//! Rays of the user, drawn into a picture with what they hit.

use hitscan::Ray;
use hitscan::glam::{DVec2, DVec3};
use hitscan::picking::View;

use super::film::mesh_ray;
use super::picture::Picture;
use super::subject::Subject;

/// The colours of a ray up to its hit, of one that hits nothing, and of hits.
const HITTING: [u8; 3] = [255, 120, 20];
const MISSING: [u8; 3] = [120, 130, 150];
const HIT: [u8; 3] = [230, 20, 60];
const RIM: [u8; 3] = [255, 255, 255];

/// How much of a line is seen through what is before it.
const HIDDEN: f32 = 0.22;

/// What lies deeper than the surface by less than this share is on it.
const ON_SURFACE: f64 = 1e-3;

/// How rays are drawn: sizes in pixels, and how far the picture sees.
#[derive(Debug)]
pub(super) struct RayLines<'a> {
    view: &'a View,
    /// How far the surface is along the ray of each pixel; infinite where there is none.
    distances: &'a [f32],
    half_width: f32,
    /// How far rays without an end are drawn, in world units.
    reach: f64,
}

impl<'a> RayLines<'a> {
    /// `distances` are those of the picture's pixels, row by row.
    pub(super) fn new(view: &'a View, subject: &Subject<'_>, distances: &'a [f32]) -> Self {
        let half_width = (view.viewport().size.y / 900.0).max(0.8) as f32;
        let reach = subject.mesh().bounds().extent().as_dvec3().length();
        Self { view, distances, half_width, reach }
    }

    /// Draws rays, each from its least t to its hit, to its end, or for as long as the mesh is large.
    pub(super) fn draw(&self, picture: &mut Picture, subject: &Subject<'_>, rays: &[Ray]) {
        let hits = subject.hits(rays);
        let drawn = rays.iter().zip(hits).filter(|(ray, _)| ray.is_valid());
        for (ray, hit) in drawn.clone() {
            let (origin, direction) = (ray.origin.as_dvec3(), ray.direction.as_dvec3());
            // A ray ends a mesh's size from where it begins, and a line begins so far before that.
            let reach = self.reach / direction.length();
            let start = f64::from(ray.t_min).max(-reach);
            let (end, color) = match &hit {
                Some(hit) => (f64::from(hit.t), HITTING),
                None => (f64::from(ray.t_max).min(start.max(0.0) + reach), MISSING),
            };
            self.segment(picture, origin + start * direction, origin + end * direction, color);
        }
        for hit in drawn.filter_map(|(_, hit)| hit) {
            self.mark(picture, subject, subject.mesh().point(&hit));
        }
    }

    fn segment(&self, picture: &mut Picture, from: DVec3, to: DVec3, color: [u8; 3]) {
        let Some((from, to)) = self.seen_part(from, to) else { return };
        let pixel_of = |point| self.view.project(point).map(|seen| seen.pixel);
        let (Some(a), Some(b)) = (pixel_of(from), pixel_of(to)) else { return };
        let Some((a, b)) = clipped(a, b, self.view.viewport().size) else { return };
        let way = b - a;
        let length = way.length();
        let (along, across) = match way.try_normalize() {
            Some(along) => (along, along.perp()),
            None => return,
        };
        // Every pixel near the line, once: steps of a pixel along its longer side.
        let steep = along.y.abs() > along.x.abs();
        let (first, last) = if steep { (a.y, b.y) } else { (a.x, b.x) };
        let (first, last) = (first.min(last).floor() as i32, first.max(last).ceil() as i32);
        let spread = (f64::from(self.half_width) * std::f64::consts::SQRT_2).ceil() as i32 + 1;
        for major in first..=last {
            let center = f64::from(major) + 0.5;
            let minor = match steep {
                true => a.x + (center - a.y) * along.x / along.y,
                false => a.y + (center - a.x) * along.y / along.x,
            };
            for minor in minor.floor() as i32 - spread..=minor.floor() as i32 + spread {
                let (x, y) = if steep { (minor, major) } else { (major, minor) };
                let pixel = DVec2::new(f64::from(x) + 0.5, f64::from(y) + 0.5);
                let (at, beside) = ((pixel - a).dot(along), (pixel - a).dot(across));
                let coverage = (self.half_width + 0.5 - beside.abs() as f32).clamp(0.0, 1.0);
                if coverage > 0.0 && (-0.5..=length + 0.5).contains(&at) {
                    let on_line = a + at.clamp(0.0, length) * along;
                    let distance = self.distance_at(on_line, from, to);
                    let share = if self.is_hidden(x, y, distance) { HIDDEN } else { 1.0 };
                    picture.blend(x, y, color, share * coverage);
                }
            }
        }
    }

    /// A disc with a rim where a ray hits.
    fn mark(&self, picture: &mut Picture, subject: &Subject<'_>, point: DVec3) {
        let Some(seen) = self.view.project(point) else { return };
        let size = self.view.viewport().size;
        if seen.pixel.cmplt(DVec2::ZERO).any() || seen.pixel.cmpge(size).any() {
            return;
        }
        let (x, y) = (seen.pixel.x as i32, seen.pixel.y as i32);
        // By the ray of the point itself: a surface that is seen from aside is at many distances
        // within a pixel.
        let sight = subject.tree.closest_hit(&mesh_ray(&self.view.ray(seen.pixel)), subject.faces);
        let is_hidden =
            sight.is_some_and(|hit| f64::from(hit.t) * (1.0 + ON_SURFACE) < seen.distance);
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

    /// The part of a segment between the near and the far plane.
    fn seen_part(&self, from: DVec3, to: DVec3) -> Option<(DVec3, DVec3)> {
        const STEPS: u32 = 64;
        let at = |s: f64| from.lerp(to, s);
        let is_seen = |s: f64| self.view.project(at(s)).is_some();
        let inside = (0..=STEPS).map(|n| f64::from(n) / f64::from(STEPS)).find(|&s| is_seen(s))?;
        // The end of sight on the way from inside, by halving.
        let end_towards = |outside: f64| {
            if is_seen(outside) {
                return outside;
            }
            let (mut seen, mut unseen) = (inside, outside);
            for _ in 0..50 {
                let middle = 0.5 * (seen + unseen);
                *(if is_seen(middle) { &mut seen } else { &mut unseen }) = middle;
            }
            seen
        };
        Some((at(end_towards(0.0)), at(end_towards(1.0))))
    }
}

/// The part of a segment within a picture and a little around it (Liang and Barsky, "A New Concept and
/// Method for Line Clipping", 1984).
fn clipped(a: DVec2, b: DVec2, size: DVec2) -> Option<(DVec2, DVec2)> {
    const AROUND: f64 = 8.0;
    let (mut enter, mut exit) = (0.0f64, 1.0f64);
    for axis in 0..2 {
        let (start, way) = (a[axis], b[axis] - a[axis]);
        let (low, high) = (-AROUND - start, size[axis] + AROUND - start);
        if way == 0.0 {
            if low > 0.0 || high < 0.0 {
                return None;
            }
            continue;
        }
        let (s, t) = (low / way, high / way);
        enter = enter.max(s.min(t));
        exit = exit.min(s.max(t));
    }
    (enter <= exit).then(|| (a.lerp(b, enter), a.lerp(b, exit)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_are_cut_at_the_edges_of_the_picture() {
        let size = DVec2::new(100.0, 50.0);
        let cut = |a: [f64; 2], b: [f64; 2]| clipped(a.into(), b.into(), size);
        let inside = (DVec2::new(10.0, 10.0), DVec2::new(90.0, 40.0));
        assert_eq!(cut([10.0, 10.0], [90.0, 40.0]), Some(inside));
        let (a, b) = cut([-1e6, 25.0], [1e6, 25.0]).unwrap();
        assert!((a.x + 8.0).abs() < 1e-6 && (b.x - 108.0).abs() < 1e-6);
        assert_eq!(cut([-1e6, 70.0], [1e6, 70.0]), None);
        assert_eq!(cut([200.0, -50.0], [120.0, 10.0]), None);
        assert_eq!(cut([5.0, 5.0], [5.0, 5.0]), Some((DVec2::splat(5.0), DVec2::splat(5.0))));
    }
}
