//! A camera with its viewport: maps pixels to rays, and points to pixels.

use glam::{DMat4, DVec2, DVec3, DVec4, Vec4Swizzles};
use hitscan_primitives::SectionPlane;
use hitscan_scene::WorldRay;
use thiserror::Error;

use crate::{
    convention::{Convention, DepthRange, PixelY},
    screen_map::{MAX_CLIPS, ScreenMap},
    viewport::Viewport,
};

/// A camera with its viewport: maps pixels to rays, and points of the world to pixels.
///
/// Make it from the matrix that draws the picture, so that picks match the picture. The matrix decides
/// the handedness of the world. All arithmetic is f64, relative to a point near the camera. Far from the
/// origin, use [`View::relative_to`] for an exact matrix.
///
/// ```
/// use hitscan_picking::{Camera, Convention, View, Viewport};
/// use hitscan_primitives::glam::{DVec3, dcamera::rh::{proj, view}};
///
/// let eye = DVec3::new(0.0, 0.0, 5.0);
/// let projection = proj::directx::perspective_infinite_reverse(1.0, 16.0 / 9.0, 0.1);
/// let world_to_clip = projection * view::look_at_mat4(eye, DVec3::ZERO, DVec3::Y);
/// let view = View::new(world_to_clip, Viewport::from_size(1920.0, 1080.0), Convention::BEVY)?;
///
/// let seen = view.project([0.0, 0.0, 0.0]).expect("the origin is before the camera");
/// assert!(seen.pixel.distance([960.0, 540.0].into()) < 1e-9);
/// # Ok::<(), hitscan_picking::ViewError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// A point of the near plane, in world space.
    origin: DVec3,
    /// The map from points relative to `origin` to the screen.
    map: ScreenMap,
    depth_range: DepthRange,
    viewport: Viewport,
}

/// The image of a point of the world; see [`View::project`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Projected {
    /// The position on the screen, in pixels.
    pub pixel: DVec2,
    /// The depth in the convention of the view, as in a depth buffer.
    pub depth: f64,
    /// The distance from the near plane along the ray of the pixel, in world units: the `t` of
    /// [`View::ray`].
    pub distance: f64,
}

impl View {
    /// A view from the matrix from world space to clip space, column-major for column vectors, and the
    /// viewport in pixels. O(1).
    ///
    /// # Errors
    /// A matrix that is not finite, singular, or has its near plane behind the camera; a viewport whose
    /// size is not positive and finite.
    pub fn new(
        world_to_clip: DMat4,
        viewport: Viewport,
        convention: Convention,
    ) -> Result<Self, ViewError> {
        Self::relative_to(DVec3::ZERO, world_to_clip, viewport, convention)
    }

    /// [`View::new`] from a matrix that takes `world - origin` to clip space.
    ///
    /// Use it far from the origin of the world, with the camera's position as `origin`. The matrix then
    /// has only rotation and projection, so no digits cancel.
    ///
    /// # Errors
    /// The errors of [`View::new`], and an origin that is not finite.
    pub fn relative_to(
        origin: impl Into<[f64; 3]>,
        to_clip: DMat4,
        viewport: Viewport,
        convention: Convention,
    ) -> Result<Self, ViewError> {
        let origin = DVec3::from(origin.into());
        let Viewport { min, size } = viewport;
        if !min.is_finite() || !size.is_finite() || size.cmple(DVec2::ZERO).any() {
            return Err(ViewError::Viewport { size: size.to_array() });
        }
        if !to_clip.is_finite() || !origin.is_finite() {
            return Err(ViewError::NotFinite);
        }
        let (x, y, z, w) = (to_clip.row(0), to_clip.row(1), to_clip.row(2), to_clip.row(3));
        let from_first_row = match convention.pixel_y {
            PixelY::Down => w - y,
            PixelY::Up => y + w,
        };
        let map = ScreenMap {
            x: min.x * w + 0.5 * size.x * (x + w),
            y: min.y * w + 0.5 * size.y * from_first_row,
            w,
            near: match convention.depth_range {
                DepthRange::ZeroToOne => z,
                DepthRange::Reversed => w - z,
                DepthRange::MinusOneToOne => z + w,
            },
            far: match convention.depth_range {
                DepthRange::ZeroToOne | DepthRange::MinusOneToOne => w - z,
                DepthRange::Reversed => z,
            },
            clips: [DVec4::ZERO; MAX_CLIPS],
            n_clips: 0,
        };
        let (to_near, _) = map.line_of_sight(viewport.center()).ok_or(ViewError::Singular)?;
        let view = Self {
            origin: origin + to_near,
            map: map.relative_to(to_near),
            depth_range: convention.depth_range,
            viewport,
        };
        let corners = [
            viewport.min,
            viewport.max(),
            DVec2::new(viewport.min.x, viewport.max().y),
            DVec2::new(viewport.max().x, viewport.min.y),
        ];
        for pixel in corners {
            let (near, forward) = view.map.line_of_sight(pixel).ok_or(ViewError::Singular)?;
            // In an orthographic projection w is constant, except for rounding in the caller's matrix.
            let rounding = 1e-12 * view.map.x.xyz().length() * forward.length();
            let is_before = view.map.w.xyz().dot(forward) >= -rounding;
            if !(is_before && view.map.project(near).w > 0.0) {
                return Err(ViewError::Backwards { pixel: pixel.to_array() });
            }
        }
        Ok(view)
    }

