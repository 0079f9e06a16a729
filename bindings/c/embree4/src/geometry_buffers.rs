//! The calls for the buffers of geometries.

use std::{ffi::c_void, ptr, sync::Arc};

use crate::{
    buffer::{Buffer, View, bytes_of},
    call::{call, call_or},
    error::{Outcome, invalid},
    geometry::Geometry,
    handle,
};

/// A buffer of the program from its pointer, up to the last element.
fn shared_view(
    geometry: &Geometry,
    format: u32,
    data: *const c_void,
    offset: usize,
    stride: usize,
    n: usize,
) -> Outcome<View> {
    let n_bytes = bytes_of(format, stride, n)?;
    let Some(end) = offset.checked_add(n_bytes) else {
        return Err(invalid("byteOffset", offset, "fewer bytes than there are addresses"));
    };
    let device = geometry.shared_device().clone();
    let buffer = Buffer::shared(device, data.cast_mut(), end);
    View::new(Arc::new(buffer), format, offset, stride, n)
}

/// Sets a buffer.
#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments, reason = "the interface is Embree's")]
pub unsafe extern "C" fn rtcSetGeometryBuffer(
    geometry: *const Geometry,
    kind: u32,
    slot: u32,
    format: u32,
    buffer: *const Buffer,
    offset: usize,
    stride: usize,
    n: usize,
) {
    call("rtcSetGeometryBuffer", geometry, |geometry| {
        let buffer = handle::get(buffer)?;
        if !ptr::eq(&**geometry.shared_device(), buffer.device()) {
            return Err(invalid("buffer", "one of another device", "one of the same device"));
        }
        let view = View::new(handle::share(buffer), format, offset, stride, n)?;
        geometry.set_view(kind, slot, view)
    });
}

/// Sets a buffer of the program.
#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments, reason = "the interface is Embree's")]
pub unsafe extern "C" fn rtcSetSharedGeometryBuffer(
    geometry: *const Geometry,
    kind: u32,
    slot: u32,
    format: u32,
    data: *const c_void,
    offset: usize,
    stride: usize,
    n: usize,
) {
    call("rtcSetSharedGeometryBuffer", geometry, |geometry| {
        geometry.set_view(kind, slot, shared_view(geometry, format, data, offset, stride, n)?)
    });
}

/// As rtcSetSharedGeometryBuffer, because there is one memory.
#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments, reason = "the interface is Embree's")]
pub unsafe extern "C" fn rtcSetSharedGeometryBufferHostDevice(
    geometry: *const Geometry,
    kind: u32,
    slot: u32,
    format: u32,
    data: *const c_void,
    device_data: *const c_void,
    offset: usize,
    stride: usize,
    n: usize,
) {
    call("rtcSetSharedGeometryBufferHostDevice", geometry, |geometry| {
        if !device_data.is_null() {
            return Err(invalid("dptr", "a pointer", "NULL, because the device is the processor"));
        }
        geometry.set_view(kind, slot, shared_view(geometry, format, data, offset, stride, n)?)
    });
}

fn set_new(
    geometry: &Geometry,
    (kind, slot): (u32, u32),
    format: u32,
    stride: usize,
    n: usize,
) -> Outcome<*mut c_void> {
    let n_bytes = bytes_of(format, stride, n)?;
    let buffer = Buffer::new(geometry.shared_device().clone(), n_bytes)?;
    let view = View::new(Arc::new(buffer), format, 0, stride, n)?;
    let data = view.data();
    geometry.set_view(kind, slot, view)?;
    Ok(data)
}

/// Creates and sets a buffer. Returns its memory; NULL if it fails.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcSetNewGeometryBuffer(
    geometry: *const Geometry,
    kind: u32,
    slot: u32,
    format: u32,
    stride: usize,
    n: usize,
) -> *mut c_void {
    call_or("rtcSetNewGeometryBuffer", geometry, ptr::null_mut(), |geometry| {
        set_new(geometry, (kind, slot), format, stride, n)
    })
}

/// As rtcSetNewGeometryBuffer, because there is one memory.
#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments, reason = "the interface is Embree's")]
pub unsafe extern "C" fn rtcSetNewGeometryBufferHostDevice(
    geometry: *const Geometry,
    kind: u32,
    slot: u32,
    format: u32,
    stride: usize,
    n: usize,
    data: *mut *mut c_void,
    device_data: *mut *mut c_void,
) {
    call("rtcSetNewGeometryBufferHostDevice", geometry, |geometry| {
        let made = set_new(geometry, (kind, slot), format, stride, n)?;
        for place in [data, device_data] {
            if !place.is_null() {
                // SAFETY: the program passes places for pointers.
                unsafe { place.write(made) };
            }
        }
        Ok(())
    });
}

fn buffer_data(geometry: &Geometry, kind: u32, slot: u32) -> *mut c_void {
    geometry.view(kind, slot).map_or(ptr::null_mut(), |view| view.data())
}

/// Returns the memory of a buffer; NULL if none is set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcGetGeometryBufferData(
    geometry: *const Geometry,
    kind: u32,
    slot: u32,
) -> *mut c_void {
    call_or("rtcGetGeometryBufferData", geometry, ptr::null_mut(), |geometry| {
        Ok(buffer_data(geometry, kind, slot))
    })
}

/// As rtcGetGeometryBufferData, because there is one memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcGetGeometryBufferDataDevice(
    geometry: *const Geometry,
    kind: u32,
    slot: u32,
) -> *mut c_void {
    call_or("rtcGetGeometryBufferDataDevice", geometry, ptr::null_mut(), |geometry| {
        Ok(buffer_data(geometry, kind, slot))
    })
}

/// Says that the program has changed a buffer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcUpdateGeometryBuffer(geometry: *const Geometry, kind: u32, slot: u32) {
    call("rtcUpdateGeometryBuffer", geometry, |geometry| geometry.update_view(kind, slot));
}
