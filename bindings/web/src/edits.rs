//! Edits of meshes, which trees follow.

use std::sync::Arc;

use hitscan_primitives::{EditError, MeshChange, TriMesh, glam::Vec3};

use crate::{
    failure::{fail, fail_for_memory, has_room_for},
    objects::{self, Object},
    output, staging,
};

/// An edit of the staged arrays.
pub(crate) type Edit = MeshChange<'static, Vec3>;

/// The edit of a code. `start` and `end` are the range to replace.
pub(crate) fn staged(kind: u32, start: u32, end: u32) -> Edit {
    match kind {
        0 => Edit::Move {
            vertices: staging::indices().into(),
            positions: staging::positions().into(),
        },
        1 => Edit::Append {
            positions: staging::positions().into(),
            triangles: staging::triangles().into(),
        },
        2 => Edit::Remove { triangles: staging::indices().into() },
        _ => Edit::Replace { range: start..end, triangles: staging::triangles().into() },
    }
}

/// An error that names the argument.
pub(crate) fn refuse(edit: &Edit, error: &EditError) -> u32 {
    let name = edit.name();
    match error {
        EditError::Records => fail(format!(
            "{name}: the mesh has polygons and names of a file, which other triangles do not fit; expected a \
                 mesh without, as new Mesh(mesh.positions, mesh.triangles)"
        )),
        error => fail(format!("{name}: {error}")),
    }
}

/// The bytes that the edit may take at once, a copy of the mesh and the tree included.
pub(crate) fn bytes(edit: &Edit, mesh: &TriMesh) -> usize {
    let added = match edit {
        Edit::Move { positions, .. } => positions.len(),
        Edit::Append { positions, triangles } => positions.len() + triangles.len(),
        Edit::Remove { triangles } => triangles.len(),
        Edit::Replace { triangles, .. } => triangles.len(),
    };
    BYTES_PER_TRIANGLE * (mesh.triangles().len() + mesh.positions().len() + added)
}

/// As much as a build of the whole tree takes.
const BYTES_PER_TRIANGLE: usize = 256;

/// Edits the mesh of a tree by the staged arrays. `mesh` is the other handle of the same object, or 0: while another
/// handle or a scene shares the tree, the edit copies it. Returns 1, 2 if `mesh` is not the mesh of the tree, or 0 and
/// an error. Numbers 0 to 3: the costs of a ray at the build and now, vertices, triangles.
#[unsafe(no_mangle)]
extern "C" fn bvh_update(bvh: u32, mesh: u32, kind: u32, start: u32, end: u32) -> u32 {
    let edit = staged(kind, start, end);
    let Some(Object::Built(built)) = objects::get(bvh) else {
        return fail("bvh: there is no such tree");
    };
    let needed = bytes(&edit, built.tri_mesh());
    if !has_room_for(needed) {
        return fail_for_memory(edit.name(), needed);
    }
    let is_shared = mesh != 0
        && matches!(objects::get(mesh), Some(Object::Built(other)) if Arc::ptr_eq(&other, &built));
    drop(built);
    let Some(Object::Built(mut built)) = objects::take(bvh) else {
        return fail("bvh: there is no such tree");
    };
    if is_shared {
        objects::take(mesh);
    }
    let report = Arc::make_mut(&mut built).edit(|editor| editor.apply(&edit));
    let tri_mesh = built.tri_mesh();
    let counts = [tri_mesh.positions().len() as f64, tri_mesh.triangles().len() as f64];
    if is_shared {
        objects::put(mesh, Object::Built(Arc::clone(&built)));
    }
    objects::put(bvh, Object::Built(built));
    match report {
        Ok(report) => {
            output::write(0, &[report.cost_when_built.into(), report.cost_now.into()]);
            output::write(2, &counts);
            if is_shared { 1 } else { 2 }
        }
        Err(error) => refuse(&edit, &error),
    }
}