    /// The maximum number of [clipping planes](Self::with_clipping_planes).
    pub const MAX_CLIPPING_PLANES: usize = MAX_CLIPS;

    /// The same view of a scene that planes clip: it shows what lies above all planes or in them, where their normals
    /// point. Replaces the clipping planes of the view.
    ///
    /// Every query through the view honours them: rays of pixels, picks, hovers, snaps, marquees and visibility. What is hidden
    /// is neither found nor in the way, and nothing closes the cut: a ray may enter a solid there and hit it from
    /// behind. A selection counts the shown part of an element.
    ///
    /// The planes cut a ray down to one interval of `t`, whose ends are one quotient each, rounded to f64. So a surface in
    /// a plane may be on either side, by rounding.
    ///
    /// # Errors
    /// More than [`MAX_CLIPPING_PLANES`](Self::MAX_CLIPPING_PLANES) planes.
    ///
    /// ```
    /// use hitscan_picking::{Camera, Viewport};
    /// use hitscan_primitives::SectionPlane;
    ///
    /// let view = Camera::look_at([0.0, 0.0, 9.0], [0.0; 3]).view(Viewport::from_size(800.0, 600.0))?;
    /// // Hides what is in front of z = 0.5.
    /// let plane = SectionPlane::new([0.0, 0.0, 0.5], [0.0, 0.0, -1.0])?;
    /// let clipped = view.clone().with_clipping_planes(&[plane])?;
    /// let [whole, cut] = [view, clipped].map(|view| view.ray([400.0, 300.0]));
    /// assert_eq!((whole.origin, whole.t_max), (cut.origin, cut.t_max));
    /// assert!((cut.origin.z - cut.t_min - 0.5).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_clipping_planes(mut self, planes: &[SectionPlane]) -> Result<Self, ViewError> {
        if planes.len() > MAX_CLIPS {
            return Err(ViewError::TooManyClippingPlanes { found: planes.len() });
        }
        self.map.n_clips = planes.len();
        for (clip, plane) in self.map.clips.iter_mut().zip(planes) {
            let normal = plane.normal();
            *clip = normal.extend(normal.dot(self.origin - plane.point()));
        }
        Ok(self)
    }

    /// The viewport.
    pub fn viewport(&self) -> Viewport {
        self.viewport
    }

    /// The image of a point in world space, inside the viewport or not. `None` if the point is not between
    /// the near and far planes, on the hidden side of a clipping plane, or not finite. Surfaces hide nothing here; see
    /// [`Picker::is_visible`](crate::Picker::is_visible).
    pub fn project(&self, point: impl Into<[f64; 3]>) -> Option<Projected> {
        let point = DVec3::from(point.into()) - self.origin;
        let image = self.map.project(point);
        if !self.map.shows(&image) {
            return None;
        }
        let pixel = image.pixel();
        let (near, _) = self.map.line_of_sight(pixel)?;
        let depth = match self.depth_range {
            DepthRange::ZeroToOne => image.near,
            DepthRange::Reversed => image.far,
            DepthRange::MinusOneToOne => 0.5 * (image.near - image.far),
        } / image.w;
        Some(Projected { pixel, depth, distance: (point - near).length() })
    }

    /// The ray of a pixel, in world space, from the near plane to the far plane. Clipping planes cut the interval of its `t`,
    /// and a ray that they hide as a whole hits nothing. The origin stays in the near plane.
    ///
    /// The direction has unit length, so `t` counts world units. `t_max` is infinite if the far plane is.
    /// A pixel that is not finite returns an invalid ray, which hits nothing.
    pub fn ray(&self, pixel: impl Into<[f64; 2]>) -> WorldRay {
        let pixel = DVec2::from(pixel.into());
        let (near, direction, length) =
            self.line_of_sight(pixel).unwrap_or((DVec3::NAN, DVec3::NAN, f64::NAN));
        let (mut t_min, mut t_max) = (0.0, length);
        for clip in self.map.clips() {
            let (height, slope) = (clip.xyz().dot(near) + clip.w, clip.xyz().dot(direction));
            if slope > 0.0 {
                t_min = f64::max(t_min, -height / slope);
            } else if slope < 0.0 {
                t_max = f64::min(t_max, -height / slope);
            } else if height < 0.0 {
                // Hits nothing.
                t_max = f64::NEG_INFINITY;
            }
        }
        WorldRay::new(self.origin + near, direction).with_range(t_min, t_max)
    }

    /// The line of sight through a pixel, relative to [`View::origin`]: its point on the near plane, its
    /// unit direction, and its length to the far plane, which may be infinite.
    pub(crate) fn line_of_sight(&self, pixel: DVec2) -> Option<(DVec3, DVec3, f64)> {
        let (near, forward) = self.map.line_of_sight(pixel)?;
        let direction = forward.try_normalize()?;
        let closing = -self.map.far.xyz().dot(direction);
        let length = if closing > 0.0 {
            (self.map.far.xyz().dot(near) + self.map.far.w) / closing
        } else {
            f64::INFINITY
        };
        Some((near, direction, length))
    }

    /// The origin of the view's coordinates, in world space.
    pub(crate) fn origin(&self) -> DVec3 {
        self.origin
    }

    /// The map from points relative to [`View::origin`] to the screen.
    pub(crate) fn map(&self) -> &ScreenMap {
        &self.map
    }
}

