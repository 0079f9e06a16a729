//! Triangle meshes.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use hitscan::{
    Format, LoadOptions, TriMesh, formats,
    glam::{DVec3, Vec3},
    primitives::Recentred,
};
use numpy::{PyArray2, PyReadonlyArray2, PyUntypedArrayMethods, ToPyArray};
use pyo3::{exceptions::PyValueError, prelude::*};

use crate::{
    batch::detached,
    errors::{io_error, read_error, value_error},
    memory,
    rays::points,
};

/// Red, green and blue of materials by name.
type Colors = HashMap<String, [f32; 3]>;

/// A mesh: positions, triangles, and the names of a file.
#[pyclass(frozen, module = "hitscan._hitscan")]
pub(crate) struct Mesh {
    pub(crate) mesh: Arc<TriMesh>,
}

#[pymethods]
impl Mesh {
    /// A mesh of positions (v, 3) float32 and triangles (n, 3) uint32.
    #[new]
    fn new(
        positions: PyReadonlyArray2<'_, f32>,
        triangles: PyReadonlyArray2<'_, u32>,
    ) -> PyResult<Self> {
        let triangles = corners(&triangles)?;
        let positions: Vec<Vec3> =
            points(&positions)?.iter().map(|&point| Vec3::from_array(point)).collect();
        let mesh = TriMesh::from_vecs(positions, triangles).map_err(|error| value_error(&error))?;
        Ok(Self { mesh: Arc::new(mesh) })
    }

    /// A mesh of positions (v, 3) float64, relative to an offset if float32 would lose detail. Also returns the
    /// largest movement of a coordinate that an offset would have avoided, or 0.
    #[staticmethod]
    fn from_f64(
        positions: PyReadonlyArray2<'_, f64>,
        triangles: PyReadonlyArray2<'_, u32>,
        recentre: bool,
    ) -> PyResult<(Self, f64)> {
        let n = positions.shape()[0];
        let what = format!("the mesh of {n} vertices");
        memory::check(&what, BYTES_PER_VERTEX.saturating_mul(n as u64))?;
        let positions = points(&positions)?.iter().copied();
        let mesh = TriMesh::from_f64(positions, corners(&triangles)?, recentre);
        let Recentred { value, rounded_by, .. } = mesh.map_err(|error| value_error(&error))?;
        Ok((Self { mesh: Arc::new(value) }, rounded_by))
    }

    /// Reads OBJ, STL, PLY or glTF, the lines of the reader's report, and the diffuse colours of materials.
    #[staticmethod]
    fn load(
        py: Python<'_>,
        path: PathBuf,
        recentre: bool,
    ) -> PyResult<(Self, Vec<String>, Colors)> {
        let loaded = detached(py, None, || {
            let options = LoadOptions { recentre, ..LoadOptions::default() };
            let loaded = hitscan::load(&path, &options)?;
            let lines = loaded.report.lines();
            let named = loaded.materials.iter().map(|one| (one.name.clone(), one.diffuse));
            let colors = named.filter_map(|(name, color)| Some((name, color?))).collect();
            Ok((loaded.into_mesh()?, lines, colors))
        })?;
        let (mesh, lines, colors) = loaded.map_err(|error| read_error(&error))?;
        Ok((Self { mesh: Arc::new(mesh) }, lines, colors))
    }

