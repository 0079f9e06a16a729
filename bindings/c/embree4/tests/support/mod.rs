//! What the tests share: rays as Embree lays them out, and geometries from meshes.

#![allow(dead_code, reason = "each test uses a part")]

use std::{
    ffi::{CStr, c_char, c_void},
    ptr,
};

use engine::{Ray, TriMesh};
use hitscan_embree4::{
    abi::{INVALID_ID, QueryArguments, buffer, format, geometry_type},
    *,
};

/// A packet of rays with hits.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Packet<const N: usize> {
    pub(crate) origin: [[f32; N]; 3],
    pub(crate) t_near: [f32; N],
    pub(crate) direction: [[f32; N]; 3],
    pub(crate) time: [f32; N],
    pub(crate) t_far: [f32; N],
    pub(crate) mask: [u32; N],
    pub(crate) id: [u32; N],
    pub(crate) flags: [u32; N],
    pub(crate) normal: [[f32; N]; 3],
    pub(crate) u: [f32; N],
    pub(crate) v: [f32; N],
    pub(crate) prim_id: [u32; N],
    pub(crate) geom_id: [u32; N],
    pub(crate) inst_id: [u32; N],
    pub(crate) inst_prim_id: [u32; N],
}

pub(crate) type RayHit = Packet<1>;

impl<const N: usize> Packet<N> {
    pub(crate) fn new(rays: &[Ray; N]) -> Self {
        let axis = |of: fn(&Ray) -> [f32; 3]| [0, 1, 2].map(|axis| rays.map(|ray| of(&ray)[axis]));
        Self {
            origin: axis(|ray| ray.origin.to_array()),
            t_near: rays.map(|ray| ray.t_min),
            direction: axis(|ray| ray.direction.to_array()),
            time: [0.0; N],
            t_far: rays.map(|ray| ray.t_max),
            mask: [u32::MAX; N],
            id: std::array::from_fn(|i| i as u32),
            flags: [0; N],
            normal: [[0.0; N]; 3],
            u: [0.0; N],
            v: [0.0; N],
            prim_id: [INVALID_ID; N],
            geom_id: [INVALID_ID; N],
            inst_id: [INVALID_ID; N],
            inst_prim_id: [INVALID_ID; N],
        }
    }

    pub(crate) fn pointer(&mut self) -> *mut f32 {
        ptr::from_mut(self).cast()
    }

    /// The bits of `t`, `u`, `v`, and the numbers of the hit of a lane.
    pub(crate) fn bits(&self, i: usize) -> [u32; 7] {
        let [t, u, v] = [self.t_far[i], self.u[i], self.v[i]].map(f32::to_bits);
        [t, u, v, self.prim_id[i], self.geom_id[i], self.inst_id[i], self.inst_prim_id[i]]
    }
}

/// The first hit of a ray.
pub(crate) fn intersect(scene: *const Scene, ray: &Ray) -> RayHit {
    intersect_with(scene, ray, u32::MAX, ptr::null())
}

pub(crate) fn intersect_with(
    scene: *const Scene,
    ray: &Ray,
    mask: u32,
    arguments: *const QueryArguments,
) -> RayHit {
    let mut found = RayHit { mask: [mask], ..RayHit::new(&[*ray]) };
    // SAFETY: a scene, and a ray with a hit.
    unsafe { rtcIntersect1(scene, found.pointer(), arguments) };
    found
}

/// Whether a ray hits anything.
pub(crate) fn occluded(scene: *const Scene, ray: &Ray) -> bool {
    let mut found = RayHit::new(&[*ray]);
    // SAFETY: a scene and a ray.
    unsafe { rtcOccluded1(scene, found.pointer(), ptr::null()) };
    assert!(found.geom_id[0] == INVALID_ID, "a query for any hit writes no hit");
    found.t_far[0] == f32::NEG_INFINITY
}

/// A device whose errors fail the test.
pub(crate) fn device() -> *mut Device {
    unsafe extern "C" fn fail(_: *mut c_void, code: u32, text: *const c_char) {
        // SAFETY: the library passes a text.
        eprintln!("error {code}: {}", unsafe { CStr::from_ptr(text) }.to_string_lossy());
        std::process::abort();
    }
    // SAFETY: no settings, and a function for errors.
    unsafe {
        let device = rtcNewDevice(ptr::null());
        rtcSetDeviceErrorFunction(device, Some(fail), ptr::null_mut());
        device
    }
}

