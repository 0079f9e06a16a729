//! The calls for scenes, without queries.

use std::{ffi::c_void, ptr};

use engine::Aabb;

use crate::{
    abi::{Bounds, Callback, INVALID_ID, Opaque, ProgressFn},
    call::{call, call_or, release},
    device::{self, Device},
    error::{Outcome, invalid},
    geometry::Geometry,
    geometry_calls::write_transform,
    handle,
    scene::Scene,
};

/// Creates a scene.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcNewScene(device: *const Device) -> *mut Scene {
    device::make("rtcNewScene", device, |device| Ok(Scene::new(device)))
}

/// Returns the device of a scene, as a new handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcGetSceneDevice(scene: *const Scene) -> *mut Device {
    call_or("rtcGetSceneDevice", scene, ptr::null_mut(), |scene| {
        Ok(handle::give(scene.shared_device().clone()))
    })
}

/// Counts one more handle of a scene.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcRetainScene(scene: *const Scene) {
    call("rtcRetainScene", scene, |scene| {
        handle::retain(scene);
        Ok(())
    });
}

/// Counts one handle of a scene less.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcReleaseScene(scene: *const Scene) {
    release("rtcReleaseScene", scene);
}

/// Returns the scene, which queries of traversables take.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcGetSceneTraversable(scene: *const Scene) -> *const Scene {
    scene
}

/// Puts a geometry in by the first number that is free, and returns the number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcAttachGeometry(scene: *const Scene, geometry: *const Geometry) -> u32 {
    call_or("rtcAttachGeometry", scene, INVALID_ID, |scene| {
        scene.attach(handle::share(handle::get(geometry)?), None)
    })
}

/// Puts a geometry in by a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcAttachGeometryByID(
    scene: *const Scene,
    geometry: *const Geometry,
    geom_id: u32,
) {
    call("rtcAttachGeometryByID", scene, |scene| {
        scene.attach(handle::share(handle::get(geometry)?), Some(geom_id)).map(drop)
    });
}

/// Takes a geometry out.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcDetachGeometry(scene: *const Scene, geom_id: u32) {
    call("rtcDetachGeometry", scene, |scene| scene.detach(geom_id));
}

fn geometry_of(scene: &Scene, geom_id: u32) -> Outcome<*const Geometry> {
    scene.geometry(geom_id).map(|geometry| ptr::from_ref(&*geometry))
}

/// Returns a geometry, without counting a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcGetGeometry(scene: *const Scene, geom_id: u32) -> *const Geometry {
    call_or("rtcGetGeometry", scene, ptr::null(), |scene| geometry_of(scene, geom_id))
}

/// As rtcGetGeometry, which many threads may call, too.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcGetGeometryThreadSafe(
    scene: *const Scene,
    geom_id: u32,
) -> *const Geometry {
    call_or("rtcGetGeometryThreadSafe", scene, ptr::null(), |scene| geometry_of(scene, geom_id))
}

/// Builds what queries need. Does nothing if nothing has changed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcCommitScene(scene: *const Scene) {
    call("rtcCommitScene", scene, Scene::commit);
}

/// As rtcCommitScene, from many threads: one builds, on the threads of the library, and the others wait.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcJoinCommitScene(scene: *const Scene) {
    call("rtcJoinCommitScene", scene, Scene::commit);
}

/// Sets the function that hears of the progress of builds, and may cancel them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcSetSceneProgressMonitorFunction(
    scene: *const Scene,
    function: ProgressFn,
    user: *mut c_void,
) {
    call("rtcSetSceneProgressMonitorFunction", scene, |scene| {
        scene.set_progress(Callback { function, user: Opaque(user) });
        Ok(())
    });
}

/// Sets the quality of builds.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcSetSceneBuildQuality(scene: *const Scene, quality: u32) {
    call("rtcSetSceneBuildQuality", scene, |scene| scene.set_quality(quality));
}

/// Sets the flags. Every scene is robust.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcSetSceneFlags(scene: *const Scene, flags: u32) {
    call("rtcSetSceneFlags", scene, |scene| scene.set_flags(flags));
}

/// Returns the flags.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcGetSceneFlags(scene: *const Scene) -> u32 {
    call("rtcGetSceneFlags", scene, |scene| Ok(scene.flags()))
}

fn write_bounds(scene: &Scene, places: &mut [*mut Bounds]) -> Outcome<()> {
    let Aabb { min, max } = scene.current()?.bounds;
    let bounds = Bounds { lower: min.to_array(), align0: 0.0, upper: max.to_array(), align1: 0.0 };
    for &mut place in places {
        if place.is_null() {
            return Err(invalid("bounds_o", "NULL", "memory for bounds"));
        }
        // SAFETY: the program passes memory for bounds.
        unsafe { place.write_unaligned(bounds) };
    }
    Ok(())
}

/// Writes the box of a scene; from infinity to minus infinity if nothing is in it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcGetSceneBounds(scene: *const Scene, place: *mut Bounds) {
    call("rtcGetSceneBounds", scene, |scene| write_bounds(scene, &mut [place]));
}

/// Writes the box of a scene twice, because it does not move.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcGetSceneLinearBounds(scene: *const Scene, places: *mut Bounds) {
    let second = if places.is_null() { places } else { places.wrapping_add(1) };
    call("rtcGetSceneLinearBounds", scene, |scene| write_bounds(scene, &mut [places, second]));
}

fn user_data_of(function: &'static str, scene: *const Scene, geom_id: u32) -> *mut c_void {
    call_or(function, scene, ptr::null_mut(), |scene| {
        scene.with_geometry(geom_id, |geometry| Ok(geometry.user_data()))
    })
}

/// Returns the pointer of a geometry.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcGetGeometryUserDataFromScene(
    scene: *const Scene,
    geom_id: u32,
) -> *mut c_void {
    user_data_of("rtcGetGeometryUserDataFromScene", scene, geom_id)
}

/// Returns the pointer of a geometry.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcGetGeometryUserDataFromTraversable(
    scene: *const Scene,
    geom_id: u32,
) -> *mut c_void {
    user_data_of("rtcGetGeometryUserDataFromTraversable", scene, geom_id)
}

/// Writes the transform of an instance.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcGetGeometryTransformFromScene(
    scene: *const Scene,
    geom_id: u32,
    _time: f32,
    format: u32,
    place: *mut c_void,
) {
    call("rtcGetGeometryTransformFromScene", scene, |scene| {
        scene.with_geometry(geom_id, |geometry| write_transform(geometry, 0, format, place))
    });
}

/// Writes the transform of an instance.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcGetGeometryTransformFromTraversable(
    scene: *const Scene,
    geom_id: u32,
    _time: f32,
    format: u32,
    place: *mut c_void,
) {
    call("rtcGetGeometryTransformFromTraversable", scene, |scene| {
        scene.with_geometry(geom_id, |geometry| write_transform(geometry, 0, format, place))
    });
}
