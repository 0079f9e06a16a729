//! From the flags of a camera to its view.

use std::f64::consts::FRAC_PI_4;

use anyhow::{Context, bail};
use hitscan::TriMesh;
use hitscan::glam::{DMat4, DVec2, DVec3};
use hitscan::picking::{Camera, Lens, View, Viewport};
use rayon::prelude::*;

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
        _ => bail!("no camera: expected a matrix, or an eye with a target"),
    };
    view.context("the camera sees nothing")
}

/// The view of the camera that the flags describe, or else one that looks at the whole mesh from its
/// front, right and above.
///
/// # Errors
/// A camera that sees nothing.
pub(crate) fn view_of(args: &CameraArgs, mesh: &TriMesh) -> anyhow::Result<View> {
    if args.matrix.is_some() || args.eye.is_some() {
        return view(args);
    }
    let [width, height] = args.size;
    fitted(args, mesh)?.view(Viewport::of_size(width, height)).context("the camera sees nothing")
}

/// From where a mesh is looked at: turned from its front to its right, and raised, in degrees.
const TURNED: f64 = 35.0;
const RAISED: f64 = 25.0;

/// How much of the picture the mesh may fill, from the middle to the edge.
const FILLED: f64 = 0.92;

fn fitted(args: &CameraArgs, mesh: &TriMesh) -> anyhow::Result<Camera> {
    let Some(up) = DVec3::from(args.up.unwrap_or([0.0, 1.0, 0.0])).try_normalize() else {
        bail!("--up is zero, expected a direction");
    };
    // With y up the front is +z, with z up it is -y, as modellers have it.
    let front = if up.z.abs() < 0.9 { DVec3::Z } else { -DVec3::Y };
    let front = front.reject_from(up).normalize();
    let (turned, raised) = (TURNED.to_radians(), RAISED.to_radians());
    let aside = turned.cos() * front + turned.sin() * up.cross(front);
    let back = raised.cos() * aside + raised.sin() * up;
    let right = up.cross(back).normalize();
    let axes = [right, back.cross(right), back];

    let center = mesh.bounds().center().as_dvec3();
    let aspect = args.size[0] / args.size[1];
    let slope_y = FILLED * (0.5 * args.fov.map_or(FRAC_PI_4, f64::to_radians)).tan();
    let slopes =
        if args.ortho.is_some() { DVec2::ZERO } else { DVec2::new(slope_y * aspect, slope_y) };
    // How far the mesh reaches along +x, -x, +y, -y of the picture, sheared so that the sides of the
    // field of view are straight ahead; and along its depth.
    let reach = |triangle: u32| {
        mesh.corners(triangle).map(|corner| {
            let [x, y, z] = axes.map(|axis| axis.dot(corner.as_dvec3() - center));
            [x + slopes.x * z, slopes.x * z - x, y + slopes.y * z, slopes.y * z - y, z, -z]
        })
    };
    let most = |a: [f64; 6], b: [f64; 6]| std::array::from_fn(|i| a[i].max(b[i]));
    let [east, west, north, south, near, far] = (0..mesh.triangles().len() as u32)
        .into_par_iter()
        .flat_map_iter(reach)
        .reduce(|| [f64::NEG_INFINITY; 6], most);
    // A mesh that is a single point has a size too.
    let smallest = 1e-3 * f64::from(mesh.bounds().max_abs_coordinate());
    let size = mesh.bounds().extent().as_dvec3().length().max(smallest).max(1e-30);
    // The eye over the middle of the mesh, as far out as both sides of the picture need.
    let distance = match args.ortho {
        Some(_) => near + size,
        None => {
            let needed = (0.5 * (east + west) / slopes.x).max(0.5 * (north + south) / slopes.y);
            needed.max(near + 1e-3 * size)
        }
    };
    let [x, y] = [0.5 * (east - west), 0.5 * (north - south)];
    let place = |z: f64| center + x * axes[0] + y * axes[1] + z * axes[2];
    let mut camera = camera(args, place(distance).to_array(), place(0.5 * (near - far)).to_array());
    camera.up = up;
    Ok(camera)
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
