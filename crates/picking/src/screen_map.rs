//! Points to pixels: the one form in which the rest of the crate sees a camera.

use glam::{DAffine3, DVec2, DVec3, DVec4, Vec4Swizzles};

/// A map from points to pixels and depth, free of conventions: five linear forms of `(x, y, z, 1)`.
///
/// A point is seen if `near >= 0` and `far >= 0`; its pixel is `(x, y) / w`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ScreenMap {
    /// Pixel x, times w.
    pub(crate) x: DVec4,
    /// Pixel y, times w.
    pub(crate) y: DVec4,
    /// Positive before the camera; 1 without perspective.
    pub(crate) w: DVec4,
    /// Not negative behind the near plane.
    pub(crate) near: DVec4,
    /// Not negative before the far plane.
    pub(crate) far: DVec4,
}

/// The image of a point under a [`ScreenMap`], before the division.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ScreenPoint {
    /// The point itself, in the space that the map is from.
    pub(crate) point: DVec3,
    /// Pixel times `w`.
    pub(crate) xy: DVec2,
    pub(crate) w: f64,
    pub(crate) near: f64,
    pub(crate) far: f64,
}

impl ScreenMap {
    /// The same map with points taken relative to `origin`.
    pub(crate) fn relative_to(&self, origin: DVec3) -> Self {
        self.mapped(|form| form.xyz().extend(form.xyz().dot(origin) + form.w))
    }

    /// The same map for points in a local space. `local_to_here` ends in the space of this map.
    pub(crate) fn from_local(&self, local_to_here: &DAffine3) -> Self {
        let to_local = local_to_here.matrix3.transpose();
        self.mapped(|form| {
            let constant = form.xyz().dot(local_to_here.translation) + form.w;
            (to_local * form.xyz()).extend(constant)
        })
    }

    fn mapped(&self, map: impl Fn(DVec4) -> DVec4) -> Self {
        let Self { x, y, w, near, far } = *self;
        Self { x: map(x), y: map(y), w: map(w), near: map(near), far: map(far) }
    }

    /// The image of a point.
    #[inline]
    pub(crate) fn project(&self, point: DVec3) -> ScreenPoint {
        let value = |form: DVec4| form.xyz().dot(point) + form.w;
        ScreenPoint {
            point,
            xy: DVec2::new(value(self.x), value(self.y)),
            w: value(self.w),
            near: value(self.near),
            far: value(self.far),
        }
    }

    /// The points that appear at `pixel`, as a line: its point on the near plane, and the way from
    /// there to what is behind, of any length. `None` if the map is singular there.
    ///
    /// They lie in two planes, `x = pixel.x * w` and `y = pixel.y * w`; no matrix is inverted, and a
    /// far plane at infinity is nothing special.
    pub(crate) fn line_of_sight(&self, pixel: DVec2) -> Option<(DVec3, DVec3)> {
        let (a, b, n) = (self.x - pixel.x * self.w, self.y - pixel.y * self.w, self.near);
        let along = a.xyz().cross(b.xyz());
        let determinant = along.dot(n.xyz());
        // Cramer's rule for a = b = near = 0.
        let origin = -(a.w * b.xyz().cross(n.xyz()) + b.w * n.xyz().cross(a.xyz()) + n.w * along)
            / determinant;
        let direction = along * determinant.signum();
        let good = determinant != 0.0 && origin.is_finite() && direction.is_finite();
        good.then_some((origin, direction))
    }
}

impl ScreenPoint {
    /// Whether the point lies between the near and the far plane.
    #[inline]
    pub(crate) fn is_in_depth_range(&self) -> bool {
        self.near >= 0.0 && self.far >= 0.0 && self.w > 0.0
    }

    /// The pixel of a point that is seen.
    #[inline]
    pub(crate) fn pixel(&self) -> DVec2 {
        self.xy / self.w
    }

    /// The image of the point that divides the way to `other` in space by `s`, 0 to 1.
    #[inline]
    pub(crate) fn lerp(&self, other: &Self, s: f64) -> Self {
        let mix = |a: f64, b: f64| a + s * (b - a);
        Self {
            point: self.point + s * (other.point - self.point),
            xy: self.xy + s * (other.xy - self.xy),
            w: mix(self.w, other.w),
            near: mix(self.near, other.near),
            far: mix(self.far, other.far),
        }
    }
}
