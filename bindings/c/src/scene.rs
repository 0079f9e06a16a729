//! Scenes: instances of trees in a world, their edits, and clones as snapshots.

use std::{ffi::c_char, sync::Arc};

use engine::{
    glam::DAffine3,
    scene::{Instance, InstanceId, KeepTransform, Scene, SceneError},
};

use crate::{
    bvh::{BvhValue, hitscan_bvh},
    bvh_lists::ListOut,
    call::entry,
    handle::kind,
    memory::{Caller, plain, zeros},
    mesh::{hitscan_positions, read_positions},
    options::{HITSCAN_NO_INSTANCE, flag, hitscan_instance_id, id_of, instance_id},
    status::{Failure, hitscan_status, refused},
};

/// Instances of trees in a world of double coordinates. Threads may query a scene at once. Edits need it for
/// themselves; a clone is a cheap snapshot that other threads go on to query.
pub struct hitscan_scene {
    _opaque: [u8; 0],
}

kind!(hitscan_scene, Scene, *b"hs_scene");

/// A new instance.
///
/// A transform is twelve numbers, column by column: the images of the x, y and z axes, then the translation. It is
/// the first three rows of a matrix that OpenGL and most libraries store by columns.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hitscan_instance {
    /// sizeof(hitscan_instance)
    pub size: usize,
    /// The tree of its mesh; NULL for a group. The scene shares it, so the caller may release it.
    pub bvh: *const hitscan_bvh,
    /// The transform to the space of the parent, or to the world; NULL for none.
    pub transform: *const f64,
    /// 1 if parent is set.
    pub has_parent: u32,
    /// One bit per layer that contains the instance. 0 stands for layer 0, whose bit is 1.
    pub layers: u32,
    /// The parent, with which the instance moves, hides and goes.
    pub parent: hitscan_instance_id,
    /// 1 to hide the instance and its descendants.
    pub hidden: u32,
    /// 1 to lock the instance.
    pub locked: u32,
    /// A name in UTF-8; may be NULL.
    pub name: *const c_char,
}

plain!(hitscan_instance);
zeros!(hitscan_instance);

pub(crate) fn refusal(error: SceneError) -> Failure {
    refused("scene", error)
}

/// The transform of the caller; NULL is the identity.
pub(crate) fn transform(caller: &Caller, transform: *const f64) -> Result<DAffine3, Failure> {
    if transform.is_null() {
        return Ok(DAffine3::IDENTITY);
    }
    let columns = caller.read(transform.cast::<[f64; 12]>(), "transform")?;
    Ok(DAffine3::from_cols_array(columns))
}

/// Makes an empty scene. The caller releases it with hitscan_scene_release.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_scene_new(scene: *mut *mut hitscan_scene) -> hitscan_status {
    entry!("hitscan_scene_new", |caller| {
        caller.out_handle(scene, "scene")?.write(Scene::new());
        Ok(())
    })
}

/// Makes a snapshot of a scene, which later edits of either do not change. The two share what they can. The caller
/// releases it with hitscan_scene_release.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_scene_clone(
    scene: *const hitscan_scene,
    snapshot: *mut *mut hitscan_scene,
) -> hitscan_status {
    entry!("hitscan_scene_clone", |caller| {
        let snapshot = caller.out_handle(snapshot, "snapshot")?;
        snapshot.write(caller.get(scene, "scene")?.clone());
        Ok(())
    })
}

/// Releases a scene. NULL does nothing.
///
/// HITSCAN_INVALID_HANDLE: a scene that is released already.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_scene_release(scene: *mut hitscan_scene) -> hitscan_status {
    entry!("hitscan_scene_release", |caller| caller.release(scene, "scene"))
}