/// The reason why a matrix, a camera or a viewport is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ViewError {
    /// A component of the matrix or of the origin is NaN or infinite.
    #[error("view-projection matrix or origin: not finite; use finite numbers")]
    NotFinite,
    /// The viewport has no area or is not finite.
    #[error("viewport: {size:?} pixels; use positive finite sizes and a finite corner")]
    Viewport {
        /// The width and height.
        size: [f64; 2],
    },
    /// The matrix maps a volume to a single pixel position or depth.
    #[error("view-projection matrix: singular; use an invertible matrix")]
    Singular,
    /// More clipping planes than a view has.
    #[error("view: {found} clipping planes; use at most {MAX_CLIPS}")]
    TooManyClippingPlanes {
        /// The number found.
        found: usize,
    },
    /// The near plane is behind the camera.
    #[error(
        "view-projection matrix: near plane behind the camera at pixel {pixel:?}; use a matrix for \
         column vectors, and its convention"
    )]
    Backwards {
        /// The first corner of the viewport where that is so.
        pixel: [f64; 2],
    },
    /// The camera has no direction: the eye is the target, `up` is parallel, or a number is not finite.
    #[error(
        "camera: no direction from {eye:?} to {target:?} with {up:?} up; use distinct points and an \
         up vector across them"
    )]
    Direction {
        /// The position of the camera.
        eye: [f64; 3],
        /// The target.
        target: [f64; 3],
        /// The up direction.
        up: [f64; 3],
    },
    /// A number of the camera is out of range.
    #[error("camera: {name} is {value}; use {expected}")]
    Projection {
        /// The name of the field.
        name: &'static str,
        /// The value found.
        value: f64,
        /// The valid values.
        expected: &'static str,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shows x and y from -1 to 1 and z from 0 to 1.
    const BOX: DMat4 = DMat4::IDENTITY;

    fn view(to_clip: DMat4) -> Result<View, ViewError> {
        View::new(to_clip, Viewport::from_size(200.0, 100.0), Convention::WGPU)
    }

    #[test]
    fn an_invalid_matrix_is_an_error() {
        assert_eq!(view(DMat4::ZERO), Err(ViewError::Singular));
        assert_eq!(view(DMat4::from_scale(DVec3::new(1.0, 0.0, 1.0))), Err(ViewError::Singular));
        assert!(matches!(view(-BOX), Err(ViewError::Backwards { .. })));
        assert_eq!(view(DMat4::from_scale(DVec3::splat(f64::NAN))), Err(ViewError::NotFinite));
    }

    #[test]
    fn rounding_in_the_last_row_is_no_perspective() {
        let mut noisy = BOX;
        (noisy.x_axis.w, noisy.y_axis.w, noisy.z_axis.w) = (1e-17, -2e-17, -1e-17);
        let seen = view(noisy).unwrap().project([0.5, 0.5, 0.25]).unwrap();
        assert!(seen.pixel.distance(DVec2::new(150.0, 25.0)) < 1e-12);
        assert!((seen.distance - 0.25).abs() < 1e-12 && (seen.depth - 0.25).abs() < 1e-12);
    }

    #[test]
    fn a_ray_runs_from_the_near_to_the_far_plane() {
        let ray = view(BOX).unwrap().ray([150.0, 25.0]);
        assert_eq!((ray.origin, ray.direction), (DVec3::new(0.5, 0.5, 0.0), DVec3::Z));
        assert_eq!((ray.t_min, ray.t_max), (0.0, 1.0));
    }
}
