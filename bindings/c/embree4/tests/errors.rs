//! Wrong calls are errors of the device, and nothing else happens.

mod support;

use std::{
    cell::RefCell,
    ffi::{CStr, c_char, c_void},
    ptr,
    sync::atomic::{AtomicIsize, Ordering},
};

use engine::primitives::generate;
use hitscan_embree4::{
    abi::{Bounds, INVALID_ID, buffer, error, format, geometry_type},
    *,
};
use support::{RayHit, intersect, triangles};

thread_local! {
    static HEARD: RefCell<Vec<(u32, String)>> = const { RefCell::new(vec![]) };
}

unsafe extern "C" fn hear(_: *mut c_void, code: u32, text: *const c_char) {
    // SAFETY: the library passes a text.
    let text = unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned();
    HEARD.with_borrow_mut(|heard| heard.push((code, text)));
}

fn device() -> *mut Device {
    // SAFETY: no settings, and a function for errors.
    unsafe {
        let device = rtcNewDevice(ptr::null());
        rtcSetDeviceErrorFunction(device, Some(hear), ptr::null_mut());
        device
    }
}

/// The one error of a call.
#[track_caller]
fn error_of<T>(call: impl FnOnce() -> T) -> (u32, String) {
    HEARD.with_borrow_mut(Vec::clear);
    call();
    let heard = HEARD.with_borrow(Vec::clone);
    assert_eq!(heard.len(), 1, "{heard:?}");
    heard[0].clone()
}

#[test]
fn what_hitscan_has_not_is_an_error_with_its_name() {
    let device = device();
    // SAFETY: handles of the device.
    unsafe {
        for (kind, name) in
            [(2, "GRID"), (8, "SUBDIVISION"), (16, "curve"), (25, "curve"), (50, "points")]
        {
            let (code, text) = error_of(|| assert!(rtcNewGeometry(device, kind).is_null()));
            assert!(code == error::INVALID_OPERATION && text.contains(name), "{text}");
        }
        let geometry = rtcNewGeometry(device, geometry_type::TRIANGLE);
        let scene = rtcNewScene(device);
        for (text, word) in [
            (error_of(|| rtcSetGeometryTimeStepCount(geometry, 2)).1, "motion blur"),
            (error_of(|| rtcSetGeometryTessellationRate(geometry, 2.0)).1, "subdivision"),
            (error_of(|| rtcCollide(scene, scene, ptr::null(), ptr::null_mut())).1, "collisions"),
            (error_of(|| rtcNewBVH(device)).1, "trees"),
            (error_of(|| rtcNewGeometry(device, 99)).1, "type: 99"),
        ] {
            assert!(text.contains(word), "{text}");
        }
    }
}

#[test]
fn wrong_arguments_are_named_and_change_nothing() {
    let device = device();
    let corners = [[0f32; 3]; 4];
    // SAFETY: handles of the device, and arrays that outlive it; the calls refuse the rest.
    unsafe {
        let geometry = triangles(device, &generate::cuboid(2.0, 2.0, 2.0, 0).expect("a size"));
        let (scene, data) = (rtcNewScene(device), corners.as_ptr().cast());
        let set = |kind, slot, form, data, stride, n| {
            error_of(|| rtcSetSharedGeometryBuffer(geometry, kind, slot, form, data, 0, stride, n))
                .1
        };
        let buffer = rtcNewBuffer(device, 40);
        let user = rtcNewGeometry(device, geometry_type::USER);
        for (text, words) in [
            (set(buffer::VERTEX, 0, format::FLOAT16, data, 64, 1), "format"),
            (set(buffer::VERTEX, 0, format::FLOAT3, data, 10, 4), "byteStride: 10"),
            (set(buffer::VERTEX, 0, format::FLOAT3, data, 0, 4), "byteStride: 0"),
            (set(buffer::VERTEX, 1, format::FLOAT3, data, 12, 4), "motion blur"),
            (set(buffer::VERTEX, 0, format::FLOAT3, ptr::null(), 12, 4), "ptr: NULL"),
            (set(buffer::VERTEX, 0, format::FLOAT3, data, 12, usize::MAX / 8), "itemCount"),
            (set(buffer::ATTRIBUTE, 3, format::FLOAT3, data, 12, 4), "slot: 3"),
            (set(buffer::TRANSFORM, 0, format::FLOAT3, data, 12, 4), "type"),
            (
                error_of(|| {
                    let (kind, form) = (buffer::VERTEX, format::FLOAT3);
                    rtcSetGeometryBuffer(geometry, kind, 0, form, buffer, 8, 12, 3);
                })
                .1,
                "at most the 40 bytes",
            ),
            (error_of(|| rtcSetGeometryUserPrimitiveCount(geometry, 3)).1, "a user geometry"),
            (error_of(|| rtcSetGeometryInstancedScene(geometry, scene)).1, "an instance"),
            (
                error_of(|| rtcUpdateGeometryBuffer(user, buffer::VERTEX, 0)).1,
                "a buffer that is set",
            ),
            (error_of(|| rtcDetachGeometry(scene, 3)).1, "geomID: 3"),
            (error_of(|| rtcGetGeometry(scene, INVALID_ID)).1, "RTC_INVALID_GEOMETRY_ID"),
            (error_of(|| rtcGetSceneBounds(scene, &mut Bounds::default())).1, "not committed"),
            (
                error_of(|| intersect(scene, &engine::Ray::new([0.0; 3], [1.0; 3]))).1,
                "not committed",
            ),
            (error_of(|| rtcGetDeviceProperty(device, 9999)).1, "prop: 9999"),
        ] {
            assert!(text.contains(words), "{text}");
        }
        // A geometry that is not committed leaves the last picture.
        rtcAttachGeometry(scene, geometry);
        rtcCommitScene(scene);
        rtcSetGeometryMask(geometry, 1);
        assert!(error_of(|| rtcCommitScene(scene)).1.contains("geometry 0 is not committed"));
        assert_eq!(intersect(scene, &engine::Ray::new([0.1; 3], [1.0, 0.1, 0.2])).geom_id[0], 0);
        // The code is that of the first error, until it is asked for.
        assert_eq!(rtcGetDeviceError(device), error::INVALID_OPERATION);
        assert_eq!(rtcGetDeviceError(device), error::NONE);
    }
}

