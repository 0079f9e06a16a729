//! The part of a triangle or segment that a view shows: between the near and far planes, and on the shown sides of its
//! clipping planes. A polygon on the screen.

use glam::{DVec2, DVec3};

use crate::{
    polygon2d::convex_contains,
    screen_map::{MAX_CLIPS, ScreenMap, ScreenPoint},
};

/// A convex polygon, clipped to the near and far planes and the clipping planes. It may be empty.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClippedPolygon {
    corners: [ScreenPoint; Self::MAX_CORNERS],
    n: usize,
    /// Whether a plane removed a part.
    pub(crate) is_cut: bool,
    /// Whether the near or the far plane removed a part.
    pub(crate) is_cut_by_depth: bool,
    /// Whether the clipping planes removed all of it.
    pub(crate) is_clipped_away: bool,
}

impl ClippedPolygon {
    /// A triangle gains at most one corner at each plane.
    const MAX_CORNERS: usize = 5 + MAX_CLIPS;

    /// Clips a convex polygon of one to three corners: a point, a segment, a triangle.
    ///
    /// The method of Sutherland and Hodgman ("Reentrant Polygon Clipping", 1974) before the division
    /// by w (Blinn and Newell, "Clipping Using Homogeneous Coordinates", 1978).
    pub(crate) fn new(map: &ScreenMap, polygon: &[ScreenPoint]) -> Self {
        let none = ScreenPoint { point: DVec3::ZERO, xy: DVec2::ZERO, w: 1.0, near: 0.0, far: 0.0 };
        let mut clipped = Self {
            corners: [none; Self::MAX_CORNERS],
            n: polygon.len(),
            is_cut: !polygon.iter().all(|corner| map.shows(corner)),
            is_cut_by_depth: false,
            is_clipped_away: false,
        };
        clipped.corners[..polygon.len()].copy_from_slice(polygon);
        if clipped.is_cut {
            map.clips().iter().for_each(|clip| clipped.cut(|corner| corner.side(clip)));
            clipped.is_clipped_away = clipped.n == 0;
            clipped.is_cut_by_depth = !clipped.points().iter().all(ScreenPoint::is_in_depth_range);
            clipped.cut(|corner| corner.near);
            clipped.cut(|corner| corner.far);
            // Points between the planes are before the camera, except for rounding.
            if clipped.points().iter().any(|corner| corner.w <= 0.0) {
                clipped.n = 0;
            }
        }
        clipped
    }

    /// Keeps the part where `side` is nonnegative.
    fn cut(&mut self, side: impl Fn(&ScreenPoint) -> f64) {
        let before = *self;
        let before = before.points();
        let n_edges = if before.len() == 2 { 1 } else { before.len() };
        self.n = 0;
        for (i, a) in before.iter().enumerate() {
            let at_a = side(a);
            if at_a >= 0.0 {
                self.push(*a);
            }
            if i < n_edges {
                let b = &before[(i + 1) % before.len()];
                let at_b = side(b);
                if (at_a < 0.0 && at_b > 0.0) || (at_a > 0.0 && at_b < 0.0) {
                    self.push(a.lerp(b, at_a / (at_a - at_b)));
                }
            }
        }
    }

    fn push(&mut self, corner: ScreenPoint) {
        // Rounding cannot add corners, because a convex polygon changes sides at most twice.
        if self.n < Self::MAX_CORNERS {
            self.corners[self.n] = corner;
            self.n += 1;
        }
    }

    /// The corners before the division, in order.
    pub(crate) fn points(&self) -> &[ScreenPoint] {
        &self.corners[..self.n]
    }

    /// Whether the polygon has an area and contains a pixel position.
    pub(crate) fn covers(&self, pixel: DVec2) -> bool {
        convex_contains(&self.pixels(), pixel)
    }

    /// The corners in pixels, in order.
    pub(crate) fn pixels(&self) -> Pixels {
        let mut corners = [DVec2::ZERO; Self::MAX_CORNERS];
        for (pixel, corner) in corners.iter_mut().zip(self.points()) {
            *pixel = corner.pixel();
        }
        Pixels { corners, n: self.n }
    }
}

/// The corners of a [`ClippedPolygon`] polygon in pixels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pixels {
    corners: [DVec2; ClippedPolygon::MAX_CORNERS],
    n: usize,
}

impl std::ops::Deref for Pixels {
    type Target = [DVec2];

    fn deref(&self) -> &[DVec2] {
        &self.corners[..self.n]
    }
}
