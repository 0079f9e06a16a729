//! The calls for geometries.

use std::{ffi::c_void, ptr, sync::Arc};

use engine::glam::DAffine3;

use crate::{
    abi::{BoundsFn, FilterFn, PointQueryFn, UserFn, format, quality},
    call::{call, call_or, release},
    device::{self, Device},
    error::{Outcome, invalid, not_now, unsupported},
    geometry::{Geometry, Instanced, Kind, State, transform_from, transform_to},
    handle,
    scene::Scene,
};

/// Creates a geometry.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcNewGeometry(device: *const Device, kind: u32) -> *mut Geometry {
    device::make("rtcNewGeometry", device, |device| Ok(Geometry::new(device, Kind::new(kind)?)))
}

/// Counts one more handle of a geometry.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcRetainGeometry(geometry: *const Geometry) {
    call("rtcRetainGeometry", geometry, |geometry| {
        handle::retain(geometry);
        Ok(())
    });
}

/// Counts one handle of a geometry less.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcReleaseGeometry(geometry: *const Geometry) {
    release("rtcReleaseGeometry", geometry);
}

/// Ends the changes of a geometry.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcCommitGeometry(geometry: *const Geometry) {
    call("rtcCommitGeometry", geometry, Geometry::commit);
}

/// Shows a geometry.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcEnableGeometry(geometry: *const Geometry) {
    call("rtcEnableGeometry", geometry, |geometry| {
        geometry.enable(true);
        Ok(())
    });
}

/// Hides a geometry.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcDisableGeometry(geometry: *const Geometry) {
    call("rtcDisableGeometry", geometry, |geometry| {
        geometry.enable(false);
        Ok(())
    });
}

/// Takes one time step. There is no motion blur.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcSetGeometryTimeStepCount(geometry: *const Geometry, n: u32) {
    call("rtcSetGeometryTimeStepCount", geometry, |_| match n {
        1 => Ok(()),
        0 => Err(invalid("timeStepCount", 0, 1)),
        n => Err(unsupported(format_args!("timeStepCount {n}: motion blur"))),
    });
}

/// Takes any interval, because there is one time step.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcSetGeometryTimeRange(geometry: *const Geometry, start: f32, end: f32) {
    call("rtcSetGeometryTimeRange", geometry, |_| {
        if start <= end {
            return Ok(());
        }
        Err(invalid("startTime", start, format_args!("at most endTime {end}")))
    });
}

/// Sets the number of vertex attributes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcSetGeometryVertexAttributeCount(geometry: *const Geometry, n: u32) {
    call("rtcSetGeometryVertexAttributeCount", geometry, |geometry| {
        geometry.expect_kind(geometry.kind.is_mesh(), "triangles or quads")?;
        // As many as Embree has slots for.
        const MOST: u32 = 16;
        if n > MOST {
            return Err(invalid("vertexAttributeCount", n, format_args!("at most {MOST}")));
        }
        geometry.change(|state| {
            state.attributes.resize(n as usize, None);
            Ok(())
        })
    });
}

/// Sets the mask that a ray must share a bit with. It is 1 at first.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcSetGeometryMask(geometry: *const Geometry, mask: u32) {
    call("rtcSetGeometryMask", geometry, |geometry| {
        geometry.change(|state| {
            state.mask = mask;
            Ok(())
        })
    });
}

/// Sets the quality. RTC_BUILD_QUALITY_REFIT lets new positions refit the tree; the scene has the others.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcSetGeometryBuildQuality(geometry: *const Geometry, quality: u32) {
    call("rtcSetGeometryBuildQuality", geometry, |geometry| {
        if quality > quality::REFIT {
            return Err(invalid("quality", quality, "an RTCBuildQuality"));
        }
        geometry.change(|state| {
            state.quality = quality;
            Ok(())
        })
    });
}

/// Sets the filter of queries for the closest hit.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcSetGeometryIntersectFilterFunction(
    geometry: *const Geometry,
    filter: FilterFn,
) {
    call("rtcSetGeometryIntersectFilterFunction", geometry, |geometry| {
        geometry.expect_kind(!geometry.kind.is_instances(), "no instances")?;
        geometry.change_callbacks(|state| state.intersect_filter = filter)
    });
}