#[test]
fn handles_that_are_null_or_of_another_kind_are_errors_of_the_thread() {
    let device = device();
    // SAFETY: the calls refuse NULL and handles of another kind.
    unsafe {
        let scene = rtcNewScene(device);
        rtcCommitScene(ptr::null());
        assert_eq!(rtcGetDeviceError(ptr::null()), error::INVALID_ARGUMENT);
        rtcCommitGeometry(scene.cast());
        assert_eq!(rtcGetDeviceError(ptr::null()), error::INVALID_ARGUMENT);
        let text = CStr::from_ptr(rtcGetDeviceLastErrorMessage(ptr::null())).to_string_lossy();
        assert!(text.contains("rtcCommitGeometry") && text.contains("RTCGeometry"), "{text}");
        let mut ray = RayHit::new(&[engine::Ray::new([0.0; 3], [1.0; 3])]);
        rtcIntersect1(ptr::null(), ray.pointer(), ptr::null());
        assert_eq!(rtcGetDeviceError(ptr::null()), error::INVALID_ARGUMENT);
        rtcCommitScene(scene);
        let (code, _) = error_of(|| rtcIntersect1(scene, ptr::null_mut(), ptr::null()));
        assert_eq!(code, error::INVALID_ARGUMENT);
        assert_eq!(rtcGetDeviceError(ptr::null()), error::NONE);
    }
}

#[test]
fn an_instance_in_an_instance_or_with_a_singular_transform_is_refused() {
    let device = device();
    // SAFETY: handles of the device.
    unsafe {
        let mut inner = support::scene(
            device,
            &[triangles(device, &generate::cuboid(1.0, 1.0, 1.0, 0).expect("a size"))],
        );
        for (level, words) in [(0, ""), (1, "one level")] {
            let instance = rtcNewGeometry(device, geometry_type::INSTANCE);
            rtcSetGeometryInstancedScene(instance, inner);
            rtcCommitGeometry(instance);
            inner = rtcNewScene(device);
            rtcAttachGeometry(inner, instance);
            if level == 0 {
                rtcCommitScene(inner);
                let flat = [0f32; 12];
                rtcSetGeometryTransform(
                    instance,
                    0,
                    format::FLOAT3X4_ROW_MAJOR,
                    flat.as_ptr().cast(),
                );
                rtcCommitGeometry(instance);
                assert!(error_of(|| rtcCommitScene(inner)).1.contains("singular"));
            } else {
                assert!(error_of(|| rtcCommitScene(inner)).1.contains(words));
            }
        }
    }
}

#[test]
fn monitors_cancel_a_build_and_hear_of_all_memory_again() {
    static BYTES: AtomicIsize = AtomicIsize::new(0);
    static LIMIT: AtomicIsize = AtomicIsize::new(isize::MAX);
    unsafe extern "C" fn count(_: *mut c_void, bytes: isize, post: bool) -> bool {
        let now = BYTES.fetch_add(bytes, Ordering::Relaxed) + bytes;
        let goes_on = now <= LIMIT.load(Ordering::Relaxed);
        if !goes_on && !post {
            // Bytes that are refused before their allocation are never freed.
            BYTES.fetch_sub(bytes, Ordering::Relaxed);
        }
        goes_on
    }
    unsafe extern "C" fn cancel(_: *mut c_void, _: f64) -> bool {
        false
    }
    let device = device();
    let ray = engine::Ray::new([0.1, 0.2, 9.0], [0.0, 0.0, -1.0]);
    // SAFETY: handles of the device, each released once.
    unsafe {
        rtcSetDeviceMemoryMonitorFunction(device, Some(count), ptr::null_mut());
        let geometry = triangles(device, &generate::sphere(3.0, 5000).expect("a size"));
        let scene = rtcNewScene(device);
        rtcAttachGeometry(scene, geometry);
        rtcSetSceneProgressMonitorFunction(scene, Some(cancel), ptr::null_mut());
        assert_eq!(error_of(|| rtcCommitScene(scene)).0, error::CANCELLED);
        rtcSetSceneProgressMonitorFunction(scene, None, ptr::null_mut());
        LIMIT.store(BYTES.load(Ordering::Relaxed) + 1000, Ordering::Relaxed);
        assert_eq!(error_of(|| rtcCommitScene(scene)).0, error::OUT_OF_MEMORY);
        LIMIT.store(isize::MAX, Ordering::Relaxed);
        rtcCommitScene(scene);
        assert_eq!(intersect(scene, &ray).geom_id[0], 0);
        assert!(BYTES.load(Ordering::Relaxed) > 5000 * 100);
        rtcReleaseGeometry(geometry);
        assert_eq!(intersect(scene, &ray).geom_id[0], 0, "the scene has a share in it");
        rtcReleaseScene(scene);
        assert_eq!(BYTES.load(Ordering::Relaxed), 0);
        rtcReleaseDevice(device);
    }
}
