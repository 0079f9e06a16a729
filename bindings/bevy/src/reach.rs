//! The part of space that a query can reach, so that it poses and asks for entities there alone.

use hitscan::{
    ConvexRegion,
    glam::{DVec2, DVec3, DVec4},
    picking::View,
    scene::{WorldBox, WorldRegion},
};

/// A region that contains everything that a query can reach.
#[derive(Clone, Debug)]
pub(crate) enum Reach {
    Everywhere,
    Box(WorldBox),
    Convex(ConvexRegion),
}

impl Reach {
    /// The space behind a rectangle of pixels and the pixels around it.
    ///
    /// A query may look beyond its radius by rounding and by half a pixel, from a pixel to its centre.
    pub(crate) fn behind(view: &View, min: DVec2, max: DVec2, radius: f64) -> Self {
        const MARGIN: f64 = 2.0;
        let radius = radius.max(0.0) + MARGIN;
        let (min, max) = (min - radius, max + radius);
        let corners = [min, DVec2::new(max.x, min.y), max, DVec2::new(min.x, max.y)];
        let rays = corners.map(|corner| view.ray(corner));
        let middle = view.ray(0.5 * (min + max));
        let inside = middle.origin + middle.direction;
        let mut planes: Vec<[f64; 4]> = (0..4)
            .map(|i| {
                let (a, b) = (rays[i], rays[(i + 1) % 4]);
                plane(a.origin, a.direction, b.origin + b.direction - a.origin, inside)
            })
            .collect();
        let [a, b, c, _] = rays.map(|ray| ray.origin);
        planes.push(plane(a, b - a, c - a, inside));
        Self::Convex(ConvexRegion::from_coefficients(planes))
    }

    pub(crate) fn of_region(region: &WorldRegion) -> Self {
        match region {
            WorldRegion::Box(bounds) => Self::Box(*bounds),
            WorldRegion::Sphere { center, radius } => Self::around(*center, *radius),
            WorldRegion::Convex(region) => Self::Convex(region.clone()),
        }
    }

    pub(crate) fn around(center: DVec3, radius: f64) -> Self {
        Self::Box(WorldBox { min: center - radius, max: center + radius })
    }

    /// Whether something in a box may be in reach. A NaN is.
    pub(crate) fn may_touch(&self, bounds: &WorldBox) -> bool {
        match self {
            Self::Everywhere => true,
            Self::Box(own) => !(own.min.cmpgt(bounds.max).any() || own.max.cmplt(bounds.min).any()),
            Self::Convex(region) => region.may_overlap_box(bounds.min, bounds.max),
        }
    }
}

/// The plane through a point along two directions, with `inside` in front of it.
fn plane(point: DVec3, u: DVec3, v: DVec3, inside: DVec3) -> [f64; 4] {
    let normal = u.cross(v);
    let normal = if normal.dot(inside - point) < 0.0 { -normal } else { normal };
    DVec4::from((normal, -normal.dot(point))).to_array()
}

#[cfg(test)]
mod tests {
    use hitscan::picking::{Camera, Viewport};

    use super::*;

    #[test]
    fn the_reach_of_pixels_has_what_they_show_and_little_more() {
        let far = 1e6;
        let camera = Camera::look_at([far, 0.0, 10.0], [far, 0.0, 0.0]);
        let view = camera.view(Viewport::from_size(800.0, 600.0)).unwrap();
        let reach = Reach::behind(&view, DVec2::new(390.0, 290.0), DVec2::new(410.0, 310.0), 0.0);
        let ball = |x: f64, y: f64, z: f64| {
            let center = DVec3::new(far + x, y, z);
            reach.may_touch(&WorldBox { min: center - 0.01, max: center + 0.01 })
        };
        assert!(ball(0.0, 0.0, 0.0) && ball(0.1, -0.1, 0.0) && ball(0.0, 0.0, -500.0));
        assert!(!ball(1.0, 0.0, 0.0) && !ball(-1.0, 0.0, 0.0) && !ball(0.0, 1.0, 0.0));
        assert!(!ball(0.0, -1.0, 0.0) && !ball(0.0, 0.0, 11.0));
        // What the rays of the corners and of the middle meet is in reach.
        for pixel in
            [[390.0, 290.0], [410.0, 290.0], [390.0, 310.0], [410.0, 310.0], [400.0, 300.0]]
        {
            let ray = view.ray(pixel);
            for t in [0.0, 1.0, 1e3, 1e7] {
                let point = ray.origin + t * ray.direction;
                assert!(reach.may_touch(&WorldBox { min: point, max: point }), "{pixel:?} {t}");
            }
        }
    }

    #[test]
    fn a_ball_without_end_reaches_everything_and_an_empty_one_nothing() {
        let bounds = WorldBox { min: DVec3::splat(-1.0), max: DVec3::ONE };
        assert!(Reach::around(DVec3::splat(1e9), f64::INFINITY).may_touch(&bounds));
        assert!(!Reach::around(DVec3::ZERO, -5.0).may_touch(&bounds));
        assert!(Reach::Everywhere.may_touch(&bounds));
    }
}
