//! The camera and its viewport: pixels to rays, points to pixels.

use glam::{DMat4, DVec2, DVec3, Vec4Swizzles};
use hitscan_scene::WorldRay;
use thiserror::Error;

use crate::{
    convention::{Convention, DepthRange, PixelY},
    screen_map::ScreenMap,
    viewport::Viewport,
};

/// A camera with its viewport: says which ray of the world a pixel is, and which pixel a point of the
/// world is.
///
/// Made from the matrix that draws the picture, so that what is picked is what is seen. Everything is
/// f64 and relative to a point near the camera; at 10^7 units from the origin a pixel is still a
/// pixel, if the matrix itself is exact enough: see [`View::relative_to`].
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
/// let seen = view.project([0.0, 0.0, 0.0]).expect("it is before the camera");
/// assert!(seen.pixel.distance([960.0, 540.0].into()) < 1e-9);
/// # Ok::<(), hitscan_picking::ViewError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// A point of the near plane, in world space.
    origin: DVec3,
    /// From points relative to `origin`.
    map: ScreenMap,
    depth_range: DepthRange,
    viewport: Viewport,
}

/// Where a point of the world is seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Projected {
    /// Where on the screen, in pixels.
    pub pixel: DVec2,
    /// The depth, by the convention of the view: what a depth buffer holds.
    pub depth: f64,
    /// How far from the near plane along the ray of its pixel, in world units: the `t` of
    /// [`View::ray`].
    pub distance: f64,
}

impl View {
    /// A view from the matrix that takes world space to clip space, as a column-major matrix for
    /// column vectors, and the viewport that is drawn to.
    ///
    /// # Errors
    /// A matrix that is not finite or sees nothing, or a viewport without area.
    pub fn new(
        world_to_clip: DMat4,
        viewport: Viewport,
        convention: Convention,
    ) -> Result<Self, ViewError> {
        Self::relative_to(DVec3::ZERO, world_to_clip, viewport, convention)
    }

    /// [`View::new`] from a matrix that takes `world - origin` to clip space.
    ///
    /// Far from the origin of the world this is the exact way: with the camera's position as `origin`
    /// the matrix holds rotation and projection alone, and nothing cancels.
    ///
    /// # Errors
    /// As [`View::new`], and an origin that is not finite.
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
        let map = ScreenMap {
            x: min.x * w + 0.5 * size.x * (x + w),
            y: min.y * w
                + 0.5
                    * size.y
                    * match convention.pixel_y {
                        PixelY::Down => w - y,
                        PixelY::Up => y + w,
                    },
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
            // Without perspective w does not change, but for the rounding of whoever made the matrix.
            let rounding = 1e-12 * view.map.x.xyz().length() * forward.length();
            let is_before = view.map.w.xyz().dot(forward) >= -rounding;
            if !(is_before && view.map.project(near).w > 0.0) {
                return Err(ViewError::Backwards { pixel: pixel.to_array() });
            }
        }
        Ok(view)
    }

    /// The viewport.
    pub fn viewport(&self) -> Viewport {
        self.viewport
    }

    /// Where a point of the world is seen; also outside of the viewport. `None` if it does not lie
    /// between the near and the far plane.
    pub fn project(&self, point: impl Into<[f64; 3]>) -> Option<Projected> {
        let point = DVec3::from(point.into()) - self.origin;
        let seen = self.map.project(point);
        if !seen.is_in_depth_range() {
            return None;
        }
        let pixel = seen.pixel();
        let (near, _) = self.map.line_of_sight(pixel)?;
        let depth = match self.depth_range {
            DepthRange::ZeroToOne => seen.near,
            DepthRange::Reversed => seen.far,
            DepthRange::MinusOneToOne => 0.5 * (seen.near - seen.far),
        } / seen.w;
        Some(Projected { pixel, depth, distance: (point - near).length() })
    }

    /// The ray of a pixel, in world space: from the near plane, `t` counting world units (its direction
    /// is of unit length), up to the far plane, which may be infinitely far.
    ///
    /// A pixel that is not finite gives an invalid ray, which hits nothing.
    pub fn ray(&self, pixel: impl Into<[f64; 2]>) -> WorldRay {
        let pixel = DVec2::from(pixel.into());
        let (near, direction, length) =
            self.line_of_sight(pixel).unwrap_or((DVec3::NAN, DVec3::NAN, f64::NAN));
        WorldRay::new(self.origin + near, direction).with_range(0.0, length)
    }

    /// The line of sight through a pixel, relative to [`View::origin`]: from the near plane, of unit
    /// direction, and its length up to the far plane, which may be infinite.
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

    /// The point that the view's own coordinates are relative to.
    pub(crate) fn origin(&self) -> DVec3 {
        self.origin
    }

    /// From points relative to [`View::origin`] to the screen.
    pub(crate) fn map(&self) -> &ScreenMap {
        &self.map
    }
}

/// Why a matrix and a viewport are no view.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ViewError {
    /// A number of the matrix or of the origin is NaN or infinite.
    #[error("the view-projection matrix or its origin is not finite")]
    NotFinite,
    /// A viewport without area.
    #[error("the viewport is {size:?} pixels, expected positive finite sizes")]
    Viewport {
        /// Its width and height.
        size: [f64; 2],
    },
    /// A matrix that gives all points one pixel or one depth.
    #[error("the view-projection matrix is singular, expected one that can be inverted")]
    Singular,
    /// A matrix whose near plane is not before the camera.
    #[error(
        "the near plane is behind the camera at pixel {pixel:?}; expected a matrix for column \
         vectors in the convention that was named"
    )]
    Backwards {
        /// A corner of the viewport where it is.
        pixel: [f64; 2],
    },
    /// A camera that looks nowhere.
    #[error("the camera at {eye:?} looks at {target:?} with {up:?} up: no direction")]
    Direction {
        /// The eye.
        eye: [f64; 3],
        /// What it looks at.
        target: [f64; 3],
        /// What shall point up.
        up: [f64; 3],
    },
    /// A projection that sees nothing.
    #[error("{name} is {value}, expected {expected}")]
    Projection {
        /// Which number.
        name: &'static str,
        /// The number found.
        value: f64,
        /// What it should be.
        expected: &'static str,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sees x and y from -1 to 1 and z from 0 to 1.
    const BOX: DMat4 = DMat4::IDENTITY;

    fn view(to_clip: DMat4) -> Result<View, ViewError> {
        View::new(to_clip, Viewport::from_size(200.0, 100.0), Convention::WGPU)
    }

    #[test]
    fn a_matrix_that_shows_nothing_is_told_apart() {
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
    fn a_ray_ends_where_the_planes_are() {
        let ray = view(BOX).unwrap().ray([150.0, 25.0]);
        assert_eq!((ray.origin, ray.direction), (DVec3::new(0.5, 0.5, 0.0), DVec3::Z));
        assert_eq!((ray.t_min, ray.t_max), (0.0, 1.0));
    }
}
