//! Triangulation of polygons in memory.

use hitscan::{glam::Vec3, primitives::Triangulator};
use numpy::{PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2, ToPyArray};
use pyo3::{exceptions::PyValueError, prelude::*};

use crate::{
    mesh::{Mesh, rows_to_array},
    rays::points,
};

/// Triangles, and the polygon of each.
type Cut<'py> = (Bound<'py, PyArray2<u32>>, Bound<'py, PyArray1<u32>>);

/// Cuts polygons into triangles. `ends` has the end of each polygon in `corners`, ascending.
#[pyfunction]
pub(crate) fn triangulate<'py>(
    py: Python<'py>,
    positions: PyReadonlyArray2<'_, f32>,
    corners: PyReadonlyArray1<'_, u32>,
    ends: PyReadonlyArray1<'_, i64>,
) -> PyResult<Cut<'py>> {
    let (positions, corners, ends) = (points(&positions)?, corners.as_slice()?, ends.as_slice()?);
    let (mut triangles, mut polygons) = (Vec::new(), Vec::new());
    let (mut triangulator, mut outline) = (Triangulator::default(), Vec::new());
    let mut start = 0;
    for (polygon, &end) in ends.iter().enumerate() {
        let range = usize::try_from(end).ok().and_then(|end| corners.get(start..end));
        let Some(indices) = range else {
            let text = format!("polygon {polygon} ends at {end} of {} corners", corners.len());
            return Err(PyValueError::new_err(text));
        };
        start += indices.len();
        outline.clear();
        for &index in indices {
            let Some(&position) = positions.get(index as usize) else {
                let n = positions.len();
                let text = format!("polygon {polygon} has corner {index}, expected below {n}");
                return Err(PyValueError::new_err(text));
            };
            outline.push(Vec3::from_array(position));
        }
        triangulator.triangulate(&outline, |triangle| {
            triangles.push(triangle.map(|corner| indices[corner as usize]));
            polygons.push(polygon as u32);
        });
    }
    Ok((rows_to_array(py, triangles.as_flattened())?, polygons.to_pyarray(py)))
}

#[pymethods]
impl Mesh {
    /// The polygon of each triangle, as a new array.
    fn polygons<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        let n = self.mesh.triangles().len() as u32;
        let polygons: Vec<u32> = (0..n).map(|triangle| self.mesh.polygon_of(triangle)).collect();
        polygons.to_pyarray(py)
    }
}
