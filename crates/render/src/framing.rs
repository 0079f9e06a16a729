//! Cameras from positions, and cameras that frame a whole scene.

use std::f64::consts::FRAC_PI_4;

use hitscan::glam::{DVec2, DVec3};
use hitscan::picking::{Camera, Projection};
use rayon::prelude::*;
use thiserror::Error;

use crate::subject::Subject;

/// A viewing direction. [`camera`](Self::camera) finds the distance at which the whole subject is
/// visible.
#[derive(Clone, Copy, Debug)]
pub struct Framing {
    /// World direction that points up in the picture. Any length but zero.
    pub up: DVec3,
    /// Projection of the camera. The height of an orthographic projection stays as it is.
    pub projection: Projection,
    /// Horizontal angle from the subject's front towards its right, in degrees. The front is +z if
    /// y is up, and -y if z is up.
    pub azimuth_degrees: f64,
    /// Angle above the horizontal, in degrees, between -90 and 90 (both excluded).
    pub elevation_degrees: f64,
}

/// The up vector of a [`Framing`] is zero or not finite.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[error("framing: the up vector is {up:?}; use a finite vector other than zero")]
pub struct FramingError {
    up: [f64; 3],
}

/// Share of the picture that the subject may fill, from the centre to the edge.
const FILL_SHARE: f64 = 0.92;

impl Default for Framing {
    /// From the front, right and above, with a field of view of 45 degrees, y up.
    fn default() -> Self {
        let projection = Projection::Perspective { fov_y_radians: FRAC_PI_4 };
        Self { up: DVec3::Y, projection, azimuth_degrees: 35.0, elevation_degrees: 25.0 }
    }
}

/// A camera at `eye` that looks at `target` (world positions), with clipping planes that suit the
/// projection. Y is up. Equal positions give a camera without a view.
pub fn camera(eye: [f64; 3], target: [f64; 3], projection: Projection) -> Camera {
    let mut camera = Camera { projection, ..Camera::look_at(eye, target) };
    if let Projection::Orthographic { height } = projection {
        // An orthographic view needs a far plane; this one lies behind any plausible scene.
        camera.far = 1e3 * (height + camera.eye.distance(camera.target));
    }
    camera
}

impl Framing {
    /// The camera's right, up and back directions in world space, of unit length.
    ///
    /// # Errors
    /// [`FramingError`] if `up` is zero or not finite.
    pub fn axes(&self) -> Result<[DVec3; 3], FramingError> {
        let up = self.up.try_normalize().ok_or(FramingError { up: self.up.to_array() })?;
        // Modelling tools put the front at +z if y is up, and at -y if z is up.
        let front = if up.z.abs() < 0.9 { DVec3::Z } else { -DVec3::Y };
        let front = front.reject_from(up).normalize();
        let (azimuth, elevation) =
            (self.azimuth_degrees.to_radians(), self.elevation_degrees.to_radians());
        let aside = azimuth.cos() * front + azimuth.sin() * up.cross(front);
        let back = elevation.cos() * aside + elevation.sin() * up;
        let right = up.cross(back).normalize();
        Ok([right, back.cross(right), back])
    }

    /// The camera that frames all visible instances. `aspect` is width divided by height. An empty
    /// subject is framed as a box around the world's origin. Costs O(triangles), on rayon's current
    /// pool.
    ///
    /// # Errors
    /// [`FramingError`] if `up` is zero or not finite.
    pub fn camera(&self, subject: &Subject, aspect: f64) -> Result<Camera, FramingError> {
        let points = subject
            .instances()
            .iter()
            .filter_map(|&id| Some((subject.mesh(id)?, subject.scene().mesh_to_world(id)?)));
        let points: Vec<_> = points.collect();
        let bounds = subject.bounds();
        let center = match bounds.is_empty() {
            true => DVec3::ZERO,
            false => subject.origin() + bounds.center().as_dvec3(),
        };
        let axes = self.axes()?;
        let slopes = self.slopes(aspect);
        // Extents along +x, -x, +y, -y of the picture and along depth. The first four are sheared,
        // so that the sides of the field of view become parallel to the depth axis.
        let mut extents = [f64::NEG_INFINITY; 6];
        for (mesh, world) in points {
            let extents_of = |triangle: u32| {
                mesh.corners(triangle).map(|corner| {
                    let position = world.transform_point3(corner.as_dvec3()) - center;
                    let [x, y, z] = axes.map(|axis| axis.dot(position));
                    [x + slopes.x * z, slopes.x * z - x, y + slopes.y * z, slopes.y * z - y, z, -z]
                })
            };
            let max = |a: [f64; 6], b: [f64; 6]| std::array::from_fn(|i| a[i].max(b[i]));
            let mesh_extents = (0..mesh.triangles().len() as u32)
                .into_par_iter()
                .flat_map_iter(extents_of)
                .reduce(|| [f64::NEG_INFINITY; 6], max);
            extents = max(extents, mesh_extents);
        }
        if bounds.is_empty() {
            extents = [1.0; 6];
        }
        // A mesh that consists of one point also needs a size.
        let smallest = 1e-3 * f64::from(subject.max_abs_coordinate());
        let size = bounds.extent().as_dvec3().length();
        let size = if bounds.is_empty() { 2.0 } else { size.max(smallest).max(1e-30) };
        Ok(self.camera_over(extents, slopes, size, center, axes))
    }

    /// Horizontal and vertical slopes of the field of view.
    fn slopes(&self, aspect: f64) -> DVec2 {
        match self.projection {
            Projection::Orthographic { .. } => DVec2::ZERO,
            Projection::Perspective { fov_y_radians } => {
                let slope_y = FILL_SHARE * (0.5 * fov_y_radians).tan();
                DVec2::new(slope_y * aspect, slope_y)
            }
        }
    }

    /// The camera centred on the extents, far enough for both axes of the picture.
    fn camera_over(
        &self,
        [east, west, north, south, near, far]: [f64; 6],
        slopes: DVec2,
        size: f64,
        center: DVec3,
        axes: [DVec3; 3],
    ) -> Camera {
        let distance = match self.projection {
            Projection::Orthographic { .. } => near + size,
            Projection::Perspective { .. } => {
                let needed = (0.5 * (east + west) / slopes.x).max(0.5 * (north + south) / slopes.y);
                needed.max(near + 1e-3 * size)
            }
        };
        let [x, y] = [0.5 * (east - west), 0.5 * (north - south)];
        let at_depth = |z: f64| center + x * axes[0] + y * axes[1] + z * axes[2];
        let (eye, target) = (at_depth(distance), at_depth(0.5 * (near - far)));
        let mut camera = camera(eye.to_array(), target.to_array(), self.projection);
        camera.up = self.up.try_normalize().unwrap_or(DVec3::Y);
        camera
    }
}
