//! The records of Embree 4's C interface: rays, hits and arguments, with the layout of its headers.

use std::ffi::{c_int, c_uint, c_void};
use std::ptr;

use hitscan::{Hit, Ray, Side};

/// The geometry of a ray that hit nothing.
const INVALID_ID: u32 = u32::MAX;

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
    pub(super) instance_id: u32,
    instance_prim_id: u32,
}

/// A ray with the memory for its hit.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct RayHit1 {
    pub(super) ray: Ray1,
    pub(super) hit: Hit1,
}

impl RayHit1 {
    /// The hit. Embree does not say of which side.
    #[inline]
    pub(super) fn found(&self) -> Option<Hit> {
        let Self { ray: Ray1 { t_far: t, .. }, hit: Hit1 { u, v, prim_id: triangle, .. } } = *self;
        let hit = Hit { t, u, v, triangle, side: Side::Front };
        (self.hit.geom_id != INVALID_ID).then_some(hit)
    }
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
    pub(super) instance_id: [u32; 16],
    instance_prim_id: [u32; 16],
}

/// Sixteen rays with the memory for their hits.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct RayHit16 {
    pub(super) ray: Ray16,
    pub(super) hit: Hit16,
}

impl RayHit16 {
    /// The hit of a ray. Embree does not say of which side.
    #[inline]
    pub(super) fn found(&self, lane: usize) -> Option<Hit> {
        let Self { ray, hit } = self;
        (hit.geom_id[lane] != INVALID_ID).then(|| Hit {
            t: ray.t_far[lane],
            u: hit.u[lane],
            v: hit.v[lane],
            triangle: hit.prim_id[lane],
            side: Side::Front,
        })
    }
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
