//! World-space line segments drawn into a picture.

use hitscan::glam::{DVec2, DVec3};
use hitscan::picking::View;

/// Settings of a line.
#[derive(Clone, Copy, Debug)]
pub struct Stroke<'a> {
    /// The view that projects the line.
    pub view: &'a View,
    /// Pixels of the picture per pixel of the view, along x and y.
    pub scale: DVec2,
    /// Half the line width, in pixels of the picture.
    pub half_width: f32,
}

impl Stroke<'_> {
    /// Calls `pixel(x, y, coverage)` for each pixel that the segment touches. `from` and `to` are
    /// world positions, `size` is the columns and rows of the picture, and coverage is from 0 to 1.
    /// The part of the segment outside the view's near and far planes is skipped. Pixels may lie a
    /// little outside the picture. Costs O(length in pixels).
    pub fn pixels(
        &self,
        from: DVec3,
        to: DVec3,
        size: [u32; 2],
        mut pixel: impl FnMut(i32, i32, f32),
    ) {
        if let Some((from, to)) = visible_part(self.view, from, to) {
            self.pixels_of_visible(from, to, size, |x, y, coverage, _| pixel(x, y, coverage));
        }
    }

    /// Same as [`pixels`](Self::pixels) for a segment between the near and far planes. Also passes
    /// the nearest point on the line, in pixels of the view.
    pub(crate) fn pixels_of_visible(
        &self,
        from: DVec3,
        to: DVec3,
        size: [u32; 2],
        mut pixel: impl FnMut(i32, i32, f32, DVec2),
    ) {
        let pixel_of = |point| self.view.project(point).map(|seen| self.scale * seen.pixel);
        let (Some(a), Some(b)) = (pixel_of(from), pixel_of(to)) else { return };
        let size = DVec2::new(f64::from(size[0]), f64::from(size[1]));
        let Some((a, b)) = clipped(a, b, size) else { return };
        let way = b - a;
        let length = way.length();
        let (along, across) = match way.try_normalize() {
            Some(along) => (along, along.perp()),
            None => return,
        };
        // Step along the longer axis one pixel at a time, so that each pixel near the line is
        // visited once.
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
                let center_of_pixel = DVec2::new(f64::from(x) + 0.5, f64::from(y) + 0.5);
                let (at, offset) =
                    ((center_of_pixel - a).dot(along), (center_of_pixel - a).dot(across));
                let coverage = (self.half_width + 0.5 - offset.abs() as f32).clamp(0.0, 1.0);
                if coverage > 0.0 && (-0.5..=length + 0.5).contains(&at) {
                    let on_line = a + at.clamp(0.0, length) * along;
                    pixel(x, y, coverage, on_line / self.scale);
                }
            }
        }
    }
}

/// The part of a segment between the near and far planes, or `None` if no part is visible.
pub(crate) fn visible_part(view: &View, from: DVec3, to: DVec3) -> Option<(DVec3, DVec3)> {
    const STEPS: u32 = 64;
    let at = |s: f64| from.lerp(to, s);
    let is_seen = |s: f64| view.project(at(s)).is_some();
    let inside = (0..=STEPS).map(|n| f64::from(n) / f64::from(STEPS)).find(|&s| is_seen(s))?;
    // Bisect for the point where the segment leaves the view.
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

/// Clips a segment to the picture plus a margin (Liang and Barsky, "A New Concept and Method for
/// Line Clipping", 1984).
fn clipped(a: DVec2, b: DVec2, size: DVec2) -> Option<(DVec2, DVec2)> {
    const MARGIN: f64 = 8.0;
    let (mut enter, mut exit) = (0.0f64, 1.0f64);
    for axis in 0..2 {
        let (start, way) = (a[axis], b[axis] - a[axis]);
        let (low, high) = (-MARGIN - start, size[axis] + MARGIN - start);
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
