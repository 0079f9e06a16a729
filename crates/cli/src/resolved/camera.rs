//! The view of the camera that the flags describe.

use std::f64::consts::FRAC_PI_4;

use anyhow::{Context, bail};
use hitscan::glam::{DMat4, DVec3};
use hitscan::picking::{Camera, Projection, View, Viewport};
use hitscan_render::{Framing, Subject};

use crate::args::CameraArgs;

/// The view of the camera that the flags describe, pixels from the top left.
///
/// # Errors
/// A camera that sees nothing.
pub(crate) fn view(args: &CameraArgs) -> anyhow::Result<View> {
    let [width, height] = args.size;
    let viewport = Viewport::from_size(width, height);
    let view = match (args.matrix, args.eye, args.target) {
        (Some(matrix), ..) => {
            View::new(DMat4::from_cols_array(&matrix), viewport, args.convention.into())
        }
        (None, Some(eye), Some(target)) => camera(args, eye, target).view(viewport),
        _ => bail!("camera: there is no camera; use --matrix, or --eye with --target"),
    };
    view.context(NO_VIEW)
}

/// The view of the camera that the flags describe. Without a camera, the view shows the whole subject from
/// the front, right and above.
///
/// # Errors
/// A camera that sees nothing; an `--up` of zero.
pub(crate) fn view_of(args: &CameraArgs, subject: &Subject) -> anyhow::Result<View> {
    if args.matrix.is_some() || args.eye.is_some() {
        return view(args);
    }
    let [width, height] = args.size;
    let up = args.up.map_or(DVec3::Y, DVec3::from);
    let framing = Framing { up, projection: projection(args), ..Framing::default() };
    let mut camera = framing.camera(subject, width / height).context(ZERO_UP)?;
    set_planes(args, &mut camera);
    camera.view(Viewport::from_size(width, height)).context(NO_VIEW)
}

const NO_VIEW: &str = "camera: it sees nothing";

const ZERO_UP: &str = "--up: found a vector without a direction; expected one such as 0,0,1";

/// The unit vector of `--up`; +y without the flag.
///
/// # Errors
/// A vector whose length is zero or not finite.
pub(crate) fn up(flag: Option<[f64; 3]>) -> anyhow::Result<DVec3> {
    flag.map_or(DVec3::Y, DVec3::from).try_normalize().context(ZERO_UP)
}

fn camera(args: &CameraArgs, eye: [f64; 3], target: [f64; 3]) -> Camera {
    let mut camera = hitscan_render::camera(eye, target, projection(args));
    if let Some(up) = args.up {
        camera.up = up.into();
    }
    set_planes(args, &mut camera);
    camera
}

/// Whether the lines of sight are parallel.
pub(super) fn is_orthographic(args: &CameraArgs) -> bool {
    args.ortho.is_some()
}

fn projection(args: &CameraArgs) -> Projection {
    match args.ortho {
        Some(height) => Projection::Orthographic { height },
        None => {
            Projection::Perspective { fov_y_radians: args.fov.map_or(FRAC_PI_4, f64::to_radians) }
        }
    }
}

fn set_planes(args: &CameraArgs, camera: &mut Camera) {
    camera.near = args.near.unwrap_or(camera.near);
    camera.far = args.far.unwrap_or(camera.far);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn up_has_unit_length_or_is_an_error() {
        assert_eq!(up(None).expect("y is a direction"), DVec3::Y);
        assert_eq!(up(Some([0.0, 0.0, -5.0])).expect("it has a length"), DVec3::NEG_Z);
        assert!(up(Some([0.0; 3])).is_err());
    }
}
