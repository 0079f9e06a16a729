//! Cameras from numbers, and cameras that see all of a subject.

use std::f64::consts::FRAC_PI_4;

use hitscan::glam::{DVec2, DVec3};
use hitscan::picking::{Camera, Projection};
use rayon::prelude::*;
use thiserror::Error;

use crate::subject::Subject;

/// From where a subject is looked at, so that all of it is in the picture.
#[derive(Clone, Copy, Debug)]
pub struct Framing {
    /// What points up in the picture.
    pub up: DVec3,
    /// How the picture is made; the height of an orthographic projection is kept.
    pub projection: Projection,
    /// How far the camera is turned from the front of the subject to its right, in degrees.
    pub turned: f64,
    /// How far it is raised, in degrees, less than 90 either way.
    pub raised: f64,
}

/// A direction that points up, and is none.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[error("up is {up:?}, expected a direction")]
pub struct FramingError {
    up: [f64; 3],
}

/// How much of the picture the subject may fill, from the middle to the edge.
const FILLED: f64 = 0.92;

impl Default for Framing {
    /// From the front, right and above, in perspective with a vertical field of view of 45 degrees, y up.
    fn default() -> Self {
        let projection = Projection::Perspective { fov_y_radians: FRAC_PI_4 };
        Self { up: DVec3::Y, projection, turned: 35.0, raised: 25.0 }
    }
}

/// A camera with this projection, that sees as near and as far as is useful.
pub fn camera(eye: [f64; 3], target: [f64; 3], projection: Projection) -> Camera {
    let mut camera = Camera { projection, ..Camera::look_at(eye, target) };
    if let Projection::Orthographic { height } = projection {
        // An end is needed, but shall not be met.
        camera.far = 1e3 * (height + camera.eye.distance(camera.target));
    }
    camera
}

impl Framing {
    /// Right, up and back, of unit length.
    ///
    /// # Errors
    /// An up that is no direction.
    pub fn axes(&self) -> Result<[DVec3; 3], FramingError> {
        let up = self.up.try_normalize().ok_or(FramingError { up: self.up.to_array() })?;
        // With y up the front is +z, with z up it is -y, as modellers have it.
        let front = if up.z.abs() < 0.9 { DVec3::Z } else { -DVec3::Y };
        let front = front.reject_from(up).normalize();
        let (turned, raised) = (self.turned.to_radians(), self.raised.to_radians());
        let aside = turned.cos() * front + turned.sin() * up.cross(front);
        let back = raised.cos() * aside + raised.sin() * up;
        let right = up.cross(back).normalize();
        Ok([right, back.cross(right), back])
    }

    /// The camera that sees all of what is seen of the subject, in a picture of this aspect (width by
    /// height). O(triangles).
    ///
    /// # Errors
    /// An up that is no direction.
    pub fn camera(&self, subject: &Subject, aspect: f64) -> Result<Camera, FramingError> {
        let points = subject
            .instances()
            .iter()
            .filter_map(|&id| Some((subject.mesh(id)?, subject.scene().world_transform(id)?)));
        let points: Vec<_> = points.collect();
        let bounds = subject.bounds();
        let center = match bounds.is_empty() {
            true => DVec3::ZERO,
            false => subject.origin() + bounds.center().as_dvec3(),
        };
        let axes = self.axes()?;
        let slopes = self.slopes(aspect);
        // How far the subject reaches along +x, -x, +y, -y of the picture, sheared so that the sides
        // of the field of view are straight ahead; and along its depth.
        let mut reach = [f64::NEG_INFINITY; 6];
        for (mesh, world) in points {
            let reach_of = |triangle: u32| {
                mesh.corners(triangle).map(|corner| {
                    let place = world.transform_point3(corner.as_dvec3()) - center;
                    let [x, y, z] = axes.map(|axis| axis.dot(place));
                    [x + slopes.x * z, slopes.x * z - x, y + slopes.y * z, slopes.y * z - y, z, -z]
                })
            };
            let most = |a: [f64; 6], b: [f64; 6]| std::array::from_fn(|i| a[i].max(b[i]));
            let reach_of_mesh = (0..mesh.triangles().len() as u32)
                .into_par_iter()
                .flat_map_iter(reach_of)
                .reduce(|| [f64::NEG_INFINITY; 6], most);
            reach = most(reach, reach_of_mesh);
        }
        if bounds.is_empty() {
            reach = [1.0; 6];
        }
        // A mesh that is a single point has a size too.
        let smallest = 1e-3 * f64::from(subject.reach());
        let size = bounds.extent().as_dvec3().length();
        let size = if bounds.is_empty() { 2.0 } else { size.max(smallest).max(1e-30) };
        Ok(self.over(reach, slopes, size, center, axes))
    }

    /// The slopes of the field of view, across and up.
    fn slopes(&self, aspect: f64) -> DVec2 {
        match self.projection {
            Projection::Orthographic { .. } => DVec2::ZERO,
            Projection::Perspective { fov_y_radians } => {
                let slope_y = FILLED * (0.5 * fov_y_radians).tan();
                DVec2::new(slope_y * aspect, slope_y)
            }
        }
    }

    /// The camera over the middle of the subject, as far out as both sides of the picture need.
    fn over(
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
        let place = |z: f64| center + x * axes[0] + y * axes[1] + z * axes[2];
        let (eye, target) = (place(distance), place(0.5 * (near - far)));
        let mut camera = camera(eye.to_array(), target.to_array(), self.projection);
        camera.up = self.up.try_normalize().unwrap_or(DVec3::Y);
        camera
    }
}
