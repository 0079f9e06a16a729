//! The part of Embree 4's C interface that the comparison needs, as its headers describe it.

#![allow(unsafe_code, reason = "foreign interface")]

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::mem::ManuallyDrop;
use std::path::Path;
use std::ptr;
use std::sync::Arc;

use hitscan::Ray;
use libloading::Library;

pub(super) const QUALITY_LOW: u32 = 0;
pub(super) const QUALITY_MEDIUM: u32 = 1;
pub(super) const QUALITY_HIGH: u32 = 2;
pub(super) const SCENE_COMPACT: u32 = 1 << 1;
pub(super) const SCENE_ROBUST: u32 = 1 << 2;
/// The geometry of a ray that hit nothing.
pub(super) const INVALID_ID: u32 = u32::MAX;

const PROPERTY_VERSION_MAJOR: c_int = 1;
const PROPERTY_VERSION_MINOR: c_int = 2;
const PROPERTY_VERSION_PATCH: c_int = 3;
const GEOMETRY_TRIANGLE: c_int = 0;
const BUFFER_INDEX: c_int = 0;
const BUFFER_VERTEX: c_int = 1;
const FORMAT_UINT3: c_int = 0x5003;
const FORMAT_FLOAT3: c_int = 0x9003;
const QUERY_COHERENT: c_uint = 1 << 16;
const FEATURES_ALL: c_uint = u32::MAX;

/// A ray of the single-ray interface.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub(super) struct Ray1 {
    origin: [f32; 3],
    t_near: f32,
    direction: [f32; 3],
    time: f32,
    /// The end of the ray. After the query, the hit's distance, or -inf if the ray is occluded.
    pub(super) t_far: f32,
    mask: u32,
    id: u32,
    flags: u32,
}

/// A hit of the single-ray interface, with the instance's primitive that later releases added.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub(super) struct Hit1 {
    normal: [f32; 3],
    pub(super) u: f32,
    pub(super) v: f32,
    pub(super) prim_id: u32,
    pub(super) geom_id: u32,
    instance_id: u32,
    instance_prim_id: u32,
}

/// A ray with the memory for its hit.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct RayHit1 {
    pub(super) ray: Ray1,
    pub(super) hit: Hit1,
}

impl Ray1 {
    #[inline]
    pub(super) fn new(ray: &Ray) -> Self {
        Self {
            origin: ray.origin.to_array(),
            t_near: ray.t_min,
            direction: ray.direction.to_array(),
            time: 0.0,
            t_far: ray.t_max,
            mask: u32::MAX,
            id: 0,
            flags: 0,
        }
    }
}

impl Hit1 {
    pub(super) const NONE: Self = Self {
        normal: [0.0; 3],
        u: 0.0,
        v: 0.0,
        prim_id: INVALID_ID,
        geom_id: INVALID_ID,
        instance_id: INVALID_ID,
        instance_prim_id: INVALID_ID,
    };
}

/// Sixteen rays, component by component.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Ray16 {
    origin: [[f32; 16]; 3],
    t_near: [f32; 16],
    direction: [[f32; 16]; 3],
    time: [f32; 16],
    /// As [`Ray1::t_far`].
    pub(super) t_far: [f32; 16],
    mask: [u32; 16],
    id: [u32; 16],
    flags: [u32; 16],
}

/// Sixteen hits, component by component.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Hit16 {
    normal: [[f32; 16]; 3],
    pub(super) u: [f32; 16],
    pub(super) v: [f32; 16],
    pub(super) prim_id: [u32; 16],
    pub(super) geom_id: [u32; 16],
    instance_id: [u32; 16],
    instance_prim_id: [u32; 16],
}

/// Sixteen rays with the memory for their hits.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct RayHit16 {
    pub(super) ray: Ray16,
    pub(super) hit: Hit16,
}