/// Sets the filter of queries for any hit.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcSetGeometryOccludedFilterFunction(
    geometry: *const Geometry,
    filter: FilterFn,
) {
    call("rtcSetGeometryOccludedFilterFunction", geometry, |geometry| {
        geometry.expect_kind(!geometry.kind.is_instances(), "no instances")?;
        geometry.change_callbacks(|state| state.occluded_filter = filter)
    });
}

/// Lets the filter of a query's arguments see the geometry.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcSetGeometryEnableFilterFunctionFromArguments(
    geometry: *const Geometry,
    enable: bool,
) {
    call("rtcSetGeometryEnableFilterFunctionFromArguments", geometry, |geometry| {
        geometry.expect_kind(!geometry.kind.is_instances(), "no instances")?;
        geometry.change_callbacks(|state| state.takes_argument_filter = enable)
    });
}

/// Sets the pointer that callbacks get.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcSetGeometryUserData(geometry: *const Geometry, data: *mut c_void) {
    call("rtcSetGeometryUserData", geometry, |geometry| {
        geometry.set_user_data(data);
        Ok(())
    });
}

/// Returns the pointer that callbacks get.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcGetGeometryUserData(geometry: *const Geometry) -> *mut c_void {
    call_or(
        "rtcGetGeometryUserData",
        geometry,
        ptr::null_mut(),
        |geometry| Ok(geometry.user_data()),
    )
}

/// Sets the callback of point queries.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcSetGeometryPointQueryFunction(
    geometry: *const Geometry,
    function: PointQueryFn,
) {
    call("rtcSetGeometryPointQueryFunction", geometry, |geometry| {
        geometry.change_callbacks(|state| state.point_query = function)
    });
}

/// Sets the number of primitives of a user geometry.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcSetGeometryUserPrimitiveCount(geometry: *const Geometry, n: u32) {
    call("rtcSetGeometryUserPrimitiveCount", geometry, |geometry| {
        geometry.expect_kind(geometry.kind == Kind::User, "a user geometry")?;
        geometry.change(|state| {
            state.n_user_prims = n;
            Ok(())
        })
    });
}

/// Sets the callback for the boxes of a user geometry. It gets the geometry's own pointer, as in Embree.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcSetGeometryBoundsFunction(
    geometry: *const Geometry,
    bounds: BoundsFn,
    _user: *mut c_void,
) {
    call("rtcSetGeometryBoundsFunction", geometry, |geometry| {
        geometry.expect_kind(geometry.kind == Kind::User, "a user geometry")?;
        geometry.change_callbacks(|state| state.bounds = bounds)
    });
}

/// Sets the callback for the closest hit of a user geometry.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcSetGeometryIntersectFunction(
    geometry: *const Geometry,
    function: UserFn,
) {
    call("rtcSetGeometryIntersectFunction", geometry, |geometry| {
        geometry.expect_kind(geometry.kind == Kind::User, "a user geometry")?;
        geometry.change_callbacks(|state| state.intersect = function)
    });
}

/// Sets the callback for any hit of a user geometry.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcSetGeometryOccludedFunction(
    geometry: *const Geometry,
    function: UserFn,
) {
    call("rtcSetGeometryOccludedFunction", geometry, |geometry| {
        geometry.expect_kind(geometry.kind == Kind::User, "a user geometry")?;
        geometry.change_callbacks(|state| state.occluded = function)
    });
}

fn set_scenes(geometry: &Geometry, scenes: &[*const Scene]) -> Outcome<()> {
    geometry.expect_kind(geometry.kind.is_instances(), "an instance or an array of instances")?;
    let mut shared: Vec<Arc<dyn Instanced>> = Vec::new();
    for &scene in scenes {
        let scene = handle::get(scene)?;
        if !Arc::ptr_eq(geometry.shared_device(), scene.shared_device()) {
            return Err(invalid("scene", "one of another device", "one of the same device"));
        }
        let scene: Arc<Scene> = handle::share(scene);
        shared.push(scene);
    }
    geometry.change(|state| {
        state.scenes = shared;
        Ok(())
    })
}

