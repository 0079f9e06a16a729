//! Views: pixels to rays of the world, and points of the world to pixels.

use engine::{
    glam::{DMat4, DVec2, DVec3},
    picking::{Camera, Convention, DepthRange, PixelY, Projection, View, Viewport},
};

use crate::{
    call::entry,
    handle::kind,
    memory::{plain, zeros},
    rays::{hitscan_world_ray, point},
    status::{Failure, hitscan_status, invalid, refused},
};

/// A camera and its viewport. Immutable, so threads may share it.
pub struct hitscan_view {
    _opaque: [u8; 0],
}

kind!(hitscan_view, View, *b"hs_view_");

/// The depth that a matrix gives to the near and far planes.
pub type hitscan_depth_range = u32;

/// 0 near, 1 far: Direct3D, Vulkan, Metal.
pub const HITSCAN_DEPTH_ZERO_TO_ONE: hitscan_depth_range = 0;
/// 1 near, 0 far.
pub const HITSCAN_DEPTH_REVERSED: hitscan_depth_range = 1;
/// -1 near, 1 far: OpenGL.
pub const HITSCAN_DEPTH_MINUS_ONE_TO_ONE: hitscan_depth_range = 2;

/// The direction of pixel y.
pub type hitscan_pixel_y = u32;

/// Against clip space: the first row is at the top.
pub const HITSCAN_PIXEL_Y_DOWN: hitscan_pixel_y = 0;
/// With clip space: the first row is at the bottom.
pub const HITSCAN_PIXEL_Y_UP: hitscan_pixel_y = 1;

/// A view by the matrix of an engine.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hitscan_view_matrix {
    /// sizeof(hitscan_view_matrix)
    pub size: usize,
    /// The depth of the near and far planes.
    pub depth_range: hitscan_depth_range,
    /// The direction of pixel y.
    pub pixel_y: hitscan_pixel_y,
    /// The matrix from world - origin to clip space, column by column, for column vectors.
    pub to_clip: [f64; 16],
    /// A point of the world, such as the eye far from the origin of the world; or zeros.
    pub origin: [f64; 3],
    /// The first pixel: x, y.
    pub first_pixel: [f64; 2],
    /// The size in pixels: width, height.
    pub n_pixels: [f64; 2],
}

/// A view by a camera. Pixel y is down.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hitscan_camera {
    /// sizeof(hitscan_camera)
    pub size: usize,
    /// The position, in the world.
    pub eye: [f64; 3],
    /// The point at the centre of the picture.
    pub target: [f64; 3],
    /// The up direction of the picture. Zeros stand for +y.
    pub up: [f64; 3],
    /// The vertical field of view in perspective. 0 stands for 45 degrees.
    pub fov_y_radians: f64,
    /// The height of the picture in world units, for a view of parallel rays; 0 for perspective.
    pub orthographic_height: f64,
    /// The distance of the near plane. 0 stands for 1/10,000 of the distance to the target.
    pub near: f64,
    /// The distance of the far plane; it may be INFINITY in perspective. 0 stands for INFINITY, and for 10,000 times
    /// the distance to the target with parallel rays.
    pub far: f64,
    /// The size in pixels: width, height.
    pub n_pixels: [f64; 2],
}

/// The image of a point.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hitscan_projected {
    /// The position on the screen, in pixels.
    pub pixel: [f64; 2],
    /// The depth in the convention of the view, as in a depth buffer.
    pub depth: f64,
    /// The distance from the near plane along the ray of the pixel.
    pub distance: f64,
    /// 1, or 0 for a point that is not between the near and far planes. The other numbers are then zeros.
    pub is_in_view: u32,
    /// 0.
    pub reserved: u32,
}

plain!(hitscan_view_matrix, hitscan_camera, hitscan_projected);
zeros!(hitscan_view_matrix, hitscan_camera);

/// Makes a view from the matrix of an engine. The caller releases it with hitscan_view_release.
///
/// HITSCAN_INVALID_ARGUMENT: a matrix that is singular or not finite, or a size that is not positive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_view_from_matrix(
    matrix: *const hitscan_view_matrix,
    view: *mut *mut hitscan_view,
) -> hitscan_status {
    entry!("hitscan_view_from_matrix", |caller| {
        let view = caller.out_handle(view, "view")?;
        let matrix = caller.required(matrix, "matrix")?;
        let viewport = Viewport {
            min: DVec2::from_array(matrix.first_pixel),
            size: DVec2::from_array(matrix.n_pixels),
        };
        let to_clip = DMat4::from_cols_array(&matrix.to_clip);
        let made = View::relative_to(matrix.origin, to_clip, viewport, convention(&matrix)?);
        view.write(made.map_err(|error| refused("matrix", error))?);
        Ok(())
    })
}

