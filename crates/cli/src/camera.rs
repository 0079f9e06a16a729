//! From the flags of a camera to its view.

use std::f64::consts::FRAC_PI_4;

use anyhow::Context;
use hitscan::glam::DMat4;
use hitscan::picking::{Camera, Lens, View, Viewport};

use crate::args::CameraArgs;

/// The view of the camera that the flags describe, pixels from the top left.
///
/// # Errors
/// A camera that sees nothing.
pub(crate) fn view(args: &CameraArgs) -> anyhow::Result<View> {
    let [width, height] = args.size;
    let viewport = Viewport::of_size(width, height);
    let view = match (args.matrix, args.eye, args.target) {
        (Some(matrix), ..) => {
            View::new(DMat4::from_cols_array(&matrix), viewport, args.convention.into())
        }
        (None, Some(eye), Some(target)) => camera(args, eye, target).view(viewport),
        _ => unreachable!("the command line asks for a matrix, or an eye with a target"),
    };
    view.context("the camera sees nothing")
}

fn camera(args: &CameraArgs, eye: [f64; 3], target: [f64; 3]) -> Camera {
    let mut camera = Camera::looking(eye, target);
    if let Some(up) = args.up {
        camera.up = up.into();
    }
    if let Some(height) = args.ortho {
        camera.lens = Lens::Orthographic { height };
        // An end is needed, but shall not be met.
        camera.far = 1e3 * (height + camera.eye.distance(camera.target));
    } else {
        let fov_y_radians = args.fov.map_or(FRAC_PI_4, f64::to_radians);
        camera.lens = Lens::Perspective { fov_y_radians };
    }
    camera.near = args.near.unwrap_or(camera.near);
    camera.far = args.far.unwrap_or(camera.far);
    camera
}
