//! Orbit camera: rotate, pan and zoom around a target.

use std::f64::consts::FRAC_PI_4;

use hitscan::glam::{DVec2, DVec3};
use hitscan::picking::{Camera, Projection};
use hitscan_render::{Framing, Subject};

use crate::protocol::Side;

/// Rotation per pixel of a drag, in degrees.
const DEGREES_PER_PIXEL: f64 = 0.35;

/// Maximum elevation in degrees, because up is undefined straight above the target.
const MAX_ELEVATION: f64 = 89.9;

/// Limits of the distance: the scene's size times or divided by this.
const MAX_DISTANCE_RATIO: f64 = 1e6;

/// A camera on a sphere around its target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Orbit {
    target: DVec3,
    distance: f64,
    up: DVec3,
    /// Angles in degrees, as in [`Framing`].
    azimuth: f64,
    elevation: f64,
    orthographic: bool,
    /// Distance at which the whole scene is visible.
    size: f64,
}

impl Orbit {
    /// The default camera of `hitscan render`.
    pub(crate) fn around(subject: &Subject, up: DVec3, aspect: f64) -> Self {
        let up = up.try_normalize().unwrap_or(DVec3::Y);
        let Framing { azimuth_degrees: azimuth, elevation_degrees: elevation, .. } =
            Framing::default();
        let mut orbit = Self {
            target: DVec3::ZERO,
            distance: 1.0,
            up,
            azimuth,
            elevation,
            orthographic: false,
            size: 1.0,
        };
        orbit.frame(subject, aspect);
        orbit
    }

    /// Frames a whole subject without rotating.
    pub(crate) fn frame(&mut self, subject: &Subject, aspect: f64) {
        let framing = Framing { up: self.up, ..self.framing() };
        let Ok(camera) = framing.camera(subject, aspect) else { return };
        self.target = camera.target;
        self.distance = camera.eye.distance(camera.target).max(f64::MIN_POSITIVE);
        self.size = self.distance;
    }

    /// Frames a sphere without rotating.
    pub(crate) fn frame_ball(&mut self, center: DVec3, radius: f64, aspect: f64) {
        let slope = (0.5 * FRAC_PI_4).sin() * aspect.min(1.0);
        self.target = center;
        // The minimum covers a vertex, whose radius is zero.
        self.distance = (1.15 * radius / slope).max(1e-3 * self.size);
    }

    /// Keeps the view, but adopts the size of a reloaded scene.
    pub(crate) fn keep_view_of(&mut self, subject: &Subject, aspect: f64) {
        let mut other = *self;
        other.frame(subject, aspect);
        self.size = other.size;
    }

    fn framing(&self) -> Framing {
        let projection = Projection::Perspective { fov_y_radians: FRAC_PI_4 };
        Framing {
            up: self.up,
            projection,
            azimuth_degrees: self.azimuth,
            elevation_degrees: self.elevation,
        }
    }

    /// Right, up and back directions, of unit length.
    fn axes(&self) -> [DVec3; 3] {
        self.framing().axes().unwrap_or([DVec3::X, DVec3::Y, DVec3::Z])
    }

    /// The camera. Command-line flags can express it exactly.
    pub(crate) fn camera(&self) -> Camera {
        let [_, _, back] = self.axes();
        let eye = self.target + self.distance * back;
        let projection = match self.height() {
            None => Projection::Perspective { fov_y_radians: FRAC_PI_4 },
            Some(height) => Projection::Orthographic { height },
        };
        let mut camera = hitscan_render::camera(eye.to_array(), self.target.to_array(), projection);
        camera.up = self.up;
        camera
    }

    /// Height of an orthographic view in world units; `None` in perspective.
    pub(crate) fn height(&self) -> Option<f64> {
        self.orthographic.then(|| self.height_at_target())
    }

    fn height_at_target(&self) -> f64 {
        2.0 * self.distance * (0.5 * FRAC_PI_4).tan()
    }

    pub(crate) fn is_orthographic(&self) -> bool {
        self.orthographic
    }

    pub(crate) fn set_orthographic(&mut self, orthographic: bool) {
        self.orthographic = orthographic;
    }

    /// Rotates about the target by a drag in pixels.
    pub(crate) fn rotate(&mut self, by: DVec2) {
        self.azimuth = (self.azimuth - DEGREES_PER_PIXEL * by.x).rem_euclid(360.0);
        self.elevation =
            (self.elevation + DEGREES_PER_PIXEL * by.y).clamp(-MAX_ELEVATION, MAX_ELEVATION);
    }

