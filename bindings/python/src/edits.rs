//! Edits of meshes, which trees and scenes follow.

use std::sync::{Arc, PoisonError};

use hitscan::{
    EditError, MeshChange,
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

/// The edit of the arguments.
fn edit_of<'a>(
    (name, indices, positions, triangles): &'a EditArguments<'_>,
) -> PyResult<MeshChange<'a>> {
    let (indices, positions) = (indices.as_slice()?, points(positions)?);
    let triangles = corners(triangles)?;
    Ok(match (name.as_str(), indices) {
        ("move", _) if indices.len() != positions.len() => {
            let (n, found) = (indices.len(), positions.len());
            let text = format!("move has {n} vertices and {found} positions, expected as many");
            return Err(PyValueError::new_err(text));
        }
        ("move", _) => MeshChange::Move { vertices: indices.into(), positions: positions.into() },
        ("append", _) => {
            MeshChange::Append { positions: positions.into(), triangles: triangles.into() }
        }
        ("remove", _) => MeshChange::Remove { triangles: indices.into() },
        ("replace", &[start, end]) => {
            MeshChange::Replace { range: start..end, triangles: triangles.into() }
        }
        _ => return Err(bug("an edit without a name")),
    })
}

/// A `ValueError` that names the argument.
fn refusal(edit: &MeshChange<'_>, error: &EditError) -> PyErr {
    let name = edit.name();
    PyValueError::new_err(match error {
        EditError::Records => format!(
            "{name}: the mesh has polygons and names of a file, which other triangles do not fit; expected \
                 a mesh without, as hitscan.Mesh(mesh.positions, mesh.triangles)"
        ),
        error => format!("{name}: {error}"),
    })
}

#[pymethods]
impl Bvh {
    /// Edits the mesh. Returns whether building anew would pay.
    fn update(&self, py: Python<'_>, edit: EditArguments<'_>) -> PyResult<bool> {
        let edit = edit_of(&edit)?;
        let report = self.change(py, |mesh| mesh.edit(|editor| editor.apply(&edit)))?;
        Ok(report.map_err(|error| refusal(&edit, &error))?.rebuild_pays())
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
        let (id, edit) = (to_id(id)?, edit_of(&edit)?);
        let pool = Threads::new(None)?.pool()?;
        let result = py.detach(|| {
            // A forked child would find the lock closed and the tree half changed.
            let _whole = NoFork::new();
            let mut guard = self.scene.write().unwrap_or_else(PoisonError::into_inner);
            let scene = &mut *guard;
            let report = pool.install(|| scene.edit_mesh(id, |editor| editor.apply(&edit)))?;
            Ok((report.rebuild_pays(), sharing(scene, id)))
        });
        result.map_err(|error| match error {
            SceneError::Edit { source, .. } => refusal(&edit, &source),
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
