//! Where planes cut trees and scenes.

use hitscan::{SectionPlane, SectionPolyline, glam::DVec3, scene::ScenePolyline};
use numpy::{PyArray1, ToPyArray};
use pyo3::prelude::*;

use crate::{
    bvh::Bvh,
    errors::value_error,
    mesh::point_in_file,
    scene::{Scene, to_number},
    scene_queries::{OptionArguments, Query},
};

/// Polylines as arrays: `points`, `triangles`, `point_splits`, `triangle_splits`, `closed`.
type PolylineArrays<'py> = (
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<u32>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<bool>>,
);

/// Sections of trees.
#[pymethods]
impl Bvh {
    /// The polylines in which a plane cuts the surface, in the coordinates of the file.
    fn section<'py>(
        &self,
        py: Python<'py>,
        point: [f64; 3],
        normal: [f64; 3],
    ) -> PyResult<PolylineArrays<'py>> {
        let mesh = self.mesh();
        // Before the offset, so that an error names the point of the caller.
        let plane = SectionPlane::new(point, normal).map_err(|error| value_error(&error))?;
        let local = plane.point() - mesh.tri_mesh().offset();
        let plane = SectionPlane::new(local, normal).map_err(|error| value_error(&error))?;
        let polylines = py.detach(|| mesh.bvh().section(&plane));
        let in_file = |point: DVec3| point_in_file(mesh.tri_mesh(), point);
        Ok(arrays(py, polylines.iter(), in_file))
    }
}

/// Sections of scenes.
#[pymethods]
impl Scene {
    /// The polylines in which a plane cuts the instances, and the instance of each, in world space.
    fn section<'py>(
        &self,
        py: Python<'py>,
        point: [f64; 3],
        normal: [f64; 3],
        options: OptionArguments,
    ) -> PyResult<(PolylineArrays<'py>, Bound<'py, PyArray1<i64>>)> {
        let plane = SectionPlane::new(point, normal).map_err(|error| value_error(&error))?;
        let query = Query::new(self, options)?;
        let parts: Vec<ScenePolyline> = py.detach(|| query.scene.section(&plane, &query.options()));
        let instances: Vec<i64> = parts.iter().map(|part| to_number(part.instance)).collect();
        let polylines = parts.iter().map(|part| &part.polyline);
        Ok((arrays(py, polylines, |point| point), instances.to_pyarray(py)))
    }
}

fn arrays<'a, 'py>(
    py: Python<'py>,
    polylines: impl Iterator<Item = &'a SectionPolyline>,
    point: impl Fn(DVec3) -> DVec3,
) -> PolylineArrays<'py> {
    let (mut points, mut triangles, mut closed) = (Vec::new(), Vec::new(), Vec::new());
    let (mut point_splits, mut triangle_splits) = (vec![0], vec![0]);
    for polyline in polylines {
        points.extend(polyline.points.iter().flat_map(|&p| point(p).to_array()));
        triangles.extend_from_slice(&polyline.triangles);
        closed.push(polyline.is_closed);
        point_splits.push(points.len() as i64 / 3);
        triangle_splits.push(triangles.len() as i64);
    }
    (
        PyArray1::from_vec(py, points),
        PyArray1::from_vec(py, triangles),
        PyArray1::from_vec(py, point_splits),
        PyArray1::from_vec(py, triangle_splits),
        PyArray1::from_vec(py, closed),
    )
}
