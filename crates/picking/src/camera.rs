//! A camera from the numbers that people think in.

use glam::{DMat4, DVec3, DVec4};

use crate::{
    convention::Convention,
    view::{View, ViewError},
    viewport::Viewport,
};

/// A camera from the numbers that people think in, for those who have no matrix at hand.
///
/// ```
/// use hitscan_picking::{Camera, Viewport};
///
/// let camera = Camera::look_at([0.0, 2.0, 5.0], [0.0, 0.0, 0.0]);
/// let view = camera.view(Viewport::from_size(800.0, 600.0))?;
/// let seen = view.project([0.0, 0.0, 0.0]).expect("it looks there");
/// assert!(seen.pixel.distance([400.0, 300.0].into()) < 1e-9);
/// # Ok::<(), hitscan_picking::ViewError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Where it stands, in world space.
    pub eye: DVec3,
    /// What is in the middle of the picture.
    pub target: DVec3,
    /// What points up in the picture; not parallel to the way to the target, of any length.
    pub up: DVec3,
    /// How the picture is made.
    pub projection: Projection,
    /// How far from the eye, along the axis, things begin to be seen, in world units.
    pub near: f64,
    /// How far they are seen; may be infinite with perspective.
    pub far: f64,
}

/// How a [`Camera`] makes its picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Projection {
    /// What is far is small.
    Perspective {
        /// The angle between the lowest and the highest ray, in radians, less than pi.
        fov_y_radians: f64,
    },
    /// Parallel rays.
    Orthographic {
        /// The height of the picture, in world units.
        height: f64,
    },
}

impl Camera {
    /// A camera at `eye` that looks at `target` with +y up, through a projection of 45 degrees, and sees
    /// from a ten-thousandth of that distance to infinity.
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

    /// The view of this camera, pixels counted from the top.
    ///
    /// # Errors
    /// A direction, a projection or a viewport that sees nothing.
    pub fn view(&self, viewport: Viewport) -> Result<View, ViewError> {
        let (forward, right, up) = self.axes()?;
        let Self { near, far, .. } = *self;
        let perspective = matches!(self.projection, Projection::Perspective { .. });
        check("near", near, near.is_finite() && (near > 0.0 || !perspective), NEAR)?;
        check("far", far, far > near && (far.is_finite() || perspective), FAR)?;
        // Depth 0 at the near plane, 1 at the far plane. Each row is a form of world - eye.
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

    /// Forward, right and up, of unit length.
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

const NEAR: &str = "a finite distance, positive with perspective";
const FAR: &str = "a distance beyond the near plane, finite without perspective";
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
