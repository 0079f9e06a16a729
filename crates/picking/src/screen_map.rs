//! The map from points to pixels: the camera, independent of conventions.

use glam::{DAffine3, DVec2, DVec3, DVec4, Vec4Swizzles};

/// The maximum number of clipping planes of a view.
pub(crate) const MAX_CLIPS: usize = 6;

/// A map from points to pixels and depth, independent of conventions: linear forms of `(x, y, z, 1)`.
///
/// A point is between the planes if `near >= 0` and `far >= 0`. Its pixel is `(x, y) / w`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ScreenMap {
    /// Pixel x, times w.
    pub(crate) x: DVec4,
    /// Pixel y, times w.
    pub(crate) y: DVec4,
    /// Positive before the camera. 1 in an orthographic projection.
    pub(crate) w: DVec4,
    /// Nonnegative behind the near plane.
    pub(crate) near: DVec4,
    /// Nonnegative before the far plane.
    pub(crate) far: DVec4,
    /// Nonnegative on the sides of the clipping planes that are shown. The first `n_clips` count.
    pub(crate) clips: [DVec4; MAX_CLIPS],
    pub(crate) n_clips: usize,
}

/// The image of a point under a [`ScreenMap`], before the division.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ScreenPoint {
    /// The point, in the domain of the map.
    pub(crate) point: DVec3,
    /// Pixel times `w`.
    pub(crate) xy: DVec2,
    pub(crate) w: f64,
    pub(crate) near: f64,
    pub(crate) far: f64,
}

impl ScreenMap {
    /// The same map, for points relative to `origin`.
    pub(crate) fn relative_to(&self, origin: DVec3) -> Self {
        self.mapped(|form| form.xyz().extend(form.xyz().dot(origin) + form.w))
    }

    /// The same map, for points in a local space. `local_to_here` maps it to the domain of this map.
    pub(crate) fn in_local_space(&self, local_to_here: &DAffine3) -> Self {
        let to_local = local_to_here.matrix3.transpose();
        self.mapped(|form| {
            let constant = form.xyz().dot(local_to_here.translation) + form.w;
            (to_local * form.xyz()).extend(constant)
        })
    }

    fn mapped(&self, map: impl Fn(DVec4) -> DVec4) -> Self {
        let Self { x, y, w, near, far, mut clips, n_clips } = *self;
        clips[..n_clips].iter_mut().for_each(|clip| *clip = map(*clip));
        Self { x: map(x), y: map(y), w: map(w), near: map(near), far: map(far), clips, n_clips }
    }

    /// The clipping planes.
    #[inline]
    pub(crate) fn clips(&self) -> &[DVec4] {
        &self.clips[..self.n_clips]
    }

    /// Whether a view shows a point: between the near and far planes, and on no hidden side of a clipping plane.
    #[inline]
    pub(crate) fn shows(&self, at: &ScreenPoint) -> bool {
        at.is_in_depth_range() && self.clips().iter().all(|clip| at.side(clip) >= 0.0)
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

    /// The line of the points that appear at `pixel`: its point on the near plane, and its direction away
    /// from the camera, of any length. `None` if the map is singular there.
    ///
    /// The line is the intersection of two planes, `x = pixel.x * w` and `y = pixel.y * w`. This needs no
    /// matrix inverse, and no special case for a far plane at infinity.
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
    /// Whether the point lies between the near and far planes, and before the camera.
    #[inline]
    pub(crate) fn is_in_depth_range(&self) -> bool {
        self.near >= 0.0 && self.far >= 0.0 && self.w > 0.0
    }

    /// The value of a linear form of the map's domain at the point.
    #[inline]
    pub(crate) fn side(&self, form: &DVec4) -> f64 {
        form.xyz().dot(self.point) + form.w
    }

    /// The pixel of a point before the camera.
    #[inline]
    pub(crate) fn pixel(&self) -> DVec2 {
        self.xy / self.w
    }

    /// The image of the point at the fraction `s` of the segment to `other`, in space.
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
