//! A camera that is moved by hand: around a target, along with it, towards what is under the pointer.

use std::f64::consts::FRAC_PI_4;

use hitscan::glam::{DVec2, DVec3};
use hitscan::picking::{Camera, Projection};
use hitscan_render::{Framing, Subject};

use crate::protocol::Side;

/// The turn of a drag by one pixel, in degrees.
const DEGREES_PER_PIXEL: f64 = 0.35;

/// How far the camera may be raised, in degrees: straight above, up would be nowhere.
const HIGHEST: f64 = 89.9;

/// How many times nearer or farther than the size of the scene the camera may come.
const FARTHEST: f64 = 1e6;

/// A camera on a sphere around its target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Orbit {
    target: DVec3,
    distance: f64,
    up: DVec3,
    /// As in [`Framing`], in degrees.
    turned: f64,
    raised: f64,
    orthographic: bool,
    /// The size of the scene.
    size: f64,
}

impl Orbit {
    /// The camera that `hitscan render` would take.
    pub(crate) fn around(subject: &Subject, up: DVec3, aspect: f64) -> Self {
        let up = up.try_normalize().unwrap_or(DVec3::Y);
        let Framing { turned, raised, .. } = Framing::default();
        let mut orbit = Self {
            target: DVec3::ZERO,
            distance: 1.0,
            up,
            turned,
            raised,
            orthographic: false,
            size: 1.0,
        };
        orbit.frame(subject, aspect);
        orbit
    }

    /// Looks at all of a subject from the same side.
    pub(crate) fn frame(&mut self, subject: &Subject, aspect: f64) {
        let framing = Framing { up: self.up, ..self.framing() };
        let Ok(camera) = framing.camera(subject, aspect) else { return };
        self.target = camera.target;
        self.distance = camera.eye.distance(camera.target).max(f64::MIN_POSITIVE);
        self.size = self.distance;
    }

    /// Looks at a ball from the same side.
    pub(crate) fn frame_ball(&mut self, center: DVec3, radius: f64, aspect: f64) {
        let slope = (0.5 * FRAC_PI_4).sin() * aspect.min(1.0);
        self.target = center;
        // A vertex has no size.
        self.distance = (1.15 * radius / slope).max(1e-3 * self.size);
    }

    /// Learns the size of another scene, and stays where it is.
    pub(crate) fn keep_for(&mut self, subject: &Subject, aspect: f64) {
        let mut other = *self;
        other.frame(subject, aspect);
        self.size = other.size;
    }

    fn framing(&self) -> Framing {
        let projection = Projection::Perspective { fov_y_radians: FRAC_PI_4 };
        Framing { up: self.up, projection, turned: self.turned, raised: self.raised }
    }

    /// Right, up and back, of unit length.
    fn axes(&self) -> [DVec3; 3] {
        self.framing().axes().unwrap_or([DVec3::X, DVec3::Y, DVec3::Z])
    }

    /// The camera. Its numbers are all that the command line needs to make it again.
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

    /// The height of the picture in world units, if it is the same at every depth.
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

    /// Turns about the target, so that what is before it follows a drag by these pixels.
    pub(crate) fn turn(&mut self, by: DVec2) {
        self.turned = (self.turned - DEGREES_PER_PIXEL * by.x).rem_euclid(360.0);
        self.raised = (self.raised + DEGREES_PER_PIXEL * by.y).clamp(-HIGHEST, HIGHEST);
    }

    /// Moves aside, so that the target follows a drag by these pixels of a window of this height.
    pub(crate) fn pan(&mut self, by: DVec2, window_height: f64) {
        let [right, up, _] = self.axes();
        let unit = self.height_at_target() / window_height;
        self.target += unit * (by.y * up - by.x * right);
    }

    /// Comes nearer by a factor, so that `pivot` stays at its pixel.
    pub(crate) fn zoom(&mut self, factor: f64, pivot: Option<DVec3>) {
        let distance = (self.distance / factor).clamp(self.size / FARTHEST, self.size * FARTHEST);
        let share = distance / self.distance;
        let pivot = pivot.unwrap_or(self.target);
        let [.., back] = self.axes();
        // The eye goes towards the pivot; the target, straight ahead of it, goes by as much.
        let eye = self.target + self.distance * back;
        self.target = pivot + share * (eye - pivot) - distance * back;
        self.distance = distance;
    }

    /// Where the plane across the target is at a place of the window, from -1 to 1 across its height.
    pub(crate) fn on_target_plane(&self, place: DVec2) -> DVec3 {
        let [right, up, _] = self.axes();
        let half = 0.5 * self.height_at_target();
        self.target + half * (place.x * right - place.y * up)
    }

    /// Looks from a side.
    pub(crate) fn look_from(&mut self, side: Side) {
        let Framing { turned, raised, .. } = Framing::default();
        (self.turned, self.raised) = match side {
            Side::Front => (0.0, 0.0),
            Side::Right => (90.0, 0.0),
            Side::Back => (180.0, 0.0),
            Side::Left => (270.0, 0.0),
            Side::Top => (0.0, HIGHEST),
            Side::Bottom => (0.0, -HIGHEST),
            Side::Corner => (turned, raised),
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
            turned: 20.0,
            raised: 30.0,
            orthographic: false,
            size: 10.0,
        }
    }

    fn view(orbit: &Orbit) -> View {
        orbit.camera().view(Viewport::from_size(400.0, 300.0)).unwrap()
    }

    #[test]
    fn a_pan_takes_the_target_along() {
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
    fn a_zoom_keeps_what_is_under_the_pointer() {
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
    fn a_place_of_the_target_plane_is_seen_there() {
        let orbit = orbit();
        let pixel =
            view(&orbit).project(orbit.on_target_plane(DVec2::new(0.5, -0.2))).unwrap().pixel;
        assert!(pixel.distance(DVec2::new(275.0, 120.0)) < 1e-6, "{pixel}");
    }

    #[test]
    fn every_side_and_height_has_an_up() {
        use Side::{Back, Bottom, Corner, Front, Left, Right, Top};
        let mut orbit = orbit();
        orbit.turn(DVec2::new(1e4, 1e6));
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
