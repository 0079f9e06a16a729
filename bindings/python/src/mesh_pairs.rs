//! Questions about two placed meshes, about one with itself, and about the instances around one.

use std::sync::Arc;

use hitscan::{
    MeshPair, MeshPairError, TriMesh,
    glam::{DAffine3, DVec3},
    primitives::triangle_crossing,
    scene::{InstanceDistance, Mesh},
};
use numpy::{PyArray1, PyReadonlyArray1, ToPyArray};
use pyo3::{exceptions::PyValueError, prelude::*};

use crate::{
    bvh::Bvh,
    errors::value_error,
    scene::{Scene, to_id, to_number, transform},
    scene_queries::{OptionArguments, Query},
};

/// Triangles and points of pairs as flat arrays, two triangles and two points each.
type PairArrays<'py> = (Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<f64>>);

/// What is near an instance: instances, distances, triangles and points.
type NearArrays<'py> = (
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<u32>>,
    Bound<'py, PyArray1<f64>>,
);

/// Two trees as they were when they were asked about.
struct Pair {
    meshes: [Arc<Mesh>; 2],
    places: [DAffine3; 2],
}

impl Pair {
    /// `matrix` takes the coordinates of the second file to those of the first.
    fn new(first: &Bvh, second: &Bvh, matrix: &PyReadonlyArray1<'_, f64>) -> PyResult<Self> {
        let (first, second) = (first.mesh(), second.mesh());
        let places = [
            after_offset(DAffine3::IDENTITY, first.tri_mesh()),
            after_offset(transform(matrix)?, second.tri_mesh()),
        ];
        Ok(Self { meshes: [first, second], places })
    }

    /// Asks without the interpreter.
    fn ask<T: Send>(
        &self,
        py: Python<'_>,
        ask: impl FnOnce(MeshPair<'_>) -> Result<T, MeshPairError> + Send,
    ) -> PyResult<T> {
        let bvhs = [self.meshes[0].bvh(), self.meshes[1].bvh()];
        py.detach(|| ask(MeshPair::placed(bvhs, self.places)?)).map_err(|error| value_error(&error))
    }
}

/// The transform from the positions of a mesh, whose offset comes first. Without one every bit stays.
fn after_offset(transform: DAffine3, mesh: &TriMesh) -> DAffine3 {
    match mesh.offset() {
        DVec3::ZERO => transform,
        offset => transform * DAffine3::from_translation(offset),
    }
}

/// Triangles and points in one list each.
fn pair_arrays<'py>(
    py: Python<'py>,
    pairs: impl Iterator<Item = ([u32; 2], [DVec3; 2])>,
) -> PairArrays<'py> {
    let (mut triangles, mut points) = (Vec::new(), Vec::new());
    for (of_pair, ends) in pairs {
        triangles.extend(of_pair);
        points.extend(ends.iter().flat_map(|end| end.to_array()));
    }
    (triangles.to_pyarray(py), points.to_pyarray(py))
}

/// Pairs of meshes.
#[pymethods]
impl Bvh {
    fn overlaps_mesh(
        &self,
        py: Python<'_>,
        other: &Self,
        matrix: PyReadonlyArray1<'_, f64>,
    ) -> PyResult<bool> {
        Pair::new(self, other, &matrix)?.ask(py, |pair| Ok(pair.overlaps()))
    }

    /// Two triangles for each pair.
    fn overlapping_mesh<'py>(
        &self,
        py: Python<'py>,
        other: &Self,
        matrix: PyReadonlyArray1<'_, f64>,
    ) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let pair = Pair::new(self, other, &matrix)?;
        let found = pair.ask(py, |pair| Ok(pair.overlapping_triangles()))?;
        Ok(found.as_flattened().to_pyarray(py))
    }

    /// Triangles and segments.
    fn mesh_crossings<'py>(
        &self,
        py: Python<'py>,
        other: &Self,
        matrix: PyReadonlyArray1<'_, f64>,
    ) -> PyResult<PairArrays<'py>> {
        let found = Pair::new(self, other, &matrix)?.ask(py, |pair| Ok(pair.crossings()))?;
        Ok(pair_arrays(py, found.into_iter().map(|found| (found.triangles, found.segment))))
    }

    /// The distance, with the two triangles and points.
    fn mesh_distance<'py>(
        &self,
        py: Python<'py>,
        other: &Self,
        matrix: PyReadonlyArray1<'_, f64>,
        max_distance: f64,
    ) -> PyResult<Option<(f64, PairArrays<'py>)>> {
        let pair = Pair::new(self, other, &matrix)?;
        let found = pair.ask(py, |pair| pair.distance(max_distance))?;
        Ok(found.map(|found| {
            let arrays = pair_arrays(py, std::iter::once((found.triangles, found.points)));
            (found.distance, arrays)
        }))
    }
}

/// A mesh with itself.
#[pymethods]
impl Bvh {
    /// Two triangles for each pair.
    fn self_intersections<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        let mesh = self.mesh();
        let found = py.detach(|| mesh.bvh().self_intersections());
        found.as_flattened().to_pyarray(py)
    }

    /// Triangles and segments of the self-intersections of triangles that do not lie in one plane.
    fn self_crossings<'py>(&self, py: Python<'py>) -> PairArrays<'py> {
        let mesh = self.mesh();
        let corners = |triangle| mesh.tri_mesh().corners(triangle).map(|corner| corner.as_dvec3());
        let found = py.detach(|| mesh.bvh().self_intersections());
        pair_arrays(
            py,
            found.into_iter().filter_map(|[a, b]| {
                triangle_crossing(corners(a), corners(b)).map(|segment| ([a, b], segment))
            }),
        )
    }

    fn has_self_intersections(&self, py: Python<'_>) -> bool {
        let mesh = self.mesh();
        py.detach(|| mesh.bvh().has_self_intersections())
    }
}

/// The instances around one.
#[pymethods]
impl Scene {
    fn instances_touching<'py>(
        &self,
        py: Python<'py>,
        id: i64,
        options: OptionArguments,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let (query, id) = (Query::new(self, options)?, known(self, id)?);
        let found = py.detach(|| query.scene.instances_touching(id, &query.options()));
        Ok(found.into_iter().map(to_number).collect::<Vec<_>>().to_pyarray(py))
    }

    fn instances_near<'py>(
        &self,
        py: Python<'py>,
        id: i64,
        max_distance: f64,
        options: OptionArguments,
    ) -> PyResult<NearArrays<'py>> {
        let (query, id) = (Query::new(self, options)?, known(self, id)?);
        let near = py.detach(|| query.scene.instances_near(id, max_distance, &query.options()));
        let near: Vec<InstanceDistance> = near.map_err(|error| value_error(&error))?;
        let instances: Vec<i64> = near.iter().map(|found| to_number(found.instance)).collect();
        let distances: Vec<f64> = near.iter().map(|found| found.nearest.distance).collect();
        let pairs = near.iter().map(|found| (found.nearest.triangles, found.nearest.points));
        let (triangles, points) = pair_arrays(py, pairs);
        Ok((instances.to_pyarray(py), distances.to_pyarray(py), triangles, points))
    }
}

/// The handle of an instance that is in the scene.
fn known(scene: &Scene, number: i64) -> PyResult<hitscan::scene::InstanceId> {
    let id = to_id(number)?;
    match scene.snapshot().contains(id) {
        true => Ok(id),
        false => Err(PyValueError::new_err(format!("{number} is no instance of the scene"))),
    }
}