fn convention(matrix: &hitscan_view_matrix) -> Result<Convention, Failure> {
    let depth_range = match matrix.depth_range {
        HITSCAN_DEPTH_ZERO_TO_ONE => DepthRange::ZeroToOne,
        HITSCAN_DEPTH_REVERSED => DepthRange::Reversed,
        HITSCAN_DEPTH_MINUS_ONE_TO_ONE => DepthRange::MinusOneToOne,
        other => {
            let expected = "HITSCAN_DEPTH_ZERO_TO_ONE, _REVERSED or _MINUS_ONE_TO_ONE";
            return Err(invalid("matrix.depth_range", other, expected));
        }
    };
    let pixel_y = match matrix.pixel_y {
        HITSCAN_PIXEL_Y_DOWN => PixelY::Down,
        HITSCAN_PIXEL_Y_UP => PixelY::Up,
        other => {
            let expected = "HITSCAN_PIXEL_Y_DOWN or _UP";
            return Err(invalid("matrix.pixel_y", other, expected));
        }
    };
    Ok(Convention { depth_range, pixel_y })
}

/// Makes a view from a camera. The caller releases it with hitscan_view_release.
///
/// HITSCAN_INVALID_ARGUMENT: no direction, a number of the projection out of range, or a size that is not positive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_view_from_camera(
    camera: *const hitscan_camera,
    view: *mut *mut hitscan_view,
) -> hitscan_status {
    entry!("hitscan_view_from_camera", |caller| {
        let view = caller.out_handle(view, "view")?;
        let camera = caller.required(camera, "camera")?;
        let [width, height] = camera.n_pixels;
        let made = engine_camera(&camera).view(Viewport::from_size(width, height));
        view.write(made.map_err(|error| refused("camera", error))?);
        Ok(())
    })
}

/// The camera of the engine, where zeros are defaults.
fn engine_camera(camera: &hitscan_camera) -> Camera {
    let or = |number: f64, default: f64| if number == 0.0 { default } else { number };
    let default = Camera::look_at(camera.eye, camera.target);
    let distance = default.eye.distance(default.target);
    let is_orthographic = camera.orthographic_height != 0.0;
    let far = if is_orthographic { 1e4 * distance } else { f64::INFINITY };
    Camera {
        up: if camera.up == [0.0; 3] { default.up } else { DVec3::from_array(camera.up) },
        projection: if is_orthographic {
            Projection::Orthographic { height: camera.orthographic_height }
        } else {
            let fov_y_radians = or(camera.fov_y_radians, std::f64::consts::FRAC_PI_4);
            Projection::Perspective { fov_y_radians }
        },
        near: or(camera.near, default.near),
        far: or(camera.far, far),
        ..default
    }
}

/// Releases a view. NULL does nothing.
///
/// HITSCAN_INVALID_HANDLE: a view that is released already.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_view_release(view: *mut hitscan_view) -> hitscan_status {
    entry!("hitscan_view_release", |caller| caller.release(view, "view"))
}

/// Writes the ray of a pixel, from the near plane to the far plane. Its direction has length 1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_view_ray(
    view: *const hitscan_view,
    x: f64,
    y: f64,
    ray: *mut hitscan_world_ray,
) -> hitscan_status {
    entry!("hitscan_view_ray", |caller| {
        let view = caller.get(view, "view")?;
        let ray = caller.out(ray, "ray")?;
        ray.write(view.ray(pixel(x, y)?).into());
        Ok(())
    })
}

/// A pixel of the caller.
pub(crate) fn pixel(x: f64, y: f64) -> Result<[f64; 2], Failure> {
    match x.is_finite() && y.is_finite() {
        true => Ok([x, y]),
        false => Err(invalid("x, y", format_args!("({x}, {y})"), "finite numbers")),
    }
}

/// Writes the image of a point of the world. Surfaces hide nothing here.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_view_project(
    view: *const hitscan_view,
    point: *const f64,
    projected: *mut hitscan_projected,
) -> hitscan_status {
    entry!("hitscan_view_project", |caller| {
        let view = caller.get(view, "view")?;
        let projected = caller.out(projected, "projected")?;
        let found = view.project(self::point(caller, point, "point")?);
        projected.write(match found {
            None => hitscan_projected {
                pixel: [0.0; 2],
                depth: 0.0,
                distance: 0.0,
                is_in_view: 0,
                reserved: 0,
            },
            Some(found) => hitscan_projected {
                pixel: found.pixel.to_array(),
                depth: found.depth,
                distance: found.distance,
                is_in_view: 1,
                reserved: 0,
            },
        });
        Ok(())
    })
}
