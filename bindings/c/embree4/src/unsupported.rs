//! Calls for what hitscan has not: each is an error of the device, so that programs start and hear of it.

use std::{ffi::c_void, ptr};

use crate::{
    call::{call, guard},
    device::Device,
    error::{Outcome, unsupported},
    geometry::Geometry,
    handle::Handle,
    scene::Scene,
};

fn refuse<H: Handle>(function: &'static str, handle: *const H, what: &str) {
    call(function, handle, |_| -> Outcome<()> { Err(unsupported(what)) });
}

/// Curves and points.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcSetGeometryMaxRadiusScale(geometry: *const Geometry, _scale: f32) {
    refuse("rtcSetGeometryMaxRadiusScale", geometry, "curves and points");
}

/// Calls for a geometry with one or two more numbers.
macro_rules! subdivision {
    ($($name:ident($($argument:ident: $kind:ty),*);)*) => {$(
        /// Subdivision surfaces.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(geometry: *const Geometry, $($argument: $kind),*) -> u32 {
            refuse(stringify!($name), geometry, "subdivision surfaces");
            u32::MAX
        }
    )*};
}

subdivision! {
    rtcSetGeometryTessellationRate(_rate: f32);
    rtcSetGeometryTopologyCount(_n: u32);
    rtcSetGeometrySubdivisionMode(_topology: u32, _mode: u32);
    rtcSetGeometryVertexAttributeTopology(_attribute: u32, _topology: u32);
    rtcSetGeometryDisplacementFunction(_function: *const c_void);
    rtcGetGeometryFirstHalfEdge(_face: u32);
    rtcGetGeometryFace(_edge: u32);
    rtcGetGeometryNextHalfEdge(_edge: u32);
    rtcGetGeometryPreviousHalfEdge(_edge: u32);
    rtcGetGeometryOppositeHalfEdge(_topology: u32, _edge: u32);
}

/// Collisions of scenes. `MeshPair` in Rust has them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcCollide(
    scene: *const Scene,
    _other: *const Scene,
    _function: *const c_void,
    _user: *mut c_void,
) {
    refuse("rtcCollide", scene, "collisions of scenes");
}

const BUILDER: &str = "trees in the layout of the program";

/// Trees in the layout of the program.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcNewBVH(device: *const Device) -> *mut c_void {
    refuse("rtcNewBVH", device, BUILDER);
    ptr::null_mut()
}

/// A call for a tree that Embree's builder makes. There is none, because the builder is not supported.
macro_rules! builder {
    ($($name:ident($($argument:ident: $kind:ty),*);)*) => {$(
        /// Trees in the layout of the program.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($argument: $kind),*) -> *mut c_void {
            guard(stringify!($name), None, ptr::null_mut(), || Err(unsupported(BUILDER)))
        }
    )*};
}

builder! {
    rtcBuildBVH(_arguments: *const c_void);
    rtcThreadLocalAlloc(_allocator: *mut c_void, _n_bytes: usize, _align: usize);
    rtcMakeStaticBVH(_bvh: *mut c_void);
    rtcRetainBVH(_bvh: *mut c_void);
    rtcReleaseBVH(_bvh: *mut c_void);
}
