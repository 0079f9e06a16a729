//! Edits of meshes, which trees and scenes follow.

use std::sync::{Arc, PoisonError};

use hitscan::{
    EditError, MeshEditor,
    scene::{self, SceneError},
};
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::{exceptions::PyValueError, prelude::*};

use crate::{
    bvh::Bvh,
    errors::{bug, value_error},
    mesh::corners,
    pool::{NoFork, Threads},
    rays::points,
    scene::{Scene, to_id, to_number},
};

/// An edit as Python passes it: its name, vertices or triangles, positions, and corners of triangles.
pub(crate) type EditArguments<'py> =
    (String, PyReadonlyArray1<'py, u32>, PyReadonlyArray2<'py, f32>, PyReadonlyArray2<'py, u32>);

/// An edit with its name in Python.
struct Edit<'a> {
    name: &'a str,
    change: Change<'a>,
}

enum Change<'a> {
    Move { vertices: &'a [u32], positions: &'a [[f32; 3]] },
    Append { positions: &'a [[f32; 3]], triangles: Vec<[u32; 3]> },
    Remove { triangles: &'a [u32] },
    Replace { start: u32, end: u32, triangles: Vec<[u32; 3]> },
}

impl<'a> Edit<'a> {
    fn new((name, indices, positions, triangles): &'a EditArguments<'_>) -> PyResult<Self> {
        let (indices, positions) = (indices.as_slice()?, points(positions)?);
        let triangles = corners(triangles)?;
        let change = match (name.as_str(), indices) {
            ("move", _) if indices.len() != positions.len() => {
                let (n, found) = (indices.len(), positions.len());
                let text = format!("move has {n} vertices and {found} positions, expected as many");
                return Err(PyValueError::new_err(text));
            }
            ("move", _) => Change::Move { vertices: indices, positions },
            ("append", _) => Change::Append { positions, triangles },
            ("remove", _) => Change::Remove { triangles: indices },
            ("replace", &[start, end]) => Change::Replace { start, end, triangles },
            _ => return Err(bug("an edit without a name")),
        };
        Ok(Self { name, change })
    }

    fn apply(&self, mesh: &mut MeshEditor<'_>) -> Result<(), EditError> {
        match &self.change {
            Change::Move { vertices, positions } => {
                mesh.move_vertices(vertices.iter().copied().zip(positions.iter().copied()))
            }
            Change::Append { positions, triangles } => {
                mesh.append(positions.iter().copied(), triangles)
            }
            Change::Remove { triangles } => mesh.swap_remove_triangles(triangles.iter().copied()),
            Change::Replace { start, end, triangles } => {
                mesh.replace_triangles(*start..*end, triangles)
            }
        }
    }

    /// A `ValueError` that names the argument.
    fn error(&self, error: &EditError) -> PyErr {
        let name = self.name;
        PyValueError::new_err(match error {
            EditError::Records => format!(
                "{name}: the mesh has polygons and names of a file, which other triangles do not fit; expected \
                 a mesh without, as hitscan.Mesh(mesh.positions, mesh.triangles)"
            ),
            error => format!("{name}: {error}"),
        })
    }
}

#[pymethods]
impl Bvh {
    /// Edits the mesh. Returns whether building anew would pay.
    fn update(&self, py: Python<'_>, edit: EditArguments<'_>) -> PyResult<bool> {
        let edit = Edit::new(&edit)?;
        let report = self.change(py, |mesh| mesh.edit(|editor| edit.apply(editor)))?;
        Ok(report.map_err(|error| edit.error(&error))?.rebuild_pays())
    }
}

#[pymethods]
impl Scene {
    /// Edits the mesh of an instance, and of all that share it. Returns whether building anew would pay, and their ids.
    fn update(
        &self,
        py: Python<'_>,
        id: i64,
        edit: EditArguments<'_>,
    ) -> PyResult<(bool, Vec<i64>)> {
        let (id, edit) = (to_id(id)?, Edit::new(&edit)?);
        let pool = Threads::new(None)?.pool()?;
        let result = py.detach(|| {
            // A forked child would find the lock closed and the tree half changed.
            let _whole = NoFork::new();
            let mut guard = self.scene.write().unwrap_or_else(PoisonError::into_inner);
            let scene = &mut *guard;
            let report = pool.install(|| scene.edit_mesh(id, |editor| edit.apply(editor)))?;
            Ok((report.rebuild_pays(), sharing(scene, id)))
        });
        result.map_err(|error| match error {
            SceneError::Edit { source, .. } => edit.error(&source),
            error => value_error(&error),
        })
    }
}

/// The instances that share the mesh of one.
fn sharing(scene: &scene::Scene, id: scene::InstanceId) -> Vec<i64> {
    let of_one = scene.get(id).and_then(|instance| instance.mesh.as_ref());
    let Some(of_one) = of_one else { return vec![] };
    let shares = |instance: &scene::Instance| {
        instance.mesh.as_ref().is_some_and(|mesh| Arc::ptr_eq(mesh, of_one))
    };
    scene.iter().filter(|(_, instance)| shares(instance)).map(|(id, _)| to_number(id)).collect()
}
