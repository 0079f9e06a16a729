//! Edits of meshes in scenes.

use std::sync::Arc;

use hitscan_scene::SceneError;

use crate::{
    edits::{bytes, refuse, staged},
    failure::{fail, fail_for_memory, fail_with, has_room_for},
    objects::{self, Object, edit_scene},
    output,
    scene::{id_of, number_of},
};

/// Edits the mesh of an instance, and of all that share it, by the staged arrays. Returns 1, or 0 and an error. Numbers
/// 0 to 2: the costs of a ray at the build and now, and the number of instances, whose handles are the answer's f64.
#[unsafe(no_mangle)]
extern "C" fn scene_update(scene: u32, id: f64, kind: u32, start: u32, end: u32) -> u32 {
    let (edit, id) = (staged(kind, start, end), id_of(id));
    edit_scene(scene, |scene| {
        if let Some(mesh) = scene.get(id).and_then(|instance| instance.mesh.as_ref()) {
            let needed = bytes(&edit, mesh.tri_mesh());
            if !has_room_for(needed) {
                return fail_for_memory(edit.name(), needed);
            }
        }
        match scene.edit_mesh(id, |editor| editor.apply(&edit)) {
            Ok(report) => {
                let mesh = scene.get(id).and_then(|instance| instance.mesh.clone());
                let has_it = |other: Option<&Arc<_>>| {
                    mesh.as_ref().zip(other).is_some_and(|(mesh, other)| Arc::ptr_eq(mesh, other))
                };
                let sharing = scene.iter().filter(|(_, of)| has_it(of.mesh.as_ref()));
                let ids: Vec<f64> = sharing.map(|(id, _)| number_of(id)).collect();
                output::write(0, &[report.cost_when_built.into(), report.cost_now.into()]);
                output::write(2, &[ids.len() as f64]);
                output::put_doubles(ids);
                1
            }
            Err(SceneError::Edit { source, .. }) => refuse(&edit, &source),
            Err(error) => fail_with(&error),
        }
    })
}

/// Another handle of the mesh of an instance, with its tree. 0 and an error if it has none.
#[unsafe(no_mangle)]
extern "C" fn scene_bvh(scene: u32, id: f64) -> u32 {
    let Some(Object::Scene(scene)) = objects::get(scene) else {
        return fail("scene: there is no such scene");
    };
    match scene.get(id_of(id)).and_then(|instance| instance.mesh.clone()) {
        Some(mesh) => objects::insert(Object::Built(mesh)),
        None => fail("id: there is no such instance with a mesh"),
    }
}
