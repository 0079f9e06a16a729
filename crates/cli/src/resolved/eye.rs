//! The eye of a camera, from which distances count.

use hitscan::glam::{DMat4, DVec3, DVec4};

use super::camera;
use crate::args::CameraArgs;

/// The eye of a camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Eye {
    /// All lines of sight start at this point.
    Point(DVec3),
    /// The lines of sight are parallel, and start on the plane through this point.
    Plane { point: DVec3, forward: DVec3 },
    /// The lines of sight are parallel, and the flags do not give their start.
    Infinite,
}

impl Eye {
    /// The eye of the camera that the flags describe.
    pub(crate) fn new(args: &CameraArgs) -> Self {
        match (args.matrix, args.eye, args.target) {
            (Some(matrix), ..) => Self::of_matrix(DMat4::from_cols_array(&matrix)),
            (None, Some(eye), Some(target)) => {
                let (point, target) = (DVec3::from(eye), DVec3::from(target));
                match camera::is_orthographic(args) {
                    true => Self::Plane { point, forward: (target - point).normalize_or_zero() },
                    false => Self::Point(point),
                }
            }
            _ => Self::Infinite,
        }
    }

    /// The eye of a matrix from the world to clip space. All conventions map the eye to x, y, w = 0.
    fn of_matrix(world_to_clip: DMat4) -> Self {
        let eye = world_to_clip.inverse() * DVec4::Z;
        let point = eye.truncate() / eye.w;
        // The rounding of an orthographic matrix may leave an eye beyond all scenes.
        let is_finite = eye.w.abs() > 1e-12 * eye.truncate().abs().max_element();
        if is_finite && point.is_finite() { Self::Point(point) } else { Self::Infinite }
    }

    /// The distance of a point from the eye along its line of sight. `from_near` is its distance from
    /// the near plane, which replaces it for an [`Eye::Infinite`].
    pub(crate) fn distance(&self, to: DVec3, from_near: f64) -> f64 {
        match *self {
            Self::Point(point) => point.distance(to),
            Self::Plane { point, forward } => (to - point).dot(forward),
            Self::Infinite => from_near,
        }
    }
}

#[cfg(test)]
mod tests {
    use hitscan::glam::dcamera::rh::{proj, view};

    use super::*;

    #[test]
    fn the_matrix_of_any_convention_gives_the_eye() {
        let eye = DVec3::new(1.0, -2.0, 5.0);
        let to_view = view::look_at_mat4(eye, DVec3::new(0.0, 1.0, 0.0), DVec3::Y);
        for projection in [
            proj::directx::perspective_infinite_reverse(1.0, 1.5, 0.1),
            proj::directx::perspective(1.0, 1.5, 0.1, 100.0),
            proj::opengl::perspective(1.0, 1.5, 0.1, 100.0),
        ] {
            let Eye::Point(found) = Eye::of_matrix(projection * to_view) else { panic!("no eye") };
            assert!(found.abs_diff_eq(eye, 1e-9), "{found}");
        }
        let flat = proj::directx::orthographic(-1.0, 1.0, -1.0, 1.0, 0.1, 100.0);
        assert_eq!(Eye::of_matrix(flat * to_view), Eye::Infinite);
    }
}