/// A geometry of this kind, committed, with all bits in its mask.
pub(crate) fn geometry(
    device: *const Device,
    kind: u32,
    set: impl FnOnce(*const Geometry),
) -> *mut Geometry {
    // SAFETY: a device and its geometry.
    unsafe {
        let geometry = rtcNewGeometry(device, kind);
        rtcSetGeometryMask(geometry, u32::MAX);
        set(geometry);
        rtcCommitGeometry(geometry);
        geometry
    }
}

/// Copies of positions and indices as buffers of a geometry.
pub(crate) fn set_buffers<const N: usize>(
    geometry: *const Geometry,
    positions: &[[f32; 3]],
    prims: &[[u32; N]],
) {
    let index_format = if N == 4 { format::UINT4 } else { format::UINT3 };
    // SAFETY: the library's memory has room for what it was asked for.
    unsafe {
        let to = rtcSetNewGeometryBuffer(
            geometry,
            buffer::VERTEX,
            0,
            format::FLOAT3,
            12,
            positions.len(),
        );
        ptr::copy_nonoverlapping(positions.as_ptr(), to.cast(), positions.len());
        let to =
            rtcSetNewGeometryBuffer(geometry, buffer::INDEX, 0, index_format, 4 * N, prims.len());
        ptr::copy_nonoverlapping(prims.as_ptr(), to.cast(), prims.len());
    }
}

pub(crate) fn triangles(device: *const Device, mesh: &TriMesh) -> *mut Geometry {
    let positions: Vec<_> = mesh.positions().iter().map(|p| p.to_array()).collect();
    geometry(device, geometry_type::TRIANGLE, |geometry| {
        set_buffers(geometry, &positions, mesh.triangles());
    })
}

/// An instance of a scene, by the columns of its matrix.
pub(crate) fn instance(
    device: *const Device,
    scene: *const Scene,
    columns: &[f32; 12],
) -> *mut Geometry {
    geometry(device, geometry_type::INSTANCE, |geometry| {
        // SAFETY: a geometry, a scene and a matrix.
        unsafe {
            rtcSetGeometryInstancedScene(geometry, scene);
            let form = format::FLOAT3X4_COLUMN_MAJOR;
            rtcSetGeometryTransform(geometry, 0, form, columns.as_ptr().cast());
        }
    })
}

/// Twice as large, 100 to the right.
pub(crate) const LARGER: [f32; 12] = [2.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 2.0, 100.0, 0.0, 0.0];

/// A committed scene of geometries, which it takes over.
pub(crate) fn scene(device: *const Device, geometries: &[*mut Geometry]) -> *mut Scene {
    // SAFETY: a device, its scene and its geometries.
    unsafe {
        let scene = rtcNewScene(device);
        for (i, &geometry) in geometries.iter().enumerate() {
            assert_eq!(rtcAttachGeometry(scene, geometry) as usize, i);
            rtcReleaseGeometry(geometry);
        }
        rtcCommitScene(scene);
        scene
    }
}

/// Rays from a box around the origin in all directions.
pub(crate) fn rays(n: usize, reach: f32) -> Vec<Ray> {
    let mut state = 5u64;
    let mut next = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    };
    (0..n)
        .map(|_| {
            let origin = [next(), next(), next()].map(|x| x * reach);
            Ray::new(origin, [next(), next(), next()])
        })
        .collect()
}

/// The bits that a hit of the engine has, by the numbers of geometry and instance.
pub(crate) fn expected(hit: Option<engine::Hit>, ids: [u32; 3]) -> [u32; 7] {
    let [geom_id, inst_id, inst_prim_id] = ids;
    match hit {
        Some(hit) => {
            let [t, u, v] = [hit.t, hit.u, hit.v].map(f32::to_bits);
            [t, u, v, hit.triangle, geom_id, inst_id, inst_prim_id]
        }
        None => [f32::INFINITY.to_bits(), 0, 0, INVALID_ID, INVALID_ID, INVALID_ID, INVALID_ID],
    }
}
