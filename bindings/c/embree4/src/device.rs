//! Devices: properties, and what hears of errors and of memory.

use std::{
    ffi::{c_char, c_void},
    ptr,
    sync::{Arc, Mutex},
};

use crate::{
    abi::{Callback, ErrorFn, MemoryFn, Opaque, VERSION, error},
    call::{call, call_or, release},
    error::{Outcome, failure, invalid},
    handle::{self, Handle, Magic},
    reports::{NO_DEVICE, Reports, lock},
};

/// What geometries, buffers and scenes belong to.
#[repr(C)]
#[derive(Debug)]
pub struct Device {
    magic: Magic,
    reports: Reports,
    on_memory: Mutex<Callback<unsafe extern "C" fn(*mut c_void, isize, bool) -> bool>>,
}

// SAFETY: `repr(C)` with the magic first.
unsafe impl Handle for Device {
    const NAME: &'static str = "RTCDevice";
    const MAGIC: u64 = u64::from_le_bytes(*b"rtDevice");

    fn reports(&self) -> &Reports {
        &self.reports
    }
}

impl Device {
    /// Tells the program of memory. An error if it wants none to be taken.
    fn tell_memory(&self, bytes: isize, post: bool) -> Outcome<()> {
        let Callback { function, user } = *lock(&self.on_memory);
        // SAFETY: the program registered the function for these arguments.
        let goes_on = function.is_none_or(|function| unsafe { function(user.0, bytes, post) });
        if goes_on || bytes < 0 {
            return Ok(());
        }
        let text = format_args!("the memory monitor refused {bytes} bytes");
        Err(failure(error::OUT_OF_MEMORY, text))
    }
}

/// Memory that the program knows of, until it is dropped.
#[derive(Debug)]
pub(crate) struct Charge {
    device: Arc<Device>,
    bytes: isize,
}

impl Charge {
    pub(crate) fn new(device: Arc<Device>, bytes: usize) -> Outcome<Self> {
        let bytes = isize::try_from(bytes).unwrap_or(isize::MAX);
        // As in Embree, the program hears no more of bytes that it has refused before their allocation.
        device.tell_memory(bytes, false)?;
        Ok(Self { device, bytes })
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        let _ = self.device.tell_memory(-self.bytes, true);
    }
}

/// Creates a device. It needs none of Embree's settings, and ignores them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcNewDevice(_config: *const c_char) -> *mut Device {
    let device = Device {
        magic: Magic::of::<Device>(),
        reports: Reports::default(),
        on_memory: Mutex::default(),
    };
    handle::give(Arc::new(device))
}

/// Counts one more handle of a device.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcRetainDevice(device: *const Device) {
    call("rtcRetainDevice", device, |device| {
        handle::retain(device);
        Ok(())
    });
}

/// Counts one handle of a device less.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcReleaseDevice(device: *const Device) {
    release("rtcReleaseDevice", device);
}

/// Returns a property of a device.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcGetDeviceProperty(device: *const Device, property: u32) -> isize {
    let [major, minor, patch] = VERSION;
    call("rtcGetDeviceProperty", device, |_| {
        Ok(match property {
            0 => 10_000 * major + 100 * minor + patch,
            1 => major,
            2 => minor,
            3 => patch,
            // Callbacks of packets see packets of the same size and order.
            32..=34 => 1,
            // Back faces are hit, of spheres, curves and triangles.
            62 | 63 | 65 => 0,
            // Ray masks, filters, invalid rays without a hit.
            64 | 66 | 67 => 1,
            68 => 0,
            // Triangles, quads, user geometries; neither subdivision, curves nor points.
            96 | 97 | 100 => 1,
            98 | 99 | 101 => 0,
            // Own threads; several may join a commit, and several scenes be committed at once.
            128 => 0,
            129 | 130 => 1,
            // The processor.
            140 => 1,
            141 => 0,
            other => return Err(invalid("prop", other, "a property of Embree 4.4")),
        })
    })
}

/// Devices have no property that can be set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcSetDeviceProperty(device: *const Device, property: u32, _value: isize) {
    call("rtcSetDeviceProperty", device, |_| -> Outcome<()> {
        Err(invalid("prop", property, "a property that can be set; a device has none"))
    });
}

/// Returns the first error of this thread since the last call, and forgets it. NULL has the errors of calls without a
/// valid handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcGetDeviceError(device: *const Device) -> u32 {
    if device.is_null() {
        return NO_DEVICE.try_with(|errors| errors.borrow_mut().take()).unwrap_or_default();
    }
    call("rtcGetDeviceError", device, |device| Ok(device.reports.take()))
}

/// Returns the message of the last error of this thread, valid until its next error. NULL without one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcGetDeviceLastErrorMessage(device: *const Device) -> *const c_char {
    if device.is_null() {
        return NO_DEVICE.try_with(|errors| errors.borrow().message()).unwrap_or(c"".as_ptr());
    }
    let Ok(device) = handle::get(device) else { return c"".as_ptr() };
    device.reports.message()
}

/// Sets the function that hears of errors.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcSetDeviceErrorFunction(
    device: *const Device,
    function: ErrorFn,
    user: *mut c_void,
) {
    call("rtcSetDeviceErrorFunction", device, |device| {
        device.reports.set_function(Callback { function, user: Opaque(user) });
        Ok(())
    });
}

/// Sets the function that hears of memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcSetDeviceMemoryMonitorFunction(
    device: *const Device,
    function: MemoryFn,
    user: *mut c_void,
) {
    call("rtcSetDeviceMemoryMonitorFunction", device, |device| {
        *lock(&device.on_memory) = Callback { function, user: Opaque(user) };
        Ok(())
    });
}

/// Runs a call that makes an object of a device. NULL if it fails.
pub(crate) fn make<H: Handle>(
    function: &'static str,
    device: *const Device,
    body: impl FnOnce(Arc<Device>) -> Outcome<H>,
) -> *mut H {
    call_or(function, device, ptr::null_mut(), |device| {
        Ok(handle::give(Arc::new(body(handle::share(device))?)))
    })
}
