//! Cameras with their pictures: pixels to rays, and points to pixels.

use hitscan::{
    SectionPlane,
    glam::{DMat4, DVec3},
    picking::{self, Convention, Projection, Viewport},
};
use numpy::{PyReadonlyArray1, PyReadonlyArray2, PyReadwriteArray1, PyReadwriteArray2};
use pyo3::{exceptions::PyValueError, prelude::*};
use rayon::prelude::*;

use crate::{
    answers::{row_slice, slice},
    batch::{Steps, in_steps},
    errors::value_error,
    options::one_of,
    rays::points,
};

/// The minimum number of rays that one thread makes at a time.
const MIN_CHUNK: usize = 1 << 10;

/// A camera with the size of its picture.
#[pyclass(frozen, module = "hitscan._hitscan")]
pub(crate) struct View {
    pub(crate) view: picking::View,
}

/// A projection from either of its numbers: an angle in degrees, or a height in world units.
pub(crate) fn projection(fov_y_degrees: f64, height: Option<f64>) -> Projection {
    match height {
        Some(height) => Projection::Orthographic { height },
        None => Projection::Perspective { fov_y_radians: fov_y_degrees.to_radians() },
    }
}

#[pymethods]
impl View {
    /// The view of a camera. Planes that are `None` suit the projection.
    #[staticmethod]
    #[expect(clippy::too_many_arguments, reason = "the fields of a camera")]
    fn of_camera(
        eye: [f64; 3],
        target: [f64; 3],
        up: [f64; 3],
        fov_y_degrees: f64,
        height: Option<f64>,
        near: Option<f64>,
        far: Option<f64>,
        size: [u32; 2],
    ) -> PyResult<Self> {
        let mut camera = hitscan_render::camera(eye, target, projection(fov_y_degrees, height));
        camera.up = DVec3::from_array(up);
        camera.near = near.unwrap_or(camera.near);
        camera.far = far.unwrap_or(camera.far);
        let view = camera.view(viewport(size)).map_err(|error| value_error(&error))?;
        Ok(Self { view })
    }

    /// The view of a matrix from world space, relative to `origin`, to clip space: 16 numbers, row by row.
    #[staticmethod]
    fn of_matrix(
        matrix: PyReadonlyArray1<'_, f64>,
        origin: [f64; 3],
        convention: &str,
        size: [u32; 2],
    ) -> PyResult<Self> {
        let rows: &[f64; 16] = matrix
            .as_slice()?
            .try_into()
            .map_err(|_| PyValueError::new_err("matrix has another number of elements than 16"))?;
        let conventions = [
            ("wgpu", Convention::WGPU),
            ("bevy", Convention::BEVY),
            ("vulkan", Convention::VULKAN),
            ("opengl", Convention::OPENGL),
            ("three.js", Convention::THREE_JS),
        ];
        let convention = one_of("convention", convention, &conventions)?;
        let matrix = DMat4::from_cols_array(rows).transpose();
        let view = picking::View::relative_to(origin, matrix, viewport(size), convention);
        Ok(Self { view: view.map_err(|error| value_error(&error))? })
    }

    /// The same view with clipping planes, six numbers each: a point and a normal.
    fn with_clipping_planes(&self, planes: PyReadonlyArray2<'_, f64>) -> PyResult<Self> {
        let rows = planes.as_slice()?.as_chunks::<6>().0.iter().enumerate();
        let plane = |(i, &[x, y, z, a, b, c]): (usize, &[f64; 6])| {
            SectionPlane::new([x, y, z], [a, b, c])
                .map_err(|error| PyValueError::new_err(format!("planes[{i}]: {error}")))
        };
        let planes = rows.map(plane).collect::<PyResult<Vec<_>>>()?;
        let view = self.view.clone().with_clipping_planes(&planes);
        Ok(Self { view: view.map_err(|error| value_error(&error))? })
    }

    /// Columns and rows of the picture.
    #[getter]
    pub(crate) fn size(&self) -> [u32; 2] {
        let size = self.view.viewport().size;
        [size.x as u32, size.y as u32]
    }

    /// The rays through the centres of all pixels, row by row from the top left, with their bounds.
    fn rays(&self, py: Python<'_>, mut rays: PyReadwriteArray2<'_, f64>) -> PyResult<()> {
        let [columns, n_rows] = self.size().map(|size| size as usize);
        let rays = row_slice::<_, 8>("rays", &mut rays, columns * n_rows)?;
        in_steps(py, Steps::RAYS, rays.len(), None, |range| {
            let rays = rays[range.clone()].par_iter_mut().with_min_len(MIN_CHUNK);
            rays.zip(range).for_each(|(ray, pixel)| {
                let center = [(pixel % columns) as f64 + 0.5, (pixel / columns) as f64 + 0.5];
                *ray = self.numbers(center);
            });
            Ok(())
        })
    }

    /// The ray through a position in pixels.
    fn ray(&self, pixel: [f64; 2]) -> [f64; 8] {
        self.numbers(pixel)
    }

    /// The pixels, depths and distances of points; NaN for points that are not between the planes.
    fn project(
        &self,
        py: Python<'_>,
        from: PyReadonlyArray2<'_, f64>,
        mut pixel: PyReadwriteArray2<'_, f64>,
        mut depth: PyReadwriteArray1<'_, f64>,
        mut distance: PyReadwriteArray1<'_, f64>,
    ) -> PyResult<()> {
        let from = points(&from)?;
        let pixel = row_slice::<_, 2>("pixel", &mut pixel, from.len())?;
        let depth = slice("depth", &mut depth, from.len())?;
        let distance = slice("distance", &mut distance, from.len())?;
        in_steps(py, Steps::RAYS, from.len(), None, |range| {
            let images = (
                &from[range.clone()],
                &mut pixel[range.clone()],
                &mut depth[range.clone()],
                &mut distance[range],
            );
            let images = images.into_par_iter().with_min_len(MIN_CHUNK);
            images.for_each(|(&point, pixel, depth, distance)| {
                let image = self.view.project(point);
                *pixel = image.map_or([f64::NAN; 2], |image| image.pixel.to_array());
                *depth = image.map_or(f64::NAN, |image| image.depth);
                *distance = image.map_or(f64::NAN, |image| image.distance);
            });
            Ok(())
        })
    }
}

impl View {
    fn numbers(&self, pixel: [f64; 2]) -> [f64; 8] {
        let ray = self.view.ray(pixel);
        let ([x, y, z], [dx, dy, dz]) = (ray.origin.to_array(), ray.direction.to_array());
        [x, y, z, dx, dy, dz, ray.t_min, ray.t_max]
    }
}

fn viewport([width, height]: [u32; 2]) -> Viewport {
    Viewport::from_size(f64::from(width), f64::from(height))
}
