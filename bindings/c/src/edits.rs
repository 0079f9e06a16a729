//! Edits of meshes, which trees and scenes follow.

use std::sync::Arc;

use engine::{EditError, MeshChange, scene::SceneError};

use crate::{
    bvh::hitscan_bvh,
    call::entry,
    memory::{Caller, plain, zeros},
    mesh::{hitscan_positions, hitscan_triangles, read_positions, read_triangles},
    options::{hitscan_instance_id, instance_id},
    scene::hitscan_scene,
    status::{Failure, hitscan_status, invalid, refused},
};

/// What an edit does.
pub type hitscan_edit_kind = u32;

/// Moves the vertices indices[i] to positions[i].
pub const HITSCAN_EDIT_MOVE: hitscan_edit_kind = 1;
/// Appends positions, which follow the old ones, and triangles of old and new vertices. Either may be NULL.
pub const HITSCAN_EDIT_APPEND: hitscan_edit_kind = 2;
/// Removes the triangles indices[i], the largest first: the last triangle takes the place of each. Vertices stay.
pub const HITSCAN_EDIT_REMOVE: hitscan_edit_kind = 3;
/// Puts triangles in place of those from first on, n_replaced of them. Fewer remove the end of the range as
/// HITSCAN_EDIT_REMOVE does, and more are appended. triangles may be NULL.
pub const HITSCAN_EDIT_REPLACE: hitscan_edit_kind = 4;

/// An edit of a mesh. Positions are in the space of the mesh. The arrays are only read, and not kept.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hitscan_edit {
    /// sizeof(hitscan_edit)
    pub size: usize,
    /// HITSCAN_EDIT_MOVE, _APPEND, _REMOVE or _REPLACE.
    pub kind: hitscan_edit_kind,
    /// 0.
    pub reserved: u32,
    /// The vertices to move, or the triangles to remove.
    pub indices: *const u32,
    /// The number of indices.
    pub n_indices: usize,
    /// The positions of moved or appended vertices.
    pub positions: *const hitscan_positions,
    /// The triangles to append or to put in place of others.
    pub triangles: *const hitscan_triangles,
    /// The first triangle to replace.
    pub first: usize,
    /// The number of triangles to replace.
    pub n_replaced: usize,
}

plain!(hitscan_edit);
zeros!(hitscan_edit);

/// An edit with the arrays of the caller.
type Edit<'a> = MeshChange<'a>;

/// Reads an edit.
fn read<'a>(caller: &'a Caller, edit: *const hitscan_edit) -> Result<Edit<'a>, Failure> {
    let edit = caller.required(edit, "edit")?;
    let positions = || match edit.positions.is_null() {
        true => Ok(Vec::new()),
        false => read_positions(caller, edit.positions),
    };
    let triangles = || match edit.triangles.is_null() {
        true => Ok(Vec::new()),
        false => read_triangles(caller, &caller.options(edit.triangles, "triangles")?),
    };
    let indices = || caller.array(edit.indices, edit.n_indices, "edit.indices");
    match edit.kind {
        HITSCAN_EDIT_MOVE => {
            let (vertices, positions) = (indices()?, positions()?);
            if vertices.len() != positions.len() {
                let expected = format_args!("{} as edit.indices", vertices.len()).to_string();
                return Err(invalid("edit.positions.n", positions.len(), expected));
            }
            Ok(Edit::Move { vertices: vertices.into(), positions: positions.into() })
        }
        HITSCAN_EDIT_APPEND => {
            Ok(Edit::Append { positions: positions()?.into(), triangles: triangles()?.into() })
        }
        HITSCAN_EDIT_REMOVE => Ok(Edit::Remove { triangles: indices()?.into() }),
        HITSCAN_EDIT_REPLACE => {
            let end = edit.first.checked_add(edit.n_replaced);
            let ends = u32::try_from(edit.first).ok().zip(end.and_then(|end| end.try_into().ok()));
            let (first, end) = ends.ok_or_else(|| {
                let found = format_args!("{} and {}", edit.first, edit.n_replaced).to_string();
                invalid("edit.first and edit.n_replaced", found, "triangles of the mesh")
            })?;
            Ok(Edit::Replace { range: first..end, triangles: triangles()?.into() })
        }
        other => {
            Err(invalid("edit.kind", other, "HITSCAN_EDIT_MOVE, _APPEND, _REMOVE or _REPLACE"))
        }
    }
}

/// The failure of an edit that the mesh does not take.
fn refusal(error: &EditError) -> Failure {
    match error {
        EditError::Records => refused(
            "edit",
            "the mesh has polygons and names of a file, which other triangles do not fit; load it with skip_records",
        ),
        error => refused("edit", error),
    }
}

/// Edits the mesh of a tree, which follows at the cost of what changed. Answers are those of a tree that is built anew.
///
/// rebuild_pays receives 1 once a new build would pay; it may be NULL. Scenes and meshes that share the tree keep the
/// old mesh; it is then copied first. No other thread may use the tree meanwhile.
///
/// HITSCAN_INVALID_ARGUMENT: a vertex or triangle that the mesh does not have, or that stands twice; a position that is
/// not finite; other triangles for a mesh with polygons of a file. Nothing has changed then.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_bvh_update(
    bvh: *mut hitscan_bvh,
    edit: *const hitscan_edit,
    rebuild_pays: *mut u32,
) -> hitscan_status {
    entry!("hitscan_bvh_update", |caller| {
        let bvh = caller.get_mut(bvh, "bvh")?;
        let rebuild_pays = caller.optional_out(rebuild_pays, "rebuild_pays")?;
        let edit = read(caller, edit)?;
        let report = Arc::make_mut(&mut bvh.mesh).edit(|editor| editor.apply(&edit));
        let report = report.map_err(|error| refusal(&error))?;
        if let Some(rebuild_pays) = rebuild_pays {
            rebuild_pays.write(u32::from(report.rebuild_pays()));
        }
        Ok(())
    })
}

/// Edits the mesh of an instance, and of all other instances of the scene that share it, as hitscan_bvh_update does.
/// Trees and snapshots keep theirs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_scene_update(
    scene: *mut hitscan_scene,
    id: hitscan_instance_id,
    edit: *const hitscan_edit,
    rebuild_pays: *mut u32,
) -> hitscan_status {
    entry!("hitscan_scene_update", |caller| {
        let scene = caller.get_mut(scene, "scene")?;
        let rebuild_pays = caller.optional_out(rebuild_pays, "rebuild_pays")?;
        let edit = read(caller, edit)?;
        let report = scene.edit_mesh(instance_id(id), |editor| editor.apply(&edit));
        let report = report.map_err(|error| match error {
            SceneError::Edit { source, .. } => refusal(&source),
            error => refused("id", error),
        })?;
        if let Some(rebuild_pays) = rebuild_pays {
            rebuild_pays.write(u32::from(report.rebuild_pays()));
        }
        Ok(())
    })
}
