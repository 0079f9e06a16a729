//! The functions of Embree 4's C interface that the comparison needs, as its headers describe them.

#![allow(unsafe_code, reason = "foreign interface")]

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::mem::ManuallyDrop;
use std::path::Path;
use std::ptr;

use libloading::Library;

use super::records::{Ray1, Ray16, RayHit1, RayHit16, RtcArguments, Valid16};

pub(super) const QUALITY_LOW: u32 = 0;
pub(super) const QUALITY_MEDIUM: u32 = 1;
pub(super) const QUALITY_HIGH: u32 = 2;
pub(super) const SCENE_COMPACT: u32 = 1 << 1;
pub(super) const SCENE_ROBUST: u32 = 1 << 2;

const PROPERTY_VERSION_MAJOR: c_int = 1;
const PROPERTY_VERSION_MINOR: c_int = 2;
const PROPERTY_VERSION_PATCH: c_int = 3;
pub(super) const GEOMETRY_TRIANGLE: c_int = 0;
pub(super) const GEOMETRY_INSTANCE: c_int = 121;
pub(super) const BUFFER_INDEX: c_int = 0;
pub(super) const BUFFER_VERTEX: c_int = 1;
pub(super) const FORMAT_UINT3: c_int = 0x5003;
pub(super) const FORMAT_FLOAT3: c_int = 0x9003;
pub(super) const FORMAT_FLOAT3X4_COLUMN_MAJOR: c_int = 0x9234;

pub(super) type Handle = *mut c_void;
/// A callback with the allocated bytes (negative when freed), and whether the allocation has happened.
pub(super) type MemoryMonitor = unsafe extern "C" fn(*mut c_void, isize, bool) -> bool;

macro_rules! api {
    ($($field:ident = $symbol:literal: fn($($argument:ty),*) $(-> $result:ty)?;)*) => {
        /// The library's functions. The library stays loaded, because its worker threads may outlive
        /// every device. After an unload they ran into unmapped code at the end of the program.
        pub(super) struct Api {
            $(pub(super) $field: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
            version: [isize; 3],
            _library: ManuallyDrop<Library>,
        }

        impl Api {
            fn resolve(library: Library, version: [isize; 3]) -> Result<Self, String> {
                Ok(Self {
                    $($field: {
                        // SAFETY: the type is that of the function of this name in Embree 4, and the
                        // library's major version is 4.
                        let symbol = unsafe { library.get($symbol) };
                        *symbol.map_err(|error| error.to_string())?
                    },)*
                    version,
                    _library: ManuallyDrop::new(library),
                })
            }
        }
    };
}

api! {
    new_device = b"rtcNewDevice": fn(*const c_char) -> Handle;
    release_device = b"rtcReleaseDevice": fn(Handle);
    device_error = b"rtcGetDeviceError": fn(Handle) -> c_int;
    set_memory_monitor = b"rtcSetDeviceMemoryMonitorFunction": fn(Handle, MemoryMonitor, *mut c_void);
    new_scene = b"rtcNewScene": fn(Handle) -> Handle;
    release_scene = b"rtcReleaseScene": fn(Handle);
    set_scene_quality = b"rtcSetSceneBuildQuality": fn(Handle, c_uint);
    set_scene_flags = b"rtcSetSceneFlags": fn(Handle, c_uint);
    commit_scene = b"rtcCommitScene": fn(Handle);
    new_geometry = b"rtcNewGeometry": fn(Handle, c_int) -> Handle;
    release_geometry = b"rtcReleaseGeometry": fn(Handle);
    commit_geometry = b"rtcCommitGeometry": fn(Handle);
    set_geometry_quality = b"rtcSetGeometryBuildQuality": fn(Handle, c_uint);
    share_buffer = b"rtcSetSharedGeometryBuffer":
        fn(Handle, c_int, c_uint, c_int, *const c_void, usize, usize, usize);
    attach_geometry = b"rtcAttachGeometry": fn(Handle, Handle) -> c_uint;
    get_geometry = b"rtcGetGeometry": fn(Handle, c_uint) -> Handle;
    set_instanced_scene = b"rtcSetGeometryInstancedScene": fn(Handle, Handle);
    set_transform = b"rtcSetGeometryTransform": fn(Handle, c_uint, c_int, *const f32);
    intersect1 = b"rtcIntersect1": fn(Handle, *mut RayHit1, *mut RtcArguments);
    occluded1 = b"rtcOccluded1": fn(Handle, *mut Ray1, *mut RtcArguments);
    intersect16 = b"rtcIntersect16": fn(*const Valid16, Handle, *mut RayHit16, *mut RtcArguments);
    occluded16 = b"rtcOccluded16": fn(*const Valid16, Handle, *mut Ray16, *mut RtcArguments);
}

impl Api {
    /// Loads the library and checks its version before any other call.
    pub(super) fn load(path: &Path) -> Result<Self, String> {
        // SAFETY: the user names the library as Embree's, whose initialisation has no preconditions.
        let library = unsafe { Library::new(path) }.map_err(|error| error.to_string())?;
        let version = version(&library)
            .map_err(|error| format!("this is not a library of Embree 4: {error}"))?;
        match version {
            [4, ..] => Self::resolve(library, version),
            [major, minor, patch] => {
                Err(format!("found Embree {major}.{minor}.{patch}, expected Embree 4"))
            }
        }
    }

    /// `major.minor.patch`.
    pub(super) fn version(&self) -> String {
        let [major, minor, patch] = self.version;
        format!("{major}.{minor}.{patch}")
    }
}

/// Embree's version from a device, by functions whose types have not changed since version 3.
fn version(library: &Library) -> Result<[isize; 3], String> {
    type NewDevice = unsafe extern "C" fn(*const c_char) -> Handle;
    type GetProperty = unsafe extern "C" fn(Handle, c_int) -> isize;
    type Release = unsafe extern "C" fn(Handle);
    // SAFETY: these are the types of the functions of these names.
    let (new_device, property, release) = unsafe {
        let text = |error: libloading::Error| error.to_string();
        (
            library.get::<NewDevice>(b"rtcNewDevice").map_err(text)?,
            library.get::<GetProperty>(b"rtcGetDeviceProperty").map_err(text)?,
            library.get::<Release>(b"rtcReleaseDevice").map_err(text)?,
        )
    };
    // SAFETY: a null configuration means the defaults.
    let device = unsafe { new_device(ptr::null()) };
    if device.is_null() {
        return Err("it makes no device".to_owned());
    }
    let properties = [PROPERTY_VERSION_MAJOR, PROPERTY_VERSION_MINOR, PROPERTY_VERSION_PATCH];
    // SAFETY: the device is alive.
    let version = properties.map(|which| unsafe { property(device, which) });
    // SAFETY: the device is released once and not used again.
    unsafe { release(device) };
    Ok(version)
}