/// Adds an instance, and writes its number to id, which may be NULL.
///
/// HITSCAN_INVALID_ARGUMENT: an unknown parent, or a transform that is singular or not finite.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_scene_insert(
    scene: *mut hitscan_scene,
    instance: *const hitscan_instance,
    id: *mut hitscan_instance_id,
) -> hitscan_status {
    entry!("hitscan_scene_insert", |caller| {
        let scene = caller.get_mut(scene, "scene")?;
        let id = caller.optional_out(id, "id")?;
        let instance = read_instance(caller, &caller.required(instance, "instance")?)?;
        let inserted = scene.insert(instance).map_err(refusal)?;
        if let Some(id) = id {
            id.write(id_of(inserted));
        }
        Ok(())
    })
}

fn read_instance(caller: &Caller, instance: &hitscan_instance) -> Result<Instance, Failure> {
    let mesh = match instance.bvh.is_null() {
        true => None,
        false => Some(caller.get(instance.bvh, "instance.bvh")?),
    };
    let has_parent = flag(instance.has_parent, "instance.has_parent")?;
    Ok(Instance {
        mesh: mesh.map(|bvh: &BvhValue| bvh.mesh.clone()),
        transform: transform(caller, instance.transform)?,
        parent: has_parent.then(|| instance_id(instance.parent)),
        name: match instance.name.is_null() {
            true => None,
            false => Some(Arc::from(caller.text(instance.name, "instance.name")?)),
        },
        layers: if instance.layers == 0 { 1 } else { instance.layers },
        hidden: flag(instance.hidden, "instance.hidden")?,
        locked: flag(instance.locked, "instance.locked")?,
    })
}

/// The scene of an edit, and the instance that it changes.
fn edited(
    caller: &Caller,
    scene: *mut hitscan_scene,
    id: hitscan_instance_id,
) -> Result<(&mut Scene, InstanceId), Failure> {
    Ok((caller.get_mut(scene, "scene")?, instance_id(id)))
}

/// Removes an instance with its descendants.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_scene_remove(
    scene: *mut hitscan_scene,
    id: hitscan_instance_id,
) -> hitscan_status {
    entry!("hitscan_scene_remove", |caller| {
        let (scene, id) = edited(caller, scene, id)?;
        let removed = scene.remove(id).map_err(refusal)?;
        scene.forget(removed);
        Ok(())
    })
}

/// Sets the transform of an instance relative to its parent; see hitscan_instance. Descendants move with it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_scene_set_transform(
    scene: *mut hitscan_scene,
    id: hitscan_instance_id,
    transform: *const f64,
) -> hitscan_status {
    entry!("hitscan_scene_set_transform", |caller| {
        let (scene, id) = edited(caller, scene, id)?;
        scene.set_transform(id, self::transform(caller, transform)?).map_err(refusal)
    })
}

/// Sets the transform of an instance relative to the world. Descendants move with it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_scene_set_world_transform(
    scene: *mut hitscan_scene,
    id: hitscan_instance_id,
    transform: *const f64,
) -> hitscan_status {
    entry!("hitscan_scene_set_world_transform", |caller| {
        let (scene, id) = edited(caller, scene, id)?;
        scene.set_world_transform(id, self::transform(caller, transform)?).map_err(refusal)
    })
}

/// Gives an instance another tree; NULL makes it a group.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_scene_set_mesh(
    scene: *mut hitscan_scene,
    id: hitscan_instance_id,
    bvh: *const hitscan_bvh,
) -> hitscan_status {
    entry!("hitscan_scene_set_mesh", |caller| {
        let (scene, id) = edited(caller, scene, id)?;
        let mesh = match bvh.is_null() {
            true => None,
            false => Some(caller.get(bvh, "bvh")?.mesh.clone()),
        };
        scene.set_mesh(id, mesh).map_err(refusal)
    })
}

/// Gives an instance another parent, HITSCAN_NO_INSTANCE for none. It keeps its place in the world.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_scene_reparent(
    scene: *mut hitscan_scene,
    id: hitscan_instance_id,
    parent: hitscan_instance_id,
) -> hitscan_status {
    entry!("hitscan_scene_reparent", |caller| {
        let (scene, id) = edited(caller, scene, id)?;
        let parent = (parent != HITSCAN_NO_INSTANCE).then(|| instance_id(parent));
        scene.reparent(id, parent, KeepTransform::World).map_err(refusal)
    })
}