/// Sets the scene of an instance.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcSetGeometryInstancedScene(
    geometry: *const Geometry,
    scene: *const Scene,
) {
    call("rtcSetGeometryInstancedScene", geometry, |geometry| set_scenes(geometry, &[scene]));
}

/// Sets the scenes of an array of instances.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcSetGeometryInstancedScenes(
    geometry: *const Geometry,
    scenes: *const *const Scene,
    n: usize,
) {
    call("rtcSetGeometryInstancedScenes", geometry, |geometry| {
        geometry.expect_kind(geometry.kind == Kind::InstanceArray, "an array of instances")?;
        if scenes.is_null() || n > u32::MAX as usize {
            return Err(invalid("scenes", "NULL or too many", "an array of scenes"));
        }
        // SAFETY: the program passes an array of this length.
        set_scenes(geometry, unsafe { std::slice::from_raw_parts(scenes, n) })
    });
}

/// Sets the transform of an instance.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcSetGeometryTransform(
    geometry: *const Geometry,
    time_step: u32,
    format: u32,
    transform: *const c_void,
) {
    call("rtcSetGeometryTransform", geometry, |geometry| {
        geometry.expect_kind(geometry.kind == Kind::Instance, "an instance")?;
        if time_step > 0 {
            return Err(unsupported(format_args!("timeStep {time_step}: motion blur")));
        }
        let n = match format {
            format::FLOAT3X4_ROW_MAJOR | format::FLOAT3X4_COLUMN_MAJOR => 12,
            format::FLOAT4X4_COLUMN_MAJOR => 16,
            other => return Err(invalid("format", format_args!("{other:#x}"), "a matrix 3 x 4")),
        };
        if transform.is_null() {
            return Err(invalid("xfm", "NULL", "a matrix"));
        }
        let mut numbers = [0f32; 16];
        // SAFETY: the program passes as many numbers as the format says.
        unsafe { ptr::copy_nonoverlapping(transform.cast(), numbers.as_mut_ptr(), n) };
        geometry.change(|state| {
            state.transform = transform_from(format, &numbers);
            Ok(())
        })
    });
}

/// Fails, because hitscan has no motion blur, for which these transforms are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcSetGeometryTransformQuaternion(
    geometry: *const Geometry,
    _time_step: u32,
    _decomposition: *const c_void,
) {
    call("rtcSetGeometryTransformQuaternion", geometry, |_| -> Outcome<()> {
        Err(unsupported("transforms by quaternions"))
    });
}

/// Writes the transform of an instance.
pub(crate) fn write_transform(
    geometry: &Geometry,
    prim_id: u32,
    format: u32,
    place: *mut c_void,
) -> Outcome<()> {
    let of = |state: &State| state.transform_of(geometry.kind, prim_id);
    // Embree says the identity for what is no instance.
    let transform = match geometry.with(of) {
        Some(transform) => transform,
        None if geometry.kind.is_instances() => {
            return Err(invalid("instPrimID", prim_id, "an instance of the geometry"));
        }
        None => DAffine3::IDENTITY,
    };
    let Some((numbers, n)) = transform_to(format, &transform) else {
        return Err(invalid("format", format_args!("{format:#x}"), "a matrix 3 x 4"));
    };
    if place.is_null() {
        return Err(not_now("xfm: NULL; expected memory for a matrix"));
    }
    // SAFETY: the program passes memory for as many numbers as the format says.
    unsafe { ptr::copy_nonoverlapping(numbers.as_ptr(), place.cast(), n) };
    Ok(())
}

/// Writes the transform of an instance.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcGetGeometryTransform(
    geometry: *const Geometry,
    _time: f32,
    format: u32,
    place: *mut c_void,
) {
    call("rtcGetGeometryTransform", geometry, |geometry| {
        write_transform(geometry, 0, format, place)
    });
}

/// Writes the transform of an instance of an array.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcGetGeometryTransformEx(
    geometry: *const Geometry,
    prim_id: u32,
    _time: f32,
    format: u32,
    place: *mut c_void,
) {
    call("rtcGetGeometryTransformEx", geometry, |geometry| {
        write_transform(geometry, prim_id, format, place)
    });
}
