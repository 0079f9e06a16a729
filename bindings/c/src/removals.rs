//! Instances that are removed from a scene, and come back.

use engine::scene::RemovedSubtree;

use crate::{
    call::entry,
    handle::kind,
    options::{hitscan_instance_id, id_of, instance_id},
    scene::{hitscan_scene, refusal},
    status::hitscan_status,
};

/// An instance with its descendants after hitscan_scene_remove_restorable.
pub struct hitscan_removed {
    _opaque: [u8; 0],
}

kind!(hitscan_removed, RemovedSubtree, *b"hs_remov");

/// Removes an instance with its descendants, so that hitscan_scene_restore can undo it. The caller releases removed with
/// hitscan_removed_release. The scene keeps the numbers of the instances until hitscan_scene_forget.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_scene_remove_restorable(
    scene: *mut hitscan_scene,
    id: hitscan_instance_id,
    removed: *mut *mut hitscan_removed,
) -> hitscan_status {
    entry!("hitscan_scene_remove_restorable", |caller| {
        let scene = caller.get_mut(scene, "scene")?;
        let removed = caller.out_handle(removed, "removed")?;
        removed.write(scene.remove(instance_id(id)).map_err(refusal)?);
        Ok(())
    })
}

/// Restores removed instances with their numbers, names, order and parent, and writes the first number to id, which may
/// be NULL. If the parent has moved, they follow it. A clone of the scene can restore what another one removed.
///
/// HITSCAN_INVALID_ARGUMENT: instances of another scene, or that are present or forgotten; a parent that is gone.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_scene_restore(
    scene: *mut hitscan_scene,
    removed: *const hitscan_removed,
    id: *mut hitscan_instance_id,
) -> hitscan_status {
    entry!("hitscan_scene_restore", |caller| {
        let scene = caller.get_mut(scene, "scene")?;
        let id = caller.optional_out(id, "id")?;
        let restored = scene.restore(caller.get(removed, "removed")?).map_err(refusal)?;
        if let Some(id) = id {
            id.write(id_of(restored));
        }
        Ok(())
    })
}

/// Lets new instances take the room of removed ones, which the scene can then no longer restore. Programs that remove
/// and insert for ever call it once an undo is no longer possible. Does nothing for instances that are restored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_scene_forget(
    scene: *mut hitscan_scene,
    removed: *const hitscan_removed,
) -> hitscan_status {
    entry!("hitscan_scene_forget", |caller| {
        let scene = caller.get_mut(scene, "scene")?;
        scene.forget(caller.get(removed, "removed")?.clone());
        Ok(())
    })
}

/// Releases removed instances. NULL does nothing. Their scene stays valid.
///
/// HITSCAN_INVALID_HANDLE: a handle that is released already.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_removed_release(removed: *mut hitscan_removed) -> hitscan_status {
    entry!("hitscan_removed_release", |caller| caller.release(removed, "removed"))
}