    /// Writes the mesh in the format of the extension. Returns what the format could not hold.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<Vec<String>> {
        let extension = path.extension().and_then(|end| end.to_str()).unwrap_or_default();
        let format = match extension.to_ascii_lowercase().as_str() {
            "obj" => Format::Obj,
            "stl" => Format::Stl,
            "ply" => Format::Ply,
            "glb" => Format::Gltf,
            _ => {
                let name = path.display();
                let text = format!("cannot save to '{name}', expected .obj, .stl, .ply or .glb");
                return Err(PyValueError::new_err(text));
            }
        };
        let written = detached(py, None, || {
            let folder = path.parent().filter(|folder| *folder != Path::new(""));
            let mut file = new_file_in(folder.unwrap_or(Path::new(".")))?;
            let report = formats::write(&self.mesh, &[], format, &mut file)?;
            file.persist(&path).map_err(|error| error.error)?;
            Ok::<_, std::io::Error>(report.lines().to_vec())
        })?;
        written.map_err(|error| io_error(&error, format!("{}: {error}", path.display())))
    }

    /// The point that positions are relative to.
    #[getter]
    fn offset(&self) -> [f64; 3] {
        self.mesh.offset().to_array()
    }

    #[getter]
    fn has_offset(&self) -> bool {
        self.mesh.offset() != DVec3::ZERO
    }

    /// The positions relative to the offset, as a new array (v, 3) float32.
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let rows: Vec<[f32; 3]> = self.mesh.positions().iter().map(|p| p.to_array()).collect();
        rows_to_array(py, rows.as_flattened())
    }

    /// The corners of the triangles, as a new array (n, 3) uint32.
    fn triangles<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        rows_to_array(py, self.mesh.triangles().as_flattened())
    }

    #[getter]
    fn n_triangles(&self) -> usize {
        self.mesh.triangles().len()
    }

    #[getter]
    fn n_vertices(&self) -> usize {
        self.mesh.positions().len()
    }

    /// The minimum and the maximum corner in the coordinates of the file; of an empty mesh +inf and -inf.
    #[getter]
    fn bounds(&self) -> [[f64; 3]; 2] {
        bounds_in_file(&self.mesh)
    }

    /// The name of the object, group and material of a triangle, and its polygon and line.
    fn names(
        &self,
        triangle: u32,
    ) -> (Option<String>, Option<String>, Option<String>, u32, Option<u64>) {
        let polygon = self.mesh.polygon_of(triangle);
        let Some(records) = self.mesh.records() else { return (None, None, None, polygon, None) };
        let owned = |name: Option<&str>| name.map(str::to_owned);
        (
            owned(records.object(polygon)),
            owned(records.group(polygon)),
            owned(records.material(polygon)),
            polygon,
            records.lines().get(polygon),
        )
    }
}

/// The bytes of a vertex in float64 and, relative to the origin and to an offset, in float32.
const BYTES_PER_VERTEX: u64 = 48;

/// The corners of triangles, after a check of the shape of the array.
pub(crate) fn corners(triangles: &PyReadonlyArray2<'_, u32>) -> PyResult<Vec<[u32; 3]>> {
    let found = triangles.shape();
    if found[1] != 3 {
        let text = format!("triangles have shape {found:?}, expected [n, 3]");
        return Err(PyValueError::new_err(text));
    }
    Ok(triangles.as_slice()?.as_chunks().0.to_vec())
}

/// A point of the mesh in the coordinates of its file. Without an offset every bit stays, even the sign of zero.
pub(crate) fn point_in_file(mesh: &TriMesh, point: DVec3) -> DVec3 {
    match mesh.offset() {
        DVec3::ZERO => point,
        offset => point + offset,
    }
}

/// The minimum and the maximum corner in the coordinates of the file.
pub(crate) fn bounds_in_file(mesh: &TriMesh) -> [[f64; 3]; 2] {
    let bounds = mesh.bounds();
    [bounds.min, bounds.max].map(|corner| point_in_file(mesh, corner.as_dvec3()).to_array())
}

/// A new array of rows of three numbers.
pub(crate) fn rows_to_array<'py, T: numpy::Element>(
    py: Python<'py>,
    numbers: &[T],
) -> PyResult<Bound<'py, PyArray2<T>>> {
    use numpy::PyArrayMethods;
    numbers.to_pyarray(py).reshape([numbers.len() / 3, 3])
}

/// A temporary file with the permissions of a new file, which are those of the umask on Unix.
fn new_file_in(folder: &Path) -> std::io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder)
}