    /// Moves the target along the picture by a drag in pixels, in a window of this height.
    pub(crate) fn pan(&mut self, by: DVec2, window_height: f64) {
        let [right, up, _] = self.axes();
        let unit = self.height_at_target() / window_height;
        self.target += unit * (by.y * up - by.x * right);
    }

    /// Zooms in by a factor; `pivot` keeps its pixel.
    pub(crate) fn zoom(&mut self, factor: f64, pivot: Option<DVec3>) {
        let distance = (self.distance / factor)
            .clamp(self.size / MAX_DISTANCE_RATIO, self.size * MAX_DISTANCE_RATIO);
        let share = distance / self.distance;
        let pivot = pivot.unwrap_or(self.target);
        let [.., back] = self.axes();
        // The eye moves towards the pivot, and the target moves by the same vector.
        let eye = self.target + self.distance * back;
        self.target = pivot + share * (eye - pivot) - distance * back;
        self.distance = distance;
    }

    /// Position on the plane through the target. Coordinates run from -1 to 1 over the window's
    /// height.
    pub(crate) fn on_target_plane(&self, position: DVec2) -> DVec3 {
        let [right, up, _] = self.axes();
        let half = 0.5 * self.height_at_target();
        self.target + half * (position.x * right - position.y * up)
    }

    /// Looks at the target from a side.
    pub(crate) fn look_from(&mut self, side: Side) {
        let Framing { azimuth_degrees: azimuth, elevation_degrees: elevation, .. } =
            Framing::default();
        (self.azimuth, self.elevation) = match side {
            Side::Front => (0.0, 0.0),
            Side::Right => (90.0, 0.0),
            Side::Back => (180.0, 0.0),
            Side::Left => (270.0, 0.0),
            Side::Top => (0.0, MAX_ELEVATION),
            Side::Bottom => (0.0, -MAX_ELEVATION),
            Side::Corner => (azimuth, elevation),
        };
    }
}

#[cfg(test)]
mod tests {
    use hitscan::picking::{View, Viewport};

    use super::*;

    fn orbit() -> Orbit {
        Orbit {
            target: DVec3::new(1.0, 2.0, 3.0),
            distance: 10.0,
            up: DVec3::Y,
            azimuth: 20.0,
            elevation: 30.0,
            orthographic: false,
            size: 10.0,
        }
    }

    fn view(orbit: &Orbit) -> View {
        orbit.camera().view(Viewport::from_size(400.0, 300.0)).unwrap()
    }

    #[test]
    fn a_pan_moves_the_target_with_the_pointer() {
        for orthographic in [false, true] {
            let mut orbit = orbit();
            orbit.set_orthographic(orthographic);
            let target = orbit.target;
            orbit.pan(DVec2::new(30.0, -20.0), 300.0);
            let pixel = view(&orbit).project(target).unwrap().pixel;
            assert!(pixel.distance(DVec2::new(230.0, 130.0)) < 1e-6, "{pixel}");
        }
    }

    #[test]
    fn a_zoom_keeps_the_pivot_at_its_pixel() {
        for orthographic in [false, true] {
            let mut orbit = orbit();
            orbit.set_orthographic(orthographic);
            let pivot = DVec3::new(0.0, 3.0, 4.0);
            let before = view(&orbit).project(pivot).unwrap();
            orbit.zoom(2.0, Some(pivot));
            let after = view(&orbit).project(pivot).unwrap();
            assert!(after.pixel.distance(before.pixel) < 1e-6);
            assert!((orbit.distance - 5.0).abs() < 1e-9);
        }
    }

    #[test]
    fn a_position_on_the_target_plane_projects_to_its_pixel() {
        let orbit = orbit();
        let pixel =
            view(&orbit).project(orbit.on_target_plane(DVec2::new(0.5, -0.2))).unwrap().pixel;
        assert!(pixel.distance(DVec2::new(275.0, 120.0)) < 1e-6, "{pixel}");
    }

    #[test]
    fn every_side_and_elevation_has_a_view() {
        use Side::{Back, Bottom, Corner, Front, Left, Right, Top};
        let mut orbit = orbit();
        orbit.rotate(DVec2::new(1e4, 1e6));
        for up in [DVec3::Y, DVec3::Z, -DVec3::X] {
            orbit.up = up;
            view(&orbit);
            for side in [Front, Back, Left, Right, Top, Bottom, Corner] {
                orbit.look_from(side);
                view(&orbit);
            }
        }
    }
}