/// Hides (1) or shows (0) an instance and its descendants.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_scene_set_hidden(
    scene: *mut hitscan_scene,
    id: hitscan_instance_id,
    hidden: u32,
) -> hitscan_status {
    entry!("hitscan_scene_set_hidden", |caller| {
        let (scene, id) = edited(caller, scene, id)?;
        scene.set_hidden(id, flag(hidden, "hidden")?).map_err(refusal)
    })
}

/// Locks (1) or unlocks (0) an instance.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_scene_set_locked(
    scene: *mut hitscan_scene,
    id: hitscan_instance_id,
    locked: u32,
) -> hitscan_status {
    entry!("hitscan_scene_set_locked", |caller| {
        let (scene, id) = edited(caller, scene, id)?;
        scene.set_locked(id, flag(locked, "locked")?).map_err(refusal)
    })
}

/// Sets the layers of an instance, one bit each. Here 0 is no layer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_scene_set_layers(
    scene: *mut hitscan_scene,
    id: hitscan_instance_id,
    layers: u32,
) -> hitscan_status {
    entry!("hitscan_scene_set_layers", |caller| {
        let (scene, id) = edited(caller, scene, id)?;
        scene.set_layers(id, layers).map_err(refusal)
    })
}

/// Moves the vertices of the mesh of one instance, in the space of the mesh. Other instances, trees and
/// snapshots keep theirs. rebuild_pays receives 1 once a new build would pay; it may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_scene_refit(
    scene: *mut hitscan_scene,
    id: hitscan_instance_id,
    positions: *const hitscan_positions,
    rebuild_pays: *mut u32,
) -> hitscan_status {
    entry!("hitscan_scene_refit", |caller| {
        let (scene, id) = edited(caller, scene, id)?;
        let rebuild_pays = caller.optional_out(rebuild_pays, "rebuild_pays")?;
        let report = scene.refit(id, read_positions(caller, positions)?).map_err(refusal)?;
        if let Some(rebuild_pays) = rebuild_pays {
            rebuild_pays.write(u32::from(report.rebuild_pays()));
        }
        Ok(())
    })
}

/// Writes the instances of a scene, each before its children: as many as capacity, and their number to
/// n_instances, which may be greater. ids may be NULL if capacity is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_scene_instances(
    scene: *const hitscan_scene,
    ids: *mut hitscan_instance_id,
    capacity: usize,
    n_instances: *mut usize,
) -> hitscan_status {
    entry!("hitscan_scene_instances", |caller| {
        let scene = caller.get(scene, "scene")?;
        let list = ListOut::new(caller, ids, capacity, n_instances, ["ids", "n_instances"])?;
        let found = scene.depth_first();
        list.write(found.len(), found.into_iter().map(id_of));
        Ok(())
    })
}

/// Writes the transform of an instance to the world: twelve numbers, as in hitscan_instance.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_scene_world_transform(
    scene: *const hitscan_scene,
    id: hitscan_instance_id,
    transform: *mut f64,
) -> hitscan_status {
    entry!("hitscan_scene_world_transform", |caller| {
        let scene = caller.get(scene, "scene")?;
        let transform = caller.out(transform.cast::<[f64; 12]>(), "transform")?;
        let id = instance_id(id);
        let found = scene.world_transform(id);
        let found = found.ok_or_else(|| refusal(SceneError::UnknownInstance(id)))?;
        transform.write(found.to_cols_array());
        Ok(())
    })
}

/// Writes the box around all visible instances: three numbers each. An empty scene has min = INFINITY and
/// max = -INFINITY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_scene_bounds(
    scene: *const hitscan_scene,
    min: *mut f64,
    max: *mut f64,
) -> hitscan_status {
    entry!("hitscan_scene_bounds", |caller| {
        let bounds = caller.get(scene, "scene")?.bounds();
        let min = caller.out(min.cast::<[f64; 3]>(), "min")?;
        caller.out(max.cast::<[f64; 3]>(), "max")?.write(bounds.max.to_array());
        min.write(bounds.min.to_array());
        Ok(())
    })
}