impl Ray16 {
    /// A packet of the first 16 of `rays`, or of all if there are fewer.
    #[inline]
    pub(super) fn new(rays: &[Ray]) -> Self {
        let mut packet = Self {
            origin: [[0.0; 16]; 3],
            t_near: [0.0; 16],
            direction: [[0.0; 16]; 3],
            time: [0.0; 16],
            t_far: [0.0; 16],
            mask: [u32::MAX; 16],
            id: [0; 16],
            flags: [0; 16],
        };
        for (lane, ray) in rays.iter().take(16).enumerate() {
            for axis in 0..3 {
                packet.origin[axis][lane] = ray.origin[axis];
                packet.direction[axis][lane] = ray.direction[axis];
            }
            packet.t_near[lane] = ray.t_min;
            packet.t_far[lane] = ray.t_max;
        }
        packet
    }
}

impl Hit16 {
    pub(super) const NONE: Self = Self {
        normal: [[0.0; 16]; 3],
        u: [0.0; 16],
        v: [0.0; 16],
        prim_id: [INVALID_ID; 16],
        geom_id: [INVALID_ID; 16],
        instance_id: [INVALID_ID; 16],
        instance_prim_id: [INVALID_ID; 16],
    };
}

/// The valid rays of a packet: -1 for valid, 0 for not.
#[repr(C, align(64))]
pub(super) struct Valid16([c_int; 16]);

impl Valid16 {
    #[inline]
    pub(super) fn first(n: usize) -> Self {
        Self(std::array::from_fn(|lane| if lane < n { -1 } else { 0 }))
    }
}

/// `RTCIntersectArguments` and `RTCOccludedArguments`, which have one layout. The last member exists
/// only in some builds of the library, and the others do not read it.
#[repr(C)]
pub(super) struct RtcArguments {
    flags: c_uint,
    feature_mask: c_uint,
    context: *mut c_void,
    filter: *mut c_void,
    intersect: *mut c_void,
    min_width_distance_factor: f32,
}

impl RtcArguments {
    /// The arguments for packets of coherent or incoherent rays.
    pub(super) fn for_packets(is_coherent: bool) -> Self {
        Self {
            flags: if is_coherent { QUERY_COHERENT } else { 0 },
            feature_mask: FEATURES_ALL,
            context: ptr::null_mut(),
            filter: ptr::null_mut(),
            intersect: ptr::null_mut(),
            min_width_distance_factor: 0.0,
        }
    }
}

const _: () = {
    assert!(size_of::<Ray1>() == 48 && size_of::<RayHit1>() == 96);
    assert!(size_of::<Ray16>() == 48 * 16 && std::mem::offset_of!(RayHit16, hit) == 48 * 16);
    assert!(align_of::<RayHit1>() == 16 && align_of::<RayHit16>() == 64);
};

type Handle = *mut c_void;
/// A callback with the allocated bytes (negative when freed), and whether the allocation has happened.
pub(super) type MemoryMonitor = unsafe extern "C" fn(*mut c_void, isize, bool) -> bool;

