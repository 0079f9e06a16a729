//! Polygons in memory, cut into triangles.

use std::sync::Arc;

use hitscan::{
    FaceRecords, TriMesh,
    glam::Vec3,
    primitives::{Recentred, Triangulator},
};
use numpy::{PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2, ToPyArray};
use pyo3::{exceptions::PyValueError, prelude::*};

use crate::{
    errors::value_error,
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
    let position = |&point: &[f32; 3]| Vec3::from_array(point);
    let positions: Vec<Vec3> = points(&positions)?.iter().map(position).collect();
    let mut numbers = Vec::new();
    let triangles = cut(&positions, corners.as_slice()?, ends.as_slice()?, |polygon, n| {
        numbers.extend(std::iter::repeat_n(polygon, n as usize));
    })?;
    Ok((rows_to_array(py, triangles.as_flattened())?, numbers.to_pyarray(py)))
}

/// Cuts polygons into triangles. Passes on the number of triangles of each polygon.
fn cut(
    positions: &[Vec3],
    corners: &[u32],
    ends: &[i64],
    mut on_polygon: impl FnMut(u32, u32),
) -> PyResult<Vec<[u32; 3]>> {
    let mut triangles = Vec::new();
    let (mut triangulator, mut outline) = (Triangulator::default(), Vec::new());
    for (number, polygon) in (0..).zip(polygons(positions.len(), corners, ends)?) {
        outline.clear();
        outline.extend(polygon.iter().map(|&corner| positions[corner as usize]));
        let before = triangles.len();
        triangulator.triangulate(&outline, |triangle| {
            triangles.push(triangle.map(|corner| polygon[corner as usize]));
        });
        on_polygon(number, (triangles.len() - before) as u32);
    }
    Ok(triangles)
}

/// The corners of each polygon, below `n` each.
fn polygons<'a>(n: usize, corners: &'a [u32], ends: &[i64]) -> PyResult<Vec<&'a [u32]>> {
    let mut start = 0;
    let polygon = |(number, &end): (usize, &i64)| {
        let polygon = usize::try_from(end).ok().and_then(|end| corners.get(start..end));
        let Some(polygon) = polygon else {
            let text = format!("polygon {number} ends at {end} of {} corners", corners.len());
            return Err(PyValueError::new_err(text));
        };
        start += polygon.len();
        match polygon.iter().find(|&&corner| corner as usize >= n) {
            None => Ok(polygon),
            Some(corner) => {
                let text = format!("polygon {number} has corner {corner}, expected below {n}");
                Err(PyValueError::new_err(text))
            }
        }
    };
    ends.iter().enumerate().map(polygon).collect()
}

#[pymethods]
impl Mesh {
    /// The mesh of polygons, which `ends` splits `corners` into. Also returns what `from_f64` does.
    #[staticmethod]
    fn from_polygons(
        positions: PyReadonlyArray2<'_, f64>,
        corners: PyReadonlyArray1<'_, u32>,
        ends: PyReadonlyArray1<'_, i64>,
        recentre: bool,
    ) -> PyResult<(Self, f64)> {
        let (exact, corners, ends) = (points(&positions)?, corners.as_slice()?, ends.as_slice()?);
        // The offset depends on the vertices in use, so fans of the polygons find it.
        let fans = polygons(exact.len(), corners, ends)?.into_iter().flat_map(|polygon| {
            polygon.windows(2).skip(1).map(|edge| [polygon[0], edge[0], edge[1]])
        });
        let placed = TriMesh::from_f64(exact.iter().copied(), fans.collect(), recentre);
        let Recentred { value, rounded_by, .. } = placed.map_err(|error| value_error(&error))?;
        let (positions, mut counts) = (value.positions().to_vec(), Vec::new());
        let triangles = cut(&positions, corners, ends, |_, n| counts.push(n))?;
        let mesh = TriMesh::from_vecs(positions, triangles).map_err(|error| value_error(&error))?;
        let records = FaceRecords::from_triangle_counts(counts);
        let mesh = mesh.with_records(records).map_err(|error| value_error(&error))?;
        Ok((Self { mesh: Arc::new(mesh.with_offset(value.offset())) }, rounded_by))
    }

    /// The polygon of each triangle, as a new array.
    fn polygons<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        let n = self.mesh.triangles().len() as u32;
        let polygons: Vec<u32> = (0..n).map(|triangle| self.mesh.polygon_of(triangle)).collect();
        polygons.to_pyarray(py)
    }
}
