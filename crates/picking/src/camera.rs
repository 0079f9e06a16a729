//! A camera from an eye, a target and a projection.

use glam::{DMat4, DVec3, DVec4};

use crate::{
    convention::Convention,
    view::{View, ViewError},
    viewport::Viewport,
};

/// A camera from an eye, a target and a projection: an alternative to a matrix.
///
/// World space is right-handed. The camera looks from `eye` to `target`, with `forward × up` to the right
/// of the picture. With +y up and a look along -z, +x is to the right. A renderer with a left-handed world
/// mirrors the picture; use [`View::new`] with its matrix instead.
///
/// The fields are public and unchecked; [`view`](Self::view) checks them.
///
/// ```
/// use hitscan_picking::{Camera, Viewport};
///
/// let camera = Camera::look_at([0.0, 2.0, 5.0], [0.0, 0.0, 0.0]);
/// let view = camera.view(Viewport::from_size(800.0, 600.0))?;
/// let seen = view.project([0.0, 0.0, 0.0]).expect("the camera looks at the origin");
/// assert!(seen.pixel.distance([400.0, 300.0].into()) < 1e-9);
/// // Right-handed: seen along -z, +x is to the right.
/// let right = view.project([1.0, 0.0, 0.0]).expect("it is before the camera");
/// assert!(right.pixel.x > 400.0);
/// # Ok::<(), hitscan_picking::ViewError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// The position of the camera, in world space.
    pub eye: DVec3,
    /// The point at the centre of the picture, in world space. Differs from `eye`.
    pub target: DVec3,
    /// The up direction of the picture, of any length. Not parallel to the view direction.
    pub up: DVec3,
    /// The projection to the picture.
    pub projection: Projection,
    /// The distance of the near plane from the eye along the view direction, in world units. Positive in
    /// perspective.
    pub near: f64,
    /// The distance of the far plane from the eye, in world units. May be infinite in perspective.
    pub far: f64,
}

/// The projection of a [`Camera`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Projection {
    /// Perspective: rays from the eye.
    Perspective {
        /// The vertical field of view, in radians, between 0 and pi.
        fov_y_radians: f64,
    },
    /// Orthographic: parallel rays.
    Orthographic {
        /// The height of the picture, in world units.
        height: f64,
    },
}

impl Camera {
    /// A perspective camera at `eye` that looks at `target`, in world space, with +y up.
    ///
    /// The vertical field of view is 45 degrees. The near plane lies at 1/10,000 of the distance to the
    /// target, the far plane at infinity.
    pub fn look_at(eye: impl Into<[f64; 3]>, target: impl Into<[f64; 3]>) -> Self {
        let (eye, target) = (DVec3::from(eye.into()), DVec3::from(target.into()));
        Self {
            eye,
            target,
            up: DVec3::Y,
            projection: Projection::Perspective { fov_y_radians: std::f64::consts::FRAC_PI_4 },
            near: 1e-4 * eye.distance(target),
            far: f64::INFINITY,
        }
    }

    /// The view of this camera, with pixel y down and depth from 0 at the near plane to 1 at the far plane
    /// ([`Convention::WGPU`]). O(1).
    ///
    /// # Errors
    /// An undefined direction, a number of the projection out of range, or a viewport without area.
    pub fn view(&self, viewport: Viewport) -> Result<View, ViewError> {
        let (forward, right, up) = self.axes()?;
        let Self { near, far, .. } = *self;
        let perspective = matches!(self.projection, Projection::Perspective { .. });
        check("near", near, near.is_finite() && (near > 0.0 || !perspective), NEAR)?;
        check("far", far, far > near && (far.is_finite() || perspective), FAR)?;
        // Depth 0 at the near plane, 1 at the far plane. Each row is a linear form of world - eye.
        let (scale, depth, w) = match self.projection {
            Projection::Perspective { fov_y_radians: fov } => {
                check("fov_y_radians", fov, fov > 0.0 && fov < std::f64::consts::PI, FOV)?;
                let share = if far.is_finite() { far / (far - near) } else { 1.0 };
                let depth = (share * forward).extend(-share * near);
                (1.0 / (0.5 * fov).tan(), depth, forward.extend(0.0))
            }
            Projection::Orthographic { height } => {
                check("height", height, height > 0.0 && height.is_finite(), HEIGHT)?;
                let depth = (forward / (far - near)).extend(-near / (far - near));
                (2.0 / height, depth, DVec4::W)
            }
        };
        let x = (scale / viewport.aspect() * right).extend(0.0);
        let y = (scale * up).extend(0.0);
        let to_clip = DMat4::from_cols(x, y, depth, w).transpose();
        View::relative_to(self.eye, to_clip, viewport, Convention::WGPU)
    }

    /// The unit vectors forward, right and up.
    fn axes(&self) -> Result<(DVec3, DVec3, DVec3), ViewError> {
        let axes = (self.target - self.eye).try_normalize().and_then(|forward| {
            let right = forward.cross(self.up.try_normalize()?).try_normalize()?;
            Some((forward, right, right.cross(forward)))
        });
        axes.ok_or(ViewError::Direction {
            eye: self.eye.to_array(),
            target: self.target.to_array(),
            up: self.up.to_array(),
        })
    }
}

const NEAR: &str = "a finite distance, positive in perspective";
const FAR: &str = "a distance beyond the near plane, finite in an orthographic projection";
const FOV: &str = "an angle between 0 and pi";
const HEIGHT: &str = "a positive finite height";

fn check(
    name: &'static str,
    value: f64,
    is_good: bool,
    expected: &'static str,
) -> Result<(), ViewError> {
    if is_good { Ok(()) } else { Err(ViewError::Projection { name, value, expected }) }
}
