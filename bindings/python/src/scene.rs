//! Scenes: instances of trees in world space, in float64.

use std::sync::{Arc, PoisonError, RwLock};

use hitscan::{
    glam::{DAffine3, DMat4},
    scene::{self, Instance, InstanceId},
};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::{exceptions::PyValueError, prelude::*};

use crate::{bvh::Bvh, errors::value_error, options};

/// A scene. Queries work on a snapshot, so edits never wait for them.
#[pyclass(frozen, module = "hitscan._hitscan")]
pub(crate) struct Scene {
    pub(crate) scene: RwLock<scene::Scene>,
}

pub(crate) fn to_number(id: InstanceId) -> i64 {
    i64::from(id.generation) << 32 | i64::from(id.index)
}

pub(crate) fn to_id(number: i64) -> PyResult<InstanceId> {
    match u32::try_from(number >> 32) {
        Ok(generation) => Ok(InstanceId { index: number as u32, generation }),
        Err(_) => Err(PyValueError::new_err(format!("{number} is no instance of the scene"))),
    }
}

/// A transform from the 16 numbers of a matrix, row by row.
pub(crate) fn transform(numbers: &PyReadonlyArray1<'_, f64>) -> PyResult<DAffine3> {
    let rows: [f64; 16] = numbers
        .as_slice()?
        .try_into()
        .map_err(|_| PyValueError::new_err("a transform has another number of elements than 16"))?;
    if rows[12..] != [0.0, 0.0, 0.0, 1.0] {
        let found = &rows[12..];
        let text = format!("the last row of the transform is {found:?}, expected [0, 0, 0, 1]");
        return Err(PyValueError::new_err(text));
    }
    Ok(DAffine3::from_mat4(DMat4::from_cols_array(&rows).transpose()))
}

fn matrix<'py>(py: Python<'py>, transform: DAffine3) -> Bound<'py, PyArray1<f64>> {
    PyArray1::from_slice(py, &DMat4::from(transform).transpose().to_cols_array())
}

impl Scene {
    /// A copy of the scene as it is now, in O(1) but for its chunks.
    pub(crate) fn snapshot(&self) -> scene::Scene {
        self.scene.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn edit<T>(
        &self,
        edit: impl FnOnce(&mut scene::Scene) -> Result<T, scene::SceneError>,
    ) -> PyResult<T> {
        let mut scene = self.scene.write().unwrap_or_else(PoisonError::into_inner);
        edit(&mut scene).map_err(|error| value_error(&error))
    }
}

/// Edits and properties.
#[pymethods]
impl Scene {
    #[new]
    fn new() -> Self {
        Self { scene: RwLock::new(scene::Scene::new()) }
    }

    #[expect(clippy::too_many_arguments, reason = "the fields of an instance")]
    fn insert(
        &self,
        bvh: Option<&Bvh>,
        matrix: PyReadonlyArray1<'_, f64>,
        parent: Option<i64>,
        name: Option<String>,
        layers: u32,
        hidden: bool,
        locked: bool,
    ) -> PyResult<i64> {
        let instance = Instance {
            mesh: bvh.map(Bvh::mesh),
            transform: transform(&matrix)?,
            parent: parent.map(to_id).transpose()?,
            name: name.map(Into::into),
            layers,
            hidden,
            locked,
        };
        self.edit(|scene| scene.insert(instance)).map(to_number)
    }

    /// The same scene, which later edits of this one do not change.
    #[pyo3(name = "snapshot")]
    fn snapshot_of(&self) -> Self {
        Self { scene: RwLock::new(self.snapshot()) }
    }

    /// Removes an instance with its descendants. Returns all their ids.
    fn remove(&self, id: i64) -> PyResult<Vec<i64>> {
        let id = to_id(id)?;
        self.edit(|scene| {
            let removed = scene.remove(id)?;
            let ids = removed.ids().map(to_number).collect();
            scene.forget(removed);
            Ok(ids)
        })
    }

    fn set_transform(&self, id: i64, matrix: PyReadonlyArray1<'_, f64>) -> PyResult<()> {
        let (id, transform) = (to_id(id)?, transform(&matrix)?);
        self.edit(|scene| scene.set_transform(id, transform))
    }

    fn set_world_transform(&self, id: i64, matrix: PyReadonlyArray1<'_, f64>) -> PyResult<()> {
        let (id, transform) = (to_id(id)?, transform(&matrix)?);
        self.edit(|scene| scene.set_world_transform(id, transform))
    }

    fn set_mesh(&self, id: i64, bvh: Option<&Bvh>) -> PyResult<()> {
        let (id, mesh) = (to_id(id)?, bvh.map(Bvh::mesh));
        self.edit(|scene| scene.set_mesh(id, mesh))
    }

    fn set_hidden(&self, id: i64, hidden: bool) -> PyResult<()> {
        let id = to_id(id)?;
        self.edit(|scene| scene.set_hidden(id, hidden))
    }

    fn set_locked(&self, id: i64, locked: bool) -> PyResult<()> {
        let id = to_id(id)?;
        self.edit(|scene| scene.set_locked(id, locked))
    }

    fn set_layers(&self, id: i64, layers: u32) -> PyResult<()> {
        let id = to_id(id)?;
        self.edit(|scene| scene.set_layers(id, layers))
    }

    /// The ids in order of first insertion.
    fn ids(&self) -> Vec<i64> {
        let scene = self.snapshot();
        let order = |id: InstanceId| scene.insertion_order(id);
        let mut ids: Vec<InstanceId> = scene.iter().map(|(id, _)| id).collect();
        ids.sort_unstable_by_key(|&id| order(id));
        ids.into_iter().map(to_number).collect()
    }

    /// A key of the shape of an instance, and the shape with the build quality of the tree it came from.
    fn shape(&self, id: i64, quality: &str) -> PyResult<(usize, Bvh)> {
        let scene = self.snapshot();
        let mesh = scene.get(to_id(id)?).and_then(|instance| instance.mesh.clone());
        let Some(mesh) = mesh else {
            return Err(PyValueError::new_err(format!("{id} is no instance with a tree")));
        };
        Ok((Arc::as_ptr(&mesh).addr(), Bvh::with_mesh(mesh, options::quality(quality)?)))
    }

    /// Local matrix, parent, name, layers, hidden, locked.
    #[expect(clippy::type_complexity, reason = "a tuple that Python unpacks")]
    fn record<'py>(
        &self,
        py: Python<'py>,
        id: i64,
    ) -> PyResult<(Bound<'py, PyArray1<f64>>, Option<i64>, Option<String>, u32, bool, bool)> {
        let scene = self.snapshot();
        let Some(instance) = scene.get(to_id(id)?) else {
            return Err(PyValueError::new_err(format!("{id} is no instance of the scene")));
        };
        let name = instance.name.as_deref().map(str::to_owned);
        let parent = instance.parent.map(to_number);
        let Instance { layers, hidden, locked, .. } = *instance;
        Ok((matrix(py, instance.transform), parent, name, layers, hidden, locked))
    }

    fn world_transform<'py>(
        &self,
        py: Python<'py>,
        id: i64,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let transform = self.snapshot().world_transform(to_id(id)?);
        let unknown = || PyValueError::new_err(format!("{id} is no instance of the scene"));
        Ok(matrix(py, transform.ok_or_else(unknown)?))
    }

    /// The minimum and the maximum corner; of an empty scene +inf and -inf.
    #[getter]
    fn bounds(&self) -> ([f64; 3], [f64; 3]) {
        let bounds = self.snapshot().bounds();
        (bounds.min.to_array(), bounds.max.to_array())
    }
}
