//! Embree's devices and scenes, released when dropped.

#![allow(unsafe_code, reason = "foreign interface")]

use std::ffi::{CStr, c_void};
use std::ptr;
use std::sync::Arc;

use super::api::{
    Api, BUFFER_INDEX, BUFFER_VERTEX, FORMAT_FLOAT3, FORMAT_FLOAT3X4_COLUMN_MAJOR, FORMAT_UINT3,
    GEOMETRY_INSTANCE, GEOMETRY_TRIANGLE, Handle, MemoryMonitor,
};
use super::records::{Ray1, Ray16, RayHit1, RayHit16, RtcArguments, Valid16};

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

    /// Adds an instance of another scene of the device. `transform` has three rows, column by column. The scene is to be
    /// committed afterwards.
    pub(super) fn attach_instance(&self, device: &Device, of: &Self, transform: &[f32; 12]) {
        // SAFETY: the handles are alive, and the transform is copied. The scene keeps the attached geometry, and that keeps
        // the other scene.
        unsafe {
            let geometry = (self.api.new_geometry)(device.handle, GEOMETRY_INSTANCE);
            (self.api.set_instanced_scene)(geometry, of.handle);
            (self.api.set_transform)(geometry, 0, FORMAT_FLOAT3X4_COLUMN_MAJOR, transform.as_ptr());
            (self.api.commit_geometry)(geometry);
            (self.api.attach_geometry)(self.handle, geometry);
            (self.api.release_geometry)(geometry);
        }
    }

    /// Moves instance `index`, which was attached after `index` others. The scene is to be committed afterwards.
    pub(super) fn set_transform(&mut self, index: u32, transform: &[f32; 12]) {
        // SAFETY: the geometry is attached, so it is alive; the transform is copied.
        unsafe {
            let geometry = (self.api.get_geometry)(self.handle, index);
            (self.api.set_transform)(geometry, 0, FORMAT_FLOAT3X4_COLUMN_MAJOR, transform.as_ptr());
            (self.api.commit_geometry)(geometry);
        }
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