macro_rules! api {
    ($($field:ident = $symbol:literal: fn($($argument:ty),*) $(-> $result:ty)?;)*) => {
        /// The library's functions. The library stays loaded, because its worker threads may outlive
        /// every device. After an unload they ran into unmapped code at the end of the program.
        pub(super) struct Api {
            $($field: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
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

/// A device, released when dropped.
pub(super) struct Device {
    handle: Handle,
    api: Arc<Api>,
}

impl Device {
    pub(super) fn new(api: &Arc<Api>, config: &CStr) -> Result<Self, String> {
        // SAFETY: the configuration is a string that ends in zero.
        let handle = unsafe { (api.new_device)(config.as_ptr()) };
        if handle.is_null() {
            return Err("it makes no device".to_owned());
        }
        Ok(Self { handle, api: Arc::clone(api) })
    }

    /// Makes the device report its memory.
    ///
    /// # Safety
    /// `monitor` may be called with `user` from any thread until the device is dropped.
    pub(super) unsafe fn monitor_memory(&self, monitor: MemoryMonitor, user: *mut c_void) {
        // SAFETY: the device is alive; the rest is the caller's promise.
        unsafe { (self.api.set_memory_monitor)(self.handle, monitor, user) };
    }

    fn check(&self) -> Result<(), String> {
        // SAFETY: the device is alive.
        match unsafe { (self.api.device_error)(self.handle) } {
            0 => Ok(()),
            code => Err(format!("the device reports error {code}")),
        }
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        // SAFETY: the device is alive until here; scenes keep it alive by its reference count.
        unsafe { (self.api.release_device)(self.handle) };
    }
}

/// A scene, released when dropped.
pub(super) struct Scene {
    handle: Handle,
    api: Arc<Api>,
    quality: u32,
}

// SAFETY: any thread may use a handle, and many threads may use a committed scene at once while it does
// not change. All changes happen before the scene is shared.
unsafe impl Send for Scene {}
// SAFETY: as for `Send`.
unsafe impl Sync for Scene {}
// SAFETY: any thread may use a device; its reference count is atomic.
unsafe impl Send for Device {}
// SAFETY: as for `Send`.
unsafe impl Sync for Device {}

impl Scene {
    pub(super) fn new(device: &Device, quality: u32, flags: u32) -> Result<Self, String> {
        let api = Arc::clone(&device.api);
        // SAFETY: the device is alive.
        let handle = unsafe { (api.new_scene)(device.handle) };
        let scene = Self { handle, api, quality };
        device.check()?;
        // SAFETY: the scene is alive and not shared yet.
        unsafe {
            (scene.api.set_scene_quality)(scene.handle, quality);
            (scene.api.set_scene_flags)(scene.handle, flags);
        }
        device.check()?;
        Ok(scene)
    }

    /// Adds triangles over buffers that the scene reads but does not own.
    ///
    /// # Safety
    /// Both buffers stay where they are, unchanged, until the scene is dropped. `positions` has three
    /// floats per vertex and one or more extra; every index is in range.
    pub(super) unsafe fn attach_triangles(
        &self,
        device: &Device,
        positions: &[f32],
        triangles: &[[u32; 3]],
    ) -> Result<(), String> {
        let share = self.api.share_buffer;
        // SAFETY: the handles are alive; the buffers hold the given numbers of items in these formats.
        // The scene keeps the attached geometry.
        unsafe {
            let geometry = (self.api.new_geometry)(device.handle, GEOMETRY_TRIANGLE);
            let (data, n) = (positions.as_ptr().cast(), (positions.len() - 1) / 3);
            share(geometry, BUFFER_VERTEX, 0, FORMAT_FLOAT3, data, 0, 12, n);
            let (data, n) = (triangles.as_ptr().cast(), triangles.len());
            share(geometry, BUFFER_INDEX, 0, FORMAT_UINT3, data, 0, 12, n);
            (self.api.set_geometry_quality)(geometry, self.quality);
            (self.api.commit_geometry)(geometry);
            (self.api.attach_geometry)(self.handle, geometry);
            (self.api.release_geometry)(geometry);
        }
        device.check()
    }

    /// Builds the hierarchy.
    pub(super) fn commit(&self, device: &Device) -> Result<(), String> {
        // SAFETY: the scene is alive and not shared yet.
        unsafe { (self.api.commit_scene)(self.handle) };
        device.check()
    }

    #[inline]
    pub(super) fn intersect1(&self, query: &mut RayHit1) {
        // SAFETY: the scene is committed; null arguments are the defaults.
        unsafe { (self.api.intersect1)(self.handle, query, ptr::null_mut()) };
    }

    #[inline]
    pub(super) fn occluded1(&self, query: &mut Ray1) {
        // SAFETY: the scene is committed; null arguments are the defaults.
        unsafe { (self.api.occluded1)(self.handle, query, ptr::null_mut()) };
    }

    #[inline]
    pub(super) fn intersect16(
        &self,
        valid: &Valid16,
        packet: &mut RayHit16,
        arguments: &mut RtcArguments,
    ) {
        // SAFETY: the scene is committed; the packet and its mask have the size and the alignment
        // that 16 lanes need.
        unsafe { (self.api.intersect16)(valid, self.handle, packet, arguments) };
    }

    #[inline]
    pub(super) fn occluded16(
        &self,
        valid: &Valid16,
        packet: &mut Ray16,
        arguments: &mut RtcArguments,
    ) {
        // SAFETY: as for `intersect16`.
        unsafe { (self.api.occluded16)(valid, self.handle, packet, arguments) };
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        // SAFETY: the scene is alive until here.
        unsafe { (self.api.release_scene)(self.handle) };
    }
}
