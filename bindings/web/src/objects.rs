//! The objects that JavaScript holds by number.

use std::sync::Arc;

use hitscan_primitives::TriMesh;
use hitscan_scene::Mesh;
#[cfg(feature = "whole")]
use hitscan_scene::Scene;

use crate::{
    failure::fail,
    statics::{Kept, PerThread},
};

/// An object behind a handle.
#[derive(Clone)]
pub(crate) enum Object {
    /// A mesh that no tree was built of yet.
    Plain(Arc<TriMesh>),
    /// A mesh with its tree.
    Built(Arc<Mesh>),
    #[cfg(feature = "whole")]
    Scene(Arc<Scene>),
}

thread_local! {
    /// Entry 0 is never used, so that a handle is never 0.
    static OBJECTS: Kept<Vec<Option<Object>>> = const { Kept::new(Vec::new()) };
    static FREE: Kept<Vec<u32>> = const { Kept::new(Vec::new()) };
}

/// Stores an object and returns its handle.
pub(crate) fn insert(object: Object) -> u32 {
    OBJECTS.with_borrow_mut(|objects| {
        if let Some(handle) = FREE.with_borrow_mut(Vec::pop) {
            objects[handle as usize] = Some(object);
            return handle;
        }
        if objects.is_empty() {
            objects.push(None);
        }
        objects.push(Some(object));
        objects.len() as u32 - 1
    })
}

/// Frees an object, unless others share it.
#[unsafe(no_mangle)]
extern "C" fn object_free(handle: u32) {
    if take(handle).is_some() {
        FREE.with_borrow_mut(|free| free.push(handle));
    }
}

/// Takes an object out of its place, to change it without a copy. [`put`] brings it back.
pub(crate) fn take(handle: u32) -> Option<Object> {
    OBJECTS.with_borrow_mut(|objects| objects.get_mut(handle as usize)?.take())
}

/// Puts an object at a handle that [`take`] emptied, or replaces one.
pub(crate) fn put(handle: u32, object: Object) {
    OBJECTS.with_borrow_mut(|objects| objects[handle as usize] = Some(object));
}

/// The object of a handle. It is shared rather than borrowed, so a query that aborts locks nothing.
#[inline]
pub(crate) fn get(handle: u32) -> Option<Object> {
    OBJECTS.with_borrow(|objects| objects.get(handle as usize)?.clone())
}

/// Calls a function with the built mesh of a handle; 0 if there is none.
#[inline]
pub(crate) fn with_built(handle: u32, query: impl FnOnce(&Mesh) -> u32) -> u32 {
    match get(handle) {
        Some(Object::Built(mesh)) => query(&mesh),
        _ => fail("bvh: there is no such tree"),
    }
}

/// Calls a function with the triangles of a mesh, built or not; 0 if there is none.
pub(crate) fn with_triangles(handle: u32, query: impl FnOnce(&TriMesh) -> u32) -> u32 {
    match get(handle) {
        Some(Object::Plain(mesh)) => query(&mesh),
        Some(Object::Built(mesh)) => query(mesh.tri_mesh()),
        _ => fail("mesh: there is no such mesh"),
    }
}

/// Calls a function with the scene of a handle; 0 if there is none.
#[cfg(feature = "whole")]
#[inline]
pub(crate) fn with_scene(handle: u32, query: impl FnOnce(&Scene) -> u32) -> u32 {
    match get(handle) {
        Some(Object::Scene(scene)) => query(&scene),
        _ => fail("scene: there is no such scene"),
    }
}

/// Changes a scene in place; 0 if there is none.
#[cfg(feature = "whole")]
pub(crate) fn edit_scene(handle: u32, edit: impl FnOnce(&mut Scene) -> u32) -> u32 {
    match take(handle) {
        Some(Object::Scene(mut scene)) => {
            let result = edit(Arc::make_mut(&mut scene));
            put(handle, Object::Scene(scene));
            result
        }
        _ => fail("scene: there is no such scene"),
    }
}
