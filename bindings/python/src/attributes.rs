//! What a file says about the corners and polygons of a mesh, as arrays; and parts of meshes.

use std::sync::Arc;

use hitscan::{
    CornerAttributes, FaceRecords, TriMesh,
    glam::{DVec3, Vec3},
    primitives::Runs,
};
use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2, ToPyArray};
use pyo3::{exceptions::PyValueError, prelude::*};

use crate::{
    bvh::Bvh,
    errors::value_error,
    mesh::{Mesh, corners},
    options::one_of,
    rays::points,
};

/// Names, and the index of the name of each triangle; -1 for none.
type Labels<'py> = (Vec<String>, Bound<'py, PyArray1<i32>>);

/// The names of one kind, polygon by polygon.
type NamesOf = fn(&FaceRecords) -> &Runs<Option<u32>>;

#[pymethods]
impl Mesh {
    /// The normals at the corners of each triangle, nine numbers; NaN where there is none.
    fn corner_normals<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f32>>> {
        let attributes = self.mesh.attributes();
        let CornerAttributes { normals, normal_indices, .. } = attributes;
        let values = normals.iter().map(|normal| normal.to_array()).collect::<Vec<_>>();
        gathered(py, &values, normal_indices)
    }

    /// The texture coordinates at the corners of each triangle, six numbers; NaN where there are none.
    fn corner_uvs<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f32>>> {
        let CornerAttributes { uvs, uv_indices, .. } = self.mesh.attributes();
        let values = uvs.iter().map(|uv| uv.to_array()).collect::<Vec<_>>();
        gathered(py, &values, uv_indices)
    }

    /// The object, group or material of each triangle.
    fn labels<'py>(&self, py: Python<'py>, kind: &str) -> PyResult<Labels<'py>> {
        let n = self.mesh.triangles().len() as u32;
        let kinds: [(_, NamesOf); 3] = [
            ("object", FaceRecords::objects),
            ("group", FaceRecords::groups),
            ("material", FaceRecords::materials),
        ];
        let runs = one_of("kind", kind, &kinds)?;
        let Some(records) = self.mesh.records() else {
            return Ok((vec![], vec![-1; n as usize].to_pyarray(py)));
        };
        let runs = runs(records);
        let of = |triangle| runs.get(self.mesh.polygon_of(triangle)).copied().flatten();
        let labels: Vec<i32> =
            (0..n).map(|triangle| of(triangle).map_or(-1, |name| name as i32)).collect();
        Ok((records.names().to_vec(), labels.to_pyarray(py)))
    }

    /// A mesh of positions in float32 that are relative to an offset.
    #[staticmethod]
    fn with_offset(
        positions: PyReadonlyArray2<'_, f32>,
        triangles: PyReadonlyArray2<'_, u32>,
        offset: [f64; 3],
    ) -> PyResult<Self> {
        let positions = points(&positions)?.iter().map(|&point| Vec3::from_array(point)).collect();
        let mesh = TriMesh::from_vecs(positions, corners(&triangles)?);
        let mesh = mesh.map_err(|error| value_error(&error))?;
        Ok(Self { mesh: Arc::new(mesh.with_offset(DVec3::from_array(offset))) })
    }
}

#[pymethods]
impl Bvh {
    /// A mesh of some of the triangles, relative to the same offset.
    fn part(&self, triangles: PyReadonlyArray1<'_, u32>) -> PyResult<Mesh> {
        let (tree, triangles) = (self.mesh(), triangles.as_slice()?);
        let whole = tree.tri_mesh();
        let n = whole.triangles().len();
        let corners = triangles.iter().map(|&triangle| {
            let known = whole.triangles().get(triangle as usize).copied();
            known.ok_or_else(|| {
                PyValueError::new_err(format!("triangle is {triangle}, expected below {n}"))
            })
        });
        let corners = corners.collect::<PyResult<Vec<[u32; 3]>>>()?;
        let mut vertices = corners.as_flattened().to_vec();
        vertices.sort_unstable();
        vertices.dedup();
        let place = |corner| vertices.binary_search(&corner).map_or(0, |place| place as u32);
        let renamed = corners.iter().map(|corners| corners.map(place)).collect();
        let positions = vertices.iter().map(|&vertex| whole.positions()[vertex as usize]).collect();
        let mesh = TriMesh::from_vecs(positions, renamed).map_err(|error| value_error(&error))?;
        Ok(Mesh { mesh: Arc::new(mesh.with_offset(whole.offset())) })
    }
}

/// The values at the corners of each triangle; `None` without any.
fn gathered<'py, const N: usize>(
    py: Python<'py>,
    values: &[[f32; N]],
    indices: &[[u32; 3]],
) -> Option<Bound<'py, PyArray1<f32>>> {
    let value = |&corner: &u32| values.get(corner as usize).copied().unwrap_or([f32::NAN; N]);
    let corners = indices.as_flattened();
    let numbers: Vec<[f32; N]> = corners.iter().map(value).collect();
    (!corners.is_empty()).then(|| numbers.as_flattened().to_pyarray(py))
}
